"""Whole episodes with models, against a real server on the loopback."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.agents.chat_server import ChatServer, Reply, Script, Sent, calls, completion, error, serving
from tests.shared_builds import build

from worldwright.agents.protocol import Agent, Options, fingerprint, make_agent
from worldwright.blueprint.checked import Checked
from worldwright.core.errors import UsageError
from worldwright.engine.world import World
from worldwright.pack.seal import write_pack
from worldwright.rollout.episode import EpisodeSetup, play_async
from worldwright.rollout.plan import AgentSpec, plan
from worldwright.rollout.records import Episode, EpisodeKey, Limits
from worldwright.rollout.run import roll

KEY = "sk-test-4f7d1c0b9a8e"


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def made(url: str, spec: str = "openai:m", **more: str) -> Agent:
    return make_agent(spec, Options(base_url=url, more=more))


def played(world: World, one: Agent, tasks: Sequence[str], limits: Limits | None = None) -> list[Episode]:
    async def main() -> list[Episode]:
        settings = [
            EpisodeSetup(f"e{n}", EpisodeKey(world.digest, task, 0), world.name, "v", "plain", n, fingerprint(one))
            for n, task in enumerate(tasks)
        ]
        return await asyncio.gather(*(play_async(world.env(), one, s, limits or Limits()) for s in settings))

    return asyncio.run(main())


def gold(world: World, written: Callable[[str, Mapping[str, Any], int], Mapping[str, Any]]) -> Script:
    """A model that has learned the keys by heart: it knows a task by its request, and its place by what it said before."""
    plans: dict[str, list[tuple[str, Mapping[str, Any]]]] = {}
    for task in world.tasks:
        env = world.env()
        request = env.reset(task.id).messages[1]["content"]
        key = env.key()
        plans[request] = [*((c.tool, c.arguments) for c in key.calls), ("submit_answer", key.answer or {})]

    def script(sent: Sent) -> Reply:
        messages = sent.body["messages"]
        at = sum(m["role"] == "assistant" for m in messages)
        name, arguments = plans[messages[1]["content"]][at]
        return completion(written(name, arguments, at), {"prompt_tokens": 10, "completion_tokens": 1})

    return script


WRITTEN: Mapping[str, Callable[[str, Mapping[str, Any], int], Mapping[str, Any]]] = {
    "openai:m": lambda name, arguments, at: calls((name, arguments), first=f"c{at}"),
    "react:m": lambda name, arguments, at: {
        "content": f"Thought: step {at}\nAction: {name}\nAction Input: {json.dumps(arguments)}\nObservation: I made this up."
    },
}


@pytest.mark.parametrize("spec", WRITTEN)
def test_a_model_that_knows_the_key_passes(spec: str, library_world: World) -> None:
    tasks = [task.id for task in library_world.tasks]
    with serving(gold(library_world, WRITTEN[spec])) as server:
        one = made(server.url, spec)
        episodes = played(library_world, one, tasks)
    assert [(e.status, e.outcome, e.problem) for e in episodes] == [("pass", "submitted", "")] * len(tasks)
    for episode, task in zip(episodes, tasks, strict=True):
        assert episode.agent == spec
        assert [s["tool"] for s in episode.steps] == [c.tool for c in library_world.key(task).calls]
        assert episode.usage["requests"] == len(episode.steps) + 1
        assert episode.usage["prompt_tokens"] == 10 * episode.usage["requests"]
    for sent in server.sent:
        _check_strict(sent, spec)


def _check_strict(sent: Sent, spec: str) -> None:
    """A conversation as the strictest endpoints want it."""
    waiting: list[str] = []
    allowed = {"system": set(), "user": set(), "assistant": {"tool_calls"}, "tool": {"tool_call_id"}}
    for message in sent.body["messages"]:
        assert set(message) <= {"role", "content"} | allowed[message["role"]]
        if message["role"] == "tool":
            waiting.remove(message["tool_call_id"])
        else:
            assert not waiting
            waiting = [c["id"] for c in message.get("tool_calls", ())]
    assert not waiting
    if spec.startswith("react"):
        assert "tools" not in sent.body
        assert sent.body["stop"] == ["\nObservation:"]
        roles = [message["role"] for message in sent.body["messages"]]
        assert roles == ["system", *(["user", "assistant"] * len(roles))[: len(roles) - 1]]


JUNK: tuple[Mapping[str, Any], ...] = (
    {"content": None},
    {"content": "", "tool_calls": []},
    calls(("no_such_tool", {}), ("find_members", "{not json"), ("find_members", "[1]")),
    {"tool_calls": [{"function": None}, None, {"id": 7, "function": {"name": 3, "arguments": 4}}]},
    {"content": 'Action: find_members\nAction Input: {"name": ', "reasoning": "hm"},
    calls(("find_members", '{"name": NaN}'), ("find_members", '{"name": 1e999}'), ("lend", '{"name": "\\ud800"}')),
    {"content": "<tool_call>{}</tool_call> Action: Action: Action Input:"},
    calls(("submit_answer", '{"outcome": 7, "x": "\\ud800"}')),
    {"content": "Action: submit_answer\nAction Input: []"},
    calls(("submit_answer", '{"outcome": 7, "due": {"a": "\\u0000"}}')),
)


@pytest.mark.parametrize("spec", ["openai:m", "react:m"])
def test_junk_makes_a_whole_episode_that_fails(spec: str, library_world: World) -> None:
    def script(sent: Sent) -> Reply:
        at = sum(m["role"] == "assistant" for m in sent.body["messages"])
        return completion(JUNK[at % len(JUNK)])

    with serving(script) as server:
        [episode] = played(library_world, made(server.url, spec), [library_world.tasks[0].id], Limits(turns=60))
    assert episode.status == "fail"
    assert episode.outcome == "submitted"
    json.dumps(episode.data(), ensure_ascii=False).encode()
    for sent in server.sent:
        _check_strict(sent, spec)


def test_a_model_that_has_talked_its_context_full_has_failed(library_world: World) -> None:
    replies = [completion(calls(("find_members", {}))), error(400, "the request exceeds the available context size")]
    with serving(replies) as server:
        [episode] = played(library_world, made(server.url), [library_world.tasks[0].id])
    assert (episode.status, episode.outcome) == ("fail", "silent")
    assert episode.usage["context_full"] is True
    assert len(server.sent) == 2


def test_a_model_that_cannot_read_the_first_message_has_no_verdict(library_world: World) -> None:
    with serving([error(400, "too long", "context_length_exceeded")]) as server:
        [episode] = played(library_world, made(server.url), [library_world.tasks[0].id])
    assert (episode.status, episode.reward) == ("error", None)
    assert "cannot read what an episode begins with" in episode.problem


def test_an_endpoint_that_goes_away_gives_no_verdict(library_world: World) -> None:
    with serving([completion(calls(("find_members", {}))), error(503, "gone", retry_after_ms="1")]) as server:
        [episode] = played(library_world, made(server.url, retries="2"), [library_world.tasks[0].id])
    assert (episode.status, episode.outcome, episode.reward) == ("error", "error", None)
    assert re.fullmatch(r"127\.0\.0\.1:\d+ answered 503 \(3 tries\): gone", episode.problem)


# The key is nowhere but in the request.


def test_the_key_is_written_nowhere(library_world: World, caplog: pytest.LogCaptureFixture) -> None:
    task = library_world.tasks[0].id
    echo = f"what is {KEY} supposed to be?"
    seen: list[str] = []

    def one_of(server: ChatServer) -> Agent:
        one = made(server.url, retries="1")
        seen.extend([repr(one), repr(vars(one)), str(one.identity), one.name])
        return one

    with caplog.at_level(logging.DEBUG):
        with serving(gold(library_world, WRITTEN["openai:m"])) as server:
            [episode] = played(library_world, one_of(server), [task])
            seen.append(json.dumps(episode.data()))
            assert server.sent[0].headers["authorization"] == f"Bearer {KEY}"
        for reply in (
            error(503, echo, retry_after_ms="1"),
            Reply(echo.encode()),
            Reply({"error": {"message": echo}}),
            Reply(),
        ):
            with serving([reply]) as server:
                [episode] = played(library_world, one_of(server), [task])
            assert episode.status == "error"
            seen.append(json.dumps(episode.data()))
        for status in (400, 401, 404):
            with serving([error(status, echo)]) as server, pytest.raises(UsageError) as caught:
                played(library_world, one_of(server), [task])
            seen.append("".join(traceback.format_exception(caught.value)))
            assert caught.value.__context__ is None
    assert "[key]" in "".join(seen)
    assert caplog.text
    for text in (*seen, caplog.text):
        assert KEY not in text


def test_a_run_is_played_and_its_folder_holds_no_key(library: Checked, library_world: World, tmp_path: Path) -> None:
    write_pack(build(library, 7).pack.files, tmp_path / "pack")
    with serving(gold(library_world, WRITTEN["openai:m"])) as server:
        player = AgentSpec("openai:m", Options(base_url=server.url, more={"price-in": "1"}))
        run = roll(plan(str(tmp_path / "pack"), player, attempts=2), tmp_path / "run", workers=0)
    episodes = list(run.episodes())
    assert len(episodes) == 2 * len(library_world.tasks)
    assert {e.status for e in episodes} == {"pass"}
    assert all(e.usage["cost"] > 0 for e in episodes)
    files = [path for path in (tmp_path / "run").rglob("*") if path.is_file()]
    assert files
    assert not [path for path in files if KEY in path.read_text(encoding="utf-8")]
