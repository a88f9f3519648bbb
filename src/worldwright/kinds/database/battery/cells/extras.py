"""Gold plus one more write, anywhere, and on the very rows that the task is about: must fail unless it changes no content."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice, product
from typing import Any, TypeAlias

from worldwright.core.rng import Stream
from worldwright.kinds.database.battery.harness import Trial, VerifierHarness
from worldwright.kinds.database.battery.writes import Write
from worldwright.kinds.database.compile.tasks.accept import Ending
from worldwright.kinds.database.compile.tasks.instances import holds
from worldwright.kinds.database.compile.tasks.plans import Path, Plan, Played, broken_rules, leaves, replaced
from worldwright.kinds.database.compile.tasks.variations import input_at, of_optionals, of_shape, of_values
from worldwright.kinds.database.verify.net import net_rows
from worldwright.world.records import Call

NAME = "one write more"
POSITION = 11

BEFORE = 2
"""Writes that are also tried before and between the witness's."""
MAX_ROWS_TRIED = 20
"""Rows looked at for choices."""
ROWS, WORDS = 3, 8
"""Rows of one table, and words that go together, tried in a write on the task's own rows."""

Rows: TypeAlias = Mapping[str, Sequence[str]]
"""By table, ids."""
Columns: TypeAlias = set[tuple[str, str]]
"""(table, column)"""


def episodes(harness: VerifierHarness) -> Iterator[Trial]:
    writes = harness.activity.writes
    choices = cache(lambda: find_choices(harness))
    own = tuple(c for c in harness.key.calls if c not in harness.reads)  # looking changes nothing, and takes its time
    rows = _rows(harness)
    chosen: list[Call] = []
    elsewhere = _elsewhere(harness, own, writes, {key for keys in rows.values() for key in keys})
    for call in islice(elsewhere, harness.settings.extra):
        chosen.append(call)
        yield from _decided(harness, f"gold and {call.tool}", (*own, call), _here(harness), choices)
    for k, call in enumerate(chosen[:BEFORE]):
        at = len(own) * k // BEFORE
        calls = (*own[:at], call, *own[at:])
        yield from _decided(
            harness, f"{call.tool} and gold", calls, harness.end(calls, stop=False, fixed=True), choices
        )
    seen: set[tuple[object, ...]] = set()
    for call in _some_tools(harness, writes):
        for other in islice(
            _let_through(harness, own, _turned(harness, call, rows)), harness.settings.extra_on_own_rows
        ):
            end = _here(harness)
            mark = tuple((r.op, r.table, r.id if r.id in rows.get(r.table, ()) else "", *r.cells) for r in end.net)
            if mark not in seen:
                seen.add(mark)
                yield from _decided(harness, f"gold and {other.tool} on the same rows", (*own, other), end, choices)


def _some_tools(harness: VerifierHarness, writes: Sequence[Write]) -> list[Call]:
    """A call of every tool, or of some that are others for every task."""
    calls = list({w.call.tool: w.call for w in writes}.values())
    if len(calls) <= harness.settings.extra:
        return calls
    return Stream("assay", "extra", harness.task.instruction).shuffled(calls)[: harness.settings.extra]


def _elsewhere(harness: VerifierHarness, own: Plan, writes: Sequence[Write], rows: Collection[str]) -> Iterator[Call]:
    """For each way to touch a table, a write after the witness's that does little else, on other rows than the task's."""
    best = sorted(writes, key=lambda w: (len(w.touches), any(v in rows for _, v in leaves(w.call.arguments))))
    chosen: list[Call] = []
    touches = sorted({touch for write in writes for touch in write.touches})
    if len(touches) > harness.settings.extra:
        touches = Stream("assay", "touches", harness.task.instruction).shuffled(touches)
    for touch in touches:
        fitting = [w.call for w in best if touch in w.touches]
        known = next((k for k, call in enumerate(fitting) if call in chosen), len(fitting))
        for call in islice(_let_through(harness, own, fitting[:known]), 1):
            chosen.append(call)
            yield call


def _let_through(harness: VerifierHarness, own: Plan, calls: Iterable[Call]) -> Iterator[Call]:
    """Those that the tools do not refuse after the witness's, each just made; what is refused leaves everything as it was."""
    played = False
    for call in calls:
        if not played:
            harness.end(own, stop=False, fixed=True)
        played = not harness.ground.session.call(call.tool, call.arguments).ok
        if not played:
            yield call


def _here(harness: VerifierHarness) -> Ending:
    """The session as it stands, as the end of an episode."""
    session = harness.ground.session
    reached = all(holds(harness.ground, bound, ()) for bound in harness.fixed)
    net = net_rows(harness.ground.compiled.tables, session.changes())
    return Ending(Played((), (), broken_rules(session), ()), net, (harness.gold.span[0], session.clock), reached)


def _decided(
    harness: VerifierHarness, what: str, calls: Plan, end: Ending, choices: Callable[[], Columns]
) -> Iterator[Trial]:
    """The episode, unless the write only made another choice where there is one: nothing was done too much then."""
    fine, same = end.reached and not end.played.broken, harness.same(end)
    given = harness.answer(end, fixed=True)
    trial = Trial(what, calls, fine and same, given, harness.verdict(given))
    if same or not fine or _shape(end) != _shape(harness.gold) or not _differing(harness, end) <= choices():
        yield trial


def _shape(end: Ending) -> list[tuple[str, ...]]:
    """How many rows of which table came, went and changed where, without which they are and what they hold."""
    return sorted((row.op, row.table, *row.cells) for row in end.net)


def find_choices(harness: VerifierHarness) -> Columns:
    """Find where other ways that are as good as the witness's differ from it: (table, column)."""
    found: set[tuple[str, str]] = set()
    for v in (
        *of_values(harness.ground, harness.plan, ("assay", harness.task.role), MAX_ROWS_TRIED),
        *of_optionals(harness.ground, harness.plan, ("assay", harness.task.role)),
        *of_shape(harness.ground, harness.plan, harness.task.role),
    ):
        end = harness.end(v.plan)
        if end.right:
            found |= _differing(harness, end)
    return found


def _differing(harness: VerifierHarness, end: Ending) -> set[tuple[str, str]]:
    mine, theirs = _cells(harness, harness.gold), _cells(harness, end)
    return {(table, column) for _, table, column, _ in (*(mine - theirs), *(theirs - mine))}


def _cells(harness: VerifierHarness, end: Ending) -> Counter[tuple[str, str, str, Any]]:
    """What is in the rows that came, went and changed, but for texts, moments and the ids of new rows."""
    entities = harness.ground.schema.entities
    new = {row.id for row in end.net if row.op == "added"}
    out: Counter[tuple[str, str, str, Any]] = Counter()
    for row in end.net:
        columns = entities[row.table].columns
        out[row.op, row.table, "id", "new" if row.id in new else row.id] += 1
        for name, value in row.cells.items():
            if columns[name].sort not in ("text", "time"):
                out[row.op, row.table, name, "new" if value in new else value] += 1
    return out


def _rows(harness: VerifierHarness) -> dict[str, list[str]]:
    """By table, the rows that the task is about or that its witness touches."""
    found: dict[str, dict[str, None]] = {}
    for bound in harness.fixed:
        for entity, key in bound.rows.values():
            found.setdefault(entity, {})[key] = None
    for row in harness.gold.net:
        found.setdefault(row.table, {})[row.id] = None
    return {table: list(keys)[:ROWS] for table, keys in found.items()}


def _turned(harness: VerifierHarness, call: Call, rows: Rows) -> Iterator[Call]:
    """The same write on the task's rows, with the words that it can be given."""
    operation = harness.ground.compiled.blueprint.operations[call.tool]
    for k in range(ROWS):
        arguments = call.arguments
        words: list[list[tuple[Path, Any]]] = []
        for path, value in leaves(call.arguments):
            kind = input_at(operation, path)
            if kind is None:
                continue
            own = rows.get(kind.type.entity, ()) if kind.type.kind == "ref" else ()
            if len(own) > k:
                arguments = replaced(arguments, path, own[k])
            elif kind.type.kind in ("enum", "bool"):
                words.append([(path, word) for word in kind.type.values or (value, not value)])
        if arguments != call.arguments:
            for said in islice(product(*words), WORDS):
                turned = arguments
                for path, word in said:
                    turned = replaced(turned, path, word)
                yield Call(call.tool, turned)
