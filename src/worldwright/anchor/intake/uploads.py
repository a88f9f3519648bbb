"""Uploads: the bytes of what was given, each under a name of its own, read once and never again.

A folder becomes its files. Nothing is followed that leads out of what was given, and nothing is unpacked onto the disk.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from worldwright.core.errors import StoreError, UsageError

MAX_FILE_BYTES = 100 * 1024 * 1024
"""Of one file. Larger ones are refused: a contract or a schema of that size is a mistake, and data can be sampled."""
MAX_FILES = 20_000


@dataclass(frozen=True, slots=True)
class Upload:
    """One file of what was given."""

    name: str
    """With `/`, relative to what was given."""
    data: bytes

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.data).hexdigest()


def read_uploads(path: Path) -> Iterator[Upload]:
    """The files under a path, in order of their names."""
    try:
        there = path.exists()
    except (OSError, ValueError) as e:
        why = e.strerror if isinstance(e, OSError) else e
        raise StoreError(f"{str(path)[:200]} is no path: {why}") from None
    if not there:
        raise StoreError(f"{path} is not there")
    if path.is_file():
        yield Upload(_named(path.name), _read(path))
        return
    root = path.resolve()
    found = 0
    for file in sorted(root.rglob("*")):
        if (
            file.is_symlink()
            or not file.is_file()
            or any(part.startswith(".git") for part in file.relative_to(root).parts)
        ):
            continue
        found += 1
        if found > MAX_FILES:
            raise UsageError(f"{path} holds more than {MAX_FILES:,} files: give the folders that matter")
        yield Upload(_named(file.relative_to(root).as_posix()), _read(file))


def _named(name: str) -> str:
    """A name that can be written down, whatever bytes it has on the disk."""
    plain = name.encode("utf-8", "replace").decode("utf-8")
    return "".join(ch if ch.isprintable() else "?" for ch in plain)


def _read(path: Path) -> bytes:
    if path.stat().st_size > MAX_FILE_BYTES:
        raise UsageError(f"{path} is larger than {MAX_FILE_BYTES // 2**20} MiB; give a smaller part of it")
    try:
        return path.read_bytes()
    except OSError as e:
        raise UsageError(f"{path} cannot be read: {e.strerror}") from None
