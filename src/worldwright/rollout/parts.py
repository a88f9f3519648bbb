"""The working files of a run: each worker appends to a file of its own, a line at a time.

A worker may be killed at any moment. What is left then is whole lines and at most one torn one at the end of a file, which does not
count: that episode is played again. A lock keeps two runs out of one folder, and the workers of a killed run out of the next.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from io import BufferedWriter
from pathlib import Path
from typing import Any

from pydantic_core import to_json

from worldwright.core.errors import StoreError, UsageError
from worldwright.core.whole_file import whole_file
from worldwright.rollout.read import OPENINGS, TRAJECTORIES
from worldwright.rollout.records import Episode, Opening, episode_line

PARTS = "parts"
PATIENCE = 30.0
"""Seconds that a run waits for the workers of a killed one to be gone."""
_HEAD = re.compile(rb'\{"id":"([0-9a-f]+)","status":"(pass|fail|error)"')
_TAIL = re.compile(rb'"digest":"([0-9a-f]{64})"\}\n\Z')


class Part:
    """One worker's file."""

    def __init__(self, folder: Path) -> None:
        self._lock = _opened(folder.parent / ".workers")
        fcntl.flock(self._lock, fcntl.LOCK_SH)
        self._path = folder / f"{os.getpid()}-{time.time_ns()}.jsonl"
        self._file: BufferedWriter = _opened(self._path)
        self._openings: set[str] = set()

    def write(self, episode: Episode, opening: Opening) -> None:
        """Both as lines, in one go."""
        lines = b""
        if opening.id not in self._openings:
            self._openings.add(opening.id)
            lines = _line({"opening": {"id": opening.id, "system": opening.system, "tools": opening.tools}})
        try:
            self._file.write(lines + episode_line(episode) + b"\n")
            self._file.flush()
        except OSError as e:
            raise StoreError(f"{self._path} cannot be written: {e.strerror}") from None

    def close(self) -> None:
        self._file.close()
        self._lock.close()


def _line(data: Mapping[str, Any]) -> bytes:
    return to_json(data, fallback=dict) + b"\n"


@dataclass(frozen=True, slots=True)
class Kept:
    """Where the line of an episode stands."""

    path: Path
    offset: int
    length: int
    status: str


def kept(folder: Path) -> tuple[dict[str, Kept], dict[str, Opening]]:
    """What the working files hold: the line of each episode by its id, and the openings. Torn lines are left out."""
    found: dict[str, Kept] = {}
    openings: dict[str, Opening] = {}
    for path in sorted((folder / PARTS).glob("*.jsonl")):
        offset = 0
        with path.open("rb") as file:
            for line in file:
                head = _HEAD.match(line)
                if head and line.endswith(b"}\n"):
                    key, status = head[1].decode(), head[2].decode()
                    if key not in found or found[key].status == "error":
                        found[key] = Kept(path, offset, len(line), status)
                elif line.startswith(b'{"opening"') and line.endswith(b"}\n"):
                    data = json.loads(line)["opening"]
                    openings[data["id"]] = Opening(data["id"], data["system"], tuple(data["tools"]))
                offset += len(line)
    return found, openings


def merged(folder: Path, ids: Sequence[str]) -> str:
    """The lines of these episodes in one file, in this order, and the openings in another; the digest of all of them.

    The working files go only when everything stands where it belongs.
    """
    found, openings = kept(folder)
    total = sha256()
    files: dict[Path, Any] = {}
    try:
        with whole_file(folder / TRAJECTORIES) as out:
            for key in ids:
                at = found[key]
                file = files.get(at.path) or files.setdefault(at.path, at.path.open("rb"))
                file.seek(at.offset)
                line = file.read(at.length)
                tail = _TAIL.search(line)
                total.update(tail[1] if tail else line)
                out.write(line)
    finally:
        for file in files.values():
            file.close()
    with whole_file(folder / OPENINGS) as out:
        for key in sorted(openings):
            one = openings[key]
            out.write(_line({"id": one.id, "system": one.system, "tools": one.tools}))
    return total.hexdigest()


def cleared(folder: Path) -> None:
    """Remove the working files."""
    for path in (folder / PARTS).glob("*.jsonl"):
        path.unlink()
    if (folder / PARTS).is_dir():
        (folder / PARTS).rmdir()


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """The folder for one run alone. The workers of a run that was killed are given time to go."""
    with _opened(folder / ".lock") as lock, _opened(folder / ".workers") as workers:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise UsageError(f"another run is writing to {folder}") from None
        until = time.monotonic() + PATIENCE
        while True:
            try:
                fcntl.flock(workers, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError:
                if time.monotonic() > until:
                    raise UsageError(f"workers of an earlier run are still writing to {folder}") from None
                time.sleep(0.05)
        fcntl.flock(workers, fcntl.LOCK_UN)
        yield


def _opened(path: Path) -> Any:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return path.open("ab")
    except OSError as e:
        raise StoreError(f"{path} cannot be written: {e.strerror}") from None
