"""Two agents on the same tasks: paired, with an exact test and an interval.

Each task says who is better on it: with one attempt of each that is McNemar's test, with several the sign test over tasks. The
difference of the rates has an interval from drawing tasks anew with replacement, by a seeded stream.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from math import comb
from typing import Any

from worldwright.rollout.stats import EpisodeStats, compare_rates, tally_tasks


@dataclass(frozen=True, slots=True)
class PairedComparison:
    """One agent against another, over the tasks that both were judged on."""

    one: str
    other: str
    tasks: int
    rate: float
    """Of the one, as a mean over tasks."""
    other_rate: float
    difference: float
    low: float
    high: float
    better: int
    worse: int
    p: float
    """The chance of such an uneven split of the tasks on which they differ, if both were alike. Two-sided, exact."""

    @property
    def clear(self) -> bool:
        """Whether interval and test agree that there is a difference."""
        return self.tasks > 0 and (self.low > 0 or self.high < 0) and self.p < 0.05

    def data(self) -> dict[str, Any]:
        return {**asdict(self), "clear": self.clear}


def compare_paired(
    one: str, rows: Iterable[EpisodeStats], other: str, others: Iterable[EpisodeStats]
) -> PairedComparison:
    mine, theirs = list(rows), list(others)
    found = compare_rates(mine, theirs)
    a, b = tally_tasks(mine), tally_tasks(theirs)
    common = [key for key in a if key in b]
    means = [sum(t[key].passed / t[key].judged for key in common) / max(1, len(common)) for t in (a, b)]
    return PairedComparison(
        one, other, found.tasks, means[0], means[1], found.value, found.low, found.high, found.better, found.worse,
        sign_test(found.better, found.worse),
    )  # fmt: skip


def sign_test(better: int, worse: int) -> float:
    """Compute the two-sided exact p-value: how probable a split at least as uneven is among so many fair coins."""
    n, least = better + worse, min(better, worse)
    return min(1.0, 2 * sum(comb(n, k) for k in range(least + 1)) / 2**n) if n else 1.0
