"""The base of an image: a file system with Python in it, from whatever form somebody has it in.

    DIR[:NAME]           an OCI layout, as skopeo and buildah write it
    FILE.tar[:NAME]      `docker save`, an OCI archive, or the tar of a root file system (gzip, xz or plain)
    TRANSPORT:...        docker-daemon:NAME, containers-storage:NAME, docker://NAME; skopeo fetches it and has to be there

Nothing of a base is run or unpacked: its tars are read for one question, where its Python is.
"""

from __future__ import annotations

import hashlib
import json
import platform
import re
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path
from typing import IO, Any

from worldwright.core.canonical import digest
from worldwright.core.errors import BuildError, StoreError, UsageError
from worldwright.store.oci import spec
from worldwright.store.oci.layer_cache import LayerCache, SharedLayers
from worldwright.store.oci.layout import IncomingBlob, Layout, is_layout
from worldwright.store.oci.python_in import ARCHITECTURES, Python, list_names, python_in
from worldwright.store.oci.tars import open_decompressed, open_gzip, read_chunks

TRANSPORTS = ("containers-storage:", "docker-daemon:", "docker://", "docker-archive:", "oci-archive:", "dir:")
LAYERS = {spec.LAYER: spec.LAYER, spec.DOCKER_LAYER: spec.LAYER, spec.PLAIN_LAYER: spec.PLAIN_LAYER}
"""Layers that are read, and what they are called in the image."""
_OF_A_LAYOUT = re.compile(r"(?:\./)?(oci-layout|index\.json|blobs/sha256/[0-9a-f]{64})\Z")


class Base(SharedLayers):
    """A base whose layers are in the workshop."""

    config: dict[str, Any]
    """As its image has it: architecture, environment, history."""
    python: Python


def read_base(source: str, workshop: LayerCache) -> Base:
    """The base that somebody named. Its layers are kept, so that the next time costs nothing."""
    if source.startswith(TRANSPORTS):
        with tempfile.TemporaryDirectory(prefix="worldwright-") as folder:
            return _read_layout(_fetch(source, Path(folder)), "", workshop)
    path, name = _path_and_name(source.removeprefix("oci:"))
    if path.is_dir():
        return _read_layout(path, name, workshop)
    key = digest(["file", _file_digest(path), name])
    return workshop.get_or_make(Base, key, lambda layout: _read_file(path, name, layout, workshop))


def _path_and_name(source: str) -> tuple[Path, str]:
    if Path(source).exists():
        return Path(source), ""
    before, mark, name = source.rpartition(":")
    if mark and Path(before).exists():
        return Path(before), name
    raise StoreError(
        f"there is no base at {source}; a base is an OCI layout, the file of `docker save`, a tar of a root file system, "
        f"or with skopeo one of {', '.join(TRANSPORTS)}"
    )


def _fetch(source: str, folder: Path) -> Path:
    if shutil.which("skopeo") is None:
        raise UsageError(f"a base from {source.partition(':')[0]} is fetched by skopeo, which is not installed here")
    target = folder / "base"
    command = ["skopeo", "copy", "--quiet", source, f"oci:{target}:base"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise StoreError(f"skopeo cannot fetch {source}: {done.stderr.strip()[-500:]}")
    return target


# an OCI layout


def _read_layout(folder: Path, name: str, workshop: LayerCache) -> Base:
    if not is_layout(folder):
        raise StoreError(
            f"{folder} is no OCI layout; a root file system is given as a tar: tar -C {folder} -c . > base.tar"
        )
    source = Layout(folder)
    blob = _choose_image(source, source.index(), name, str(folder))
    return workshop.get_or_make(Base, digest(["image", blob.digest]), lambda layout: _copy_image(source, blob, layout))


def _choose_image(source: Layout, index: spec.Index, name: str, where: str) -> spec.Descriptor:
    """Choose the image that is meant: of that name, for a machine like this one."""
    named = [b for b in index.manifests if not name or b.note(spec.REF_NAME) == name]
    fitting = [b for b in named if b.platform is None or _matches_machine(b.platform)]
    if len({b.digest for b in fitting}) != 1:
        known = ", ".join(sorted(b.note(spec.REF_NAME) or b.digest for b in index.manifests)) or "none"
        problem = f"no image {name}".rstrip() if not fitting else f"{len(fitting)} images"
        raise StoreError(f"{where} has {problem} for this machine; it has {known}. Name one as {where}:NAME")
    blob = fitting[0]
    if blob.media_type in (spec.INDEX, spec.DOCKER_INDEX):
        return _choose_image(source, spec.read(spec.Index, source.read(blob), blob.digest), "", where)
    return blob


def _matches_machine(found: spec.Platform) -> bool:
    return (found.os, found.architecture) == ("linux", ARCHITECTURES.get(platform.machine(), platform.machine()))


def _copy_image(source: Layout, blob: spec.Descriptor, layout: Layout) -> Base:
    manifest = source.manifest(blob)
    config = _config(source.read(manifest.config))
    layers = []
    for part in manifest.layers:
        if part.media_type not in LAYERS:
            raise BuildError(f"a layer of the base is {part.media_type}; one of {', '.join(LAYERS)} would be right")
        if not layout.has(part):
            try:
                with source.path(part.digest).open("rb") as stream, IncomingBlob(layout) as incoming:
                    for chunk in read_chunks(stream):
                        incoming.write(chunk)
                    incoming.keep(part)
            except OSError as e:
                raise StoreError(f"the base has no layer {part.digest}: {e.strerror}") from None
        layers.append(spec.Descriptor(media_type=LAYERS[part.media_type], digest=part.digest, size=part.size))
    return _base(layout, layers, config["rootfs"]["diff_ids"], config)


def _base(layout: Layout, layers: list[spec.Descriptor], diff_ids: list[str], config: dict[str, Any]) -> Base:
    if len(layers) != len(diff_ids):
        raise BuildError(f"the base has {len(layers)} layers, and its config names {len(diff_ids)}")
    python = python_in(list_names(layout.path(part.digest) for part in layers))
    config = {**config, "os": "linux", "architecture": ARCHITECTURES[python.machine]}
    return Base(layers=tuple(layers), diff_ids=tuple(diff_ids), config=config, python=python)


def _config(data: bytes) -> dict[str, Any]:
    try:
        config = json.loads(data)
        if isinstance(config, dict) and isinstance(config["rootfs"]["diff_ids"], list):
            return config
    except (ValueError, RecursionError, KeyError, TypeError):
        pass
    raise BuildError("the config of the base is not that of an image: it names no rootfs.diff_ids")


# a tar


def _read_file(path: Path, name: str, layout: Layout, workshop: LayerCache) -> Base:
    try:
        with tarfile.open(path) as tar:
            names = {member.name.removeprefix("./"): member for member in tar}
            if "oci-layout" in names:
                with tempfile.TemporaryDirectory(prefix="worldwright-") as folder:
                    _extract_layout(tar, Path(folder))
                    return _read_layout(Path(folder), name, workshop)
            if "manifest.json" in names and "usr" not in names:
                return _read_docker_archive(tar, name, layout)
        with path.open("rb") as raw, open_decompressed(raw) as stream:
            blob, diff_id = _put_layer(layout, stream)
    except (tarfile.TarError, EOFError, OSError) as e:
        raise StoreError(f"{path} is not a base that can be read: {e}") from None
    return _base(layout, [blob], [diff_id], {})


def _extract_layout(tar: tarfile.TarFile, folder: Path) -> None:
    for member in tar:
        if (m := _OF_A_LAYOUT.match(member.name)) and member.isfile():
            target = folder / m[1]
            target.parent.mkdir(parents=True, exist_ok=True)
            stream = tar.extractfile(member)
            assert stream is not None
            with target.open("wb") as out:
                shutil.copyfileobj(stream, out)


def _read_docker_archive(tar: tarfile.TarFile, name: str, layout: Layout) -> Base:
    try:
        images = json.loads(_member(tar, "manifest.json").read())
        fitting = [i for i in images if not name or any(t.endswith(name) for t in i.get("RepoTags") or ())]
        if len(fitting) != 1:
            tags = ", ".join(t for i in images for t in i.get("RepoTags") or ()) or "no names"
            raise StoreError(f"the archive has {len(fitting)} images that fit; it has {tags}")
        config = _config(_member(tar, fitting[0]["Config"]).read())
        paths = list(fitting[0]["Layers"])
    except (ValueError, KeyError, TypeError, AttributeError) as e:
        raise StoreError(f"manifest.json of the archive is not one of `docker save`: {e}") from None
    layers = []
    for at, expected in zip(paths, config["rootfs"]["diff_ids"], strict=False):
        with open_decompressed(_member(tar, at)) as stream:
            blob, diff_id = _put_layer(layout, stream)
        if diff_id != expected:
            raise StoreError(f"the layer {at} of the archive is not the one that its config names")
        layers.append(blob)
    return _base(layout, layers, config["rootfs"]["diff_ids"], config)


def _member(tar: tarfile.TarFile, name: str) -> IO[bytes]:
    stream = tar.extractfile(name)
    if stream is None:
        raise KeyError(name)
    return stream


def _put_layer(layout: Layout, plain: IO[bytes]) -> tuple[spec.Descriptor, str]:
    """Put a tar as a layer: compressed as all of ours are."""
    inside = hashlib.sha256()
    with IncomingBlob(layout) as incoming:
        with open_gzip(incoming) as out:
            for chunk in read_chunks(plain):
                inside.update(chunk)
                out.write(chunk)
        kept = incoming.keep()
    return spec.Descriptor(media_type=spec.LAYER, digest=kept, size=incoming.size), f"sha256:{inside.hexdigest()}"


def _file_digest(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as e:
        raise StoreError(f"the base at {path} cannot be read: {e.strerror}") from None
