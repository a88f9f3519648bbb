"""Episodes over MCP and HTTP, played with the official client in both generations of the protocol."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import httpx2
import pytest
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolRequest, CallToolRequestParams, CallToolResult, TextContent, Tool
from tests.serve.mcp_talk import EARLIER, MODERN, asked, make_registry, opened, played, talked, text_of

from worldwright.engine.contract import Contract, ContractTool
from worldwright.engine.episode import Episode
from worldwright.engine.world import World
from worldwright.world.records import Call

GENERATIONS = pytest.mark.parametrize("mode", [MODERN, "auto", "legacy"])
VERSIONS = pytest.mark.parametrize("version", [MODERN, EARLIER, "2024-11-05"])
AT_ONCE = 256
pytestmark = pytest.mark.timeout(120)


def gold(world: World, task: str) -> tuple[Sequence[Call], Any]:
    key = world.key(task)
    return key.calls, key.answer


# what an agent gets


@GENERATIONS
def test_an_episode_is_played_to_its_end(library_world: World, mode: str) -> None:
    registry = make_registry(library_world)
    task = library_world.tasks[0].id
    calls, answer = gold(library_world, task)
    held, native = opened(registry, task), library_world.open(task)

    async def play(base: str) -> tuple[list[CallToolResult], CallToolResult]:
        async with Client(base + held.id, mode=mode) as client:
            results = [await client.call_tool(call.tool, dict(call.arguments)) for call in calls]
            return results, await client.call_tool(held.episode.submit, answer)

    results, last = played(registry, play)
    for call, result in zip(calls, results, strict=True):
        assert not result.is_error
        assert result.structured_content == native.call(call.tool, call.arguments).data
        assert json.loads(text_of(result)) == result.structured_content
        told = [] if mode == "legacy" else ["io.modelcontextprotocol/serverInfo"]
        assert list(result.meta or {}) == told, "who answers, where the protocol wants it said, and not that it is over"
    assert not last.is_error
    assert (last.meta or {})["worldwright/done"] is True
    assert held.episode.verify().status == "pass"


@GENERATIONS
@pytest.mark.parametrize("face", ["plain", "crowded_obscured_asking"])
def test_the_tools_are_the_episodes(library_world: World, mode: str, face: str) -> None:
    registry = make_registry(library_world)
    held = opened(registry, face=face)

    async def play(base: str) -> list[dict[str, Any]]:
        async with Client(base + held.id, mode=mode) as client:
            return [t.model_dump(by_alias=True, exclude_none=True) for t in (await client.list_tools()).tools]

    found = played(registry, play)
    for shown, tool in zip(found, held.episode.tools, strict=True):
        wanted = tool.mcp()
        if wanted["outputSchema"].get("type") != "object":
            del wanted["outputSchema"]
        assert shown == wanted
    assert found[-1]["name"] == held.episode.submit


@GENERATIONS
def test_what_is_told_at_the_start_is_the_episodes(library_world: World, mode: str) -> None:
    registry = make_registry(library_world)
    held = opened(registry)
    system, user = (m["content"] for m in held.episode.messages)

    async def play(base: str) -> tuple[str | None, list[str], dict[str, list[str]]]:
        async with Client(base + held.id, mode=mode) as client:
            names = [prompt.name for prompt in (await client.list_prompts()).prompts]
            texts = {}
            for name in names:
                contents = [m.content for m in (await client.get_prompt(name)).messages]
                texts[name] = [c.text for c in contents if isinstance(c, TextContent)]
            with pytest.raises(MCPError, match="task and opening"):
                await client.get_prompt("another")
            # A client of the newest protocol that is told the version does not ask a server for more than it needs.
            return None if mode == MODERN else client.instructions, names, texts

    instructions, names, texts = played(registry, play)
    assert instructions == (None if mode == MODERN else system)
    assert names == ["task", "opening"]
    assert texts == {"task": [user], "opening": [system, user]}


@VERSIONS
def test_arguments_may_come_as_text_or_not_at_all(library_world: World, version: str) -> None:
    registry = make_registry(library_world)
    held = opened(registry)

    async def talk(http: httpx2.AsyncClient) -> list[dict[str, Any]]:
        calls = ({"name": "find_copies", "arguments": '{"shelf": "B-22"}'}, {"name": "find_copies"})
        return [await asked(http, held, "tools/call", call, version) for call in calls]

    as_text, without = talked(registry, talk)
    native = library_world.open(library_world.tasks[0].id)
    assert as_text["result"]["structuredContent"] == native.call("find_copies", {"shelf": "B-22"}).data
    assert without["result"]["structuredContent"] == native.call("find_copies", {}).data


def test_the_last_call_that_is_allowed_says_so(library_world: World) -> None:
    registry = make_registry(library_world, calls=2)
    held = opened(registry)

    async def play(base: str) -> list[CallToolResult]:
        async with Client(base + held.id) as client:
            return [await client.call_tool("find_copies", {}) for _ in range(3)]

    first, second, third = played(registry, play)
    assert [bool((r.meta or {}).get("worldwright/done")) for r in (first, second, third)] == [False, True, True]
    assert not second.is_error
    assert json.loads(text_of(third))["code"] == "EPISODE_OVER"


# worlds behind a contract


def test_tools_of_a_contract_are_called_what_the_protocol_allows(library_world: World) -> None:
    """`GET /v1/copies` is no name for a tool there, and a list is no structured content that every client takes."""
    each = {"fields": {"shelf": {"from": ["shelf"], "codec": {"as": "text"}}}}
    tools = [
        ContractTool(name, says, "find_copies", {}, {"type": "array"}, {}, {"rows": ["items"], "each": each})
        for name, says in (("GET /v1/copies", "Copies."), ("GET v1 copies", ""), ("GET_v1_copies", "As it is."))
    ]
    contract = Contract({t.name: t for t in tools})
    world = World(library_world.manifest, library_world.runtime, library_world.book, contract)
    registry = make_registry(world)
    held = opened(registry)

    async def play(base: str) -> tuple[list[Tool], list[CallToolResult]]:
        async with Client(base + held.id, mode="legacy") as client:
            shown = (await client.list_tools()).tools[:-1]
            names = [*(tool.name for tool in shown), "GET /v1/copies"]
            return shown, [await client.call_tool(name, {}) for name in names]

    shown, results = played(registry, play)
    assert [tool.name for tool in shown] == ["GET_v1_copies_", "GET_v1_copies__", "GET_v1_copies"]
    assert [tool.description for tool in shown] == [
        "Copies. (`GET /v1/copies` of this system.)", "(`GET v1 copies` of this system.)", "As it is.",
    ]  # fmt: skip
    assert all(tool.output_schema is None and tool.input_schema["type"] == "object" for tool in shown)
    wanted = world.open(held.episode.task.id).call("GET_v1_copies").data
    assert len(wanted) > 1
    for result in results:
        assert (result.is_error, result.structured_content) == (False, None)
        assert json.loads(text_of(result)) == wanted


# many at once


@pytest.mark.slow
def test_many_episodes_at_once_are_as_one_after_the_other(library_world: World) -> None:
    """Each plays its own task in its own order of calls, and comes to the digest that the same calls come to alone."""
    registry = make_registry(library_world)
    tasks = [task.id for task in library_world.tasks]
    held = [opened(registry, tasks[at % len(tasks)]) for at in range(AT_ONCE)]
    plays = [_moves(library_world, one.episode, at) for at, one in enumerate(held)]

    async def play(base: str) -> None:
        every = asyncio.Barrier(AT_ONCE)

        async def one(at: int) -> None:
            # Neither reading certificates nor checking the schemas of outputs again, which takes longer than all the episodes.
            async with (
                httpx2.AsyncClient(verify=False, timeout=None) as http,
                Client(streamable_http_client(base + held[at].id, http_client=http), mode=MODERN) as client,
            ):
                await every.wait()
                for call in plays[at]:
                    params = CallToolRequestParams(name=call.tool, arguments=dict(call.arguments))
                    await client.session.send_request(CallToolRequest(params=params), CallToolResult)

        await asyncio.gather(*(one(at) for at in range(AT_ONCE)))

    played(registry, play)
    digests = set()
    for one, calls in zip(held, plays, strict=True):
        with library_world.open(one.episode.task.id) as alone:
            for call in calls:
                alone.call(call.tool, call.arguments)
            log = alone.log()
            assert one.episode.log() == log
            assert one.episode.verify() == alone.verify()
            digests.add(log.final_digest)
    assert len(digests) > 3, "episodes that all come to the same would show nothing"


def _moves(world: World, episode: Episode, at: int) -> list[Call]:
    """What one of many does: the calls of its task, some loans of its own, and an answer, or none."""
    calls, answer = gold(world, episode.task.id)
    more = [
        Call("lend", {"member": f"MEM-{1 + at % 40:04d}", "copy": f"CPY-{1 + (at * 7 + n) % 90:04d}"}) for n in (1, 2)
    ]
    submit = [Call(episode.submit, answer)] if at % 3 else []
    return [*calls, *more, *submit] if at % 2 else [*more, *calls, *submit]


def test_two_clients_of_one_episode_are_put_in_order(library_world: World) -> None:
    registry = make_registry(library_world)
    held = opened(registry)

    async def play(base: str) -> list[int]:
        async def one() -> list[int]:
            async with Client(base + held.id, mode=MODERN) as client:
                results = await asyncio.gather(*(client.call_tool("find_copies", {"offset": n}) for n in range(20)))
                return [bool(r.is_error) for r in results]

        return [failed for part in await asyncio.gather(one(), one()) for failed in part]

    assert not any(played(registry, play))
    steps = held.episode.log().steps
    assert sorted(s.call.arguments["offset"] for s in steps) == sorted([*range(20), *range(20)])
    assert library_world.judge(held.episode.log()) == held.episode.verify()
