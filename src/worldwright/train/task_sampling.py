"""Choose the tasks of each step: tasks of many worlds in every batch, and more often those that can still teach something.

What a step samples depends on the seed, its number and the estimates so far, and on nothing else: a run that is resumed goes on
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
from worldwright.train.rollouts import WorldTask

ATTEMPT_DECAY = 0.8
"""Weight of earlier attempts each time that a task is tried again: the model has changed since."""
PRIOR_ATTEMPTS = 0.5
"""Weight of the prior, in attempts. Less than one: most tasks are nearly always solved, or nearly never."""
T = TypeVar("T")
SolveEstimates = dict[str, tuple[float, float]]
"""Decayed numbers of successes and of attempts, by name of the task."""


def load_tasks(
    gyms: Iterable[str], patterns: Sequence[str] = (), max_calls: int = 0, face: str = "plain"
) -> list[WorldTask]:
    """Open gyms and list the tasks that are asked for, without those that a contamination check dropped."""
    tasks: list[WorldTask] = []
    for ref in gyms:
        gym = open_gym(ref)
        for variant in gym.variants:
            world = gym.world(variant)
            dropped = results.load_dropped_tasks(world.digest)
            tasks += [
                WorldTask(world, variant, task.id) for task in world.tasks
                if task.id not in dropped
                and (not patterns or any(fnmatchcase(task.id, pattern) for pattern in patterns))
                and (not max_calls or len(world.key(task.id).calls) <= max_calls)
                and (not face.endswith("asking") or task.turns)
            ]  # fmt: skip
    if not tasks:
        named = f" named {', '.join(patterns)}" if patterns else ""
        limit = f" with at most {max_calls} calls" if max_calls else ""
        raise UsageError(f"{', '.join(gyms)}: there is no task{named}{limit} to train on")
    return tasks


def load_gate_estimates(tasks: Iterable[WorldTask]) -> SolveEstimates:
    """Load what the last gate of each world counted, as the first estimates."""
    estimates: SolveEstimates = {}
    for task in tasks:
        gated = results.load_latest(task.world.digest)
        if gated is not None and (count := gated.count(task.task_id)).n:
            estimates[task.name] = (float(count.successes), float(count.n))
    return estimates


def update_estimates(estimates: SolveEstimates, outcomes: Iterable[tuple[WorldTask, float | None]]) -> SolveEstimates:
    """Return the estimates after some more episodes. An episode without a reward is no attempt."""
    rewards_by_task: dict[str, list[float]] = {}
    for task, reward in outcomes:
        if reward is not None:
            rewards_by_task.setdefault(task.name, []).append(reward)
    updated = dict(estimates)
    for name, rewards in rewards_by_task.items():
        successes, attempts = updated.get(name, (0.0, 0.0))
        updated[name] = (successes * ATTEMPT_DECAY + sum(rewards), attempts * ATTEMPT_DECAY + len(rewards))
    return updated


def estimate_reward_variance(successes: float, attempts: float, prior_rate: float = 0.5) -> float:
    """Estimate the variance p (1 - p) of a task's reward, with `prior_rate` as p of a task that was never tried.

    Where few tasks are solved, one that failed in sixteen attempts is worth about a hundredth of one that was solved in four of
    them. Not nothing: models learn."""
    a = successes + PRIOR_ATTEMPTS * prior_rate
    b = attempts - successes + PRIOR_ATTEMPTS * (1 - prior_rate)
    return a * b / ((a + b) * (a + b + 1))


def compute_mean_solve_rate(estimates: Mapping[str, tuple[float, float]]) -> float:
    """Compute how often tasks are solved, each counted once; one half before anything is known."""
    rates = [successes / attempts for successes, attempts in estimates.values() if attempts]
    return (sum(rates) + 0.5) / (len(rates) + 1)


def sample_evenly(items: Sequence[T], number: int, step: int, seed: int, name: str) -> list[T]:
    """Sample the items of a step so that all come equally often: the whole list is shuffled anew in each epoch."""
    sampled = []
    shuffled: dict[int, list[T]] = {}
    for at in range(step * number, (step + 1) * number):
        epoch, position = divmod(at, len(items))
        if epoch not in shuffled:
            shuffled[epoch] = Stream(name, seed, epoch).shuffled(items)
        sampled.append(shuffled[epoch][position])
    return sampled


def sample_tasks_evenly(tasks: Sequence[WorldTask], number: int, step: int, seed: int) -> list[WorldTask]:
    """Sample the tasks of a step so that all worlds, and within a world all tasks, come equally often.

    Worlds take turns, so that a batch has tasks of many of them.
    """
    by_world: dict[str, list[WorldTask]] = {}
    for task in tasks:
        by_world.setdefault(task.world.digest, []).append(task)
    worlds = list(by_world)
    sampled: list[WorldTask] = []
    for at in range(step * number, (step + 1) * number):
        turn, position = divmod(at, len(worlds))
        world = Stream("worlds", seed, turn).shuffled(worlds)[position]
        sampled += sample_evenly(by_world[world], 1, turn, seed, f"tasks of {world}")
    return sampled


def sample_tasks_by_variance(
    tasks: Sequence[WorldTask], estimates: Mapping[str, tuple[float, float]], number: int, step: int, seed: int
) -> list[WorldTask]:
    """Sample tasks by the expected variance of their rewards; none twice before all were sampled.

    A task that was never tried is expected to be like the others."""
    stream = Stream("band", seed, step)
    prior_rate = compute_mean_solve_rate(estimates)
    weights = [estimate_reward_variance(*estimates.get(task.name, (0.0, 0.0)), prior_rate) for task in tasks]
    left: list[int] = []
    sampled: list[WorldTask] = []
    for _ in range(number):
        left = left or list(range(len(tasks)))
        at = stream.weighted(left, [weights[one] for one in left])
        left.remove(at)
        sampled.append(tasks[at])
    return sampled
