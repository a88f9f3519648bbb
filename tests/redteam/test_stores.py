"""A store that somebody else wrote in, and references that are paths."""

from __future__ import annotations

import json
import tracemalloc
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.redteam.helpers import Files, edited, resealed, with_state, within

from worldwright.core.errors import PackError, StoreError, TamperedPack
from worldwright.pack.open import check_pack
from worldwright.pack.seal import write_pack
from worldwright.store.index import encode_index, read_index
from worldwright.store.open import open_gym, open_world, resolve
from worldwright.store.store import Store
from worldwright.store.zstd import compress


@pytest.fixture
def store(files: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """A store with one pack, under the reference town_library:latest."""
    monkeypatch.setenv("WORLDWRIGHT_HOME", str(tmp_path / "home"))
    made = Store()
    manifest = check_pack(files).manifest
    made.put(files, manifest)
    made.tag("town_library", "latest", "default-7", manifest.digest)
    return made


def reference(store: Store, data: Any) -> None:
    """What `town_library:latest` says from now on."""
    text = data if isinstance(data, str) else json.dumps(data)
    (store.root / "refs" / "town_library" / "latest.json").write_text(text)


def test_store_as_it_should_be(store: Store, files: Files) -> None:
    assert open_world("town_library").digest == check_pack(files).manifest.digest
    assert open_gym("town_library:latest").world("default-7").tools


def swapped(store: Store, files: Files, other: Files) -> str:
    """The attacker puts another pack in the place of one; the digest of that one."""
    digest = check_pack(files).manifest.digest
    theirs = store.put(other, check_pack(other).manifest)
    theirs.replace(store.pack_path(digest))
    return digest


def test_pack_swapped_for_another_sealed_one(store: Store, files: Files) -> None:
    """The attacker's pack is sound in itself; it just is not the one that the reference means."""
    digest = swapped(store, files, with_state(files, edited(files["state.db"], "UPDATE loan SET fine = 0")))
    for ref in ("town_library", "town_library:latest/default-7", digest, digest[:12]):
        with pytest.raises(TamperedPack, match="is not that pack"):
            open_world(ref)
    with pytest.raises(TamperedPack, match="is not that pack"):
        open_gym("town_library").world("default-7")


def indexed(store: Store, files: Files, manifest: bytes) -> None:
    """Another manifest in the index of the pack, all else as it was."""
    path = store.pack_path(check_pack(files).manifest.digest)
    path.write_bytes(encode_index(replace(read_index(path), manifest=manifest)))


def test_pack_swapped_and_its_manifest_forged(store: Store, files: Files) -> None:
    evil = json.loads(resealed({**files, "policy.md": b"evil"})["manifest.json"])
    evil["digest"] = check_pack(files).manifest.digest
    indexed(store, files, json.dumps(evil).encode())
    with pytest.raises(TamperedPack, match="its digest does not fit"):
        open_world("town_library")


BROKEN = {"empty": b"", "list": b"[]", "deep": b"[" * 100_000, "short": b'{"digest": 5}', "bytes": b"\xff"}


@pytest.mark.parametrize("manifest", BROKEN.values(), ids=BROKEN)
def test_pack_in_the_store_with_a_broken_manifest(store: Store, files: Files, manifest: bytes) -> None:
    indexed(store, files, manifest)
    with within(5), pytest.raises(PackError, match=r"the pack [0-9a-f]{64} in the store at .* cannot be opened"):
        open_world("town_library")


HEADS = {
    "no index": b"",
    "no JSON": b"{\n",
    "deep": b"[" * 100_000 + b"\n",
    "list": b"[]\n",
    "no blobs": b'{"format":1,"name":"x","bytes":0,"whole":true,"manifest":0}\n',
    "blob by a path": b'{"format":1,"name":"x","bytes":0,"whole":true,"manifest":0,"blobs":{"state.db":"../../../etc/passwd"}}\n',
    "blob by a number": b'{"format":1,"name":"x","bytes":0,"whole":true,"manifest":0,"blobs":{"state.db":5}}\n',
    "less than nothing": b'{"format":1,"name":"x","bytes":0,"whole":true,"manifest":-5,"blobs":{}}\n',
    "true for a number": b'{"format":1,"name":"x","bytes":0,"whole":1,"manifest":true,"blobs":{}}\n',
}


@pytest.mark.parametrize("head", HEADS.values(), ids=HEADS)
def test_index_of_the_attackers_making(store: Store, files: Files, head: bytes) -> None:
    path = store.pack_path(check_pack(files).manifest.digest)
    path.write_bytes(compress(head))
    with within(5), pytest.raises(TamperedPack, match="it is no index of a pack"):
        open_world("town_library")


@pytest.mark.parametrize("lie", [{"name": "another"}, {"bytes": 7}])
def test_index_that_says_something_else_than_the_manifest(store: Store, files: Files, lie: dict[str, Any]) -> None:
    path = store.pack_path(check_pack(files).manifest.digest)
    path.write_bytes(encode_index(replace(read_index(path), **lie)))
    with pytest.raises(TamperedPack, match="is not that pack"):
        open_world("town_library")


def test_index_of_a_later_version_says_so(store: Store, files: Files) -> None:
    store.pack_path(check_pack(files).manifest.digest).write_bytes(compress(b'{"format":2}\n'))
    with pytest.raises(PackError, match="is an index of format 2; this version reads 1"):
        open_world("town_library")


def test_blob_that_unpacks_to_gigabytes(store: Store, files: Files) -> None:
    """A thousandth of it on the disk. No more is unpacked than the manifest says."""
    index = read_index(store.pack_path(check_pack(files).manifest.digest))
    store.blobs.path(index.blobs["state.db"]).write_bytes(compress(bytes(400 * 1024**2)))
    tracemalloc.start()
    try:
        with within(5), pytest.raises(TamperedPack, match="it unpacks to more than"):
            open_world("town_library")
        assert tracemalloc.get_traced_memory()[1] < 50 * 1024**2
    finally:
        tracemalloc.stop()


def test_blob_of_another_content_and_the_same_length(store: Store, files: Files) -> None:
    index = read_index(store.pack_path(check_pack(files).manifest.digest))
    state = files["state.db"]
    store.blobs.path(index.blobs["state.db"]).write_bytes(compress(state[:-1] + bytes([state[-1] ^ 1])))
    with pytest.raises(TamperedPack, match=r"state\.db was changed"):
        open_world("town_library")


def test_small_parts_of_another_length(store: Store, files: Files) -> None:
    path = store.pack_path(check_pack(files).manifest.digest)
    path.write_bytes(encode_index(replace(read_index(path), small=b"")))
    with pytest.raises(TamperedPack, match="were expected"):
        open_world("town_library")


def test_reference_whose_digest_is_a_path(store: Store) -> None:
    for digest in ["../../evil", "/tmp/evil", "", "0" * 63, "A" * 64, ".", 5, None, ["x"]]:
        reference(store, {"variants": {"default-7": digest}})
        for attack in (open_world, open_gym):
            with pytest.raises(StoreError, match="has no digest of a pack"):
                attack("town_library")


def test_reference_that_is_no_reference(store: Store) -> None:
    for data in ["", "not json", "[]", "null", "5", "{}", '{"variants": []}', '{"variants": {}}', "[" * 100_000]:
        reference(store, data)
        for attack in (open_world, open_gym):
            with pytest.raises(StoreError, match=r"latest\.json cannot be read"):
                attack("town_library")


def test_place_of_a_digest_that_is_a_path(store: Store) -> None:
    for digest in ["../packs", "..", "", "0" * 65, "g" * 64]:
        with pytest.raises(StoreError, match="is not the digest of a pack"):
            store.pack_path(digest)


def test_tag_that_leaves_the_store(store: Store) -> None:
    for name, tag in [
        ("../x", "latest"),
        ("x", "../../y"),
        ("X", "latest"),
        ("x/y", "z"),
        ("", "latest"),
        ("x", ""),
        ("x", ".hidden"),
        ("x\n", "y"),
        ("é", "y"),
    ]:
        before = sorted(store.root.rglob("*"))
        with pytest.raises(StoreError, match="is not a reference"):
            store.tag(name, tag, "default-7", "0" * 64)
        with pytest.raises(StoreError, match="is not a reference"):
            store.variants(name, tag)
        assert sorted(store.root.rglob("*")) == before


def test_reference_of_a_hostile_spelling(store: Store) -> None:
    for ref in [
        "../../etc/passwd",
        "town_library:../x",
        "town_library:latest/../../x",
        "~root",
        "town_library\0",
        "x" * 5000,
        "a/" * 3000,
        "",
        " ",
        "$HOME",
        "*",
    ]:
        with within(5), pytest.raises((StoreError, PackError)) as caught:
            open_world(ref)
        assert len(str(caught.value)) < 6000


def test_file_that_is_no_pack_by_its_path(store: Store) -> None:
    with pytest.raises(PackError, match=r"not a readable pack archive|cut short"):
        open_world("/etc/passwd")


def test_resolving_never_creates_anything(store: Store, tmp_path: Path) -> None:
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(StoreError, match="the store has no evil:latest"):
        resolve("evil")
    assert sorted(tmp_path.rglob("*")) == before


def test_store_that_cannot_be_written(files: Files, tmp_path: Path) -> None:
    (tmp_path / "packs").write_text("a file where a folder is needed")
    with pytest.raises(StoreError, match="cannot be written"):
        Store(tmp_path).put(files, check_pack(files).manifest)


def test_pack_written_over_another(folder: Path, files: Files) -> None:
    with pytest.raises(PackError, match="exists already"):
        write_pack({**files, "policy.md": b"evil"}, folder)
    assert (folder / "policy.md").read_bytes() == files["policy.md"]
