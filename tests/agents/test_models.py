"""Models over the network, against a real server on the loopback."""

from __future__ import annotations

import asyncio
import json
import logging
import pickle
import re
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from tests.agents.chat_server import Reply, Sent, calls, completion, error, serving

from worldwright.agents.chat import Message, make_function_tool, parse_tool_calls
from worldwright.agents.models.client import RateLimiter
from worldwright.agents.protocol import (
    Agent,
    AgentUnavailable,
    Brief,
    Options,
    fingerprint,
    is_async,
    make_agent,
    read_usage,
)
from worldwright.core.errors import UsageError

KEY = "sk-test-4f7d1c0b9a8e"
TOOLS = [make_function_tool("find", "Find.", {"type": "object", "properties": {"name": {"type": "string"}}})]
TOOLS.append(make_function_tool("submit_answer", "End.", {"type": "object", "properties": {}}))
OPENING: list[Message] = [{"role": "system", "content": "You act."}, {"role": "user", "content": "Please."}]
AT_ONCE = {"retry-after-ms": "1"}
HELLO = completion({"content": "hello"}, {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18})


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_BASE_URL", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OTHER_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def made(url: str, spec: str = "openai:m", temperature: float | None = None, **more: str) -> Agent:
    return make_agent(spec, Options(temperature=temperature, base_url=url, more=more))


def say(one: Agent, messages: Sequence[Message] = OPENING, seed: int = 5) -> tuple[Message, Mapping[str, Any]]:
    """One message of the agent, and what it counted."""

    async def main() -> tuple[Message, Mapping[str, Any]]:
        actor = one.begin(Brief(seed))
        found = actor.act(messages, TOOLS)
        assert not isinstance(found, dict)
        return await found, read_usage(actor)

    return asyncio.run(main())


def test_what_is_sent_is_the_conversation_the_tools_and_what_was_set() -> None:
    with serving([HELLO]) as server:
        said, usage = say(made(server.url, temperature=0.25, max_tokens="64", body='{"top_p": 0.9}'), seed=2**40 + 3)
    assert said == {"role": "assistant", "content": "hello"}
    assert usage == {"prompt_tokens": 11, "completion_tokens": 7, "requests": 1, "retries": 0}
    [sent] = server.sent
    assert sent.path == "/v1/chat/completions"
    assert sent.headers["authorization"] == f"Bearer {KEY}"
    assert sent.body == {
        "model": "m",
        "messages": OPENING,
        "tools": TOOLS,
        "temperature": 0.25,
        "max_tokens": 64,
        "seed": 3,
        "top_p": 0.9,
    }


def test_what_was_not_set_is_not_sent() -> None:
    with serving([HELLO]) as server:
        say(made(server.url, seed="no"))
    assert set(server.sent[0].body) == {"model", "messages", "tools"}


def test_costs_are_counted_where_prices_are_given() -> None:
    with serving([HELLO]) as server:
        _, usage = say(made(server.url, price_in="0.15", price_out="0.6"))
    assert usage["cost"] == (11 * 0.15 + 7 * 0.6) / 1_000_000


def test_an_answer_without_counts_is_said_to_be_uncounted() -> None:
    with serving([completion({"content": "hello"})]) as server:
        _, usage = say(made(server.url))
    assert usage == {"prompt_tokens": 0, "completion_tokens": 0, "requests": 1, "retries": 0, "uncounted": 1}


# Whatever a model says, it becomes a message.

HEARD: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"content": None}, {"content": None}),
    ({}, {"content": None}),
    ({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}, {"content": "ab"}),
    ({"content": None, "refusal": "no"}, {"content": "no"}),
    ({"content": "x", "reasoning_content": "why", "audio": {}}, {"content": "x", "reasoning_content": "why"}),
    ({"content": "x", "reasoning": "why"}, {"content": "x", "reasoning_content": "why"}),
    ({"content": "x", "tool_calls": None}, {"content": "x"}),
    ({"content": "half \ud83d"}, {"content": "half ?"}),
]


@pytest.mark.parametrize(("sent", "expected"), HEARD)
def test_what_a_model_says_becomes_a_message(sent: dict[str, Any], expected: dict[str, Any]) -> None:
    with serving([completion(sent)]) as server:
        said, _ = say(made(server.url))
    assert said == {"role": "assistant", **expected}


def test_calls_are_passed_on_as_they_come_without_what_nobody_knows() -> None:
    wanted = calls(("find", '{"name": "Ann"'), ("no such tool", {"a": 1}))
    with serving([completion(wanted)]) as server:
        said, _ = say(made(server.url))
    assert said["tool_calls"] == [
        {"id": "id_0", "type": "function", "function": {"name": "find", "arguments": '{"name": "Ann"'}},
        {"id": "id_1", "type": "function", "function": {"name": "no such tool", "arguments": '{"a": 1}'}},
    ]


def test_calls_without_ids_or_with_ids_that_were_used_get_new_ones() -> None:
    nameless: list[Any] = [{"function": {"name": "find", "arguments": {"name": "Ann"}}}, {"id": "a"}, "call", None]
    twice: Any = [{"id": "used", "function": {"name": "find"}}, {"id": "used", "function": {"name": "find"}}]
    before: list[Message] = [
        *OPENING,
        {"role": "assistant", "content": None, "tool_calls": calls(("find", {}))["tool_calls"]},
    ]
    before[-1]["tool_calls"][0]["id"] = "used"
    with serving([completion({"tool_calls": nameless + twice})]) as server:
        said, _ = say(made(server.url), before)
    found = parse_tool_calls(said)
    ids = [one.id for one in found]
    assert len(set(ids)) == 6
    assert "used" not in ids
    assert [one.name for one in found] == ["find", "", "", "", "find", "find"]
    assert found[0].arguments == {"name": "Ann"}


def test_the_older_way_of_calling_is_understood() -> None:
    with serving([completion({"content": None, "function_call": {"name": "find", "arguments": "{}"}})]) as server:
        said, _ = say(made(server.url))
    assert [one.name for one in parse_tool_calls(said)] == ["find"]


def test_thoughts_go_back_only_where_that_is_asked_for() -> None:
    before: list[Message] = [*OPENING, {"role": "assistant", "content": "a", "reasoning_content": "why"}]
    with serving([HELLO]) as server:
        say(made(server.url), before)
        say(made(server.url, send_reasoning="yes"), before)
    assert "reasoning_content" not in json.dumps(server.sent[0].body)
    assert server.sent[1].body["messages"][2]["reasoning_content"] == "why"


# Failures.


def test_what_is_busy_or_broken_is_asked_again() -> None:
    replies = [error(status, "busy", **AT_ONCE) for status in (429, 500, 503, 408, 409)]
    with serving([*replies, HELLO]) as server:
        said, usage = say(made(server.url, rpm="60000"))
    assert said["content"] == "hello"
    assert usage["retries"] == 5
    assert len(server.sent) == 6


def test_the_time_that_an_endpoint_asks_for_is_waited(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "openai"), serving([error(429, "busy", Retry_After="0.01"), HELLO]) as server:
        say(made(server.url))
    assert "Retrying request in 0.010000 seconds" in caplog.text


def test_what_hangs_up_or_does_not_answer_in_time_is_unavailable() -> None:
    with serving([Reply(None)]) as server, pytest.raises(AgentUnavailable, match=r"cannot connect to 127\.0\.0\.1:\d+"):
        say(made(server.url, retries="0"))

    def hang(_: Sent) -> Reply:
        server.released.wait()
        return HELLO

    with (
        serving(hang) as server,
        pytest.raises(AgentUnavailable, match=r"did not answer within 0\.05 seconds \(2 tries\)"),
    ):
        say(made(server.url, retries="1", timeout="0.05"))


def test_nobody_there_is_unavailable() -> None:
    with serving([HELLO]) as server:
        pass
    with pytest.raises(AgentUnavailable, match=r"cannot connect to [^ ]+: "):
        say(made(server.url, retries="0"))


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (Reply(b"<html>hello</html>"), "did not answer with JSON: <html>hello</html>"),
        (Reply(b"[" * 100_000), "did not answer with JSON"),
        (Reply({"error": {"message": "upstream is gone"}}), "answered with an error: upstream is gone"),
        (Reply({"choices": []}), "answered without a message"),
        (Reply({"choices": [{"message": None}]}), "answered without a message"),
        (Reply([1]), "answered without a message"),
        (error(500, "broken", retry_after_ms="1"), r"answered 500 \(2 tries\): broken"),
        (error(429, "slow down", retry_after_ms="1"), r"answered 429 \(2 tries\): slow down"),
        (error(418, "teapot"), "answered 418: teapot"),
        (Reply(b"plain words", 418), "answered 418: plain words"),
    ],
)
def test_what_cannot_be_used_is_unavailable(reply: Reply, message: str) -> None:
    with serving([reply]) as server, pytest.raises(AgentUnavailable, match=message):
        say(made(server.url, retries="1"))


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (error(401, "bad key"), "the key is not accepted"),
        (error(403, "not yours"), "the key may not be used"),
        (error(404, "no model m"), "no model m; there is no such model"),
        (error(400, "seed is not supported"), "seed is not supported; nothing that was sent"),
        (error(429, "pay first", "insufficient_quota", retry_after_ms="1"), "no credit"),
    ],
)
def test_what_every_episode_would_run_into_stops_the_run(reply: Reply, message: str) -> None:
    with serving([reply]) as server, pytest.raises(UsageError, match=message):
        say(made(server.url, retries="1"))
    assert len(server.sent) == 1 + (reply.status == 429)


def test_a_request_that_is_refused_after_others_were_not_is_no_wrong_setting() -> None:
    async def twice(one: Agent) -> None:
        for _ in range(2):
            found = one.begin(Brief(1)).act(OPENING, TOOLS)
            assert not isinstance(found, dict)
            await found

    with serving([HELLO, error(400, "not this")]) as server, pytest.raises(AgentUnavailable, match="400: not this"):
        asyncio.run(twice(made(server.url)))


# Connections.


def test_episodes_of_one_loop_share_connections_and_limits() -> None:
    def slowly(_: Sent) -> Reply:
        server.released.wait(0.02)
        return HELLO

    async def many(one: Agent) -> None:
        found = [one.begin(Brief(n)).act(OPENING, TOOLS) for n in range(12)]
        await asyncio.gather(*(f for f in found if not isinstance(f, dict)))

    with serving(slowly) as server:
        asyncio.run(many(made(server.url, concurrency="3")))
    assert len(server.sent) == 12
    assert server.most_in_flight <= 3
    assert server.connections <= 3


def test_a_loop_that_ended_leaves_nothing_behind_and_the_next_one_gets_its_own() -> None:
    with serving([HELLO]) as server:
        one = made(server.url)
        for _ in range(3):
            assert say(one)[0]["content"] == "hello"
    assert server.connections == 3


def test_requests_are_spread_over_the_minute() -> None:
    pace = RateLimiter(60)
    assert [pace.wait(now) for now in (100.0, 100.0, 100.25, 107.0, 107.5)] == [0.0, 1.0, 1.75, 0.0, 0.5]
    assert [RateLimiter(0).wait(now) for now in (1.0, 1.0)] == [0.0, 0.0]


def test_an_agent_can_be_handed_to_another_process() -> None:
    with serving([HELLO]) as server:
        one = made(server.url)
        data = pickle.dumps(one)
        assert KEY.encode() not in data
        other: Agent = pickle.loads(data)
        assert fingerprint(other) == fingerprint(one)
        assert say(other)[0]["content"] == "hello"


# Options and keys.


@pytest.mark.parametrize(
    ("spec", "url", "more", "message"),
    [
        ("openai", "", {}, "say which model: openai:MODEL"),
        ("openai:m", "localhost:8000", {}, "no address of an endpoint"),
        ("openai:m", "http://user:hunter2@host/v1", {}, "leave out user, password and query"),
        ("openai:m", "http://host/v1?api_key=hunter2", {}, "leave out user, password and query"),
        ("openai:m", "http://[host/v1", {}, "no address of an endpoint"),
        ("openai:m", "", {"rmp": "3"}, "did you mean `rpm`"),
        ("openai:m", "", {"tools": "schemas"}, "openai has no option 'tools'"),
        ("openai:m", "", {"rpm": "0"}, "rpm: Input should be greater than or equal to 1"),
        ("openai:m", "", {"timeout": "0"}, "timeout: Input should be greater than 0"),
        ("openai:m", "", {"timeout": "nan"}, "timeout: Input should be"),
        ("openai:m", "", {"price-in": "cheap"}, "price-in: Input should be a valid decimal"),
        ("openai:m", "", {"seed": "7"}, "seed: Input should be a valid boolean"),
        ("openai:m", "", {"body": "[1]"}, "expected a JSON object"),
        ("openai:m", "", {"body": "{"}, "expected a JSON object"),
        ("openai:m", "", {"body": '{"model": "x"}'}, "model cannot be set there"),
        ("openai:m", "", {"key-env": "sk-hunter2"}, "key-env: String should match"),
        ("openai:m", "", {"key-env": "OTHER_KEY"}, "the environment has no OTHER_KEY"),
        ("react:m", "", {"tools": "prose"}, "tools: Input should be 'signatures' or 'schemas'"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_sent(spec: str, url: str, more: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError, match=re.escape(message)) as caught:
        make_agent(spec, Options(base_url=url, more=more))
    assert "hunter2" not in str(caught.value)


def test_a_key_is_needed_only_where_there_is_none_without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(UsageError, match="needs a key: set OPENAI_API_KEY"):
        made("")
    with serving([HELLO]) as server:
        say(made(server.url))
        monkeypatch.setenv("OTHER_KEY", "other")
        say(made(server.url, key_env="OTHER_KEY"))
    assert [one.headers["authorization"] for one in server.sent] == ["Bearer no-key", "Bearer other"]


def test_who_an_agent_is_follows_from_what_decides_its_words() -> None:
    url = "http://localhost:1/v1"
    one = made(url, temperature=0.5)
    assert one.name == "openai:m"
    assert is_async(one)
    assert one.identity == {
        "version": 1,
        "mode": "openai",
        "model": "m",
        "base_url": url,
        "temperature": 0.5,
        "max_tokens": None,
        "seed": True,
        "send_reasoning": False,
        "body": {},
    }
    assert "prompt" in made(url, "react:m").identity
    same = [made(url + "/", temperature=0.5, rpm="5", retries="1"), made(url, temperature=0.5, concurrency="2")]
    assert {fingerprint(a) for a in same} == {fingerprint(one)}
    others = [
        made(url),
        made(url, "openai:n", 0.5),
        made(url, "react:m", 0.5),
        made(url, temperature=0.5, max_tokens="9"),
    ]
    assert len({fingerprint(a) for a in [one, *others]}) == 5


def test_without_the_library_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "openai", None)
    monkeypatch.delitem(__import__("sys").modules, "worldwright.agents.models.model", raising=False)
    monkeypatch.delitem(__import__("sys").modules, "worldwright.agents.models.client", raising=False)
    with pytest.raises(UsageError, match=r"needs openai: pip install 'worldwright\[models\]'"):
        made("http://localhost:1/v1")
