"""Files that are there whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedWriter
from pathlib import Path

from worldwright.core.errors import StoreError


@contextmanager
def replace_file(path: Path) -> Iterator[BufferedWriter]:
    """Open a file to write. It takes its place when all of it is on the disk; until then, and where that fails, nothing changes."""
    work = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, work = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        with os.fdopen(handle, "wb") as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        Path(work).chmod(0o644)
        Path(work).replace(path)
        work = None
    except OSError as e:
        raise StoreError(f"{path} cannot be written: {e.strerror or e}") from None
    finally:
        if work is not None:
            Path(work).unlink(missing_ok=True)


def write_whole(path: Path, text: str) -> None:
    with replace_file(path) as out:
        out.write(text.encode())


def sync_folder(folder: Path) -> None:
    """Make sure that the names in a folder survive a crash."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
