"""How deep the businesses of the catalogue are: worked out once for each Blueprint in a process of its own, and kept."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from threading import Lock, Thread
from typing import Any

from worldwright import catalogue
from worldwright.blueprint.depth import measure_depth
from worldwright.core.canonical import sha256
from worldwright.core.errors import StoreError
from worldwright.core.pool import map_in_processes
from worldwright.core.version import VERSION
from worldwright.core.whole_file import write_whole


def measure(name: str) -> tuple[str, dict[str, Any]]:
    """Measure one business."""
    return name, asdict(measure_depth(catalogue.load(name)))


class CatalogueMeasures:
    """What is known of the catalogue so far; the rest is worked out while nobody waits for it."""

    def __init__(self, file: Path, works: bool = True) -> None:
        """`works`: whether what is not known is worked out; else it stays unknown."""
        self._file = file
        self._works = works
        self._lock = Lock()
        self._known: dict[str, dict[str, Any]] = {}
        self._worker: Thread | None = None
        self._ids = {name: sha256(f"{VERSION} {catalogue.text(name)}".encode()) for name in catalogue.names()}
        with suppress(OSError, ValueError, AttributeError):
            held = json.loads(file.read_text(encoding="utf-8"))
            self._known = {n: held[i] for n, i in self._ids.items() if isinstance(held.get(i), dict)}

    def get(self, name: str) -> dict[str, Any]:
        """What is known of one; nothing yet, where it is still being worked out."""
        with self._lock:
            if self._works and self._worker is None and len(self._known) < len(self._ids):
                self._worker = Thread(target=self._work, daemon=True)
                self._worker.start()
            return self._known.get(name, {})

    def _work(self) -> None:
        left = [name for name in self._ids if name not in self._known]
        for outcome in map_in_processes(measure, left, 1):
            if outcome.result is not None:
                with self._lock:
                    self._known[outcome.item] = outcome.result[1]
        with suppress(StoreError):
            write_whole(self._file, json.dumps({self._ids[name]: found for name, found in self._known.items()}))
