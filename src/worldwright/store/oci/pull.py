"""Packs from a repository into the store, one after the other, so that what was pulled stays pulled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from worldwright.core.canonical import digest
from worldwright.core.errors import TamperedPack
from worldwright.store.blobs import SHA256
from worldwright.store.oci import spec
from worldwright.store.oci.layout import Layout, remove_layout
from worldwright.store.oci.packs import get_pack, parts_of
from worldwright.store.oci.registry import Repository
from worldwright.store.oci.transfer import Transfer, fetch, find_packs
from worldwright.store.store import Store, find_home


@dataclass(frozen=True, slots=True)
class PulledPack:
    """A pack that is in the store now."""

    reference: str
    digest: str
    was_there: bool


@dataclass(frozen=True, slots=True)
class PullResult:
    packs: tuple[PulledPack, ...]
    moved: Transfer


def pull(
    source: Repository, tag: str, progress: Callable[[int, str], None] = lambda total, figures: None
) -> PullResult:
    """Pull every pack under what the repository's reference means; each is kept and tagged. `progress` hears of each."""
    layout = Layout(find_home() / "oci" / "pulls" / digest([source.at.repository])[:16])
    moved, store = Transfer(), Store()
    found = find_packs(source, source.at.target, layout)
    names: dict[str, dict[str, str]] = {}
    got = []
    for blob in found:
        name, variant, world, was_there = _keep(source, blob, layout, moved, store)
        variants = names.setdefault(name, {})
        if variants.setdefault(variant, world) != world:
            raise TamperedPack(f"{source.at} has two packs that are called {name}/{variant}")
        got.append(PulledPack(f"{name}:{tag}/{variant}", world, was_there))
        progress(len(found), f"{moved.bytes / 1e6:,.1f} MB fetched")
    for name, variants in names.items():
        store.tag_all(name, tag, variants)
    remove_layout(layout)
    return PullResult(tuple(got), moved)


def _keep(
    source: Repository, blob: spec.Descriptor, layout: Layout, moved: Transfer, store: Store
) -> tuple[str, str, str, bool]:
    """Keep a pack in the store. Returns its name, variant and digest, and whether it was there before.

    A registry may say of any pack which world it is. Where the store has that world, it is the one that the registry stands for.
    """
    manifest = layout.manifest(blob)
    parts_of(manifest, blob.digest)
    variant = manifest.note(spec.VARIANT)
    world = manifest.note(spec.WORLD)
    there = SHA256.match(world) is not None and world in store
    pack = store.pack(world) if there else None
    if pack is None or not pack.whole:
        there = False
        fetch(source, blob, layout, moved)
        variant, pack = get_pack(layout, blob)
        store.put(pack.files, pack.manifest)
    return pack.manifest.name, variant or pack.manifest.digest[:12], pack.manifest.digest, there
