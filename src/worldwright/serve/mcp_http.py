"""Open episodes over MCP: one URL each, because the protocol has no sessions since 2026-07-28.

    mcp = endpoint(lobby)
    Route("/mcp/{episode_id}", mcp)     and `async with mcp.lifespan():` around the life of the app

Whoever has the URL of an episode may play it to its end. Nothing else is here: episodes are opened, judged and closed elsewhere.
Clients of earlier versions of the protocol are served as well; none needs a session.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from worldwright.serve.lobby import Gone, Held, Lobby
from worldwright.serve.mcp_server import Context, episode_server

MOST_BYTES = 1024 * 1024
"""Of one request. What an episode takes as arguments is far less."""
_HELD = "worldwright.held"


class Endpoint:
    """An ASGI app. The episode is the `episode_id` of the path; an unknown one is not found, and no more is said."""

    def __init__(self, lobby: Lobby, most_bytes: int) -> None:
        self._lobby = lobby
        self._most_bytes = most_bytes
        self._manager: StreamableHTTPSessionManager | None = None

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """Has to be entered before the first request."""
        manager = StreamableHTTPSessionManager(
            episode_server(_held), json_response=True, stateless=True, max_request_body_size=self._most_bytes
        )
        async with manager.run():
            self._manager = manager
            try:
                yield
            finally:
                self._manager = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            held = self._lobby.find(scope["path_params"]["episode_id"])
        except Gone:
            await Response("Not Found", 404)(scope, receive, send)
            return
        if scope["method"] != "POST":  # nothing is ever sent unasked, and there is no session to delete
            await Response(status_code=405, headers={"Allow": "POST"})(scope, receive, send)
            return
        assert self._manager is not None, "enter the lifespan of this endpoint first"
        await self._manager.handle_request({**scope, _HELD: held}, receive, send)


def endpoint(lobby: Lobby, most_bytes: int = MOST_BYTES) -> Endpoint:
    """The episodes of a lobby, to be mounted at `/mcp/{episode_id}`."""
    return Endpoint(lobby, most_bytes)


def _held(ctx: Context) -> Held:
    assert ctx.request is not None
    held: Held = ctx.request.scope[_HELD]
    return held
