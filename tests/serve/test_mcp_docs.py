"""The lines of docs/mcp.md, run as they stand."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters
from tests.serve.mcp_process import MAIN, ROOT

PAGE = (ROOT / "docs" / "mcp.md").read_text(encoding="utf-8")
LOG = "/tmp/episode.jsonl"
pytestmark = pytest.mark.timeout(90)


def block(language: str, part: str) -> str:
    """The one block of code with these words in it."""
    [found] = [text for text in re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL) if part in text]
    return str(found)


@pytest.fixture(scope="module")
def surroundings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a user who has made the gym as the page says."""
    found = {**os.environ, "WORLDWRIGHT_HOME": str(tmp_path_factory.mktemp("home"))}
    found["PATH"] = f"{MAIN.parent}{os.pathsep}{found['PATH']}"
    [line] = re.findall(r"^    (worldwright generate [^#\n]*)", PAGE, re.MULTILINE)
    subprocess.run(line.split(), env=found, cwd=ROOT, check=True, capture_output=True)
    return found


@pytest.mark.slow
def test_the_lines_for_http_play_an_episode(surroundings: dict[str, str]) -> None:
    [line] = re.findall(r"^    (worldwright serve .*)$", PAGE, re.MULTILINE)
    command = [*line.split(), "--port", "0", "--workers", "1", "--json"]
    with subprocess.Popen(command, env=surroundings, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            told = json.loads(server.stdout.readline())
            known = {**surroundings, "WORLDWRIGHT_URL": told["url"], "WORLDWRIGHT_TOKEN": told["token"]}
            done = subprocess.run(
                [sys.executable, "-c", block("python", "WORLDWRIGHT_URL")], env=known, capture_output=True, text=True
            )
        finally:
            server.terminate()
            server.communicate(timeout=30)
    assert done.returncode == 0, done.stderr
    assert "Rebecca Khan" in done.stdout
    assert done.stdout.splitlines()[-2:] == ["she owes 17.7", "pass"]


def test_the_settings_of_a_desktop_client_start_an_episode_that_can_be_judged(
    surroundings: dict[str, str], tmp_path: Path
) -> None:
    log = str(tmp_path / "episode.jsonl")
    given = json.loads(block("json", "mcpServers").replace(LOG, log))["mcpServers"]["library"]
    server = StdioServerParameters(command=given["command"], args=given["args"], env=surroundings)

    async def play() -> None:
        async with Client(server) as client:
            tools = (await client.list_tools()).tools
            await client.call_tool(tools[-1].name, {"outcome": "refused", "record": "MEM-0002", "rule": "no_debts"})

    asyncio.run(play())
    lines = block("python", "read_trajectory").replace(LOG, log)
    done = subprocess.run([sys.executable, "-c", lines], env=surroundings, capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("pass\n", 0), done.stderr
