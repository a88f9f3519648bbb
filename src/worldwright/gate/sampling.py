"""Which attempts come next: the same number for every task, or more where the label is in doubt.

The adaptive way asks, for each task, what the next attempt could teach at best: by how much the probability of its likeliest label
would grow after a success, or after a failure, whichever is more. The task with the most to gain is tried next. This is the
optimistic knowledge gradient (Chen, Lin and Zhou, ICML 2013) with the three labels of the band. It leaves tasks alone that are
clear already, and does not spend everything on a task that lies on a border, as the greatest doubt alone would.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeVar

from worldwright.gate.band import Band, find_most_probable_label

T = TypeVar("T")
MIN_PROBABILITY = 0.95
"""A label that is this probable is decided, and nothing more is spent on its task."""
MIN_ATTEMPTS = 2
"""Attempts that every task gets before doubt decides."""
MIN_BATCH = 32
"""Attempts that are chosen together at least, so that they can be played side by side. The same for any number of workers."""


class Count(NamedTuple):
    """How a task has done so far."""

    successes: int = 0
    n: int = 0


def batch_of(tasks: int) -> int:
    """Attempts that are chosen together: half as many as there are tasks. More choose worse, fewer start workers too often."""
    return max(MIN_BATCH, tasks // 2)


def estimate_gain(count: Count, band: Band) -> float:
    """Estimate what one more attempt can add at best to the probability of the likeliest label."""
    now = find_most_probable_label(*count, band)[1]
    after = (
        find_most_probable_label(count.successes + 1, count.n + 1, band)[1],
        find_most_probable_label(count.successes, count.n + 1, band)[1],
    )
    return max(after) - now


def is_decided(count: Count, band: Band) -> bool:
    return find_most_probable_label(*count, band)[1] >= MIN_PROBABILITY


def choose(counts: Mapping[T, Count], band: Band, number: int) -> list[T]:
    """The tasks to try next, at most `number` of them, each once: those with the most to gain first. None where all are decided."""
    new = [key for key, count in counts.items() if count.n < MIN_ATTEMPTS]
    if new:
        return sorted(new, key=lambda key: counts[key].n)[:number]
    open_ = [
        (-estimate_gain(count, band), at, key)
        for at, (key, count) in enumerate(counts.items())
        if not is_decided(count, band)
    ]
    return [key for _, _, key in heapq.nsmallest(number, open_, key=lambda one: one[:2])]


def spread_evenly(keys: Sequence[T], runs: int) -> list[tuple[T, int]]:
    """List so many attempts for every task, counted from 1; first ones first, so that an early stop leaves all equally known."""
    return [(key, number) for number in range(1, runs + 1) for key in keys]
