"""A gym is a folder of packs, or a folder of their archives."""

from __future__ import annotations

from pathlib import Path

import pytest

from worldwright.core.errors import PackError, StoreError
from worldwright.pack.open import Pack, open_pack
from worldwright.pack.seal import pack_archive
from worldwright.store.open import open_gym, open_world
from worldwright.store.store import Store


def test_a_folder_of_archives_is_the_same_gym(gym_folder: Path, tmp_path: Path) -> None:
    for folder in gym_folder.iterdir():
        (tmp_path / f"{folder.name}.tar").write_bytes(pack_archive(open_pack(folder).files))
    (tmp_path / ".hidden.tar").write_bytes(b"")
    packs, archives = open_gym(gym_folder), open_gym(tmp_path)
    assert archives.variants == packs.variants == ("seed_7", "seed_8")
    assert [archives.world(v).digest for v in archives.variants] == [packs.world(v).digest for v in packs.variants]


def test_where_there_are_packs_archives_beside_them_are_no_variants(gym_folder: Path, tmp_path: Path) -> None:
    (tmp_path / "seed_7").symlink_to(gym_folder / "seed_7")
    (tmp_path / "copy.tar").write_bytes(pack_archive(open_pack(gym_folder / "seed_7").files))
    assert open_gym(tmp_path).variants == ("seed_7",)


def test_a_path_where_nothing_is_is_said_so() -> None:
    with pytest.raises(StoreError, match="there is nothing at /no/such"):
        open_world("/no/such")


def test_where_nothing_was_built_the_command_is_named() -> None:
    with pytest.raises(StoreError, match="`worldwright catalog` lists the domains"):
        open_world("hotel_booking")


def test_a_task_is_opened_by_number(gym_folder: Path) -> None:
    world = open_world(gym_folder / "seed_7")
    assert {world.open(ref).task.id for ref in (1, "1", "task_001")} == {"task_001"}


def test_a_bench_that_is_called_like_its_world_does_not_hide_it(
    library_pack: Pack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORLDWRIGHT_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    store = Store()
    store.put(library_pack.files, library_pack.manifest)
    store.tag("town_library", "latest", "seed_7", library_pack.manifest.digest)
    (tmp_path / "town_library").mkdir()
    (tmp_path / "town_library" / "bench.json").write_text("{}")
    assert open_world("town_library").manifest.digest == library_pack.manifest.digest
    assert open_gym("town_library").variants == ("seed_7",)
    with pytest.raises(PackError, match="this is not a pack"):
        open_world(tmp_path / "town_library")
