"""The band of success in which an agent can learn from a task, and on which side of it a task lies.

The band is counted: 2 to 4 of 5 attempts. A task that was tried another number of times is judged by where its share probably lies:
the borders then stand half an attempt outside the counts (0.3 and 0.9), and the share has the posterior of Jeffreys' prior,
Beta(k + 1/2, n - k + 1/2). With as many attempts as the band counts, both ways give the same label (a test holds them to it).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from worldwright.core.errors import UsageError
from worldwright.core.intervals import beta_cdf

KEPT, TOO_EASY, TOO_HARD, UNDECIDED = "kept", "too_easy", "too_hard", "undecided"
LABELS = (KEPT, TOO_EASY, TOO_HARD, UNDECIDED)
_BAND = re.compile(r"(\d{1,6})-(\d{1,6})\Z")


@dataclass(frozen=True, slots=True)
class Band:
    """From `low` to `high` successes of `runs` attempts."""

    low: int = 2
    high: int = 4
    runs: int = 5

    def __str__(self) -> str:
        return f"{self.low} to {self.high} of {self.runs}"

    @property
    def borders(self) -> tuple[float, float]:
        """The band as shares: half an attempt outside the counts, and never outside of 0 to 1."""
        return max(0.0, (self.low - 0.5) / self.runs), min(1.0, (self.high + 0.5) / self.runs)


def read_band(text: str, runs: int) -> Band:
    """Read `2-4` of so many runs."""
    found = _BAND.match(text.strip())
    if found is None:
        raise UsageError(f"{text[:60]!r} is no band; write it as 2-4: from so many successes to so many")
    low, high = int(found[1]), int(found[2])
    if runs < 1 or not 0 <= low <= high <= runs:
        raise UsageError(f"a band of {low} to {high} successes does not fit {runs} attempts: 0 <= LOW <= HIGH <= RUNS")
    return Band(low, high, runs)


def label_by_count(successes: int, band: Band) -> str:
    """The label of a task that was tried as often as the band says."""
    if successes < band.low:
        return TOO_HARD
    return KEPT if successes <= band.high else TOO_EASY


def compute_label_probabilities(successes: int, n: int, band: Band) -> dict[str, float]:
    """Compute how probable each label is after `successes` of `n`, whatever n is."""
    hard, easy = _tails(successes, n, *band.borders)
    return {KEPT: max(0.0, 1 - hard - easy), TOO_EASY: easy, TOO_HARD: hard}


def find_most_probable_label(successes: int, n: int, band: Band) -> tuple[str, float]:
    """Find the most probable label, and how probable it is. At a tie a task is kept."""
    found = compute_label_probabilities(successes, n, band)
    label = max(found, key=lambda name: found[name])
    return label, found[label]


@lru_cache(maxsize=65_536)
def _tails(successes: int, n: int, low: float, high: float) -> tuple[float, float]:
    a, b = successes + 0.5, n - successes + 0.5
    return beta_cdf(low, a, b), 1 - beta_cdf(high, a, b)
