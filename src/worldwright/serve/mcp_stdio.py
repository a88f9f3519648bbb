"""One episode over MCP on standard input and output: the process is the episode.

What came of it is for whoever started the process: with `log`, the trajectory lies in that file, whole at any time, to be judged
with `world.judge`. It is written when the episode begins (nothing done yet), when it ends, and when the process does.
"""

from __future__ import annotations

import signal
from asyncio import Lock
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
from mcp.server import Server
from mcp.server.stdio import stdio_server

from worldwright.core.errors import StoreError
from worldwright.core.whole_file import write_whole
from worldwright.engine.episode import Episode
from worldwright.engine.limits import Limits
from worldwright.engine.trajectories import trajectory_text
from worldwright.engine.world import World
from worldwright.serve.mcp_server import make_episode_server
from worldwright.world.records import Result


@dataclass(frozen=True, slots=True)
class _SingleEpisode:
    """The only episode of this process, with its lock."""

    episode: Episode
    lock: Lock = field(default_factory=Lock)


def serve_episode(
    world: World, task: str, face: str = "plain", limits: Limits | None = None, *, log: Path | None = None
) -> None:
    """Serve one episode until the client hangs up. Its log is written to `log`; the client is told nothing of it."""
    with world.open(task, face=face, limits=limits) as episode:

        def write_log() -> None:
            if log is not None:
                write_whole(log, trajectory_text(episode.log()))

        ended = False

        def on_result(result: Result) -> None:
            nonlocal ended
            if result.done and not ended:
                ended = True
                with suppress(StoreError):  # no business of the agent's; whoever started this hears of it at the end
                    write_log()

        write_log()
        found = _SingleEpisode(episode)
        try:
            anyio.run(_serve, make_episode_server(lambda ctx: found, on_result), write_log)
        finally:
            write_log()


async def _serve(server: Server[Any], write_log: Callable[[], None]) -> None:
    async with anyio.create_task_group() as group:
        group.start_soon(_on_signal, write_log)
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())
        group.cancel_scope.cancel()


async def _on_signal(write_log: Callable[[], None]) -> None:
    """Told to end, it keeps the log and ends at once: a thread waits for input and cannot be woken."""
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        async for number in signals:
            try:
                write_log()
            finally:
                signal.signal(number, signal.SIG_DFL)
                signal.raise_signal(number)
