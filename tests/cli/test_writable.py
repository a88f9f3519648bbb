"""A place that cannot be written is refused before the work begins."""

from __future__ import annotations

from pathlib import Path

import pytest

from worldwright.cli import exits
from worldwright.cli.terminal.stages import describe_next

from .conftest import LIBRARY, Run

WITH_OUT = {
    "generate": ["generate", "--blueprint", str(LIBRARY), "--out"],
    "export": ["export", "--gym", "town_library", "--to", "verifiers", "--out"],
    "distill": ["distill", "--gym", "town_library", "--teacher", "oracle", "--out"],
    "arena": ["arena", "--gym", "town_library", "--agent", "noop", "--out"],
    "rebuild": ["rebuild", "town_library", "--out"],
    "demo": ["demo", "--dir"],
    "train": ["train", "--gym", "town_library", "--model", "none", "--out"],
    "evolve": ["evolve", "--agent", "noop", "--dev", "town_library", "--held-out", "town_library", "--out"],
}


@pytest.mark.parametrize("words", WITH_OUT.values(), ids=WITH_OUT)
def test_an_output_under_a_file_is_refused_at_once(run: Run, tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "file").write_text("")
    found = run(*words, str(tmp_path / "file" / "out"))
    assert found.code == exits.USAGE
    assert f"cannot write to {tmp_path / 'file' / 'out'}" in found.err


def test_a_store_that_cannot_be_written_is_refused_before_the_build(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("WORLDWRIGHT_HOME", str(tmp_path / "file" / "home"))
    found = run("generate", "--blueprint", str(LIBRARY))
    assert found.code == exits.NOT_FOUND
    assert "the store at" in found.err
    assert "TOOLS" not in found.err


def test_the_spinner_names_the_stage_at_work_and_counts() -> None:
    assert describe_next("graph") == "TASKS, stage 6 of 9"
    assert describe_next("read") == "after READ"
