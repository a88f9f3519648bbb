"""`worldwright export`: a gym as a package. No framework is installed here, and none is needed."""

from __future__ import annotations

import hashlib
import json
import tomllib
from pathlib import Path

import pytest

from worldwright.adapters.export import TARGETS
from worldwright.adapters.rows import list_rows
from worldwright.core.errors import StoreError
from worldwright.pack.open import Pack, open_pack
from worldwright.pack.seal import write_pack
from worldwright.store.store import Store

from .conftest import Run

every_target = pytest.mark.parametrize("target", TARGETS)


def files_of(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


# every framework


@every_target
def test_the_same_gym_gives_the_same_bytes_and_the_result_names_them(
    run: Run, library: str, tmp_path: Path, target: str
) -> None:
    one, two = tmp_path / "deep" / "package", tmp_path / "again" / "package"
    said = run("export", "--gym", library, "--to", target, "--out", str(one))
    assert said.code == 0, said.err
    assert "README.md" in said.out
    data = run("export", "--gym", "town_library:latest", "--to", target, "--out", str(two), "--json").data
    assert files_of(one) == files_of(two)
    assert (data["to"], data["folder"]) == (target, str(two))
    written = files_of(two)
    assert {f["path"]: f["sha256"] for f in data["files"]} == {
        path: hashlib.sha256(content).hexdigest() for path, content in written.items() if path != "export.json"
    }
    assert "keys" in written["README.md"].decode()
    assert [p.name for folder in (one.parent, two.parent) for p in folder.iterdir()] == ["package", "package"]


@every_target
def test_a_folder_that_is_not_empty_is_left_alone(run: Run, library: str, tmp_path: Path, target: str) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    found = run("export", "--gym", library, "--to", target, "--out", str(tmp_path / "mine.txt"))
    assert (found.code, "is a file" in found.err) == (2, True)
    folder = tmp_path / "full"
    folder.mkdir()
    (folder / "mine.txt").write_text("mine")
    found = run("export", "--gym", library, "--to", target, "--out", str(folder))
    assert (found.code, "--force" in found.err) == (2, True)
    assert files_of(folder) == {"mine.txt": b"mine"}


@every_target
def test_force_replaces_an_earlier_export_and_nothing_else(
    run: Run, library: str, pack: Pack, tmp_path: Path, target: str
) -> None:
    folder, packs = tmp_path / "package", tmp_path / "town_library"
    for name in ("first", "second"):
        write_pack(pack.files, packs / name)
    assert run("export", "--gym", str(packs), "--to", target, "--out", str(folder)).code == 0
    (folder / "mine.txt").write_text("mine")
    assert run("export", "--gym", library, "--to", target, "--out", str(folder), "--force").code == 0
    assert run("export", "--gym", library, "--to", target, "--out", str(tmp_path / "other")).code == 0
    assert files_of(folder) == {**files_of(tmp_path / "other"), "mine.txt": b"mine"}


@every_target
def test_what_cannot_be_exported_is_said_and_nothing_is_written(
    run: Run, library: str, bare: str, folder: Path, tmp_path: Path, target: str
) -> None:
    (folder / "blueprint.yaml").write_text("changed")
    (tmp_path / "empty").mkdir()
    for gym, code, message in (
        ("town_libary", 3, "town_library:latest"),
        ("town_library:v9", 3, "the store has no town_library:v9"),
        (str(tmp_path / "empty"), 3, "holds no pack"),
        (bare, 2, "has no tasks"),
        (str(folder), 4, "was changed"),
        ("", 2, "name a gym"),
    ):
        out = tmp_path / "out" / "package"
        found = run("export", "--gym", gym, "--to", target, "--out", str(out))
        assert found.code == code, found.err
        assert message in found.err
        assert not out.exists()
        assert not list(out.parent.glob("*"))


def test_a_framework_that_there_is_no_export_to(run: Run, library: str, tmp_path: Path) -> None:
    found = run("export", "--gym", library, "--to", "gymnasium", "--out", str(tmp_path / "out"))
    assert (found.code, "verifiers" in found.err) == (2, True)


def test_a_list_of_files_that_points_outside_is_not_believed(run: Run, library: str, tmp_path: Path) -> None:
    (tmp_path / "precious.txt").write_text("mine")
    out = tmp_path / "out"
    out.mkdir()
    listed = ["../precious.txt", str(tmp_path / "precious.txt"), 7, "", "gone.txt"]
    (out / "export.json").write_text(json.dumps({"files": listed}))
    assert run("export", "--gym", library, "--to", "verifiers", "--out", str(out), "--force").code == 0
    assert (tmp_path / "precious.txt").read_text() == "mine"


# the package for verifiers


def test_the_package_of_verifiers_is_one_module_with_the_packs(
    run: Run, library: str, pack: Pack, tmp_path: Path
) -> None:
    assert run("export", "--gym", library, "--to", "verifiers", "--out", str(tmp_path / "out")).code == 0
    written = files_of(tmp_path / "out")
    packed = "worldwright_town_library/packs/default-7.tar"
    assert set(written) == {
        "export.json",
        "README.md",
        "pyproject.toml",
        "worldwright_town_library/__init__.py",
        packed,
    }
    assert open_pack(tmp_path / "out" / packed).files == pack.files
    project = tomllib.loads(written["pyproject.toml"].decode())["project"]
    assert project["name"] == "worldwright-town-library"
    assert [d.partition(">")[0] for d in project["dependencies"]] == ["verifiers", "worldwright"]
    named: dict[str, object] = {}
    source = written["worldwright_town_library/__init__.py"].decode()
    compile(source, "__init__.py", "exec")
    exec(source[source.index("__all__") :], named)
    assert named["__all__"] == ["TownLibraryTaskset", "WorldEnv", "WorldHarness"]
    assert pack.manifest.digest in written["README.md"].decode()


def test_other_worlds_make_another_version_and_a_tag_another_name(
    run: Run, library: str, pack: Pack, tmp_path: Path
) -> None:
    store = Store()
    store.tag("town_library", "v2.1", "default-7", pack.manifest.digest)
    store.tag("town_library", "v2.1", "twin", pack.manifest.digest)
    found = {}
    for ref in (library, "town_library:v2.1"):
        out = tmp_path / ref.replace(":", "-")
        assert run("export", "--gym", ref, "--to", "verifiers", "--out", str(out)).code == 0
        found[ref] = tomllib.loads((out / "pyproject.toml").read_text())["project"]
    assert found["town_library:v2.1"]["name"] == "worldwright-town-library-v2-1"
    assert found[library]["version"] != found["town_library:v2.1"]["version"]


def test_rows_are_had_from_an_installed_package(
    run: Run, library: str, pack: Pack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_pack(pack.files, tmp_path / "packs" / "one")
    out = tmp_path / "out"
    assert run("export", "--gym", str(tmp_path / "packs"), "--to", "verifiers", "--out", str(out)).code == 0
    (out / "worldwright_town_library").rename(out / "a_package_of_this_test")
    monkeypatch.syspath_prepend(str(out))
    found = list(list_rows("package:a_package_of_this_test"))
    assert {(row["gym"], row["variant"], row["world"]) for row in found} == {
        ("package:a_package_of_this_test", "one", pack.manifest.digest)
    }
    assert [row["prompt"] for row in found] == [row["prompt"] for row in list_rows(library)]
    for missing in ("package:no_such_package", "package:json", "package:os.path", "package:"):
        with pytest.raises(StoreError, match="no installed package"):
            list(list_rows(missing))
