"""A plugin of the suite: it says at the start how long a run will take, and remembers how long each file took.

The figures are those of the last runs in this checkout; before the first one, an estimate for two cores.
"""

from __future__ import annotations

import json
import os
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from tests.effort import EFFORT

ROOT = Path(__file__).resolve().parents[1]
DURATIONS = ROOT / ".pytest_cache" / "durations.json"
FIRST_GUESS = {"everyday": 12, "full": 30}
"""Minutes for the whole suite on two cores, estimated from the processor seconds of its tests."""


def read_durations() -> dict[str, float]:
    """Read by test file the seconds that it took last, nothing where none were noted."""
    try:
        found = json.loads(DURATIONS.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {str(k): float(v) for k, v in found.items()}


def is_whole_suite(config: pytest.Config) -> bool:
    """Tell whether nobody asked for certain tests."""
    named = config.args not in (["tests"], [str(ROOT / "tests")])
    return not named and not config.option.keyword and not config.option.markexpr


def _whole(effort: str) -> str:
    return f"whole suite, {effort}"


class Timing:
    """The controller of a run keeps the seconds of every file and of the whole."""

    def __init__(self) -> None:
        self._started = time.monotonic()
        self._by_file: dict[str, float] = defaultdict(float)

    def pytest_report_header(self, config: pytest.Config) -> str:
        if not is_whole_suite(config):
            return f"effort: {EFFORT}"
        part = (
            "a fifth of the slow tests, another one with every commit; CI runs all"
            if EFFORT == "everyday"
            else "every test"
        )
        seconds = read_durations().get(_whole(EFFORT))
        if seconds is not None:
            return f"effort: {EFFORT} ({part}); the last whole run here took {seconds / 60:.1f} minutes"
        return f"effort: {EFFORT} ({part}); it takes about {FIRST_GUESS.get(EFFORT, 60)} minutes on two cores"

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._by_file[report.nodeid.partition("::")[0]] += report.duration

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        known: dict[str, Any] = read_durations()
        known |= {file: round(seconds, 2) for file, seconds in self._by_file.items()}
        if exitstatus == 0 and is_whole_suite(session.config):
            known[_whole(EFFORT)] = round(time.monotonic() - self._started, 1)
        DURATIONS.parent.mkdir(exist_ok=True)
        new = DURATIONS.with_suffix(f".{os.getpid()}")
        new.write_text(json.dumps(known, indent=0, sort_keys=True), encoding="utf-8")
        new.replace(DURATIONS)
