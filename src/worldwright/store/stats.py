"""What a store holds, and what sharing saves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from worldwright.store.index import read_index
from worldwright.store.store import Store

MAX_SHARED_BLOBS = 10


@dataclass(frozen=True, slots=True)
class Shared:
    """A blob that several packs need."""

    part: str
    """What it is in a pack: `tools/`, `blueprint.yaml`."""
    family: str
    """The name of one world that has it."""
    digest: str
    packs: int
    bytes: int
    saved: int
    """The bytes that its further copies would take."""


@dataclass(frozen=True, slots=True)
class Stats:
    packs: int
    families: int
    """Worlds of different names."""
    untagged: int
    references: int
    blobs: int
    unused_blobs: int
    """Blobs that no pack needs: `gc` removes them."""
    bytes: int
    """Of all blobs and indexes."""
    bytes_unshared: int
    """The same if every pack had its own blobs."""
    bytes_as_folders: int
    """The files of all packs as they are when unpacked."""
    shared: tuple[Shared, ...]
    """What saves most."""


def count_store(store: Store, step: Callable[[], None] = lambda: None) -> Stats:
    """Count everything that a store holds. `step` hears every pack."""
    size = dict(store.blobs.list_sizes())
    uses: Counter[str] = Counter()
    seen: dict[str, tuple[str, str]] = {}
    families: set[str] = set()
    indexes = unshared = files = 0
    digests = store.digests()
    for digest in digests:
        index = read_index(store.pack_path(digest))
        families.add(index.name)
        indexes += store.pack_path(digest).stat().st_size
        files += index.bytes
        for part, blob in index.blobs.items():
            uses[blob] += 1
            unshared += size.get(blob, 0)
            seen.setdefault(blob, (part, index.name))
        step()
    shared = [Shared(*seen[b], b, n, size[b], (n - 1) * size[b]) for b, n in uses.items() if n > 1 and b in size]
    shared.sort(key=lambda s: (-s.saved, s.digest))
    return Stats(
        packs=len(digests),
        families=len(families),
        untagged=len(set(digests) - find_tagged(store)),
        references=len(store.list_references()),
        blobs=len(size),
        unused_blobs=len(set(size) - set(uses)),
        bytes=sum(size.values()) + indexes,
        bytes_unshared=unshared + indexes,
        bytes_as_folders=files,
        shared=tuple(shared[:MAX_SHARED_BLOBS]),
    )


def find_tagged(store: Store) -> set[str]:
    """The digests that have a name."""
    return {digest for reference in store.list_references() for digest in store.variants(*reference).values()}
