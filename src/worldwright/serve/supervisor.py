"""The supervisor of a server: it opens the worlds, forks the workers, and replaces those that die.

Worlds are opened before the fork: a world holds no connection and no thread, so what was read once is there for every worker, and a
worker that replaces another one starts in milliseconds.
"""

from __future__ import annotations

import gc
import importlib
import os
import resource
import select
import shutil
import signal
import tempfile
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep

from worldwright.core.errors import UsageError
from worldwright.core.listening import bind_socket
from worldwright.engine.world import Gym
from worldwright.serve.proxy import socket_path
from worldwright.serve.settings import Settings
from worldwright.serve.worker import STOP_NOW, WorkerContext, exit_process, run_worker
from worldwright.serve.worker_table import DOWN, WorkerTable

STOPPING = {signal.SIGTERM, signal.SIGINT}
WATCHED = STOPPING | {signal.SIGCHLD}
EARLY_DEATH_S = 5.0
"""A worker that exits within this time of its start counts as an early death."""
MAX_EARLY_DEATHS = 5
"""After so many early deaths in a row the server gives up."""


@dataclass(frozen=True, slots=True)
class Child:
    """A worker process."""

    pid: int
    number: int
    began: float


def serve(gym: Gym, settings: Settings, announce: Callable[[str], None]) -> int:
    """Serve until SIGTERM or Ctrl-C. `announce` gets the URL once every worker takes requests. Returns the exit code."""
    _allow_many_connections()
    supervisor = Supervisor(gym, settings)  # takes its ports first: a port in use is said before worlds are opened
    try:
        for variant in gym.variants:
            gym.world(variant)
        if settings.mcp:
            importlib.import_module("worldwright.serve.mcp_http")  # before the fork: a second's work, and shared
        return supervisor.run(announce)
    finally:
        supervisor.close()


class Supervisor:
    """Forks the workers of a server, replaces those that die, and stops them."""

    def __init__(self, gym: Gym, settings: Settings) -> None:
        self._gym, self._settings = gym, settings
        self._shared = bind_socket(settings.host, settings.port)
        self.port = int(self._shared.getsockname()[1])
        self._own = [bind_socket(settings.host, 0) if settings.direct else None for _ in range(settings.workers)]
        self._table = WorkerTable(settings.workers)
        self._folder = Path(tempfile.mkdtemp(prefix="worldwright-"))
        self._life = os.pipe()
        self._children: dict[int, Child] = {}
        self._early_deaths = 0

    def run(self, announce: Callable[[str], None]) -> int:
        gc.collect()
        gc.freeze()  # worlds are never collected, and their pages stay shared
        before = signal.pthread_sigmask(signal.SIG_BLOCK, WATCHED)
        handler = signal.signal(signal.SIGCHLD, lambda *_: None)  # what is ignored cannot be waited for everywhere
        try:
            for slot in range(self._settings.workers):
                if not self._fork(slot):
                    self._stop()
                    raise UsageError("a worker did not start; the reason is above")
            announce(format_url(self._settings.host, self.port))
            return self._watch()
        finally:
            signal.signal(signal.SIGCHLD, handler)
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
            gc.unfreeze()

    def _watch(self) -> int:
        while True:
            if signal.sigwait(WATCHED) != signal.SIGCHLD:
                return self._stop()
            for child in self._collect_dead():
                self._table.set_state(child.number, DOWN)
                socket_path(self._folder, child.number).unlink(missing_ok=True)
                self._early_deaths = self._early_deaths + 1 if monotonic() - child.began < EARLY_DEATH_S else 0
                if self._early_deaths >= MAX_EARLY_DEATHS:
                    self._stop()
                    raise UsageError("workers die as soon as they are started; the reason is above")
                self._fork(child.number + self._settings.workers)

    def _collect_dead(self) -> list[Child]:
        gone = [pid for pid in self._children if os.waitpid(pid, os.WNOHANG)[0]]
        return [self._children.pop(pid) for pid in gone]

    def _fork(self, number: int) -> bool:
        """Start a worker, and wait until it takes requests. Returns whether it does."""
        read, write = os.pipe()
        self._table.register(number)
        pid = os.fork()
        if pid == 0:
            os.close(read)
            self._run_child(number, write)
        os.close(write)
        self._children[pid] = Child(pid, number, monotonic())
        try:
            while not select.select([read], [], [], 0.1)[0]:
                if signal.sigpending() & STOPPING:
                    return True
            return bool(os.read(read, 1))
        finally:
            os.close(read)

    def _run_child(self, number: int, write: int) -> None:
        """Run a worker in the forked process, and end that process."""
        code = 1
        try:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches every process; the first one passes it on
            signal.pthread_sigmask(
                signal.SIG_UNBLOCK, {signal.SIGINT, signal.SIGCHLD}
            )  # SIGTERM: once it is listened to
            os.close(self._life[1])
            own = self._own[self._table.get_slot(number)]
            context = WorkerContext(number, self._table, self._folder, self._shared, own, self._life[0])

            def ready() -> None:
                os.write(write, b"r")
                os.close(write)

            run_worker(self._gym, self._settings, context, ready)
            code = 0
        finally:
            if code:
                traceback.print_exc()
            exit_process(code)

    def _stop(self) -> int:
        """Tell every worker to finish its requests, and wait for it; on a second signal do not wait."""
        self._shared.close()
        until = monotonic() + self._settings.grace_s + 5
        self._signal(signal.SIGTERM)
        codes = []
        while self._children:
            for pid in list(self._children):
                done, status = os.waitpid(pid, os.WNOHANG)
                if done:
                    self._table.set_state(self._children.pop(pid).number, DOWN)
                    codes.append(os.waitstatus_to_exitcode(status))
            if monotonic() > until:
                self._signal(signal.SIGKILL)
            sleep(0.02)
            if signal.sigpending() & STOPPING:
                signal.sigwait(STOPPING)
                self._signal(STOP_NOW)
        return 0 if not any(codes) else 1

    def _signal(self, number: int) -> None:
        for pid in self._children:
            with suppress(ProcessLookupError):
                os.kill(pid, number)

    def close(self) -> None:
        for one in (self._shared, *self._own):
            if one is not None:
                one.close()
        for end in self._life:
            os.close(end)
        shutil.rmtree(self._folder, ignore_errors=True)


def _allow_many_connections() -> None:
    """Raise the limit of open files as far as the system allows: every connection is one."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def format_url(host: str, port: int) -> str:
    """Format the URL of a server, `http://127.0.0.1:8000`; a server on all interfaces gets the loopback address."""
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    return f"http://{shown}:{port}"
