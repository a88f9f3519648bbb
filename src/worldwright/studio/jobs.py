"""Commands that the studio starts: each is a process of its own, with a folder that tells what it is, says and came to.

    $WORLDWRIGHT_HOME/studio/jobs/20251119-201733-1f2e3d/
    ├── job.json        the command, and what it is for
    ├── lock            held by the process as long as it lives
    ├── pid
    ├── output.txt, errors.txt
    └── events.jsonl    of a build: what it tells (see `factory.build_log`)

Nothing ties a job to the studio that started it. A studio that is started later finds it, at work or ended.
"""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from worldwright.core.errors import StoreError
from worldwright.core.whole_file import write_whole

JOB, LOCK, PID, OUTPUT, ERRORS, EVENTS = "job.json", "lock", "pid", "output.txt", "errors.txt", "events.jsonl"
MAX_JOBS_LISTED = 500
MAX_OUTPUT_BYTES = 2_000_000
"""Of what a job says, the end of it is read."""


@dataclass(frozen=True, slots=True)
class Job:
    """A command that was started."""

    id: str
    kind: str
    """build, check, lock or rollout"""
    title: str
    command: tuple[str, ...]
    """As one would type it, without `worldwright`."""
    folder: Path
    started: str
    about: Mapping[str, Any]

    @property
    def events(self) -> Path:
        return self.folder / EVENTS

    @property
    def running(self) -> bool:
        """Whether its process lives: it holds the lock that it was given."""
        try:
            with (self.folder / LOCK).open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except FileNotFoundError:
            return False
        except OSError:
            return True
        return False

    def read(self, name: str) -> str:
        """What it has said so far, on standard output or standard error."""
        try:
            with (self.folder / name).open("rb") as file:
                size = file.seek(0, os.SEEK_END)
                file.seek(max(0, size - MAX_OUTPUT_BYTES))
                return file.read().decode(errors="replace")
        except OSError:
            return ""

    def signature(self) -> tuple[object, ...]:
        """Something that is another one whenever the job has said something more, or has ended."""
        found = [(self.folder / name).stat() for name in (OUTPUT, ERRORS, EVENTS) if (self.folder / name).exists()]
        return (self.running, *((one.st_size, one.st_mtime_ns) for one in found))


class Jobs:
    """The jobs under one folder."""

    def __init__(self, root: Path, home: Path, here: Path) -> None:
        """`home` is the store that they work with, `here` the folder that they are started in."""
        self._root = root / "jobs"
        self._home = home
        self._here = here
        self._children: list[subprocess.Popen[bytes]] = []

    def start(self, kind: str, title: str, command: Sequence[str], about: Mapping[str, Any] | None = None) -> Job:
        """Start a command of `worldwright` as a process of its own."""
        now = datetime.now(UTC)
        folder = self._root / f"{now:%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"
        data = {
            "kind": kind,
            "title": title,
            "command": list(command),
            "started": f"{now:%Y-%m-%d %H:%M}",
            "about": dict(about or {}),
        }
        write_whole(folder / JOB, json.dumps(data, indent=1) + "\n")
        argv = [part.replace("EVENTS", str(folder / EVENTS)) if part == "EVENTS" else part for part in command]
        environment = {**os.environ, "WORLDWRIGHT_HOME": str(self._home), "COLUMNS": "110", "PYTHONUNBUFFERED": "1"}
        try:
            with (
                (folder / LOCK).open("wb") as lock,
                (folder / OUTPUT).open("wb") as out,
                (folder / ERRORS).open("wb") as err,
            ):
                fcntl.flock(lock, fcntl.LOCK_EX)
                child = subprocess.Popen(
                    [sys.executable, "-m", "worldwright", *argv],
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=err,
                    cwd=self._here,
                    env=environment,
                    start_new_session=True,
                    pass_fds=(lock.fileno(),),
                )
        except OSError as e:
            raise StoreError(f"{folder} cannot be written: {e.strerror or e}") from None
        write_whole(folder / PID, f"{child.pid}\n")
        self._children = [one for one in (*self._children, child) if one.poll() is None]
        return self.find(folder.name)

    def list_jobs(self, kind: str = "") -> list[Job]:
        """The jobs of a kind, the newest first."""
        if not self._root.is_dir():
            return []
        names = sorted((path.name for path in self._root.iterdir() if not path.name.startswith(".")), reverse=True)
        found = filter(None, map(self._read, names[:MAX_JOBS_LISTED]))
        return [job for job in found if kind in ("", job.kind)]

    def find(self, key: str) -> Job:
        for child in self._children:
            child.poll()  # one that has ended is let go
        job = self._read(key) if self._root.is_dir() and key in {path.name for path in self._root.iterdir()} else None
        if job is None:
            raise StoreError("there is no such job here")
        return job

    def _read(self, key: str) -> Job | None:
        folder = self._root / key
        try:
            data = json.loads((folder / JOB).read_text(encoding="utf-8"))
            command, about = tuple(map(str, data["command"])), dict(data["about"])
            return Job(key, str(data["kind"]), str(data["title"]), command, folder, str(data["started"]), about)
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None

    def stop(self, job: Job) -> None:
        """Tell a job to stop, as Ctrl-C does. The process is surely its own: it still holds the lock."""
        with suppress(OSError, ValueError):
            if job.running:
                os.kill(int((job.folder / PID).read_text()), signal.SIGINT)
