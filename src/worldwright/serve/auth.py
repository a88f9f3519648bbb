"""Authorization and limits of a server: the token, the requests in work at once, and the size of a body."""

from __future__ import annotations

import asyncio
from secrets import compare_digest

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from worldwright.serve.errors import error_response
from worldwright.serve.metrics import ROUTE, Metrics
from worldwright.serve.registry import EpisodeRegistry
from worldwright.serve.settings import Settings

HEALTH = "/health"
METRICS = "/metrics"
"""The path of the metrics, which are answered however busy the server is."""
MCP = "/mcp/"
"""The prefix of paths for agents: here the id of the episode in the path is the secret, and no token is needed."""
JUDGE = "/judge"


class AuthMiddleware:
    """ASGI middleware that checks the token, then the number of requests in work, then reads the whole body within its limits."""

    def __init__(self, app: ASGIApp, settings: Settings, metrics: Metrics, registry: EpisodeRegistry) -> None:
        self._app = app
        self._registry = registry
        self._settings = settings
        self._metrics = metrics
        self._expected = f"Bearer {settings.token}".encode()
        self._max_requests = settings.per_worker(settings.max_requests)
        self._in_work = 0
        metrics.watch_requests(lambda: self._in_work)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        with self._metrics.time_request(scope) as timed:
            await self._authorize(scope, receive, timed.wrap_send(send))

    async def _authorize(self, scope: Scope, receive: Receive, send: Send) -> None:
        path: str = scope["path"]
        if path == HEALTH:
            await self._app(scope, receive, send)
        elif path.startswith(MCP):
            scope[ROUTE] = MCP
            if self._registry.may_exist(path.removeprefix(MCP)):
                await self._limit_concurrency(scope, receive, send)
            else:
                await error_response(404, "there is nothing here")(scope, receive, send)
        elif not self._has_token(scope):
            text = "send the token that the server was started with: `Authorization: Bearer TOKEN`"
            await error_response(401, text)(scope, receive, send)
        elif path == METRICS:
            await self._app(scope, receive, send)
        else:
            await self._limit_concurrency(scope, receive, send)

    async def _limit_concurrency(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._in_work >= self._max_requests:
            text = f"{self._in_work} requests are in work, and no more are taken; try again in a second"
            await error_response(429, text)(scope, receive, send)
        else:
            self._in_work += 1
            try:
                await self._call_with_body(scope, receive, send)
            finally:
                self._in_work -= 1

    def _has_token(self, scope: Scope) -> bool:
        given = next((v for k, v in scope["headers"] if k == b"authorization"), b"")
        return compare_digest(given, self._expected)

    async def _call_with_body(self, scope: Scope, receive: Receive, send: Send) -> None:
        max_bytes = self._settings.max_log_bytes if scope["path"] == JUDGE else self._settings.max_body_bytes
        try:
            async with asyncio.timeout(self._settings.body_timeout_s):
                body = await _read_body(scope, receive, max_bytes)
        except TimeoutError:
            text = f"the body has to be here within {self._settings.body_timeout_s:g} seconds"
            await error_response(408, text)(scope, receive, send)
            return
        if body is None:
            await error_response(413, f"at most {max_bytes} bytes are read")(scope, receive, send)
        else:
            await self._app(scope, _replay_body(body, receive), send)


async def _read_body(scope: Scope, receive: Receive, max_bytes: int) -> bytes | None:
    """Read the whole body of a request; None where it is larger than `max_bytes`."""
    length = next((v for k, v in scope["headers"] if k == b"content-length"), b"")
    if length.isdigit() and int(length) > max_bytes:
        return None
    message = await receive()
    if message["type"] == "http.request" and not message.get("more_body"):
        first: bytes = message.get("body", b"")
        return first if len(first) <= max_bytes else None
    parts, size = [], 0
    while message["type"] == "http.request":
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > max_bytes:
            return None
        if not message.get("more_body"):
            break
        message = await receive()
    return b"".join(parts)


def _replay_body(body: bytes, receive: Receive) -> Receive:
    """Make a `receive` that gives the body in one message, then whatever comes after it."""
    first: Message | None = {"type": "http.request", "body": body, "more_body": False}

    async def give() -> Message:
        nonlocal first
        if first is None:
            return await receive()
        message, first = first, None
        return message

    return give
