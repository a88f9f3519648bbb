"""How often a model solves tasks, counted in batches: pass@1 with an exact interval, by world and by family."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from worldwright.core.intervals import binomial_interval
from worldwright.train.metrics import figures
from worldwright.train.rollouts import Place, Played, Rolled

LEVEL = 0.95
Play = Callable[[Sequence[Place], int, float | None], Played]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What the episodes of an evaluation came to. Episodes without a verdict are in no rate."""

    rolled: tuple[Rolled, ...]
    seconds: float
    in_worlds: float

    @property
    def judged(self) -> tuple[Rolled, ...]:
        return tuple(one for one in self.rolled if one.reward is not None)

    @property
    def solved(self) -> float:
        return float(_rate(self.judged)["solved"])

    def data(self) -> dict[str, Any]:
        return {
            **_rate(self.judged),
            "no_verdict": len(self.rolled) - len(self.judged),
            "by_world": self._by(lambda one: one.episode.domain),
            "by_family": self._by(lambda one: one.episode.family),
            "figures": figures(self.rolled, list(range(len(self.rolled)))),
            "seconds": round(self.seconds, 3),
            "in_worlds": round(self.in_worlds, 3),
        }

    def _by(self, name: Callable[[Rolled], str]) -> dict[str, Any]:
        names = sorted({name(one) for one in self.judged})
        return {each: _rate([one for one in self.judged if name(one) == each]) for each in names}


def _rate(rolled: Sequence[Rolled]) -> dict[str, Any]:
    won, n = sum(one.reward == 1.0 for one in rolled), len(rolled)
    low, high = binomial_interval(won, n, LEVEL)
    return {"solved": won / n if n else 0.0, "interval": [round(low, 6), round(high, 6)], "passed": won, "episodes": n}


def evaluate(
    play: Play, places: Sequence[Place], attempts: int = 1, temperature: float = 0.0, seed: int = 0
) -> Evaluation:
    """Every task so many times. Temperature 0 always says what is likeliest, so one attempt says it all.

    The interval takes episodes for independent: with several attempts at each task it is too narrow for a claim about other
    tasks.
    """
    played = play([place for place in places for _ in range(attempts)], seed, temperature)
    return Evaluation(tuple(played.rolled), played.seconds, played.in_worlds)
