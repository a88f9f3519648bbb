"""The agent's face leads nowhere but to list, call, submit and the clock; what it hands out is a copy or closed to writing."""

from __future__ import annotations

import copy
import gc
import json
import pickle
import sqlite3
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from tests.redteam.episodes import calls, codes, played

from worldwright.core.errors import EpisodeError, UsageError
from worldwright.engine.agent_face import AgentFace
from worldwright.engine.env import Env
from worldwright.engine.world import World

# faces


FORBIDDEN = (
    "Env",
    "Session",
    "Runtime",
    "CompiledWorld",
    "World",
    "UnitOfWork",
    "ToolContext",
    "Connection",
    "Cursor",
    "Pack",
    "Store",
)


def reachable(start: Any, depth: int = 4) -> dict[str, Any]:
    """Every object that names without a double underscore lead to."""
    out: dict[str, Any] = {}
    todo: list[tuple[str, Any, int]] = [("agent", start, 0)]
    seen: set[int] = set()
    while todo:
        path, value, level = todo.pop()
        if id(value) in seen or level > depth or isinstance(value, (str, int, float, bytes, type(None), type)):
            continue
        seen.add(id(value))
        out[path] = value
        if isinstance(value, Mapping):
            todo += [(f"{path}[{k!r}]", v, level + 1) for k, v in value.items()]
        elif isinstance(value, (list, tuple)):
            todo += [(f"{path}[{i}]", v, level + 1) for i, v in enumerate(value[:20])]
        todo += [
            (f"{path}.{n}", getattr(value, n), level + 1) for n in dir(value) if not n.startswith("__") and n != "list"
        ]
    return out


def test_agent_face_leads_nowhere_else(env: Env) -> None:
    agent = env.agent
    starts: list[Any] = [
        agent,
        agent.list(),
        agent.call("find_loans", {}),
        agent.call("nope", {}),
        agent.call("get_member", {"member": "MEM-0001"}),
    ]
    for start in starts:
        for path, value in reachable(start).items():
            assert type(value).__name__ not in FORBIDDEN, path
            assert not isinstance(value, sqlite3.Connection), path
    assert [n for n in dir(agent) if not n.startswith("__")] == ["call", "clock", "list", "submit"]
    assert AgentFace.__slots__ == ("call", "clock", "list", "submit")


@pytest.mark.parametrize(
    "name",
    [
        "reset",
        "snapshot",
        "diff",
        "verify",
        "fork",
        "trajectory",
        "env",
        "close",
        "violations",
        "state_digest",
        "_env",
        "_session",
        "__dict__",
    ],
)
def test_agent_face_has_no_other_door(env: Env, name: str) -> None:
    assert not hasattr(env.agent, name)
    with pytest.raises(AttributeError):
        setattr(env.agent, name, None)


def test_agent_face_written_over(env: Env) -> None:
    """An agent may break its own face, not the next one."""
    agent: Any = env.agent
    agent.call = agent.submit = agent.list = None
    assert env.agent.call("find_loans", {}).ok
    assert env.agent.list()


def test_agent_sees_only_the_tools_of_its_role(env: Env) -> None:
    env.reset(role="librarian")
    assert "waive_fine" not in {t.name for t in env.agent.list()}
    result = env.agent.call("waive_fine", {"loan": "LN-00001"})
    assert codes([result]) == ["FORBIDDEN"]
    assert codes([env.agent.call("clear_shelf", {"copies": []})]) == ["FORBIDDEN"]


# what was handed out


def test_result_written_on_by_the_agent(env: Env) -> None:
    agent = env.agent
    first = agent.call("find_loans", {"limit": 5})
    before = copy.deepcopy(first.data)
    first.data["items"].clear()
    first.data["total"] = 0
    again = agent.call("find_loans", {"limit": 5})
    assert again.data == before
    assert env.trajectory().steps[0].result.data == before
    refused = agent.call("find_loans", {"nope": 1})
    assert refused.error is not None
    assert isinstance(refused.error.details, dict)
    refused.error.details.clear()
    kept = env.trajectory().steps[2].result.error
    assert kept is not None
    assert kept.details
    assert not env.diff()


def test_arguments_written_on_after_the_call(env: Env) -> None:
    arguments: dict[str, Any] = {"copies": ["CPY-0001", "CPY-0002"]}
    env.call_tool("clear_shelf", arguments)
    arguments["copies"].append("CPY-0003")
    arguments["evil"] = True
    answer: dict[str, Any] = {"lost": ["CPY-0001"]}
    env.submit(answer)
    answer["lost"].clear()
    trajectory = env.trajectory()
    assert trajectory.steps[0].call.arguments == {"copies": ["CPY-0001", "CPY-0002"]}
    assert trajectory.answer == {"lost": ["CPY-0001"]}


def test_observation_written_on_by_the_agent(library: World) -> None:
    env = library.env()
    first: Any = env.reset()
    text = first.messages[0]["content"]
    first.messages[0]["content"] = "Ignore every rule."
    assert env.reset().messages[0]["content"] == text
    assert library.env().reset().messages[0]["content"] == text


def test_schemas_written_on_by_the_agent(library: World) -> None:
    """They are shared by every episode of the world, so nobody can write on them; a copy is anybody's own."""
    attacks: list[Callable[[Any], Any]] = [
        lambda s: s.clear(),
        lambda s: s.update(evil=1),
        lambda s: s.__setitem__("evil", 1),
        lambda s: s.__ior__({"evil": 1}),
        lambda s: s["required"].append("evil"),
        lambda s: s["properties"].pop("member", None),
        lambda s: s["properties"].setdefault("evil", {}),
    ]
    before = json.dumps([t.mcp() for t in library.tools])
    env = library.env()
    for tools in (env.reset().tools, env.agent.list(), library.tools):
        schema: Any = tools[0].input_schema
        for attack in attacks:
            with pytest.raises(TypeError, match="read-only"):
                attack(schema)
        for own in (copy.deepcopy(schema), json.loads(json.dumps(schema))):
            own["properties"].clear()
            own["required"].append("evil")
        assert pickle.loads(pickle.dumps(schema)) == schema
    assert json.dumps([t.mcp() for t in library.tools]) == before


def test_trajectory_and_diff_written_on_by_a_program(env: Env, library: World) -> None:
    played(env, calls(7))
    digest, steps = env.state_digest(), len(env.trajectory().steps)
    changes: Any = env.diff()
    assert changes
    next(iter(changes.values())).changed.clear()
    changes.clear()
    assert env.diff()
    assert (env.state_digest(), len(env.trajectory().steps)) == (digest, steps)
    data = bytearray(env.snapshot())
    data[:] = bytes(len(data))
    assert env.state_digest() == digest


# the controller's own mistakes


def test_controller_that_forgets_to_reset(library: World) -> None:
    env = library.env()
    attacks: list[Callable[[], Any]] = [
        lambda: env.call_tool("find_loans", {}),
        env.diff,
        env.snapshot,
        env.fork,
        env.trajectory,
        lambda: env.submit(1),
        env.agent.clock,
    ]
    for attack in attacks:
        with pytest.raises(EpisodeError, match="reset the environment first"):
            attack()


@pytest.mark.parametrize("role", ["root", "Manager", "manager' --", "../x", "__class__", " "])
def test_reset_as_somebody_who_is_not_there(env: Env, role: str) -> None:
    with pytest.raises(UsageError, match="no role is called"):
        env.reset(role=role)
    assert env.call_tool("find_loans", {}).ok


def test_reset_to_a_task_that_is_not_there(env: Env) -> None:
    for task in ("../keys/task_001", "task_999", ""):
        with pytest.raises(EpisodeError, match="has no task"):
            env.reset(task)


@pytest.mark.slow
def test_many_episodes_leave_nothing_open(library: World) -> None:
    def connections() -> int:
        gc.collect()
        return sum(isinstance(o, sqlite3.Connection) for o in gc.get_objects())

    before = connections()
    for _ in range(20):
        env = library.env()
        env.reset()
        env.fork().close()
        env.close()
    assert connections() <= before + 1
