"""The images of a gym: a folder with two layouts, one to hand to agents and one to keep.

DIR/
├── worlds/      an image for each world, and a Dockerfile over the same layers; nothing in it judges
└── grader/      the whole packs, for whoever trains
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from worldwright.core.errors import StoreError, UsageError
from worldwright.core.whole_file import write_whole
from worldwright.pack.open import Pack
from worldwright.store.oci import spec
from worldwright.store.oci.base import Base
from worldwright.store.oci.image import ENVIRONMENT, PORT, SERVE, USER, WORLD, entrypoint, health, put_image
from worldwright.store.oci.layer_cache import LayerCache
from worldwright.store.oci.layout import Layout, is_layout
from worldwright.store.oci.packs import Cutter, put_gym, put_pack
from worldwright.store.oci.runtime import Runtime

DOCKERFILE = "Dockerfile"
WORLDS, GRADER = "worlds", "grader"
_NOT_IN_TAGS = re.compile(r"[^A-Za-z0-9_.-]")
MAX_TAG_CHARS = 100
_HEAD = """\
# The worlds of this folder as Docker builds them: the same layers on a base of your own, which has Python 3.{minor}.
#
#     docker build --target {first} -t {first} .
#     docker run --read-only --publish {port}:{port} --env WORLDWRIGHT_TOKEN {first}
#
# Keys and verifiers are in none of them: whoever trains pulls the pack, and judges the logs of episodes with it.
ARG BASE=python:3.{minor}-slim

FROM ${{BASE}} AS runtime
"""


def tag_of(variant: str, digest: str) -> str:
    """A variant as a tag of a registry; what had to be changed is told apart by the world's digest."""
    plain = _NOT_IN_TAGS.sub("-", variant).lstrip(".-") or "world"
    return plain if plain == variant and len(plain) <= MAX_TAG_CHARS else f"{plain[:MAX_TAG_CHARS]}-{digest[:12]}"


@dataclass(frozen=True, slots=True)
class GymImages:
    """A world as it lies in the folder."""

    name: str
    variant: str
    world: str
    """The digest of the whole pack."""
    tag: str
    image: str
    """The digest of the image."""
    own: int
    """Bytes of its layers that are not base and runtime."""
    total: int


def write_gym(
    packs: Iterable[tuple[str, Pack]],
    base: Base,
    runtime: Runtime,
    workshop: LayerCache,
    folder: Path,
    progress: Callable[[str], None] = lambda variant: None,
    replace: bool = False,
) -> tuple[GymImages, ...]:
    """The images of some worlds and their graders, under one folder. What is there already of other worlds stays.

    A tag that an image of another world has is taken from it only with `replace`.
    """
    worlds, grader = Layout(folder / WORLDS), Layout(folder / GRADER)
    cutter, keeper = Cutter(worlds), Cutter(grader)
    images, graders = [], []
    there = {image.tag: image.world for image in read_gym_images(folder)} if is_layout(worlds.root) else {}
    for variant, pack in packs:
        tag = tag_of(variant, pack.manifest.digest)
        if there.get(tag, pack.manifest.digest) != pack.manifest.digest and not replace:
            raise UsageError(
                f"{folder} has an image {tag} of another world; name another folder, or replace it with "
                "`worldwright images build --force`"
            )
        images.append(put_image(cutter, workshop, base, runtime, pack, variant, tag))
        keeper.reuse(cutter)
        graders.append(put_pack(keeper, pack, variant, tag))
        progress(variant)
    if not images:
        raise StoreError("there is no world to make an image of")
    worlds.name(images)
    grader.name(graders)
    write_whole(worlds.root / DOCKERFILE, _render_dockerfile(worlds, base, runtime))
    wanted = {blob.digest for blob in images}
    return tuple(s for s in read_gym_images(folder) if s.image in wanted)


def _render_dockerfile(layout: Layout, base: Base, runtime: Runtime) -> str:
    """Render a Dockerfile over the same layers, for people who have Docker: a stage for each world, built in the folder."""
    worlds = {
        blob.note(spec.REF_NAME): [part.digest for part in layout.manifest(blob).layers if part.note(spec.GROUP)]
        for blob in layout.index().manifests
    }
    python = f"python3.{base.python.minor}"
    first = _stage(next(iter(worlds)))
    lines = [_HEAD.format(minor=base.python.minor, port=PORT, first=first).rstrip()]
    lines += [_add(layer.digest) for layer in runtime.layers]
    lines += [f"ENV {name}={value}" for name, value in ENVIRONMENT.items()]
    lines += [f"USER {USER}", f"WORKDIR {WORLD}", f"EXPOSE {PORT}"]
    lines.append(
        f"HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD {json.dumps(health(python))}"
    )
    lines += [f"ENTRYPOINT {json.dumps(entrypoint(python))}", f"CMD {json.dumps(SERVE)}"]
    for name, layers in worlds.items():
        lines += ["", f"FROM runtime AS {_stage(name)}", *map(_add, layers)]
    return "\n".join(lines) + "\n"


def _stage(name: str) -> str:
    """Name an image as Docker has those of stages: in small letters, beginning with one."""
    return name.lower() if name[:1].isalpha() else f"world-{name.lower()}"


def _add(digest: str) -> str:
    """Docker unpacks a local tar file that is added."""
    return f"ADD blobs/sha256/{digest.removeprefix('sha256:')} /"


def read_gym_images(folder: Path) -> tuple[GymImages, ...]:
    """The worlds in a folder that `write_gym` wrote."""
    layout = Layout(folder / WORLDS)
    if not is_layout(layout.root):
        raise StoreError(f"{folder} holds no images; worldwright images build REF {folder} makes some")
    out = []
    for blob in layout.index().manifests:
        layers = layout.manifest(blob).layers
        own = sum(part.size for part in layers if part.note(spec.GROUP))
        out.append(
            GymImages(
                blob.note(spec.NAME), blob.note(spec.VARIANT), blob.note(spec.WORLD), blob.note(spec.REF_NAME),
                blob.digest, own, sum(part.size for part in layers),
            )
        )  # fmt: skip
    return tuple(out)


def graders(folder: Path) -> tuple[Layout, spec.Descriptor]:
    """The packs of such a folder as one gym."""
    layout = Layout(folder / GRADER)
    if not is_layout(layout.root):
        raise StoreError(f"{folder} holds no graders")
    return layout, put_gym(layout, _remove_names(layout.index().manifests))


def _remove_names(blobs: Iterable[spec.Descriptor]) -> tuple[spec.Descriptor, ...]:
    """Remove the names that blobs have in one layout."""
    return tuple(
        blob.model_copy(
            update={"annotations": {k: v for k, v in (blob.annotations or {}).items() if k != spec.REF_NAME}}
        )
        for blob in blobs
    )
