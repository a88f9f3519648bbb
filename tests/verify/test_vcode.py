"""The files of `vcode/`: they say what the key says, they are what decides, and they run by hand."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.ruff_check import complaints
from tests.verify.made_world import (
    MadeWorld,
    Played,
    file_name,
    gold,
    made_world,
    near_misses,
    play,
    random_walk,
    write_world,
)  # fmt: skip

from worldwright.core.errors import UsageError
from worldwright.engine.env import Env
from worldwright.engine.trajectories import trajectory_text
from worldwright.kinds.database import vcode as ww
from worldwright.kinds.database.emit.source import WIDTH
from worldwright.kinds.database.emit.vcode import vcode_source
from worldwright.kinds.database.session import Session
from worldwright.kinds.database.verify.spec import Episode, Specification
from worldwright.kinds.database.verify.verdict import judge_episode
from worldwright.world.tasks import Key, Task, Verdict

pytestmark = pytest.mark.xdist_group("made world")


@pytest.fixture(scope="module")
def world() -> MadeWorld:
    return made_world()


@pytest.fixture(scope="module")
def env(world: MadeWorld) -> Env:
    return world.env()


@pytest.fixture(scope="module")
def pack(world: MadeWorld, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_world(world, tmp_path_factory.mktemp("packs") / "pack")


def loaded(source: str) -> ww.Check:
    """What a file holds, as if it had been imported."""
    names: dict[str, Any] = {"__name__": "vcode"}
    exec(compile(source, "vcode.py", "exec"), names)
    found = names["verify"]
    assert isinstance(found, ww.Check)
    return found


def of_file(world: MadeWorld, source: str) -> Specification:
    return ww.specification(loaded(source), world.compiled)


def by_file(world: MadeWorld, spec: Specification, env: Env) -> Verdict:
    """The verdict of a file on a running episode."""
    session = env._session
    assert isinstance(session, Session)
    broken = tuple(dict.fromkeys(policy for policy, _, _ in session.violations()))
    span = (world.runtime.opening_clock, session.clock)
    return judge_episode(
        world.compiled,
        spec,
        Episode(session.changes(), session.unit_of_work(), span, broken, env._answer, env._submitted, session.names),
    )


def source_of(world: MadeWorld, task: Task) -> str:
    return world.files[f"vcode/{file_name(task)}"].decode()


def writing(world: MadeWorld, *needs: str) -> tuple[Task, Key, str]:
    """A task whose file has all this in it."""
    return next(
        (t, k, source) for t, k in world.tasks for source in [source_of(world, t)] if all(n in source for n in needs)
    )


# the same verdict as the engine's


def test_near_misses_are_judged_alike(world: MadeWorld, env: Env) -> None:
    """Gold of every task, and the battery of some: the same status, and the same of each assertion."""
    seen: Counter[str] = Counter()
    some = {task.id for task, _ in world.some(12)}
    for task, key in world.tasks:
        spec = of_file(world, source_of(world, task))
        episodes = [gold(key), Played("no answer", key.calls, None, False)]
        for played in (*episodes, *(near_misses(world, task, key, 4) if task.id in some else ())):
            play(env, task, played)
            verdict = env.verify()
            assert by_file(world, spec, env) == verdict, (task.id, played.what)
            seen[verdict.status] += 1
            assert played.what != "gold" or verdict.status == "pass"
    assert seen["pass"] >= 60
    assert seen["fail"] >= 150
    assert set(seen) == {"pass", "fail"}


def test_random_walks_are_judged_alike(world: MadeWorld, env: Env) -> None:
    for number, (task, key) in enumerate(world.some(10)):
        random_walk(env, task, number, 25, key.calls)
        env.submit(key.answer)
        assert by_file(world, of_file(world, source_of(world, task)), env) == env.verify()


# what a reviewer sees


def test_files_are_clean(world: MadeWorld, tmp_path: Path) -> None:
    sources = {file_name(task): source_of(world, task) for task, _ in world.tasks}
    assert complaints(sources, tmp_path) == ""
    long = [line for source in sources.values() for line in source.splitlines() if len(line) > WIDTH]
    assert [line for line in long if " " in line.strip().strip("\"',")] == []


def test_files_are_short_and_name_few_assertions(world: MadeWorld, env: Env) -> None:
    for task, key in world.tasks:
        play(env, task, gold(key))
        names = [a.name for a in env.verify().assertions]
        assert 3 <= len(names) <= 12, (task.id, names)
        assert len(names) == len(set(names))
    lengths = sorted(len(source_of(world, task).splitlines()) for task, _ in world.tasks)
    assert lengths[len(lengths) // 2] <= 120


def test_the_same_key_gives_the_same_file(world: MadeWorld) -> None:
    for task, key in world.some(5):
        again = replace(key, expects=json.loads(json.dumps(key.expects)))
        assert vcode_source(world.compiled.blueprint, task, again) == source_of(world, task)


def test_a_file_says_what_is_asked_and_why(world: MadeWorld) -> None:
    task, key, source = writing(world, "expect.rule_kept(", "expect.added(", "told_")
    assert source.startswith(f'"""{task.id} ({task.family}): ')
    assert f'@ww.task("{task.id}", role="{task.role}", actor="{task.actor}")' in source
    for rule in key.expects["rules"]:
        says = world.compiled.blueprint.policies[rule].says
        assert says.split(".")[0].split()[0] in source
        assert f'expect.rule_kept("{rule}")' in source
    assert "keys" not in source


def test_a_refusal_says_what_must_not_be_done(world: MadeWorld) -> None:
    _, key, source = writing(world, "expect.nothing_changed()", '"refused"')
    assert "# Asked for, and not to be done: " in source
    assert key.expects["forbidden"][0]["tool"] in source
    assert f'expect.answer("rule", "{key.expects["answer"]["rule"]["is"]}")' in source


# the file decides


def verdict_of(world: MadeWorld, env: Env, task: Task, played: Played, source: str) -> Verdict:
    play(env, task, played)
    return by_file(world, of_file(world, source), env)


def test_an_edited_value_is_another_demand(world: MadeWorld, env: Env) -> None:
    task, key, source = writing(world, "    expect.added(", "amount=", 'outcome="open"')
    assert verdict_of(world, env, task, gold(key), source).status == "pass"
    other = source.replace('outcome="open",', 'outcome="approved",')
    failed = {a.name: a for a in verdict_of(world, env, task, gold(key), other).assertions if not a.ok}
    assert "outcome=approved" in failed.pop("approval added").expected[0]
    failed.pop("nothing else changed", None)
    assert all(name.startswith("answer ") for name in failed)  # what is told of a row that is not there


def test_an_edited_condition_is_another_goal(world: MadeWorld, env: Env) -> None:
    task, key, source = writing(world, "def goal_get_it_decided", 'a.outcome == "open"')
    other = source.replace('a.outcome == "open"', 'a.outcome == "rejected"', 1)
    failed = [a.name for a in verdict_of(world, env, task, gold(key), other).assertions if not a.ok]
    assert failed == ["goal get it decided"]


def test_an_edited_answer_is_another_answer(world: MadeWorld, env: Env) -> None:
    task, key, source = writing(world, 'expect.answer("outcome", "done")')
    other = source.replace('expect.answer("outcome", "done")', 'expect.answer("outcome", "refused")')
    failed = [a.name for a in verdict_of(world, env, task, gold(key), other).assertions if not a.ok]
    assert failed == ["answer outcome"]


def test_what_is_not_said_is_not_demanded(world: MadeWorld, env: Env) -> None:
    """Without the frame an extra write passes; with it, it does not."""
    for task, key in world.tasks:
        source = source_of(world, task)
        extra = next((p for p in near_misses(world, task, key, 30) if p.what.startswith("one write more")), None)
        if extra is None or verdict_of(world, env, task, extra, source).status != "fail":
            continue
        failed = [a.name for a in by_file(world, of_file(world, source), env).assertions if not a.ok]
        if failed == ["nothing else changed"]:
            loose = "\n".join(line for line in source.splitlines() if "nothing_else_changed()" not in line)
            assert by_file(world, of_file(world, loose), env).status == "pass"
            return
    raise AssertionError("no episode was found that only the frame rejects")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('expect.added("aproval")', "no table 'aproval'; did you mean `approval`?"),
        ('expect.added("approval", request="REQ-00001")', "nothing is said of asked"),
        (
            'expect.changed(ww.row("approval", "APR-00001"), outcom="open")',
            "no column 'outcom'; did you mean `outcome`?",
        ),
        ('expect.rule_kept("approver_awai")', "no rule 'approver_awai'; did you mean `approver_away`?"),
        ('expect.goal("x", print, ww.row("aproval", "APR-00001"))', "no table 'aproval'"),
        ("expect.one_of(lambda: None); expect.one_of(lambda: None)", "`one_of` is said once"),
    ],
)
def test_a_slip_is_pointed_out(world: MadeWorld, line: str, message: str) -> None:
    source = f'import worldwright.kinds.database.vcode as ww\n@ww.task("task_001")\ndef verify(expect):\n    {line}\n'
    with pytest.raises(UsageError) as found:
        of_file(world, source)
    assert message in str(found.value)


# by hand


@pytest.fixture(scope="module")
def episode(world: MadeWorld, tmp_path_factory: pytest.TempPathFactory) -> tuple[Task, list[str]]:
    """A gold episode on disk: the task, and the options that name its files."""
    folder = tmp_path_factory.mktemp("episode")
    task, key, _ = writing(world, "expect.added(", "expect.rule_kept(", "told_")
    env = world.env()
    play(env, task, gold(key))
    (folder / "a.db").write_bytes(world.runtime.state)
    (folder / "b.db").write_bytes(env.snapshot())
    (folder / "t.jsonl").write_text(trajectory_text(env.trajectory()), encoding="utf-8")
    names = {"--initial": "a.db", "--final": "b.db", "--trajectory": "t.jsonl"}
    return task, [part for option, name in names.items() for part in (option, str(folder / name))]


def by_hand(pack: Path, task: Task, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(pack / "vcode" / file_name(task)), *options]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=pack)


def test_a_person_runs_it(world: MadeWorld, pack: Path, episode: tuple[Task, list[str]], tmp_path: Path) -> None:
    task, options = episode
    done = by_hand(pack, task, *options)
    assert (done.returncode, done.stderr) == (0, "")
    *lines, last = done.stdout.splitlines()
    assert last == f"{task.id}: pass"
    assert all(line.startswith("ok    ") and ": expected " in line and ", found " in line for line in lines)
    wrong = tmp_path / "wrong.jsonl"
    text = Path(options[-1]).read_text(encoding="utf-8")
    wrong.write_text(text.replace('"outcome": "done"', '"outcome": "\\u001b[31mdone"'), encoding="utf-8")
    failed = by_hand(pack, task, *options, "--trajectory", str(wrong))
    assert failed.returncode == 1
    assert 'FAIL  answer outcome: expected "done", found "\\u001b[31mdone"' in failed.stdout
    assert failed.stdout.endswith(f"{task.id}: fail\n")


def run(pack: Path, task: Task, capsys: pytest.CaptureFixture[str], *options: str, source: str = "") -> tuple[Any, str]:
    """The same without a process of its own: the exit status, and what was printed."""
    file = pack / "vcode" / file_name(task)
    with pytest.raises(SystemExit) as ended:
        ww.main(loaded(source or file.read_text(encoding="utf-8")), str(file), options)
    return ended.value.code, "".join(capsys.readouterr())


def test_data_for_a_program(
    world: MadeWorld, pack: Path, episode: tuple[Task, list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    task, options = episode
    status, printed = run(pack, task, capsys, *options[2:], "--json")
    assert status == 0
    env = world.env()
    play(env, task, gold(next(key for t, key in world.tasks if t.id == task.id)))
    assert json.loads(printed) == json.loads(json.dumps({"task": task.id, **env.verify().data()}))


WRONG = {
    "--final": [b"", b"not a database", b"SQLite format 3\0" + b"\xff" * 4096],
    "--trajectory": [b"", b"{}", b"\xff\xfe", b"[" * 100_000, b'{"type": "episode"}\n' * 3],
    "--initial": [b"SQLite format 3\0"],
}


@pytest.mark.parametrize(("option", "data"), [(o, d) for o, many in WRONG.items() for d in many])
def test_what_cannot_be_judged_is_an_error(
    pack: Path,
    episode: tuple[Task, list[str]],
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    option: str,
    data: bytes,
) -> None:
    task, options = episode
    (tmp_path / "x").write_bytes(data)
    status, printed = run(pack, task, capsys, *options, option, str(tmp_path / "x"))
    assert status == 2
    assert f"{task.id}: error: " in printed
    assert "Traceback" not in printed


def test_missing_files_and_mistakes_are_errors(
    pack: Path, episode: tuple[Task, list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    task, options = episode
    status, printed = run(pack, task, capsys, *options, "--final", "nowhere.db")
    assert (status, "nowhere.db cannot be read" in printed) == (2, True)
    status, printed = run(pack, task, capsys, *options, "--pack", str(pack / "tasks"))
    assert (status, "manifest.json cannot be read" in printed) == (2, True)
    source = (pack / "vcode" / file_name(task)).read_text(encoding="utf-8")
    broken = source.replace('a.outcome == "open"', 'a.outcom == "open"')
    status, printed = run(pack, task, capsys, *options, source=broken)
    assert (status, "itself is wrong: approval has no outcom" in printed) == (2, True)


def test_another_task_s_episode_is_an_error(
    world: MadeWorld, pack: Path, episode: tuple[Task, list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    task, options = episode
    other = next(t for t, _ in world.tasks if t.id != task.id)
    status, printed = run(pack, other, capsys, *options)
    assert (status, f"the trajectory is of task '{task.id}'" in printed) == (2, True)
