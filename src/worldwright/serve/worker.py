"""One worker process: its episodes, its app, and the sockets that it listens on."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Literal

import uvicorn
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from worldwright.engine.world import Gym
from worldwright.serve.app import Surroundings, make_app
from worldwright.serve.board import DRAINED, UP, Board
from worldwright.serve.door import Door
from worldwright.serve.hop import Hop, Peers, socket_of
from worldwright.serve.lobby import Lobby
from worldwright.serve.metrics import CONTENT_TYPE, Metrics, merged
from worldwright.serve.settings import Settings

SWITCH_S = 0.0005
"""How long work in a thread may keep the loop from going on: a log takes 20 ms, a call 0.1 ms."""
REAP_EVERY_S = 5.0
OWN_METRICS = "/metrics"
HURRY = signal.SIGUSR1
"""From the first process: stop without waiting for requests in work."""


@dataclass(frozen=True, slots=True)
class Post:
    """Where a worker works: what it inherits from the process that forked it."""

    number: int
    board: Board
    folder: Path
    """Of the sockets between workers."""
    shared: socket.socket
    own: socket.socket | None
    life: int
    """A pipe that ends when the first process does."""


def work(gym: Gym, settings: Settings, post: Post, ready: Callable[[], None]) -> None:
    """Serve until told to stop. Worlds were opened before, and are shared with the other workers as long as nobody writes."""
    sys.setswitchinterval(SWITCH_S)
    lobby = Lobby(
        gym, most=settings.share(settings.most_episodes), idle_s=settings.idle_s, limits=settings.limits,
        worker=post.number,
    )  # fmt: skip
    config = uvicorn.Config("", loop="auto")
    with asyncio.Runner(loop_factory=config.get_loop_factory()) as runner:
        runner.run(_Worker(lobby, settings, post).run(ready))


class _Worker:
    def __init__(self, lobby: Lobby, settings: Settings, post: Post) -> None:
        self._lobby, self._settings, self._post = lobby, settings, post
        lobby.watch = partial(post.board.count, post.number)
        self._peers = Peers(post.board, post.number, post.folder)
        self._metrics = Metrics(lobby, post.board.place(post.number))
        port = None if post.own is None else int(post.own.getsockname()[1])
        app = make_app(lobby, settings, Surroundings(self._all_metrics, post.board.open, port))
        self._public = _server(Door(Hop(app, lobby, self._peers), settings, self._metrics, lobby), settings, "off", 75)
        self._private = _server(self._for_peers(app), settings, "on", 1_000_000)

    async def run(self, ready: Callable[[], None]) -> None:
        loop, post = asyncio.get_running_loop(), self._post
        loop.add_signal_handler(signal.SIGTERM, self._stop)
        loop.add_signal_handler(HURRY, self._hurry)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
        loop.add_reader(post.life, self._orphaned)
        path = socket_of(post.folder, post.number)
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as inner:
            inner.bind(str(path))
            private = await _started(self._private, [inner])
            public = await _started(self._public, [post.shared] if post.own is None else [post.shared, post.own])
            post.board.mark(post.number, UP)
            ready()
            reaper = asyncio.create_task(self._reap())
            await public
            reaper.cancel()
            await self._last()
            self._private.should_exit = True
            await private
            self._peers.close()
        path.unlink(missing_ok=True)
        with suppress(OSError):  # the last one to leave, where the first process was killed
            post.folder.rmdir()

    def _stop(self) -> None:
        """Take no more requests; those in work are finished. A service manager may tell every process, so twice is once."""
        self._public.should_exit = True

    def _hurry(self) -> None:
        """Do not wait for what is in work: what is cut off is no error that anybody has to read of."""
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
        self._public.force_exit = self._private.force_exit = True
        self._stop()

    def _orphaned(self) -> None:
        asyncio.get_running_loop().remove_reader(self._post.life)
        self._stop()

    async def _last(self) -> None:
        """Wait until no worker has a request to pass on to this one."""
        self._post.board.mark(self._post.number, DRAINED)
        until = monotonic() + self._settings.grace_s
        while self._post.board.undrained() and monotonic() < until and not self._public.force_exit:
            await asyncio.sleep(0.02)

    async def _reap(self) -> None:
        """Close the episodes that nobody plays any more, now and then."""
        while True:
            await asyncio.sleep(min(REAP_EVERY_S, max(0.05, self._settings.idle_s / 4)))
            self._lobby.reap(monotonic())

    async def _all_metrics(self) -> bytes:
        return merged([self._metrics.text(), *await self._peers.texts(OWN_METRICS)])

    def _for_peers(self, app: ASGIApp) -> ASGIApp:
        """What other workers are answered: the same, but of metrics only one's own."""

        async def answer(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] == "http" and scope["path"] == OWN_METRICS:
                await Response(self._metrics.text(), media_type=CONTENT_TYPE)(scope, receive, send)
            else:
                await app(scope, receive, send)

        return answer


class _Server(uvicorn.Server):
    """A server that leaves signals to the worker, which has two of them."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


async def _started(server: _Server, sockets: list[socket.socket]) -> asyncio.Task[None]:
    """The server at work, or whatever keeps it from that."""
    task = asyncio.create_task(server.serve(sockets))
    while not server.started and not task.done():
        await asyncio.sleep(0.002)
    if task.done():
        await task
    return task


def _server(app: ASGIApp, settings: Settings, lifespan: Literal["on", "off"], keep_s: int) -> _Server:
    return _Server(
        uvicorn.Config(
            app, lifespan=lifespan, ws="none", access_log=False, log_level="warning", proxy_headers=False,
            server_header=False, date_header=lifespan == "off", timeout_keep_alive=keep_s,
            timeout_graceful_shutdown=max(1, round(settings.grace_s)),
        )
    )  # fmt: skip


def leave(code: int) -> None:
    """End a forked process at once: nothing of the first process is to be tidied up here."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
