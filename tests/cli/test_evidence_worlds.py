"""A world made from evidence has the tools of an API: whoever plays its keys has to call them as they are shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.shared_builds import ROOT

from worldwright.engine.shown_key import show_key
from worldwright.engine.surface import SURFACES
from worldwright.facts.opened import open_named

WORKSHOP = ROOT / "examples" / "bike_workshop"


@pytest.fixture
def gym(run: Run, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A few tasks of the bike workshop."""
    monkeypatch.chdir(tmp_path)
    assert run("upload", str(WORKSHOP), "--name", "bikes").code == 0
    few = ("--battery", "bulk", "--tasks-per-world", "8")
    assert run("generate", "--domain", "bikes", "--seed", "8", *few).code == 0
    return "bikes"


def test_the_oracle_passes_every_task_and_teaches_calls_that_there_are(run: Run, gym: str, tmp_path: Path) -> None:
    for face in SURFACES:
        done = run(
            "rollout", "--gym", gym, "--agent", "oracle", "--workers", "0", "--face", face, "--out", f"runs/{face}"
        )
        assert done.code == 0, done.err
        lines = (tmp_path / f"runs/{face}/trajectories.jsonl").read_text().splitlines()
        episodes = [json.loads(line) for line in lines]
        assert len(episodes) >= 6
        assert {e["status"] for e in episodes} == {"pass"}
        assert any(step.get("diff") for e in episodes for step in e["steps"])
        assert all(step["ok"] for e in episodes for step in e["steps"])
    taught = run("distill", "--gym", gym, "--teacher", "oracle", "--format", "sft", "--workers", "0", "--out", "data")
    assert taught.code == 0, taught.err
    rows = [json.loads(line) for line in (tmp_path / "data/sft/train.jsonl").read_text().splitlines()]
    assert len(rows) >= 6
    for row in rows:
        offered = {tool["function"]["name"] for tool in row["tools"]}
        called = [c["function"]["name"] for m in row["messages"] for c in m.get("tool_calls") or ()]
        assert "listBikes" in offered
        assert set(called) <= offered
        assert all('"ok":true' in m["content"] for m in row["messages"] if m["role"] == "tool")


def test_a_key_says_where_values_come_from_in_the_words_of_the_contract(run: Run, gym: str) -> None:
    opened = open_named(gym)
    contract = opened.world.contract
    assert contract is not None
    keys = [opened.world.key(ref) for ref in opened.world.book.ids]
    entries = [entry for key in keys for entry in show_key(contract, key).provenance]
    assert {entry["call"].partition(" ")[2] for entry in entries} <= contract.tools.keys()
    assert any(entry["argument"] for entry in entries)
    assert all(entry["value"] != "" for entry in entries)
    assert run("task", "show", gym, "1", "--key").code == 0
