"""Error responses, all in one shape: `{"error": {"code": "...", "message": "..."}}`."""

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
from worldwright.serve.registry import EpisodeNotFound, TooManyEpisodes

RETRY_AFTER = "1"
"""Seconds that a client is asked to wait."""

CODES = {
    400: "unreadable", 401: "unauthorized", 404: "not_found", 405: "method_not_allowed", 408: "too_slow", 409: "conflict",
    410: "worker_lost", 413: "too_large", 422: "invalid", 429: "busy", 500: "internal",
}  # fmt: skip
"""The code of each status, where nothing more exact is said."""

DESCRIPTIONS = {
    400: "The body is not JSON.",
    401: "No token, or the wrong one.",
    404: "There is no such thing.",
    408: "The body did not arrive in time.",
    409: "This world cannot be shown like that.",
    410: "The worker of the episode died.",
    413: "The body is too large.",
    422: "The request is not as described.",
    429: "Too many open episodes or requests; wait as long as `Retry-After` says.",
    500: "A failure of the server itself.",
}


class ErrorDetail(BaseModel):
    """Why a request was refused."""

    model_config = ConfigDict(extra="forbid")
    code: str
    message: str


class ErrorBody(BaseModel):
    """The body of every answer that is not a success."""

    model_config = ConfigDict(extra="forbid")
    error: ErrorDetail


class RequestError(Exception):
    """A request that cannot be answered, with the status and the message of the response."""

    def __init__(self, status: int, message: str, code: str = "") -> None:
        super().__init__(message)
        self.status, self.message, self.code = status, message, code


def error_response(status: int, message: str, code: str = "") -> Response:
    """Make the response to a request that cannot be answered."""
    headers = {}
    if status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    if status == 429:
        headers["Retry-After"] = RETRY_AFTER
    body = {"error": {"code": code or CODES.get(status, "refused"), "message": message}}
    return Response(to_json(body), status, headers, media_type="application/json")


def document_errors(*more: int) -> dict[int | str, dict[str, Any]]:
    """Describe the errors of a route for OpenAPI: these, and those that any route may give."""
    return {
        s: {"model": ErrorBody, "description": DESCRIPTIONS[s]} for s in sorted({401, 408, 413, 422, 429, 500, *more})
    }


def install_error_handlers(app: FastAPI) -> None:
    """Give every error of the app this shape, those of the framework too."""

    async def request_error(_: Request, e: Exception) -> Response:
        assert isinstance(e, RequestError)
        return error_response(e.status, e.message, e.code)

    async def not_found(_: Request, e: Exception) -> Response:
        return error_response(404, f"{e}. Open another one with POST /episodes.", "no_episode")

    async def too_many(_: Request, e: Exception) -> Response:
        return error_response(429, f"{e}. Close some with DELETE /episodes/ID, or try again in a second.", "full")

    async def invalid(_: Request, e: Exception) -> Response:
        assert isinstance(e, RequestValidationError)
        problems = [f"{'.'.join(map(str, p['loc']))}: {p['msg']}" for p in e.errors()[:5]]
        return error_response(422, _make_encodable("; ".join(problems)))

    async def framework_error(request: Request, e: Exception) -> Response:
        assert isinstance(e, HTTPException)
        response = error_response(e.status_code, _make_encodable(str(e.detail or HTTPStatus(e.status_code).phrase)))
        response.headers.update(e.headers or {})
        if e.status_code == 405:
            response.headers["Allow"] = ", ".join(_list_methods(app, request))
        return response

    async def environment_failed(_: Request, e: Exception) -> Response:
        return error_response(500, f"the environment of this episode failed: {e}", "environment_failed")

    async def server_failed(_: Request, e: Exception) -> Response:
        return error_response(500, "the server failed; what went wrong is in its log")

    app.add_exception_handler(RequestError, request_error)
    app.add_exception_handler(EpisodeNotFound, not_found)
    app.add_exception_handler(TooManyEpisodes, too_many)
    app.add_exception_handler(EpisodeError, environment_failed)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(HTTPException, framework_error)
    app.add_exception_handler(Exception, server_failed)


def _list_methods(app: FastAPI, request: Request) -> list[str]:
    """List the methods of this path. The framework names only those of the first route that has it."""
    fitting = [r for r in app.router.routes if r.matches(request.scope)[0] is not Match.NONE]
    return sorted({method for route in fitting for method in getattr(route, "methods", None) or ()})


def _make_encodable(message: str) -> str:
    """Make any text encodable as UTF-8."""
    return message.encode("utf-8", "replace").decode()
