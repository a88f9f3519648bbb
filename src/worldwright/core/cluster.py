"""Work spread over the machines of a Ray cluster, with the meaning of `core.pool.map_in_processes`: one pure function, many items,
results as they come.

Ray is an extra and is loaded only here, only when it is asked for. A worker or a machine that dies takes with it what it had in
work, and that is done again elsewhere. What has lost two workers is done at the end and alone: if it loses that one too, it is
blamed.
"""

from __future__ import annotations

import importlib
import os
import platform
import signal
import socket
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from logging import ERROR
from pathlib import Path
from typing import Any, TypeVar

from worldwright.core.errors import UsageError
from worldwright.core.pool import ITEMS_PER_WORKER, Outcome, WorkerDied
from worldwright.core.version import VERSION

T = TypeVar("T")
R = TypeVar("R")

LOCAL = "local"
"""The address of a Ray that is started on this machine and ends with the run."""
MAX_DEATHS = 2
"""So often an item may lose its worker before it is done alone."""
_REFRESH_SECONDS = 5.0
"""Seconds after which the machines of the cluster are counted again."""
_CONNECT_SECONDS = 10.0
"""Seconds in which a cluster has to answer."""
_PACKAGE = Path(__file__).parents[1]
"""The code that the machines of the cluster run: this very one."""


class VersionMismatch(UsageError):
    """A machine of the cluster has another Python or another Worldwright, so that its worlds would not be the same."""


def map_on_ray(work: Callable[[T], R], items: Iterable[T], address: str, workers: int = 0) -> Iterator[Outcome[T, R]]:
    """Do `work` on every item on a Ray cluster, and yield outcomes in the order in which they end.

    `address` is `local`, `auto` or the `host:port` of a cluster. `workers` is the number of processes of a local Ray; of a cluster
    it is the most that is in work at once. With 0 all CPUs are used.
    """
    with _connected(address, workers) as ray:
        task, waiting = _make_task(ray, work), iter(items)
        room = _count_room(ray, 0 if address == LOCAL else workers)
        suspects = yield from _run_tasks(ray, task, waiting, room, MAX_DEATHS)
        for item in suspects:
            if (yield from _run_tasks(ray, task, iter([item]), lambda: 1, 1)):
                yield Outcome(
                    item, error=WorkerDied("every worker that did this was killed, perhaps for want of memory")
                )


def _run_tasks(
    ray: Any, task: Any, items: Iterator[T], room: Callable[[], int], deaths: int
) -> Generator[Outcome[T, R], None, list[T]]:
    """Yield what ends; return what has lost its worker so many times."""
    running: dict[Any, tuple[T, int]] = {}
    again: list[tuple[T, int]] = []
    lost: list[T] = []
    try:
        while True:
            for item, died in islice(_next_items(again, items), max(0, room() - len(running))):
                running[task.remote(item)] = item, died
            if not running:
                return lost
            for ref in _wait_for_ended(ray, running):
                item, died = running.pop(ref)
                outcome: Outcome[T, R] | None = _get_outcome(ray, ref, item)
                if outcome is not None:
                    yield outcome
                elif died + 1 < deaths:
                    again.append((item, died + 1))
                else:
                    lost.append(item)
    finally:
        for ref in running:
            ray.cancel(ref, force=True)


def _next_items(again: list[tuple[T, int]], items: Iterator[T]) -> Iterator[tuple[T, int]]:
    """Yield what has to be done again, then what was not begun; each with the number of workers that it has lost."""
    while again:
        yield again.pop()
    yield from ((item, 0) for item in items)


def _wait_for_ended(ray: Any, running: Iterable[Any]) -> list[Any]:
    """Wait until something has ended, and return everything that has."""
    refs = list(running)
    one, others = ray.wait(refs, num_returns=1)
    return [*one, *(ray.wait(others, num_returns=len(others), timeout=0)[0] if others else ())]


def _get_outcome(ray: Any, ref: Any, item: T) -> Outcome[T, R] | None:
    """Return what came of an item; None where its worker, or the machine that had the result, is gone."""
    errors = ray.exceptions
    try:
        return Outcome(item, ray.get(ref))
    except errors.RayTaskError as e:
        if isinstance(e.cause, VersionMismatch):
            raise e.cause from None
        return Outcome(item, error=e.cause)
    except errors.UnserializableException as e:
        return Outcome(item, error=e)
    except (errors.WorkerCrashedError, errors.NodeDiedError, errors.OutOfMemoryError, errors.ObjectLostError):
        return None
    except errors.RayError as e:
        raise UsageError(f"Ray gave up: {e}") from e


def _make_task(ray: Any, work: Callable[[T], R]) -> Any:
    """Make `work` a task of Ray. What is tried again is decided here, not by Ray."""
    here = _name_versions()

    def done(item: T) -> R:
        if (there := _name_versions()) != here:
            raise VersionMismatch(
                f"{platform.node()} has {there}, and this run is of {here}: install the same on every machine"
            )
        return work(item)

    return ray.remote(num_cpus=1, max_retries=0)(done)


def _name_versions() -> str:
    return f"worldwright {VERSION} on Python {platform.python_version()}"


def _count_room(ray: Any, most: int) -> Callable[[], int]:
    """Return a function that says how many items may be given out: some for every CPU that the cluster has by now."""
    seen, room = -_REFRESH_SECONDS, 0

    def now() -> int:
        nonlocal seen, room
        if not most and time.monotonic() - seen >= _REFRESH_SECONDS:
            seen, room = time.monotonic(), ITEMS_PER_WORKER * max(1, int(ray.cluster_resources().get("CPU", 0)))
        return most or room

    return now


@contextmanager
def _connected(address: str, workers: int) -> Iterator[Any]:
    """The library, connected; a Ray that this process has been connected to already stays so."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # it would tell its makers
    ray = library()
    if ray.is_initialized():
        yield ray
        return
    ray._private.worker._worker_logs_enabled = (
        False  # what it says of dead workers goes to standard output, whatever one sets
    )
    quiet = {"log_to_driver": False, "logging_level": ERROR}
    try:
        with _restore_term_handler():
            if address == LOCAL:
                ray.init(address=LOCAL, num_cpus=workers or None, include_dashboard=False, **quiet)
            else:
                _answers(os.environ.get("RAY_ADDRESS", "") if address == "auto" else address)
                ray.init(address=address, runtime_env={"py_modules": [str(_PACKAGE)]}, **quiet)
    except (OSError, RuntimeError, ValueError, ImportError) as e:
        raise UsageError(
            f"no Ray at {address!r}: {e}; the address is `local`, `auto` or the host:port that `ray start --head` printed"
        ) from e
    try:
        yield ray
    finally:
        ray.shutdown()


@contextmanager
def _restore_term_handler() -> Iterator[None]:
    """Restore the handler of SIGTERM that was set before Ray set its own."""
    before = signal.getsignal(signal.SIGTERM)
    yield
    if callable(before) and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, before)


def _answers(address: str) -> None:
    """Ray itself asks for more than a minute when there is nobody; this raises at once."""
    host, mark, port = address.rpartition(":")
    if mark and port.isdecimal() and "://" not in host:
        socket.create_connection((host.strip("[]"), int(port)), timeout=_CONNECT_SECONDS).close()


def library() -> Any:
    """Ray, or an error that says how to get it."""
    try:
        return importlib.import_module("ray")
    except ModuleNotFoundError as e:
        raise UsageError(f"this needs {e.name}: pip install 'worldwright[ray]'") from None
