"""The proxy between workers: requests for the episodes of another worker are forwarded to it over its own socket."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from starlette.types import ASGIApp, Receive, Scope, Send

from worldwright.serve.connection import Connection, ConnectionLost, ConnectionPool
from worldwright.serve.errors import error_response
from worldwright.serve.metrics import ROUTE
from worldwright.serve.registry import EpisodeRegistry, parse_worker
from worldwright.serve.worker_table import WorkerTable

EPISODES, MCP = "/episodes", "/mcp"
FORWARD_SLACK = 8
"""A worker forwards a new episode when it has that many more than twice the open episodes of another."""
_REQUEST_HOP_HEADERS = frozenset(
    {b"connection", b"content-length", b"expect", b"keep-alive", b"te", b"transfer-encoding", b"upgrade"}
)
_RESPONSE_HOP_HEADERS = frozenset({b"connection", b"keep-alive"})
"""Headers that belong to one connection (RFC 9110, 7.6.1) and are not forwarded."""
WORKER_LOST = "the worker of this episode died, and the episode with it; open another one with POST /episodes"


class PeerClient:
    """An HTTP client for the other workers of this server."""

    def __init__(self, table: WorkerTable, number: int, folder: Path) -> None:
        self.table, self.number = table, number
        self._folder = folder
        self._pools: dict[int, ConnectionPool] = {}

    def close(self) -> None:
        for pool in self._pools.values():
            pool.close()

    @asynccontextmanager
    async def _connect(self, number: int) -> AsyncIterator[Connection]:
        """Hold a connection to a worker. Pools of workers that died are closed."""
        pool = self._pools.get(number)
        if pool is None:
            for dead in [n for n in self._pools if not self.table.is_current(n)]:
                self._pools.pop(dead).close()
            pool = self._pools[number] = ConnectionPool(socket_path(self._folder, number))
        connection = await pool.acquire()
        try:
            yield connection
        finally:
            pool.release(connection)

    async def fetch_from_all(self, path: str) -> list[bytes]:
        """GET a path from each of the other workers. Workers that do not answer are left out."""
        found = []
        for number in self.table.find_running_peers(self.number):
            try:
                async with self._connect(number) as connection:
                    answer = await connection.request(b"GET", path.encode(), [(b"host", b"worker")], b"")
                    found.append(b"".join([part async for part in answer.iter_body()]))
            except ConnectionLost:
                continue
        return found

    async def forward(self, number: int, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward a request, whose whole body has been read, to another worker, and send on its response."""
        body = (await receive()).get("body", b"")
        target = scope["raw_path"] + (b"?" + scope["query_string"] if scope["query_string"] else b"")
        headers = [h for h in scope["headers"] if h[0] not in _REQUEST_HOP_HEADERS]
        begun = False
        watcher: asyncio.Task[None] | None = None
        try:
            async with self._connect(number) as connection:
                answer = await connection.request(scope["method"].encode(), target, headers, body)
                kept = [h for h in answer.headers if h[0] not in _RESPONSE_HOP_HEADERS]
                begun = True
                await send({"type": "http.response.start", "status": answer.status, "headers": kept})
                if not any(name == b"content-length" for name, _ in kept):
                    watcher = asyncio.create_task(_close_on_disconnect(connection, receive))
                async for part in answer.iter_body():
                    await send({"type": "http.response.body", "body": part, "more_body": True})
                await send({"type": "http.response.body", "body": b"", "more_body": False})
        except ConnectionLost:
            if not begun:  # else what was sent stays unfinished, and the client sees that
                await error_response(410, WORKER_LOST)(scope, receive, send)
        finally:
            if watcher is not None:
                watcher.cancel()


async def _close_on_disconnect(connection: Connection, receive: Receive) -> None:
    """Close the connection of a response without an end when its client disconnects."""
    while (await receive())["type"] != "http.disconnect":
        pass
    connection.close()


class WorkerProxy:
    """ASGI middleware that answers for this worker's own episodes and forwards all other requests."""

    def __init__(self, app: ASGIApp, registry: EpisodeRegistry, peers: PeerClient) -> None:
        self._app, self._registry, self._peers = app, registry, peers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        number = self._find_worker(scope)
        if number == self._registry.worker:
            await self._app(scope, receive, send)
        elif self._peers.table.is_current(number):
            scope[ROUTE] = "passed on"
            await self._peers.forward(number, scope, receive, send)
        elif self._peers.table.has_died(number):
            await error_response(410, WORKER_LOST)(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _find_worker(self, scope: Scope) -> int:
        """Find the number of the worker that is to answer a request."""
        own, path = self._registry.worker, scope["path"]
        if scope["method"] == "HEAD":  # is refused everywhere
            return own
        if path.startswith((EPISODES + "/", MCP + "/")):
            found = parse_worker(path.split("/", 3)[2])
            return own if found is None else found
        if path == EPISODES and scope["method"] == "POST":
            who, episodes = self._peers.table.find_least_loaded(own)
            here = len(self._registry)
            return who if here > 2 * episodes + FORWARD_SLACK or here >= self._registry.max_episodes else own
        return own


def socket_path(folder: Path, number: int) -> Path:
    """Return the path of the unix socket of a worker."""
    return folder / f"{number}.sock"
