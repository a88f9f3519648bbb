"""What the tags of a repository stand for, told from their manifests alone."""

from __future__ import annotations

from worldwright.core.errors import TamperedPack
from worldwright.store.oci import spec
from worldwright.store.oci.registry import Repository


def list_tags(source: Repository) -> list[dict[str, str]]:
    """Every tag: kind (image, pack, gym or other), the world where there is one, and the digest."""
    out = []
    for tag in source.tags():
        data, media_type = source.get(tag)
        kind, world = _kind(data, media_type)
        out.append({"tag": tag, "kind": kind, "world": world, "digest": spec.digest_of(data)})
    return out


def _kind(data: bytes, media_type: str) -> tuple[str, str]:
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
