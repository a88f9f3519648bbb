"""Work spread over processes: one pure function, many items, results as they come.

A function that raises is an outcome like any other. A process that dies (killed, out of memory) takes its neighbours' work with
it: what was in flight is done again, one item at a time, so that only the item that kills is blamed.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import islice
from typing import Generic, TypeVar

T = TypeVar("T")
R = TypeVar("R")

ITEMS_PER_WORKER = 2
"""Items given out per worker, so that none waits for the next."""
_PARENT_DEATH_SIGNAL = 1
"""PR_SET_PDEATHSIG of prctl(2)."""


class WorkerDied(Exception):
    """The process that had this item ended without a word, and again when it had nothing else."""


@dataclass(frozen=True, slots=True)
class Outcome(Generic[T, R]):
    """What came of one item: a result, or what was raised."""

    item: T
    result: R | None = None
    error: BaseException | None = None


def map_in_processes(work: Callable[[T], R], items: Iterable[T], workers: int) -> Iterator[Outcome[T, R]]:
    """Do `work` on every item in so many processes, and yield outcomes in the order in which they end.

    With no workers it is done right here, one item after the other, and what is raised is raised.
    """
    if workers <= 0:
        yield from (Outcome(item, work(item)) for item in items)
        return
    waiting = iter(items)
    while True:
        suspects = yield from _run_pool(work, waiting, workers)
        if not suspects:
            return
        for item in suspects:
            if (yield from _run_pool(work, iter([item]), 1)):
                yield Outcome(
                    item, error=WorkerDied("the process that did this was killed, perhaps for want of memory")
                )


def _run_pool(work: Callable[[T], R], items: Iterator[T], workers: int) -> Generator[Outcome[T, R], None, list[T]]:
    """Yield what ends; return what was in flight when a process died."""
    pool = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _start, (os.getpid(),))
    running: dict[Future[R], T] = {}
    lost: list[T] = []
    try:
        while True:
            if not lost:
                lost += _submit_items(pool, work, islice(items, ITEMS_PER_WORKER * workers - len(running)), running)
            if not running:
                return lost
            ended = wait(running, return_when=FIRST_COMPLETED).done
            for future in [f for f in running if f in ended]:
                item, error = running.pop(future), future.exception()
                if isinstance(error, BrokenProcessPool):
                    lost.append(item)
                else:
                    yield Outcome(item, None if error else future.result(), error)
    finally:
        _stop(pool)


def _submit_items(
    pool: ProcessPoolExecutor, work: Callable[[T], R], items: Iterable[T], running: dict[Future[R], T]
) -> list[T]:
    """Submit items to the pool; return what it no longer takes, because a process died meanwhile."""
    for item in items:
        try:
            running[pool.submit(work, item)] = item
        except BrokenProcessPool:
            return [item]
    return []


def _start(parent: int) -> None:
    """A worker leaves Ctrl-C to its parent, and ends with it however that ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL)
        if os.getppid() != parent:
            os.kill(os.getpid(), signal.SIGKILL)


def _stop(pool: ProcessPoolExecutor) -> None:
    """End the processes, those too that are in the middle of something."""
    busy = list((pool._processes or {}).values())
    pool.shutdown(wait=False, cancel_futures=True)
    for process in busy:
        process.terminate()
    for process in busy:
        process.join()
