"""`worldwright contamination` as a shell runs it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Run
from tests.gate.kept_tasks import load_kept_tasks

from worldwright.cli import exits
from worldwright.gate import results
from worldwright.pack.open import Pack

CHECK = ("contamination", "--gym", "town_library", "--against")


@pytest.fixture
def task(pack: Pack) -> Any:
    return json.loads(pack.files["tasks/task_003.json"])


@pytest.fixture
def bench(tmp_path: Path, task: Any) -> Path:
    folder = tmp_path / "bench"
    folder.mkdir()
    (folder / "clean.txt").write_text(
        "Thank you very much.\n\nWhich of these four rivers is the longest one in Europe?\n"
    )
    lines = [
        json.dumps({"id": 1, "q": "Thank you very much."}),
        "{broken",
        json.dumps({"turns": [task["instruction"]]}),
    ]
    (folder / "copied.jsonl").write_text("\n".join(lines))
    (folder / "noise.bin").write_bytes(bytes(range(256)) * 20)
    return folder


def test_nothing_in_common(run: Run, library: str, bench: Path) -> None:
    done = run(*CHECK, str(bench / "clean.txt"))
    assert done.code == exits.OK
    assert "no task shares more than the thresholds allow" in done.out


def test_a_copy_is_shown_side_by_side(run: Run, library: str, bench: Path, task: Any) -> None:
    done = run(*CHECK, str(bench))
    assert done.code == exits.FAILED
    said = " ".join(done.out.split())
    assert "task_003 run of words," in said
    assert f"{bench / 'copied.jsonl'}:3turns[0]" in "".join(done.out.split())
    first = " ".join(task["instruction"].split()[:6])
    assert said.count(first) == 2
    assert "add --drop" in said
    assert f"{bench / 'copied.jsonl'}:2: not JSON" in done.err
    assert f"{bench / 'noise.bin'}: binary, skipped" in done.err


def test_dropped_tasks_are_not_kept_by_gates(run: Run, library: str, bench: Path, pack: Pack) -> None:
    gate = (
        "gate",
        "--gym",
        library,
        "--workers",
        "0",
        "--gate-agent",
        "oracle",
        "--gate-runs",
        "1",
        "--gate-band",
        "1-1",
    )
    kept = run(*gate, "--json").data["worlds"][0]["kept"]
    assert "task_003" in kept
    assert run(*CHECK, str(bench)).code == exits.FAILED
    assert run(*gate, "--json").data["worlds"][0]["kept"] == kept
    done = run(*CHECK, str(bench / "clean.txt"), str(bench / "copied.jsonl"), "--drop", "--json")
    assert done.code == exits.OK
    [world] = done.data["worlds"]
    assert "task_003" in world["flagged"]
    assert world["dropped"] == world["flagged"]
    assert world["file"] == str(results.find_folder(pack.manifest.digest) / "contamination.json")
    assert {Path(one["file"]).name for one in world["against"]} == {"clean.txt", "copied.jsonl"}
    left = [task for task in kept if task not in world["flagged"]]
    assert run(*gate, "--json").data["worlds"][0]["kept"] == left
    assert load_kept_tasks(pack.manifest.digest) == tuple(left)
    assert "dropped because a benchmark has them: task_003" in " ".join(run(*gate).out.split())
    run(*CHECK, str(bench / "clean.txt"), "--restore")
    assert load_kept_tasks(pack.manifest.digest) == tuple(kept)


def test_thresholds_are_options(run: Run, library: str, tmp_path: Path, task: Any) -> None:
    ten = tmp_path / "ten.txt"
    ten.write_text(
        "zero " + " ".join(task["instruction"].split()[8:20]) + " one two three four five six seven eight nine\n"
    )
    loose = ("--share", "1", "--similar", "1")
    assert run(*CHECK, str(ten), "--run", "40", *loose).code == exits.OK
    assert run(*CHECK, str(ten), "--run", "9", *loose).code == exits.FAILED
    assert run(*CHECK, str(ten), "--run", "3").code == exits.USAGE


def test_what_is_not_there(run: Run, library: str, bench: Path, tmp_path: Path) -> None:
    done = run(*CHECK, str(tmp_path / "none.jsonl"))
    assert (done.code, done.out) == (exits.NOT_FOUND, "")
    assert "none.jsonl is not there" in done.err
    assert run("contamination", "--gym", "nowhere", "--against", str(bench)).code == exits.NOT_FOUND


def test_a_model_for_embeddings_needs_its_folder_and_its_extra(
    run: Run, library: str, bench: Path, tmp_path: Path
) -> None:
    done = run(*CHECK, str(bench), "--embed", str(tmp_path / "none"))
    assert done.code == exits.USAGE
    assert "is no folder" in done.err
    missing = run(*CHECK, str(bench), "--embed", str(bench))
    assert missing.code == exits.USAGE
    assert "pip install 'worldwright[embed]'" in missing.err or "holds no model" in missing.err


LIBRARY = """
class Vector(list):
    def tolist(self):
        return list(self)


class SentenceTransformer:
    def __init__(self, path, local_files_only):
        assert local_files_only

    def encode(self, texts, show_progress_bar):
        return [Vector([len(text), 1.0 if "rivers" in text else 500.0]) for text in texts]
"""


def test_embeddings_of_a_local_model(
    run: Run, library: str, bench: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stand-in for the library, which is large: what is close is what is as long."""
    (tmp_path / "sentence_transformers.py").write_text(LIBRARY)
    monkeypatch.syspath_prepend(tmp_path)
    asked = (*CHECK, str(bench / "clean.txt"), "--embed", str(bench), "--json")
    assert run(*asked, "--close", "0.9").data["worlds"][0]["findings"] == []
    [world] = run(*asked, "--close", "0.01").data["worlds"]
    assert {found["measure"] for found in world["findings"]} == {"embedding"}
    assert world["embedded"]
