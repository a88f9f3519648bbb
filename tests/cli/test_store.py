from __future__ import annotations

from pathlib import Path

import pytest

from worldwright.pack.open import Pack
from worldwright.store.index import read_index
from worldwright.store.store import Store

from .conftest import Run


@pytest.fixture
def both(library: str, bare: str) -> str:
    """The town library with tasks and without: town_library:latest and town_library:bare."""
    return library


def test_list_of_a_name_and_a_tag(run: Run, both: str, pack: Pack, bare_pack: Pack) -> None:
    assert len(run("store", "list", "--json").data["references"]) == 2
    assert len(run("store", "list", "town_library", "--json").data["references"]) == 2
    found = run("store", "list", "town_library:bare", "--json").data["references"]
    size = sum(map(len, bare_pack.files.values()))
    assert found == [{"reference": "town_library:bare/default-7", "digest": bare_pack.manifest.digest, "bytes": size}]
    wrong = run("store", "list", "town_libary")
    assert wrong.code == 3
    assert "did you mean" in wrong.err
    assert run("store", "list", "town_library:x").code == 3


def test_stats(run: Run, both: str) -> None:
    found = run("store", "stats", "--json").data
    assert (found["packs"], found["families"], found["untagged"], found["references"]) == (2, 1, 0, 2)
    assert found["bytes"] < found["bytes_unshared"] < found["bytes_as_folders"]
    assert "state.db" in {shared["part"] for shared in found["shared"]}
    said = run("store", "stats").out
    assert "2 of 1 families" in said
    assert "state.db" in said


def test_stats_of_an_empty_store(run: Run, home: Path) -> None:
    assert run("store", "stats").code == 0
    assert run("store", "verify").code == 0
    assert run("store", "gc", "--dry-run").code == 0
    assert not home.exists()


def test_verify_lists_what_is_damaged_and_takes_it_out(run: Run, both: str, pack: Pack) -> None:
    assert "every one is what its digest says" in run("store", "verify").out
    blob = read_index(Store().pack_path(pack.manifest.digest)).blobs["state.db"]
    Store().blobs.path(blob).write_bytes(b"torn")
    found = run("store", "verify", "--json")
    assert found.code == 1
    assert not found.data["ok"]
    assert {(d["kind"], d["name"]) for d in found.data["damage"]} >= {("blob", blob), ("pack", pack.manifest.digest)}
    assert f"blob {blob}" in run("store", "verify").out
    for command in (("inspect", both), ("verify", both), ("pack", "export", both, "x.tar")):
        refused = run(*command)
        assert refused.code == 4
        assert pack.manifest.digest in refused.err
    assert "build the packs again" in run("store", "verify", "--remove").out
    Store().put(pack.files, pack.manifest)
    assert run("inspect", both).code == 0


def test_gc(run: Run, both: str, pack: Pack, bare_pack: Pack) -> None:
    run("store", "untag", "town_library:bare")
    digest = bare_pack.manifest.digest
    assert f"{digest[:12]}  has no reference and is kept" in run("store", "gc").out
    assert run("store", "gc", "--untagged", "--json").data["packs"] == []  # it was just kept
    planned = run("store", "gc", "--untagged", "--grace", "0", "--dry-run", "--json").data
    assert planned["packs"] == [digest]
    assert digest in Store()
    found = run("store", "gc", "--untagged", "--grace", "0", "--json").data
    assert {**found, "dry_run": True} == planned
    assert Store().digests() == [pack.manifest.digest]
    assert run("store", "verify").code == 0


def test_tag_and_untag(run: Run, both: str, pack: Pack, bare_pack: Pack) -> None:
    whole, bare = pack.manifest.digest, bare_pack.manifest.digest
    assert run("store", "tag", "town_library:v1", "town_library", "--json").data == {
        "reference": "town_library:v1", "variants": {"default-7": whole},
    }  # fmt: skip
    run("store", "tag", "town_library:v1/other", bare[:10])
    run("store", "tag", "mine:best", "town_library:v1", "town_library:latest/default-7")
    assert Store().variants("mine", "best") == {"default-7": whole, "other": bare}
    assert run("store", "untag", "mine:best/other", "--json").data == {"untagged": {"mine:best/other": bare}}
    assert "no longer names" in run("store", "untag", "mine:best", "town_library:v1").out
    run("store", "untag", "town_library:bare")
    run("store", "tag", "loose", bare[:10])
    assert Store().variants("loose", "latest") == {bare[:12]: bare}
    for wrong, code in (
        (("tag", "town_library:v1", "nothing_here"), 3),
        (("tag", "Town:v1", "town_library"), 3),
        (("tag", "town_library:v1/one", "loose", "town_library"), 2),
        (("untag", "town_library:none"), 3),
    ):
        assert run("store", *wrong).code == code
