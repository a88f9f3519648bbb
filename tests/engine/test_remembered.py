"""What sessions share of the opening state: the same answers as asking again, whatever was written before or is written later."""

from __future__ import annotations

import pytest

from worldwright.core.rng import Stream
from worldwright.engine.env import Env
from worldwright.engine.walk import walk
from worldwright.engine.world import World
from worldwright.kinds.database import remembered
from worldwright.kinds.database.remembered import ReadCache


def forgetful(env: Env) -> Env:
    """An environment that asks SQLite everything."""
    session = env._session
    assert session is not None
    session._uow.opening = None  # type: ignore[attr-defined]
    return env


@pytest.mark.parametrize("seed", range(6))
def test_whoever_remembers_is_told_the_same(library_world: World, seed: int) -> None:
    one, other = library_world.env(), library_world.env()
    for episode in range(4):
        task = library_world.tasks[episode].id
        one.reset(task)
        other.reset(task)
        forgetful(other)
        mine = list(walk(one, Stream("remembered", seed, episode), 60))
        theirs = list(walk(other, Stream("remembered", seed, episode), 60))
        assert mine == theirs
        assert one.state_digest() == other.state_digest()
        assert one.diff() == other.diff()


def test_a_refused_write_leaves_what_is_remembered_alone(library_world: World) -> None:
    env = library_world.env()
    task = next(t for t in library_world.tasks if t.features["writes"])
    calls = library_world.key(task.id).calls
    env.reset(task.id)
    before = [env.call_tool(c.tool, c.arguments) for c in calls]
    assert env.diff()
    env.reset(task.id)
    assert not env.diff()
    assert [env.call_tool(c.tool, c.arguments) for c in calls] == before


def test_a_fork_knows_what_was_written(library_world: World) -> None:
    task = next(t for t in library_world.tasks if t.features["writes"])
    env = library_world.env()
    env.reset(task.id)
    for call in library_world.key(task.id).calls:
        env.call_tool(call.tool, call.arguments)
    twin = env.fork()
    reads = [t.name for t in library_world.tools if not t.mutates and not t.input_schema.get("required")]
    assert [twin.call_tool(name, {}) for name in reads] == [env.call_tool(name, {}) for name in reads]


def test_there_is_an_end_to_what_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remembered, "MAX_REMEMBERED_ROWS", 10)
    known = ReadCache(["thing", "other"])
    for n in range(20):
        known.answer((f'SELECT * FROM "thing" WHERE id = {n}', ()), [(n,)])
    assert len(known.answers) <= 5
    monkeypatch.setattr(remembered, "MAX_RESULT_BYTES", 200)
    for n in range(50):
        known.tell(("get", "", "", "", b"%d" % n), {"n": n}, frozenset())
    assert 0 < len(known.told) < 40
    assert known.list_tables('SELECT "a" FROM "thing" JOIN "nothing"') == {"thing"}
