"""Tasks of one goal: to be reached, repaired, or refused because of one rule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from worldwright.core.rng import Stream
from worldwright.kinds.database.compile.tasks.accept import Dropped, ending
from worldwright.kinds.database.compile.tasks.asking import WordedRequest, means_one, word_request
from worldwright.kinds.database.compile.tasks.candidates import Candidate, done, refused
from worldwright.kinds.database.compile.tasks.describe import Describer
from worldwright.kinds.database.compile.tasks.ground import Ground
from worldwright.kinds.database.compile.tasks.instances import At, Attempt, attempts
from worldwright.kinds.database.compile.tasks.naive import naive_plan
from worldwright.kinds.database.compile.tasks.variations import of_values

IF_FORBIDDEN = (
    "If a rule of the handbook stands in the way, leave everything as it is and tell me which one.",
    "Should our handbook forbid it, change nothing and name the rule to me.",
    "Go by the handbook: where it says no, do not touch anything and let me know which rule it is.",
)
REFUSALS = 2
"""Rules for whose sake one goal is refused: with more of them, refusing would be the better bet."""
MAX_SHORT_ATTEMPTS = 4
"""Witnesses of a single call that are passed over for one in which something has to be found first."""
PER_SHAPE = 1
"""Tasks of one shape: a second one would be a copy with other numbers."""


def single_goal(
    ground: Ground, describer: Describer, seed: int, damaged: Mapping[str, Sequence[At]], name: str
) -> Iterator[Candidate | Dropped]:
    """Tasks from one goal, a few of each shape."""
    taken: dict[tuple[str, ...], int] = {}
    tries: dict[tuple[str, ...], int] = {}
    for k, attempt in enumerate(attempts(ground, name, seed, damaged)):
        kind = ("done", name) if attempt.clean else ("refused", name, attempt.forbidden_by)
        if not (attempt.clean or attempt.forbidden_by) or taken.get(kind, 0) >= PER_SHAPE:
            continue
        if not attempt.clean and sum(k[0] == "refused" for k in taken) >= REFUSALS:
            continue
        found = task_of(ground, describer, attempt, kind, (seed, name, k))
        if isinstance(found, Candidate):
            short = len(found.calls) < 2 and bool(found.plan) and tries.get(kind, 0) < MAX_SHORT_ATTEMPTS
            tries[kind] = tries.get(kind, 0) + 1
            taken[kind] = taken.get(kind, 0) + (not short)
        yield found


def task_of(
    ground: Ground, describer: Describer, attempt: Attempt, kind: Sequence[str], seed: tuple[Any, ...]
) -> Candidate | Dropped:
    """The task that an attempt makes: to be carried out, or to be refused because of the one rule that forbids it."""
    goal = ground.goals[attempt.bound.goal].goal
    ground.start(attempt.bound.role, attempt.bound.actor)
    number = seed[-1]
    ways = describer.ways(goal.asks)
    ask = ways[number % len(ways)]
    words = word_request(ground, describer, ask, attempt.bound.rows, attempt.bound.said, number)
    if words is None or not means_one(ground, goal.name, ask, attempt.bound.rows, attempt.bound.said):
        return Dropped("not unique", goal.name)
    closing = _closing(attempt.bound.goal, seed)
    if attempt.clean:
        return _to_do(ground, attempt, kind, words, closing, seed)
    if _another_way(ground, attempt, seed):
        return Dropped("can be done another way", goal.name)
    return refused(
        ground, kind, attempt.bound, attempt.plan, attempt.played.made, attempt.forbidden_by, (words,), closing
    )


def _closing(goal: str, seed: tuple[Any, ...]) -> tuple[str, ...]:
    """Half of the requests say what to do where a rule forbids it, those that one forbids no more often than others: who reads
    the request alone does not know which it is."""
    stream = Stream(*seed, "closing", goal)
    return (stream.pick(IF_FORBIDDEN),) if stream.chance(0.5) else ()


def _to_do(
    ground: Ground,
    attempt: Attempt,
    kind: Sequence[str],
    words: WordedRequest,
    closing: Sequence[str],
    seed: tuple[Any, ...],
) -> Candidate | Dropped:
    """A goal that can be reached: a policy task where the handbook restricts how, and trying would go wrong."""
    goal = ground.goals[attempt.bound.goal].goal
    family = "repair" if goal.mends else "walk"
    found = done(ground, family, kind, (attempt.bound,), attempt.plan, (words,), seed, closing, record=True)
    if isinstance(found, Dropped) or not found.handbook:
        return found
    tried = ending(
        ground, found.bounds, naive_plan(ground, attempt.bound.role, attempt.bound.actor, found.plan, found.bounds)
    )
    if not tried.played.broken or family == "repair":
        return found
    return replace(found, family="policy", shape=(*kind, tried.played.broken[0]))


def _another_way(ground: Ground, attempt: Attempt, seed: tuple[Any, ...]) -> bool:
    """Whether some other choice reaches the goal without breaking a rule: then refusing would be wrong."""
    return any(
        ending(ground, (attempt.bound,), variation.plan).right
        for variation in of_values(ground, attempt.plan, seed, siblings=60)
        if variation.input is not None and variation.input.type.kind in ("ref", "enum", "bool")
    )
