"""Measure how often a model solves tasks, with an exact interval, and whether it is ready for GRPO."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from worldwright.core.intervals import binomial_interval
from worldwright.train.metrics import summarise_rollouts
from worldwright.train.rollouts import Rollout, RolloutBatch, WorldTask
from worldwright.train.settings import ReadinessSettings

CONFIDENCE = 0.95
Play = Callable[[Sequence[WorldTask], int, float | None], RolloutBatch]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The rollouts of an evaluation. Those without a verdict are in no rate."""

    rollouts: tuple[Rollout, ...]
    seconds: float
    world_seconds: float

    @property
    def judged(self) -> tuple[Rollout, ...]:
        return tuple(one for one in self.rollouts if one.reward is not None)

    @property
    def solved(self) -> float:
        return float(_compute_rate(self.judged)["solved"])

    @property
    def metrics(self) -> dict[str, float]:
        return summarise_rollouts(self.rollouts, list(range(len(self.rollouts))))

    def data(self) -> dict[str, Any]:
        return {
            **_compute_rate(self.judged),
            "no_verdict": len(self.rollouts) - len(self.judged),
            "by_world": self._rates_by(lambda one: one.episode.domain),
            "by_family": self._rates_by(lambda one: one.episode.family),
            "metrics": self.metrics,
            "seconds": round(self.seconds, 3),
            "world_seconds": round(self.world_seconds, 3),
        }

    def _rates_by(self, name: Callable[[Rollout], str]) -> dict[str, Any]:
        names = sorted({name(one) for one in self.judged})
        return {each: _compute_rate([one for one in self.judged if name(one) == each]) for each in names}


def _compute_rate(rollouts: Sequence[Rollout]) -> dict[str, Any]:
    passed, n = sum(one.reward == 1.0 for one in rollouts), len(rollouts)
    low, high = binomial_interval(passed, n, CONFIDENCE)
    interval = [round(low, 6), round(high, 6)]
    return {"solved": passed / n if n else 0.0, "interval": interval, "passed": passed, "episodes": n}


def evaluate(
    play: Play, tasks: Sequence[WorldTask], attempts: int = 1, temperature: float = 0.0, seed: int = 0
) -> Evaluation:
    """Play every task so many times. At temperature 0 generation is greedy, so one attempt is enough.

    The interval takes episodes for independent: with several attempts at each task it is too narrow for a claim about other
    tasks.
    """
    batch = play([task for task in tasks for _ in range(attempts)], seed, temperature)
    return Evaluation(tuple(batch.rollouts), batch.seconds, batch.world_seconds)


@dataclass(frozen=True, slots=True)
class Readiness:
    """Whether a model can learn from its own episodes: one that makes no calls, or never solves anything, cannot."""

    ready: bool
    well_formed: float
    """Share of turns that were readable calls of existing tools."""
    solved: float
    episodes: int
    reason: str
    """What is missing; empty where the model is ready."""

    def data(self) -> dict[str, Any]:
        return {
            "ready": self.ready, "well_formed": round(self.well_formed, 4), "solved": round(self.solved, 4),
            "episodes": self.episodes, "reason": self.reason,
        }  # fmt: skip


def check_readiness(evaluation: Evaluation, required: ReadinessSettings) -> Readiness:
    """Compare an evaluation with what GRPO needs to begin."""
    judged, solved = evaluation.judged, evaluation.solved
    well_formed = evaluation.metrics["well_formed"]
    missing = []
    if well_formed < required.min_well_formed:
        missing.append(f"{well_formed:.0%} of turns are well-formed calls, {required.min_well_formed:.0%} are required")
    if not any(one.reward == 1.0 for one in judged):
        missing.append(f"none of {len(judged)} episodes was solved: there is nothing to reinforce")
    elif solved < required.min_solved:
        missing.append(f"{solved:.1%} of episodes are solved, {required.min_solved:.1%} are required")
    return Readiness(not missing, well_formed, solved, len(judged), "; ".join(missing))
