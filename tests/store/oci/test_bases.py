"""A base in every form that people have one in, and what is said where it will not do."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import lzma
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.store.oci.conftest import GLIBC, root_tar

from worldwright.core.errors import BuildError, StoreError, TamperedPack, UsageError
from worldwright.store.oci import spec
from worldwright.store.oci.base import read_base
from worldwright.store.oci.layer_cache import LayerCache
from worldwright.store.oci.layout import Layout

PLAIN = root_tar("./usr/bin/python3.11", f"./{GLIBC}", "./etc/motd")
DIFF = f"sha256:{hashlib.sha256(PLAIN).hexdigest()}"
CONFIG = {
    "architecture": "amd64", "os": "linux", "config": {"Env": ["PATH=/usr/bin", "LANG=C.UTF-8"], "Labels": {"a": "b"}},
    "rootfs": {"type": "layers", "diff_ids": [DIFF]}, "history": [{"created_by": "somebody"}],
}  # fmt: skip


def rootfs(tmp_path: Path) -> str:
    (tmp_path / "base.tar").write_bytes(PLAIN)
    return str(tmp_path / "base.tar")


def rootfs_gz(tmp_path: Path) -> str:
    (tmp_path / "base.tar.gz").write_bytes(gzip.compress(PLAIN))
    return str(tmp_path / "base.tar.gz")


def rootfs_xz(tmp_path: Path) -> str:
    (tmp_path / "base.tar.xz").write_bytes(lzma.compress(PLAIN))
    return str(tmp_path / "base.tar.xz")


def put_layout(
    root: Path, ref_name: str = "slim", plain: bytes = PLAIN, media_type: str = spec.LAYER
) -> spec.Descriptor:
    layout = Layout(root)
    data = gzip.compress(plain) if media_type != spec.PLAIN_LAYER else plain
    config = {**CONFIG, "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(plain).hexdigest()}"]}}
    manifest = spec.Manifest(
        config=layout.put(json.dumps(config).encode(), spec.CONFIG), layers=(layout.put(data, media_type),)
    )
    blob = layout.put(manifest.encode(), spec.MANIFEST)
    layout.name([blob.model_copy(update={"annotations": {spec.REF_NAME: ref_name}})])
    return blob


def oci_layout(tmp_path: Path) -> str:
    put_layout(tmp_path / "oci")
    return str(tmp_path / "oci")


def plain_oci_layout(tmp_path: Path) -> str:
    put_layout(tmp_path / "oci", media_type=spec.PLAIN_LAYER)
    return f"oci:{tmp_path / 'oci'}:slim"


def many_machines(tmp_path: Path) -> str:
    """An index of one image for two kinds of machine, as registries have them."""
    layout = Layout(tmp_path / "oci")
    mine = put_layout(layout.root, "mine")
    other = put_layout(layout.root, "other", root_tar("nothing"))
    places = (("amd64", mine), ("arm64", other))
    index = spec.Index(
        manifests=tuple(b.model_copy(update={"platform": spec.Platform(os="linux", architecture=a)}) for a, b in places)
    )
    blob = layout.put(index.encode(), spec.INDEX)
    layout.name([blob.model_copy(update={"annotations": {spec.REF_NAME: "both"}})])
    return f"{layout.root}:both"


def oci_archive(tmp_path: Path) -> str:
    put_layout(tmp_path / "oci")
    with tarfile.open(tmp_path / "oci.tar", "w") as tar:
        tar.add(tmp_path / "oci", ".")
    return str(tmp_path / "oci.tar")


def docker_archive(tmp_path: Path) -> str:
    members = {
        "abc.json": json.dumps(CONFIG).encode(),
        "def/layer.tar": PLAIN,
        "manifest.json": json.dumps(
            [{"Config": "abc.json", "RepoTags": ["python:slim"], "Layers": ["def/layer.tar"]}]
        ).encode(),
    }
    with tarfile.open(tmp_path / "docker.tar", "w") as tar:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return str(tmp_path / "docker.tar")


FORMS = (rootfs, rootfs_gz, rootfs_xz, oci_layout, plain_oci_layout, oci_archive, docker_archive, many_machines)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_a_base_is_read_in_every_form(
    form: Callable[[Path], str], tmp_path: Path, workshop: LayerCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    source = form(tmp_path)
    base = read_base(source, workshop)
    assert base.python.path == "/usr/bin/python3.11"
    assert (base.python.minor, base.python.machine, base.python.libc) == (11, "x86_64", "glibc")
    assert base.diff_ids == (DIFF,)
    assert base.config["architecture"] == "amd64"
    [layer] = base.layers
    kept = workshop.layout.path(layer.digest).read_bytes()
    assert spec.digest_of(kept) == layer.digest
    assert (gzip.decompress(kept) if layer.media_type == spec.LAYER else kept) == PLAIN
    assert read_base(source, workshop) == base


def test_what_was_kept_is_not_read_again_and_what_was_lost_is(tmp_path: Path, workshop: LayerCache) -> None:
    source = rootfs(tmp_path)
    base = read_base(source, workshop)
    blob = workshop.layout.path(base.layers[0].digest)
    stamp = blob.stat().st_mtime_ns
    read_base(source, workshop)
    assert blob.stat().st_mtime_ns == stamp
    blob.unlink()
    assert read_base(source, workshop) == base
    assert blob.is_file()


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (("usr/bin/python3.11", "usr/local/bin/python3.13", GLIBC), ("/usr/local/bin/python3.13", 13, "glibc")),
        (("usr/bin/python3.12", "usr/bin/python3.9", GLIBC), ("/usr/bin/python3.12", 12, "glibc")),
        (("usr/bin/python3.9", "usr/local/bin/python3.8", "opt/py/bin/python3.12", GLIBC), ("/opt/py/bin/python3.12", 12, "glibc")),
        (("usr/local/bin/python3.12", "lib/ld-musl-x86_64.so.1"), ("/usr/local/bin/python3.12", 12, "musl")),
    ],
)  # fmt: skip
def test_which_python(
    paths: tuple[str, ...], expected: tuple[str, int, str], tmp_path: Path, workshop: LayerCache
) -> None:
    (tmp_path / "b.tar").write_bytes(root_tar(*paths))
    found = read_base(str(tmp_path / "b.tar"), workshop).python
    assert (found.path, found.minor, found.libc) == expected


@pytest.mark.parametrize(
    ("paths", "message"),
    [
        (("etc/motd", GLIBC), "no /usr/bin/python3.N at all"),
        (("usr/bin/python3.9", GLIBC), "has /usr/bin/python3.9"),
        (("usr/bin/python3.11",), "no ld-linux"),
    ],
)
def test_a_base_that_will_not_do(paths: tuple[str, ...], message: str, tmp_path: Path, workshop: LayerCache) -> None:
    (tmp_path / "b.tar").write_bytes(root_tar(*paths))
    with pytest.raises(BuildError, match=message):
        read_base(str(tmp_path / "b.tar"), workshop)


def test_what_is_said_of_things_that_are_no_base(
    tmp_path: Path, workshop: LayerCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(StoreError, match="there is no base at"):
        read_base(str(tmp_path / "nothing.tar"), workshop)
    (tmp_path / "text.tar").write_text("hello")
    with pytest.raises(StoreError, match="not a base that can be read"):
        read_base(str(tmp_path / "text.tar"), workshop)
    (tmp_path / "root").mkdir()
    with pytest.raises(StoreError, match=r"given as a tar: tar -C"):
        read_base(str(tmp_path / "root"), workshop)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match="skopeo, which is not installed"):
        read_base("docker-daemon:python:3.12", workshop)


def test_a_layout_with_several_images_asks_which(tmp_path: Path, workshop: LayerCache) -> None:
    put_layout(tmp_path / "oci", "one")
    put_layout(tmp_path / "oci", "two", root_tar("usr/bin/python3.12", GLIBC))
    with pytest.raises(StoreError, match=r"2 images.*one, two.*oci:NAME"):
        read_base(str(tmp_path / "oci"), workshop)
    assert read_base(f"{tmp_path / 'oci'}:two", workshop).python.minor == 12
    with pytest.raises(StoreError, match="no image three"):
        read_base(f"{tmp_path / 'oci'}:three", workshop)


def test_a_layer_that_is_not_what_its_digest_says(tmp_path: Path, workshop: LayerCache) -> None:
    layout = Layout(tmp_path / "oci")
    blob = put_layout(layout.root)
    layer = layout.manifest(blob).layers[0]
    layout.path(layer.digest).write_bytes(bytes(layer.size))
    with pytest.raises(TamperedPack, match="arrived as something else"):
        read_base(str(layout.root), workshop)
    layout.path(layer.digest).unlink()
    with pytest.raises(StoreError, match="has no layer"):
        read_base(str(layout.root), workshop)


def test_a_layer_of_another_kind(tmp_path: Path, workshop: LayerCache) -> None:
    put_layout(tmp_path / "oci", media_type="application/vnd.oci.image.layer.v1.tar+zstd")
    with pytest.raises(BuildError, match=r"tar\+zstd; one of .* would be right"):
        read_base(str(tmp_path / "oci"), workshop)
