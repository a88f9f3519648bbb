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
from worldwright.kinds.database.compile.tasks.ends import EndState
from worldwright.kinds.database.compile.tasks.instances import is_reached
from worldwright.kinds.database.compile.tasks.plans import (
    Path,
    Plan,
    PlanResult,
    list_broken_rules,
    list_leaves,
    replace_at,
)
from worldwright.kinds.database.compile.tasks.variations import find_input, vary_optionals, vary_shape, vary_values
from worldwright.kinds.database.verify.net import net_rows
from worldwright.world.records import Call

NAME = "one write more"
POSITION = 11

MAX_CALLS_BEFORE = 2
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
    rows = _list_rows(harness)
    chosen: list[Call] = []
    elsewhere = _choose_other_rows(harness, own, writes, {key for keys in rows.values() for key in keys})
    for call in islice(elsewhere, harness.settings.extra):
        chosen.append(call)
        yield from _judge_extra(harness, f"gold and {call.tool}", (*own, call), _end_now(harness), choices)
    for k, call in enumerate(chosen[:MAX_CALLS_BEFORE]):
        at = len(own) * k // MAX_CALLS_BEFORE
        calls = (*own[:at], call, *own[at:])
        yield from _judge_extra(
            harness, f"{call.tool} and gold", calls, harness.end(calls, stop=False, fixed=True), choices
        )
    seen: set[tuple[object, ...]] = set()
    for call in _choose_calls(harness, writes):
        for other in islice(
            _list_accepted(harness, own, _turn_to_rows(harness, call, rows)), harness.settings.extra_on_own_rows
        ):
            end = _end_now(harness)
            mark = tuple((r.op, r.table, r.id if r.id in rows.get(r.table, ()) else "", *r.cells) for r in end.net)
            if mark not in seen:
                seen.add(mark)
                yield from _judge_extra(harness, f"gold and {other.tool} on the same rows", (*own, other), end, choices)


def _choose_calls(harness: VerifierHarness, writes: Sequence[Write]) -> list[Call]:
    """Choose a call of every tool, or of some that are others for every task."""
    calls = list({w.call.tool: w.call for w in writes}.values())
    if len(calls) <= harness.settings.extra:
        return calls
    return Stream("assay", "extra", harness.task.instruction).shuffled(calls)[: harness.settings.extra]


def _choose_other_rows(
    harness: VerifierHarness, own: Plan, writes: Sequence[Write], rows: Collection[str]
) -> Iterator[Call]:
    """Choose for each way to touch a table a write after the witness's that does little else, on other rows than the task's."""
    best = sorted(writes, key=lambda w: (len(w.touches), any(v in rows for _, v in list_leaves(w.call.arguments))))
    chosen: list[Call] = []
    touches = sorted({touch for write in writes for touch in write.touches})
    if len(touches) > harness.settings.extra:
        touches = Stream("assay", "touches", harness.task.instruction).shuffled(touches)
    for touch in touches:
        fitting = [w.call for w in best if touch in w.touches]
        known = next((k for k, call in enumerate(fitting) if call in chosen), len(fitting))
        for call in islice(_list_accepted(harness, own, fitting[:known]), 1):
            chosen.append(call)
            yield call


def _list_accepted(harness: VerifierHarness, own: Plan, calls: Iterable[Call]) -> Iterator[Call]:
    """Yield the calls that the tools do not refuse after the witness's, each just made; what is refused changes nothing."""
    played = False
    for call in calls:
        if not played:
            harness.end(own, stop=False, fixed=True)
        played = not harness.sandbox.session.call(call.tool, call.arguments).ok
        if not played:
            yield call


def _end_now(harness: VerifierHarness) -> EndState:
    """Take the session as it stands as the end of an episode."""
    session = harness.sandbox.session
    reached = all(is_reached(harness.sandbox, bound, ()) for bound in harness.fixed)
    net = net_rows(harness.sandbox.compiled.tables, session.changes())
    return EndState(
        PlanResult((), (), list_broken_rules(session), ()), net, (harness.gold.span[0], session.clock), reached
    )


def _judge_extra(
    harness: VerifierHarness, what: str, calls: Plan, end: EndState, choices: Callable[[], Columns]
) -> Iterator[Trial]:
    """Yield the episode, unless the write only made another choice where there is one: nothing was done too much then."""
    fine, same = end.reached and not end.played.broken, harness.is_gold(end)
    given = harness.answer(end, fixed=True)
    trial = Trial(what, calls, fine and same, given, harness.verdict(given))
    if (
        same
        or not fine
        or _count_changes(end) != _count_changes(harness.gold)
        or not _list_differing_columns(harness, end) <= choices()
    ):
        yield trial


def _count_changes(end: EndState) -> list[tuple[str, ...]]:
    """Count how many rows of which table came, went and changed where, without which they are and what they hold."""
    return sorted((row.op, row.table, *row.cells) for row in end.net)


def find_choices(harness: VerifierHarness) -> Columns:
    """Find where other ways that are as good as the witness's differ from it: (table, column)."""
    found: set[tuple[str, str]] = set()
    for v in (
        *vary_values(harness.sandbox, harness.plan, ("assay", harness.task.role), MAX_ROWS_TRIED),
        *vary_optionals(harness.sandbox, harness.plan, ("assay", harness.task.role)),
        *vary_shape(harness.sandbox, harness.plan, harness.task.role),
    ):
        end = harness.end(v.plan)
        if end.right:
            found |= _list_differing_columns(harness, end)
    return found


def _list_differing_columns(harness: VerifierHarness, end: EndState) -> set[tuple[str, str]]:
    mine, theirs = _count_cells(harness, harness.gold), _count_cells(harness, end)
    return {(table, column) for _, table, column, _ in (*(mine - theirs), *(theirs - mine))}


def _count_cells(harness: VerifierHarness, end: EndState) -> Counter[tuple[str, str, str, Any]]:
    """Count what is in the rows that came, went and changed, but for texts, moments and the ids of new rows."""
    entities = harness.sandbox.schema.entities
    new = {row.id for row in end.net if row.op == "added"}
    out: Counter[tuple[str, str, str, Any]] = Counter()
    for row in end.net:
        columns = entities[row.table].columns
        out[row.op, row.table, "id", "new" if row.id in new else row.id] += 1
        for name, value in row.cells.items():
            if columns[name].sort not in ("text", "time"):
                out[row.op, row.table, name, "new" if value in new else value] += 1
    return out


def _list_rows(harness: VerifierHarness) -> dict[str, list[str]]:
    """Map each table to the rows that the task is about or that its witness touches."""
    found: dict[str, dict[str, None]] = {}
    for bound in harness.fixed:
        for entity, key in bound.rows.values():
            found.setdefault(entity, {})[key] = None
    for row in harness.gold.net:
        found.setdefault(row.table, {})[row.id] = None
    return {table: list(keys)[:ROWS] for table, keys in found.items()}


def _turn_to_rows(harness: VerifierHarness, call: Call, rows: Rows) -> Iterator[Call]:
    """Yield the same write on the task's rows, with the words that it can be given."""
    operation = harness.sandbox.compiled.blueprint.operations[call.tool]
    for k in range(ROWS):
        arguments = call.arguments
        words: list[list[tuple[Path, Any]]] = []
        for path, value in list_leaves(call.arguments):
            kind = find_input(operation, path)
            if kind is None:
                continue
            own = rows.get(kind.type.entity, ()) if kind.type.kind == "ref" else ()
            if len(own) > k:
                arguments = replace_at(arguments, path, own[k])
            elif kind.type.kind in ("enum", "bool"):
                words.append([(path, word) for word in kind.type.values or (value, not value)])
        if arguments != call.arguments:
            for said in islice(product(*words), WORDS):
                turned = arguments
                for path, word in said:
                    turned = replace_at(turned, path, word)
                yield Call(call.tool, turned)
