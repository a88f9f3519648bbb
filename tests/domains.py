"""Which domains of the catalogue tests build: every day one that is always the same and one that changes with every commit.

With WORLDWRIGHT_EFFORT=full, as in CI, a third of all domains is built and judged once (`MANY`), and what looks closer takes four;
both change with every commit. Everything on all of them: these tests with WORLDWRIGHT_CATALOGUE=all.
"""

from __future__ import annotations

import os

from tests.effort import FULL, count_commits

from worldwright import catalogue

CORE = ("enterprise_procurement", "hotel_booking", "retail_returns")
"""Worlds that tests of the compiler, the engine and the proof look at."""
ALL = os.environ.get("WORLDWRIGHT_CATALOGUE") == "all"
FULL_TURN = 4
"""Domains whose turn it is, where everything is tried."""


def take_turns(*names: str, full: int = 1) -> tuple[str, ...]:
    """The one of these domains or layers whose turn it is with this commit; several of them in CI."""
    number = min(len(names), len(names) if ALL else full if FULL else 1)
    start = count_commits() * number
    return tuple(names[(start + k) % len(names)] for k in range(number))


CHOSEN = tuple(dict.fromkeys((CORE[0], *take_turns(*catalogue.names(), full=FULL_TURN))))
MANY = tuple(dict.fromkeys((*CHOSEN, *take_turns(*catalogue.names(), full=len(catalogue.names()) // 3))))
CORE_IN_TURN = take_turns(*CORE)
