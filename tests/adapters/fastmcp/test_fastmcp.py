"""FastMCP's client plays episodes: from a URL, and from the `mcpServers` of a desktop client's settings."""

from __future__ import annotations

import asyncio
import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from tests.serve.mcp_process import serve_one, serving

from worldwright.engine.trajectories import read_trajectory
from worldwright.engine.world import World

TASK, VARIANT = "task_001", "seed_7"
pytestmark = pytest.mark.timeout(60)


def played(where: Any, world: World) -> None:
    """The whole of an episode, with a look at everything that an agent is given."""
    fastmcp: Any = import_module("fastmcp")
    refusal: Any = import_module("fastmcp.exceptions").ToolError
    key = world.key(TASK)

    async def main() -> None:
        async with fastmcp.Client(where) as client:
            with world.open(TASK) as native:
                assert client.instructions == native.messages[0]["content"]
                tools = await client.list_tools()
                assert [tool.name for tool in tools] == [tool.name for tool in native.tools]
                [asked] = (await client.get_prompt("task")).messages
                assert asked.content.text == native.messages[1]["content"]
                with pytest.raises(refusal, match="INVALID_ARGUMENT"):
                    await client.call_tool(tools[0].name, {"no such": "argument"})
                with pytest.raises(refusal, match="UNKNOWN_TOOL"):
                    await client.call_tool("burn", {})
                for call in key.calls:
                    result = await client.call_tool(call.tool, dict(call.arguments))
                    assert result.structured_content == native.call(call.tool, call.arguments).data
                    assert json.loads(result.content[0].text) == result.structured_content
                done = await client.call_tool(native.submit, key.answer)
                assert done.meta["worldwright/done"] is True
                with pytest.raises(refusal, match="EPISODE_OVER"):
                    await client.call_tool(tools[0].name, {})

    asyncio.run(main())


def test_over_http(gym_folder: Path, world: World) -> None:
    with serving(gym_folder) as controller:
        episode = controller.begin(VARIANT, TASK)
        played(episode["mcp"], world)
        assert controller.verdict(episode) == "pass"


def test_over_stdio(gym_folder: Path, world: World, tmp_path: Path) -> None:
    log = tmp_path / "log"
    command, *args = serve_one(gym_folder / VARIANT, TASK, log)
    played({"mcpServers": {"library": {"command": command, "args": args}}}, world)
    assert world.judge(read_trajectory(log.read_text(encoding="utf-8"))).status == "pass"
