"""The door of a server: who is let in, how many at once, and how much each may bring."""

from __future__ import annotations

import asyncio
from secrets import compare_digest

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from worldwright.serve.lobby import Lobby
from worldwright.serve.metrics import ROUTE, Metrics
from worldwright.serve.refusals import refusal
from worldwright.serve.settings import Settings

OPEN_TO_ALL = "/health"
METRICS = "/metrics"
"""Answered however busy the server is."""
AGENTS = "/mcp/"
"""Here the secret is the id of the episode, in the path."""
LOGS = "/judge"


class Door:
    """Lets requests in one by one: token first, then room, then the whole body. What goes in behind it is small and complete."""

    def __init__(self, app: ASGIApp, settings: Settings, metrics: Metrics, lobby: Lobby) -> None:
        self._app = app
        self._lobby = lobby
        self._settings = settings
        self._metrics = metrics
        self._expected = f"Bearer {settings.token}".encode()
        self._most = settings.share(settings.most_requests)
        self._inside = 0
        metrics.watch_requests(lambda: self._inside)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        with self._metrics.request(scope) as timed:
            await self._enter(scope, receive, timed.sender(send))

    async def _enter(self, scope: Scope, receive: Receive, send: Send) -> None:
        path: str = scope["path"]
        if path == OPEN_TO_ALL:
            await self._app(scope, receive, send)
        elif path.startswith(AGENTS):
            scope[ROUTE] = AGENTS
            if self._lobby.may_have(path.removeprefix(AGENTS)):
                await self._with_room(scope, receive, send)
            else:
                await refusal(404, "there is nothing here")(scope, receive, send)
        elif not self._let_in(scope):
            text = "send the token that the server was started with: `Authorization: Bearer TOKEN`"
            await refusal(401, text)(scope, receive, send)
        elif path == METRICS:
            await self._app(scope, receive, send)
        else:
            await self._with_room(scope, receive, send)

    async def _with_room(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._inside >= self._most:
            text = f"{self._inside} requests are in work, and no more are taken; try again in a second"
            await refusal(429, text)(scope, receive, send)
        else:
            self._inside += 1
            try:
                await self._with_body(scope, receive, send)
            finally:
                self._inside -= 1

    def _let_in(self, scope: Scope) -> bool:
        given = next((v for k, v in scope["headers"] if k == b"authorization"), b"")
        return compare_digest(given, self._expected)

    async def _with_body(self, scope: Scope, receive: Receive, send: Send) -> None:
        most = self._settings.log_body if scope["path"] == LOGS else self._settings.body
        try:
            async with asyncio.timeout(self._settings.body_s):
                body = await _read(scope, receive, most)
        except TimeoutError:
            text = f"the body has to be here within {self._settings.body_s:g} seconds"
            await refusal(408, text)(scope, receive, send)
            return
        if body is None:
            await refusal(413, f"at most {most} bytes are read")(scope, receive, send)
        else:
            await self._app(scope, _given(body, receive), send)


async def _read(scope: Scope, receive: Receive, most: int) -> bytes | None:
    """The whole body, or None where it is larger than that."""
    said = next((v for k, v in scope["headers"] if k == b"content-length"), b"")
    if said.isdigit() and int(said) > most:
        return None
    message = await receive()
    if message["type"] == "http.request" and not message.get("more_body"):
        first: bytes = message.get("body", b"")
        return first if len(first) <= most else None
    parts, size = [], 0
    while message["type"] == "http.request":
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > most:
            return None
        if not message.get("more_body"):
            break
        message = await receive()
    return b"".join(parts)


def _given(body: bytes, receive: Receive) -> Receive:
    """What an app receives: the body at once, then whatever comes after."""
    first: Message | None = {"type": "http.request", "body": body, "more_body": False}

    async def give() -> Message:
        nonlocal first
        if first is None:
            return await receive()
        message, first = first, None
        return message

    return give
