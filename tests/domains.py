"""Which domains of the catalogue tests build: three that are always the same, and one that changes from commit to commit.

All of them at once: `worldwright catalog build`, or these tests with WORLDWRIGHT_EFFORT=full.
"""

from __future__ import annotations

from tests.effort import FULL, count_commits

from worldwright import catalogue

CORE = ("enterprise_procurement", "hotel_booking", "retail_returns")
"""Worlds that tests of the compiler, the engine and the proof look at."""
EACH_TIME = 1


def _chosen() -> tuple[str, ...]:
    names = catalogue.names()
    if FULL:
        return names
    start = count_commits() * EACH_TIME
    return tuple(dict.fromkeys((CORE[0], *(names[(start + k) % len(names)] for k in range(EACH_TIME)))))


CHOSEN = _chosen()
