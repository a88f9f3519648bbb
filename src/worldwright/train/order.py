"""Which tasks are tried in which step: tasks of many worlds in every batch, and those more often from which there is something
to learn.

What a step draws depends on the seed, its number and the estimates so far, and on nothing else: a run that is resumed goes on
as it would have.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import TypeVar

from worldwright.core.errors import UsageError
from worldwright.core.rng import Stream
from worldwright.gate import results
from worldwright.store.open import open_gym
from worldwright.train.rollouts import Place

FADES = 0.8
"""What an earlier attempt still counts when a task is tried again: the model has changed since."""
PRIOR = 0.5
"""Attempts that what is known of other tasks counts for. Less than one: most tasks are nearly always solved, or nearly never."""
T = TypeVar("T")
Seen = dict[str, tuple[float, float]]
"""By place, successes and attempts, both fading."""


def places_of(
    gyms: Iterable[str], patterns: Sequence[str] = (), most_calls: int = 0, face: str = "plain"
) -> list[Place]:
    """Every task of the gyms that is asked for, in order; without those that a benchmark has as well."""
    out: list[Place] = []
    for ref in gyms:
        gym = open_gym(ref)
        for variant in gym.variants:
            world = gym.world(variant)
            without = results.dropped_tasks(world.digest)
            out += [
                Place(world, variant, task.id) for task in world.tasks
                if task.id not in without
                and (not patterns or any(fnmatchcase(task.id, pattern) for pattern in patterns))
                and (not most_calls or len(world.key(task.id).calls) <= most_calls)
                and (not face.endswith("asking") or task.turns)
            ]  # fmt: skip
    if not out:
        asked = f" named {', '.join(patterns)}" if patterns else ""
        limit = f" with at most {most_calls} calls" if most_calls else ""
        raise UsageError(f"{', '.join(gyms)}: there is no task{asked}{limit} to train on")
    return out


def gate_estimates(places: Iterable[Place]) -> Seen:
    """What the last gate of each world counted, as a start."""
    out: Seen = {}
    for place in places:
        gated = results.load_latest(place.world.digest)
        if gated is not None and (count := gated.count(place.task)).n:
            out[place.name] = (float(count.successes), float(count.n))
    return out


def noted(seen: Seen, outcomes: Iterable[tuple[Place, float | None]]) -> Seen:
    """The estimates after some more episodes. What has no reward was no attempt."""
    fresh: dict[str, list[float]] = {}
    for place, reward in outcomes:
        if reward is not None:
            fresh.setdefault(place.name, []).append(reward)
    out = dict(seen)
    for name, rewards in fresh.items():
        won, tried = out.get(name, (0.0, 0.0))
        out[name] = (won * FADES + sum(rewards), tried * FADES + len(rewards))
    return out


def spread(won: float, tried: float, usual: float = 0.5) -> float:
    """The variance of the reward to expect of a task, p (1 - p), where other tasks have `usual` for p.

    Where few tasks are solved, one that failed in sixteen attempts is worth about a hundredth of one that was solved in four of
    them. Not nothing: models learn."""
    a, b = won + PRIOR * usual, tried - won + PRIOR * (1 - usual)
    return a * b / ((a + b) * (a + b + 1))


def usual_rate(seen: Mapping[str, tuple[float, float]]) -> float:
    """How often tasks are solved, each counted once; half and half before anything is known."""
    rates = [won / tried for won, tried in seen.values() if tried]
    return (sum(rates) + 0.5) / (len(rates) + 1)


def even(items: Sequence[T], number: int, step: int, seed: int, name: str) -> list[T]:
    """The items of a step where all come equally often: the whole list is shuffled anew each time round."""
    out = []
    shuffled: dict[int, list[T]] = {}
    for at in range(step * number, (step + 1) * number):
        turn, place = divmod(at, len(items))
        if turn not in shuffled:
            shuffled[turn] = Stream(name, seed, turn).shuffled(items)
        out.append(shuffled[turn][place])
    return out


def even_places(places: Sequence[Place], number: int, step: int, seed: int) -> list[Place]:
    """The same for tasks.

    Worlds take turns, so that a batch is of many of them, and each deals its tasks in an order of its own.
    """
    worlds: dict[str, list[Place]] = {}
    for place in places:
        worlds.setdefault(place.world.digest, []).append(place)
    names = list(worlds)
    out: list[Place] = []
    for at in range(step * number, (step + 1) * number):
        turn, place_in_turn = divmod(at, len(names))
        name = Stream("worlds", seed, turn).shuffled(names)[place_in_turn]
        out += even(worlds[name], 1, turn, seed, f"tasks of {name}")
    return out


def likely(
    places: Sequence[Place], seen: Mapping[str, tuple[float, float]], number: int, step: int, seed: int
) -> list[Place]:
    """Tasks drawn by how much their episodes are expected to differ; none twice before all were drawn.

    What was never tried is taken for a task like the others."""
    stream = Stream("band", seed, step)
    usual = usual_rate(seen)
    worth = [spread(*seen.get(place.name, (0.0, 0.0)), usual) for place in places]
    left: list[int] = []
    out: list[Place] = []
    for _ in range(number):
        left = left or list(range(len(places)))
        drawn = stream.weighted(left, [worth[at] for at in left])
        left.remove(drawn)
        out.append(places[drawn])
    return out
