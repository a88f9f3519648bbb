"""A place that cannot be written, or holds something, is refused before the work begins."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from tests.rollout.made_runs import run_of, write_run

from worldwright.cli import exits
from worldwright.cli.terminal.console import Screen
from worldwright.cli.terminal.stages import Stages, build_stages

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
    stages = Stages(Screen(), build_stages(contract=True))
    assert stages.describe_next() == "TOOLS, stage 1 of 12"
    stages("tests", "418 tests")
    assert stages.describe_next() == "ASSAY, stage 10 of 12"
    assert build_stages(with_tasks=False) == ("tools", "situations", "state", "agenda", "tests", "seal")
    other = Stages(Screen())
    other("read", "2 files")
    assert other.describe_next() == "after READ"


def test_a_long_stage_is_named_where_there_is_no_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("worldwright.cli.terminal.stages.SILENT_SECONDS", 0.1)
    with Stages(Screen(), build_stages()) as stages:
        stages("graph", "26 tools")
        time.sleep(1.2)
    assert "TASKS, stage 7 of 10, 1 s so far ..." in capsys.readouterr().out


# what is there already


def test_a_page_that_is_there_is_not_overwritten(run: Run, tmp_path: Path) -> None:
    folder = str(write_run(tmp_path / "one", run_of({"a": ["pass"]})))
    page = tmp_path / "report.html"
    page.write_text("mine")
    found = run("report", folder, "--html", str(page))
    assert found.code == exits.USAGE
    assert f"{page} is there already; replace it with --force, or name another place" in " ".join(found.err.split())
    assert page.read_text() == "mine"
    assert run("report", folder, "--html", str(page), "--force").code == exits.OK
    assert page.read_text() != "mine"


def test_a_dataset_that_is_there_is_not_overwritten(run: Run, library: str, tmp_path: Path) -> None:
    words = ["distill", "--gym", library, "--teacher", "oracle", "--format", "sft", "--runs", str(tmp_path / "runs")]
    words += ["--out", str(tmp_path / "data"), "--workers", "0", "--held-out", "0"]
    assert run(*words).code == exits.OK
    again = run(*words)
    assert again.code == exits.USAGE
    assert "is there already; replace it with --force" in " ".join(again.err.split())
    assert run(*words, "--force").code == exits.OK


def test_a_rollout_writes_over_its_own_page_and_no_other(run: Run, library: str, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    words = ["rollout", "--gym", library, "--agent", "noop", "--sample", "1", "--workers", "0", "--html", str(page)]
    words += ["--out", str(tmp_path / "run")]
    page.write_text("mine")
    assert run(*words).code == exits.USAGE
    assert page.read_text() == "mine"
    page.unlink()
    assert run(*words).code == exits.OK
    assert run(*words).code == exits.OK


def test_an_arena_on_other_tasks_is_not_overwritten(run: Run, library: str, tmp_path: Path) -> None:
    words = [
        "arena",
        "--gym",
        library,
        "--agent",
        "noop",
        "--workers",
        "0",
        "--out",
        str(tmp_path / "arena"),
        "--sample",
    ]
    assert run(*words, "1").code == exits.OK
    assert run(*words, "1").code == exits.OK
    other = run(*words, "2")
    assert other.code == exits.USAGE
    assert "holds an arena on other tasks; replace it with --force" in " ".join(other.err.split())
    assert run(*words, "2", "--force").code == exits.OK


def test_a_log_that_is_there_is_not_overwritten(run: Run, library: str, tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_text("mine")
    found = run("serve", "--gym", library, "--stdio", "--task", "task_001", "--log", str(tmp_path / "log.jsonl"))
    assert found.code == exits.USAGE
    assert "is there already; replace it with --force" in " ".join(found.err.split())
    assert (tmp_path / "log.jsonl").read_text() == "mine"


def test_an_anchor_of_other_evidence_is_not_overwritten(run: Run, home: Path, tmp_path: Path) -> None:
    words = ["upload", "--name", "desk", "--prompt"]
    assert run(*words, "A rental desk for tools").code == exits.OK
    assert run(*words, "A rental desk for tools").code == exits.OK
    other = run(*words, "A bicycle workshop")
    assert other.code == exits.USAGE
    assert "replace it with --force, or keep both with --name NAME" in " ".join(other.err.split())
    assert run(*words, "A bicycle workshop", "--force").code == exits.OK
