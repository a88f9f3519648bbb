"""The control plane: worlds, tasks, episodes, verdicts. What it does is described at `/openapi.json`.

For controllers: whoever trains or evaluates. An agent gets the tools that its controller hands it, or its own address over MCP.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI
from starlette.routing import Route

from worldwright.core.version import VERSION
from worldwright.serve.errors import install_error_handlers
from worldwright.serve.registry import EpisodeRegistry
from worldwright.serve.routes import add_episode_routes, add_server_routes, add_verdict_routes
from worldwright.serve.settings import Settings

if TYPE_CHECKING:
    from worldwright.serve.mcp_http import McpEndpoint


TOKEN = {"type": "http", "scheme": "bearer", "description": "The token that the server was started with."}
TEXTS = (("/metrics", "get"), ("/episodes/{id}/log", "get"))
"""The routes that answer with text instead of JSON."""


@dataclass(frozen=True, slots=True)
class ServerInfo:
    """What a worker's app needs to know of the whole server."""

    metrics: Callable[[], Awaitable[bytes]]
    """Renders the metrics of all workers in Prometheus' text format."""
    open: Callable[[], int]
    """Counts the open episodes of all workers."""
    port: int | None = None
    """The port of this worker alone, where it has one."""


def make_app(registry: EpisodeRegistry, settings: Settings, server: ServerInfo) -> FastAPI:
    """Make the app of one worker, over the episodes of its registry."""
    mcp = _make_mcp_endpoint(registry) if settings.mcp else None
    thread = ThreadPoolExecutor(1, "long work")

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            stack.callback(registry.close_all)
            stack.callback(thread.shutdown)
            if mcp is not None:
                await stack.enter_async_context(mcp.lifespan())
            yield

    app = FastAPI(
        title="Worldwright", version=VERSION, summary=f"Episodes in the worlds of {registry.gym.name}.",
        lifespan=lifespan, docs_url=None, redoc_url=None, redirect_slashes=False,
        telemetry={"tracing": False, "metrics": False, "logs": False},
    )  # fmt: skip
    install_error_handlers(app)
    if mcp is not None:
        app.router.routes.append(Route("/mcp/{episode_id}", mcp, include_in_schema=False))
    add_episode_routes(app, registry, settings, server.port)
    add_verdict_routes(app, registry, thread)
    add_server_routes(app, registry, settings, server.metrics, server.open)
    _complete_description(app)
    return app


def _make_mcp_endpoint(registry: EpisodeRegistry) -> McpEndpoint:
    from worldwright.serve.mcp_http import McpEndpoint  # noqa: PLC0415 - half of what a start takes, for those who want it

    return McpEndpoint(registry)


def _complete_description(app: FastAPI) -> None:
    """Add what the routes do not say: the token, where the id of an episode can be used, and what is answered as text."""
    made = app.openapi()
    made["components"]["securitySchemes"] = {"token": TOKEN}
    made["security"] = [{"token": []}]
    paths: dict[str, dict[str, Any]] = made["paths"]
    paths["/health"]["get"]["security"] = []
    for path, method in TEXTS:
        paths[path][method]["responses"]["200"]["content"] = {"text/plain": {"schema": {"type": "string"}}}
    begun = paths["/episodes"]["post"]["responses"]["201"]
    begun["headers"] = {"Location": {"description": "The path of the episode.", "schema": {"type": "string"}}}
    begun["links"] = {
        operation["operationId"]: {
            "operationId": operation["operationId"],
            "parameters": {"id": "$response.body#/id"},
        }
        for path, methods in paths.items()
        if path.startswith("/episodes/{id}")
        for operation in methods.values()
    }
