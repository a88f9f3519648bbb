"""A connection from one worker to another: HTTP over a unix socket, one request at a time.

Why not `httpx` with a unix-socket transport: the request of a tool call took it 21 to 35 times the processor time of this client
(1.6 to 1.9 ms against 0.05 to 0.08 ms; httpx2 2.16, one process, the same server on a busy machine, alone and with 32 requests at
once). Its transport without the client took 16 to 29 times, `httpcore` without either 13 to 29 times. A tool call itself takes
0.1 ms, so a forwarded call would mostly be overhead. `httptools` does the parsing, as it does for uvicorn.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import cast

import httptools

Headers = list[tuple[bytes, bytes]]
MAX_IDLE_CONNECTIONS = 64
"""How many connections to one worker are kept open for later requests."""


class ConnectionLost(Exception):
    """The other worker cannot be connected to, or closed the connection before its response was complete."""


class ConnectionPool:
    """The connections to one worker, reused from request to request."""

    def __init__(self, path: Path) -> None:
        self._path = str(path)
        self._idle: list[Connection] = []

    async def acquire(self) -> Connection:
        """Take an idle connection, or open one."""
        while self._idle:
            connection = self._idle.pop()
            if connection.usable:
                return connection
        try:
            _, made = await asyncio.get_running_loop().create_unix_connection(Connection, self._path)
        except OSError as e:
            raise ConnectionLost(str(e)) from None
        return made

    def release(self, connection: Connection) -> None:
        if connection.usable and len(self._idle) < MAX_IDLE_CONNECTIONS:
            self._idle.append(connection)
        else:
            connection.close()

    def close(self) -> None:
        while self._idle:
            self._idle.pop().close()


class Connection(asyncio.Protocol):
    """One connection to a worker. Methods that begin with `on_` are callbacks of the parser."""

    def __init__(self) -> None:
        self._parser = httptools.HttpResponseParser(self)
        self._transport: asyncio.Transport | None = None
        self._headers: Headers = []
        self._parts: deque[bytes] = deque()
        self._waiting: asyncio.Future[None] | None = None
        self._status = 0
        self._whole = self._lost = self._busy = False

    @property
    def usable(self) -> bool:
        """Whether another request can be sent."""
        return not self._lost and not self._busy

    async def request(
        self, method: bytes, target: bytes, headers: Iterable[tuple[bytes, bytes]], body: bytes
    ) -> WorkerResponse:
        """Send a request, and wait for the head of its response."""
        assert self._transport is not None
        self._headers, self._status, self._whole, self._busy = [], 0, False, True
        lines = [b"%b %b HTTP/1.1" % (method, target), *(b"%b: %b" % header for header in headers)]
        self._transport.write(b"%b\r\ncontent-length: %d\r\n\r\n%b" % (b"\r\n".join(lines), len(body), body))
        while not self._status:
            await self._wait_for_data()
        return WorkerResponse(self, self._status, self._headers)

    async def iter_body(self) -> AsyncIterator[bytes]:
        """Yield the body of the response, piece by piece as it arrives."""
        while True:
            while self._parts:
                yield self._parts.popleft()
            if self._whole:
                return
            await self._wait_for_data()

    async def _wait_for_data(self) -> None:
        if self._lost:
            raise ConnectionLost("connection closed by the other worker")
        self._waiting = asyncio.get_running_loop().create_future()
        await self._waiting

    def _wake(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)

    def close(self) -> None:
        self._lost = True
        if self._transport is not None:
            self._transport.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self._lost = True
        self._wake()

    def data_received(self, data: bytes) -> None:
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError:
            self.close()
        self._wake()

    def on_header(self, name: bytes, value: bytes) -> None:
        self._headers.append((name.lower(), value))

    def on_headers_complete(self) -> None:
        self._status = self._parser.get_status_code()

    def on_body(self, body: bytes) -> None:
        self._parts.append(body)

    def on_message_complete(self) -> None:
        self._whole = True
        self._busy = not self._parser.should_keep_alive()


class WorkerResponse:
    """The response of another worker: its head is here, its body still arrives."""

    __slots__ = ("_connection", "headers", "status")

    def __init__(self, connection: Connection, status: int, headers: Headers) -> None:
        self._connection, self.status, self.headers = connection, status, headers

    def iter_body(self) -> AsyncIterator[bytes]:
        return self._connection.iter_body()
