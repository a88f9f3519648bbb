"""Requests for the episodes of another worker, passed on to it over its own socket."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from starlette.types import ASGIApp, Receive, Scope, Send

from worldwright.serve.board import Board
from worldwright.serve.line import Line, Lines, Lost
from worldwright.serve.lobby import Lobby, worker_of
from worldwright.serve.metrics import ROUTE
from worldwright.serve.refusals import refusal

EPISODES, AGENTS = "/episodes", "/mcp"
SLACK = 8
"""A worker passes new episodes on when it has that many more than twice those of another."""
_ASKED = frozenset(
    {b"connection", b"content-length", b"expect", b"keep-alive", b"te", b"transfer-encoding", b"upgrade"}
)
_ANSWERED = frozenset({b"connection", b"keep-alive"})
"""Headers that are about one connection only."""
LOST = "the process that held this episode died, and the episode with it; begin another one with POST /episodes"


class Peers:
    """The other workers, as places to send requests to."""

    def __init__(self, board: Board, number: int, folder: Path) -> None:
        self.board, self.number = board, number
        self._folder = folder
        self._lines: dict[int, Lines] = {}

    def close(self) -> None:
        for lines in self._lines.values():
            lines.close()

    @asynccontextmanager
    async def _line(self, number: int) -> AsyncIterator[Line]:
        """A connection to a worker. Those to the dead are let go."""
        lines = self._lines.get(number)
        if lines is None:
            for dead in [n for n in self._lines if not self.board.live(n)]:
                self._lines.pop(dead).close()
            lines = self._lines[number] = Lines(socket_of(self._folder, number))
        line = await lines.line()
        try:
            yield line
        finally:
            lines.give_back(line)

    async def texts(self, path: str) -> list[bytes]:
        """What each of the others answers on this path. Who does not answer is left out."""
        found = []
        for number in self.board.others(self.number):
            try:
                async with self._line(number) as line:
                    answer = await line.ask(b"GET", path.encode(), [(b"host", b"worker")], b"")
                    found.append(b"".join([part async for part in answer.parts()]))
            except Lost:
                continue
        return found

    async def pass_on(self, number: int, scope: Scope, receive: Receive, send: Send) -> None:
        """Let another worker answer. The body is here already, whole."""
        body = (await receive()).get("body", b"")
        target = scope["raw_path"] + (b"?" + scope["query_string"] if scope["query_string"] else b"")
        headers = [h for h in scope["headers"] if h[0] not in _ASKED]
        begun = False
        watcher: asyncio.Task[None] | None = None
        try:
            async with self._line(number) as line:
                answer = await line.ask(scope["method"].encode(), target, headers, body)
                kept = [h for h in answer.headers if h[0] not in _ANSWERED]
                begun = True
                await send({"type": "http.response.start", "status": answer.status, "headers": kept})
                if not any(name == b"content-length" for name, _ in kept):
                    watcher = asyncio.create_task(_hang_up(line, receive))
                async for part in answer.parts():
                    await send({"type": "http.response.body", "body": part, "more_body": True})
                await send({"type": "http.response.body", "body": b"", "more_body": False})
        except Lost:
            if not begun:  # else what was sent stays unfinished, and the client sees that
                await refusal(410, LOST)(scope, receive, send)
        finally:
            if watcher is not None:
                watcher.cancel()


async def _hang_up(line: Line, receive: Receive) -> None:
    """End an answer without an end when nobody reads it any more."""
    while (await receive())["type"] != "http.disconnect":
        pass
    line.close()


class Hop:
    """Answers what is about this worker's own episodes, and passes on the rest."""

    def __init__(self, app: ASGIApp, lobby: Lobby, peers: Peers) -> None:
        self._app, self._lobby, self._peers = app, lobby, peers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        number = self._whose(scope)
        if number == self._lobby.worker:
            await self._app(scope, receive, send)
        elif self._peers.board.live(number):
            scope[ROUTE] = "passed on"
            await self._peers.pass_on(number, scope, receive, send)
        elif self._peers.board.died(number):
            await refusal(410, LOST)(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _whose(self, scope: Scope) -> int:
        """The number of the worker that is to answer."""
        own, path = self._lobby.worker, scope["path"]
        if scope["method"] == "HEAD":  # is refused everywhere
            return own
        if path.startswith((EPISODES + "/", AGENTS + "/")):
            found = worker_of(path.split("/", 3)[2])
            return own if found is None else found
        if path == EPISODES and scope["method"] == "POST":
            who, episodes = self._peers.board.emptiest(own)
            here = len(self._lobby)
            return who if here > 2 * episodes + SLACK or here >= self._lobby.most else own
        return own


def socket_of(folder: Path, number: int) -> Path:
    return folder / f"{number}.sock"
