"""Work over processes: everything is done once, what fails says so, and what kills its process is the only one blamed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from worldwright.core.errors import UsageError
from worldwright.core.pool import WorkerDied, map_in_processes


def _square(n: int) -> int:
    if n == 13:
        raise UsageError("unlucky")
    if n == 17:
        os.kill(os.getpid(), signal.SIGKILL)
    return n * n


@pytest.mark.parametrize("workers", [0, 1, 2])
def test_every_item_is_done_once(workers: int) -> None:
    found = sorted((o.item, o.result) for o in map_in_processes(_square, range(10), workers))
    assert found == [(n, n * n) for n in range(10)]


def test_what_is_raised_is_an_outcome_and_the_others_go_on() -> None:
    found = {o.item: o for o in map_in_processes(_square, range(10, 16), 2)}
    assert sorted(found) == list(range(10, 16))
    assert isinstance(found[13].error, UsageError)
    assert [o.result for o in found.values() if o.error is None] != []


def test_without_workers_what_is_raised_is_raised() -> None:
    with pytest.raises(UsageError, match="unlucky"):
        list(map_in_processes(_square, [13], 0))


def test_only_the_item_that_kills_is_blamed() -> None:
    found = {o.item: o for o in map_in_processes(_square, range(14, 24), 2)}
    assert sorted(found) == list(range(14, 24))
    assert isinstance(found[17].error, WorkerDied)
    assert {n: o.result for n, o in found.items() if n != 17} == {n: n * n for n in range(14, 24) if n != 17}


def test_items_are_taken_as_they_are_needed() -> None:
    taken = []

    def items() -> Iterator[int]:
        for n in range(1_000):
            taken.append(n)
            yield n

    first = next(iter(map_in_processes(_square, items(), 1)))
    assert first.result == 0
    assert len(taken) < 10


PARENT = """
import os, sys, time
sys.path.insert(0, {tests!r})
from worldwright.core.pool import map_in_processes
from tests.core.test_pool import _slow
if __name__ == "__main__":
    for o in map_in_processes(_slow, range(8), 2):
        print(o.result, flush=True)
"""


def _slow(n: int) -> int:
    time.sleep(0.2 if n < 2 else 60)
    return os.getpid()


@pytest.mark.skipif(sys.platform != "linux", reason="workers follow their parent by a signal that Linux has")
def test_workers_end_with_a_parent_that_was_killed(tmp_path: Path) -> None:
    code = PARENT.format(tests=str(Path.cwd()))
    file = tmp_path / "parent.py"
    file.write_text(code)
    with subprocess.Popen(
        [sys.executable, str(file)], stdout=subprocess.PIPE, text=True, stderr=subprocess.DEVNULL
    ) as parent:
        assert parent.stdout is not None
        workers = {int(parent.stdout.readline()), int(parent.stdout.readline())}
        parent.kill()
    until = time.monotonic() + 20
    while any(_alive(pid) for pid in workers) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(_alive(pid) for pid in workers)


def _alive(pid: int) -> bool:
    try:
        with Path(f"/proc/{pid}/stat").open() as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False
