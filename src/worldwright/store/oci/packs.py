"""A pack as an OCI artifact: cut into layers by what variants share, and put together again with every check.

    blueprint    blueprint.yaml, policy.md, contract.json     the same for worlds that differ by their seed only
    tools        tools/, tools.json                           the same wherever no rule reaches into a tool
    world        manifest.json, state.db, tasks/              the world's own
    tests        tests/                                       of the tools
    grader       keys/, vcode/, and all the rest              the world's own, for those who judge

Every path in a layer begins with `world/`: the first three are layers of the world's image too, byte for byte.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from worldwright.core.canonical import canonical_json, digest, sha256
from worldwright.core.errors import TamperedPack
from worldwright.pack.files import MAX_TOTAL, read_pack
from worldwright.pack.open import Pack, check_pack
from worldwright.store.oci import spec
from worldwright.store.oci.layout import Layout
from worldwright.store.oci.tars import layer

ROOT = "world/"
WORLD_GROUPS = ("blueprint", "tools", "world")
"""What a world runs on."""
GROUPS = (*WORLD_GROUPS, "tests", "grader")
REST = "grader"
_GROUP_OF = {
    "blueprint.yaml": "blueprint", "contract.json": "blueprint", "policy.md": "blueprint",
    "tools": "tools", "tools.json": "tools",
    "manifest.json": "world", "state.db": "world", "tasks": "world",
    "tests": "tests",
}  # fmt: skip


def group_of(path: str) -> str:
    """The layer of a file. What is not known is for those who judge."""
    return _GROUP_OF.get(path.split("/")[0], REST)


@dataclass(frozen=True, slots=True)
class CutPack:
    """A layer in a layout, and the digest of what is packed in it."""

    blob: spec.Descriptor
    diff_id: str


@dataclass(frozen=True, slots=True)
class Cutter:
    """Layers of packs in a layout. What several packs share is packed once."""

    layout: Layout
    _done: dict[str, CutPack] = field(default_factory=dict)

    def cut(self, pack: Pack, groups: tuple[str, ...] = GROUPS) -> dict[str, CutPack]:
        """The layers of a pack by group; one that would be empty is left out."""
        parts: dict[str, dict[str, bytes]] = {}
        for path, data in pack.files.items():
            if (group := group_of(path)) in groups:
                parts.setdefault(group, {})[ROOT + path] = data
        return {group: self._pack_layer(group, parts[group]) for group in groups if group in parts}

    def reuse(self, other: Cutter) -> None:
        """Take over what another has packed, so that it need not be packed again."""
        for key, cut in other._done.items():
            if key not in self._done:
                self.layout.take(other.layout, [cut.blob])
                self._done[key] = cut

    def _pack_layer(self, group: str, files: Mapping[str, bytes]) -> CutPack:
        key = digest([group, {path: sha256(data) for path, data in files.items()}])
        if key not in self._done:
            tar = layer(files)
            self._done[key] = CutPack(self.layout.put(tar.data, spec.pack_layer(group)), tar.diff_id)
        return self._done[key]


def make_annotations(pack: Pack, variant: str) -> dict[str, str]:
    """Make the annotations that are written on everything that holds a world."""
    m = pack.manifest
    return {
        spec.TITLE: f"{m.name}/{variant}",
        spec.VERSION: m.built_with,
        spec.NAME: m.name,
        spec.VARIANT: variant,
        spec.WORLD: m.digest,
    }


def put_pack(cutter: Cutter, pack: Pack, variant: str, ref_name: str = "") -> spec.Descriptor:
    """A pack as an artifact in a layout. The same pack is the same artifact."""
    if not pack.whole:
        raise TamperedPack(f"{pack.manifest.name} came without its keys; only a whole pack can be pushed")
    layers = [cut.blob for cut in cutter.cut(pack).values()]
    m = pack.manifest
    facts = {"name": m.name, "variant": variant, "digest": m.digest, "seed": m.seed, "counts": m.counts}
    config = cutter.layout.put(canonical_json(facts), spec.PACK_CONFIG)
    written = make_annotations(pack, variant)
    manifest = spec.Manifest(
        media_type=spec.MANIFEST, artifact_type=spec.PACK, config=config, layers=tuple(layers), annotations=written
    )
    blob = cutter.layout.put(manifest.encode(), spec.MANIFEST)
    named = {**written, **({spec.REF_NAME: ref_name} if ref_name else {})}
    return blob.model_copy(update={"artifact_type": spec.PACK, "annotations": named})


def put_gym(layout: Layout, packs: tuple[spec.Descriptor, ...]) -> spec.Descriptor:
    """An index of packs: a family under one name."""
    index = spec.Index(media_type=spec.INDEX, artifact_type=spec.GYM, manifests=packs)
    return layout.put(index.encode(), spec.INDEX)


def parts_of(manifest: spec.Manifest, where: str) -> dict[str, spec.Descriptor]:
    """The layers of what says that it is a pack, by group. Nothing of them is fetched or read before this has looked."""
    if manifest.artifact_type != spec.PACK:
        what = manifest.artifact_type or manifest.config.media_type
        hint = ": an image is run, with podman or docker" if manifest.config.media_type == spec.CONFIG else ""
        raise TamperedPack(f"{where} is not a pack but {what[:100]}{hint}")
    known = {spec.pack_layer(group): group for group in GROUPS}
    out: dict[str, spec.Descriptor] = {}
    for part in manifest.layers:
        group = known.pop(part.media_type, None)
        if group is None:
            raise TamperedPack(f"{where} has a layer of an unknown or repeated type, {part.media_type[:100]}")
        out[group] = part
    if sum(part.size for part in out.values()) > MAX_TOTAL:
        raise TamperedPack(f"{where} is larger than {MAX_TOTAL // 1024**2} MiB")
    return out


def get_pack(layout: Layout, blob: spec.Descriptor) -> tuple[str, Pack]:
    """The variant and the pack of an artifact, with every check that opening a pack makes."""
    manifest = layout.manifest(blob)
    files: dict[str, bytes] = {}
    for group, part in parts_of(manifest, blob.digest).items():
        files |= _unpack_layer(layout, part, group)
        if sum(map(len, files.values())) > MAX_TOTAL:
            raise TamperedPack(f"{blob.digest} is larger than {MAX_TOTAL // 1024**2} MiB")
    pack = check_pack(files)
    if not pack.whole:
        raise TamperedPack(f"{blob.digest} holds {pack.manifest.name} without its keys")
    if manifest.note(spec.WORLD) not in ("", pack.manifest.digest):
        raise TamperedPack(f"{blob.digest} says that it is {manifest.note(spec.WORLD)}, and is {pack.manifest.digest}")
    return manifest.note(spec.VARIANT), pack


def _unpack_layer(layout: Layout, part: spec.Descriptor, group: str) -> dict[str, bytes]:
    """Read the files of one layer, by their paths in the pack: only such as belong there."""
    if not layout.has(part):
        raise TamperedPack(f"the layer {part.digest} is missing or cut short")
    files = {}
    for path, data in read_pack(layout.path(part.digest)).items():
        inside = path.removeprefix(ROOT)
        if inside == path or group_of(inside) != group:
            raise TamperedPack(f"the layer `{group}` holds {path}, which is not its own")
        files[inside] = data
    return files
