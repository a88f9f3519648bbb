"""The guard before every page: who may ask at all, and what every answer says of itself."""

from __future__ import annotations

from collections.abc import Iterable

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]"})
MAX_BODY_BYTES = 2_000_000
POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; "
    "base-uri 'none'; connect-src 'self'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


class Guard:
    """ASGI middleware: only this machine's own names, no other page's posts, nothing that is fetched before it is asked for."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
            elif scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                headers.setdefault("cache-control", "no-store")
            await send(message)

        refused = find_objection(scope["method"], Headers(scope=scope), scope.get("server"))
        if refused is not None:
            await PlainTextResponse(refused[1], refused[0])(scope, receive, answer)
            return
        await self._app(scope, receive, answer)


def find_objection(method: str, headers: Headers, server: tuple[str, int | None] | None) -> tuple[int, str] | None:
    """Why a request is refused before anybody looks at it; None where it is not."""
    hosts = headers.getlist("host")
    if len(hosts) != 1 or not _is_own_host(hosts[0], server):
        return 400, "Bad host.\n"
    if "prefetch" in headers.get("sec-purpose", "") or "prefetch" in headers.get("purpose", ""):
        return 403, "Not to be fetched ahead: reading is a call.\n"
    if method == "GET":
        return None
    if method != "POST":
        return 405, "Only GET and POST.\n"
    if not _is_own_page(headers, hosts[0]):
        return 403, "This form was sent by another page.\n"
    length = headers.get("content-length", "")
    if not length.isdigit() or int(length) > MAX_BODY_BYTES:
        return 413, f"A form holds {MAX_BODY_BYTES:,} bytes at most.\n"
    return None


def _is_own_host(host: str, server: tuple[str, int | None] | None) -> bool:
    """Whether a request was meant for this server: a name of this machine, and the port that it listens at."""
    name, mark, port = host.rpartition(":")
    if not mark or name.endswith(":") or not port.isdigit():
        name, port = host, "80"
    return name.lower() in LOOPBACK and server is not None and int(port) == server[1]


def _is_own_page(headers: Headers, host: str) -> bool:
    """Whether a form comes from a page of this server. Browsers say so; who is no browser has no page that could be misused."""
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site == "same-origin"
    origins: Iterable[str] = headers.getlist("origin")
    return all(origin == f"http://{host}" for origin in origins)
