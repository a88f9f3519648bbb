"""`worldwright gate` as a shell runs it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.gate.kept_tasks import load_kept_tasks

from worldwright.cli import exits
from worldwright.gate import results
from worldwright.pack.open import Pack
from worldwright.rollout.parts import index_episodes

GATE = ("gate", "--gym", "town_library", "--workers", "0")


def test_a_smoke_gate_says_what_it_is(run: Run, library: str, pack: Pack) -> None:
    done = run(*GATE, "--gate-agent", "oracle", "--gate-band", "2-4", "--gate-runs", "5")
    assert done.code == exits.OK
    tasks = pack.manifest.counts["tasks"]
    said = " ".join(done.out.split())
    assert "SMOKE GATE TOWN_LIBRARY" in said
    assert f"{tasks} tasks: 0 kept (0%), {tasks} too_easy (100%), 0 too_hard (0%)" in said
    assert "interval of 5% to 85% (Clopper-Pearson, exact)" in said
    assert "this is a smoke gate: oracle is given the answers" in said
    assert "+++++ 5 of 5" in said
    assert max(map(len, done.out.splitlines())) <= 200


def test_the_result_names_the_agent_and_lies_beside_the_pack(run: Run, library: str, pack: Pack, home: Path) -> None:
    before = sorted(p for p in (home / "packs").rglob("*"))
    data = run(*GATE, "--gate-agent", "noop", "--gate-runs", "2", "--gate-band", "1-1", "--json").data
    [world] = data["worlds"]
    file = home / "gates" / pack.manifest.digest / f"{world['agent']['id']}.json"
    assert world["file"] == str(file)
    stored = json.loads(file.read_text())
    assert stored["agent"]["name"] == "noop"
    assert stored["kind"] == world["kind"] == "smoke gate"
    assert (stored["attempts"], stored["tasks"]) == (world["attempts"], world["tasks"])
    assert {task["label"] for task in world["tasks"]} == {"too_hard"}
    assert world["kept"] == []
    assert sorted(p for p in (home / "packs").rglob("*")) == before
    assert list((home / "gates" / "work").iterdir()) == []
    found = results.load(pack.manifest.digest, world["agent"]["id"])
    assert found is not None
    assert len(found.judge()) == pack.manifest.counts["tasks"]


def test_chosen_tasks_and_another_band(run: Run, library: str, pack: Pack) -> None:
    asked = (*GATE, "--gate-agent", "oracle", "--gate-runs", "3", "--gate-band", "1-3", "--tasks", "1,task_003")
    data = run(*asked, "--json").data
    assert data["worlds"][0]["kept"] == ["task_001", "task_003"]
    assert data["worlds"][0]["shares"] == {"kept": 2, "too_easy": 0, "too_hard": 0, "undecided": 0}
    assert load_kept_tasks(pack.manifest.digest) == ("task_001", "task_003")


def test_attempts_are_played_once(run: Run, library: str) -> None:
    few = (*GATE, "--gate-agent", "random", "--gate-runs", "2", "--gate-band", "1-2", "--tasks", "task_00[1-4]")
    first = run(*few, "--json").data
    again = run(*few, "--json")
    assert "8 attempts of random" in again.err
    assert again.data["reused"] == 8
    assert again.data["worlds"] == first["worlds"]
    more = run(*GATE, "--gate-agent", "random", "--tasks", "task_00[1-4]", "--json").data
    assert more["reused"] == 8
    assert all(len(made) == 5 for made in more["worlds"][0]["attempts"].values())


def test_processes_change_nothing(run: Run, library: str) -> None:
    asked = ("--gate-agent", "random", "--gate-runs", "2", "--gate-band", "1-2", "--fresh", "--json")
    here = run(*GATE, *asked).data
    assert run("gate", "--gym", "town_library", "--workers", "2", *asked).data == here


def test_another_fingerprint_is_another_agent_and_says_so(run: Run, library: str) -> None:
    few = (*GATE, "--gate-agent", "random", "--gate-runs", "1", "--gate-band", "1-1", "--tasks", "1")
    one = run(*few, "--json").data["worlds"][0]["agent"]["id"]
    other = run(*few, "--agent-option", "calls=3", "--json")
    assert other.data["reused"] == 0
    assert other.data["worlds"][0]["agent"]["id"] != one
    assert one in other.err
    assert "are not reused" in other.err


def test_other_terms_need_a_fresh_start(run: Run, library: str) -> None:
    few = (*GATE, "--gate-agent", "noop", "--gate-runs", "1", "--gate-band", "1-1", "--tasks", "1")
    assert run(*few).code == exits.OK
    refused = run(*few, "--seed", "3")
    assert refused.code == exits.USAGE
    assert "--fresh" in refused.err
    assert run(*few, "--seed", "3", "--fresh", "--json").data["worlds"][0]["terms"]["seed"] == 3


def test_adaptive_keeps_to_its_budget(run: Run, library: str, pack: Pack) -> None:
    tasks = pack.manifest.counts["tasks"]
    done = run(*GATE, "--gate-agent", "noop", "--adaptive", "--budget", str(3 * tasks), "--json")
    [world] = done.data["worlds"]
    assert sum(len(made) for made in world["attempts"].values()) == 3 * tasks
    assert world["method"] == "adaptive"
    assert "borders at 0.3 and 0.9" in run(*GATE, "--gate-agent", "noop", "--adaptive", "--budget", "1").out
    assert run(*GATE, "--budget", "9").code == exits.USAGE


@pytest.mark.parametrize(
    ("args", "code", "says"),
    [
        (("--gate-band", "4-2"), exits.USAGE, "does not fit"),
        (("--gate-band", "x"), exits.USAGE, "is no band"),
        (("--gate-agent", "plannr"), exits.USAGE, "no agent is called"),
        (("--tasks", "task_999"), exits.USAGE, "nothing to gate"),
        (("--agent-option", "calls"), exits.USAGE, "NAME=VALUE"),
    ],
)
def test_what_cannot_be_gated(run: Run, library: str, args: tuple[str, ...], code: int, says: str) -> None:
    done = run(*GATE, *args)
    assert (done.code, done.out) == (code, "")
    assert says in done.err


def test_worlds_without_tasks_and_worlds_that_are_not_there(run: Run, bare: str) -> None:
    assert run("gate", "--gym", bare).code == exits.USAGE
    assert run("gate", "--gym", "nowhere").code == exits.NOT_FOUND


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_a_gate_that_is_stopped_loses_nothing(
    run: Run, library: str, home: Path, pack: Pack, how: signal.Signals
) -> None:
    asked = ["gate", "--gym", library, "--gate-agent", "random", "--gate-runs", "400", "--workers", "1"]
    code = "import sys; from worldwright.cli.main import main; main(sys.argv[1:])"
    environment = {**os.environ, "WORLDWRIGHT_HOME": str(home)}
    with subprocess.Popen([sys.executable, "-c", code, *asked], env=environment, stderr=subprocess.PIPE) as process:
        until = time.monotonic() + 120
        while not list((home / "gates").glob("*/*.json")):
            assert process.poll() is None
            assert time.monotonic() < until
            time.sleep(0.2)
        process.send_signal(how)
        _, err = process.communicate(timeout=60)
    if how == signal.SIGINT:
        assert process.returncode == exits.INTERRUPTED
        assert b"the same command goes on" in err
    written = [len(index_episodes(folder)) for folder in (home / "gates" / "work").glob("*/*") if folder.is_dir()]
    assert bool(written) == (how == signal.SIGKILL)
    [gated] = results.load_all(pack.manifest.digest)
    made = sum(map(len, gated.attempts.values()))
    assert made > 0
    again = run(*GATE, "--gate-agent", "random", "--gate-runs", "1", "--gate-band", "0-1", "--json").data
    assert again["reused"] == made
    [gated] = results.load_all(pack.manifest.digest)
    assert sum(map(len, gated.attempts.values())) >= max([made, *written])
