from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.store.packs import noise, pack_of, variant
from tests.worlds import drop_grader_files

from worldwright.core.errors import PackError, StoreError, TamperedPack
from worldwright.engine.world import World
from worldwright.pack.open import Pack
from worldwright.store.index import group_files, read_index
from worldwright.store.open import find_gym_packs, open_gym, open_world, pack_at, read_files_at, resolve
from worldwright.store.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "home")


def kept(store: Store, *packs: Pack) -> list[Path]:
    return [store.put(pack.files, pack.manifest) for pack in packs]


NAMES = st.from_regex(r"[a-z0-9_]{1,8}(/[a-z0-9_]{1,8}){0,2}", fullmatch=True)
CONTENT = st.one_of(st.binary(max_size=60), st.integers(0, 9_000).map(lambda size: noise(size, size)))


@given(files=st.dictionaries(NAMES, CONTENT, max_size=12), again=st.dictionaries(NAMES, CONTENT, max_size=3))
def test_whatever_is_kept_comes_back(
    files: dict[str, bytes], again: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Small and large files, empty ones, folders in folders; and a second pack that shares some of them."""
    store = Store(tmp_path_factory.mktemp("store"))
    fixed = {"blueprint.yaml": b"x", "state.db": b"y"}
    one, two = pack_of({**files, **fixed}), pack_of({**files, **again, **fixed}, seed=1)
    kept(store, one, two)
    assert store.pack(one.manifest.digest).files == one.files
    assert store.pack(two.manifest.digest).files == two.files


def test_a_file_and_a_folder_of_one_name_are_two_parts() -> None:
    assert group_files(["tools", "tools/b", "tools/a", "manifest.json"]) == {
        "tools": ["tools"],
        "tools/": ["tools/a", "tools/b"],
    }


def test_what_variants_share_is_kept_once(store: Store) -> None:
    kept(store, *map(variant, range(5)))
    shared = [digest for digest, _ in store.blobs.list_sizes()]
    assert len(shared) == 2 + 5  # blueprint and tools once, five states
    size = sum(path.stat().st_size for path in store.root.rglob("*") if path.is_file())
    assert size < 0.7 * sum(len(data) for seed in range(5) for data in variant(seed).files.values())


def test_small_parts_lie_in_the_index(store: Store) -> None:
    [place] = kept(store, variant(1))
    assert sorted(read_index(place).blobs) == ["blueprint.yaml", "state.db", "tools/"]


def test_keeping_again_writes_nothing_and_says_that_it_was_just_kept(store: Store) -> None:
    [place] = kept(store, variant(1))
    os.utime(place, (1, 1))
    blobs = {path: path.stat().st_mtime_ns for path in store.blobs.root.rglob("*.zst")}
    assert kept(store, variant(1)) == [place]
    assert {path: path.stat().st_mtime_ns for path in store.blobs.root.rglob("*.zst")} == blobs
    assert place.stat().st_mtime > 1


def test_keeping_again_mends_what_is_missing(store: Store) -> None:
    pack = variant(1)
    [place] = kept(store, pack)
    for lost in (*store.blobs.root.rglob("*.zst"), place):
        lost.unlink()
        assert kept(store, pack) == [place]
        assert store.pack(pack.manifest.digest).files == pack.files
    place.write_bytes(b"torn")
    kept(store, pack)
    assert store.pack(pack.manifest.digest).files == pack.files


def test_only_what_its_manifest_says_is_kept(store: Store) -> None:
    one, two = variant(1), variant(2)
    with pytest.raises(StoreError, match="not of"):
        store.put(one.files, two.manifest)
    with pytest.raises(TamperedPack, match=r"state\.db was changed"):
        store.put({**one.files, "state.db": b"else"}, one.manifest)
    assert store.digests() == []


def test_a_world_without_its_keys_gives_way_to_the_whole_one(store: Store) -> None:
    pack = variant(1)
    store.put(drop_grader_files(pack.files), pack.manifest)
    found = store.pack(pack.manifest.digest)
    assert not found.whole
    assert found.files == drop_grader_files(pack.files)
    for files in (pack.files, drop_grader_files(pack.files)):
        store.put(files, pack.manifest)
        assert store.pack(pack.manifest.digest).files == pack.files


def test_damage_names_the_pack_and_the_blob(store: Store) -> None:
    pack = variant(1)
    [place] = kept(store, pack)
    blob = read_index(place).blobs["state.db"]
    path = store.blobs.path(blob)
    whole = path.read_bytes()
    named = rf"the pack {pack.manifest.digest} in the store at {store.root} cannot be opened: the blob {blob} "
    for data, problem in (
        (None, "is missing"),
        (b"", "is damaged: it is cut short"),
        (whole[:-10], "is damaged: it is cut short"),
        (whole + b"more", "is damaged: something follows its end"),
        (b"no zstd at all", "is damaged: it does not unpack"),
    ):
        path.unlink(missing_ok=True)
        if data is not None:
            path.write_bytes(data)
        with pytest.raises(PackError, match=named + problem):
            pack_at(place)
        with pytest.raises(PackError, match=named + problem):
            read_files_at(place)


# places and names


def test_a_place_is_a_path_and_opens_anywhere(
    store: Store, library_pack: Pack, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """By reference, by its path as text, by a path that went through pickle, and in a process that knows of no store."""
    [place] = kept(store, library_pack)
    store.tag("town_library", "latest", "default-7", library_pack.manifest.digest)
    monkeypatch.setenv("WORLDWRIGHT_HOME", str(store.root))
    digest = library_pack.manifest.digest
    assert resolve("town_library") == resolve(digest[:8]) == place
    worlds: list[World] = [open_world(str(place)), open_world(pickle.loads(pickle.dumps(place)))]
    worlds += [open_world("town_library:latest/default-7"), open_gym("town_library").world("default-7")]
    worlds += [open_gym(place).world(digest)]
    assert {world.digest for world in worlds} == {digest}
    assert find_gym_packs("town_library") == {"default-7": place}
    code = "import sys, worldwright; print(worldwright.open_world(sys.argv[1]).digest)"
    elsewhere = {**os.environ, "WORLDWRIGHT_HOME": str(tmp_path / "empty")}
    done = subprocess.run(
        [sys.executable, "-c", code, place], env=elsewhere, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == digest


def test_a_file_that_is_only_called_like_a_place_is_none(tmp_path: Path) -> None:
    path = tmp_path / f"{'0' * 64}.pack"
    path.write_bytes(b"x" * 600)
    with pytest.raises(PackError, match="not a readable pack archive"):
        open_world(path)


def test_the_beginning_of_a_digest_will_do_where_it_is_one_pack(store: Store) -> None:
    packs = [variant(seed) for seed in range(40)]
    kept(store, *packs)
    digest = packs[0].manifest.digest
    assert store.find(digest[:12]) == store.pack_path(digest)
    starts = sorted(pack.manifest.digest for pack in packs)
    assert store.digests() == starts
    twin = store.pack_path(digest[:63] + ("0" if digest[63] != "0" else "1"))
    twin.write_bytes(b"")
    with pytest.raises(StoreError, match="2 packs with a digest that starts with"):
        store.find(digest[:12])
    with pytest.raises(StoreError, match="no pack with a digest that starts with"):
        store.find("0123456789")


def test_tags(store: Store) -> None:
    one, two, three = (variant(seed).manifest.digest for seed in (1, 2, 3))
    kept(store, variant(1), variant(2))
    store.tag_all("depot", "v1", {"a": one, "b": two})
    store.tag("depot", "v1", "a", two)
    assert list(store.variants("depot", "v1").items()) == [("b", two), ("a", two)]
    with pytest.raises(StoreError, match=f"no pack {three}"):
        store.tag("depot", "v1", "c", three)
    for bad in ("", "a/b", "a\nb", "x" * 300):
        with pytest.raises(StoreError, match="cannot have a variant"):
            store.tag("depot", "v1", bad, one)
    with pytest.raises(StoreError, match=r"depot:v1 has no variant c; known: a, b"):
        store.untag("depot", "v1", "c")
    assert store.untag("depot", "v1", "a") == {"a": two}
    assert store.untag("depot", "v1") == {"b": two}
    with pytest.raises(StoreError, match="no depot:v1"):
        store.untag("depot", "v1")
    assert store.list_references() == []
    assert len(store.digests()) == 2


def test_manifest_and_files_of_other_bytes_and_the_same_digest(store: Store) -> None:
    """Built by another version: the same world. The first one stays."""
    pack = variant(1)
    kept(store, pack)
    other = {
        **pack.files,
        "manifest.json": pack.files["manifest.json"].replace(b'"built_with": "', b'"built_with": "9'),
    }
    store.put(other, pack.manifest)
    assert store.pack(pack.manifest.digest).files == pack.files
