"""Seeded randomness by path.

A stream is named by where it is used (`("state", "vendor", 17, "name")`), never by when. So adding a field or an entity
draws from new streams and leaves every other value as it was. Only integer arithmetic and IEEE-exact float operations
are used: the same seed gives the same values on every machine and every Python.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from math import ldexp
from typing import TypeVar

T = TypeVar("T")

_MASK = (1 << 64) - 1
_LN2 = 0.6931471805599453


class Stream:
    """A small deterministic generator (SplitMix64) seeded by a path."""

    __slots__ = ("_state",)

    def __init__(self, *path: str | int) -> None:
        name = "\x1f".join(map(str, path)).encode()
        self._state = int.from_bytes(blake2b(name, digest_size=8).digest(), "big")

    def branch(self, salt: int) -> Stream:
        """The stream of a part of what this one is for; `salt` names the part. This stream itself does not move."""
        out = Stream.__new__(Stream)
        out._state = ((self._state ^ salt & _MASK) * 0xD1342543DE82EF95 + 1) & _MASK
        return out

    def bits(self) -> int:
        """The next 64 random bits."""
        self._state = z = (self._state + 0x9E3779B97F4A7C15) & _MASK
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
        return z ^ (z >> 31)

    def uniform(self) -> float:
        """Draw a float in [0, 1)."""
        return (self.bits() >> 11) * (1.0 / (1 << 53))

    def below(self, n: int) -> int:
        """Draw an integer in [0, n). The bias is below n / 2**64."""
        return (self.bits() * n) >> 64

    def between(self, low: int, high: int) -> int:
        """Draw an integer in [low, high]; the bounds may come in either order."""
        if high < low:
            low, high = high, low
        return low + self.below(high - low + 1)

    def chance(self, p: float) -> bool:
        return self.uniform() < p

    def pick(self, items: Sequence[T]) -> T:
        return items[self.below(len(items))]

    def weighted(self, items: Sequence[T], weights: Sequence[float]) -> T:
        """Draw one of `items`, as often as its weight says."""
        point = self.uniform() * sum(weights)
        for item, weight in zip(items, weights, strict=True):
            point -= weight
            if point < 0:
                return item
        return items[-1]

    def favourite(self, items: Sequence[T]) -> T:
        """Draw one of `items`, the first ones far more often (about half the draws fall on the first fifth)."""
        u = self.uniform()
        return items[int(len(items) * u * u * (0.5 + 0.5 * u))]

    def skewed(self, low: int, high: int) -> int:
        """Draw an integer in [low, high], small values more often."""
        if high < low:
            low, high = high, low
        u = self.uniform()
        return low + int((high - low + 1) * u * u)

    def normal(self) -> float:
        """A standard normal value, as the sum of twelve uniforms (exact additions, tails cut at six sigma)."""
        total = 0.0
        for _ in range(12):
            total += self.uniform()
        return total - 6.0

    def lognormal(self, median: float, sigma: float) -> float:
        return median * exp(sigma * self.normal())

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """Return the items in a drawn order."""
        out = list(items)
        for i in range(len(out) - 1, 0, -1):
            j = self.below(i + 1)
            out[i], out[j] = out[j], out[i]
        return out


def exp(x: float) -> float:
    """Compute e**x from exact operations only, because libm may differ in the last bit from machine to machine."""
    k = int(x / _LN2 + (0.5 if x >= 0 else -0.5))
    r = x - k * _LN2
    term = total = 1.0
    for n in range(1, 18):
        term = term * r / n
        total += term
    return ldexp(total, k)
