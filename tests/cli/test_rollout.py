"""`rollout` and `replay`, as people call them."""

from __future__ import annotations

import io
import json
import re
import socket
import time
from pathlib import Path

import pytest
from rich.console import Console
from tests.agents.chat_server import completion, serving

from worldwright.cli.terminal import progress
from worldwright.cli.terminal.progress import Progress

from .conftest import Run


def test_an_agent_is_run_and_what_it_came_to_is_said(run: Run, library: str, tmp_path: Path) -> None:
    out = tmp_path / "run"
    done = run("rollout", "--gym", library, "--agent", "oracle", "--workers", "0", "--out", str(out))
    assert done.code == 0, done.err
    assert "PASS RATE  100%" in done.out
    assert str(out) in done.out.replace("\n", "")
    assert (out / "trajectories.jsonl").exists()
    again = run("replay", str(out))
    assert again.code == 0
    assert "every one is the same" in again.out


def test_an_episode_is_shown_call_by_call(run: Run, library: str, tmp_path: Path) -> None:
    out = tmp_path / "run"
    run("rollout", "--gym", library, "--agent", "oracle", "--sample", "3", "--workers", "0", "--out", str(out))
    [first, *_] = [json.loads(line) for line in (out / "trajectories.jsonl").read_text().splitlines()]
    key = first["episode"]["id"] if "episode" in first else first["id"]
    found = run("replay", str(out), "--episode", key[:8], "--steps", "--json").data
    last = found["steps"][-1]["verdict"]
    assert last["status"] == "pass"
    assert set(found["decided"]) == {one["name"] for one in last["assertions"]}
    assert found["differs"] == []
    assert set(found["decided"].values()) <= set(range(len(found["steps"]) + 1))
    shown = run("replay", str(out), "--episode", key[:8], "--steps")
    assert shown.code == 0
    assert all(step["tool"] in shown.out for step in found["steps"] if step.get("tool"))
    assert run("replay", str(out), "--steps").code == 2
    assert run("replay", str(out), "--steps", "--episode", "zzzz").code == 2


def test_a_script_reads_json_and_a_second_start_plays_nothing(run: Run, library: str, tmp_path: Path) -> None:
    command = ("rollout", "--gym", library, "--agent", "random", "--family", "policy", "--workers", "0")
    first = run(*command, "--out", str(tmp_path / "run"), "--json", "--html", str(tmp_path / "page.html"))
    data = json.loads(first.out)
    assert data["agent"] == "random"
    assert set(data["families"]) == {"policy"}
    assert data["config"]["choice"] == {"families": ["policy"]}
    assert "<svg" in (tmp_path / "page.html").read_text()
    lines = (tmp_path / "run" / "trajectories.jsonl").read_bytes()
    second = run(*command, "--out", str(tmp_path / "run"))
    assert "episodes already" in second.err
    assert (tmp_path / "run" / "trajectories.jsonl").read_bytes() == lines


def test_an_endpoint_that_was_down_is_an_error_until_the_same_command_finds_it_up(
    run: Run, library: str, tmp_path: Path
) -> None:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    command = (
        "rollout", "--gym", library, "--agent", "openai:m", "--base-url", f"http://127.0.0.1:{port}/v1", "--sample", "2",
        "--agent-option", "retries=0", "--workers", "0", "--out", str(tmp_path / "run"),
    )  # fmt: skip
    first = run(*command)
    assert first.code == 1
    assert "nothing was played" in first.err
    assert f"cannot connect to 127.0.0.1:{port}" in first.err
    assert not (tmp_path / "run").exists()
    patient = run(*command, "--agent-option", "retries=1")
    assert "trying again for 0 seconds" in patient.err
    assert patient.err.count("cannot connect to") == 2
    with serving([completion({"content": "No."})], port):
        second = run(*command, "--json")
    assert second.code == 0, second.err
    assert json.loads(second.out)["rate"]["errors"] == 0


def test_a_folder_of_something_else_is_refused_and_nothing_else_is_said(
    run: Run, library: str, folder: Path, tmp_path: Path
) -> None:
    command = ("rollout", "--gym", library, "--agent", "noop", "--workers", "0", "--sample", "1", "--out")
    packs = run(*command, str(folder))
    assert packs.code == 2
    assert "is no run and not empty" in packs.err
    assert not (folder / ".lock").exists()
    assert run(*command, str(tmp_path / "run")).code == 0
    other = run(*command, str(tmp_path / "run"), "--attempts", "2")
    assert other.code == 2
    assert "holds a run of another plan" in other.err
    assert "episodes already" not in other.err


def test_ctrl_c_says_what_is_kept(run: Run, library: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[str] = []

    def third(self: Progress, figures: str = "", total: int | None = None) -> None:
        steps.append(figures)
        if len(steps) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(Progress, "step", third)
    command = ("rollout", "--gym", library, "--agent", "noop", "--workers", "0", "--out", str(tmp_path / "run"))
    stopped = run(*command)
    assert stopped.code == 130
    kept = re.search(r"stopped: (\d+) of \d+ episodes have a verdict and are kept in", stopped.err)
    assert kept is not None
    assert int(kept[1]) >= 3
    monkeypatch.undo()


def test_the_clock_goes_on_where_nothing_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Console(file=io.StringIO(), width=100)
    monkeypatch.setattr(progress, "FIRST", 0.0)
    monkeypatch.setattr(progress, "SILENT_SECONDS", 0.6)
    with Progress(screen, "episodes", 60):
        time.sleep(1.3)
    assert "0 of 60 episodes, 1 s" in screen.file.getvalue()  # type: ignore[attr-defined]


@pytest.mark.parametrize("option", ["--out", "--html"])
def test_what_cannot_be_written_is_said_before_an_episode_is_played(
    run: Run, library: str, tmp_path: Path, option: str
) -> None:
    (tmp_path / "file").write_text("")
    out = ["--out", str(tmp_path / "run")] if option == "--html" else []
    done = run("rollout", "--gym", library, "--agent", "noop", *out, option, str(tmp_path / "file" / "here"))
    assert done.code == 2
    assert "cannot write to" in " ".join(done.err.split())
    assert not (tmp_path / "run").exists()


def test_what_was_changed_afterwards_is_found(run: Run, library: str, tmp_path: Path) -> None:
    run("rollout", "--gym", library, "--agent", "noop", "--workers", "0", "--out", str(tmp_path / "run"))
    path = tmp_path / "run" / "trajectories.jsonl"
    path.write_text(path.read_text().replace('"status":"fail"', '"status":"pass"', 1))
    done = run("replay", str(tmp_path / "run"), "--json")
    assert done.code == 1
    data = json.loads(done.out)
    assert len(data["differ"]) == 1
    assert data["differ"][0]["differs"][0] == "the record is not what its digest says"


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--agent", "plannr"], "did you mean `planner`"),
        (["--agent", "noop", "--tasks", "task_900"], "nothing to play"),
        (["--agent", "noop", "--agent-option", "x"], "NAME=VALUE"),
        (["--agent", "noop", "--wordings", "nowhere.json"], "cannot be read"),
        (["--agent", "noop", "--face", "blue"], "blue"),
    ],
)
def test_what_was_asked_wrongly_is_said(run: Run, library: str, options: list[str], says: str) -> None:
    done = run("rollout", "--gym", library, "--workers", "0", *options)
    assert done.code == 2
    assert says in done.err


def test_what_is_no_gym_or_no_run_is_said(run: Run, tmp_path: Path) -> None:
    done = run("rollout", "--gym", "nowhere", "--agent", "noop")
    assert done.code == 3
    assert "nowhere" in done.err
    done = run("replay", str(tmp_path))
    assert done.code == 2
    assert "is no run" in done.err
