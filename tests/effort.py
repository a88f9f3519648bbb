"""How much the tests try: a sample every day, nearly everything in CI, new examples without end in `make fuzz`.

`WORLDWRIGHT_EFFORT` is `everyday` (as `make test` has it), `full` (as `.ci/run` has it) or `fuzz`.
"""

from __future__ import annotations

import os
import subprocess
from functools import cache
from pathlib import Path

EFFORT = os.environ.get("WORLDWRIGHT_EFFORT", "everyday")
LEVELS = ("everyday", "full", "fuzz")
if EFFORT not in LEVELS:
    raise ValueError(f"WORLDWRIGHT_EFFORT is one of {', '.join(LEVELS)}, not {EFFORT!r}")

FULL = EFFORT != "everyday"
"""Whether whole sweeps are made where a sample would do every day."""
MIN_EXAMPLES = 5
EVERYDAY_DIVISOR, FUZZ_FACTOR = 4, 5


def examples(number: int) -> int:
    """Scale the examples that a property is tried with: `number` of them in CI, a quarter every day, five times as many to fuzz."""
    if EFFORT == "fuzz":
        return number * FUZZ_FACTOR
    return number if FULL else max(min(number, MIN_EXAMPLES), number // EVERYDAY_DIVISOR)


EVERYDAY_ROTATION, FULL_ROTATION, FULL_ROTATION_OF_SLOWEST = 12, 4, 8
"""Every so many commits each of the slow tests has its turn every day, in CI, and in CI if it is one of the slowest."""


@cache
def count_commits() -> int:
    """Count the commits that led here: the same number for everybody who has the same one."""
    command = ["git", "rev-list", "--count", "HEAD"]
    try:
        done = subprocess.run(
            command, cwd=Path(__file__).parent, capture_output=True, text=True, check=True, timeout=20
        )
    except (OSError, subprocess.SubprocessError):
        return 0
    return int(done.stdout)
