"""What of a rollout of verifiers may live in a process of its own: the row, the state, and a server for the tools.

verifiers starts the server as `python -m worldwright.adapters.verifiers_tools`, once for every rollout that wants it.
"""

from __future__ import annotations

import asyncio
from typing import Any, cast

import verifiers.v1 as vf
from mcp.types import CallToolResult, TextContent, Tool

from worldwright.adapters.names import rename_tools
from worldwright.adapters.rows import GYM, TASK, VARIANT, open_row, open_row_world
from worldwright.agents import chat
from worldwright.core.errors import UsageError
from worldwright.engine.episode import Episode
from worldwright.engine.trajectories import read_trajectory, trajectory_text
from worldwright.world.tasks import Verdict

RESERVED = frozenset({"bash", "edit", "search"})
"""Tools that harnesses of verifiers have themselves."""


class WorldData(vf.TaskData):
    """A row: what is asked, and where. Never the key."""

    gym: str
    variant: str
    task: str
    world: str
    """The digest of the world; another one under the same name is refused."""
    family: str
    face: str = "plain"

    def row(self) -> dict[str, Any]:
        return {GYM: self.gym, VARIANT: self.variant, TASK: self.task, "world": self.world}

    def open(self) -> Episode:
        return open_row(self.row(), self.face)

    def judge(self, log: str) -> Verdict:
        """The verdict on a log; where nothing was done, on the world as it was."""
        if log:
            return open_row_world(self.row()).judge(read_trajectory(log))
        with self.open() as episode:
            return episode.verify()

    def judge_witness(self) -> Verdict:
        """Play the key's own calls and answer, and return the verdict."""
        with self.open() as episode:
            key = episode.env.key()
            for one in key.calls:
                episode.call(one.tool, one.arguments)
            episode.call(episode.submit, key.answer)
            return episode.verify()


class WorldState(vf.State):
    """What there is of the episode, for whoever grades it."""

    log: str = ""
    failure: str = ""
    """Why the environment failed, where it did."""
    done: bool = False

    def note(self, episode: Episode) -> None:
        self.log, self.failure, self.done = trajectory_text(episode.log()), episode.env.broken, episode.done


class WorldToolset(vf.Toolset[vf.ToolsetConfig, WorldState]):
    """The tools over MCP, for a harness that runs a program."""

    TOOL_PREFIX = None

    def __init__(self, config: vf.ToolsetConfig) -> None:
        if config.colocated:
            raise UsageError("the tool server has the keys: it cannot run where the agent does (`colocated`)")
        super().__init__(config)
        self._one_at_a_time = asyncio.Lock()

    async def setup_task(self, task: WorldData) -> None:
        self._episode = task.open()
        tools, self._real = rename_tools(self._episode.tools, RESERVED)
        self._tools = [Tool(name=t.name, description=t.description, input_schema=dict(t.input_schema)) for t in tools]

    def register(self, mcp: Any) -> None:
        """The server's own handlers ask these two, so that schemas go out as they are."""
        mcp.list_tools, mcp.call_tool = self._list, self._call_in_turn

    async def _list(self) -> list[Tool]:
        return self._tools

    async def _call_in_turn(self, name: str, arguments: dict[str, Any], context: Any = None) -> CallToolResult:
        """Make one call after the other: the state that is sent back holds the whole log."""
        async with self._one_at_a_time:
            return cast(CallToolResult, await self._with_state(self._call)(name, arguments))

    def _call(self, name: str, arguments: dict[str, Any]) -> CallToolResult:
        result = self._episode.call(self._real.get(name, name), arguments)
        self.state.note(self._episode)
        content = TextContent(type="text", text=chat.encode(result.payload()))
        return CallToolResult(content=[content], is_error=not result.ok)


if __name__ == "__main__":
    WorldToolset.run()
