"""The app as an ASGI application, and a server for it in a thread of this process."""

from __future__ import annotations

import atexit
import os
import socket
import threading
from urllib.parse import parse_qsl

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request as HttpRequest
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from worldwright.app.pages.desk_pages import make_nothing
from worldwright.app.pages.page import PageMaker
from worldwright.app.sessions import AppSession, AppSessions
from worldwright.app.web.guard import Guard
from worldwright.app.web.render import draw, name_static, read_static
from worldwright.app.web.routes import DEPTHS, Redirect, Request, answer
from worldwright.core.errors import EpisodeError

MAX_FORM_FIELDS = 5_000
START_SECONDS = 20.0
STOP_SECONDS = 5.0


def make_app(sessions: AppSessions) -> ASGIApp:
    """Make the app over some sessions. It can be mounted under any path: its links are relative."""

    async def page(request: HttpRequest) -> Response:
        session = sessions.find(request.path_params["token"])
        if session is None:
            return PlainTextResponse("Not found.\n", 404)
        text = request.url.query
        if request.method == "POST":
            text = (await request.body()).decode("utf-8", "replace")
        return await run_in_threadpool(respond, session, request.method, request.path_params["path"], text)

    async def bare(request: HttpRequest) -> Response:
        if sessions.find(request.path_params["token"]) is None:
            return PlainTextResponse("Not found.\n", 404)
        return Response(status_code=307, headers={"location": f"{request.path_params['token']}/"})

    async def static(request: HttpRequest) -> Response:
        found = read_static().get(request.path_params["name"])
        if found is None:
            return PlainTextResponse("Not found.\n", 404)
        return Response(found[0], media_type=found[1], headers={"cache-control": "public, max-age=31536000, immutable"})

    app = Starlette(
        routes=[
            Route("/e/{token}/{path:path}", page, methods=["GET", "POST"]),
            Route("/e/{token}", bare),
            Route("/static/{version}/{name}", static),
        ]
    )
    return Guard(app)


def respond(session: AppSession, method: str, path: str, text: str) -> Response:
    """Answer one request to the pages of a session."""
    name, *steps = path.split("/")
    try:
        pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=MAX_FORM_FIELDS, errors="replace")
    except ValueError:
        return PlainTextResponse(f"A form has {MAX_FORM_FIELDS:,} fields at most.\n", 413)
    sent: dict[str, list[str]] = {}
    for key, value in pairs:
        sent.setdefault(key, []).append(value.replace("\r\n", "\n"))  # browsers send line breaks so
    depth = len(steps) + 1
    maker = PageMaker(session, "../../" + name_static())
    try:
        found = answer(method, name, Request(session, maker, tuple(steps), sent)) if _fits(name, steps) else None
        if isinstance(found, Redirect):
            return Response(status_code=303, headers={"location": found.to})
        with session.lock:
            shown = found if found is not None else make_nothing(maker, depth)
            return HTMLResponse(draw(shown), shown.status)
    except EpisodeError:  # it was closed while the page was asked for
        return PlainTextResponse("Not found.\n", 404)


def _fits(name: str, steps: list[str]) -> bool:
    """Whether a path has as many steps as the page that it names."""
    return len(steps) + 1 == DEPTHS.get(name, 1)


class AppServer:
    """A server on this machine's loopback, in a thread of this process. It is started when it is first used."""

    def __init__(self, port: int = 0) -> None:
        self.sessions = AppSessions()
        self._wanted = port
        self._lock = threading.Lock()
        self._server: uvicorn.Server | None = None
        self._thread: threading.Thread | None = None
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Listen, unless it does so already."""
        with self._lock:
            if self._server is not None:
                return
            sock = socket.create_server(("127.0.0.1", self._wanted))
            self.port = sock.getsockname()[1]
            config = uvicorn.Config(
                make_app(self.sessions), log_level="error", access_log=False, lifespan="off", server_header=False,
                date_header=False, ws="none", timeout_graceful_shutdown=2,
            )  # fmt: skip
            self._server = server = _Server(config)
            self._thread = threading.Thread(
                target=server.run, kwargs={"sockets": [sock]}, name="app server", daemon=True
            )
            self._thread.start()
            if not server.listening.wait(START_SECONDS):
                raise EpisodeError("the server of the app did not start")

    def stop(self) -> None:
        """Close every session and stop listening."""
        with self._lock:
            server, thread, self._server, self._thread = self._server, self._thread, None, None
        self.sessions.close_all()
        if server is not None and thread is not None:
            server.should_exit = True
            thread.join(STOP_SECONDS)


class _Server(uvicorn.Server):
    """A server that says when it listens, and leaves the signals of the process alone."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.listening = threading.Event()

    def install_signal_handlers(self) -> None:
        """Signals are for whoever runs the process."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.listening.set()


_SHARED: dict[int, AppServer] = {}
_SHARED_LOCK = threading.Lock()


def shared_server() -> AppServer:
    """The server that all episodes of this process share; another one in each process."""
    with _SHARED_LOCK:
        found = _SHARED.get(os.getpid())
        if found is None:
            _SHARED.clear()  # after a fork, the parent's server is not here
            found = _SHARED[os.getpid()] = AppServer()
            atexit.register(found.stop)
    found.start()
    return found
