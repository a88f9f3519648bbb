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
from worldwright.serve.app import ServerInfo, make_app
from worldwright.serve.auth import AuthMiddleware
from worldwright.serve.metrics import CONTENT_TYPE, Metrics, merge_metrics
from worldwright.serve.proxy import PeerClient, WorkerProxy, socket_path
from worldwright.serve.registry import EpisodeRegistry
from worldwright.serve.settings import Settings
from worldwright.serve.worker_table import DRAINED, UP, WorkerTable

THREAD_SWITCH_S = 0.0005
"""How long a thread may keep the event loop from going on: judging a log takes 20 ms, a call 0.1 ms."""
IDLE_CHECK_S = 5.0
OWN_METRICS = "/metrics"
STOP_NOW = signal.SIGUSR1
"""The signal by which the supervisor tells a worker to stop without waiting for requests in work."""


@dataclass(frozen=True, slots=True)
class WorkerContext:
    """What a worker inherits from the supervisor that forked it."""

    number: int
    table: WorkerTable
    folder: Path
    """The folder of the unix sockets between workers."""
    shared: socket.socket
    own: socket.socket | None
    life: int
    """A pipe that is closed when the supervisor exits."""


def run_worker(gym: Gym, settings: Settings, context: WorkerContext, ready: Callable[[], None]) -> None:
    """Serve until told to stop. Worlds were opened before, and are shared with the other workers as long as nobody writes."""
    sys.setswitchinterval(THREAD_SWITCH_S)
    registry = EpisodeRegistry(
        gym, max_episodes=settings.per_worker(settings.max_episodes), idle_s=settings.idle_s, limits=settings.limits,
        worker=context.number,
    )  # fmt: skip
    config = uvicorn.Config("", loop="auto")
    with asyncio.Runner(loop_factory=config.get_loop_factory()) as runner:
        runner.run(_Worker(registry, settings, context).run(ready))


class _Worker:
    def __init__(self, registry: EpisodeRegistry, settings: Settings, context: WorkerContext) -> None:
        self._registry, self._settings, self._context = registry, settings, context
        registry.on_change = partial(context.table.set_open_episodes, context.number)
        self._peers = PeerClient(context.table, context.number, context.folder)
        self._metrics = Metrics(registry, context.table.get_slot(context.number))
        port = None if context.own is None else int(context.own.getsockname()[1])
        app = make_app(registry, settings, ServerInfo(self._all_metrics, context.table.count_open_episodes, port))
        self._public = _make_server(
            AuthMiddleware(WorkerProxy(app, registry, self._peers), settings, self._metrics, registry),
            settings,
            "off",
            75,
        )
        self._private = _make_server(self._make_private_app(app), settings, "on", 1_000_000)

    async def run(self, ready: Callable[[], None]) -> None:
        loop, context = asyncio.get_running_loop(), self._context
        loop.add_signal_handler(signal.SIGTERM, self._stop)
        loop.add_signal_handler(STOP_NOW, self._stop_now)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
        loop.add_reader(context.life, self._stop_without_parent)
        path = socket_path(context.folder, context.number)
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as inner:
            inner.bind(str(path))
            private = await _start(self._private, [inner])
            public = await _start(
                self._public, [context.shared] if context.own is None else [context.shared, context.own]
            )
            context.table.set_state(context.number, UP)
            ready()
            closer = asyncio.create_task(self._close_idle_episodes())
            await public
            closer.cancel()
            await self._wait_for_peers()
            self._private.should_exit = True
            await private
            self._peers.close()
        path.unlink(missing_ok=True)
        with suppress(OSError):  # the last one to leave, where the first process was killed
            context.folder.rmdir()

    def _stop(self) -> None:
        """Take no more requests; those in work are finished. A service manager may tell every process, so twice is once."""
        self._public.should_exit = True

    def _stop_now(self) -> None:
        """Stop without waiting for requests in work, and without logging them as errors."""
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
        self._public.force_exit = self._private.force_exit = True
        self._stop()

    def _stop_without_parent(self) -> None:
        asyncio.get_running_loop().remove_reader(self._context.life)
        self._stop()

    async def _wait_for_peers(self) -> None:
        """Wait until no other worker can forward a request to this one."""
        self._context.table.set_state(self._context.number, DRAINED)
        until = monotonic() + self._settings.grace_s
        while self._context.table.has_running() and monotonic() < until and not self._public.force_exit:
            await asyncio.sleep(0.02)

    async def _close_idle_episodes(self) -> None:
        """Close idle episodes every few seconds, until cancelled."""
        while True:
            await asyncio.sleep(min(IDLE_CHECK_S, max(0.05, self._settings.idle_s / 4)))
            self._registry.close_idle(monotonic())

    async def _all_metrics(self) -> bytes:
        return merge_metrics([self._metrics.render(), *await self._peers.fetch_from_all(OWN_METRICS)])

    def _make_private_app(self, app: ASGIApp) -> ASGIApp:
        """Make the app that other workers talk to: the same, but `/metrics` has this worker's numbers only."""

        async def answer(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] == "http" and scope["path"] == OWN_METRICS:
                await Response(self._metrics.render(), media_type=CONTENT_TYPE)(scope, receive, send)
            else:
                await app(scope, receive, send)

        return answer


class _Server(uvicorn.Server):
    """A uvicorn server that leaves signals to the worker, which runs two servers."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


async def _start(server: _Server, sockets: list[socket.socket]) -> asyncio.Task[None]:
    """Start a server, and wait until it takes requests. Raises what keeps it from that."""
    task = asyncio.create_task(server.serve(sockets))
    while not server.started and not task.done():
        await asyncio.sleep(0.002)
    if task.done():
        await task
    return task


def _make_server(app: ASGIApp, settings: Settings, lifespan: Literal["on", "off"], keep_s: int) -> _Server:
    return _Server(
        uvicorn.Config(
            app, lifespan=lifespan, ws="none", access_log=False, log_level="warning", proxy_headers=False,
            server_header=False, date_header=lifespan == "off", timeout_keep_alive=keep_s,
            timeout_graceful_shutdown=max(1, round(settings.grace_s)),
        )
    )  # fmt: skip


def exit_process(code: int) -> None:
    """End a forked process at once, without the cleanup that belongs to the supervisor."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
