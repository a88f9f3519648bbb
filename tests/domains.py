"""Which domains of the catalogue tests build: every day one that is always the same and one that changes with every commit.

With WORLDWRIGHT_EFFORT=full, as in CI, it is all of them; what takes long for each is then done for a few that change with every
commit. All of them with everything: `worldwright catalog build`.
"""

from __future__ import annotations

from tests.effort import FULL, count_commits

from worldwright import catalogue

CORE = ("enterprise_procurement", "hotel_booking", "retail_returns")
"""Worlds that tests of the compiler, the engine and the proof look at."""
FULL_TURN = 4
"""Domains whose turn it is, where everything is tried."""


def _take_turns(number: int) -> tuple[str, ...]:
    names = catalogue.names()
    start = count_commits() * number
    return tuple(dict.fromkeys((CORE[0], *(names[(start + k) % len(names)] for k in range(number)))))


IN_TURN = _take_turns(FULL_TURN if FULL else 1)
"""Domains that go through everything, whatever it takes."""
CHOSEN = catalogue.names() if FULL else IN_TURN
