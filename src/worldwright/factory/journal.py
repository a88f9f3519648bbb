"""The journal of a run: a line for every world that ended, so that a run which was stopped in any way goes on where it was.

    $WORLDWRIGHT_HOME/runs/ORDER/
    ├── order.json         what was asked for
    ├── journal.jsonl      a line per world, in the order in which they ended
    ├── worlds.jsonl       at the end: a line per world, in the order of the plan
    └── report.json        at the end: counts and figures

One process writes. It may be killed at any moment: a line that was torn then does not count, and its world is built again.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from io import BufferedRandom
from pathlib import Path
from typing import IO, Any

from worldwright.core.canonical import canonical_json, pretty_json
from worldwright.core.errors import StoreError, UsageError
from worldwright.core.whole_file import replace_file, write_whole
from worldwright.factory.order import Order
from worldwright.store.blobs import SHA256

RUNS = "runs"
ORDER, JOURNAL, WORLDS, REPORT, LOCK = "order.json", "journal.jsonl", "worlds.jsonl", "report.json", ".lock"
DIGEST_CHARS = 16
"""Of the order's digest, as the name of its folder."""
LOCK_ATTEMPTS, LOCK_WAIT_SECONDS = 5, 0.02
SYNC_SECONDS = 1.0
"""Seconds of lines, at most, that a crash of the whole machine may take."""

Key = tuple[str, str]
"""Family and variant."""


@dataclass(frozen=True, slots=True)
class Row:
    """What came of one world."""

    family: str
    variant: str
    seed: int
    digest: str = ""
    tasks: int = 0
    bytes: int = 0
    """Of its files, unpacked."""
    seconds: float = 0.0
    core: float = 0.0
    """Seconds of one core."""
    problem: str = ""

    @property
    def key(self) -> Key:
        return self.family, self.variant

    @property
    def ok(self) -> bool:
        return bool(self.digest)

    def data(self) -> dict[str, Any]:
        return asdict(self)


_TYPES = {field.name: field.type for field in fields(Row)}
_CHECKS: dict[str, tuple[type, ...]] = {"str": (str,), "int": (int,), "float": (int, float)}


def row_of(line: bytes) -> Row | None:
    """The row of a line, or None where the line is none: torn, or damaged."""
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(data, dict) or data.keys() != _TYPES.keys():
        return None
    fits = all(isinstance(data[name], _CHECKS[str(kind)]) for name, kind in _TYPES.items())
    return Row(**data) if fits and (not data["digest"] or SHA256.match(data["digest"])) else None


def folder_of(root: Path, order: Order) -> Path:
    """The folder of an order in the store at a place."""
    return root / RUNS / order.digest[:DIGEST_CHARS]


def read_rows(folder: Path) -> dict[Key, Row]:
    """Read what a journal says, by family and variant, while nobody or somebody else writes it."""
    try:
        with (folder / JOURNAL).open("rb") as file:
            return _keep_last(file)
    except FileNotFoundError:
        return {}
    except OSError as e:
        raise StoreError(f"{folder / JOURNAL} cannot be read: {e.strerror}") from None


def _keep_last(lines: Iterable[bytes]) -> dict[Key, Row]:
    """Keep the last row of each world."""
    return {row.key: row for row in map(row_of, lines) if row is not None}


@dataclass(frozen=True, slots=True)
class RunState:
    """A run as its folder shows it, to whoever only looks."""

    folder: Path
    order: Mapping[str, Any]
    rows: Mapping[Key, Row]
    report: Mapping[str, Any]
    """What came of it, where it has ended."""
    running: bool


def list_runs(root: Path) -> list[Path]:
    """The folders of the runs of a store, by the name of their orders."""
    folder = root / RUNS
    return sorted(path.parent for path in folder.glob(f"*/{ORDER}")) if folder.is_dir() else []


def look_at_run(folder: Path) -> RunState:
    """Look at a run, whether somebody is at it or not."""
    order, report = (_read_object(folder / name) for name in (ORDER, REPORT))
    return RunState(folder, order, read_rows(folder), report, _is_held(folder / LOCK))


def _read_object(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _is_held(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False


class Journal:
    """The folder of one run, open for one process."""

    def __init__(self, folder: Path, file: BufferedRandom) -> None:
        self.folder = folder
        self._file = file
        self._synced = time.monotonic()

    def read(self) -> dict[Key, Row]:
        """Read the last row that was written, by family and variant."""
        self._file.seek(0)
        out = _keep_last(self._file)
        self._file.seek(0, os.SEEK_END)
        return out

    def write(self, rows: Sequence[Row]) -> None:
        """Write some rows at once. A machine that loses its power loses a second of them, and they are built again."""
        with self._translate_errors(JOURNAL):
            self._file.write(b"".join(canonical_json(row.data()) + b"\n" for row in rows))
            self._file.flush()
            if time.monotonic() - self._synced >= SYNC_SECONDS:
                self.sync()

    def sync(self) -> None:
        os.fsync(self._file.fileno())
        self._synced = time.monotonic()

    def finish(self, rows: Sequence[Row], report: dict[str, Any]) -> None:
        """Write every world in the order of the plan, and the report. The report comes last: where it is, all is there."""
        with replace_file(self.folder / WORLDS) as out:
            for row in rows:
                out.write(canonical_json(row.data()) + b"\n")
        write_whole(self.folder / REPORT, pretty_json(report))

    def read_finished(self) -> tuple[list[Row], dict[str, Any]] | None:
        """Read what `finish` wrote, where it stands whole."""
        try:
            report = json.loads((self.folder / REPORT).read_bytes())
            rows = [row_of(line) for line in (self.folder / WORLDS).read_bytes().splitlines()]
        except (OSError, ValueError):
            return None
        found = [row for row in rows if row is not None]
        return (found, report) if isinstance(report, dict) and len(found) == len(rows) else None

    def clear(self) -> None:
        """Begin anew: what was built is built again. Packs in the store stay."""
        with self._translate_errors(JOURNAL):
            self.unfinish()
            self._file.seek(0)
            self._file.truncate()

    def unfinish(self) -> None:
        """There is something to do again."""
        with self._translate_errors(REPORT):
            (self.folder / REPORT).unlink(missing_ok=True)

    @contextmanager
    def _translate_errors(self, name: str) -> Iterator[None]:
        try:
            yield
        except OSError as e:
            raise StoreError(f"{self.folder / name} cannot be written: {e.strerror}") from None


@contextmanager
def open_journal(root: Path, order: Order) -> Iterator[Journal]:
    """Open the journal of an order, for this process alone."""
    folder = folder_of(root, order)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / LOCK).open("ab")
        file = (folder / JOURNAL).open("a+b")
    except OSError as e:
        raise StoreError(f"the store at {root} cannot be written: {e.strerror}") from None
    with lock, file:
        if not _take(lock):
            raise UsageError(
                f"another process is at this very run; wait until it ends, or stop it, and go on from what it built ({folder})"
            )
        _mend(file)
        if not (folder / ORDER).exists():
            write_whole(folder / ORDER, pretty_json(order.data()))
        yield Journal(folder, file)
        os.fsync(file.fileno())


def _take(lock: IO[bytes]) -> bool:
    """Take a lock for this process alone. Whoever only looks whether it is taken holds it for a moment, and is waited for."""
    for attempt in range(LOCK_ATTEMPTS):
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            time.sleep(LOCK_WAIT_SECONDS if attempt + 1 < LOCK_ATTEMPTS else 0)
        else:
            return True
    return False


def _mend(file: BufferedRandom) -> None:
    """Take away a line that was torn, so that the next begins at its beginning."""
    end = whole = file.seek(0, os.SEEK_END)
    while whole:
        start = max(0, whole - 4096)
        file.seek(start)
        at = file.read(whole - start).rfind(b"\n")
        whole = start + at + 1 if at >= 0 else start
        if at >= 0:
            break
    if whole != end:
        file.truncate(whole)
    file.seek(0, os.SEEK_END)
