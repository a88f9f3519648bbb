"""Who may come in: the address, the token, the cookie, and what every answer forbids the browser to do.

A page elsewhere that sends requests here has no cookie (SameSite=Strict), does not know the token that our own forms hold, and says
where it comes from. A name that somebody lets resolve to this machine is no host that we answer to.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from secrets import compare_digest, token_urlsafe
from urllib.parse import parse_qs, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_BODY_BYTES = 4 * 1024 * 1024
"""More than a whole Blueprint."""
METHODS = frozenset({"GET", "HEAD", "POST"})
PUBLIC = ("/static/",)
"""What is shown without a cookie: styles and scripts, which hold nothing of anybody's."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; frame-src 'self'; frame-ancestors 'self'; base-uri 'none'"
)
HEADERS: Mapping[str, str] = {
    "content-security-policy": POLICY,
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "SAMEORIGIN",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}


@dataclass(frozen=True, slots=True)
class Access:
    """The secrets of one studio while it runs, and the address that it answers to."""

    port: int
    token: str = field(default_factory=lambda: token_urlsafe(24))
    """Stands in the first address."""
    session: str = field(default_factory=lambda: token_urlsafe(24))
    """The value of the cookie."""
    form: str = field(default_factory=lambda: token_urlsafe(24))
    """Stands in every form of ours."""

    @property
    def cookie(self) -> str:
        return f"worldwright_studio_{self.port}"

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/?{urlencode({'token': self.token})}"

    @property
    def hosts(self) -> tuple[str, ...]:
        return f"127.0.0.1:{self.port}", f"localhost:{self.port}"

    @property
    def origins(self) -> tuple[str, ...]:
        return tuple(f"http://{host}" for host in self.hosts)


class Guard:
    """ASGI middleware in front of everything."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            send = _add_headers(scope, send)
            refusal = self._refuse(scope)
            if refusal is not None:
                await refusal(scope, receive, send)
            else:
                await self._app(scope, _limit_body(receive), send)
        else:  # no websocket is ours
            await send({"type": "websocket.close", "code": 1008})

    def _refuse(self, scope: Scope) -> Response | None:
        """The answer to a request that is not let in; None where it is."""
        headers, access = Headers(scope=scope), self._access
        if headers.getlist("host") not in [[host] for host in access.hosts]:
            return _say(
                421, "This is not the address of the studio", "Open the address that `worldwright studio` printed."
            )
        if scope["method"] not in METHODS:
            return _say(405, "The studio does not know this method", "It knows GET and POST.")
        if scope["method"] == "POST" and (why := self._judge_origin(headers)):
            return _say(403, "This did not come from a page of the studio", why)
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > MAX_BODY_BYTES:
            return _say(413, "That is too much", f"At most {MAX_BODY_BYTES // 1024**2} MiB are taken at once.")
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [])
        if scope["path"] == "/" and scope["method"] == "GET" and given:
            return self._let_in(given[0])
        if scope["path"].startswith(PUBLIC) or self._has_cookie(headers):
            return None
        return _say(
            403,
            "The door is closed",
            "Open the address that `worldwright studio` printed: the token in it opens the door.",
        )

    def _judge_origin(self, headers: Headers) -> str:
        """Say why a write is not let in; empty where it is."""
        site, origin = headers.get("sec-fetch-site"), headers.get("origin")
        if site not in (None, "same-origin"):
            return f"The browser says that it came from a page elsewhere ({site[:20]})."
        told = origin is not None and not (origin == "null" and site == "same-origin")
        if (
            told and origin not in self._access.origins
        ):  # under `no-referrer`, a browser calls the origin of a form "null"
            return "Its origin is another one."
        if site is None and origin is None:
            return "It says nothing of where it came from (Origin, Sec-Fetch-Site)."
        return ""

    def _let_in(self, token: str) -> Response:
        access = self._access
        if not compare_digest(token.encode(), access.token.encode()):
            return _say(403, "That is not the token of this studio", "It is another one with every start.")
        response = RedirectResponse("/", 303)
        response.set_cookie(access.cookie, access.session, httponly=True, samesite="strict", path="/")
        return response

    def _has_cookie(self, headers: Headers) -> bool:
        pairs = (part.strip().partition("=") for line in headers.getlist("cookie") for part in line.split(";"))
        given = [value for name, _, value in pairs if name == self._access.cookie]
        return len(given) == 1 and compare_digest(given[0].encode(), self._access.session.encode())


def _say(status: int, title: str, says: str) -> Response:
    """A page that needs nothing of ours, for who is not let in. Nothing of the request stands in it."""
    return HTMLResponse(
        f'<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>{title}</title>'
        f'<link rel="stylesheet" href="/static/report.css"><main><h1>{title}</h1><p>{says}</p></main></html>',
        status,
    )


def _add_headers(scope: Scope, send: Send) -> Send:
    async def add(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
            headers.setdefault("cache-control", "no-store")
        await send(message)

    return add


class BodyTooLarge(Exception):
    """More came than was announced, or than is taken."""


def _limit_body(receive: Receive) -> Receive:
    """Count what comes where nothing was announced."""
    size = 0

    async def count() -> Message:
        nonlocal size
        message = await receive()
        size += len(message.get("body", b""))
        if size > MAX_BODY_BYTES:
            raise BodyTooLarge
        return message

    return count
