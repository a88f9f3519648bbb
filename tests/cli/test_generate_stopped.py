"""Runs of many worlds that are stopped by force, in processes of their own: whatever happens, the next one ends where an
undisturbed one ends, and the store is sound meanwhile."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from worldwright.store.store import Store
from worldwright.store.verify import verify

from .conftest import LIBRARY

BOATS = LIBRARY.parent / "boat_hire.yaml"
WORLDS = 8
ARGS = ("generate", "--blueprint", str(BOATS), "--variants", str(WORLDS), "--no-tasks", "--workers", "2", "--json")
COMMAND = (sys.executable, "-m", "worldwright", *ARGS)
linux = pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc")
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("generate_stopped")]


def started(home: Path, *more: str, **options: Any) -> subprocess.Popen[str]:
    env = {**os.environ, "WORLDWRIGHT_HOME": str(home)}
    return subprocess.Popen(
        [*COMMAND, *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env, **options
    )


def ended(home: Path, *more: str) -> Any:
    """The document of a run that comes to its end."""
    with started(home, *more) as process:
        out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return json.loads(out)


def lines(home: Path) -> int:
    return sum(file.read_bytes().count(b"\n") for file in home.glob("runs/*/journal.jsonl"))


def until(true: Callable[[], Any], process: subprocess.Popen[str]) -> Any:
    """What a condition gives when it holds; the process runs meanwhile."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if found := true():
            return found
        if process.poll() is not None:
            assert process.stderr is not None
            raise AssertionError(f"it ended early: {process.stderr.read()}")
        time.sleep(0.002)
    raise AssertionError("it never came to that")


def kept(home: Path) -> tuple[list[str], bytes]:
    """The digests of all worlds in their order, and the names."""
    [file] = home.glob("runs/*/worlds.jsonl")
    digests = [json.loads(line)["digest"] for line in file.read_text().splitlines()]
    return digests, (home / "refs" / "boat_hire" / "latest.json").read_bytes()


@pytest.fixture(scope="module")
def right(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], bytes]:
    """What an undisturbed run keeps."""
    home = tmp_path_factory.mktemp("right") / "home"
    ended(home)
    return kept(home)


@pytest.mark.slow
def test_killed_at_any_moment_it_goes_on_and_ends_the_same(tmp_path: Path, right: tuple[list[str], bytes]) -> None:
    """One run, killed again and again: before the first world, in the middle, after the last one."""
    home = tmp_path / "home"
    counted = []
    for moment in (0, 1, 5, WORLDS):
        with started(home) as process:
            if moment:
                until(lambda now=moment: lines(home) >= now, process)  # type: ignore[misc]
            else:
                until(lambda: list(home.glob("runs/*/journal.jsonl")), process)
            process.kill()
        counted.append(lines(home))
        assert verify(Store(home)).damage == ()
        assert not list(home.glob("runs/*/report.json"))
    assert counted[-1] >= WORLDS > counted[0]
    done = ended(home)
    assert done["built"] == 0
    assert done["there_before"] == WORLDS
    assert kept(home) == right
    assert verify(Store(home)).damage == ()


@pytest.mark.slow
def test_killed_while_it_writes_a_line(tmp_path: Path, right: tuple[list[str], bytes]) -> None:
    home = tmp_path / "home"
    with started(home) as process:
        until(lambda: lines(home) >= 3, process)
        process.kill()
    [file] = home.glob("runs/*/journal.jsonl")
    whole = file.read_bytes()
    file.write_bytes(whole[:-40])
    done = ended(home)
    assert done["there_before"] == whole.count(b"\n") - 1
    assert kept(home) == right


@pytest.mark.slow
@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_told_to_stop_it_names_what_is_there(
    tmp_path: Path, right: tuple[list[str], bytes], stop: signal.Signals
) -> None:
    home = tmp_path / "home"
    with started(home) as process:
        until(lambda: lines(home) >= 2, process)
        process.send_signal(stop)
        out, err = process.communicate(timeout=30)
    there = lines(home)
    assert process.returncode == 130
    assert out == ""
    assert f"stopped: {there} of {WORLDS} worlds are kept and named. The same command goes on from there" in err
    assert "Traceback" not in err
    assert len(Store(home).variants("boat_hire", "latest")) == there
    assert ended(home)["there_before"] == there
    assert kept(home) == right


@pytest.mark.slow
def test_two_runs_of_one_order_do_not_write_at_once(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with started(home) as first:
        until(lambda: lines(home) >= 1, first)
        first.send_signal(signal.SIGSTOP)
        with started(home) as second:
            _, err = second.communicate(timeout=60)
        first.send_signal(signal.SIGCONT)
        assert second.returncode == 2
        assert "another process is at this very run" in err
        first.communicate(timeout=60)
    assert first.returncode == 0


# workers


def workers_of(process: subprocess.Popen[str]) -> list[int]:
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    return [int(c) for c in children if b"spawn_main" in Path(f"/proc/{c}/cmdline").read_bytes()]


@pytest.mark.slow
@linux
def test_a_worker_that_is_killed_costs_nothing(tmp_path: Path, right: tuple[list[str], bytes]) -> None:
    home = tmp_path / "home"
    with started(home) as process:
        until(lambda: lines(home) >= 2, process)
        os.kill(workers_of(process)[0], signal.SIGKILL)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert json.loads(out)["failed"] == []
    assert kept(home) == right


@pytest.mark.slow
@linux
def test_a_worker_without_memory_fails_with_its_world_and_not_with_the_others(tmp_path: Path) -> None:
    """From some moment on, the only worker gets little more memory than it has. Small worlds still have room."""
    home, large = tmp_path / "home", tmp_path / "large.yaml"
    text = BOATS.read_text().replace("blueprint: boat_hire", "blueprint: large_hire")
    large.write_text(text.replace("rows: 90", "rows: 20000"))
    more = ("--blueprint", str(large), "--variants", "3", "--axes", "seed", "--siblings", "1", "--workers", "1")
    with started(home, *more) as process:
        until(lambda: lines(home) >= 2, process)
        [worker] = workers_of(process)
        size = int(Path(f"/proc/{worker}/statm").read_text().split()[0]) * resource.getpagesize() + 2**22
        resource.prlimit(worker, resource.RLIMIT_AS, (size, size))
        out, err = process.communicate(timeout=120)
    assert process.returncode == 1, err
    done = json.loads(out)
    assert {failed["family"] for failed in done["failed"]} == {"large_hire"}
    assert done["counts"]["variants"] == 6 - len(done["failed"])
    for failed in done["failed"]:
        assert failed["problem"].startswith(("MemoryError", "WorkerDied"))
        assert f"failed: large_hire {failed['variant']} (seed {failed['seed']}): {failed['problem']}" in err
    assert verify(Store(home)).damage == ()
    again = ended(home, *more)
    assert (again["built"], again["failed"]) == (len(done["failed"]), [])


# stores that cannot be written


def mounted(where: Path, script: str) -> str:
    """What a shell script prints that has mounts of its own; `run` in it is the command, DIR the place."""
    where.mkdir()
    if shutil.which("unshare") is None:
        pytest.skip("needs unshare of util-linux")
    for unshare in (["unshare", "-m"], ["unshare", "-rm"]):
        probe = subprocess.run([*unshare, "sh", "-c", f"mount -t tmpfs none {where}"], capture_output=True, check=False)
        if probe.returncode == 0:
            break
    else:
        pytest.skip("file systems cannot be mounted here")
    ww = f"WORLDWRIGHT_HOME={where}/home {sys.executable} -m worldwright"
    text = f'run() {{ {ww} {" ".join(ARGS)} 2>&1; }}; ww() {{ {ww} "$@" 2>&1; }}; set -e; ' + script
    done = subprocess.run(
        [*unshare, "sh", "-c", text.replace("DIR", str(where))], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_a_disk_that_is_full_stops_the_run_and_it_goes_on_when_there_is_room(
    tmp_path: Path, right: tuple[list[str], bytes]
) -> None:
    said = mounted(
        tmp_path / "full",
        "mount -t tmpfs -o size=200k none DIR; run && exit 9 || echo code $?; ww store verify; "
        "mount -o remount,size=20m DIR; run; ww store verify; echo ===; cat DIR/home/refs/boat_hire/latest.json",
    )
    stopped, _, rest = said.partition("code 3\n")
    assert "No space left on device; " in stopped
    assert (
        f" of {WORLDS} worlds are kept. Nothing more can be written: see to that, and run the same command" in stopped
    )
    assert "Traceback" not in said
    assert rest.partition("===\n")[2].encode() == right[1]


def test_a_store_that_is_read_only_is_said_before_anything_is_built(tmp_path: Path) -> None:
    given = tmp_path / "given" / "home"
    given.mkdir(parents=True)
    said = mounted(
        tmp_path / "read",
        f"mount --bind {given.parent} DIR; mount -o remount,bind,ro DIR; run && exit 9 || echo code $?",
    )
    place = tmp_path / "read" / "home"
    assert said == f"the store at {place} cannot be written: Read-only file system\ncode 3\n"
