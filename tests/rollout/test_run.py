"""Runs: the same plan gives the same episodes, by however many workers; a killed run loses nothing and does nothing twice."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from tests.agents.chat_server import completion, serving
from tests.shared_builds import build

from worldwright.agents.protocol import Options
from worldwright.blueprint.checked import Checked
from worldwright.core.errors import EpisodeError, StoreError, UsageError
from worldwright.core.rng import Stream
from worldwright.engine.world import World
from worldwright.pack.seal import write_pack
from worldwright.rollout.parts import PARTS, index_episodes, lock_run
from worldwright.rollout.plan import AgentSpec, Plan, TaskFilter, hash_instruction, plan, read_wordings
from worldwright.rollout.read import RUN, TRAJECTORIES, Run, open_run
from worldwright.rollout.records import Limits
from worldwright.rollout.replay import replay_run
from worldwright.rollout.run import MAX_ERRORS_IN_A_ROW, EpisodeSummary, count_judged, roll


@pytest.fixture(scope="module")
def gym(library: Checked, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("gym")
    for seed in (7, 8):
        write_pack(build(library, seed).pack.files, folder / f"library-{seed}")
    return folder


def planned(gym: Path, spec: str = "random", attempts: int = 2, **more: object) -> Plan:
    return plan(str(gym), AgentSpec(spec), attempts=attempts, **more)  # type: ignore[arg-type]


def digests(run: Run) -> list[tuple[str, str]]:
    return [(e.id, e.digest) for e in run.episodes()]


@pytest.mark.slow
def test_the_number_of_workers_changes_nothing(gym: Path, tmp_path: Path) -> None:
    made = planned(gym)
    seen: list[EpisodeSummary] = []
    here = roll(made, tmp_path / "here", 0, seen.append)
    apart = roll(made, tmp_path / "apart", 2)
    assert digests(here) == digests(apart)
    assert here.config["digest"] == apart.config["digest"]
    assert len(seen) == len(made.episodes) == len(digests(here))
    assert not (tmp_path / "here" / PARTS).exists()


def test_a_run_that_has_ended_is_not_played_again(gym: Path, tmp_path: Path) -> None:
    made = planned(gym, attempts=1)
    roll(made, tmp_path, 0)
    seen: list[EpisodeSummary] = []
    assert count_judged(tmp_path) == len(made.episodes)
    roll(made, tmp_path, 0, seen.append)
    assert not seen


def test_a_folder_is_for_one_plan(gym: Path, tmp_path: Path) -> None:
    roll(planned(gym, attempts=1), tmp_path, 0)
    with pytest.raises(UsageError, match="another plan"):
        roll(planned(gym, attempts=2), tmp_path, 0)
    with lock_run(tmp_path), pytest.raises(UsageError, match="is locked by another process"):
        roll(planned(gym, attempts=1), tmp_path, 0)


def test_where_somebody_stops_it_the_rest_is_left_and_only_that(gym: Path, tmp_path: Path) -> None:
    made = planned(gym)
    seen: list[EpisodeSummary] = []

    def enough(one: EpisodeSummary) -> None:
        seen.append(one)
        if len(seen) == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        roll(made, tmp_path / "stopped", 0, enough)
    there = len(index_episodes(tmp_path / "stopped"))
    assert 5 <= there < len(made.episodes)
    assert count_judged(tmp_path / "stopped") == there
    with pytest.raises(UsageError, match="has not ended"):
        list(open_run(tmp_path / "stopped").episodes())
    later: list[EpisodeSummary] = []
    run = roll(made, tmp_path / "stopped", 0, later.append)
    assert len(later) == len(made.episodes) - there
    assert digests(run) == digests(roll(made, tmp_path / "whole", 0))


def test_a_torn_line_counts_for_nothing(gym: Path, tmp_path: Path) -> None:
    made = planned(gym, attempts=1)
    whole = roll(made, tmp_path / "whole", 0)
    lines = (tmp_path / "whole" / TRAJECTORIES).read_bytes().splitlines(keepends=True)
    parts = tmp_path / "torn" / PARTS
    parts.mkdir(parents=True)
    (parts / "1.jsonl").write_bytes(b"".join(lines[:3]) + lines[3][:200])
    seen: list[EpisodeSummary] = []
    run = roll(made, tmp_path / "torn", 0, seen.append)
    assert len(seen) == len(made.episodes) - 3
    assert digests(run) == digests(whole)


KILLED = """
import sys
from pathlib import Path
from worldwright.rollout.plan import AgentSpec, plan
from worldwright.rollout.run import roll
if __name__ == "__main__":
    roll(plan(sys.argv[1], AgentSpec("random"), attempts=int(sys.argv[3])), Path(sys.argv[2]), 2)
"""


@pytest.mark.slow
def test_a_run_that_is_killed_three_times_ends_like_one_that_was_not(gym: Path, tmp_path: Path) -> None:
    attempts = 40
    script = tmp_path / "killed.py"
    script.write_text(KILLED)
    folder = tmp_path / "killed"
    moments, before = Stream("moments of a kill", 1), 0
    for _ in range(3):
        with subprocess.Popen(
            [sys.executable, str(script), str(gym), str(folder), str(attempts)], start_new_session=True
        ) as process:
            until = time.monotonic() + 60
            while time.monotonic() < until and process.poll() is None:
                time.sleep(0.02 + 0.1 * moments.uniform())
                written = sum(p.stat().st_size for p in folder.glob(f"{PARTS}/*"))
                if written > before + 100_000:
                    break
            os.kill(process.pid, signal.SIGKILL)
        before = sum(p.stat().st_size for p in folder.glob(f"{PARTS}/*"))
    made = planned(gym, attempts=attempts)
    assert 0 < count_judged(folder) < len(made.episodes), "it was not killed in the middle"
    run = roll(made, folder, 2)
    found = digests(run)
    assert Counter(key for key, _ in found).most_common(1)[0][1] == 1
    assert found == digests(roll(made, tmp_path / "whole", 0))


def test_an_agent_that_is_never_there_ends_the_run_and_costs_nothing_that_was_played(gym: Path, tmp_path: Path) -> None:
    pytest.importorskip("openai")
    nowhere = Options(base_url="http://127.0.0.1:9/v1", more={"retries": "0", "timeout": "2"})
    made = plan(str(gym), AgentSpec("openai:nobody", nowhere), attempts=5)
    assert len(made.episodes) > MAX_ERRORS_IN_A_ROW
    with pytest.raises(EpisodeError, match=r"64 episodes in a row came to no verdict.*127\.0\.0\.1"):
        roll(made, tmp_path, 0)
    assert count_judged(tmp_path) == 0
    assert index_episodes(tmp_path)


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def test_a_run_whose_endpoint_was_down_is_played_again(gym: Path, tmp_path: Path) -> None:
    pytest.importorskip("openai")
    port = free_port()
    options = Options(base_url=f"http://127.0.0.1:{port}/v1", more={"retries": "0", "timeout": "2"})
    made = plan(str(gym), AgentSpec("openai:m", options), TaskFilter(sample=3))
    answers = completion({"content": "I would rather not."}, {"prompt_tokens": 10, "completion_tokens": 5})

    down = roll(made, tmp_path / "run", 0)
    assert {e.status for e in down.episodes()} == {"error"}
    assert down.config["ended"]
    assert count_judged(tmp_path / "run") == 0

    seen: list[EpisodeSummary] = []

    def stop_after_three(one: EpisodeSummary) -> None:
        seen.append(one)
        if len(seen) == 3:
            raise KeyboardInterrupt

    with serving([answers], port):
        with pytest.raises(KeyboardInterrupt):
            roll(made, tmp_path / "run", 0, stop_after_three)
        some = count_judged(tmp_path / "run")
        assert 3 <= some < len(made.episodes)
        assert {e.status for e in open_run(tmp_path / "run").episodes()} == {"error"}, (
            "the finished file stays as it is"
        )
        later: list[EpisodeSummary] = []
        run = roll(made, tmp_path / "run", 0, later.append)
        whole = roll(made, tmp_path / "whole", 0)
    assert len(later) == len(made.episodes) - some, "what has a verdict is not played again"
    assert {e.status for e in run.episodes()} == {"fail"}
    assert digests(run) == digests(whole)
    assert run.config["digest"] == whole.config["digest"] != down.config["digest"]
    assert not (tmp_path / "run" / PARTS).exists()
    assert all(one.same for one in replay_run(run))
    again: list[EpisodeSummary] = []
    assert digests(roll(made, tmp_path / "run", 0, again.append)) == digests(whole), "though the endpoint is down again"
    assert not again


def test_only_the_errors_of_a_run_are_played_again(gym: Path, tmp_path: Path) -> None:
    made = planned(gym)
    whole = roll(made, tmp_path, 0)
    path = tmp_path / TRAJECTORIES
    lines = path.read_bytes().splitlines(keepends=True)
    lines[2] = re.sub(rb'"status":"[a-z]+"', b'"status":"error"', lines[2], count=1)
    path.write_bytes(b"".join(lines))
    seen: list[EpisodeSummary] = []
    assert digests(roll(made, tmp_path, 2, seen.append)) == digests(whole)
    assert [one.spot for one in seen] == [made.episodes[2]]
    after = path.read_bytes().splitlines(keepends=True)
    assert after[:2] + after[3:] == lines[:2] + lines[3:], "byte for byte, what a clock measured included"


def test_a_run_that_is_killed_between_its_files_is_finished_by_the_next(gym: Path, tmp_path: Path) -> None:
    made = planned(gym, attempts=1)
    whole = roll(made, tmp_path, 0)
    config = (tmp_path / RUN).read_text()
    (tmp_path / RUN).write_text(json.dumps({**whole.config, "ended": False, "digest": ""}))
    (tmp_path / PARTS).mkdir()
    (tmp_path / PARTS / "1.jsonl").write_bytes((tmp_path / TRAJECTORIES).read_bytes())
    roll(made, tmp_path, 0)
    assert (tmp_path / RUN).read_text() == config
    assert not (tmp_path / PARTS).exists()


def test_tasks_can_be_chosen(gym: Path, library_world: World) -> None:
    families = {t.id: t.family for t in library_world.tasks}
    chosen = planned(gym, choice=TaskFilter(families=("policy",)))
    assert {s.task for s in chosen.episodes if s.world == library_world.digest} == {
        t for t, family in families.items() if family == "policy"
    }
    assert len({(s.world, s.task) for s in planned(gym, choice=TaskFilter(sample=3)).episodes}) == 6
    assert {s.task for s in planned(gym, choice=TaskFilter(tasks=("task_00*",))).episodes} <= {
        f"task_00{n}" for n in range(10)
    }
    with pytest.raises(UsageError, match="nothing to play"):
        planned(gym, choice=TaskFilter(tasks=("task_999",)))
    with pytest.raises(UsageError, match="no family of tasks is called 'walks'"):
        planned(gym, choice=TaskFilter(families=("walks",)))


def test_wordings_are_played_and_only_what_has_some(gym: Path, library_world: World, tmp_path: Path) -> None:
    task = library_world.tasks[0]
    file = tmp_path / "wordings.json"
    file.write_text(json.dumps({"wordings": [{"for": hash_instruction(task.instruction), "says": "Said otherwise."}]}))
    made = planned(gym, attempts=1, wordings=read_wordings([file]))
    run = roll(made, tmp_path / "run", 0)
    [episode] = run.episodes()
    assert "Said otherwise." in str(episode.messages[0]["content"])
    assert episode.task == task.id
    assert all(one.same for one in replay_run(run))
    file.write_text('{"wordings": [{"says": "x"}]}')
    with pytest.raises(UsageError, match=r"wording 1 .* has no `for`"):
        read_wordings([file])


# replay


def test_every_episode_can_be_played_again(gym: Path, tmp_path: Path) -> None:
    for spec in ("random", "oracle", "noop"):
        run = roll(planned(gym, spec, 1), tmp_path / spec, 0)
        found = list(replay_run(run))
        assert len(found) == len(list(run.episodes()))
        assert [one.differs for one in found if not one.same] == []


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("reward", 1.0, "reward: was 1.0, is 0.0"),
        ("status", "pass", "status"),
        ("final", "0" * 64, "final"),
        ("task", None, "task"),
    ],
)
def test_a_record_that_was_changed_does_not_stand(
    gym: Path, tmp_path: Path, field: str, value: object, says: str
) -> None:
    run = roll(planned(gym, "random", 1), tmp_path, 0)
    path = tmp_path / TRAJECTORIES
    lines = path.read_text().splitlines()
    data = json.loads(lines[0])
    other = json.loads(lines[1])["task"]
    data[field] = other if value is None else value
    path.write_text("\n".join([json.dumps(data, ensure_ascii=False), *lines[1:]]) + "\n")
    first = next(iter(replay_run(run)))
    assert not first.same
    assert first.differs[0] == "the record is not what its digest says"
    assert field == "task" or any(d.startswith(says) for d in first.differs)


def test_limits_are_part_of_what_is_replayed(gym: Path, tmp_path: Path) -> None:
    run = roll(planned(gym, "random", 1, limits=Limits(calls=3)), tmp_path, 0)
    assert {e.outcome for e in run.episodes()} == {"calls"}
    assert all(one.same for one in replay_run(run))


def test_a_world_that_is_no_longer_there_is_asked_for(gym: Path, tmp_path: Path) -> None:
    run = roll(planned(gym, "noop", 1), tmp_path, 0)
    gone = replace(run, config={**run.config, "worlds": []})
    with pytest.raises(UsageError, match="does not say where the world"):
        next(iter(replay_run(gone)))
    packs = {w["digest"]: Path(w["path"]) for w in run.config["worlds"]}
    assert all(one.same for one in replay_run(gone, (), packs))
    with pytest.raises(UsageError, match="no such episode"):
        list(replay_run(run, ("zzzz",)))


def test_what_is_no_run_says_so(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is no run"):
        open_run(tmp_path)
    (tmp_path / RUN).write_text("{")
    with pytest.raises(UsageError, match=r"run\.json cannot be read"):
        open_run(tmp_path)


def test_a_folder_that_cannot_be_written_says_so(gym: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be written"):
        roll(planned(gym, attempts=1), tmp_path / "file" / "run", 0)


def test_parquet_has_every_episode(gym: Path, tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    from worldwright.rollout.parquet import write_run

    run = roll(planned(gym, "oracle", 1), tmp_path, 0)
    rows = pq.read_table(write_run(run)).to_pylist()
    episodes = list(run.episodes())
    assert [r["id"] for r in rows] == [e.id for e in episodes]
    assert json.loads(rows[0]["messages"]) == run.messages(episodes[0])
    assert json.loads(rows[0]["messages"])[0]["role"] == "system"
    assert [t["function"]["name"] for t in json.loads(rows[0]["tools"])][-1] == "submit_answer"
