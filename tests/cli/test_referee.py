from __future__ import annotations

import json
from pathlib import Path

from worldwright.pack.open import Pack

from .conftest import Run, resealed


def test_both_judges_agree_on_a_sealed_pack(run: Run, library: str, pack: Pack) -> None:
    found = run("referee", library, "--sample", "--json")
    assert found.code == 0
    assert found.data["holds"]
    assert found.data["play"] == "sample"
    assert found.data["disagreements"] == 0
    sealed = json.loads(pack.files["datasheet.json"])["referee"]
    assert {name: found.data[name] for name in sealed} == sealed
    assert sealed["agreements"] > 12 * len(found.data["tasks"])


def test_one_task_in_words(run: Run, library: str) -> None:
    found = run("referee", library, "--task", "1")
    assert found.code == 0
    assert "referee and verifier agree on 1 of 1 tasks over " in found.out
    assert [line for line in found.out.splitlines() if len(line) > 100 or line != line.rstrip()] == []


def test_a_verifier_that_rejects_what_is_right_is_found(run: Run, home: Path, pack: Pack, tmp_path: Path) -> None:
    """The seeded defect: nothing is accepted."""
    keys = (
        json.loads(data)
        for path, data in sorted(pack.files.items())
        if path.startswith("keys/task_") and path.endswith("json")
    )
    key = next(key for key in keys if any(key["expects"]["accepts"]))
    key["expects"]["accepts"], ref = [], key["task"]
    forged = resealed(pack, tmp_path / "forged", {f"keys/{ref}.json": json.dumps(key).encode()})
    found = run("referee", forged, "--task", ref)
    assert found.code == 1
    assert "THEY DISAGREE" in found.out
    assert f"{ref}  the witness" in found.out
    assert "referee   right" in found.out
    data = run("referee", forged, "--task", ref, "--json").data
    assert not data["holds"]
    first = data["tasks"][ref]["disagreements"][0]
    assert (first["play"], first["verifier"].partition(":")[0]) == ("the witness", "fail")


def test_a_pack_without_tasks(run: Run, bare: str) -> None:
    found = run("referee", bare)
    assert found.code == 2
    assert "no tasks" in found.err
