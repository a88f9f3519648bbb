"""Episodes that try to reach each other, the next one, or the controller."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.redteam.episodes import calls, codes, inside, played

from worldwright.core.canonical import canonical_json
from worldwright.core.errors import EpisodeError, LostTransaction
from worldwright.engine.env import Env
from worldwright.engine.world import World

# one after the other, side by side


def test_nothing_survives_a_reset(library: World) -> None:
    env, fresh = library.env(), library.env()
    opening = library.runtime.state_digest()
    for seed in range(12):
        env.reset(role="manager")
        assert (env.state_digest(), env.diff(), env.violations(), env.trajectory().steps) == (opening, {}, (), ())
        fresh.close()
        fresh.reset(role="manager")
        assert played(env, calls(seed)) == played(fresh, calls(seed))
    env.reset()
    assert env.state_digest() == opening == library.runtime.state_digest()


def test_an_ordinary_episode_is_put_back_row_by_row(library: World) -> None:
    """The connection stays, and with it what SQLite has prepared; a new one would be as right and slower."""
    env = library.env()
    env.reset(role="manager")
    first = inside(env)._conn
    played(env, calls(1))
    assert env.diff()
    env.reset(role="manager")
    assert inside(env)._conn is first


def test_snapshot_after_a_reset_is_that_of_a_fresh_episode(library: World) -> None:
    """The same bytes: nothing of the last episode, not even the room that its rows took."""
    env, fresh = library.env(), library.env()
    env.reset(role="manager")
    free = env.call_tool("find_copies", {"status": "on_shelf", "limit": 50}).data["items"]
    for i, item in enumerate(free):
        env.call_tool("lend", {"member": f"MEM-{i + 1:04d}", "copy": item["id"], "reference": f"SECRET-{i}"})
    assert env.snapshot().count(b"SECRET") > 20
    env.reset(role="manager")
    fresh.reset(role="manager")
    assert b"SECRET" not in env.snapshot()
    assert env.snapshot() == fresh.snapshot()


def test_interleaved_episodes_do_not_see_each_other(library: World) -> None:
    episodes = [calls(seed) for seed in range(6)]
    env = library.env()
    serial = []
    for episode in episodes:
        env.reset(role="manager")
        serial.append(played(env, episode))
    envs = [library.env() for _ in episodes]
    for other in envs:
        other.reset(role="manager")
    results: list[list[Any]] = [[] for _ in episodes]
    for i in range(len(episodes[0])):
        for k, other in enumerate(envs):
            results[k].append(other.call_tool(*episodes[k][i]))
    mixed = [
        (r, e.state_digest(), e.diff(), e.violations(), e.agent.clock()) for r, e in zip(results, envs, strict=True)
    ]
    assert mixed == serial


def test_episodes_in_threads_do_not_see_each_other(library: World) -> None:
    serial = []
    for seed in range(4):
        env = library.env()
        env.reset(role="manager")
        serial.append(played(env, calls(seed)))
    found: dict[int, Any] = {}

    def run(seed: int) -> None:
        env = library.env()
        for _ in range(3):
            env.reset(role="manager")
            found[seed] = played(env, calls(seed))

    threads = [threading.Thread(target=run, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found[seed] for seed in range(4)] == serial


def test_forks_do_not_see_each_other(library: World) -> None:
    trunk = library.env()
    trunk.reset(role="manager")
    played(trunk, calls(1))
    before = trunk.state_digest()
    one, two = trunk.fork(), trunk.fork()
    assert one.state_digest() == two.state_digest() == before
    after = played(one, calls(2))
    assert one.state_digest() != before
    assert trunk.state_digest() == two.state_digest() == before
    assert played(two, calls(2)) == after
    assert played(trunk, calls(2)) == after
    one.reset(role="manager")
    assert one.state_digest() == library.runtime.state_digest()
    assert trunk.state_digest() == after[1]


def test_fork_of_a_fork_keeps_ids_and_clock(library: World) -> None:
    env = library.env()
    env.reset(role="manager")
    twin = env.fork().fork()
    assert played(env, calls(3)) == played(twin, calls(3))
    assert len(twin.trajectory().steps) == len(env.trajectory().steps)


# a backend that fails


def lost(env: Env, library: World) -> None:
    """The episode is over and its verdict is `error`; nothing can be measured on it; the next one is sound."""
    assert env.broken
    assert env.done
    for measure in (env.diff, env.state_digest, env.snapshot, env.fork):
        with pytest.raises(LostTransaction):
            measure()
    assert env.trajectory().final_digest == ""
    assert codes([env.call_tool("find_loans", {}), env.submit(1)]) == ["EPISODE_OVER"] * 2
    env.reset(role="manager")
    assert env.broken == ""
    assert env.state_digest() == library.runtime.state_digest()
    other = library.env()
    other.reset(role="manager")
    assert played(env, calls(5)) == played(other, calls(5))


def test_connection_closed_behind_the_session(env: Env, library: World) -> None:
    played(env, calls(4))
    inside(env)._conn.close()
    result = env.call_tool("find_loans", {})
    assert codes([result]) == ["UNAVAILABLE"]
    assert "sqlite" not in canonical_json(result.payload()).decode().lower()
    lost(env, library)


def test_connection_closed_before_a_reset(env: Env, library: World) -> None:
    """Nobody called a tool in between: the reset itself has to notice."""
    inside(env)._conn.close()
    env.reset(role="manager")
    assert env.state_digest() == library.runtime.state_digest()


def test_connection_closed_before_a_measurement(env: Env) -> None:
    inside(env)._conn.close()
    for measure in (env.state_digest, env.snapshot, env.fork):
        with pytest.raises(EpisodeError):
            measure()


@pytest.mark.parametrize("sql", ["ROLLBACK", "COMMIT"])
@pytest.mark.parametrize("fails", [False, True])
def test_transaction_ended_in_the_middle_of_a_call(
    env: Env, library: World, monkeypatch: pytest.MonkeyPatch, sql: str, fails: bool
) -> None:
    tool = inside(env)._opening.compiled.tools["clear_shelf"]
    perform: Callable[..., Any] = tool.perform

    def interrupted(uow: Any, frame: Any) -> Any:
        if fails:
            uow.conn.execute(sql)
        data = perform(uow, frame)
        uow.conn.execute(sql)
        return data

    found = env.call_tool("find_copies", {"status": "on_shelf", "limit": 2}).data["items"]
    with monkeypatch.context() as patch:
        patch.setattr(tool, "perform", interrupted)
        assert codes([env.call_tool("clear_shelf", {"copies": [i["id"] for i in found]})]) == ["UNAVAILABLE"]
    lost(env, library)


def test_transaction_left_open(env: Env, library: World) -> None:
    inside(env)._conn.execute("BEGIN")
    inside(env)._conn.execute("UPDATE loan SET fine = 999")
    env.reset(role="manager")
    assert env.state_digest() == library.runtime.state_digest()


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE loan SET fine = fine + 1",
        "DELETE FROM notice",
        "INSERT INTO clerk VALUES ('CLK-77', 'Mallory', 'manager')",
    ],
)
def test_rows_changed_behind_the_session(env: Env, library: World, sql: str) -> None:
    inside(env)._conn.execute(sql)
    env.reset(role="manager")
    assert env.state_digest() == library.runtime.state_digest()


@pytest.mark.parametrize(
    "pragma",
    ["query_only = ON", "foreign_keys = ON", "case_sensitive_like = ON", "recursive_triggers = ON", "user_version = 9"],
)
def test_pragma_set_behind_the_session(env: Env, library: World, pragma: str) -> None:
    """The next episode plays as ever, or it is an `error` and the one after it is sound; never another outcome."""
    inside(env)._conn.execute(f"PRAGMA {pragma}").fetchall()
    other = library.env()
    other.reset(role="manager")
    wanted = played(other, calls(6))
    env.reset(role="manager")
    results = [env.call_tool(*call) for call in calls(6)]
    if not env.broken:
        assert (results, env.state_digest()) == wanted[:2]
    env.reset(role="manager")
    assert played(env, calls(6)) == wanted


def test_cursor_left_open_before_a_reset(folder: Path) -> None:
    """In a process of its own: the hazard is a crash, not an exception."""
    program = """
import sys, worldwright
env = worldwright.open_world(sys.argv[1]).env()
env.reset()
opening = env.state_digest()
for how in ("read", "changed", "lost"):
    env.reset()
    conn = env._session._conn
    if how == "changed":
        conn.execute("UPDATE loan SET fine = fine + 1")
    cursor = conn.execute("SELECT * FROM loan")
    cursor.fetchone()
    if how == "lost":
        env._session._lost = True
    env.reset()
    try:
        cursor.fetchone()
    except Exception:
        pass
    assert env.state_digest() == opening, how
print("alive")
"""
    done = subprocess.run(
        [sys.executable, "-c", program, str(folder)], capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stdout.strip()) == (0, "alive"), done.stderr
