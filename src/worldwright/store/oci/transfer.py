"""Between a layout and a repository: what is there already is not sent, and not fetched, again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from worldwright.core.errors import TamperedPack
from worldwright.store.oci import spec
from worldwright.store.oci.layout import Layout
from worldwright.store.oci.packs import parts_of
from worldwright.store.oci.registry import Repository

MAX_VARIANTS = 100_000
Progress = Callable[[spec.Descriptor, bool], None]
"""Hears of each blob, and whether it had to be moved."""


@dataclass(slots=True)
class Transfer:
    """What went over the wire, and what did not need to."""

    blobs: int = 0
    bytes: int = 0
    there_already: int = 0
    _seen: set[str] = field(default_factory=set)

    def __call__(self, blob: spec.Descriptor, moved: bool) -> None:
        if blob.digest in self._seen:
            return
        self._seen.add(blob.digest)
        self.blobs += moved
        self.bytes += blob.size if moved else 0
        self.there_already += not moved

    def data(self) -> dict[str, int]:
        return {"blobs": self.blobs, "bytes": self.bytes, "there_already": self.there_already}


def ignore_progress(blob: spec.Descriptor, moved: bool) -> None:
    pass


def push(
    layout: Layout, blob: spec.Descriptor, to: Repository, tag: str = "", progress: Progress = ignore_progress
) -> str:
    """An image, an artifact or an index of them, blobs first: what a tag stands for is always whole."""
    if blob.media_type == spec.INDEX:
        for part in spec.read(spec.Index, layout.read(blob), blob.digest).manifests:
            push(layout, part, to, "", progress)
    else:
        manifest = layout.manifest(blob)
        for part in (manifest.config, *manifest.layers):
            progress(part, to.send(layout, part))
    return to.put(layout.read(blob), blob.media_type, tag)


def find_packs(source: Repository, meant: str, layout: Layout) -> tuple[spec.Descriptor, ...]:
    """The packs under a tag or a digest: one, or all of an index. Their manifests are in the layout afterwards."""
    data, media_type = source.get(meant)
    if media_type == spec.INDEX:
        index = spec.read(spec.Index, data, meant)
        if index.artifact_type != spec.GYM:
            raise TamperedPack(f"{source.at} is an index of {index.artifact_type or 'images'}, not of packs")
        if len(index.manifests) > MAX_VARIANTS:
            raise TamperedPack(f"{source.at} names more than {MAX_VARIANTS:,} packs")
        return tuple(_manifest(source, blob, layout) for blob in index.manifests)
    return (layout.put(data, media_type or spec.MANIFEST),)


def _manifest(source: Repository, blob: spec.Descriptor, layout: Layout) -> spec.Descriptor:
    if not layout.has(blob):
        layout.put(source.get(blob.digest)[0], spec.MANIFEST)
    return blob


def fetch(source: Repository, blob: spec.Descriptor, layout: Layout, progress: Progress = ignore_progress) -> None:
    """Fetch every layer of a pack."""
    for part in parts_of(layout.manifest(blob), blob.digest).values():
        progress(part, source.fetch(layout, part))


def list_tags(source: Repository) -> list[dict[str, str]]:
    """List every tag: kind (image, pack, gym or other), the world where there is one, and the digest."""
    out = []
    for tag in source.tags():
        data, media_type = source.get(tag)
        kind, world = _describe_kind(data, media_type)
        out.append({"tag": tag, "kind": kind, "world": world, "digest": spec.digest_of(data)})
    return out


def _describe_kind(data: bytes, media_type: str) -> tuple[str, str]:
    try:
        if media_type == spec.INDEX:
            index = spec.read(spec.Index, data, "an index")
            return (f"gym of {len(index.manifests)}" if index.artifact_type == spec.GYM else "other"), ""
        manifest = spec.read(spec.Manifest, data, "a manifest")
    except TamperedPack:
        return "other", ""
    world = manifest.note(spec.WORLD)
    if manifest.artifact_type == spec.PACK:
        return "pack", world
    return ("image" if manifest.config.media_type == spec.CONFIG and world else "other"), world
