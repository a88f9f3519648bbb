"""The app: every room of the studio, what stands at its door, and how failures are shown."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp

from worldwright.app import make_app as make_world_app
from worldwright.core.errors import (
    BlueprintError,
    BuildError,
    EpisodeError,
    PackError,
    StoreError,
    UsageError,
    WorldwrightError,
)
from worldwright.studio.access import BodyTooLarge, Guard
from worldwright.studio.context import Studio
from worldwright.studio.in_app import MOUNT
from worldwright.studio.pages import STATIC, read_static
from worldwright.studio.routes import (
    arenas,
    bench_claims,
    benches,
    builds,
    data,
    episodes,
    play,
    rules,
    runs,
    shelf,
    sources,
    tasks,
    tools,
    world,
)

STATUS: tuple[tuple[type[WorldwrightError], int], ...] = (
    (StoreError, 404),
    (PackError, 422),
    (BlueprintError, 422),
    (EpisodeError, 409),
    (BuildError, 409),
    (UsageError, 400),
)
"""The status of each failure that has a name; the first that fits."""
ROOMS: tuple[Callable[[FastAPI, Studio], None], ...] = (
    shelf.add_routes,
    sources.add_routes,
    world.add_routes,
    data.add_routes,
    tools.add_routes,
    rules.add_routes,
    tasks.add_routes,
    builds.add_routes,
    runs.add_routes,
    episodes.add_routes,
    arenas.add_routes,
    play.add_routes,
    benches.add_routes,
    bench_claims.add_routes,
)
FOR_EVER = "public, max-age=31536000, immutable"


def make_app(studio: Studio) -> ASGIApp:
    """Make the app over a studio's context."""
    app = FastAPI(
        title="Worldwright Studio", docs_url=None, redoc_url=None, openapi_url=None, redirect_slashes=False,
        telemetry={"tracing": False, "metrics": False, "logs": False},
    )  # fmt: skip
    for add_routes in ROOMS:
        add_routes(app, studio)
    app.mount(MOUNT, make_world_app(studio.in_app.sessions))
    _add_static(app)
    _add_error_pages(app, studio)
    return Guard(app, studio.access)


def _add_static(app: FastAPI) -> None:
    @app.get("/static/{digest}/{name}")
    def serve_dated(digest: str, name: str) -> Response:
        return _serve(name, {"cache-control": FOR_EVER})

    @app.get("/static/{name}")
    def serve(name: str) -> Response:
        return _serve(name, {})


def _serve(name: str, headers: dict[str, str]) -> Response:
    if name not in STATIC:
        raise HTTPException(404)
    data, kind = read_static(name)
    return Response(data, media_type=kind, headers=headers)


def _add_error_pages(app: FastAPI, studio: Studio) -> None:
    def show(request: Request, status: int, says: str) -> Response:
        title = HTTPStatus(status).phrase
        return studio.pages.render(request, "error.html", title=title, says=says, http_status=status, code=status)

    @app.exception_handler(WorldwrightError)
    async def on_named(request: Request, error: WorldwrightError) -> Response:
        return show(request, next((status for kind, status in STATUS if isinstance(error, kind)), 400), str(error))

    @app.exception_handler(HTTPException)
    async def on_http(request: Request, error: HTTPException) -> Response:
        says = "There is no such page." if error.status_code == 404 else str(error.detail)
        return show(request, error.status_code, says)

    @app.exception_handler(RequestValidationError)
    async def on_invalid(request: Request, error: RequestValidationError) -> Response:
        return show(request, 400, "The address holds something that this page cannot read.")

    @app.exception_handler(BodyTooLarge)
    async def on_too_large(request: Request, error: BodyTooLarge) -> Response:
        return PlainTextResponse("That is too much.", 413)

    @app.exception_handler(500)
    async def on_crash(request: Request, error: Exception) -> Response:
        """Whatever nobody thought of: a page that says so. The log in the terminal has the rest."""
        return show(
            request, 500, "Something failed that nobody thought of. The terminal that runs the studio says what it was."
        )
