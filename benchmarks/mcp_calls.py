"""What a tool call over MCP costs, against an echo server built on the same library, asked the same in the same run.

    python -m benchmarks.mcp_calls [--domain NAME] [--rounds 60] [--json]

The calls are those of the tasks' keys that the world does not refuse, each task in an episode of its own; the echo answers with the
arguments that it was sent. `call` is one of them through the official client, over HTTP on this machine. Client, server and world
share a core, and its time is what counts, whatever else the machine does; what the client checks of answers by itself is left out.
`server` is the server alone, without client and sockets. `same size` is the same against an echo that answers with what the world
answered, so that what is left is the world and our own code. `earlier` is the server alone in the protocol of 2025. Exits 1 where
a target is missed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from statistics import fmean, median
from time import process_time
from typing import Any

import httpx2
import uvicorn
from benchmarks._measure import Figure, table, uncollected
from mcp import Client, types
from mcp.client.streamable_http import streamable_http_client
from mcp.server import Server, ServerRequestContext
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.types import ASGIApp

from worldwright import catalogue
from worldwright.compiler.build import build
from worldwright.engine.world import Gym, World
from worldwright.serve.mcp_http import McpEndpoint
from worldwright.serve.registry import EpisodeRegistry
from worldwright.store.open import world_of
from worldwright.world.records import Call

SEED = 7
TARGET = 1.5
WARM_UP = 3
MODERN, EARLIER = "2026-07-28", "2025-11-25"
META = "io.modelcontextprotocol/"
WORLD, ECHO, SAME = "mcp", "echo", "same"

Side = Callable[[int], Awaitable[float]]
"""Does one round and says what one call in it took, in seconds."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--domain", default="retail_returns", choices=catalogue.names())
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    bench = Bench(world_of(build(catalogue.load(given.domain), SEED).pack))
    figures = asyncio.run(bench.measured(given.rounds))
    print(json.dumps([f.data() for f in figures], indent=2) if given.json else table(figures))
    return 0 if all(f.holds is not False for f in figures) else 1


class Bench:
    """A world and two echoes behind the same library."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.registry = EpisodeRegistry(Gym("bench", {"only": lambda: world}))
        self.known: dict[str, Any] = {}
        """By call, what the world answers."""
        self.plays = [(task.id, self._alone(task.id)) for task in world.tasks]

    def _alone(self, task: str) -> Sequence[Call]:
        """The calls of a task that are not refused."""
        made = []
        with self.world.open(task) as episode:
            for call in self.world.key(task).calls:
                result = episode.call(call.tool, call.arguments)
                if result.ok:
                    made.append(call)
                    self.known[_written(call.tool, call.arguments)] = result.data
        return made

    async def measured(self, rounds: int) -> list[Figure]:
        async with self._app() as app, _serving(app) as base:
            ours, echo = await turns(rounds, *(self.by_client(base, kind) for kind in (WORLD, ECHO)))
            sides = [self.by_app(app, kind, MODERN) for kind in (WORLD, ECHO, SAME)]
            bare, plain, same, native = await turns(rounds, *sides, self.in_process)
            earlier, before = await turns(rounds, *(self.by_app(app, kind, EARLIER) for kind in (WORLD, ECHO)))
        size = fmean(len(json.dumps(data)) for data in self.known.values()) / 1000
        says = f"a tool call with an answer of {size:.1f} KB, by the official client over HTTP"
        return [
            Figure("call", says, "s", ours, "echo", echo, TARGET),
            Figure("server", "the server alone", "s", bare, "echo", plain),
            Figure("same size", "the same", "s", bare, "echo of the world's answers", same),
            Figure("earlier", "the server alone in the protocol of 2025", "s", earlier, "echo", before),
            Figure("native", "the call itself, in process", "s", native),
        ]

    @asynccontextmanager
    async def _app(self) -> AsyncIterator[ASGIApp]:
        mcp = McpEndpoint(self.registry)
        echo, same = _echo(lambda name, sent: sent), _echo(lambda name, sent: self.known[_written(name, sent)])
        places: dict[str, ASGIApp] = {WORLD: mcp, ECHO: StreamableHTTPASGIApp(echo), SAME: StreamableHTTPASGIApp(same)}
        async with mcp.lifespan(), echo.run(), same.run():
            yield Starlette(routes=[Route(f"/{name}/{{episode_id}}", place) for name, place in places.items()])

    async def in_process(self, number: int) -> float:
        task, calls = self.plays[number % len(self.plays)]
        with self.world.open(task) as episode:
            begin = process_time()
            for call in calls:
                episode.call(call.tool, call.arguments)
            return (process_time() - begin) / len(calls)

    def by_client(self, base: str, kind: str) -> Side:
        async def side(number: int) -> float:
            task, calls = self.plays[number % len(self.plays)]
            opened = self.registry.create("only", task)
            url = f"{base}/{kind}/{opened.id}"
            async with (
                httpx2.AsyncClient(verify=False) as http,
                Client(
                    streamable_http_client(url, http_client=http)
                ) as client,  # has asked who is there: the line is open
            ):
                ask = client.session.send_request
                begin = process_time()
                for call in calls:
                    params = types.CallToolRequestParams(name=call.tool, arguments=dict(call.arguments))
                    answer = await ask(types.CallToolRequest(params=params), types.CallToolResult)
                    assert not answer.is_error
                took = process_time() - begin
            self.registry.close(opened.id)
            return took / len(calls)

        return side

    def by_app(self, app: ASGIApp, kind: str, version: str) -> Side:
        async def side(number: int) -> float:
            task, calls = self.plays[number % len(self.plays)]
            opened = self.registry.create("only", task)
            messages = [_message(call, version) for call in calls]
            begin = process_time()
            statuses = [await _posted(app, f"/{kind}/{opened.id}", *message) for message in messages]
            took = process_time() - begin
            assert set(statuses) == {200}, statuses
            self.registry.close(opened.id)
            return took / len(calls)

        return side


async def turns(rounds: int, *sides: Side) -> list[float]:
    """The median of each side. They take turns, and who begins changes from round to round."""
    found: list[list[float]] = [[] for _ in sides]
    with uncollected():
        for number in range(-WARM_UP, rounds):
            for turn in range(len(sides)):
                at = (turn + number) % len(sides)
                took = await sides[at](number + WARM_UP)
                if number >= 0:
                    found[at].append(took)
    return [median(times) for times in found]


def _echo(answer: Callable[[str, dict[str, Any]], Any]) -> StreamableHTTPSessionManager:
    """A server of the library's own making, run as ours is."""

    async def listed(
        ctx: ServerRequestContext[Any, Any], params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[types.Tool(name="echo", input_schema={"type": "object"})])

    async def called(ctx: ServerRequestContext[Any, Any], params: types.CallToolRequestParams) -> types.CallToolResult:
        data = answer(params.name, params.arguments or {})
        return types.CallToolResult(content=[types.TextContent(text=json.dumps(data))], structured_content=data)

    server = Server("echo", on_list_tools=listed, on_call_tool=called, get_tool_input_schema=lambda name: None)
    return StreamableHTTPSessionManager(server, json_response=True, stateless=True)


@asynccontextmanager
async def _serving(app: ASGIApp) -> AsyncIterator[str]:
    config = uvicorn.Config(app, port=0, log_level="error", access_log=False, lifespan="off")
    server = uvicorn.Server(config)
    running = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    await running


def _written(name: str, arguments: Mapping[str, Any]) -> str:
    return json.dumps([name, arguments])


def _message(call: Call, version: str) -> tuple[list[tuple[bytes, bytes]], bytes]:
    params: dict[str, Any] = {"name": call.tool, "arguments": call.arguments}
    headers = {"mcp-protocol-version": version, "accept": "application/json, text/event-stream"}
    if version == MODERN:
        client = {f"{META}clientInfo": {"name": "bench", "version": "1"}, f"{META}clientCapabilities": {}}
        params["_meta"] = {f"{META}protocolVersion": version, **client}
        headers |= {"mcp-method": "tools/call", "mcp-name": call.tool}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
    headers |= {"host": "bench", "content-type": "application/json", "content-length": str(len(body))}
    return [(name.encode(), value.encode()) for name, value in headers.items()], body


async def _posted(app: ASGIApp, path: str, headers: list[tuple[bytes, bytes]], body: bytes) -> int:
    status = 0

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        nonlocal status
        status = message.get("status", status)

    scope = {
        "type": "http", "method": "POST", "path": path, "raw_path": path.encode(), "query_string": b"", "root_path": "",
        "headers": headers, "http_version": "1.1", "scheme": "http", "server": ("bench", 80), "client": ("bench", 1),
    }  # fmt: skip
    await app(scope, receive, send)
    return status


if __name__ == "__main__":
    raise SystemExit(main())
