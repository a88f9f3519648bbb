"""`worldwright distill`, as a person calls it."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from tests.cli.conftest import Run

from worldwright.pack.open import Pack

PLAY = ("distill", "--workers", "0")


@pytest.fixture
def tasks(pack: Pack) -> int:
    """How many tasks the town library has."""
    return pack.manifest.counts["tasks"]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_teachers_play_and_rows_come_of_it(run: Run, library: str, tasks: int, here: Path) -> None:
    done = run(
        *PLAY, "--gym", library, "--teacher", "oracle", "--teacher", "random", "--format", "sft,dpo,rl", "--out", "data"
    )
    assert done.code == 0, done.err
    assert "sft/train.jsonl" in done.out
    assert "Nothing is held out: there is one family of domains only" in done.out
    assert "LEFT OUT OF SFT" in done.out
    assert f"failed {tasks}\n" in done.out
    assert sorted(p.name for p in (here / "data").iterdir()) == ["README.md", "distill.json", "dpo", "rl", "sft"]
    assert len(list((here / "runs").iterdir())) == 2
    row = json.loads((here / "data/sft/train.jsonl").read_text().splitlines()[0])
    assert row["messages"][0]["role"] == "system"


def test_a_run_that_there_is_gives_the_same(run: Run, library: str, here: Path) -> None:
    first = run(*PLAY, "--gym", library, "--teacher", "oracle", "--parquet", "--format", "sft", "--json")
    assert first.code == 0, first.err
    [played] = (here / "runs").iterdir()
    again = run("distill", "--run", str(played), "--format", "sft", "--out", "again", "--json")
    assert again.data == first.data
    [made] = (here / "distilled").iterdir()
    assert made.name == played.name
    assert (made / "sft/train.parquet").exists()
    for name in ("README.md", "distill.json", "sft/train.jsonl"):
        assert (made / name).read_bytes() == (here / "again" / name).read_bytes()


@pytest.mark.parametrize(("rounds", "more"), [(0, 4), (1, 0), (2, 3)])
def test_episodes_are_spread_over_the_tasks(
    run: Run, library: str, tasks: int, here: Path, rounds: int, more: int
) -> None:
    """Every task has its turn before any has another."""
    asked = rounds * tasks + more
    done = run(*PLAY, "--gym", library, "--teacher", "oracle", "--episodes", str(asked), "--format", "rl", "--json")
    assert done.data["episodes"]["all"] == asked
    [played] = (here / "runs").iterdir()
    lines = [json.loads(line) for line in (played / "trajectories.jsonl").read_text().splitlines()]
    whole = dict.fromkeys(range(1, rounds + 1), tasks)
    assert Counter(e["attempt"] for e in lines) == whole | ({rounds + 1: more} if more else {})
    assert len({(e["task"], e["attempt"]) for e in lines}) == asked


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "nothing to distill: name a gym and a teacher"),
        (("--gym", "town_library"), "name both, --gym and --teacher"),
        (("--teacher", "oracle"), "name both, --gym and --teacher"),
        (("--run", "nowhere", "--format", "sft,ppo"), "no format is called 'ppo'"),
        (("--gym", "town_library", "--teacher", "oracel"), "did you mean `oracle`"),
        (("--run", "nowhere", "--held-out", "1"), "0<=x<1"),
    ],
)
def test_a_wrong_call_says_what_is_wrong(run: Run, library: str, arguments: tuple[str, ...], message: str) -> None:
    done = run(*PLAY, *arguments)
    assert done.code == 2
    assert message in done.err
    assert done.out == ""


def test_a_run_that_does_not_exist_is_said(run: Run, library: str) -> None:
    done = run(*PLAY, "--run", "nowhere")
    assert done.code == 3
    assert done.err.endswith("nowhere does not exist\n")


def test_no_row_is_an_error_and_leaves_nothing(run: Run, library: str, tasks: int, here: Path) -> None:
    done = run(*PLAY, "--gym", library, "--teacher", "noop", "--format", "sft,dpo", "--out", "data")
    assert done.code == 2
    left_out = f"{tasks} x failed; {tasks} x no success at the same task"
    assert f"no row came of {tasks} episodes: {left_out}" in done.err
    assert not (here / "data").exists()
    assert [p.name for p in here.glob(".data*")] == []
