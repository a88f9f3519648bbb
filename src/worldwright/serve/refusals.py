"""What is refused, in one shape: `{"error": {"code": "...", "message": "..."}}`."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict
from pydantic_core import to_json
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Match

from worldwright.core.errors import EpisodeError
from worldwright.serve.lobby import Full, Gone

RETRY_AFTER = "1"
"""Seconds that a client is asked to wait."""

CODES = {
    400: "unreadable", 401: "unauthorized", 404: "not_found", 405: "method_not_allowed", 408: "too_slow", 409: "conflict",
    410: "worker_lost", 413: "too_large", 422: "invalid", 429: "busy", 500: "internal",
}  # fmt: skip
"""By status, the code where nothing more exact is said."""

SAYS = {
    400: "The body is not JSON.",
    401: "No token, or the wrong one.",
    404: "There is no such thing.",
    408: "The body did not arrive in time.",
    409: "This world cannot be shown like that.",
    410: "The process that held the episode died.",
    413: "The body is too large.",
    422: "The request is not as described.",
    429: "Too many open episodes or requests; wait as long as `Retry-After` says.",
    500: "A failure of the server itself.",
}


class Problem(BaseModel):
    """Why a request was refused."""

    model_config = ConfigDict(extra="forbid")
    code: str
    message: str


class Refusal(BaseModel):
    """The body of every answer that is not a success."""

    model_config = ConfigDict(extra="forbid")
    error: Problem


class Refused(Exception):
    """A request that is turned down, with its status and what to do about it."""

    def __init__(self, status: int, message: str, code: str = "") -> None:
        super().__init__(message)
        self.status, self.message, self.code = status, message, code


def refusal(status: int, message: str, code: str = "") -> Response:
    """The answer to a request that is turned down."""
    headers = {}
    if status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    if status == 429:
        headers["Retry-After"] = RETRY_AFTER
    body = {"error": {"code": code or CODES.get(status, "refused"), "message": message}}
    return Response(to_json(body), status, headers, media_type="application/json")


def documented(*more: int) -> dict[int | str, dict[str, Any]]:
    """The refusals of a route for its description: these, and those that any route may give."""
    return {s: {"model": Refusal, "description": SAYS[s]} for s in sorted({401, 408, 413, 422, 429, 500, *more})}


def speak_one_way(app: FastAPI) -> None:
    """Every refusal of the app in this shape, those of the framework too."""

    async def refused(_: Request, e: Exception) -> Response:
        assert isinstance(e, Refused)
        return refusal(e.status, e.message, e.code)

    async def gone(_: Request, e: Exception) -> Response:
        return refusal(404, f"{e}. Begin another one with POST /episodes.", "no_episode")

    async def full(_: Request, e: Exception) -> Response:
        return refusal(429, f"{e}. Close some with DELETE /episodes/ID, or try again in a second.", "full")

    async def invalid(_: Request, e: Exception) -> Response:
        assert isinstance(e, RequestValidationError)
        problems = [f"{'.'.join(map(str, p['loc']))}: {p['msg']}" for p in e.errors()[:5]]
        return refusal(422, _text("; ".join(problems)))

    async def of_framework(request: Request, e: Exception) -> Response:
        assert isinstance(e, HTTPException)
        said = refusal(e.status_code, _text(str(e.detail or HTTPStatus(e.status_code).phrase)))
        said.headers.update(e.headers or {})
        if e.status_code == 405:
            said.headers["Allow"] = ", ".join(_methods(app, request))
        return said

    async def broken(_: Request, e: Exception) -> Response:
        return refusal(500, f"the environment of this episode failed: {e}", "environment_failed")

    async def failed(_: Request, e: Exception) -> Response:
        return refusal(500, "the server failed; what went wrong is in its log")

    app.add_exception_handler(Refused, refused)
    app.add_exception_handler(Gone, gone)
    app.add_exception_handler(Full, full)
    app.add_exception_handler(EpisodeError, broken)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(HTTPException, of_framework)
    app.add_exception_handler(Exception, failed)


def _methods(app: FastAPI, request: Request) -> list[str]:
    """What can be asked of this path. The framework names only those of the first route that has it."""
    fitting = [r for r in app.router.routes if r.matches(request.scope)[0] is not Match.NONE]
    return sorted({method for route in fitting for method in getattr(route, "methods", None) or ()})


def _text(message: str) -> str:
    """Text that can be sent, whatever it quotes."""
    return message.encode("utf-8", "replace").decode()
