"""One episode: limits end it with a label, bad calls are answered, and what failed outside is nobody's failure."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from worldwright.agents import chat
from worldwright.agents.chat import Message, Tool
from worldwright.agents.protocol import AgentUnavailable, Brief
from worldwright.core.errors import UsageError
from worldwright.engine.limits import Limits as EngineLimits
from worldwright.engine.world import World
from worldwright.rollout.episode import EpisodeSetup, play, play_async
from worldwright.rollout.records import Episode, EpisodeKey, Limits, episode_digest, episode_line

Says = Callable[[int, Sequence[Message], Sequence[Tool]], Any]


class Scripted:
    """Says what a function says, turn by turn."""

    name, sees_key = "scripted", False
    identity: Mapping[str, Any] = {}

    def __init__(self, says: Says) -> None:
        self._says = says

    def begin(self, brief: Brief) -> _Speaking:
        return _Speaking(self._says)


class _Speaking:
    def __init__(self, says: Says) -> None:
        self._says, self._turn = says, 0
        self.usage = {"prompt_tokens": 5}

    def act(self, messages: Sequence[Message], tools: Sequence[Tool]) -> Any:
        self._turn += 1
        return self._says(self._turn, messages, tools)


def setting(world: World, face: str = "plain", instruction: str | None = None) -> EpisodeSetup:
    return EpisodeSetup("0", EpisodeKey(world.digest, world.tasks[0].id, 1), world.name, "v", face, 1, "f", instruction)


def episode(world: World, says: Says, limits: Limits | None = None, instruction: str | None = None) -> Episode:
    bounds = limits or Limits()
    env = world.env(EngineLimits(calls=bounds.calls))
    return play(env, Scripted(says), setting(world, instruction=instruction), bounds)


def a_read(world: World) -> str:
    return next(t.name for t in world.tools if not t.mutates and not t.input_schema.get("required"))


def test_turns_are_limited(library_world: World) -> None:
    name = a_read(library_world)
    found = episode(library_world, lambda n, m, t: chat.call(name, {}, m), Limits(turns=4))
    assert (found.outcome, found.status, found.submitted) == ("turns", "fail", False)
    assert len(found.steps) == 4


def test_calls_are_limited(library_world: World) -> None:
    name = a_read(library_world)
    found = episode(library_world, lambda n, m, t: chat.make_call_message([(name, {})] * 3, len(m)), Limits(calls=5))
    assert found.outcome == "calls"
    assert len(found.steps) == 5


def test_what_is_written_is_limited(library_world: World) -> None:
    found = episode(library_world, lambda n, m, t: chat.make_text_message("x" * 1_000), Limits(output=500))
    assert found.outcome == "output"


def test_time_is_limited(library_world: World) -> None:
    found = episode(library_world, lambda n, m, t: chat.make_text_message("x"), Limits(seconds=1e-9))
    assert found.outcome == "time"


def test_whoever_only_talks_is_reminded_and_then_left(library_world: World) -> None:
    found = episode(library_world, lambda n, m, t: chat.make_text_message("Done!"))
    assert (found.outcome, found.status) == ("silent", "fail")
    reminded = [m for m in found.messages[1:] if m["role"] == "user"]
    assert len(reminded) == 2
    assert "submit_answer" in str(reminded[0]["content"])


def test_calls_that_cannot_be_read_and_tools_that_are_not_there_are_answered(library_world: World) -> None:
    def says(n: int, messages: Sequence[Message], tools: Sequence[Tool]) -> Message:
        broken = {"id": "c1", "type": "function", "function": {"name": a_read(library_world), "arguments": "{oops"}}
        if n == 1:
            return {"role": "assistant", "content": None, "tool_calls": [broken]}
        if n == 2:
            return chat.call("no_such_tool", {}, messages)
        return chat.call(chat.get_submit_name(tools), {"outcome": "done"}, messages)

    found = episode(library_world, says)
    told = [chat.read_payload(m) for m in found.messages if m["role"] == "tool"]  # type: ignore[arg-type]
    assert [t["ok"] for t in told] == [False, False, True]
    assert [t["error"]["code"] for t in told[:2]] == ["INVALID_ARGUMENT", "UNKNOWN_TOOL"]
    assert [s["tool"] for s in found.steps] == ["no_such_tool"]
    assert found.outcome == "submitted"


def test_text_that_no_file_can_hold_is_mended(library_world: World) -> None:
    def says(n: int, messages: Sequence[Message], tools: Sequence[Tool]) -> Message:
        if n == 1:
            return {
                "role": "assistant",
                "content": "half a \ud83d",
                "tool_calls": [{"function": {"name": "\ud83d", "arguments": "{}"}}],
            }
        return chat.call(chat.get_submit_name(tools), {"outcome": "\ud83d"}, messages)

    found = episode(library_world, says)
    assert found.messages[1]["content"] == "half a ?"
    assert json.loads(episode_line(found))["messages"][1] == found.messages[1]


def test_an_agent_that_cannot_be_reached_has_no_verdict(library_world: World) -> None:
    def says(n: int, messages: Sequence[Message], tools: Sequence[Tool]) -> Message:
        raise AgentUnavailable("the endpoint is down")

    found = episode(library_world, says)
    assert (found.outcome, found.status, found.reward) == ("error", "error", None)
    assert found.problem == "the endpoint is down"


def test_a_step_says_what_it_changed(library_world: World) -> None:
    task = next(t for t in library_world.tasks if t.features["writes"])
    key = library_world.key(task.id)

    def says(n: int, messages: Sequence[Message], tools: Sequence[Tool]) -> Message:
        if n <= len(key.calls):
            return chat.call(key.calls[n - 1].tool, key.calls[n - 1].arguments, messages)
        return chat.call(chat.get_submit_name(tools), key.answer, messages)

    where = EpisodeSetup("0", EpisodeKey(library_world.digest, task.id, 1), "x", "v", "plain", 1, "f")
    env = library_world.env()
    found = play(env, Scripted(says), where, Limits())
    assert found.status == "pass"
    writes = {t.name for t in library_world.tools if t.mutates}
    assert any("diff" in s for s in found.steps)
    assert all(("diff" in s) <= (s["tool"] in writes and s["ok"]) for s in found.steps)
    tables = {table for s in found.steps for table in s.get("diff", {})}
    assert tables == set(env.diff())
    assert found.usage == {"prompt_tokens": 5}


def test_waiting_and_not_waiting_come_to_the_same(library_world: World) -> None:
    name = a_read(library_world)

    def says(n: int, messages: Sequence[Message], tools: Sequence[Tool]) -> Message:
        return chat.call(name if n < 3 else chat.get_submit_name(tools), {}, messages)

    async def later(n: int, messages: Sequence[Message], tools: Sequence[Tool]) -> Message:
        await asyncio.sleep(0)
        return says(n, messages, tools)

    at_once = episode(library_world, says)
    waited = asyncio.run(play_async(library_world.env(), Scripted(later), setting(library_world), Limits()))
    assert episode_digest(at_once.data()) == episode_digest(waited.data())
    with pytest.raises(UsageError, match="waited for"):
        episode(library_world, later)


def test_an_agent_that_never_answers_runs_out_of_time(library_world: World) -> None:
    async def never(n: int, messages: Sequence[Message], tools: Sequence[Tool]) -> Message:
        await asyncio.sleep(60)
        return chat.make_text_message("")

    bounds = Limits(seconds=0.05)
    found = asyncio.run(play_async(library_world.env(), Scripted(never), setting(library_world), bounds))
    assert found.outcome == "time"


def test_other_words_take_the_place_of_the_instruction(library_world: World) -> None:
    found = episode(
        library_world, lambda n, m, t: chat.call(chat.get_submit_name(t), {}, m), instruction="Other words."
    )
    request = str(found.messages[0]["content"])
    assert "Other words." in request
    assert library_world.tasks[0].instruction not in request


def test_nothing_of_the_key_is_in_what_an_agent_gets(library_world: World) -> None:
    seen: list[Any] = []

    def says(n: int, messages: Sequence[Message], tools: Sequence[Tool]) -> Message:
        seen.append((list(messages), list(tools)))
        return chat.call(chat.get_submit_name(tools), {}, messages)

    found = episode(library_world, says)
    assert "expects" not in str(seen)
    assert "provenance" not in str(seen)
    assert found.sees_key is False
