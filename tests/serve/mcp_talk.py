"""Requests to episodes over MCP as they go over the wire, and a server for them: for tests of what a client would not send."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import httpx2
import uvicorn
from mcp.shared.inbound import encode_header_value
from mcp.types import CallToolResult, TextContent
from starlette.applications import Starlette
from starlette.routing import Route

from worldwright.engine.limits import Limits
from worldwright.engine.world import Gym, World
from worldwright.serve.mcp_http import McpEndpoint
from worldwright.serve.registry import EpisodeRegistry, OpenEpisode

T = TypeVar("T")
MODERN, EARLIER = "2026-07-28", "2025-11-25"
VARIANT = "only"


def make_registry(world: World, calls: int = 500) -> EpisodeRegistry:
    return EpisodeRegistry(Gym("library", {VARIANT: lambda: world}), limits=Limits(calls=calls))


def opened(registry: EpisodeRegistry, task: str | None = None, face: str = "plain") -> OpenEpisode:
    return registry.create(VARIANT, task or registry.gym.world(VARIANT).tasks[0].id, face)


@asynccontextmanager
async def app_of(registry: EpisodeRegistry) -> AsyncIterator[Starlette]:
    """The endpoint in an app, running."""
    mcp = McpEndpoint(registry)
    async with mcp.lifespan():
        yield Starlette(routes=[Route("/mcp/{episode_id}", mcp)])


@asynccontextmanager
async def serving(registry: EpisodeRegistry) -> AsyncIterator[str]:
    """The same on a free port of this machine. Ids are appended to what it gives."""
    async with app_of(registry) as app:
        config = uvicorn.Config(
            app, port=0, log_level="warning", access_log=False, lifespan="off", timeout_keep_alive=3600
        )  # a busy machine may let a connection lie for longer than the usual five seconds
        server = uvicorn.Server(config)
        task = asyncio.create_task(server.serve())
        while not server.started:
            await asyncio.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/mcp/"
        finally:
            server.should_exit = True
            await task


@asynccontextmanager
async def talking(registry: EpisodeRegistry) -> AsyncIterator[httpx2.AsyncClient]:
    """A plain HTTP client of the endpoint, without a socket in between."""
    async with (
        app_of(registry) as app,
        httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://server/mcp/") as http,
    ):
        yield http


def played(registry: EpisodeRegistry, play: Callable[[str], Awaitable[T]]) -> T:
    """What comes of `play`, which is given the address of a server."""

    async def main() -> T:
        async with serving(registry) as base:
            return await play(base)

    return asyncio.run(main())


def talked(registry: EpisodeRegistry, talk: Callable[[httpx2.AsyncClient], Awaitable[T]]) -> T:
    """What comes of `talk`, which is given a plain HTTP client."""

    async def main() -> T:
        async with talking(registry) as http:
            return await talk(http)

    return asyncio.run(main())


def message(method: str, params: dict[str, Any], version: str = MODERN) -> tuple[dict[str, str], bytes]:
    """The headers and the body of a request."""
    headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    headers["mcp-protocol-version"] = version
    if version == MODERN:
        prefix = "io.modelcontextprotocol/"
        client = {f"{prefix}clientInfo": {"name": "test", "version": "1"}, f"{prefix}clientCapabilities": {}}
        params = {**params, "_meta": {f"{prefix}protocolVersion": version, **client}}
        headers["mcp-method"] = method
        if isinstance(name := params.get("name"), str) and method in ("tools/call", "prompts/get"):
            headers["mcp-name"] = encode_header_value(name)
    return headers, json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()


async def asked(
    http: httpx2.AsyncClient, opened: OpenEpisode, method: str, params: dict[str, Any], version: str = MODERN
) -> dict[str, Any]:
    """What the server answers: a JSON-RPC message."""
    headers, body = message(method, params, version)
    answer: dict[str, Any] = (await http.post(opened.id, headers=headers, content=body)).json()
    return answer


def text_of(result: CallToolResult) -> str:
    [only] = result.content
    assert isinstance(only, TextContent)
    return only.text
