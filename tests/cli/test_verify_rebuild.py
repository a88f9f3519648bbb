from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.worlds import drop_grader_files

from worldwright.blueprint.checked import Checked
from worldwright.cli.jobs import rebuild
from worldwright.compiler.build import BuiltWorld, build
from worldwright.pack.open import Pack
from worldwright.pack.seal import write_pack

from .conftest import Run, resealed


def _damage(folder: Path, how: str) -> None:
    match how:
        case "changed file":
            (folder / "tools" / "lend.py").write_text("print('hello')\n")
        case "missing file":
            (folder / "policy.md").unlink()
        case "extra file":
            (folder / "extra.txt").write_text("x")
        case "link":
            (folder / "link.txt").symlink_to("/etc/hostname")
        case "manifest":
            text = (folder / "manifest.json").read_text()
            (folder / "manifest.json").write_text(text.replace('"seed": 7', '"seed": 8'))
        case "no manifest":
            (folder / "manifest.json").unlink()


def test_whole_pack(run: Run, library: str, pack: Pack) -> None:
    found = run("verify", library)
    assert found.code == 0
    assert "whole, and what it says it is" in found.out
    data = run("verify", library, "--json").data
    assert data["ok"]
    assert data["reason"] == ""
    assert [c["check"] for c in data["checks"]] == ["files", "manifest", "world", "tasks"]
    assert data["checks"][-1]["found"].startswith(f"{pack.manifest.counts['tasks']} tasks (")


def test_whole_pack_without_tasks(run: Run, bare: str) -> None:
    found = run("verify", bare, "--json")
    assert found.code == 0
    assert found.data["checks"][-1]["found"].startswith("none: ")


@pytest.mark.parametrize(
    ("how", "check", "reason"),
    [
        ("changed file", "manifest", "tools/lend.py was changed"),
        ("missing file", "manifest", "missing from the pack: policy.md"),
        ("extra file", "manifest", "not in the manifest: extra.txt"),
        ("link", "files", "link.txt is a link"),
        ("manifest", "manifest", "manifest.json was changed"),
        ("no manifest", "manifest", "this is not a pack"),
    ],
)
def test_damage_is_found_and_named(run: Run, folder: Path, how: str, check: str, reason: str) -> None:
    _damage(folder, how)
    found = run("verify", str(folder), "--json")
    assert found.code == 4
    assert reason in found.err
    assert not found.data["ok"]
    assert reason in found.data["reason"]
    assert found.data["checks"][-1]["check"] == check


def test_a_pack_sealed_around_another_state_is_found(run: Run, pack: Pack, home: Path, tmp_path: Path) -> None:
    """Every sha256 fits; only the content digest of the state tells."""
    found = run("verify", resealed(pack, tmp_path / "forged", {}, state="0" * 64), "--json")
    assert found.code == 4
    assert found.data["checks"][-1]["check"] == "world"


def test_a_plain_folder_and_nothing_at_all(run: Run, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert run("verify", str(tmp_path / "empty")).code == 4
    assert run("verify", str(tmp_path / "nowhere")).code == 3


def test_rebuild_gives_the_same_world(run: Run, library: str, pack: Pack, tmp_path: Path) -> None:
    found = run("rebuild", library, "--out", str(tmp_path / "again"))
    assert found.code == 0
    assert found.out.splitlines()[:2] == [
        f"rebuilt bit for bit: {len(pack.files)} files",
        f"digest {pack.manifest.digest}",
    ]
    assert "SEALED" in found.err
    assert (tmp_path / "again" / f"town_library-{pack.manifest.digest[:6]}" / "manifest.json").exists()


def test_rebuild_without_tasks_gives_a_world_without_tasks(run: Run, bare: str, bare_pack: Pack) -> None:
    found = run("rebuild", bare, "--json")
    assert found.code == 0
    assert found.data["same"]
    assert found.data["differing"] == []
    assert found.data["digest"] == found.data["rebuilt"] == bare_pack.manifest.digest
    assert "ASSAY" not in found.err


def test_options_that_mean_nothing_are_refused(run: Run, pack: Pack, home: Path, tmp_path: Path) -> None:
    found = run("rebuild", resealed(pack, tmp_path / "forged", {}, options={"mood": "bright"}))
    assert found.code == 4
    assert "manifest.json asks for tasks that cannot be made" in found.err


def test_another_world_is_told_file_by_file(run: Run, bare: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def other(checked: Checked, seed: int, *rest: Any) -> BuiltWorld:
        return build(checked, seed + 1, *rest)

    monkeypatch.setattr(rebuild, "build", other)
    found = run("rebuild", bare)
    assert found.code == 1
    assert "another world: " in found.out
    assert "state.db" in found.out
    data = run("rebuild", bare, "--json").data
    assert not data["same"]
    assert {"manifest.json", "state.db"} <= {d["file"] for d in data["differing"]}
    assert "tools.json" not in {d["file"] for d in data["differing"]}


def test_other_bytes_of_the_same_state_are_the_same_world(
    run: Run, bare_pack: Pack, home: Path, tmp_path: Path
) -> None:
    other = bytearray(bare_pack.files["state.db"])
    other[96:100] = (3_045_000).to_bytes(4, "big")  # the SQLite that wrote it
    found = run("rebuild", resealed(bare_pack, tmp_path / "other", {"state.db": bytes(other)}), "--json")
    assert found.code == 0
    assert found.data["same"]
    assert {d["file"]: d["how"] for d in found.data["differing"]}["state.db"] == "other bytes, the same content"


def test_a_damaged_pack_is_not_rebuilt(run: Run, folder: Path) -> None:
    shutil.rmtree(folder / "tools")
    assert run("rebuild", str(folder)).code == 4


def test_a_world_without_its_keys_says_so(run: Run, pack: Pack, tmp_path: Path) -> None:
    write_pack(drop_grader_files(pack.files), tmp_path / "sent")
    found = run("verify", str(tmp_path / "sent"))
    assert found.code == 0
    assert "without its keys, and what it says it is" in found.out
    assert "keys and verifiers are elsewhere" in " ".join(found.out.split())
    assert run("verify", str(tmp_path / "sent"), "--json").data["whole"] is False
    shown = run("task", "show", str(tmp_path / "sent"), "task_001", "--key")
    assert shown.code != 0
    assert "Traceback" not in shown.err
