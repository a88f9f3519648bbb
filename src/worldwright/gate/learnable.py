"""How much an agent can learn from a task, as figures that depend on the agent.

From k successes in n attempts:

- p = k / n, with its exact interval (Clopper-Pearson).
- p (1 - p): the variance of the reward. A group of attempts that all end alike moves a policy nowhere; this is 0 where p is 0 or 1,
  and 0.25 at most. Its interval is what p (1 - p) can be while p stays in its own interval.
- exp(-b (p - a)^2): the score of GenEnv (Guo et al., arXiv:2512.19682, the curriculum reward of its environment), which wants tasks
  that succeed about as often as `a` says. With b = 10 it is 1 at p = 0.5, 0.67 at 0.3 or 0.7, and 0.08 at 0 or 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from worldwright.core.intervals import binomial_interval

A, B = 0.5, 10.0
CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Learnable:
    """The figures of one task and one agent. All but the counts are None where nothing was tried."""

    successes: int
    n: int
    p: float | None
    p_interval: tuple[float, float]
    variance: float | None
    """p (1 - p)"""
    variance_interval: tuple[float, float]
    score: float | None
    """exp(-b (p - a)^2)"""

    def data(self) -> dict[str, Any]:
        return {
            "successes": self.successes,
            "n": self.n,
            "p": _round(self.p),
            "p_interval": [_round(x) for x in self.p_interval],
            "variance": _round(self.variance),
            "variance_interval": [_round(x) for x in self.variance_interval],
            "score": _round(self.score),
        }


def learnable(successes: int, n: int, a: float = A, b: float = B, level: float = CONFIDENCE) -> Learnable:
    interval = binomial_interval(successes, n, level)
    spread = compute_variance_interval(interval)
    if not n:
        return Learnable(0, 0, None, interval, None, spread, None)
    p = successes / n
    return Learnable(successes, n, p, interval, p * (1 - p), spread, genenv_score(p, a, b))


def compute_variance_interval(interval: tuple[float, float]) -> tuple[float, float]:
    """Compute what p (1 - p) can be while p stays in an interval."""
    low, high = interval
    ends = (low * (1 - low), high * (1 - high))
    return min(ends), 0.25 if low <= 0.5 <= high else max(ends)


def genenv_score(p: float, a: float = A, b: float = B) -> float:
    return math.exp(-b * (p - a) ** 2)


def _round(x: float | None) -> float | None:
    """Round to six digits: more would only be noise."""
    return None if x is None else round(x, 6)
