"""Which domains of the catalogue tests build: every day one that is always the same and one that changes with every commit.

With WORLDWRIGHT_EFFORT=full, as in CI, it is four that change with every commit. All of them:
`worldwright catalog build`, or these tests with WORLDWRIGHT_CATALOGUE=all.
"""

from __future__ import annotations

import os

from tests.effort import FULL, count_commits

from worldwright import catalogue

CORE = ("enterprise_procurement", "hotel_booking", "retail_returns")
"""Worlds that tests of the compiler, the engine and the proof look at."""
FULL_TURN = 4
"""Domains whose turn it is, where everything is tried."""


def _take_turns(number: int) -> tuple[str, ...]:
    names = catalogue.names()
    if os.environ.get("WORLDWRIGHT_CATALOGUE") == "all":
        return names
    start = count_commits() * number
    return tuple(dict.fromkeys((CORE[0], *(names[(start + k) % len(names)] for k in range(number)))))


CHOSEN = _take_turns(FULL_TURN if FULL else 1)
