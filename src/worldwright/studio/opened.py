"""Worlds that are open: a few at once, found by digest. A pack never changes, so what was worked out of it stays true."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock, RLock
from typing import Any, TypeVar, cast

from worldwright.core.errors import PackError, StoreError
from worldwright.facts.opened import OpenedPack, open_place
from worldwright.pack.open import read_manifest
from worldwright.store.index import read_index
from worldwright.store.store import Store
from worldwright.studio.places import PACK, Places
from worldwright.world.manifest import MANIFEST, Manifest

MAX_OPEN_WORLDS = 6
MAX_MANIFESTS = 20_000
T = TypeVar("T")


@dataclass(slots=True)
class OpenWorld:
    """A pack that is open, with what was worked out of it so far."""

    pack: OpenedPack
    lock: RLock = field(default_factory=RLock)
    """Held by whoever plays in the world: its environments are not for two threads at once."""
    _known: dict[Hashable, Any] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        return self.pack.world.digest

    def get(self, key: Hashable, work: Callable[[], T]) -> T:
        """What is known under a key, worked out the first time."""
        with self.lock:
            if key not in self._known:
                self._known[key] = work()
            return cast("T", self._known[key])


class Worlds:
    """The packs of a store and of folders, by digest."""

    def __init__(self, store: Store, places: Places) -> None:
        self.store = store
        self._places = places
        self._open: OrderedDict[str, OpenWorld] = OrderedDict()
        self._manifests: OrderedDict[str, Manifest] = OrderedDict()
        self._lock = Lock()
        self._opening: dict[str, Lock] = {}

    def list_folders(self) -> Iterator[tuple[str, Path]]:
        """The packs that lie in folders, by digest."""
        for place in self._places.list_places(PACK):
            try:
                manifest = read_manifest((place.path / MANIFEST).read_bytes())
            except (OSError, PackError):
                continue
            yield manifest.digest, place.path

    def find(self, digest: str) -> Path:
        """Where the pack of a digest lies: in the store, or in a folder."""
        if len(digest) == 64 and set(digest) <= set("0123456789abcdef"):
            if digest in self.store:
                return self.store.pack_path(digest)
            for found, path in self.list_folders():
                if found == digest:
                    return path
        raise StoreError("there is no world of that digest here; it may have been removed from the store")

    def read_manifest(self, digest: str) -> Manifest:
        """The manifest of a pack, without opening the rest of it."""
        with self._lock:
            if digest in self._manifests:
                return self._manifests[digest]
        path = self.find(digest)
        raw = (path / MANIFEST).read_bytes() if path.is_dir() else read_index(path).manifest
        found = read_manifest(raw)
        with self._lock:
            self._manifests[digest] = found
            while len(self._manifests) > MAX_MANIFESTS:
                self._manifests.popitem(last=False)
        return found

    def list_open(self) -> list[OpenWorld]:
        """The worlds that are open now."""
        with self._lock:
            return list(self._open.values())

    def open(self, digest: str) -> OpenWorld:
        """The world of a digest. Two who ask for it at once wait for one opening."""
        with self._lock:
            if digest in self._open:
                self._open.move_to_end(digest)
                return self._open[digest]
            opening = self._opening.setdefault(digest, Lock())
        with opening:
            with self._lock:
                if digest in self._open:
                    return self._open[digest]
            made = OpenWorld(open_place(self.find(digest)))
            with self._lock:
                self._open[digest] = made
                self._opening.pop(digest, None)
                while len(self._open) > MAX_OPEN_WORLDS:
                    self._open.popitem(last=False)
        return made
