"""Conversations in which both sides act: what only the requester can do, what they take back, and how long they bear with one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.agents.test_builtin import played
from tests.shared_builds import build

from worldwright.agents.chat import get_tool_name
from worldwright.blueprint.load import load_file
from worldwright.engine.env import Env
from worldwright.engine.replay import replay
from worldwright.engine.requester import NAME
from worldwright.engine.world import World
from worldwright.people.manners import MANNERS
from worldwright.people.replies import GONE
from worldwright.rollout.episode import Openings
from worldwright.store.open import world_of

LINES = Path(__file__).parent / "lines.yaml"
RESTART = "Could you please switch your box off and on?"
WHOSE = "What is the name on the contract?"
HOW_FAST = "Which speed shall it be?"


@pytest.fixture(scope="module")
def lines() -> World:
    return world_of(build(load_file(LINES), 7).pack)


@pytest.fixture
def env(lines: World) -> Env:
    found = lines.env(face="asking")
    found.reset(1)
    return found


def tell(env: Env, message: str) -> dict[str, Any]:
    data: dict[str, Any] = env.agent.call(NAME, {"message": message}).data
    return data


def names(env: Env) -> set[str]:
    return {tool.name for tool in env.agent.list()}


def test_what_only_they_can_do_is_no_tool_of_the_agent(lines: World, env: Env) -> None:
    plain = lines.env()
    plain.reset(1)
    assert "restart_device" in names(plain)
    assert names(plain) - names(env) == {"restart_device"}
    refused = env.call_tool("restart_device", dict(lines.key(1).calls[-2].arguments))
    assert refused.error is not None
    assert refused.error.code == "UNKNOWN_TOOL"
    assert env.diff() == {}
    free = lines.env(face="asking")
    free.reset(role="helper")
    assert "restart_device" in names(free)


def test_they_do_what_they_are_asked_to_and_say_what_they_saw(env: Env) -> None:
    found = tell(env, RESTART)
    assert found["did"] == ["restart_device"]
    assert "the light is green" in found["reply"]
    changed = env.diff()["line"].changed
    assert [list(fields) for fields in changed.values()] == [["light", "restarts"]] * 1
    again = tell(env, RESTART)
    assert again["did"] == ["restart_device"]
    assert [fields["restarts"][1] for fields in env.diff()["line"].changed.values()] == [2]


def test_the_whole_conversation_passes_replays_and_forks(lines: World, env: Env) -> None:
    key = lines.key(1)
    assert "did" in tell(env, RESTART)
    twin = env.fork()
    for one in (env, twin):
        assert lines.key(1).calls[-1].tool == "set_speed"
        assert tell(one, WHOSE)["reply"]
        for call in key.calls:
            if call.tool != "restart_device":
                assert one.call_tool(call.tool, call.arguments).ok
        one.submit(key.answer)
        assert one.verify().status == "pass"
    assert twin.state_digest() == env.state_digest()
    assert replay(lines.env(face="asking"), env.trajectory()) == []
    assert lines.judge(env.trajectory()).status == "pass"


def test_once_too_often_or_never_is_wrong(lines: World) -> None:
    key = lines.key(1)
    for times in (0, 2):
        env = lines.env(face="asking")
        env.reset(1)
        for _ in range(times):
            tell(env, RESTART)
        for call in key.calls:
            if call.tool != "restart_device":
                env.call_tool(call.tool, call.arguments)
        env.submit(key.answer)
        assert env.verify().status == "fail"


def test_what_was_taken_back_is_said_first_and_is_wrong(lines: World) -> None:
    env = lines.env(face="asking")
    opening = env.reset(1).messages[-1]["content"]
    key = lines.key(1)
    right = next(call.arguments["speed"] for call in key.calls if call.tool == "set_speed")
    wrong = next(speed for speed in (500, 750, 1000) if str(speed) in opening)
    assert wrong != right
    first = tell(env, RESTART)["reply"]
    assert f"Actually, make it {right} after all." in first
    assert "Actually" not in tell(env, WHOSE)["reply"]
    for call in key.calls:
        if call.tool == "set_speed":
            env.call_tool(call.tool, {**call.arguments, "speed": wrong})
    env.submit(key.answer)
    assert env.verify().status == "fail"


def test_what_was_taken_back_can_be_asked_for(lines: World, env: Env) -> None:
    right = next(call.arguments["speed"] for call in lines.key(1).calls if call.tool == "set_speed")
    first = env.fork()
    assert tell(first, HOW_FAST)["reply"] == f"Actually, make it {right} after all."
    assert tell(first, HOW_FAST)["reply"] == f"The speed: {right}."
    assert "make it" in tell(env, WHOSE)["reply"]
    assert tell(env, HOW_FAST)["reply"] == f"The speed: {right}."


def test_patience_ends(env: Env) -> None:
    manner = MANNERS["plain"]
    replies = [tell(env, f"Is the sky {colour}?")["reply"] for colour in ("blue", "grey", "green", "black")]
    assert replies == [manner.lost, manner.lost, manner.leaves, GONE]
    assert tell(env, RESTART) == {"reply": GONE}
    assert env.diff() == {}


@pytest.mark.parametrize("face", ["plain", "asking", "crowded_asking", "obscured_asking"])
def test_the_oracle_asks_for_what_it_cannot_do(lines: World, face: str) -> None:
    episode = played(lines, "oracle", "task_001", face=face)
    assert (episode.verdict or {}).get("status") == "pass"
    asked = [step["tool"] for step in episode.steps].count(NAME)
    assert asked == (0 if face == "plain" else 3)


def test_each_task_offers_its_own_tools(lines: World) -> None:
    """Episodes that share their openings do not share tools: what is the requester's in one task is the agent's in another."""
    openings = Openings()
    for task in lines.tasks:
        episode = played(lines, "oracle", task.id, face="asking", openings=openings)
        offered = {get_tool_name(tool) for tool in openings.by_id[episode.opening].tools}
        theirs = {act.tool for act in task.requester.acts} if task.requester else set()
        assert theirs & offered == set()
        assert (episode.verdict or {}).get("status") == "pass"
    assert len(openings.by_id) > 1
