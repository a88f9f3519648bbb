"""Walks of several goals: a weighted walk over the tool graph, each goal starting from what the one before made or touched.

The next goal is drawn by the weight of the edge between the last tool of one and the first of the other (strong 3, weak 2,
independent 1), among those whose givens can be filled from where the walk stands. All goals must still hold at the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from worldwright.blueprint.toolgraph import INDEPENDENT
from worldwright.core.rng import Stream
from worldwright.kinds.database.compile.tasks.accept import Dropped, map_said_values
from worldwright.kinds.database.compile.tasks.asking import WordedRequest, means_one, word_request
from worldwright.kinds.database.compile.tasks.candidates import Candidate, ForbiddenPart, make_done
from worldwright.kinds.database.compile.tasks.choices import list_open_places
from worldwright.kinds.database.compile.tasks.describe import Describer, Reference, name_kind
from worldwright.kinds.database.compile.tasks.instances import (
    BoundGoal,
    RowKey,
    WitnessRun,
    attempts,
    is_reached,
    perform,
)
from worldwright.kinds.database.compile.tasks.plans import NewRow, fill_new, list_broken_rules, make_call, open_new
from worldwright.kinds.database.compile.tasks.sandbox import Sandbox
from worldwright.world.records import Call

MAX_CHAINS = 14
"""Walks of several goals in one world."""
MAX_STARTS = 2
"""Bindings of each goal that walks start from."""
MAX_FORBIDDEN_TRIED = 12
"""Goals, or bindings of one, that are tried for a part that a rule forbids."""
MAX_FORBIDDEN_ELSEWHERE = 4
"""Goals that are looked at where nothing near by is forbidden."""
IF_PART_FORBIDDEN = (
    "Where a rule of the handbook stands in the way of one of these, leave that one, do the others, and tell me which rule it is.",
    "If our handbook forbids a part of it, do only the rest and name the rule to me.",
    "Go by the handbook: what it forbids stays undone, everything else goes ahead, and I need to know the rule.",
)
MAX_NEIGHBOURS = 12
"""Related rows looked at, for each row that the walk has touched."""
FORBIDDEN_SHARE = 0.7
"""Of the walks, how many look for a part that a rule forbids."""


@dataclass(frozen=True, slots=True)
class Leg:
    """One goal of a walk, with its words."""

    bound: BoundGoal
    words: WordedRequest


Weights = Mapping[tuple[str, str], int]
"""The weight between two tools, where an edge between them was proven."""


def make_chains(
    sandbox: Sandbox,
    describer: Describer,
    seed: int,
    damaged: Mapping[str, Sequence[RowKey]],
    longest: int,
    weights: Weights,
    names: Sequence[str],
) -> Iterator[Candidate | Dropped]:
    """Yield walks of two and more goals, each sequence of goals once, from these goals on in their order."""
    shapes: set[tuple[str, ...]] = set()
    for name in (name for name in names if sandbox.goals[name].goal.how):
        starts = 0
        for k, attempt in enumerate(attempts(sandbox, name, Stream(seed, "chains").bits() >> 1, damaged)):
            if starts >= MAX_STARTS:
                break
            if not attempt.clean:
                continue
            starts += 1
            found = _walk(sandbox, describer, attempt.bound, (seed, "chain", name, k), shapes, longest, weights)
            if found is not None:
                if isinstance(found, Candidate):
                    shapes.add(found.shape)
                yield found
            if len(shapes) >= MAX_CHAINS:
                return


def _walk(
    sandbox: Sandbox,
    describer: Describer,
    first: BoundGoal,
    path: tuple[Any, ...],
    shapes: set[tuple[str, ...]],
    longest: int,
    weights: Weights,
) -> Candidate | Dropped | None:
    stream = Stream(*path)
    sandbox.start(first.role, first.actor)
    opening = sandbox.goals[first.goal].goal
    ask = stream.pick(describer.list_ways(opening.asks))
    words_ = word_request(sandbox, describer, ask, first.rows, first.said, path[-1])
    if words_ is None or not means_one(sandbox, first.goal, ask, first.rows, first.said):
        return None
    so_far = WitnessRun([], [], [])
    legs = [Leg(first, words_)]
    if not perform(sandbox, first, (*path, 0), so_far) or not all(r.ok for r in so_far.results):
        return None
    most = min(longest, Stream(*path, "most").pick((1, 2, longest, longest)))
    while len(legs) < most:
        following = _find_next(sandbox, describer, legs, so_far, stream, (*path, len(legs)), shapes, weights)
        if following is None:
            break
        legs.append(following)
    closing = (Stream(*path, "closing").pick(IF_PART_FORBIDDEN),)
    forbidden = None
    if Stream(*path, "forbidden").chance(FORBIDDEN_SHARE):
        forbidden = _find_forbidden(sandbox, describer, legs, so_far, (*path, "forbidden"), shapes)
    if forbidden is None and len(legs) < 2:
        following = _find_next(sandbox, describer, legs, so_far, stream, (*path, len(legs)), shapes, weights)
        legs += [] if following is None else [following]
    if len(legs) + (forbidden is not None) < 2:
        return None
    shape = (
        "chain",
        *(leg.bound.goal for leg in legs),
        *(() if forbidden is None else (forbidden.bound.goal, forbidden.rule)),
    )
    asks = tuple(leg.words for leg in legs)
    bounds = [leg.bound for leg in legs]
    return make_done(sandbox, "walk", shape, bounds, so_far.plan, asks, path, closing, forbidden=forbidden)


def _find_next(
    sandbox: Sandbox,
    describer: Describer,
    legs: Sequence[Leg],
    so_far: WitnessRun,
    stream: Stream,
    path: tuple[Any, ...],
    shapes: set[tuple[str, ...]],
    weights: Weights,
) -> Leg | None:
    """Find the next goal of a walk, and carry it out; None where none follows."""
    role, actor = legs[0].bound.role, legs[0].bound.actor
    last = so_far.calls[-1].tool
    used = tuple(leg.bound.goal for leg in legs)
    options = [
        (name, weights.get((last, compiled.goal.how[0].operation), INDEPENDENT))
        for name, compiled in sandbox.goals.items()
        if name not in used and compiled.goal.then and compiled.goal.how and role in compiled.goal.roles
        and compiled.goal.given and ("chain", *used, name) not in shapes
    ]  # fmt: skip
    near = _list_near_rows(sandbox, legs)
    while options:
        choice = stream.weighted(options, [w for _, w in options])
        options.remove(choice)
        found = _follow(sandbox, describer, choice[0], role, actor, near, legs, so_far, path)
        if found is not None:
            return found
    return None


def _follow(
    sandbox: Sandbox,
    describer: Describer,
    name: str,
    role: str,
    actor: str,
    near: Sequence[RowKey],
    legs: Sequence[Leg],
    so_far: WitnessRun,
    path: tuple[Any, ...],
) -> Leg | None:
    found = _bind_next(sandbox, describer, name, role, actor, near, legs, so_far, path)
    if found is None:
        return None
    kept = len(so_far.calls)
    fine = perform(sandbox, found.bound, (*path, name), so_far) and len(so_far.calls) > kept
    bounds = (*(leg.bound for leg in legs), found.bound)
    if not (
        fine
        and all(r.ok for r in so_far.results)
        and not sandbox.session.violations()
        and all(is_reached(sandbox, b, so_far.made) for b in bounds)
    ):
        _undo_leg(sandbox, so_far, kept, role, actor)
        return None
    return found


def _bind_next(
    sandbox: Sandbox,
    describer: Describer,
    name: str,
    role: str,
    actor: str,
    near: Sequence[RowKey],
    legs: Sequence[Leg],
    so_far: WitnessRun,
    path: tuple[Any, ...],
) -> Leg | None:
    """Bind the next goal to rows near by, and put it into words; None where that cannot be done, or it is reached already."""
    compiled = sandbox.goals[name]
    uow = sandbox.uow(*path, name)
    rows = _bind_givens(sandbox, name, near, path)
    if rows is None:
        return None
    said: dict[str, Any] = {}
    for key, run in compiled.drawn.items():
        uow.stream = Stream(*path, name, "said", key)
        said[key] = run(uow, sandbox.frame(uow, rows, said))
    if any(v is None for v in said.values()):
        return None
    if compiled.actor is not None:
        person = compiled.actor(uow, sandbox.frame(uow, rows, said))
        if person is None or person.id != actor:
            return None
    bound = BoundGoal(name, role, actor, {k: (e, open_new(key, so_far.made)) for k, (e, key) in rows.items()}, said)
    if is_reached(sandbox, bound, so_far.made):
        return None
    then = Stream(*path, name, "then").pick(describer.list_ways(compiled.goal.then))
    told = word_request(sandbox, describer, then, rows, said, path[-1], _map_names(sandbox, legs, so_far))
    if told is None or not means_one(sandbox, name, then, rows, said):
        return None
    return Leg(bound, told)


def _find_forbidden(
    sandbox: Sandbox,
    describer: Describer,
    legs: Sequence[Leg],
    so_far: WitnessRun,
    path: tuple[Any, ...],
    shapes: set[tuple[str, ...]],
) -> ForbiddenPart | None:
    """Find a goal to ask for as well that one rule forbids where the walk ends; None where none is found."""
    role, actor = legs[0].bound.role, legs[0].bound.actor
    used = tuple(leg.bound.goal for leg in legs)
    options = [
        name
        for name, compiled in sandbox.goals.items()
        if name not in used
        and compiled.goal.then
        and compiled.goal.how
        and role in compiled.goal.roles
        and compiled.goal.given
    ]
    near, tried = _list_near_rows(sandbox, legs), 0
    for name in Stream(*path).shuffled(options):
        if tried >= MAX_FORBIDDEN_TRIED:
            return None
        leg = _bind_next(sandbox, describer, name, role, actor, near, legs, so_far, (*path, len(legs)))
        if leg is None:
            continue
        tried += 1
        calls, rules = _try_forbidden(sandbox, leg.bound, so_far, path)
        if len(rules) == 1 and ("chain", *used, name, rules[0]) not in shapes:
            return ForbiddenPart(leg.bound, leg.words, rules[0], calls)
    return _find_forbidden_elsewhere(sandbox, describer, legs, so_far, path, options)


def _find_forbidden_elsewhere(
    sandbox: Sandbox,
    describer: Describer,
    legs: Sequence[Leg],
    so_far: WitnessRun,
    path: tuple[Any, ...],
    options: Sequence[str],
) -> ForbiddenPart | None:
    """Find a goal about anything else that one rule forbids from the start, and still where the walk ends."""
    role, actor = legs[0].bound.role, legs[0].bound.actor
    stream = Stream(*path, "elsewhere")
    for name in stream.shuffled(options)[:MAX_FORBIDDEN_ELSEWHERE]:
        compiled = sandbox.goals[name]
        found = islice(attempts(sandbox, name, stream.bits() >> 1, {}), MAX_FORBIDDEN_TRIED)
        bounds = [a.bound for a in found if a.forbidden_by and a.bound.role == role]
        _undo_leg(sandbox, so_far, len(so_far.calls), role, actor)
        for bound in bounds:
            if compiled.actor is not None and bound.actor != actor:
                continue
            own = replace(bound, actor=actor)
            then = stream.pick(describer.list_ways(compiled.goal.then))
            told = word_request(
                sandbox, describer, then, own.rows, own.said, len(legs), _map_names(sandbox, legs, so_far)
            )
            if told is None or not means_one(sandbox, name, then, own.rows, own.said):
                continue
            calls, rules = _try_forbidden(sandbox, own, so_far, path)
            if len(rules) == 1:
                return ForbiddenPart(own, told, rules[0], calls)
    return None


def _try_forbidden(
    sandbox: Sandbox, bound: BoundGoal, so_far: WitnessRun, path: tuple[Any, ...]
) -> tuple[tuple[Call, ...], tuple[str, ...]]:
    """Carry a goal out after the walk, with all rules suspended. Returns the calls, and every rule that they break; the session is
    put back."""
    kept = len(so_far.calls)
    sandbox.session.suspend_rules()
    fine = perform(sandbox, bound, (*path, bound.goal), so_far)
    calls, plan = so_far.finish(sandbox.session).calls[kept:], so_far.plan[kept:]
    reached = fine and all(r.ok for r in so_far.results) and is_reached(sandbox, bound, so_far.made)
    rules = list_broken_rules(sandbox.session)
    _undo_leg(sandbox, so_far, kept, bound.role, bound.actor)
    free = list_open_places(sandbox, plan, map_said_values(sandbox, bound))
    return calls, rules if reached and not free else ()


def _undo_leg(sandbox: Sandbox, so_far: WitnessRun, kept: int, role: str, actor: str) -> None:
    """Undo a leg that led nowhere: play what stands again."""
    calls = so_far.calls[:kept]
    so_far.calls, so_far.results, so_far.made = [], [], []
    session = sandbox.start(role, actor)
    for call in calls:
        result, rows = make_call(session, Call(call.tool, fill_new(call.arguments, so_far.made)))
        so_far.calls.append(call)
        so_far.results.append(result)
        so_far.made.append(rows)


def _list_near_rows(sandbox: Sandbox, legs: Sequence[Leg]) -> list[RowKey]:
    """List rows that the walk has made or touched, then those related to what it was about."""
    schema = sandbox.schema
    uow = sandbox.session.unit_of_work()
    touched: list[RowKey] = [(c.entity, c.id) for c in sandbox.session.changes() if c.after is not None]
    given: list[RowKey] = [at for leg in legs for at in leg.bound.rows.values() if not isinstance(at[1], NewRow)]
    out = dict.fromkeys((*touched, *given))
    for entity, key in list(out):
        row = uow.row(entity, key)
        if row is None:
            continue
        position = sandbox.compiled.tables[entity].position
        for column in schema.entities[entity].refs:
            value = row.values[position[column.name]]
            if value is not None:
                out[column.type.entity, value] = None
        for way in schema.entities[entity].ways.values():
            for child in list(uow.children(way.entity, way.column, key))[:MAX_NEIGHBOURS]:
                out[way.entity, child.id] = None
    return list(out)


def _bind_givens(
    sandbox: Sandbox, name: str, near: Sequence[RowKey], path: tuple[Any, ...]
) -> dict[str, RowKey] | None:
    """Bind the givens of the next goal: the first from near by, the others from anywhere."""
    compiled = sandbox.goals[name]
    uow = sandbox.uow(*path, name, "given")
    rows: dict[str, RowKey] = {}
    for k, (variable, kind) in enumerate(compiled.goal.given.items()):
        test = compiled.where.get(variable)
        frame = sandbox.frame(uow, rows, {})
        pool: Sequence[RowKey] = [at for at in near if at[0] == kind.entity]
        if k > 0 and not pool:
            pool = [
                (kind.entity, r.id) for r in Stream(*path, name, variable).shuffled(sandbox.opening(kind.entity))[:200]
            ]
        for at in pool:
            row = uow.row(*at)
            if row is None or at in rows.values() or at in sandbox.reserved:
                continue
            if test is None or test(uow, {**frame, variable: row, "self": row}):
                rows[variable] = at
                break
        if variable not in rows:
            return None
    return rows


def _map_names(sandbox: Sandbox, legs: Sequence[Leg], so_far: WitnessRun) -> dict[RowKey, str]:
    """Map rows that the walk has made, or that were spoken of already, to what they are called."""
    out: dict[RowKey, str] = {}
    for rows in so_far.made:
        for entity, keys in rows.items():
            if len(keys) == 1 and sum(entity in r for r in so_far.made) == 1:
                out[entity, keys[0]] = f"the new {name_kind(sandbox, entity)}"
    references = [reference for leg in legs for reference in leg.words.references]
    spoken = dict.fromkeys((reference.entity, reference.id) for reference in references)
    beside = {entity for reference in references for entity in _list_named_entities(sandbox, reference)}
    for entity, key in spoken:
        if sum(other == entity for other, _ in spoken) == 1 and entity not in beside:
            out[entity, key] = f"the same {name_kind(sandbox, entity)}"
    return out


def _list_named_entities(sandbox: Sandbox, reference: Reference) -> Iterator[str]:
    """Yield entities whose rows are named to say which row is meant: after `the room that Ann Lee booked` there are two guests."""
    for path, _ in reference.facts:
        entity = reference.entity
        for step in path[:-1]:
            entity = sandbox.schema.entities[entity].columns[step].type.entity
            yield entity
