"""Verdicts from two database files and a trajectory: the same as from the change log, and `error` for whatever does not belong."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.effort import examples
from tests.verify.made_world import MadeWorld, Played, gold, made_world, near_misses, play, random_walk

from worldwright.engine.env import Env
from worldwright.engine.trajectories import read_trajectory, trajectory_text
from worldwright.kinds.database.state import connect
from worldwright.kinds.database.verify.files import ExpectedTask, Files, judge_files, list_changes, read_content
from worldwright.kinds.database.verify.spec import Episode
from worldwright.kinds.database.verify.verifier import Verifier
from worldwright.world.tasks import Key, Task, Verdict

pytestmark = pytest.mark.xdist_group("made world")


@pytest.fixture(scope="module")
def world() -> MadeWorld:
    return made_world()


@pytest.fixture(scope="module")
def env(world: MadeWorld) -> Env:
    return world.env()


def files_of(world: MadeWorld, env: Env) -> Files:
    """What the episode left, through the text of its file."""
    return Files(world.runtime.state, env.snapshot(), read_trajectory(trajectory_text(env.trajectory())))


def asked_of(world: MadeWorld, task: Task) -> ExpectedTask:
    return ExpectedTask(task.id, task.role, task.actor, world.digest)


def judge(world: MadeWorld, task: Task, key: Key, files: Files) -> Verdict:
    return judge_files(world.runtime, Verifier(world.compiled, key.expects).judge, asked_of(world, task), files)


# the same verdict


def test_episodes_of_the_battery_are_judged_alike(world: MadeWorld, env: Env) -> None:
    """Gold and near misses: the same status, and the same of each assertion."""
    seen: Counter[str] = Counter()
    for task, key in world.some(7):
        for played in (gold(key), *near_misses(world, task, key, 1)):
            play(env, task, played)
            verdict = env.verify()
            assert judge(world, task, key, files_of(world, env)) == verdict, (task.id, played.what)
            seen[verdict.status] += 1
    assert seen["pass"] >= 15
    assert seen["fail"] >= 30
    assert set(seen) == {"pass", "fail"}


def test_random_walks_are_judged_alike(world: MadeWorld, env: Env) -> None:
    changed = 0
    for number, (task, key) in enumerate(world.some(6)):
        random_walk(env, task, number, 40, key.calls if number % 2 else ())
        env.submit(key.answer)
        verdict = env.verify()
        assert judge(world, task, key, files_of(world, env)) == verdict
        changed += sum(len(d.added) + len(d.changed) for d in env.diff().values())
    assert changed > 30


def test_the_changes_are_those_of_the_log(world: MadeWorld, env: Env) -> None:
    task, key = world.tasks[0]
    random_walk(env, task, 3, 60, key.calls)
    conn = connect(env.snapshot())
    opening = connect(world.runtime.state)
    found = list_changes(read_content(world.compiled, opening), read_content(world.compiled, conn))
    diff = env.diff()
    assert [(c.entity, c.id) for c in found] == sorted(
        (name, key) for name, d in diff.items() for key in (*d.added, *d.changed, *d.removed)
    )
    conn.close()
    opening.close()


# what does not belong


@pytest.fixture(scope="module")
def episode(world: MadeWorld) -> tuple[Task, Key, Files]:
    """A gold episode that writes."""
    env = world.env()
    task, key = next((t, k) for t, k in world.tasks if k.expects["accepts"][0])
    play(env, task, gold(key))
    return task, key, files_of(world, env)


def test_another_trajectory_is_an_error(world: MadeWorld, episode: tuple[Task, Key, Files]) -> None:
    task, key, files = episode
    assert judge(world, task, key, files).status == "pass"
    trajectory = files.trajectory
    wrong = {
        "is of another world": replace(trajectory, world="0" * 64),
        "is of task 'task_999'": replace(trajectory, task="task_999"),
        "as 'nobody'": replace(trajectory, role="nobody"),
        "do not lead from initial.db to final.db": replace(trajectory, steps=trajectory.steps[:-1]),
    }
    for reason, other in wrong.items():
        verdict = judge(world, task, key, replace(files, trajectory=other))
        assert verdict.status == "error"
        assert verdict.reward is None
        assert reason in verdict.reason


def test_answer_and_submission_come_from_the_trajectory(world: MadeWorld, episode: tuple[Task, Key, Files]) -> None:
    task, key, files = episode
    silent = replace(files.trajectory, submitted=False)
    assert judge(world, task, key, replace(files, trajectory=silent)).status == "fail"
    other = replace(files.trajectory, answer={"outcome": "refused"})
    assert judge(world, task, key, replace(files, trajectory=other)).status == "fail"


def test_the_end_is_judged_at_the_moment_when_it_was_reached(
    world: MadeWorld, episode: tuple[Task, Key, Files]
) -> None:
    task, _, files = episode
    seen: list[tuple[str, str]] = []

    def judged(found: Episode) -> Verdict:
        seen.append((found.uow.now, found.uow.today))
        return Verdict("pass")

    assert judge_files(world.runtime, judged, asked_of(world, task), files).status == "pass"
    [(now, today)] = seen
    assert now > world.runtime.opening_clock
    assert today == now[:10]


def test_states_in_the_wrong_place_are_errors(world: MadeWorld, episode: tuple[Task, Key, Files]) -> None:
    task, key, files = episode
    swapped = judge(world, task, key, replace(files, initial=files.final, final=files.initial))
    assert (swapped.status, swapped.reason) == ("error", "initial.db is not the state in which this world opens")
    same = judge(world, task, key, replace(files, final=files.initial))
    assert (same.status, same.reason) == (
        "error",
        "the calls of the trajectory do not lead from initial.db to final.db",
    )


def edited(data: bytes, folder: Path, *statements: str) -> bytes:
    """A database after somebody wrote to it with other tools."""
    file = folder / "edited.db"
    file.write_bytes(data)
    conn = sqlite3.connect(file, isolation_level=None)
    for statement in statements:
        conn.execute(statement).fetchall()
    conn.close()
    return file.read_bytes()


HOSTILE: dict[str, Callable[[bytes, Path], bytes]] = {
    "nothing": lambda data, folder: b"",
    "text": lambda data, folder: b"SELECT load_extension('x')",
    "only a header": lambda data, folder: data[:100],
    "cut": lambda data, folder: data[: len(data) // 2],
    "longer": lambda data, folder: data + b"\0" * 1024,
    "zeros in the middle": lambda data, folder: data[:4096] + b"\0" * 8192 + data[12288:],
    "a journal mode": lambda data, folder: data[:18] + b"\x02\x02" + data[20:],
    "a trigger": lambda data, folder: edited(
        data, folder, "CREATE TRIGGER t AFTER DELETE ON approval BEGIN DELETE FROM vendor; END"
    ),
    "a view": lambda data, folder: edited(data, folder, "CREATE VIEW v AS SELECT * FROM approval"),
    "a table more": lambda data, folder: edited(data, folder, "CREATE TABLE more (id TEXT)"),
    "a row less": lambda data, folder: edited(
        data, folder, "DELETE FROM approval WHERE id = (SELECT max(id) FROM approval)"
    ),
    "another value": lambda data, folder: edited(data, folder, "UPDATE approval SET amount = amount + 1"),
    "an id that is none": lambda data, folder: edited(
        data, folder, "UPDATE approval SET id = 'x' WHERE id = (SELECT max(id) FROM approval)"
    ),
    "a number past all bounds": lambda data, folder: edited(
        data, folder, "UPDATE approval SET amount = 9223372036854775807"
    ),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_states_are_errors(
    world: MadeWorld, episode: tuple[Task, Key, Files], what: str, tmp_path: Path
) -> None:
    task, key, files = episode
    for name in ("initial", "final"):
        wrong = HOSTILE[what](getattr(files, name), tmp_path)
        changed = Files(wrong, files.final, files.trajectory) if name == "initial" else replace(files, final=wrong)
        verdict = judge(world, task, key, changed)
        assert verdict.status == "error"
        assert verdict.reason


@settings(max_examples=examples(25), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_damaged_bytes_never_raise(data: st.DataObject) -> None:
    """A few bytes written over: the same verdict, where they hold nothing, or `error`."""
    world = made_world()
    task, key, files = _of_task(world)
    broken = bytearray(files.final)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(broken) - 9) | st.integers(0, 2048))
        broken[at : at + 8] = data.draw(st.binary(min_size=8, max_size=8))
    assert judge(world, task, key, replace(files, final=bytes(broken))).status in ("pass", "error")


KEPT: dict[str, tuple[Task, Key, Files]] = {}


def _of_task(world: MadeWorld) -> tuple[Task, Key, Files]:
    if world.name not in KEPT:
        env = world.env()
        task, key = next((t, k) for t, k in world.tasks if k.expects["accepts"][0])
        play(env, task, Played("gold", key.calls, key.answer))
        KEPT[world.name] = (task, key, files_of(world, env))
    return KEPT[world.name]
