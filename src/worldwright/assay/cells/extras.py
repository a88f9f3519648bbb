"""Gold plus one more write, anywhere, and on the very rows that the task is about: must fail unless it changes no content."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from worldwright.assay.bench import Bench, Trial
from worldwright.compiler.tasks.accept import Ending
from worldwright.compiler.tasks.plans import Plan, leaves, replaced
from worldwright.compiler.tasks.variations import input_at
from worldwright.world.records import Call

TURNS = 3
"""Words of an enum tried in a write on the task's own rows."""


def episodes(bench: Bench, writes: Sequence[Call]) -> Iterator[Trial]:
    own = tuple(c for c in bench.key.calls if c not in bench.reads)  # looking changes nothing, and takes its time
    rows = _rows(bench)
    for k, call in enumerate(_covering(bench, writes)):
        at = (0, len(own), len(own) // 2)[k % 3]
        yield from _decided(bench, f"gold and {call.tool}", (*own[:at], call, *own[at:]))
    for other in _let_through(bench, own, [t for call in writes for t in _turned(bench, call, rows)]):
        yield from _decided(bench, f"gold and {other.tool} on the same rows", (*own, other))


def _covering(bench: Bench, writes: Sequence[Call]) -> list[Call]:
    """For each way to touch a table, the write that does little else: what it does too much nothing else gives away."""
    does = {
        call.tool: {(w.entity, w.verb) for w in bench.tools[call.tool].effects.writes if not w.derived}
        for call in writes
    }
    chosen: dict[str, Call] = {}
    for touch in sorted(set().union(*does.values())):
        call = min((c for c in writes if touch in does[c.tool]), key=lambda c: len(does[c.tool]))
        chosen[call.tool] = call
    return list(chosen.values())


def _decided(bench: Bench, what: str, calls: Plan) -> Iterator[Trial]:
    """The episode, unless the write only made another choice where there is one: nothing was done too much then."""
    end = bench.end(calls, stop=False, fixed=True)
    fine, same = end.reached and not end.played.broken, bench.same(end)
    if same or not fine or _shape(end) != _shape(bench.gold):
        given = bench.answer(end, fixed=True)
        yield Trial(what, calls, fine and same, given, bench.verdict(given))


def _shape(end: Ending) -> list[tuple[str, ...]]:
    """How many rows of which table came, went and changed where, without which they are and what they hold."""
    return sorted((row.op, row.table, *row.cells) for row in end.net)


def _let_through(bench: Bench, own: Plan, calls: Iterable[Call]) -> Iterator[Call]:
    """Those that the tools do not refuse after the witness's; what is refused leaves everything as it was."""
    played = False
    for call in calls:
        if not played:
            bench.end(own, stop=False, fixed=True)
        played = not bench.ground.session.call(call.tool, call.arguments).ok
        if not played:
            yield call


def _rows(bench: Bench) -> dict[str, str]:
    """By table, the first row that the task is about or that its witness touches."""
    found: dict[str, str] = {}
    for bound in bench.fixed:
        for entity, key in bound.rows.values():
            found.setdefault(entity, key)
    for row in bench.gold.net:
        found.setdefault(row.table, row.id)
    return found


def _turned(bench: Bench, call: Call, rows: Mapping[str, str]) -> Iterator[Call]:
    """The same write on the task's rows, with each word that it can be given."""
    operation = bench.ground.machine.blueprint.operations[call.tool]
    arguments, words = call.arguments, []
    for path, value in leaves(call.arguments):
        kind = input_at(operation, path)
        if kind is not None and kind.type.kind == "ref" and kind.type.entity in rows:
            arguments = replaced(arguments, path, rows[kind.type.entity])
        elif kind is not None and kind.type.kind == "enum":
            words += [(path, word) for word in kind.type.values if word != value][: TURNS - 1]
    if arguments != call.arguments:
        yield Call(call.tool, arguments)
        for path, word in words:
            yield Call(call.tool, replaced(arguments, path, word))
