"""The control plane: worlds, tasks, episodes, verdicts. What it does is described at `/openapi.json`.

For controllers: whoever trains or evaluates. An agent gets the tools that its controller hands it, or its own address over MCP.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fastapi import FastAPI
from starlette.routing import Route

from worldwright.core.version import VERSION
from worldwright.serve.description import describe
from worldwright.serve.lobby import Lobby
from worldwright.serve.refusals import speak_one_way
from worldwright.serve.routes import about, episodes, verdicts
from worldwright.serve.settings import Settings

if TYPE_CHECKING:
    from worldwright.serve.mcp_http import Endpoint


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a worker knows of the server that it is a part of."""

    metrics: Callable[[], Awaitable[bytes]]
    """Of all workers, as Prometheus' text."""
    open: Callable[[], int]
    """Open episodes of all workers."""
    port: int | None = None
    """This worker's own, where it has one."""


def make_app(lobby: Lobby, settings: Settings, around: Surroundings) -> FastAPI:
    """The app of one worker, over the episodes in its lobby."""
    mcp = _endpoint(lobby) if settings.mcp else None
    thread = ThreadPoolExecutor(1, "long work")

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            stack.callback(lobby.close_all)
            stack.callback(thread.shutdown)
            if mcp is not None:
                await stack.enter_async_context(mcp.lifespan())
            yield

    app = FastAPI(
        title="Worldwright", version=VERSION, summary=f"Episodes in the worlds of {lobby.gym.name}.",
        lifespan=lifespan, docs_url=None, redoc_url=None, redirect_slashes=False,
        telemetry={"tracing": False, "metrics": False, "logs": False},
    )  # fmt: skip
    speak_one_way(app)
    if mcp is not None:
        app.router.routes.append(Route("/mcp/{episode_id}", mcp, include_in_schema=False))
    episodes(app, lobby, settings, around.port)
    verdicts(app, lobby, thread)
    about(app, lobby, settings, around.metrics, around.open)
    describe(app)
    return app


def _endpoint(lobby: Lobby) -> Endpoint:
    from worldwright.serve.mcp_http import endpoint  # noqa: PLC0415 - half of what a start takes, for those who want it

    return endpoint(lobby)
