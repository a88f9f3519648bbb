"""What a build tells, as a file: a line of JSON for every event, while it happens, for whoever follows the build from elsewhere.

    {"at": 0.0, "event": "asked", "stages": ["tools", "situations", ...], ...}
    {"at": 0.2, "event": "stage_begun", "stage": "tools"}
    {"at": 8.1, "event": "rows_grown", "reached": "2025-03", "rows": {"vendor": 60, ...}}
    {"at": 64.0, "event": "done", "reference": "hotel_booking:latest/default-7", ...}

`at` counts seconds from the beginning. The writer holds a lock on the file as long as it lives, so a reader can tell a build
that is at work from one that was killed: then the file has no last line (done, failed or stopped), and nobody holds it.
"""

from __future__ import annotations

import fcntl
import json
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from io import BufferedWriter
from pathlib import Path
from typing import Any

from worldwright.core.errors import StoreError, UsageError, WorldwrightError
from worldwright.kinds import build_events
from worldwright.kinds.build_events import BuildEvent

ASKED, ORDER, DONE, FAILED, STOPPED = "asked", "order", "done", "failed", "stopped"
PLANNED, WORKER = "planned", "worker"
"""Of many worlds: how many there will be and are, and what a worker took so far. Their worlds stand in the journal."""
ENDS = (DONE, FAILED, STOPPED)
_KINDS: Mapping[str, type[BuildEvent]] = {
    re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower(): kind
    for kind in (
        build_events.StageBegun,
        build_events.StageEnded,
        build_events.RowsGrown,
        build_events.GraphProposed,
        build_events.LinkProven,
        build_events.TaskFound,
        build_events.TaskLeftOut,
        build_events.TaskTried,
        build_events.RefereeDisagreed,
    )
}
_NAMES = {kind: name for name, kind in _KINDS.items()}


class BuildLog:
    """The file of one build, open for the process that builds. Without a file, it does nothing."""

    def __init__(self, file: BufferedWriter | None) -> None:
        self._file = file
        self._since = time.perf_counter()
        self.ended = False

    def hear(self, event: BuildEvent) -> None:
        if self._file is not None:
            self.write(_NAMES[type(event)], asdict(event))

    def end(self, how: str, **facts: Any) -> None:
        """Say how it ended: done, failed or stopped."""
        if not self.ended:
            self.write(how, facts)
            self.ended = True

    def write(self, name: str, facts: Mapping[str, Any]) -> None:
        if self._file is not None:
            line = {"at": round(time.perf_counter() - self._since, 3), "event": name, **facts}
            self._file.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")
            self._file.flush()


@contextmanager
def record_build(path: Path | None, asked: Mapping[str, Any]) -> Iterator[BuildLog]:
    """Write down what a build tells; what ends it is told as well. A file that is there already is not written over."""
    if path is None:
        yield BuildLog(None)
        return
    with _create(path) as file:
        log = BuildLog(file)
        log.write(ASKED, asked)
        try:
            yield log
        except KeyboardInterrupt:
            log.end(STOPPED)
            raise
        except WorldwrightError as e:
            log.end(FAILED, problem=str(e))
            raise


def _create(path: Path) -> BufferedWriter:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("xb")
    except FileExistsError:
        raise UsageError(f"{path} is there already: events are written to a file of their own") from None
    except OSError as e:
        raise StoreError(f"{path} cannot be written: {e.strerror}") from None
    fcntl.flock(file, fcntl.LOCK_EX)
    return file


# reading


@dataclass(frozen=True, slots=True)
class LoggedBuild:
    """What a file says of a build."""

    asked: Mapping[str, Any]
    """What it was asked for; of many worlds, with the folder of their journal."""
    events: tuple[tuple[float, BuildEvent], ...]
    """Each with the seconds from the beginning."""
    planned: Mapping[str, Any]
    """Of many worlds, how many there will be, and how many there were before."""
    workers: Mapping[str, Mapping[str, Any]]
    """Of many worlds, what each worker took so far, by its name."""
    end: str
    """done, failed or stopped; empty where it did not come to an end."""
    facts: Mapping[str, Any]
    """What the last line says: the world that was built, or what failed."""
    running: bool
    seconds: float
    """Until the last line."""

    @property
    def status(self) -> str:
        """How it is: running, done, failed, stopped, or killed."""
        return self.end or ("running" if self.running else "killed")


def read_build(path: Path) -> LoggedBuild:
    """Read what there is of a build. A line that is torn or damaged is left out."""
    try:
        with path.open("rb") as file:
            running = _is_held(file.fileno())
            lines = file.read().splitlines(keepends=True)
    except OSError as e:
        raise StoreError(f"{path} cannot be read: {e.strerror}") from None
    return _gather(filter(None, map(_parse, lines)), running)


def _is_held(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    fcntl.flock(descriptor, fcntl.LOCK_UN)
    return False


def _parse(line: bytes) -> dict[str, Any] | None:
    try:
        data = json.loads(line) if line.endswith(b"\n") else None
    except (ValueError, RecursionError):
        return None
    sound = isinstance(data, dict) and isinstance(data.get("event"), str) and isinstance(data.get("at"), (int, float))
    return data if sound else None


def _gather(lines: Iterable[dict[str, Any]], running: bool) -> LoggedBuild:
    asked: Mapping[str, Any] = {}
    events: list[tuple[float, BuildEvent]] = []
    end, facts, seconds = "", {}, 0.0
    planned: Mapping[str, Any] = {}
    workers: dict[str, Mapping[str, Any]] = {}
    for line in lines:
        seconds, name = float(line.pop("at")), line.pop("event")
        kind = _KINDS.get(name)
        if kind is not None and line.keys() == {field.name for field in fields(kind)}:
            events.append((seconds, kind(**line)))
        elif name in (ASKED, ORDER):
            asked = {**asked, **line}
        elif name == PLANNED:
            planned = line
        elif name == WORKER:
            workers[str(line.get("name"))] = line
        elif name in ENDS:
            end, facts = name, line
    return LoggedBuild(asked, tuple(events), planned, workers, end, facts, running, seconds)
