from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest
from tests.store.packs import SHARED, noise, pack_of, variant
from tests.worlds import drop_grader_files

from worldwright.core.errors import StoreError
from worldwright.store import locks
from worldwright.store.index import read_index
from worldwright.store.stats import count_store
from worldwright.store.store import Store
from worldwright.store.sweep import SweepResult, sweep
from worldwright.store.verify import remove, verify

ALWAYS = float("inf")
"""Everything was kept before."""


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Three variants. The first two have a name."""
    made = Store(tmp_path)
    for seed in range(3):
        pack = variant(seed)
        made.put(pack.files, pack.manifest)
    made.tag_all("depot", "latest", {f"default-{seed}": variant(seed).manifest.digest for seed in (0, 1)})
    return made


def digest(seed: int) -> str:
    return variant(seed).manifest.digest


def size(store: Store) -> int:
    return sum(p.stat().st_size for name in ("blobs", "packs") for p in (store.root / name).rglob("*") if p.is_file())


# gc


def test_packs_without_a_name_are_listed_and_kept(store: Store) -> None:
    before = sorted(store.root.rglob("*"))
    assert sweep(store, ALWAYS) == SweepResult((digest(2),), (), 0, 0, 0)
    assert sorted(store.root.rglob("*")) == before


def test_packs_without_a_name_go_when_asked_with_what_only_they_need(store: Store) -> None:
    before, planned = size(store), sweep(store, ALWAYS, untagged=True, dry_run=True)
    assert size(store) == before
    found = sweep(store, ALWAYS, untagged=True)
    assert found == planned == SweepResult((), (digest(2),), 1, 0, before - size(store))
    assert found.bytes > 20_000
    assert sorted(store.digests()) == sorted([digest(0), digest(1)])
    assert verify(store).damage == ()
    assert sweep(store, ALWAYS, untagged=True) == SweepResult((), (), 0, 0, 0)


def test_packs_that_were_just_kept_stay(store: Store) -> None:
    kept = store.pack_path(digest(2)).stat().st_mtime
    assert sweep(store, kept - 1, untagged=True).packs == ()
    assert sweep(store, kept - 1, untagged=True).untagged == (digest(2),)
    os.utime(store.pack_path(digest(2)), (1, 1))
    store.put(variant(2).files, variant(2).manifest)
    assert sweep(store, kept - 1, untagged=True).packs == ()
    assert sweep(store, kept + 3600, untagged=True).packs == (digest(2),)


def test_a_name_taken_away_lets_its_packs_go(store: Store) -> None:
    store.untag("depot", "latest")
    found = sweep(store, ALWAYS, untagged=True)
    assert len(found.packs) == 3
    assert found.blobs == 5
    assert size(store) == 0


def test_what_killed_writers_left_goes_after_a_while(store: Store) -> None:
    torn = [
        store.blobs.root / "ab" / ".torn.zst.x1",
        store.root / "packs" / "ab" / ".torn.pack.x2",
        store.root / "refs" / "depot" / ".latest.json.x3",
    ]
    for path in torn:
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"half")
    orphan = store.blobs.path("ab" + "0" * 62)
    orphan.write_bytes(b"no index was written for this one")
    os.utime(torn[0], (1, 1))
    assert sweep(store, 2.0).leftovers == 1
    assert not orphan.exists()
    assert not torn[0].exists()
    assert sweep(store, ALWAYS).leftovers == 2
    assert verify(store).damage == ()


def test_nothing_goes_where_it_cannot_be_told_what_is_needed(store: Store) -> None:
    store.pack_path(digest(0)).write_bytes(b"torn")
    before = sorted(store.root.rglob("*"))
    with pytest.raises(StoreError, match=r"which blobs are needed cannot be told: .* is damaged"):
        sweep(store, ALWAYS, untagged=True)
    assert sorted(store.root.rglob("*")) == before
    (store.root / "refs" / "depot" / "latest.json").write_text("{")
    with pytest.raises(StoreError, match=r"latest\.json cannot be read"):
        sweep(store, ALWAYS, untagged=True)


def interrupted(monkeypatch: pytest.MonkeyPatch, number: int, act: Callable[[], object]) -> None:
    """Files go one at a time, and somebody acts before the one of that number goes."""
    entered = count(1)

    @contextmanager
    def sweeping(root: Path) -> Iterator[None]:
        if next(entered) == number:
            act()
        with locks.lock_for_sweeping(root):
            yield

    monkeypatch.setattr("worldwright.store.sweep.BATCH_DIGESTS", 1)
    monkeypatch.setattr("worldwright.store.sweep.lock_for_sweeping", sweeping)


def test_a_pack_that_is_kept_again_right_after_it_went(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    interrupted(monkeypatch, 2, lambda: store.put(variant(2).files, variant(2).manifest))
    found = sweep(store, ALWAYS, untagged=True)
    assert (found.packs, found.blobs) == ((digest(2),), 0)
    assert store.pack(digest(2)).files == variant(2).files


def test_a_pack_that_gets_a_name_right_before_it_would_go(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    interrupted(monkeypatch, 1, lambda: store.tag("depot", "late", "a", digest(2)))
    assert sweep(store, ALWAYS, untagged=True) == SweepResult((), (), 0, 0, 0)
    assert verify(store).damage == ()


def test_a_pack_that_gets_its_keys_back(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A blob that nobody needed is needed again, by a pack that was looked at already."""
    pack = pack_of({**SHARED, "state.db": b"state", "keys/task_001.json": noise("key", 6_000)}, seed=9)
    store.put(pack.files, pack.manifest).unlink()
    store.put(drop_grader_files(pack.files), pack.manifest)
    interrupted(monkeypatch, 1, lambda: store.put(pack.files, pack.manifest))
    assert sweep(store, ALWAYS).blobs == 0
    assert store.pack(pack.manifest.digest).files == pack.files


# verify


def test_a_sound_store(store: Store) -> None:
    heard: list[None] = []
    found = verify(store, lambda: heard.append(None))
    assert (found.packs, found.blobs, found.damage) == (3, 5, ())
    assert len(heard) == 8


def test_every_kind_of_damage_is_found(store: Store) -> None:
    shared = read_index(store.pack_path(digest(0))).blobs["tools/"]
    alone = read_index(store.pack_path(digest(1))).blobs["state.db"]
    blob = store.blobs.path(shared)
    blob.write_bytes(blob.read_bytes()[:-1] + b"\0")
    store.blobs.path(alone).unlink()
    (store.root / "refs" / "depot" / "torn.json").write_text("{")
    found = {(one.kind, one.name): one.problem for one in verify(store).damage}
    assert set(found) == {
        ("blob", shared), ("pack", digest(0)), ("pack", digest(1)), ("pack", digest(2)), ("reference", "depot:torn"),
    }  # fmt: skip
    assert f"the blob {shared} is damaged" in found["pack", digest(0)]
    assert f"the blob {alone} is missing" in found["pack", digest(1)]


def test_a_blob_under_the_digest_of_another_is_found(store: Store) -> None:
    states = [store.blobs.path(read_index(store.pack_path(digest(seed))).blobs["state.db"]) for seed in (0, 1)]
    states[0].write_bytes(states[1].read_bytes())
    assert [one.problem for one in verify(store).damage if one.kind == "blob"] == [
        f"the blob {states[0].stem} is damaged: it holds something else"
    ]


def test_damage_is_removed_and_mended_by_keeping_again(store: Store) -> None:
    blob = store.blobs.path(read_index(store.pack_path(digest(0))).blobs["state.db"])
    blob.write_bytes(b"torn")
    assert remove(store, verify(store).damage) == 2
    assert [(one.kind, one.name) for one in verify(store).damage] == [("reference", "depot:latest/default-0")]
    store.put(variant(0).files, variant(0).manifest)
    assert verify(store).damage == ()


# stats


def test_stats_count_what_is_there_and_what_sharing_saves(store: Store) -> None:
    found = count_store(store)
    assert (found.packs, found.families, found.untagged, found.references, found.blobs) == (3, 1, 1, 1, 5)
    assert found.bytes == size(store)
    assert found.bytes_as_folders == sum(len(data) for seed in range(3) for data in variant(seed).files.values())
    assert [(s.part, s.packs) for s in found.shared] == [("blueprint.yaml", 3), ("tools/", 3)]
    assert found.bytes_unshared - found.bytes == sum(s.saved for s in found.shared)
    assert found.unused_blobs == 0


def test_stats_of_nothing(tmp_path: Path) -> None:
    found = count_store(Store(tmp_path / "none"))
    assert found.packs == found.bytes == 0
    assert not (tmp_path / "none").exists()
