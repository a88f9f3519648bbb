"""How evenly variants cover what may be combined: every pair of levels of two factors, and every level of one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from worldwright.variants.factors import Space
from worldwright.variants.record import Variant


@dataclass(frozen=True, slots=True)
class Coverage:
    """Pairs of levels that some variant has, out of all that there are; and of each factor, how often its levels occur."""

    pairs: int
    possible: int
    reachable: int
    """The most pairs that so many variants could have covered."""
    spread: dict[str, tuple[int, int]]
    """By factor, how often its rarest and its most frequent level occur."""

    @property
    def share(self) -> float:
        return self.pairs / self.possible if self.possible else 1.0


def measure_coverage(space: Space, variants: Sequence[Variant]) -> Coverage:
    """What a plan covers."""
    factors = space.factors
    rows = [space.levels(variant) for variant in variants]
    pairs = possible = reachable = 0
    for one, other in combinations(factors, 2):
        both = len(one.levels) * len(other.levels)
        pairs += len({(row[one.name], row[other.name]) for row in rows})
        possible += both
        reachable += min(both, len(rows))
    spread = {}
    for factor in factors:
        counts = Counter(row[factor.name] for row in rows)
        spread[factor.name] = (min(counts[level] for level in factor.levels), max(counts.values(), default=0))
    return Coverage(pairs, possible, reachable, spread)
