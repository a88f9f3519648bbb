"""Every blob and every pack of a store read again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from worldwright.core.errors import PackError, StoreError
from worldwright.pack.files import MAX_TOTAL
from worldwright.store.locks import lock_for_sweeping
from worldwright.store.store import Store

BLOB, PACK, REFERENCE = "blob", "pack", "reference"


@dataclass(frozen=True, slots=True)
class Damage:
    """One thing that is not what it should be."""

    kind: str
    name: str
    """The digest, or the reference."""
    problem: str


@dataclass(frozen=True, slots=True)
class VerifyResult:
    packs: int
    blobs: int
    damage: tuple[Damage, ...]


def verify(store: Store, step: Callable[[], None] = lambda: None) -> VerifyResult:
    """Blobs against their digests, packs file by file, references against packs. `step` hears every blob and every pack."""
    found: list[Damage] = []
    blobs = [digest for digest, _ in store.blobs.list_sizes()]
    for digest in blobs:
        try:
            store.blobs.get_checked(digest, MAX_TOTAL)
        except PackError as e:
            found.append(Damage(BLOB, digest, str(e)))
        step()
    packs = store.digests()
    for digest in packs:
        try:
            store.pack(digest)
        except PackError as e:
            found.append(Damage(PACK, digest, str(e)))
        step()
    return VerifyResult(len(packs), len(blobs), (*found, *_references(store)))


def _references(store: Store) -> list[Damage]:
    out: list[Damage] = []
    for name, tag in store.list_references():
        try:
            missing = {v: d for v, d in store.variants(name, tag).items() if d not in store}
        except StoreError as e:
            out.append(Damage(REFERENCE, f"{name}:{tag}", str(e)))
            continue
        out += [Damage(REFERENCE, f"{name}:{tag}/{v}", f"the pack {d} is not there") for v, d in missing.items()]
    return out


def remove(store: Store, damage: tuple[Damage, ...]) -> int:
    """Remove damaged blobs and packs, so that building the packs again puts them back. References stay."""
    paths = {BLOB: store.blobs.path, PACK: store.pack_path}
    going = [paths[d.kind](d.name) for d in damage if d.kind in paths]
    with lock_for_sweeping(store.root):
        try:
            for path in going:
                path.unlink(missing_ok=True)
        except OSError as e:
            raise StoreError(f"the store at {store.root} cannot be written: {e.strerror}") from None
    return len(going)
