"""The working files of a run: each worker appends to a part file of its own, a line at a time.

A worker may be killed at any moment. What is left then is whole lines and at most one torn line at the end of a part, which does
not count: that episode is played again. A lock keeps two runs out of one folder, and the workers of a killed run out of the next.

A finished run has no parts, only `trajectories.jsonl`. Where some of its episodes ended as an error, the same run started again
plays those into new parts beside it. Merging replaces the error lines and copies all others: the line of a verdict never changes.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from io import BufferedReader, BufferedWriter
from pathlib import Path
from typing import Any

from pydantic_core import to_json

from worldwright.core.errors import StoreError, UsageError
from worldwright.core.whole_file import replace_file
from worldwright.rollout.read import OPENINGS, TRAJECTORIES, read_openings
from worldwright.rollout.records import Episode, Opening, episode_line

PARTS, LOCK, WORKERS_LOCK = "parts", ".lock", ".workers"
WORKER_EXIT_TIMEOUT_S = 30.0
"""How long a run waits for the workers of a killed run to be gone."""
_HEAD = re.compile(rb'\{"id":"([0-9a-f]+)","status":"(pass|fail|error)"')
_TAIL = re.compile(rb'"digest":"([0-9a-f]{64})"\}\n\Z')


class PartWriter:
    """Appends the episodes of one worker to its part file."""

    def __init__(self, folder: Path) -> None:
        self._lock = _open_for_append(folder.parent / WORKERS_LOCK)
        fcntl.flock(self._lock, fcntl.LOCK_SH)
        self._path = folder / f"{os.getpid()}-{time.time_ns()}.jsonl"
        self._file: BufferedWriter = _open_for_append(self._path)
        self._openings: set[str] = set()

    def write(self, episode: Episode, opening: Opening) -> None:
        """Append the episode, after its opening where this part does not have it yet."""
        lines = b""
        if opening.id not in self._openings:
            self._openings.add(opening.id)
            lines = _json_line({"opening": {"id": opening.id, "system": opening.system, "tools": opening.tools}})
        try:
            self._file.write(lines + episode_line(episode) + b"\n")
            self._file.flush()
        except OSError as e:
            raise StoreError(f"{self._path} cannot be written: {e.strerror}") from None

    def close(self) -> None:
        self._file.close()
        self._lock.close()


def _json_line(data: Mapping[str, Any]) -> bytes:
    return to_json(data, fallback=dict) + b"\n"


@dataclass(frozen=True, slots=True)
class EpisodeLine:
    """Where the line of an episode stands, and the status it has."""

    path: Path
    offset: int
    length: int
    status: str

    def read(self, file: BufferedReader) -> bytes:
        """Read the line from its file, which is open."""
        file.seek(self.offset)
        return file.read(self.length)


def index_episodes(folder: Path) -> dict[str, EpisodeLine]:
    """Map the id of each episode that a run has recorded to its line. A verdict wins over an error; torn lines are left out."""
    return _index(folder)[0]


def _index(folder: Path) -> tuple[dict[str, EpisodeLine], dict[str, Opening]]:
    lines: dict[str, EpisodeLine] = {}
    openings = read_openings(folder)
    finished = folder / TRAJECTORIES
    for path in [*([finished] if finished.exists() else []), *sorted((folder / PARTS).glob("*.jsonl"))]:
        offset = 0
        with path.open("rb") as file:
            for line in file:
                head = _HEAD.match(line)
                if head and line.endswith(b"}\n"):
                    key, status = head[1].decode(), head[2].decode()
                    if key not in lines or lines[key].status == "error":
                        lines[key] = EpisodeLine(path, offset, len(line), status)
                elif line.startswith(b'{"opening"') and line.endswith(b"}\n"):
                    data = json.loads(line)["opening"]
                    openings[data["id"]] = Opening(data["id"], data["system"], tuple(data["tools"]))
                offset += len(line)
    return lines, openings


def merge_parts(folder: Path, ids: Sequence[str]) -> str:
    """Write the lines of these episodes to one file, in this order, and the openings to another. Returns the digest of all lines.

    The parts stay: whoever merges removes them when everything else is in place.
    """
    lines, openings = _index(folder)
    total = sha256()
    with ExitStack() as stack, replace_file(folder / TRAJECTORIES) as out:
        paths = {lines[key].path for key in ids}
        files = {path: stack.enter_context(path.open("rb")) for path in sorted(paths)}
        for key in ids:
            line = lines[key].read(files[lines[key].path])
            tail = _TAIL.search(line)
            total.update(tail[1] if tail else line)
            out.write(line)
    with replace_file(folder / OPENINGS) as out:
        for key in sorted(openings):
            one = openings[key]
            out.write(_json_line({"id": one.id, "system": one.system, "tools": one.tools}))
    return total.hexdigest()


def remove_parts(folder: Path) -> None:
    """Remove the part files of a run."""
    for path in (folder / PARTS).glob("*.jsonl"):
        path.unlink()
    if (folder / PARTS).is_dir():
        (folder / PARTS).rmdir()


@contextmanager
def lock_run(folder: Path) -> Iterator[None]:
    """Hold the folder of a run for this process alone. The workers of a run that was killed are given time to exit."""
    with _open_for_append(folder / LOCK) as lock, _open_for_append(folder / WORKERS_LOCK) as workers:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise UsageError(
                f"run {folder} is locked by another process; wait for it, or choose another folder"
            ) from None
        until = time.monotonic() + WORKER_EXIT_TIMEOUT_S
        while True:
            try:
                fcntl.flock(workers, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError:
                if time.monotonic() > until:
                    raise UsageError(f"run {folder} is locked by workers of an earlier run that was killed") from None
                time.sleep(0.05)
        fcntl.flock(workers, fcntl.LOCK_UN)
        yield


def _open_for_append(path: Path) -> Any:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return path.open("ab")
    except OSError as e:
        raise StoreError(f"{path} cannot be written: {e.strerror}") from None
