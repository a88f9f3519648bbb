"""Open episodes over MCP: one URL each, because the protocol has no sessions since 2026-07-28.

    mcp = McpEndpoint(registry)
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

from worldwright.serve.mcp_server import Context, make_episode_server
from worldwright.serve.registry import EpisodeNotFound, EpisodeRegistry, OpenEpisode

MAX_BODY_BYTES = 1024 * 1024
"""The largest body of a request. The arguments of a tool call are far smaller."""
_OPEN_EPISODE = "worldwright.open_episode"


class McpEndpoint:
    """An ASGI app for `/mcp/{episode_id}`. The id of an episode that is not open is answered with 404 and nothing else."""

    def __init__(self, registry: EpisodeRegistry, max_body_bytes: int = MAX_BODY_BYTES) -> None:
        self._registry = registry
        self._max_body_bytes = max_body_bytes
        self._manager: StreamableHTTPSessionManager | None = None

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """Has to be entered before the first request."""
        manager = StreamableHTTPSessionManager(
            make_episode_server(_find_open_episode),
            json_response=True,
            stateless=True,
            max_request_body_size=self._max_body_bytes,
        )
        async with manager.run():
            self._manager = manager
            try:
                yield
            finally:
                self._manager = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            opened = self._registry.find(scope["path_params"]["episode_id"])
        except EpisodeNotFound:
            await Response("Not Found", 404)(scope, receive, send)
            return
        if scope["method"] != "POST":  # nothing is ever sent unasked, and there is no session to delete
            await Response(status_code=405, headers={"Allow": "POST"})(scope, receive, send)
            return
        assert self._manager is not None, "enter the lifespan of this endpoint first"
        await self._manager.handle_request({**scope, _OPEN_EPISODE: opened}, receive, send)


def _find_open_episode(ctx: Context) -> OpenEpisode:
    assert ctx.request is not None
    opened: OpenEpisode = ctx.request.scope[_OPEN_EPISODE]
    return opened
