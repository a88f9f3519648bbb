"""A pack as an artifact: the same twice, shared where it can be, and believed only after every check."""

from __future__ import annotations

import gzip
import io
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.effort import examples
from tests.worlds import drop_grader_files

from worldwright.core.canonical import canonical_json
from worldwright.core.errors import PackError, TamperedPack
from worldwright.pack.open import Pack, check_pack
from worldwright.pack.sides import is_world_file
from worldwright.store.oci import spec
from worldwright.store.oci.layout import Layout
from worldwright.store.oci.packs import GROUPS, WORLD_GROUPS, Cutter, get_pack, group_of, put_pack
from worldwright.store.oci.tars import layer


def put(pack: Pack, root: Path, variant: str = "default-7") -> tuple[Layout, spec.Descriptor]:
    layout = Layout(root)
    return layout, put_pack(Cutter(layout), pack, variant)


def layers(layout: Layout, blob: spec.Descriptor) -> dict[str, str]:
    """By media type, the digest."""
    return {part.media_type: part.digest for part in layout.manifest(blob).layers}


def test_a_pack_comes_back_as_it_was(seven: Pack, tmp_path: Path) -> None:
    variant, pack = get_pack(*put(seven, tmp_path))
    assert variant == "default-7"
    assert pack.files == seven.files


def test_the_same_pack_is_the_same_artifact(seven: Pack, tmp_path: Path) -> None:
    first, one = put(seven, tmp_path / "a")
    shuffled = Pack(seven.manifest, dict(reversed(list(seven.files.items()))))
    second, two = put(shuffled, tmp_path / "b")
    assert one == two
    names = [sorted(p.name for p in (layout.root / "blobs/sha256").iterdir()) for layout in (first, second)]
    assert names[0] == names[1]
    assert len(names[0]) == len(GROUPS) + 2


def test_variants_share_what_a_seed_does_not_change(seven: Pack, eight: Pack, tmp_path: Path) -> None:
    layout, one = put(seven, tmp_path)
    _, two = put(eight, tmp_path, "default-8")
    a, b = layers(layout, one), layers(layout, two)
    same = {group for group in GROUPS if a[spec.pack_layer(group)] == b[spec.pack_layer(group)]}
    assert same == {"blueprint", "tools", "tests"}


def test_what_is_written_on_it(seven: Pack, tmp_path: Path) -> None:
    layout, blob = put(seven, tmp_path)
    manifest = layout.manifest(blob)
    assert manifest.artifact_type == spec.PACK
    assert manifest.note(spec.WORLD) == seven.manifest.digest
    assert manifest.note(spec.NAME) == "town_library"
    assert manifest.note(spec.VARIANT) == "default-7"
    assert manifest.note(spec.VERSION) == seven.manifest.built_with


@given(st.from_regex(r"[a-z]{1,8}(/[a-z]{1,8})?(\.[a-z]{2,4})?", fullmatch=True))
def test_every_file_has_one_layer_and_it_is_of_the_right_side(path: str) -> None:
    assert group_of(path) in GROUPS
    assert (group_of(path) in WORLD_GROUPS) == (is_world_file(path) or path == "manifest.json")


def test_a_world_without_its_keys_is_no_pack_to_push(seven: Pack, tmp_path: Path) -> None:
    with pytest.raises(TamperedPack, match="without its keys"):
        put(check_pack(drop_grader_files(seven.files)), tmp_path)


# What comes from elsewhere is not believed.


def changed(layout: Layout, blob: spec.Descriptor, how: Callable[[spec.Manifest], spec.Manifest]) -> spec.Descriptor:
    """The artifact with another manifest."""
    return layout.put(how(layout.manifest(blob)).encode(), spec.MANIFEST)


def with_layer(layout: Layout, group: str, data: bytes) -> Callable[[spec.Manifest], spec.Manifest]:
    """Another layer in the place of one."""
    kind = spec.pack_layer(group)

    def how(manifest: spec.Manifest) -> spec.Manifest:
        fresh = layout.put(data, kind)
        parts = tuple(fresh if part.media_type == kind else part for part in manifest.layers)
        return manifest.model_copy(update={"layers": parts})

    return how


def tar_of(*members: tuple[tarfile.TarInfo, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for info, data in members:
            info.size = len(data) if info.type == tarfile.REGTYPE else 0
            tar.addfile(info, io.BytesIO(data))
    return gzip.compress(out.getvalue())


def named(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    return info


HOSTILE = {
    "climbs": (tar_of((named("world/../../evil"), b"x")), "cannot hold a file"),
    "absolute": (tar_of((named("/etc/evil"), b"x")), "cannot hold a file"),
    "elsewhere": (tar_of((named("opt/evil"), b"x")), "not its own"),
    "symbolic link": (tar_of((named("world/tools/a.py", tarfile.SYMTYPE, "/etc/passwd"), b"")), "not a plain file"),
    "hard link": (tar_of((named("world/tools/a.py", tarfile.LNKTYPE, "/etc/passwd"), b"")), "not a plain file"),
    "device": (tar_of((named("world/tools/a.py", tarfile.CHRTYPE), b"")), "not a plain file"),
    "of another layer": (layer({"world/keys/task_001.json": b"{}"}).data, "not its own"),
    "changed": (layer({"world/tools/lend.py": b"evil"}).data, "missing from the pack|was changed"),
    "one more": (layer({"world/tools/zzz.py": b"evil"}).data, "missing from the pack|not in the manifest"),
    "twice": (tar_of((named("world/tools/a.py"), b"x"), (named("world/tools/a.py"), b"y")), "twice"),
    "no tar": (b"what", "cut short"),
    "no gzip": (b"\x1f\x8b\x08broken", "not a readable pack archive"),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_layer_is_refused_and_writes_nothing(what: str, seven: Pack, tmp_path: Path) -> None:
    layout, blob = put(seven, tmp_path / "layout")
    data, message = HOSTILE[what]
    forged = changed(layout, blob, with_layer(layout, "tools", data))
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(TamperedPack, match=message):
        get_pack(layout, forged)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_layer_that_unpacks_to_more_than_a_pack_may_have(seven: Pack, tmp_path: Path) -> None:
    layout, blob = put(seven, tmp_path)
    bomb = io.BytesIO()
    with gzip.GzipFile(fileobj=bomb, mode="wb") as out:
        head = named("world/tools/bomb.py")
        head.size = 300 * 1024 * 1024
        out.write(head.tobuf())
        for _ in range(300):
            out.write(bytes(1024 * 1024))
    with pytest.raises(TamperedPack, match="larger than"):
        get_pack(layout, changed(layout, blob, with_layer(layout, "tools", bomb.getvalue())))


FORGED: dict[str, tuple[Callable[[spec.Manifest], spec.Manifest], str]] = {
    "another type": (lambda m: m.model_copy(update={"artifact_type": "application/x"}), "not a pack but application/x"),
    "no type": (lambda m: m.model_copy(update={"artifact_type": None}), "not a pack but"),
    "a layer twice": (lambda m: m.model_copy(update={"layers": (*m.layers, m.layers[0])}), "unknown or repeated"),
    "a strange layer": (
        lambda m: m.model_copy(update={"layers": (m.layers[0].model_copy(update={"media_type": "x"}), *m.layers[1:])}),
        "unknown or repeated",
    ),
    "too large": (
        lambda m: m.model_copy(update={"layers": (m.layers[0].model_copy(update={"size": 10**12}), *m.layers[1:])}),
        "larger than",
    ),
    "a layer less": (lambda m: m.model_copy(update={"layers": m.layers[1:]}), "missing from the pack"),
    "no keys": (lambda m: m.model_copy(update={"layers": m.layers[:3]}), "without its keys"),
    "another world": (
        lambda m: m.model_copy(update={"annotations": {**(m.annotations or {}), spec.WORLD: "0" * 64}}),
        "says that it is 0000",
    ),
}


@pytest.mark.parametrize("what", FORGED)
def test_a_forged_manifest_is_refused(what: str, seven: Pack, tmp_path: Path) -> None:
    layout, blob = put(seven, tmp_path)
    how, message = FORGED[what]
    with pytest.raises(TamperedPack, match=message):
        get_pack(layout, changed(layout, blob, how))


def test_a_blob_that_rots_is_found(seven: Pack, tmp_path: Path) -> None:
    layout, blob = put(seven, tmp_path)
    manifest = layout.path(blob.digest)
    manifest.write_bytes(manifest.read_bytes().replace(b"town_library", b"down_library"))
    with pytest.raises(TamperedPack, match="damaged"):
        get_pack(layout, blob)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=examples(60))
@given(data=st.data())
def test_whatever_a_manifest_holds_it_is_refused_by_name(data: st.DataObject, tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    text = data.draw(
        st.one_of(
            st.binary(max_size=200),
            st.recursive(
                st.none() | st.booleans() | st.integers() | st.text(max_size=9),
                lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
                    st.sampled_from(("schemaVersion", "mediaType", "artifactType", "config", "layers", "digest", "size")),
                    inner, max_size=4,
                ),
                max_leaves=12,
            ).map(canonical_json),
        )
    )  # fmt: skip
    with pytest.raises(PackError):
        get_pack(layout, layout.put(text, spec.MANIFEST))
