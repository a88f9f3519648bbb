"""Intervals for a share that was counted: k of n. No dependency; the Beta distribution is computed here.

`binomial_interval` (Clopper and Pearson, 1934) is exact: it covers the true share at least as often as it says, whatever the share
and however few the trials. `wilson` (Wilson, 1927) is narrower and covers about as often as it says on average: for tables with
many rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from statistics import NormalDist

_TINY = 1e-300
_STEPS = 100_000
"""More than enough: the fraction converges in about sqrt(a + b) steps, and a million trials need a few thousand."""


@lru_cache(maxsize=4096)
def binomial_interval(successes: int, n: int, level: float = 0.95) -> tuple[float, float]:
    """Compute where the true share lies, exactly (Clopper-Pearson): 2 of 5 is 5 to 85 percent."""
    _check(successes, n, level)
    if n == 0:
        return 0.0, 1.0
    tail = (1 - level) / 2
    low = 0.0 if successes == 0 else beta_quantile(tail, successes, n - successes + 1)
    high = 1.0 if successes == n else beta_quantile(1 - tail, successes + 1, n - successes)
    return low, high


def wilson_interval(successes: float, n: float, level: float = 0.95) -> tuple[float, float]:
    """Compute where the true share lies, about (Wilson's score interval)."""
    _check(successes, n, level)
    if n == 0:
        return 0.0, 1.0
    z = NormalDist().inv_cdf((1 + level) / 2)
    share, spread = successes / n, z * z / n
    middle = (share + spread / 2) / (1 + spread)
    half = z / (1 + spread) * math.sqrt(share * (1 - share) / n + spread / (4 * n))
    low = 0.0 if successes == 0 else max(0.0, middle - half)
    high = 1.0 if successes == n else min(1.0, middle + half)
    return low, high


def beta_cdf(x: float, a: float, b: float) -> float:
    """Compute how much of Beta(a, b) lies below x: the regularised incomplete beta function."""
    if a <= 0 or b <= 0:
        raise ValueError(f"Beta({a}, {b}) is no distribution: both have to be above 0")
    if x <= 0:
        return 0.0
    if x >= 1:
        return 1.0
    log_front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    front = math.exp(log_front)
    # The fraction converges fast on the left of the mean; on the right, the mirror image is on its left.
    if x < (a + 1) / (a + b + 2):
        return min(1.0, front * _fraction(x, a, b) / a)
    return max(0.0, 1 - front * _fraction(1 - x, b, a) / b)


def beta_quantile(q: float, a: float, b: float) -> float:
    """Below which x a share q of Beta(a, b) lies."""
    if not 0 <= q <= 1:
        raise ValueError(f"{q} is no share")
    return _bisect(lambda x: beta_cdf(x, a, b), q)


def _bisect(rising: Callable[[float], float], wanted: float) -> float:
    """Find where a rising function of 0 to 1 reaches a value, to the last bit that halving can tell."""
    low, high = 0.0, 1.0
    while True:
        middle = (low + high) / 2
        if middle in (low, high) or high - low < 1e-15:
            return middle
        if rising(middle) < wanted:
            low = middle
        else:
            high = middle


def _fraction(x: float, a: float, b: float) -> float:
    """The continued fraction of the incomplete beta function, by Lentz's method."""
    c, d = 1.0, _avoid_zero(1 - (a + b) * x / (a + 1))
    d = 1 / d
    out = d
    for m in range(1, _STEPS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        d, c = 1 / _avoid_zero(1 + even * d), _avoid_zero(1 + even / c)
        out *= d * c
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        d, c = 1 / _avoid_zero(1 + odd * d), _avoid_zero(1 + odd / c)
        out *= d * c
        if abs(d * c - 1) < 1e-15:
            break
    return out


def _avoid_zero(value: float) -> float:
    """Keep a value from being so near to zero that dividing by it overflows."""
    return value if abs(value) > _TINY else _TINY


def _check(successes: float, n: float, level: float) -> None:
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} of {n} is no count of successes")
    if not 0 < level < 1:
        raise ValueError(f"a level lies between 0 and 1, not at {level}")
