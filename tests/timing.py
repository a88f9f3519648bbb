"""A plugin of the suite: it measures what every test costs, knows the slow ones, and says at the start how long a run will take.

    python -m tests.timing        write tests/durations.json from the last runs in this checkout (`make durations` runs them)

A test costs the processor seconds of its process and of the programs that it starts. Worlds that several tests share are
not counted: whoever comes first would pay for all.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections import defaultdict
from collections.abc import Generator, Mapping
from functools import cache
from pathlib import Path
from zlib import crc32

import pytest
from tests.effort import EFFORT, EVERYDAY_ROTATION, FULL, FULL_ROTATION, FULL_ROTATION_OF_SLOWEST, count_commits
from tests.shared_builds import seconds_of_builds

from worldwright import catalogue

ROOT = Path(__file__).resolve().parents[1]
MEASURED = ROOT / "tests" / "durations.json"
"""Seconds of slow tests by their names, of the others by file, and of the worlds that tests share by effort, in the repository."""
RECORDED = ROOT / ".pytest_cache" / "durations.json"
"""Seconds of every test that ran in this checkout."""
SLOW_SECONDS, SLOWEST_SECONDS = 1.0, 4.0
"""A test that costs more is slow and has its turn every few commits, or one of the slowest, whose turns in CI are rarer."""
START_SECONDS = 25.0
"""What collecting the tests in every worker takes."""
CORES = 2
FRAMEWORKS = sorted(path.parent.name for path in (ROOT / "tests" / "adapters").glob("*/requirements.lock"))
SUITES = ("tests", "tests/ray", "tests/store/oci", "tests/train", *(f"tests/adapters/{name}" for name in FRAMEWORKS))
"""Folders that are run as a whole: all tests, and those that have an environment of their own."""
_GROUP = re.compile(r"@[^@\]]*$")
_DOMAIN = re.compile(rf"(?<![a-z_])({'|'.join(catalogue.names())})(?![a-z_])")
_STARTED = pytest.StashKey[float]()


def _read(path: Path) -> dict[str, dict[str, float]]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {
        part: {str(k): float(v) for k, v in known.items()} for part, known in found.items() if isinstance(known, dict)
    }


def _write(path: Path, what: Mapping[str, Mapping[str, float]]) -> None:
    path.parent.mkdir(exist_ok=True)
    new = path.with_suffix(f".{os.getpid()}")
    new.write_text(json.dumps(what, indent=0, sort_keys=True) + "\n", encoding="utf-8")
    new.replace(path)


@cache
def read_measured() -> dict[str, dict[str, float]]:
    """Read what is known of the tests in the repository: `slow` by test, `files` by file and `worlds` by effort."""
    return {"slow": {}, "files": {}, "worlds": {}} | _read(MEASURED)


def key_of(nodeid: str) -> str:
    """Name a test without its group and, as domains take turns, without the domain that it is tried on."""
    name, bracket, parameters = _GROUP.sub("", nodeid).partition("[")
    return name + bracket + _DOMAIN.sub("DOMAIN", parameters)


def is_slow(nodeid: str) -> bool:
    """Tell whether a test was measured as slow, on whatever domain."""
    return key_of(nodeid) in read_measured()["slow"]


def _group_of(key: str) -> str:
    """Name the tests that have their turn together: those of one file with the same parameters."""
    file, _, test = key.partition("::")
    return f"{file}[{test.partition('[')[2]}"


def _folder_of(test: str) -> str:
    """Find the folder that a test is run with."""
    return next((suite for suite in SUITES[1:] if test.startswith(f"{suite}/")), SUITES[0])


@cache
def _deal_turns(rotation: int, slowest: bool, folder: str) -> dict[str, int]:
    """Deal the groups of a folder's slow tests to the commits of a round so that each of these has about the same work."""
    costs: dict[str, float] = defaultdict(float)
    for key, seconds in read_measured()["slow"].items():
        if _folder_of(key) == folder and (EFFORT == "everyday" or (seconds >= SLOWEST_SECONDS) == slowest):
            costs[_group_of(key)] += seconds
    load, turns = [0.0] * rotation, {}
    for group in sorted(costs, key=lambda one: (-costs[one], one)):
        turns[group] = load.index(min(load))
        load[turns[group]] += costs[group]
    return turns


def has_its_turn(key: str, rotation: int, slowest: bool) -> bool:
    """Tell whether a test is among those of this commit, where each has its turn once in `rotation` commits.

    Which of the commits it is changes from one round to the next: at a fixed one, a test would always meet the same few of the
    domains, which take turns by the number of commits too."""
    round_, turn = divmod(count_commits(), rotation)
    own = _deal_turns(rotation, slowest, _folder_of(key)).get(_group_of(key), crc32(key.encode()))
    return (own + crc32(str(round_).encode())) % rotation == turn


def runs_today(nodeid: str) -> bool:
    """Tell whether a slow test is among those of this commit, with the effort of this run."""
    key = key_of(nodeid)
    if EFFORT == "everyday":
        return has_its_turn(key, EVERYDAY_ROTATION, False)
    slowest = read_measured()["slow"].get(key, 0.0) >= SLOWEST_SECONDS
    return EFFORT == "fuzz" or has_its_turn(key, FULL_ROTATION_OF_SLOWEST if slowest else FULL_ROTATION, slowest)


def estimate_seconds() -> float:
    """Estimate how long all tests but those of other environments take on two cores with the effort of this run."""
    known = read_measured()
    slow = [seconds for test, seconds in known["slow"].items() if runs_today(test) and _folder_of(test) == SUITES[0]]
    quick = [seconds for file, seconds in known["files"].items() if _folder_of(file) == SUITES[0]]
    return START_SECONDS + (sum(slow) + sum(quick) + known["worlds"].get(EFFORT, 0.0)) / CORES


def suite_of(config: pytest.Config) -> str:
    """The folder that is run as a whole; none where somebody asked for certain tests."""
    [named] = config.args if len(config.args) == 1 else [""]
    suite = named.removeprefix(f"{ROOT}/").rstrip("/")
    return suite if suite in SUITES and not config.option.keyword and not config.option.markexpr else ""


class Meter:
    """Every process of a run notes with each test what it cost."""

    def __init__(self) -> None:
        self._of_builds = 0.0

    def _now(self) -> float:
        spent = os.times()
        return spent.user + spent.system + spent.children_user + spent.children_system - seconds_of_builds()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None, object, object]:
        item.stash[_STARTED] = self._now()
        return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Generator[None, object, object]:
        try:
            return (yield)
        finally:
            item.user_properties.append(("cpu_seconds", self._now() - item.stash[_STARTED]))
            item.user_properties.append(("build_seconds", seconds_of_builds() - self._of_builds))
            self._of_builds = seconds_of_builds()


class Timing:
    """The controller of a run keeps the seconds of every test and of the whole."""

    def __init__(self) -> None:
        self._started = time.monotonic()
        self._by_test: dict[str, float] = {}
        self._of_builds = 0.0

    def pytest_report_header(self, config: pytest.Config) -> str:
        if not suite_of(config):
            return f"effort: {EFFORT}"
        part = f"one in {FULL_ROTATION if FULL else EVERYDAY_ROTATION} of the slow tests"
        part += (
            f", one in {FULL_ROTATION_OF_SLOWEST} of the slowest, others with every commit"
            if FULL
            else ", others with every commit"
        )
        seconds = _read(RECORDED).get("whole", {}).get(f"{suite_of(config)} {EFFORT}")
        if seconds is not None:
            return f"effort: {EFFORT} ({part}); the last whole run here took {seconds / 60:.1f} minutes"
        if suite_of(config) != "tests":
            return f"effort: {EFFORT} ({part})"
        return f"effort: {EFFORT} ({part}); it takes about {estimate_seconds() / 60:.0f} minutes on two cores"

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "teardown":
            spent: dict[str, float] = dict(report.user_properties)  # type: ignore[arg-type]
            self._by_test[_GROUP.sub("", report.nodeid)] = spent.get("cpu_seconds", 0.0)
            self._of_builds += spent.get("build_seconds", 0.0)

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        known: dict[str, dict[str, float]] = {"tests": {}, "whole": {}, "worlds": {}} | _read(RECORDED)
        known["tests"] |= {test: round(seconds, 2) for test, seconds in self._by_test.items()}
        if exitstatus == 0 and (suite := suite_of(session.config)):
            known["whole"][f"{suite} {EFFORT}"] = round(time.monotonic() - self._started, 1)
        if suite_of(session.config) == "tests":
            known["worlds"][EFFORT] = max(known["worlds"].get(EFFORT, 0.0), round(self._of_builds, 1))
        _write(RECORDED, known)


def main() -> int:
    """Write what the last runs measured to the file in the repository."""
    recorded = _read(RECORDED)
    tests = recorded.get("tests", {})
    if not tests:
        print(f"{RECORDED} does not exist: run the suite first (`make durations`)", file=sys.stderr)
        return 1
    files: dict[str, float] = defaultdict(float)
    for test, seconds in tests.items():
        if seconds < SLOW_SECONDS:
            files[test.partition("::")[0]] += seconds
    slow: dict[str, float] = defaultdict(float)
    for test, seconds in tests.items():
        if seconds >= SLOW_SECONDS:
            slow[key_of(test)] = max(slow[key_of(test)], seconds)
    _write(
        MEASURED,
        {
            "files": {f: round(s, 2) for f, s in files.items()},
            "slow": slow,
            "worlds": read_measured()["worlds"] | recorded.get("worlds", {}),
        },
    )
    print(f"{len(slow)} of {len(tests)} tests are slow; {sum(slow.values()):.0f} of {sum(tests.values()):.0f} seconds")
    return 0


if __name__ == "__main__":
    sys.exit(main())
