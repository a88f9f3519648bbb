"""MCP servers to ask, each a program of a few lines; `serving` runs one of them over HTTP on this machine."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import mcp.types as types
import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.mcpserver import MCPServer

PAGES = ("alpha", "beta", "gamma")


async def _page(ctx: Any, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
    n = int((params and params.cursor) or 0)
    schema = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"], "x-order": n}
    tool = types.Tool(name=PAGES[n], description=f"The tool {PAGES[n]}.", input_schema=schema)
    return types.ListToolsResult(tools=[tool], next_cursor=str(n + 1) if n + 1 < len(PAGES) else None)


def paged() -> Server[Any]:
    """Three tools, one on each page."""
    return Server("paged", title="A paged server", instructions="Ask page by page.", on_list_tools=_page)


def small() -> MCPServer:
    server: MCPServer = MCPServer("small")

    @server.tool()
    def refund(order_id: str, amount: float = 0) -> str:
        """Refunds an order."""
        return order_id

    return server


@contextmanager
def serving(app: Any) -> Iterator[str]:
    """The address of a web application that runs in a thread."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error", ws="none", timeout_graceful_shutdown=1))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    deadline = time.monotonic() + 10
    while not server.started and time.monotonic() < deadline:
        time.sleep(0.01)
    try:
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(10)


def only_with(name: str, value: str, app: Any) -> Any:
    """A web application that answers nobody who does not send a header."""

    async def guarded(scope: Any, receive: Any, send: Any) -> None:
        sent = dict(scope.get("headers", ()))
        if scope["type"] == "http" and sent.get(name.encode()) != value.encode():
            await send({"type": "http.response.start", "status": 401, "headers": []})
            await send({"type": "http.response.body", "body": b""})
            return
        await app(scope, receive, send)

    return guarded


async def never(scope: Any, receive: Any, send: Any) -> None:
    """A web application that takes every question and answers none."""
    while scope["type"] == "http" and (await receive())["type"] != "http.disconnect":
        pass


if __name__ == "__main__":
    import anyio
    from mcp.server.stdio import stdio_server

    async def main() -> None:
        server = paged()
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    anyio.run(main)
