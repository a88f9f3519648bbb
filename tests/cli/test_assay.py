from __future__ import annotations

import json
from pathlib import Path

import pytest

from worldwright.pack.open import Pack

from .conftest import Run, resealed


def test_the_counts_are_those_of_the_datasheet(run: Run, library: str, pack: Pack) -> None:
    found = run("assay", library, "--json")
    assert found.code == 0
    sealed = json.loads(pack.files["datasheet.json"])
    assert found.data["holds"]
    assert found.data["datasheet"] == "same"
    assert found.data["cells"] == sealed["cells"]
    assert found.data["tasks"] == sealed["tasks"]
    assert (found.data["false_accepts"], found.data["false_rejects"]) == (0, 0)
    assert found.data["episodes"] == sealed["episodes"]


def test_some_tasks_in_words(run: Run, library: str) -> None:
    found = run("assay", library, "--task", "1", "--task", "task_002", "--task", "2")
    assert found.code == 0
    assert "2 of 2 tasks hold over " in found.out
    assert "the counts are as datasheet.json says" in found.out
    assert "what was looked at holds" in found.out
    assert [line for line in found.out.splitlines() if len(line) > 100 or line != line.rstrip()] == []


def test_another_number_of_walks(run: Run, library: str) -> None:
    found = run("assay", library, "--task", "1", "--walks", "1")
    assert found.code == 0
    assert "not compared: one write more, random walks" in found.out
    data = run("assay", library, "--task", "1", "--walks", "1", "--json").data
    assert data["tasks"]["task_001"]["random walks"]["rejected"] == 1
    assert data["not_compared"] == ["one write more", "random walks"]


def test_a_verifier_that_accepts_too_much_is_caught(run: Run, home: Path, pack: Pack, tmp_path: Path) -> None:
    """The seeded defect: the frame is wide open for the tables that the task is about."""
    key = next(
        json.loads(data)
        for path, data in sorted(pack.files.items())
        if path.startswith("keys/") and b'"lend"' in data and b'"op": "added"' in data
    )
    for pattern in key["expects"]["accepts"][0]:
        pattern["cells"] = dict.fromkeys(pattern["cells"], "any")
        pattern |= {"many": True, "id": "", "as": ""}
    ref = key["task"]
    forged = resealed(pack, tmp_path / "forged", {f"keys/{ref}.json": json.dumps(key).encode()})
    found = run("assay", forged, "--task", ref)
    assert found.code == 1
    assert "JUDGED WRONGLY" in found.out
    assert "was accepted" in found.out
    data = run("assay", forged, "--task", ref, "--json").data
    assert not data["holds"]
    assert data["false_accepts"] > 0
    assert data["failures"][0]["task"] == ref


def test_a_key_that_speaks_of_a_row_nobody_makes(run: Run, home: Path, pack: Pack, tmp_path: Path) -> None:
    key = json.loads(pack.files["keys/task_001.json"])
    key["expects"]["goals"][0]["rows"] = {k: {"row": "loan_9"} for k in key["expects"]["goals"][0]["rows"]}
    forged = resealed(pack, tmp_path / "forged", {"keys/task_001.json": json.dumps(key).encode()})
    found = run("assay", forged, "--task", "1")
    assert found.code == 4
    assert "its calls do not make" in found.err


def test_a_datasheet_that_boasts_is_caught(run: Run, home: Path, pack: Pack, tmp_path: Path) -> None:
    sheet = json.loads(pack.files["datasheet.json"])
    sheet["tasks"]["task_001"]["idle"]["rejected"] += 100
    forged = resealed(pack, tmp_path / "forged", {"datasheet.json": json.dumps(sheet).encode()})
    found = run("assay", forged, "--task", "1")
    assert found.code == 1
    assert "1 counts are not what datasheet.json says" in found.out
    data = run("assay", forged, "--task", "1", "--json").data
    assert data["datasheet"] == "differs"
    assert [(d["task"], d["cell"]) for d in data["differing"]] == [("task_001", "idle")]


@pytest.mark.parametrize(("sheet", "code"), [(None, 1), (b"[]", 4), (b'{"battery": {"walks_per_role": -1}}', 4)])
def test_a_datasheet_that_is_none(
    run: Run, home: Path, pack: Pack, tmp_path: Path, sheet: bytes | None, code: int
) -> None:
    forged = resealed(pack, tmp_path / "forged", {"datasheet.json": sheet})
    assert run("assay", forged, "--task", "1", "--walks", "1").code == code


def test_wrong_usage(run: Run, library: str, bare: str) -> None:
    assert run("assay", library, "--task", "99").code == 2
    assert run("assay", library, "--walks", "-1").code == 2
    found = run("assay", bare)
    assert found.code == 2
    assert "this pack has no tasks" in found.err


def test_progress_is_told_now_and_then(run: Run, library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("worldwright.cli.terminal.progress.FIRST", 0.0)
    monkeypatch.setattr("worldwright.cli.terminal.progress.EVERY", 0.0)
    found = run("assay", library, "--task", "1", "--task", "2", "--walks", "0", "--json")
    assert found.err.startswith("1 of 2 tasks, ")
    assert found.data["walks_per_role"] == 0


def test_quick_work_is_not_talked_about(run: Run, library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("worldwright.cli.terminal.progress.FIRST", 600.0)
    assert run("assay", library, "--task", "1", "--walks", "0").err == ""
