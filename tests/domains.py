"""Which domains of the catalogue tests build: three that are always the same, and one that changes from commit to commit.

All of them at once: `worldwright catalog build`, or these tests with WORLDWRIGHT_CATALOGUE=all.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from worldwright import catalogue

CORE = ("enterprise_procurement", "hotel_booking", "retail_returns")
"""Worlds that tests of the compiler, the engine and the proof look at."""
EACH_TIME = 1


def _commits() -> int:
    """How many commits there are: the same for everybody who has the same one."""
    command = ["git", "rev-list", "--count", "HEAD"]
    try:
        done = subprocess.run(
            command, cwd=Path(__file__).parent, capture_output=True, text=True, check=True, timeout=20
        )
    except (OSError, subprocess.SubprocessError):
        return 0
    return int(done.stdout)


def _chosen() -> tuple[str, ...]:
    names = catalogue.names()
    if os.environ.get("WORLDWRIGHT_CATALOGUE") == "all":
        return names
    start = _commits() * EACH_TIME
    return tuple(dict.fromkeys((CORE[0], *(names[(start + k) % len(names)] for k in range(EACH_TIME)))))


CHOSEN = _chosen()
