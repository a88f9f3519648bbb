from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from worldwright.cli import rebuilding
from worldwright.factory.build import build
from worldwright.pack.open import Pack
from worldwright.pack.seal import seal, write_pack

from .conftest import Run


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
    assert [c["check"] for c in data["checks"]] == ["files", "manifest", "world"]


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
    m = pack.manifest.model_dump(exclude={"format", "built_with", "digest", "files"})
    files = {k: v for k, v in pack.files.items() if k != "manifest.json"}
    write_pack(seal(files, {**m, "state": "0" * 64}), tmp_path / "forged")
    found = run("verify", str(tmp_path / "forged"), "--json")
    assert found.code == 4
    assert found.data["checks"][-1]["check"] == "world"


def test_a_plain_folder_and_nothing_at_all(run: Run, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert run("verify", str(tmp_path / "empty")).code == 4
    assert run("verify", str(tmp_path / "nowhere")).code == 3


def test_rebuild_gives_the_same_world(run: Run, library: str, pack: Pack, tmp_path: Path) -> None:
    found = run("rebuild", library, "--out", str(tmp_path / "again"))
    assert found.code == 0
    assert f"rebuilt bit for bit: {len(pack.files)} files, digest {pack.manifest.digest}" in found.out
    assert "SEALED" in found.err
    assert (tmp_path / "again" / f"town_library-{pack.manifest.digest[:6]}" / "manifest.json").exists()
    data = run("rebuild", library, "--json").data
    assert data["same"]
    assert data["differing"] == []
    assert data["digest"] == data["rebuilt"] == pack.manifest.digest


def test_another_world_is_told_file_by_file(run: Run, library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rebuilding, "build", lambda checked, seed, parent, progress: build(checked, seed + 1, parent))
    found = run("rebuild", library)
    assert found.code == 1
    assert "another world: " in found.out
    assert "state.db" in found.out
    data = run("rebuild", library, "--json").data
    assert not data["same"]
    assert {"manifest.json", "state.db"} <= {d["file"] for d in data["differing"]}
    assert "tools.json" not in {d["file"] for d in data["differing"]}


def test_other_bytes_of_the_same_state_are_the_same_world(run: Run, pack: Pack, home: Path, tmp_path: Path) -> None:
    m = pack.manifest.model_dump(exclude={"format", "built_with", "digest", "files"})
    files = {k: v for k, v in pack.files.items() if k != "manifest.json"}
    other = bytearray(files["state.db"])
    other[96:100] = (3_045_000).to_bytes(4, "big")  # the SQLite that wrote it
    write_pack(seal({**files, "state.db": bytes(other)}, m), tmp_path / "other")
    found = run("rebuild", str(tmp_path / "other"), "--json")
    assert found.code == 0
    assert found.data["same"]
    assert {d["file"]: d["how"] for d in found.data["differing"]}["state.db"] == "other bytes, the same content"


def test_a_damaged_pack_is_not_rebuilt(run: Run, folder: Path) -> None:
    shutil.rmtree(folder / "tools")
    assert run("rebuild", str(folder)).code == 4
