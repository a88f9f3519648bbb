"""What lies on this machine that the studio may show: runs, arenas, trainings, evolutions, benches and packs in folders.

Only what lies under a folder that was named, or where commands put it, is found. An id is looked up in the list of what was
found; no address is ever joined to a path.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from worldwright.core.errors import StoreError

RUN, ARENA, TRAINING, EVOLUTION, BENCH, PACK = "run", "arena", "training", "evolution", "bench", "pack"
MARKS: Mapping[str, str] = {
    "run.json": RUN,
    "arena.json": ARENA,
    "metrics.jsonl": TRAINING,
    "evolve.json": EVOLUTION,
    "bench.json": BENCH,
    "manifest.json": PACK,
}
"""The file by which each sort of folder is known."""
WHERE_COMMANDS_PUT = ("runs", "arena", "evolve", "worlds", "demo-worlds")
"""Folders that commands write to, where they were not told otherwise; benches lie beside them."""
MAX_DEPTH = 3
MAX_FOLDERS = 5_000


@dataclass(frozen=True, slots=True)
class Place:
    """A folder that was found."""

    id: str
    kind: str
    path: Path
    name: str
    within: str = ""
    """The id of the arena or evolution that it lies in."""


def find_places(named: Sequence[Path], here: Path) -> tuple[Place, ...]:
    """Everything under the folders that were named and where commands put it, in the order of their names."""
    roots = [*named, *(here / name for name in WHERE_COMMANDS_PUT)]
    found: dict[Path, Place] = {}
    budget = [MAX_FOLDERS]
    for root in roots:
        for place in _search(root, budget, MAX_DEPTH, ""):
            found.setdefault(place.path, place)
    for folder in (here, *_list_folders(here)):
        if (folder / "bench.json").is_file():
            found.setdefault(folder.resolve(), _make_place(folder, BENCH, ""))
    return tuple(sorted(found.values(), key=lambda place: (place.kind, place.name, place.id)))


def _search(folder: Path, budget: list[int], depth: int, within: str) -> Iterator[Place]:
    budget[0] -= 1
    if budget[0] < 0 or not folder.is_dir():
        return
    kinds = [kind for mark, kind in MARKS.items() if (folder / mark).is_file()]
    for kind in kinds:
        yield _make_place(folder, kind, within)
    if depth and not {RUN, TRAINING, BENCH, PACK}.intersection(kinds):
        inside = next((_identify(folder) for kind in kinds if kind in (ARENA, EVOLUTION)), within)
        for child in _list_folders(folder):
            yield from _search(child, budget, depth - 1, inside)


def _list_folders(folder: Path) -> list[Path]:
    """The folders in a folder; links to elsewhere are not followed."""
    try:
        with os.scandir(folder) as entries:
            names = sorted(e.name for e in entries if e.is_dir(follow_symlinks=False) and not e.name.startswith("."))
    except OSError:
        return []
    return [folder / name for name in names]


def _make_place(folder: Path, kind: str, within: str) -> Place:
    path = folder.resolve()
    return Place(_identify(folder), kind, path, path.name, within)


def _identify(folder: Path) -> str:
    return sha256(os.fsencode(folder.resolve())).hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class Places:
    """Where to look, each time somebody asks."""

    named: tuple[Path, ...]
    here: Path

    def list_places(self, *kinds: str) -> tuple[Place, ...]:
        return tuple(place for place in find_places(self.named, self.here) if place.kind in kinds)

    def find(self, kind: str, key: str) -> Place:
        for place in self.list_places(kind):
            if place.id == key:
                return place
        raise StoreError(f"there is no {kind} of that name here; it may have been moved or removed")
