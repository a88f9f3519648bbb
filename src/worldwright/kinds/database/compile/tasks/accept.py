"""What a task accepts: the witness's end state, widened by every other one that a bounded search finds to satisfy goal and rules.

The search changes the witness in one place at a time. Where another value still satisfies everything that was asked and every
rule, nothing entails the value that the witness happened to use: the verifier leaves it open. Where no other value does, the
value is demanded, and by what is known: it was said, or goal or rule fail without it. A number, a date or a word that nobody
said and that is open makes the request underdetermined; such a task is dropped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count
from typing import Any

from worldwright.kinds.database.arguments import value_to_json
from worldwright.kinds.database.compile.tasks.choices import SaidAt, list_open_places, try_records
from worldwright.kinds.database.compile.tasks.ends import Beginning, EndState, content, end_plan, extends
from worldwright.kinds.database.compile.tasks.instances import BoundGoal, exchange_rows
from worldwright.kinds.database.compile.tasks.plans import NewRow, Path, Plan, list_leaves, replace_at
from worldwright.kinds.database.compile.tasks.sandbox import Sandbox
from worldwright.kinds.database.compile.tasks.variations import (
    MAX_SIBLINGS,
    SHAPES,
    Variation,
    find_input,
    vary_optionals,
    vary_order,
    vary_shape,
    vary_values,
)
from worldwright.kinds.database.verify.match import TooManyWays, match
from worldwright.kinds.database.verify.net import NetRow
from worldwright.kinds.database.verify.patterns import Accepted, AnyValue, Cell, During, Is, Of, Pattern
from worldwright.world.records import Call

MAX_END_STATES = 6
"""Accepted end states of one task, each up to what it leaves open."""
MAX_JOINED = 2
"""Choices at one place that are tried together with one elsewhere."""


@dataclass(frozen=True, slots=True)
class Demand:
    """One value of the witness: why it is demanded, or that it is open."""

    step: int
    path: Path
    value: Any
    why: str
    """said, given, made, goal, rule POLICY, refused CODE or open"""


@dataclass(frozen=True, slots=True)
class Scope:
    """What is accepted, and what the search saw."""

    accepts: tuple[Accepted, ...]
    demands: tuple[Demand, ...]
    choices: int
    """Other end states found that differ in content."""
    restricted: tuple[str, ...]
    """Handbook rules that some other choice of an open value would break."""
    tried: int


@dataclass(frozen=True, slots=True)
class Dropped:
    """Why a binding does not become a task."""

    reason: str
    detail: str = ""


def scope_of(sandbox: Sandbox, bounds: Sequence[BoundGoal], plan: Plan, seed: tuple[Any, ...]) -> Scope | Dropped:
    """Search around a witness that is right."""
    gold = end_plan(sandbox, bounds, plan)
    if not gold.right:
        return Dropped("witness does not repeat")
    entities = sandbox.schema.entities
    ways: dict[tuple[Any, ...], list[Accepted]] = {(): [exact(gold, entities)]}
    """The end states of the witness's calls, and of each other way apart: what two ways leave open is not open in a third."""
    beginning = Beginning(sandbox, bounds, plan)
    said = list_said(sandbox, beginning)
    why: dict[tuple[int, Path], str] = {}
    broke: dict[tuple[int, Path], dict[str, None]] = {}
    tried = choices = 0
    right: list[Variation] = []
    """Other values with which the plan is right too."""
    apart: list[tuple[list[Accepted], Variation]] = []
    """Those that lead to another kind of end state."""
    for variation, end in _try_variations(sandbox, beginning, said, seed):
        tried += 1
        at = (variation.step, variation.path)
        if not end.right:
            why.setdefault(at, _explain(end))
            if end.played.ok and len(end.played.broken) == 1:
                broke.setdefault(at, {})[end.played.broken[0]] = None
            continue
        if variation.kind == "value":
            waits = sandbox.compiled.tools[plan[variation.step].tool].waits is not None
            problem = None if waits else _find_unfounded(variation, plan, said)
            if problem is not None:
                return problem
            why[at] = "open"
            right.append(variation)
        other = content(end, entities) != content(gold, entities)
        if extends(end, gold, entities) or (other and variation.kind == "optional"):
            continue
        choices += other
        if any(_matches(patterns, end) for patterns in chain.from_iterable(ways.values())):
            continue
        way = (variation.kind, *at) if variation.kind in SHAPES else ()
        if widen(ways.setdefault(way, []), end, entities):
            apart.append((ways[way], variation))
        if sum(map(len, ways.values())) > MAX_END_STATES:
            return Dropped("too many kinds of end state")
    for accepts, variation in apart:
        for joined in _join_choices(plan, variation, right):
            tried += 1
            end = beginning.end_early(joined)
            if end.right and not any(_matches(patterns, end) for patterns in chain.from_iterable(ways.values())):
                widen(accepts, end, entities)
    if sum(map(len, ways.values())) > MAX_END_STATES:
        return Dropped("too many kinds of end state")
    demands = tuple(_list_demands(sandbox, plan, said, why))
    restricted = tuple(dict.fromkeys(rule for at, rules in broke.items() if why.get(at) == "open" for rule in rules))
    return Scope(tuple(chain.from_iterable(ways.values())), demands, choices, restricted, tried)


def _try_variations(
    sandbox: Sandbox, beginning: Beginning, said: SaidAt, seed: tuple[Any, ...]
) -> Iterator[tuple[Variation, EndState]]:
    """Yield changed plans, each with how it ends. Records that nobody named are tried one and all, other values the nearest."""
    plan, bounds = beginning.plan, beginning.bounds
    yield from try_records(sandbox, beginning, said)
    tried = {(place.step, place.path) for place in list_open_places(sandbox, plan, said)}
    for variation in _list_variations(sandbox, plan, bounds[0].role, seed):
        if variation.kind != "value" or (variation.step, variation.path) not in tried:
            yield variation, beginning.end_early(variation.plan)
    for step, swapped in vary_order(plan):
        yield Variation("order", 0, (), None, swapped), end_plan(sandbox, exchange_rows(bounds, step), swapped)


def _list_variations(sandbox: Sandbox, plan: Plan, role: str, seed: tuple[Any, ...]) -> Iterator[Variation]:
    yield from vary_values(sandbox, plan, seed, max(3, MAX_SIBLINGS // max(1, len(plan))))
    yield from vary_optionals(sandbox, plan, seed)
    yield from vary_shape(sandbox, plan, role)


def _join_choices(plan: Plan, way: Variation, right: Sequence[Variation]) -> Iterator[Plan]:
    """Yield a plan that leads to another kind of end state, with one more choice in it: what is open on the witness's way is open
    there too."""
    places = dict.fromkeys((v.step, v.path) for v in right if (v.step, v.path) != (way.step, way.path))
    for step, path in places:
        alike = len(way.plan) == len(plan) and way.plan[step].tool == plan[step].tool
        at = step if alike else next((i for i, call in enumerate(way.plan) if call == plan[step]), None)
        if at is None:
            continue
        for other in [v for v in right if (v.step, v.path) == (step, path)][:MAX_JOINED]:
            value = dict(list_leaves(other.plan[step].arguments))[path]
            call = Call(way.plan[at].tool, replace_at(way.plan[at].arguments, path, value))
            yield (*way.plan[:at], call, *way.plan[at + 1 :])


def _explain(end: EndState) -> str:
    if not end.played.ok:
        error = end.played.results[-1].error
        assert error is not None
        return f"rule {error.policy}" if error.policy else f"refused {error.code}"
    return f"rule {end.played.broken[0]}" if end.played.broken else "goal"


def _find_unfounded(variation: Variation, plan: Plan, said: SaidAt) -> Dropped | None:
    """Say why a value that may be another one must not be open."""
    found = variation.input
    assert found is not None
    value = dict(list_leaves(plan[variation.step].arguments))[variation.path]
    where = f"{plan[variation.step].tool}.{'.'.join(map(str, variation.path))}"
    if value in said[variation.step] and found.type.kind != "text":
        return Dropped("said but not demanded", where)
    if found.type.kind in ("ref", "text") or found.optional or found.default is not None:
        return None
    return Dropped("not said and open", where)


def list_said(sandbox: Sandbox, beginning: Beginning) -> SaidAt:
    """List by call what was said for it: somebody who is named for one thing is not named for another."""
    plan, bounds = beginning.plan, beginning.bounds
    said = [_map_said_values(sandbox, bound) for bound in bounds]
    if len(bounds) == 1:
        return said * len(plan)
    reached = beginning.find_reached()
    last = max(range(len(bounds)), key=reached.__getitem__)
    owners = (
        min((k for k, when in enumerate(reached) if when > step), key=reached.__getitem__, default=last)
        for step in range(len(plan))
    )
    return [said[owner] for owner in owners]


def _map_said_values(sandbox: Sandbox, bound: BoundGoal) -> dict[Any, str]:
    """Map everything that the instruction names, as JSON, to what it is."""
    goal = sandbox.goals[bound.goal].goal
    out: dict[Any, str] = {at[1]: "given" for at in bound.rows.values()}
    for name, value in bound.said.items():
        out[value_to_json(value, goal.states[name])] = "said"
    return out


def _list_demands(sandbox: Sandbox, plan: Plan, said: SaidAt, why: Mapping[tuple[int, Path], str]) -> Iterator[Demand]:
    for step, call in enumerate(plan):
        for path, value in list_leaves(call.arguments):
            kind = find_input(sandbox.compiled.blueprint.operations[call.tool], path)
            if isinstance(value, NewRow):
                reason = "made"
            elif why.get((step, path)) == "open":
                reason = "open"
            else:
                reason = said[step].get(value) or why.get((step, path)) or ("open" if kind is None else "goal")
            yield Demand(step, path, value, reason)


# patterns from end states


def exact(end: EndState, entities: Mapping[str, Any]) -> Accepted:
    """An end state as patterns, with only names and moments left open."""
    labels = label_rows(end.net)
    return tuple(
        Pattern(
            row.op,
            row.table,
            labels.get(row.id, "") if row.op == "added" else "",
            "" if row.op == "added" else row.id,
            {k: _cell(v, entities[row.table].columns[k], labels, end.span) for k, v in row.cells.items()},
        )
        for row in end.net
    )


def label_rows(net: Sequence[NetRow]) -> dict[str, str]:
    """Map the ids of new rows to what they are called in patterns: `approval_1` is the first new row of its table."""
    counts: dict[str, int] = {}
    out = {}
    for row in net:
        if row.op == "added":
            counts[row.table] = counts.get(row.table, 0) + 1
            out[row.id] = f"{row.table}_{counts[row.table]}"
    return out


def _cell(value: Any, column: Any, labels: Mapping[str, str], span: tuple[str, str]) -> Cell:
    if column.sort == "text" and column.type.kind == "text":
        return AnyValue()
    if column.sort == "time":
        return During() if isinstance(value, str) and span[0] <= value <= span[1] else AnyValue()
    if column.type.kind == "ref" and value in labels:
        return Of(labels[value])
    if column.type.kind == "text" and isinstance(value, str) and any(key in value for key in labels):
        return AnyValue()  # it quotes the id of a new row, which another order of things would change
    return Is(value)


def widen(accepts: list[Accepted], end: EndState, entities: Mapping[str, Any]) -> bool:
    """Make an end state accepted: by one of the patterns as they are, by leaving more open, or as another one. Returns whether as
    another one."""
    if any(_matches(patterns, end) for patterns in accepts):
        return False
    for i, patterns in enumerate(accepts):
        wider = generalise(patterns, end)
        if wider is not None and _matches(wider, end):
            accepts[i] = wider
            return False
    accepts.append(exact(end, entities))
    return True


def _matches(patterns: Accepted, end: EndState) -> bool:
    try:
        return match(patterns, end.net, end.span).whole
    except TooManyWays:
        return False


def generalise(patterns: Accepted, end: EndState) -> Accepted | None:
    """Leave open in the patterns what this end state has otherwise; None where it is not of that shape."""
    if len(patterns) != len(end.net):
        return None
    rows = list(end.net)
    pairs: list[tuple[Pattern, NetRow]] = []
    labels: dict[str, str] = {}
    for pattern in sorted(patterns, key=lambda p: (not p.id, p.table)):
        own = [r for r in rows if r.op == pattern.op and r.table == pattern.table]
        exactly = [r for r in own if r.id == pattern.id] or sorted(own, key=lambda r: -_count_agreeing(pattern, r))
        if not exactly:
            return None
        rows.remove(exactly[0])
        pairs.append((pattern, exactly[0]))
        if pattern.label:
            labels[pattern.label] = exactly[0].id
    free: dict[tuple[str, str], str] = {}
    taken = {pattern.label for pattern in patterns}
    unused = (label for k in count(1) if (label := f"x{k}") not in taken)
    out = {}
    for pattern, row in pairs:
        label, key = pattern.label, pattern.id
        if key and key != row.id:
            label = free.get((key, row.id)) or next(unused)
            free[key, row.id] = label
            labels[label] = row.id
            key = ""
        out[id(pattern)] = replace(pattern, label=label, id=key)
    return tuple(
        replace(
            out[id(pattern)],
            cells={
                k: _widen_cell(pattern.cells.get(k), row.cells.get(k, _KEPT), labels, free)
                for k in list(dict.fromkeys((*pattern.cells, *row.cells)))
            },
        )
        for pattern in patterns
        for row in [next(r for p, r in pairs if p is pattern)]
    )


_KEPT = object()
"""A cell that did not change here."""


def _widen_cell(cell: Cell | None, value: Any, labels: Mapping[str, str], free: Mapping[tuple[str, str], str]) -> Cell:
    match cell:
        case None:
            return AnyValue()
        case Is(value=mine):
            if mine == value:
                return cell
            label = free.get((mine, value)) if isinstance(mine, str) and isinstance(value, str) else None
            return Of(label) if label else AnyValue()
        case Of(label=name):
            return cell if labels.get(name) == value else AnyValue()
    return cell


def _count_agreeing(pattern: Pattern, row: NetRow) -> int:
    return sum(isinstance(c, Is) and row.cells.get(k) == c.value for k, c in pattern.cells.items())
