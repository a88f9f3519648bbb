"""Waiting until somebody saves a file of the bench."""

from __future__ import annotations

import time
from pathlib import Path

from worldwright.author.folder import AUTHORS_OWN

EVERY_S = 0.5


def _marks(folder: Path) -> tuple[tuple[str, int, int], ...]:
    found = [(file, (folder / file).stat()) for file in AUTHORS_OWN if (folder / file).is_file()]
    return tuple((file, s.st_mtime_ns, s.st_size) for file, s in found)


def wait_for_change(folder: Path) -> None:
    """Return when a file of the author's has changed."""
    before = _marks(folder)
    while _marks(folder) == before:
        time.sleep(EVERY_S)
