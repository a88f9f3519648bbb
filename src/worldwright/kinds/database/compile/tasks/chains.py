"""Walks of several goals: a weighted walk over the tool graph, each goal starting from what the one before made or touched.

The next goal is drawn by the weight of the edge between the last tool of one and the first of the other (strong 3, weak 2,
independent 1), among those whose givens can be filled from where the walk stands. Where none can, a request goes on with something
else, as people's do. All goals must still hold at the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from worldwright.blueprint.toolgraph import INDEPENDENT
from worldwright.core.rng import Stream
from worldwright.kinds.database.compile.tasks.accept import Dropped
from worldwright.kinds.database.compile.tasks.asking import means_one, word_request
from worldwright.kinds.database.compile.tasks.candidates import TOO_EASY, Candidate, make_done
from worldwright.kinds.database.compile.tasks.describe import Describer
from worldwright.kinds.database.compile.tasks.forbidden_parts import find_forbidden
from worldwright.kinds.database.compile.tasks.instances import BoundGoal, RowKey, attempts, perform
from worldwright.kinds.database.compile.tasks.knobs import MAX_TASKS
from worldwright.kinds.database.compile.tasks.legs import Leg, Tried, Walk
from worldwright.kinds.database.compile.tasks.sandbox import Sandbox

MAX_CHAINS = 40
"""Walks of several goals in one world."""
MAX_STARTS = 7
"""Bindings of each goal that walks start from: the first while there is room for tasks, the others where too few are hard."""
MIN_CHAINS = 14
"""Walks that are looked for, hard or not."""
HARD_CALLS = 10
"""Calls from which on a task counts as hard."""
WANTED_HARD = 13
"""Hard tasks that are looked for: a fifth of the tasks of a world, and one that may be dropped."""
MAX_GOALS_ELSEWHERE = 4
"""Goals that are looked at where a request goes on with something else."""
IF_PART_FORBIDDEN = (
    "Where a rule of the handbook stands in the way of one of these, leave all of that one, do the others, and tell me the rule.",
    "If our handbook forbids one of these things, do nothing of that one and all of the others, and name the rule to me.",
    "Go by the handbook: what it forbids in any step stays undone as a whole, the others go ahead, and I need to know the rule.",
)
SHORT = 2
"""Goals of a walk that is not meant to be long."""
WANTED_CALLS = (0, 14, 15, 15, 16, 16)
"""Calls that walks are made for, as likely each; 0 for a short one."""
FORBIDDEN_SHARE = 0.7
"""Of the walks, how many look for a part that a rule forbids."""


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
    able: Mapping[str, int] | None = None,
    kept: Sequence[Candidate] = (),
) -> Iterator[Candidate | Dropped]:
    """Yield walks of two and more goals, each sequence of goals once, from these goals on in their order.

    `able` are the goals that made a task of their own, and its calls; it is looked at when the walks begin. `kept` are the
    candidates that became tasks; it is looked at after every walk."""
    shapes: set[tuple[str, ...]] = set()
    short = 0
    tried = Tried(sandbox, seed, able)
    starts = {
        name: _list_starts(sandbox, name, seed, damaged)
        for name in Stream(seed, "chains", "starts").shuffled(names)
        if sandbox.goals[name].goal.how and not sandbox.goals[name].weighs_rules and (able is None or name in able)
    }
    for turn in range(MAX_STARTS):
        for name, waiting in starts.items():
            hard = sum(len(candidate.calls) >= HARD_CALLS for candidate in kept)
            full = turn > 0 or len(kept) >= MAX_TASKS
            if len(shapes) >= MAX_CHAINS or (full and hard >= WANTED_HARD and len(shapes) + short >= MIN_CHAINS):
                return
            k, first = next(waiting, (0, None))
            walk = None if first is None else _begin_walk(sandbox, describer, tried, first, (seed, "chain", name, k))
            least = HARD_CALLS if len(kept) >= MAX_TASKS else 0
            found = None if walk is None else _walk(walk, shapes, longest, weights, turn > 0, least)
            if found is None:
                continue
            short += isinstance(found, Dropped) and found.reason == TOO_EASY
            if isinstance(found, Candidate):
                shapes.add(found.shape)
                tried.used |= {at for bound in found.bounds for at in bound.rows.values()}
            yield found


def _list_starts(
    sandbox: Sandbox, name: str, seed: int, damaged: Mapping[str, Sequence[RowKey]]
) -> Iterator[tuple[int, BoundGoal]]:
    """Yield bindings of a goal that can be carried out, with their numbers."""
    for k, attempt in enumerate(attempts(sandbox, name, Stream(seed, "chains").bits() >> 1, damaged)):
        if attempt.clean:
            yield k, attempt.bound


def _begin_walk(
    sandbox: Sandbox, describer: Describer, tried: Tried, first: BoundGoal, path: tuple[Any, ...]
) -> Walk | None:
    """Put the first goal into words and carry it out; None where that cannot be done."""
    sandbox.start(first.role, first.actor)
    goal = sandbox.goals[first.goal].goal
    ask = Stream(*path).pick(describer.list_ways(goal.asks))
    words = word_request(sandbox, describer, ask, first.rows, first.said, path[-1], goal=goal)
    if words is None or not means_one(sandbox, first.goal, ask, first.rows, first.said):
        return None
    walk = Walk(sandbox, describer, tried, path, [Leg(first, words)])
    fine = perform(sandbox, first, (*path, 0), walk.so_far) and all(r.ok for r in walk.so_far.results)
    return walk if fine else None


def _walk(
    walk: Walk, shapes: set[tuple[str, ...]], longest: int, weights: Weights, long: bool, least: int
) -> Candidate | Dropped | None:
    path, stream = walk.path, Stream(*walk.path, "goals")
    wanted = Stream(*path, "wanted").pick(WANTED_CALLS[long:]) if longest > SHORT else 0
    while len(walk.legs) < (longest if wanted else SHORT) and not 0 < wanted <= walk.estimate_calls():
        if not (_go_on_near(walk, stream, shapes, weights) or (wanted and _go_on_elsewhere(walk, stream))):
            break
    forbidden = None
    if Stream(*path, "forbidden").chance(FORBIDDEN_SHARE):
        forbidden = find_forbidden(walk, (*path, "forbidden"), shapes)
    if forbidden is None and len(walk.legs) < 2 and not _go_on_near(walk, stream, shapes, weights):
        return None
    shape = ("chain", *walk.goals, *(() if forbidden is None else (forbidden.bound.goal, forbidden.rule)))
    asks = tuple(leg.words for leg in walk.legs)
    bounds = [leg.bound for leg in walk.legs]
    closing = (Stream(*path, "closing").pick(IF_PART_FORBIDDEN),)
    return make_done(
        walk.sandbox, "walk", shape, bounds, walk.so_far.plan, asks, path, closing, record=True, forbidden=forbidden,
        least=least,
    )  # fmt: skip


def _go_on_near(walk: Walk, stream: Stream, shapes: set[tuple[str, ...]], weights: Weights) -> bool:
    """Go on with a goal about what is near, and carry it out; False where none follows."""
    last = walk.so_far.calls[-1].tool
    options = [
        (name, weights.get((last, walk.sandbox.goals[name].goal.how[0].operation), INDEPENDENT))
        for name in walk.list_following()
        if ("chain", *walk.goals, name) not in shapes
    ]
    near = walk.list_near_rows()
    while options:
        choice = stream.weighted(options, [w for _, w in options])
        options.remove(choice)
        leg = walk.bind_near(choice[0], near, (*walk.path, len(walk.legs)))
        if leg is not None and walk.follow(leg):
            return True
    return False


def _go_on_elsewhere(walk: Walk, stream: Stream) -> bool:
    """Go on with a goal about something else; False where none can be carried out as well."""
    for name in stream.shuffled(walk.list_following())[:MAX_GOALS_ELSEWHERE]:
        for leg in walk.bind_elsewhere(name, stream):
            if walk.follow(leg):
                return True
    return False
