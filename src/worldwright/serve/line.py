"""A connection from one worker to another: HTTP over a socket of this machine, one request at a time."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import cast

import httptools

Headers = list[tuple[bytes, bytes]]
MOST_IDLE = 64
"""Connections to one worker that are kept for later requests."""


class Lost(Exception):
    """The other worker is not there, or went away before its answer was whole."""


class Lines:
    """Connections to one worker, used again and again."""

    def __init__(self, path: Path) -> None:
        self._path = str(path)
        self._idle: list[Line] = []

    async def line(self) -> Line:
        """A connection that nobody uses."""
        while self._idle:
            line = self._idle.pop()
            if line.usable:
                return line
        try:
            _, made = await asyncio.get_running_loop().create_unix_connection(Line, self._path)
        except OSError as e:
            raise Lost(str(e)) from None
        return made

    def give_back(self, line: Line) -> None:
        if line.usable and len(self._idle) < MOST_IDLE:
            self._idle.append(line)
        else:
            line.close()

    def close(self) -> None:
        while self._idle:
            self._idle.pop().close()


class Line(asyncio.Protocol):
    """One connection. Names that begin with `on_` are the parser's."""

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

    async def ask(self, method: bytes, target: bytes, headers: Iterable[tuple[bytes, bytes]], body: bytes) -> Answer:
        """Send a request, and wait for the beginning of its answer."""
        assert self._transport is not None
        self._headers, self._status, self._whole, self._busy = [], 0, False, True
        lines = [b"%b %b HTTP/1.1" % (method, target), *(b"%b: %b" % header for header in headers)]
        self._transport.write(b"%b\r\ncontent-length: %d\r\n\r\n%b" % (b"\r\n".join(lines), len(body), body))
        while not self._status:
            await self._more()
        return Answer(self, self._status, self._headers)

    async def parts(self) -> AsyncIterator[bytes]:
        """The body, piece by piece as it comes."""
        while True:
            while self._parts:
                yield self._parts.popleft()
            if self._whole:
                return
            await self._more()

    async def _more(self) -> None:
        if self._lost:
            raise Lost("the other worker went away")
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


class Answer:
    """What another worker answers: the beginning is here, the body comes."""

    __slots__ = ("_line", "headers", "status")

    def __init__(self, line: Line, status: int, headers: Headers) -> None:
        self._line, self.status, self.headers = line, status, headers

    def parts(self) -> AsyncIterator[bytes]:
        return self._line.parts()
