"""Variations of a plan: the same calls with one value, one call or one way of doing it changed.

Used twice. While a task is made they find what is really open (another approver, another order of things); in the battery
they are the near-misses that a verifier must reject.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from operator import eq
from typing import Any

from worldwright.blueprint import checked as c
from worldwright.core import days
from worldwright.core.rng import Stream
from worldwright.kinds.database.compile.tasks.plans import NewRow, Path, Plan, list_leaves, map_leaves, replace_at
from worldwright.kinds.database.compile.tasks.sandbox import MAX_LOOKED_THROUGH, Sandbox
from worldwright.kinds.database.unit_of_work import Row
from worldwright.world.records import Call

MAX_SIBLINGS = 20
"""Other rows tried for a reference."""
FILLER = "Please see the note on file."
SHAPES = ("split", "merged", "another")
"""Kinds of variations that bring in the same values by other calls."""
_NOTHING = object()


@dataclass(frozen=True, slots=True)
class Variation:
    """A changed plan, and what was changed in it."""

    kind: str
    """value, optional, split, merged or another"""
    step: int
    path: Path
    input: c.Input | None
    """The input, or the part of a list element, whose value is another one."""
    plan: Plan


def find_input(operation: c.Operation, path: Path) -> c.Input | None:
    """Find what a leaf of the arguments is."""
    found = operation.input(str(path[0]))
    if found is None or len(path) == 1:
        return found
    if found.parts and found.parts[0].name == "":
        return found.parts[0]
    return next((p for p in found.parts if p.name == path[-1]), None) if len(path) == 3 else None


def vary_values(
    sandbox: Sandbox, plan: Plan, seed: tuple[Any, ...], siblings: int = MAX_SIBLINGS
) -> Iterator[Variation]:
    """Yield the plan with one leaf changed at a time."""
    for step, call in enumerate(plan):
        operation = sandbox.compiled.blueprint.operations[call.tool]
        for path, value in list_leaves(call.arguments):
            found = find_input(operation, path)
            if found is None or isinstance(value, NewRow):
                continue
            for other in list_other_values(sandbox, found, value, (*seed, step, *path), siblings):
                yield Variation("value", step, path, found, _with_value(plan, step, path, other))


def vary_optionals(sandbox: Sandbox, plan: Plan, seed: tuple[Any, ...]) -> Iterator[Variation]:
    """Yield the plan with an optional input given that the witness leaves out. No other value than what is done where nobody says
    otherwise is right, but for words that only a text column keeps."""
    for step, call in enumerate(plan):
        operation = sandbox.compiled.blueprint.operations[call.tool]
        for i in operation.inputs:
            if i.name in call.arguments or i.parts or not (i.optional or i.default is not None):
                continue
            for other in list(list_other_values(sandbox, i, None, (*seed, step, i.name), 4))[:4]:
                changed = Call(call.tool, {**call.arguments, i.name: other})
                yield Variation("optional", step, (i.name,), i, (*plan[:step], changed, *plan[step + 1 :]))


def _with_value(plan: Plan, step: int, path: Path, value: Any) -> Plan:
    call = plan[step]
    return (*plan[:step], Call(call.tool, replace_at(call.arguments, path, value)), *plan[step + 1 :])


def list_other_values(
    sandbox: Sandbox, kind: c.Input, value: Any, seed: tuple[Any, ...], siblings: int
) -> Iterator[Any]:
    """Yield other values of an input, near ones first."""
    match kind.type.kind:
        case "ref":
            yield from rank_nearest_rows(sandbox, kind.type.entity, value, seed)[:siblings]
        case "enum":
            yield from (v for v in kind.type.values if v != value)
        case "bool":
            yield from ((not value,) if value is not None else (True, False))
        case "date":
            base = value or sandbox.schema.now[:10]
            yield from (d for d in (days.add_days(base, n) for n in (1, -1, 7)) if d is not None)
        case "time":
            base = value or sandbox.schema.now
            yield from (t for t in (days.add_seconds(base, n) for n in (3600, -3600)) if t is not None)
        case "text":
            yield FILLER if value != FILLER else f"{FILLER} Thank you."
        case _ if kind.type.numeric:
            yield from _numbers(kind, value)


def _numbers(kind: c.Input, value: Any) -> Iterator[Any]:
    places = kind.type.places
    unit = 10**places
    base = round((value if value is not None else 10) * unit)
    seen = {base} if value is not None else set()
    for other in (base + 1, base - 1, base * 2, base // 2, base + unit):
        allowed = (kind.low is None or other >= kind.low) and (kind.high is None or other <= kind.high)
        if allowed and other not in seen:
            seen.add(other)
            yield other / unit if places else other


def rank_nearest_rows(sandbox: Sandbox, entity: str, key: str | None, seed: tuple[Any, ...]) -> list[str]:
    """Rank other rows of a table, those that share most with this one first."""
    rows: Sequence[Row] = sandbox.opening(entity)
    mine = next((r for r in rows if r.id == key), None)
    rows = sandbox.large(entity, Stream(*seed))[:MAX_LOOKED_THROUGH] or rows
    rest = [r for r in Stream(*seed).shuffled(rows) if r.id != key]
    if mine is not None:
        # What this one does not have, no other shares with it.
        held = [_NOTHING if value is None else value for value in mine.values]
        rest.sort(key=lambda r: -sum(map(eq, r.values, held)))
    return [r.id for r in rest]


# other ways


def vary_shape(sandbox: Sandbox, plan: Plan, role: str) -> Iterator[Variation]:
    """Yield the same values brought in by other calls: lists in two parts, one call for two, another operation for one."""
    yield from _splits(plan)
    yield from _merges(sandbox, plan)
    yield from _replacements(sandbox, plan, role)


def _splits(plan: Plan) -> Iterator[Variation]:
    for step, call in enumerate(plan):
        for name, value in call.arguments.items():
            if isinstance(value, list) and len(value) > 1:
                first = Call(call.tool, {**call.arguments, name: value[:1]})
                second = Call(call.tool, {**call.arguments, name: value[1:]})
                yield Variation("split", step, (name,), None, _insert_calls(plan, step, (first, second)))
            elif isinstance(value, float) and round(value * 100) > 1:
                for share in (2, 3):
                    part = max(1, round(value * 100) // share) / 100
                    first = Call(call.tool, {**call.arguments, name: part})
                    second = Call(call.tool, {**call.arguments, name: round(value - part, 2)})
                    yield Variation("split", step, (name,), None, _insert_calls(plan, step, (first, second)))


def _merges(sandbox: Sandbox, plan: Plan) -> Iterator[Variation]:
    """A later call left out, its values given to an earlier one that can take them."""
    for step, call in enumerate(plan):
        operation = sandbox.compiled.blueprint.operations[call.tool]
        free = [i for i in operation.inputs if i.name not in call.arguments and i.optional and not i.parts]
        for later in range(step + 1, len(plan)):
            other = sandbox.compiled.blueprint.operations[plan[later].tool]
            for i in free:
                for name, value in plan[later].arguments.items():
                    theirs = other.input(name)
                    if theirs is not None and theirs.type == i.type and not isinstance(value, (NewRow, list)):
                        changed = Call(call.tool, {**call.arguments, i.name: value})
                        kept = (
                            *plan[:step],
                            changed,
                            *plan[step + 1 : later],
                            *shift_calls(plan[later + 1 :], later, -1),
                        )
                        yield Variation("merged", later, (name,), None, kept)


def _replacements(sandbox: Sandbox, plan: Plan, role: str) -> Iterator[Variation]:
    """Another operation in the place of one, given the same values where they fit by type and name."""
    tools = sandbox.compiled.tools
    for step, call in enumerate(plan):
        pool = _list_arguments(sandbox.compiled.blueprint.operations[call.tool], call)
        written = {w.entity for w in tools[call.tool].effects.writes}
        for name, tool in tools.items():
            if name == call.tool or not tool.mutates or (tool.roles and role not in tool.roles):
                continue
            if not written & {w.entity for w in tool.effects.writes}:
                continue
            arguments = _fill_from(sandbox.compiled.blueprint.operations[name], pool)
            if arguments is not None:
                changed = (*plan[:step], Call(name, arguments), *plan[step + 1 :])
                yield Variation("another", step, (), None, changed)


def _list_arguments(operation: c.Operation, call: Call) -> list[tuple[c.Input, Any]]:
    pairs = ((operation.input(name), value) for name, value in call.arguments.items())
    return [(i, value) for i, value in pairs if i is not None]


def _fill_from(operation: c.Operation, pool: Sequence[tuple[c.Input, Any]]) -> dict[str, Any] | None:
    out = {}
    for i in operation.inputs:
        fitting = [v for p, v in pool if p.type == i.type and (p.name == i.name or i.type.kind == "ref")]
        if fitting and not (i.optional and i.type.kind != "ref"):
            out[i.name] = fitting[0]
        elif i.type.kind == "text" and not i.optional:
            out[i.name] = FILLER
        elif not i.optional and i.default is None:
            return None
    return out


def _insert_calls(plan: Plan, step: int, calls: Plan) -> Plan:
    """Put two calls for one; what later calls take from it comes from the first."""
    return (*plan[:step], *calls, *shift_calls(plan[step + 1 :], step, 1))


def shift_calls(calls: Plan, after: int, by: int) -> Plan:
    """Move the steps that `New` refers to along."""
    return tuple(Call(call.tool, _shift_steps(call.arguments, after, by)) for call in calls)


def _shift_steps(value: Any, after: int, by: int) -> Any:
    return map_leaves(value, lambda x: replace(x, step=x.step + by) if isinstance(x, NewRow) and x.step > after else x)


def leave_out_calls(plan: Plan) -> Iterator[Plan]:
    """Yield the plan without one of its calls, where no other needs what that makes."""
    for step in range(len(plan) if len(plan) > 1 else 0):
        rest = (*plan[:step], *plan[step + 1 :])
        made = [v for call in rest for _, v in list_leaves(call.arguments) if isinstance(v, NewRow)]
        if all(new.step != step for new in made):
            yield drop_call(plan, step)


def drop_call(plan: Plan, step: int) -> Plan:
    """The plan without a call whose rows nothing else needs."""
    return (*plan[:step], *shift_calls(plan[step + 1 :], step, -1))


def vary_order(plan: Plan) -> Iterator[tuple[int, Plan]]:
    """Yield two neighbouring calls the other way round, where the second does not need the first; and the step of the first."""
    for i in range(len(plan) - 1):
        if any(isinstance(v, NewRow) and v.step == i for _, v in list_leaves(plan[i + 1].arguments)):
            continue
        swapped = (*plan[:i], plan[i + 1], plan[i], *plan[i + 2 :])
        yield i, tuple(Call(call.tool, exchange_steps(call.arguments, i)) for call in swapped)


def exchange_steps(value: Any, i: int) -> Any:
    """Let what two neighbouring calls make be that of the other."""
    steps = {i: i + 1, i + 1: i}
    return map_leaves(value, lambda x: replace(x, step=steps.get(x.step, x.step)) if isinstance(x, NewRow) else x)
