"""Walks of several goals: a weighted walk over the tool graph, each goal starting from what the one before made or touched.

The next goal is drawn by the weight of the edge between the last tool of one and the first of the other (strong 3, weak 2,
independent 1), among those whose givens can be filled from where the walk stands. All goals must still hold at the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from worldwright.blueprint.toolgraph import INDEPENDENT
from worldwright.core.rng import Stream
from worldwright.kinds.database.compile.tasks.accept import Dropped
from worldwright.kinds.database.compile.tasks.asking import WordedRequest, means_one, word_request
from worldwright.kinds.database.compile.tasks.candidates import Candidate, done
from worldwright.kinds.database.compile.tasks.describe import Describer, Reference, noun
from worldwright.kinds.database.compile.tasks.ground import Ground
from worldwright.kinds.database.compile.tasks.instances import At, Bound, Performance, attempts, holds, perform
from worldwright.kinds.database.compile.tasks.plans import New, filled, making, opened
from worldwright.world.records import Call

CHAINS = 14
"""Walks of several goals in one world."""
STARTS = 2
"""Bindings of each goal that walks start from."""
NEIGHBOURS = 12
"""Related rows looked at, for each row that the walk has touched."""
CONNECTORS = ("Then", "After that", "Once that is through,", "When that is done,", "And then")


@dataclass(frozen=True, slots=True)
class Leg:
    """One goal of a walk, with its words."""

    bound: Bound
    words: WordedRequest


Weights = Mapping[tuple[str, str], int]
"""The weight between two tools, where an edge between them was proven."""


def chained_goals(
    ground: Ground,
    describer: Describer,
    seed: int,
    damaged: Mapping[str, Sequence[At]],
    longest: int,
    weights: Weights,
    names: Sequence[str],
) -> Iterator[Candidate | Dropped]:
    """Walks of two and more goals, each sequence of goals once, from these goals on in their order."""
    shapes: set[tuple[str, ...]] = set()
    for name in (name for name in names if ground.goals[name].goal.how):
        starts = 0
        for k, attempt in enumerate(attempts(ground, name, seed, damaged)):
            if starts >= STARTS:
                break
            if not attempt.clean:
                continue
            starts += 1
            found = _walk(ground, describer, attempt.bound, (seed, "chain", name, k), shapes, longest, weights)
            if found is not None:
                if isinstance(found, Candidate):
                    shapes.add(found.shape)
                yield found
            if len(shapes) >= CHAINS:
                return


def _walk(
    ground: Ground,
    describer: Describer,
    first: Bound,
    path: tuple[Any, ...],
    shapes: set[tuple[str, ...]],
    longest: int,
    weights: Weights,
) -> Candidate | Dropped | None:
    stream = Stream(*path)
    ground.start(first.role, first.actor)
    opening = ground.goals[first.goal].goal
    ask = stream.pick(describer.ways(opening.asks))
    words_ = word_request(ground, describer, ask, first.rows, first.said, path[-1])
    if words_ is None or not means_one(ground, first.goal, ask, first.rows, first.said):
        return None
    so_far = Performance([], [], [])
    legs = [Leg(first, words_)]
    if not perform(ground, first, (*path, 0), so_far) or not all(r.ok for r in so_far.results):
        return None
    while len(legs) < longest:
        following = _next(ground, describer, legs, so_far, stream, (*path, len(legs)), shapes, weights)
        if following is None:
            break
        legs.append(following)
    if len(legs) < 2:
        return None
    shape = tuple(leg.bound.goal for leg in legs)
    asks = tuple(leg.words for leg in legs)
    return done(ground, "walk", ("chain", *shape), [leg.bound for leg in legs], so_far.plan, asks, path)


def _next(
    ground: Ground,
    describer: Describer,
    legs: Sequence[Leg],
    so_far: Performance,
    stream: Stream,
    path: tuple[Any, ...],
    shapes: set[tuple[str, ...]],
    weights: Weights,
) -> Leg | None:
    """The next goal of a walk, carried out; None where none follows."""
    role, actor = legs[0].bound.role, legs[0].bound.actor
    last = so_far.calls[-1].tool
    used = tuple(leg.bound.goal for leg in legs)
    options = [
        (name, weights.get((last, compiled.goal.how[0].operation), INDEPENDENT))
        for name, compiled in ground.goals.items()
        if name not in used and compiled.goal.then and compiled.goal.how and role in compiled.goal.roles
        and compiled.goal.given and ("chain", *used, name) not in shapes
    ]  # fmt: skip
    near = _near(ground, legs)
    while options:
        choice = stream.weighted(options, [w for _, w in options])
        options.remove(choice)
        found = _follow(ground, describer, choice[0], role, actor, near, legs, so_far, path)
        if found is not None:
            return found
    return None


def _follow(
    ground: Ground,
    describer: Describer,
    name: str,
    role: str,
    actor: str,
    near: Sequence[At],
    legs: Sequence[Leg],
    so_far: Performance,
    path: tuple[Any, ...],
) -> Leg | None:
    compiled = ground.goals[name]
    uow = ground.uow(*path, name)
    rows = _filled(ground, name, near, path)
    if rows is None:
        return None
    said: dict[str, Any] = {}
    for key, run in compiled.drawn.items():
        uow.stream = Stream(*path, name, "said", key)
        said[key] = run(uow, ground.frame(uow, rows, said))
    if any(v is None for v in said.values()):
        return None
    if compiled.actor is not None:
        person = compiled.actor(uow, ground.frame(uow, rows, said))
        if person is None or person.id != actor:
            return None
    bound = Bound(name, role, actor, {k: (e, opened(key, so_far.made)) for k, (e, key) in rows.items()}, said)
    if holds(ground, bound, so_far.made):
        return None
    then = Stream(*path, name, "then").pick(describer.ways(compiled.goal.then))
    told = word_request(ground, describer, then, rows, said, path[-1], _names(ground, legs, so_far))
    if told is None or not means_one(ground, name, then, rows, said):
        return None
    kept = len(so_far.calls)
    fine = perform(ground, bound, (*path, name), so_far) and len(so_far.calls) > kept
    bounds = (*(leg.bound for leg in legs), bound)
    if not (
        fine
        and all(r.ok for r in so_far.results)
        and not ground.session.violations()
        and all(holds(ground, b, so_far.made) for b in bounds)
    ):
        _back(ground, so_far, kept, role, actor)
        return None
    return Leg(bound, told)


def _back(ground: Ground, so_far: Performance, kept: int, role: str, actor: str) -> None:
    """Undo a leg that led nowhere: play what stands again."""
    calls = so_far.calls[:kept]
    so_far.calls, so_far.results, so_far.made = [], [], []
    session = ground.start(role, actor)
    for call in calls:
        result, rows = making(session, Call(call.tool, filled(call.arguments, so_far.made)))
        so_far.calls.append(call)
        so_far.results.append(result)
        so_far.made.append(rows)


def _near(ground: Ground, legs: Sequence[Leg]) -> list[At]:
    """Rows that the walk has made or touched, then those related to what it was about."""
    schema = ground.schema
    uow = ground.session.unit_of_work()
    touched: list[At] = [(c.entity, c.id) for c in ground.session.changes() if c.after is not None]
    given: list[At] = [at for leg in legs for at in leg.bound.rows.values() if not isinstance(at[1], New)]
    out = dict.fromkeys((*touched, *given))
    for entity, key in list(out):
        row = uow.row(entity, key)
        if row is None:
            continue
        position = ground.compiled.tables[entity].position
        for column in schema.entities[entity].refs:
            value = row.values[position[column.name]]
            if value is not None:
                out[column.type.entity, value] = None
        for way in schema.entities[entity].ways.values():
            for child in list(uow.children(way.entity, way.column, key))[:NEIGHBOURS]:
                out[way.entity, child.id] = None
    return list(out)


def _filled(ground: Ground, name: str, near: Sequence[At], path: tuple[Any, ...]) -> dict[str, At] | None:
    """Givens of the next goal: the first from near by, the others from anywhere."""
    compiled = ground.goals[name]
    uow = ground.uow(*path, name, "given")
    rows: dict[str, At] = {}
    for k, (variable, kind) in enumerate(compiled.goal.given.items()):
        test = compiled.where.get(variable)
        frame = ground.frame(uow, rows, {})
        pool: Sequence[At] = [at for at in near if at[0] == kind.entity]
        if k > 0 and not pool:
            pool = [
                (kind.entity, r.id) for r in Stream(*path, name, variable).shuffled(ground.opening(kind.entity))[:200]
            ]
        for at in pool:
            row = uow.row(*at)
            if row is None or at in rows.values():
                continue
            if test is None or test(uow, {**frame, variable: row, "self": row}):
                rows[variable] = at
                break
        if variable not in rows:
            return None
    return rows


def _names(ground: Ground, legs: Sequence[Leg], so_far: Performance) -> dict[At, str]:
    """What rows are called that the walk has made, or that were spoken of already."""
    out: dict[At, str] = {}
    for rows in so_far.made:
        for entity, keys in rows.items():
            if len(keys) == 1 and sum(entity in r for r in so_far.made) == 1:
                out[entity, keys[0]] = f"the new {noun(ground, entity)}"
    references = [reference for leg in legs for reference in leg.words.references]
    spoken = dict.fromkeys((reference.entity, reference.id) for reference in references)
    beside = {entity for reference in references for entity in _named_beside(ground, reference)}
    for entity, key in spoken:
        if sum(other == entity for other, _ in spoken) == 1 and entity not in beside:
            out[entity, key] = f"the same {noun(ground, entity)}"
    return out


def _named_beside(ground: Ground, reference: Reference) -> Iterator[str]:
    """Entities whose rows are named to say which row is meant: after `the room that Ann Lee booked` there are two guests."""
    for path, _ in reference.facts:
        entity = reference.entity
        for step in path[:-1]:
            entity = ground.schema.entities[entity].columns[step].type.entity
            yield entity
