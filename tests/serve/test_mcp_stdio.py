"""One episode per process over MCP on standard input and output, and the log that is left of it."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import pytest
from mcp import Client, StdioServerParameters
from tests.serve.mcp_process import serve_one
from tests.serve.mcp_talk import text_of
from tests.shared_builds import build

from worldwright.blueprint.checked import Checked
from worldwright.engine.trajectories import read_trajectory
from worldwright.engine.world import World
from worldwright.pack.seal import write_pack
from worldwright.store.open import open_world
from worldwright.world.records import Trajectory

T = TypeVar("T")
TASK = "task_001"
pytestmark = pytest.mark.timeout(60)


@pytest.fixture(scope="module")
def pack(library: Checked, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("packs") / "library"
    write_pack(build(library, 7).pack.files, folder)
    return folder


@pytest.fixture(scope="module")
def world(pack: Path) -> World:
    return open_world(pack)


def logged(log: Path) -> Trajectory:
    return read_trajectory(log.read_text(encoding="utf-8"))


def talked(pack: Path, log: Path, mode: str, talk: Callable[[Client], Awaitable[T]]) -> T:
    first, *rest = serve_one(pack, TASK, log)

    async def main() -> T:
        async with Client(StdioServerParameters(command=first, args=rest), mode=mode) as client:
            return await talk(client)

    return asyncio.run(main())


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_an_episode_is_played_and_judged_from_its_log(pack: Path, world: World, tmp_path: Path, mode: str) -> None:
    key, log = world.key(TASK), tmp_path / "episode.jsonl"

    async def talk(client: Client) -> tuple[list[str], list[str | None], list[bool]]:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        task = (await client.get_prompt("task")).messages
        results = [await client.call_tool(call.tool, dict(call.arguments)) for call in key.calls]
        results.append(await client.call_tool(tools[-1], key.answer))
        assert logged(log).submitted, "the log is there as soon as the episode is over"
        over = await client.call_tool(tools[0], {})
        assert '"EPISODE_OVER"' in text_of(over)
        told = [client.instructions, *(getattr(m.content, "text", "") for m in task)]
        return tools, told, [bool(one.is_error) for one in results]

    tools, told, failed = talked(pack, log, mode, talk)
    with world.open(TASK) as episode:
        assert tools == [tool.name for tool in episode.tools]
        assert told == [message["content"] for message in episode.messages]
    assert not any(failed)
    assert world.judge(logged(log)).status == "pass"
    assert list(tmp_path.iterdir()) == [log], "nothing else is left behind"


def test_a_client_that_leaves_early_leaves_what_it_did(pack: Path, world: World, tmp_path: Path) -> None:
    async def talk(client: Client) -> None:
        await client.call_tool("find_copies", {"shelf": "B-22"})

    talked(pack, tmp_path / "log", "auto", talk)
    left = logged(tmp_path / "log")
    assert [step.call.tool for step in left.steps] == ["find_copies"]
    assert not left.submitted
    assert world.judge(left).status == "fail"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_process_that_is_ended_leaves_a_log(pack: Path, tmp_path: Path, number: signal.Signals) -> None:
    """Whoever ends it finds what was done; where it had no time to write, the log of an episode in which nothing was done."""
    log = tmp_path / "log"
    with subprocess.Popen(serve_one(pack, TASK, log), stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(
            b"no JSON at all\n\xff\xfe\n[]\n"
            b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},'
            b'"clientInfo":{"name":"test","version":"1"}}}\n'
            b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n'
            b'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"find_copies","arguments":{}}}\n'
        )
        process.stdin.flush()
        assert b'"id":1' in process.stdout.readline()
        assert b'"id":2' in process.stdout.readline()
        assert logged(log).steps == ()
        os.kill(process.pid, number)
        assert process.wait(20) == -number
        process.stdin.close()
    assert len(logged(log).steps) == (0 if number is signal.SIGKILL else 1)


def test_a_log_that_cannot_be_written_is_said_at_once(pack: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = subprocess.run(
        serve_one(pack, TASK, tmp_path / "file" / "log"), stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    assert done.returncode != 0
    assert "cannot be written" in done.stderr
    assert done.stdout == ""
