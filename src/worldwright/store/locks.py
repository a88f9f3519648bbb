"""Who may do what at once: any number keep packs, one sweeps while nobody keeps any, one at a time changes tags.

Reading needs no lock: what is there does not change.
"""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from worldwright.core.errors import StoreError


@contextmanager
def lock_for_keeping(root: Path) -> Iterator[None]:
    """Held while a pack is kept or given a name: what it relies on is not swept away meanwhile."""
    with _lock(root, "sweep", fcntl.LOCK_SH):
        yield


@contextmanager
def lock_for_sweeping(root: Path) -> Iterator[None]:
    """Held while something is removed."""
    with _lock(root, "sweep", fcntl.LOCK_EX):
        yield


@contextmanager
def lock_for_tagging(root: Path) -> Iterator[None]:
    """Held while tags are read, changed and written."""
    with lock_for_keeping(root), _open_lock_file(root, "tags") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextmanager
def _lock(root: Path, name: str, how: int) -> Iterator[None]:
    """Take a lock by way of a turnstile, so that one who wants the store alone only waits for those who are inside."""
    with _open_lock_file(root, name) as file:
        with _open_lock_file(root, "turn") as turn:
            fcntl.flock(turn, fcntl.LOCK_EX)
            fcntl.flock(file, how)
        yield


def _open_lock_file(root: Path, name: str) -> IO[bytes]:
    """Open a file to lock. It is made where it is not there; one that is there need not be writable."""
    path = root / "locks" / name
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return path.open("ab")
    except OSError as e:
        raise StoreError(f"the store at {root} cannot be written: {e.strerror}") from None
