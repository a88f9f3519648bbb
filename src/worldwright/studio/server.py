"""The server of one studio: loopback only, for one person, until Ctrl-C."""

from __future__ import annotations

import socket
from collections.abc import Callable
from threading import Event
from types import FrameType

import uvicorn

from worldwright.core.listening import bind_socket
from worldwright.studio.access import Access
from worldwright.studio.app import make_app
from worldwright.studio.context import Studio

HOST = "127.0.0.1"
GRACE_S = 1
"""Seconds for requests in work at the end: what changes on a page that is open is no reason to wait."""


def bind(port: int) -> socket.socket:
    """Listen on a port of this machine alone; 0 for any free one."""
    return bind_socket(HOST, port)


def serve(listening: socket.socket, studio: Studio, ready: Callable[[], None]) -> None:
    """Answer requests until Ctrl-C or SIGTERM. `ready` is called when the first can be answered."""
    config = uvicorn.Config(
        make_app(studio), log_level="warning", access_log=False, timeout_graceful_shutdown=GRACE_S, lifespan="off",
        server_header=False, date_header=False, limit_concurrency=256,
    )  # fmt: skip
    server = _Server(config, ready, studio.stopping)
    try:
        server.run(sockets=[listening])
    except KeyboardInterrupt:
        pass
    finally:
        listening.close()
        studio.in_app.close()


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, ready: Callable[[], None], stopping: Event) -> None:
        super().__init__(config)
        self._ready = ready
        self._stopping = stopping

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._stopping.set()
        super().handle_exit(sig, frame)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready()


def find_access(listening: socket.socket) -> Access:
    """The secrets of a studio at the port that is listened to."""
    return Access(int(listening.getsockname()[1]))
