"""The first process of a server: it opens the worlds, forks the workers, and replaces those that die.

Worlds are opened before the fork: a world holds no connection and no thread, so what was read once is there for every worker, and a
worker that replaces another one starts in milliseconds.
"""

from __future__ import annotations

import errno
import gc
import importlib
import os
import resource
import select
import shutil
import signal
import socket
import tempfile
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep

from worldwright.core.errors import UsageError
from worldwright.engine.world import Gym
from worldwright.serve.board import DOWN, Board
from worldwright.serve.hop import socket_of
from worldwright.serve.settings import Settings
from worldwright.serve.worker import HURRY, Post, leave, work

STOPPING = {signal.SIGTERM, signal.SIGINT}
WATCHED = STOPPING | {signal.SIGCHLD}
SHORT_S = 5.0
"""A worker that lived no longer than this died young; after so many of those in a row the server gives up."""
MOST_YOUNG = 5


@dataclass(frozen=True, slots=True)
class Child:
    pid: int
    number: int
    began: float


def serve(gym: Gym, settings: Settings, announce: Callable[[str], None]) -> int:
    """Serve until SIGTERM or Ctrl-C. `announce` gets the address once every worker takes requests. The exit code."""
    _allow_many_connections()
    crew = Crew(gym, settings)  # takes its ports first: a port in use is said before worlds are opened
    try:
        for variant in gym.variants:
            gym.world(variant)
        if settings.mcp:
            importlib.import_module("worldwright.serve.mcp_http")  # before the fork: a second's work, and shared
        return crew.run(announce)
    finally:
        crew.tidy()


class Crew:
    """The workers of a server."""

    def __init__(self, gym: Gym, settings: Settings) -> None:
        self._gym, self._settings = gym, settings
        self._shared = listening(settings.host, settings.port)
        self.port = int(self._shared.getsockname()[1])
        self._own = [listening(settings.host, 0) if settings.direct else None for _ in range(settings.workers)]
        self._board = Board(settings.workers)
        self._folder = Path(tempfile.mkdtemp(prefix="worldwright-"))
        self._life = os.pipe()
        self._children: dict[int, Child] = {}
        self._young = 0

    def run(self, announce: Callable[[str], None]) -> int:
        gc.collect()
        gc.freeze()  # worlds are never collected, and their pages stay shared
        before = signal.pthread_sigmask(signal.SIG_BLOCK, WATCHED)
        handler = signal.signal(signal.SIGCHLD, lambda *_: None)  # what is ignored cannot be waited for everywhere
        try:
            for place in range(self._settings.workers):
                if not self._fork(place):
                    self._stop()
                    raise UsageError("a worker did not start; the reason is above")
            announce(address(self._settings.host, self.port))
            return self._watch()
        finally:
            signal.signal(signal.SIGCHLD, handler)
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
            gc.unfreeze()

    def _watch(self) -> int:
        while True:
            if signal.sigwait(WATCHED) != signal.SIGCHLD:
                return self._stop()
            for child in self._dead():
                self._board.mark(child.number, DOWN)
                socket_of(self._folder, child.number).unlink(missing_ok=True)
                self._young = self._young + 1 if monotonic() - child.began < SHORT_S else 0
                if self._young >= MOST_YOUNG:
                    self._stop()
                    raise UsageError("workers die as soon as they are started; the reason is above")
                self._fork(child.number + self._settings.workers)

    def _dead(self) -> list[Child]:
        gone = [pid for pid in self._children if os.waitpid(pid, os.WNOHANG)[0]]
        return [self._children.pop(pid) for pid in gone]

    def _fork(self, number: int) -> bool:
        """Start a worker, and wait until it takes requests. Whether it does."""
        read, write = os.pipe()
        self._board.enter(number)
        pid = os.fork()
        if pid == 0:
            os.close(read)
            self._child(number, write)
        os.close(write)
        self._children[pid] = Child(pid, number, monotonic())
        try:
            while not select.select([read], [], [], 0.1)[0]:
                if signal.sigpending() & STOPPING:
                    return True
            return bool(os.read(read, 1))
        finally:
            os.close(read)

    def _child(self, number: int, write: int) -> None:
        """What a worker does, from its fork to its end."""
        code = 1
        try:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches every process; the first one passes it on
            signal.pthread_sigmask(
                signal.SIG_UNBLOCK, {signal.SIGINT, signal.SIGCHLD}
            )  # SIGTERM: once it is listened to
            os.close(self._life[1])
            own = self._own[self._board.place(number)]
            post = Post(number, self._board, self._folder, self._shared, own, self._life[0])

            def ready() -> None:
                os.write(write, b"r")
                os.close(write)

            work(self._gym, self._settings, post, ready)
            code = 0
        finally:
            if code:
                traceback.print_exc()
            leave(code)

    def _stop(self) -> int:
        """Tell every worker to finish what it has, and wait for it. Told again, do not wait."""
        self._shared.close()
        until = monotonic() + self._settings.grace_s + 5
        self._signal(signal.SIGTERM)
        codes = []
        while self._children:
            for pid in list(self._children):
                done, status = os.waitpid(pid, os.WNOHANG)
                if done:
                    self._board.mark(self._children.pop(pid).number, DOWN)
                    codes.append(os.waitstatus_to_exitcode(status))
            if monotonic() > until:
                self._signal(signal.SIGKILL)
            sleep(0.02)
            if signal.sigpending() & STOPPING:
                signal.sigwait(STOPPING)
                self._signal(HURRY)
        return 0 if not any(codes) else 1

    def _signal(self, number: int) -> None:
        for pid in self._children:
            with suppress(ProcessLookupError):
                os.kill(pid, number)

    def tidy(self) -> None:
        for one in (self._shared, *self._own):
            if one is not None:
                one.close()
        for end in self._life:
            os.close(end)
        shutil.rmtree(self._folder, ignore_errors=True)


def _allow_many_connections() -> None:
    """As many open files as this process may have: every connection is one."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def listening(host: str, port: int) -> socket.socket:
    """A socket that takes connections there, or an error that says why there can be none."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    found = socket.socket(family, socket.SOCK_STREAM)
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((host, port))
        found.listen(2048)
    except (OSError, OverflowError) as e:
        found.close()
        taken = isinstance(e, OSError) and e.errno == errno.EADDRINUSE
        why = "address already in use; choose another port with --port, or 0 for any free one" if taken else str(e)
        raise UsageError(f"cannot listen on {host}:{port}: {why}") from None
    return found


def address(host: str, port: int) -> str:
    """`http://127.0.0.1:8000`; where it listens everywhere, the machine itself."""
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    return f"http://{shown}:{port}"
