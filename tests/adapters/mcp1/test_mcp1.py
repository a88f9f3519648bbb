"""Clients of the first generation of the official library play the episodes of a server of the second."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from tests.serve.mcp_process import serve_one, serving

from worldwright.engine.trajectories import read_trajectory
from worldwright.engine.world import World

TASK, VARIANT = "task_001", "seed_7"
pytestmark = pytest.mark.timeout(60)


@asynccontextmanager
async def over_http(url: str) -> AsyncIterator[Any]:
    mcp: Any = import_module("mcp")
    http: Any = import_module("mcp.client.streamable_http")
    async with http.streamable_http_client(url) as (read, write, session_id), mcp.ClientSession(read, write) as session:
        yield session
        assert session_id() is None, "no session is needed, so none is begun"


@asynccontextmanager
async def over_stdio(command: list[str]) -> AsyncIterator[Any]:
    mcp: Any = import_module("mcp")
    server = mcp.StdioServerParameters(command=command[0], args=command[1:])
    async with mcp.stdio_client(server) as (read, write), mcp.ClientSession(read, write) as session:
        yield session


async def play(session: Any, world: World) -> None:
    """The whole of an episode, with a look at everything that an agent is given."""
    key = world.key(TASK)
    with world.open(TASK) as native:
        hello = await session.initialize()
        assert hello.protocolVersion.startswith("2025-")
        assert hello.instructions == native.messages[0]["content"]
        tools = (await session.list_tools()).tools
        assert [tool.name for tool in tools] == [tool.name for tool in native.tools]
        [asked] = (await session.get_prompt("task")).messages
        assert asked.content.text == native.messages[1]["content"]
        refused = await session.call_tool(tools[0].name, {"no such": "argument"})
        assert refused.isError
        assert json.loads(refused.content[0].text)["code"] == "INVALID_ARGUMENT"
        unknown = await session.call_tool("burn", {})
        assert unknown.isError
        for call in key.calls:
            result = await session.call_tool(call.tool, dict(call.arguments))
            assert not result.isError
            assert result.structuredContent == native.call(call.tool, call.arguments).data
            assert json.loads(result.content[0].text) == result.structuredContent
        done = await session.call_tool(native.submit, key.answer)
        assert not done.isError
        assert done.meta["worldwright/done"] is True
        assert (await session.call_tool(tools[0].name, {})).isError


def test_over_http(gym_folder: Path, world: World) -> None:
    with serving(gym_folder) as controller:
        episode = controller.begin(VARIANT, TASK)

        async def main() -> None:
            async with over_http(episode["mcp"]) as session:
                await play(session, world)

        asyncio.run(main())
        assert controller.verdict(episode) == "pass"


def test_over_stdio(gym_folder: Path, world: World, tmp_path: Path) -> None:
    log = tmp_path / "log"

    async def main() -> None:
        async with over_stdio(serve_one(gym_folder / VARIANT, TASK, log)) as session:
            await play(session, world)

    asyncio.run(main())
    assert world.judge(read_trajectory(log.read_text(encoding="utf-8"))).status == "pass"
