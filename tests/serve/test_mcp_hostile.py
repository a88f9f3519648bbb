"""What an agent with the URL of an episode cannot do, and what comes of requests that no client sends."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from mcp import Client, MCPError
from tests.serve.mcp_talk import EARLIER, MODERN, asked, make_registry, message, opened, played, talked

from worldwright.engine.world import World
from worldwright.serve.mcp_http import MAX_BODY_BYTES

VERSIONS = pytest.mark.parametrize("version", [MODERN, EARLIER, "2024-11-05"])
pytestmark = pytest.mark.timeout(120)


@VERSIONS
def test_a_refusal_is_a_result_that_a_model_can_read(library_world: World, version: str) -> None:
    """A wrong argument, a tool that is not there, and arguments that are nothing like arguments."""
    registry = make_registry(library_world)
    held = opened(registry)
    submit = held.episode.submit
    deep: Any = "x"
    for _ in range(100):
        deep = [deep]
    sent: list[tuple[str, Any, str]] = [
        ("find_copies", {"shelf": 3}, "INVALID_ARGUMENT"),
        ("find_copies", {"colour": "red"}, "INVALID_ARGUMENT"),
        ("find_copies", {"shelf": deep}, "INVALID_ARGUMENT"),
        ("find_copies", {"shelf": "x" * 200_000}, "INVALID_ARGUMENT"),
        ("find_copies", {"limit": float("inf")}, "INVALID_ARGUMENT"),
        ("find_copies", "shelf 3", "INVALID_ARGUMENT"),
        ("find_copies", ["B-22"], "INVALID_ARGUMENT"),
        ("find_copies", 3, "INVALID_ARGUMENT"),
        ("burn", {}, "UNKNOWN_TOOL"),
        ("", None, "UNKNOWN_TOOL"),
        ("reset", {}, "UNKNOWN_TOOL"),
        (submit, "all done!", "INVALID_ARGUMENT"),
        (submit, [1], "INVALID_ARGUMENT"),
        (submit, {"outcome": deep}, "INVALID_ARGUMENT"),
    ]

    async def talk(http: httpx2.AsyncClient) -> list[dict[str, Any]]:
        calls = [{"name": name, "arguments": arguments} for name, arguments, _ in sent]
        return [await asked(http, held, "tools/call", call, version) for call in calls]

    for answer, (_, _, code) in zip(talked(registry, talk), sent, strict=True):
        result = answer["result"]
        assert result["isError"] is True
        assert "structuredContent" not in result
        [content] = result["content"]
        error = json.loads(content["text"])
        assert (error["code"], bool(error["message"])) == (code, True)
    assert not held.episode.done


@VERSIONS
def test_nothing_else_can_be_asked(library_world: World, version: str) -> None:
    """No verdict, no reset, no other episode: not as a tool, not as a method, not as a resource."""
    registry = make_registry(library_world)
    held = opened(registry)
    more = ("resources/list", "resources/templates/list", "completion/complete", "logging/setLevel", "verify", "reset")

    async def talk(http: httpx2.AsyncClient) -> list[dict[str, Any]]:
        for method in ("GET", "DELETE", "PUT"):
            assert (await http.request(method, held.id)).status_code == 405
        return [await asked(http, held, method, {}, version) for method in more]

    assert all("error" in answer and "result" not in answer for answer in talked(registry, talk))


@VERSIONS
def test_a_call_that_waits_for_no_answer_is_not_made(library_world: World, version: str) -> None:
    registry = make_registry(library_world)
    held = opened(registry)

    async def talk(http: httpx2.AsyncClient) -> int:
        headers, body = message("tools/call", {"name": held.episode.submit, "arguments": {"outcome": "done"}}, version)
        unasked = json.dumps({k: v for k, v in json.loads(body).items() if k != "id"}).encode()
        status = (await http.post(held.id, headers=headers, content=unasked)).status_code
        await asked(http, held, "tools/call", {"name": "find_copies", "arguments": {}}, version)
        return status

    assert talked(registry, talk) == 202
    assert [step.call.tool for step in held.episode.log().steps] == ["find_copies"]
    assert not held.episode.done


def test_an_unknown_episode_is_not_found_and_no_more_is_said(library_world: World) -> None:
    registry = make_registry(library_world)
    held, closed, idle = (opened(registry) for _ in range(3))
    registry.close(closed.id)
    idle.touched -= 10_000
    assert registry.close_idle(held.touched) == 1
    wrong = [closed.id, idle.id, held.id[:-1], held.id + "x", "0-" + "a" * 24, "x", "%00", "a" * 5_000]

    async def talk(http: httpx2.AsyncClient) -> set[tuple[int, str]]:
        headers, body = message("tools/list", {})
        answers = [await http.post(name, headers=headers, content=body) for name in wrong]
        answers += [await http.get(name) for name in wrong]
        return {(answer.status_code, answer.text) for answer in answers}

    assert talked(registry, talk) == {(404, "Not Found")}


def test_an_official_client_without_an_episode_hears_that_there_is_none(library_world: World) -> None:
    registry = make_registry(library_world)
    held = opened(registry)

    async def play(base: str) -> None:
        async with Client(base + held.id[:-1]) as client:
            await client.list_tools()

    with pytest.raises(ExceptionGroup) as raised:
        played(registry, play)
    assert raised.group_contains(MCPError, match="Not Found")


def test_a_huge_body_is_refused_and_changes_nothing(library_world: World) -> None:
    registry = make_registry(library_world)
    held = opened(registry)

    async def talk(http: httpx2.AsyncClient) -> list[int]:
        headers, body = message("tools/call", {"name": "find_copies", "arguments": {"shelf": "x" * MAX_BODY_BYTES}})
        told = await http.post(held.id, headers=headers, content=body)  # says how long it is

        async def parts() -> AsyncIterator[bytes]:
            for _ in range(20):
                yield body[: MAX_BODY_BYTES // 10]

        untold = await http.post(held.id, headers=headers, content=parts())
        return [told.status_code, untold.status_code]

    assert talked(registry, talk) == [413, 413]
    assert held.episode.log().steps == ()


@pytest.mark.parametrize("mode", [MODERN, "legacy"])
def test_an_id_is_in_no_log(library_world: World, mode: str, caplog: pytest.LogCaptureFixture) -> None:
    registry = make_registry(library_world)
    held = opened(registry)
    for name in ("mcp", "uvicorn", "worldwright"):
        caplog.set_level(logging.DEBUG, name)

    async def play(base: str) -> None:
        # The client is a program of its own elsewhere; what it logs is not ours.
        for name in ("mcp.client", "httpx2", "httpcore2"):
            caplog.set_level(logging.CRITICAL, name)
        async with Client(base + held.id, mode=mode) as client:
            await client.call_tool("find_copies", {"shelf": 3})
            await client.call_tool("burn", {})
            with pytest.raises(MCPError):
                await client.get_prompt("another")
        async with httpx2.AsyncClient() as http:
            await http.post(base + held.id, content=b"{")
            await http.post(base + held.id + "x", content=b"{")

    played(registry, play)
    assert caplog.records
    assert held.id not in caplog.text


def test_an_episode_that_is_closed_meanwhile_is_over(library_world: World) -> None:
    registry = make_registry(library_world)
    held = opened(registry)

    async def talk(http: httpx2.AsyncClient) -> dict[str, Any]:
        async with held.lock:
            waiting = asyncio.create_task(asked(http, held, "tools/call", {"name": "find_copies", "arguments": {}}))
            while not held.lock._waiters:
                await asyncio.sleep(0)
            registry.close(held.id)
        return await waiting

    result = talked(registry, talk)["result"]
    assert result["isError"]
    assert json.loads(result["content"][0]["text"])["code"] == "EPISODE_OVER"


# anything at all

JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
METHODS = ["tools/call", "tools/list", "prompts/get", "prompts/list", "initialize", "server/discover", "ping", "x"]
PARAMS = st.fixed_dictionaries({}, optional={"name": st.just("find_copies") | JSON, "arguments": JSON})


@VERSIONS
@given(method=st.sampled_from(METHODS), params=PARAMS | JSON, whole=st.none() | JSON | st.binary(max_size=40))
@example(method="tools/call", params={"name": "find_copies", "arguments": {"shelf": "half \ud800"}}, whole=None)
@example(
    method="tools/call",
    params={},
    whole=b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": ' + b"[" * 9_000,
)
def test_whatever_is_sent_is_answered_and_the_episode_goes_on(
    library_world: World, version: str, method: str, params: Any, whole: Any
) -> None:
    """Never an error of the server's own, never a word of another episode, and the next call is as if nothing had been sent."""
    registry = make_registry(library_world)
    held = opened(registry)
    headers, body = message(method, params if isinstance(params, dict) else {}, version)
    if isinstance(whole, bytes):
        body = whole
    elif whole is not None or not isinstance(params, dict):
        body = json.dumps(whole or {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()

    async def talk(http: httpx2.AsyncClient) -> tuple[int, str, dict[str, Any]]:
        answer = await http.post(held.id, headers=headers, content=body)
        after = await asked(http, held, "tools/call", {"name": "find_copies", "arguments": {}}, version)
        return answer.status_code, answer.text, after

    status, text, after = talked(registry, talk)
    assert status < 500
    assert held.id not in text
    assert "Traceback" not in text
    assert after["result"]["isError"] is False
    registry.close(held.id)
