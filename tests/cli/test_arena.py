"""`worldwright arena`: agents side by side, with a page, and again without playing again."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Run


def test_agents_side_by_side(run: Run, library: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    args = (
        "arena",
        "--gym",
        library,
        "--agent",
        "planner",
        "--agent",
        "noop",
        "--baseline",
        "noop",
        "--workers",
        "0",
        "--out",
        str(out),
    )
    done = run(*args, "--json")
    assert done.code == 0, done.err
    said = done.data
    failures = {one["agent"]: one["failures"] for one in said["agents"]}
    assert failures.keys() == {"planner", "noop"}  # which of them is first hangs on very few tasks
    assert said["compared"][0]["other"] == "noop"
    assert failures["noop"] == {"gave up early": said["field"]["episodes"]}
    before = {path: path.stat().st_mtime_ns for path in out.rglob("trajectories.jsonl")}
    assert len(before) == 2
    again = run(*args)
    assert {path: path.stat().st_mtime_ns for path in before} == before
    assert "WHY NOOP FAILS" in again.out
    assert "planner against noop" in again.out
    assert "<svg" in (out / "arena.html").read_text()


def test_nothing_to_play(run: Run, tmp_path: Path) -> None:
    done = run("arena", "--agent", "noop", "--out", str(tmp_path))
    assert done.code == 2
    assert "--fresh" in done.err


@pytest.mark.slow
def test_fresh_worlds_are_built_and_kept(run: Run, tmp_path: Path) -> None:
    args = (
        "arena",
        "--fresh",
        "1",
        "--held-out",
        "motor_claims",
        "--tasks-per-world",
        "3",
        "--agent",
        "noop",
        "--workers",
        "1",
    )
    one, other = (run(*args, "--out", str(tmp_path / "out"), "--json").data for _ in range(2))
    assert one["field"]["domains"] == ["motor_claims"]
    assert one["field"]["episodes"] == 3
    assert one == other
