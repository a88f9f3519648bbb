"""The file that a build writes while it goes on: what was heard is read again, and every way to end can be told apart."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from worldwright.core.errors import BuildError, UsageError
from worldwright.factory.build_log import DONE, read_build, record_build
from worldwright.kinds.build_events import (
    GraphProposed,
    LinkProven,
    RefereeDisagreed,
    RowsGrown,
    StageBegun,
    StageEnded,
    TaskFound,
    TaskLeftOut,
    TaskTried,
)

EVERY = (
    StageBegun("state"),
    RowsGrown("2025-03", {"vendor": 3}),
    StageEnded("state", "1 table"),
    GraphProposed({"find_vendor": "vendor"}, [], []),
    LinkProven("a", "b", "value", "vendor"),
    TaskFound("walk", "pay", "please pay\u202e it"),
    TaskLeftOut("too much like another", "pay", True),
    TaskTried("task_001", "walk", "please pay it", {"gold": [1, 0, 0, 0]}, [], True),
    RefereeDisagreed("task_001", "idle", "nothing is done"),
)


def test_what_was_heard_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "builds" / "events.jsonl"
    with record_build(path, {"name": "shop"}) as log:
        for event in EVERY:
            log.hear(event)
        during = read_build(path)
        log.end(DONE, reference="shop:latest")
    assert (during.status, during.running, tuple(e for _, e in during.events)) == ("running", True, EVERY)
    after = read_build(path)
    assert (after.status, after.asked, after.facts) == ("done", {"name": "shop"}, {"reference": "shop:latest"})
    assert tuple(event for _, event in after.events) == EVERY
    assert [at for at, _ in after.events] == sorted(at for at, _ in after.events)


def test_no_file_means_no_log() -> None:
    with record_build(None, {}) as log:
        log.hear(EVERY[0])
        log.end(DONE)


def test_a_file_that_is_there_is_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_text("mine")
    with pytest.raises(UsageError, match="there already"), record_build(path, {}):
        pass
    assert path.read_text() == "mine"


def test_what_failed_is_told(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    with pytest.raises(BuildError), record_build(path, {}):
        raise BuildError("no row fits")
    assert (read_build(path).status, read_build(path).facts) == ("failed", {"problem": "no row fits"})


def test_a_line_that_is_torn_or_damaged_does_not_count(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    whole = '{"at": 0.1, "event": "stage_begun", "stage": "tools"}\n'
    path.write_text(f'{whole}{{"at": "x", "event": "done"}}\nnonsense\n[1]\n{whole[:-8]}\n{{"at": 1, "event": "done"')
    found = read_build(path)
    assert (found.status, [e for _, e in found.events]) == ("killed", [StageBegun("tools")])


SLEEPER = """
import sys, time
from pathlib import Path
from worldwright.factory.build_log import record_build
with record_build(Path(sys.argv[1]), {}):
    print("at work", flush=True)
    time.sleep(60)
"""


@pytest.mark.parametrize(("number", "status"), [(signal.SIGKILL, "killed"), (signal.SIGINT, "stopped")])
@pytest.mark.slow
def test_a_build_that_is_ended_from_outside(tmp_path: Path, number: signal.Signals, status: str) -> None:
    path = tmp_path / "events.jsonl"
    with subprocess.Popen(
        [sys.executable, "-c", SLEEPER, str(path)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        assert read_build(path).status == "running"
        process.send_signal(number)
    assert read_build(path).status == status
