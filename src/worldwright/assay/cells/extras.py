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
    own, rows = bench.key.calls, _rows(bench)
    for k, call in enumerate(writes):
        at = (0, len(own), len(own) // 2)[k % 3]
        yield from _decided(bench, f"gold and {call.tool}", (*own[:at], call, *own[at:]))
    for other in _let_through(bench, [t for call in writes for t in _turned(bench, call, rows)]):
        yield from _decided(bench, f"gold and {other.tool} on the same rows", (*own, other))


def _decided(bench: Bench, what: str, calls: Plan) -> Iterator[Trial]:
    """The episode, unless the write only made another choice where there is one: nothing was done too much then."""
    end = bench.end(calls, stop=False, fixed=True)
    fine, same = end.reached and not end.played.broken, bench.same(end)
    if same or not fine or _shape(end) != _shape(bench.gold):
        given = bench.answer(end, fixed=True)
        yield Trial(what, calls, fine and same, given, bench.verdict(given))


def _shape(end: Ending) -> list[tuple[str, ...]]:
    """Which rows came, went and changed where, without what they hold."""
    return sorted((r.op, r.table, *(() if r.op == "added" else (r.id, *r.cells))) for r in end.net)


def _let_through(bench: Bench, calls: Iterable[Call]) -> Iterator[Call]:
    """Those that the tools do not refuse after the witness's own; what is refused leaves everything as it was."""
    played = False
    for call in calls:
        if not played:
            bench.end(bench.key.calls, stop=False, fixed=True)
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
