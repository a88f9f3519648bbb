"""Making images from the command line: of what is in the store, and while a world is built."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.store.oci.conftest import GLIBC, root_tar
from tests.store.oci.test_images import files_in
from tests.store.oci.test_registry import run
from tests.store.oci.test_runtime import wheel
from tests.worlds import drop_grader_files

from worldwright.pack.open import Pack
from worldwright.pack.seal import write_pack
from worldwright.store.oci import runtime
from worldwright.store.store import Store

EXAMPLE = Path(__file__).parents[3] / "examples" / "town_library.yaml"


@pytest.fixture(autouse=True)
def small_base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    """A base and wheels that are only shapes: what is asked of people is the same."""
    (tmp_path / "base.tar").write_bytes(root_tar("usr/bin/python3.11", GLIBC))
    wheel(tmp_path / "wheels", "thing", "1.0")
    monkeypatch.setattr(runtime, "find_requirements", lambda python: {"thing": "1.0"})
    monkeypatch.setenv("WORLDWRIGHT_BASE", str(tmp_path / "base.tar"))
    return ("--wheels", str(tmp_path / "wheels"))


@pytest.mark.slow
def test_images_of_a_family_and_of_one_variant(
    seven: Pack, eight: Pack, small_base: tuple[str, ...], tmp_path: Path
) -> None:
    store = Store()
    for variant, pack in (("default-7", seven), ("default-8", eight)):
        store.put(pack.files, pack.manifest)
        store.tag("town_library", "latest", variant, pack.manifest.digest)
    made = run("images", "build", "town_library", str(tmp_path / "all"), *small_base, "--json").data
    assert [(i["tag"], i["world"]) for i in made["images"]] == [
        ("default-7", seven.manifest.digest),
        ("default-8", eight.manifest.digest),
    ]
    assert made["runtime"]["packages"] == {"thing": "1.0"}
    one = run("images", "build", "town_library:latest/default-8", *small_base, "--json").data
    assert one["images"] == made["images"][1:], "the same image in another folder"
    by_digest = run("images", "build", seven.manifest.digest[:8], str(tmp_path / "digest"), *small_base, "--json").data
    assert [(i["tag"], i["world"]) for i in by_digest["images"]] == [(seven.manifest.digest[:8], seven.manifest.digest)]
    own = run("images", "list", "--json").data["folders"]
    assert [(f["folder"], len(f["images"])) for f in own] == [
        (str(store.root / "images/town_library-latest-default-8"), 1)
    ]
    assert "default-7" in run("images", "list", str(tmp_path / "all")).out


@pytest.mark.slow
def test_an_image_while_a_world_is_built(small_base: tuple[str, ...], tmp_path: Path) -> None:
    options = ("--seed", "7", "--no-tasks", "--image", str(tmp_path / "images"), *small_base, "--json")
    built = run("generate", "--blueprint", str(EXAMPLE), *options).data
    [image] = built["images"]["images"]
    assert image["world"] == built["digest"]
    assert image["tag"] == "default-7.tasks-none"
    found = {p for p in files_in(tmp_path / "images", image["tag"]) if p.startswith("world/")}
    assert found == {f"world/{p}" for p in drop_grader_files(Store().open(built["reference"]).files)}


@pytest.mark.slow
def test_images_of_many_worlds(small_base: tuple[str, ...], tmp_path: Path) -> None:
    many = ("--variants", "2", "--axes", "seed", "--siblings", "1", "--workers", "1", "--no-tasks")
    options = (*many, "--image", str(tmp_path / "images"), *small_base, "--json")
    built = run("generate", "--blueprint", str(EXAMPLE), *options).data
    images = {image["tag"]: image["world"] for image in built["images"]["images"]}
    assert images == {world["variant"]: world["digest"] for world in built["worlds"]}
    assert len(images) == 2


def test_a_world_without_its_keys_makes_an_image_but_no_grader(
    seven: Pack, small_base: tuple[str, ...], tmp_path: Path
) -> None:
    write_pack(drop_grader_files(seven.files), tmp_path / "sent")
    found = run("images", "build", str(tmp_path / "sent"), str(tmp_path / "images"), *small_base)
    assert found.code == 4
    assert "without its keys" in found.err
    assert not (tmp_path / "images" / "worlds" / "index.json").exists()


def test_an_image_of_another_world_is_replaced_only_when_told(
    seven: Pack, eight: Pack, small_base: tuple[str, ...], tmp_path: Path
) -> None:
    store, folder = Store(), str(tmp_path / "images")
    for tag, pack in (("first", seven), ("second", eight)):
        store.put(pack.files, pack.manifest)
        store.tag("town_library", tag, "default", pack.manifest.digest)
    run("images", "build", "town_library:first", folder, *small_base)
    again = run("images", "build", "town_library:first", folder, *small_base)
    assert again.code == 0, "the same images may be made again"
    refused = run("images", "build", "town_library:second", folder, *small_base)
    assert (refused.code, "--force" in refused.err) == (2, True)
    assert _worlds(folder) == [seven.manifest.digest]
    assert run("images", "build", "town_library:second", folder, "--force", *small_base).code == 0
    assert _worlds(folder) == [eight.manifest.digest]


def _worlds(folder: str) -> list[str]:
    return [image["world"] for image in run("images", "list", folder, "--json").data["folders"][0]["images"]]


def test_what_is_said_where_something_is_missing(
    seven: Pack, small_base: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_pack(seven.files, tmp_path / "pack")
    target = str(tmp_path / "images")
    assert "has no no_such_world:latest" in run("images", "build", "no_such_world", target).err
    gone = run("images", "build", str(tmp_path / "pack"), target, "--base", str(tmp_path / "gone.tar"))
    assert (gone.code, "there is no base at" in gone.err) == (3, True)
    monkeypatch.delenv("WORLDWRIGHT_BASE")
    none = run("images", "build", str(tmp_path / "pack"), target)
    assert (none.code, "name one with --base" in none.err) == (2, True)
    assert run("images", "list", target).code == 3
    assert "nothing yet" in run("images", "list").out
    assert json.loads(run("images", "list", "--json").out) == {"folders": []}
