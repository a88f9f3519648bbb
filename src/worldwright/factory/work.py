"""One job, as a worker does it: the worlds of a place are built and kept, and what came of them is a few small rows.

A worker that sees the store keeps packs there itself. One that does not (another machine) sends them back with its rows.
"""

from __future__ import annotations

import os
import resource
import socket
import sqlite3
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from worldwright.blueprint.checked import Checked
from worldwright.compiler.build import BuiltWorld, build, check_grade
from worldwright.core.errors import BuildError, WorldwrightError
from worldwright.core.memo import Memo
from worldwright.core.whole_file import write_whole
from worldwright.engine.contract import Contract
from worldwright.factory.journal import Row
from worldwright.factory.order import Job
from worldwright.factory.sources import LoadedFamily, load_source
from worldwright.kinds.database.battery.settings import FULL, BatterySettings, find_battery
from worldwright.kinds.database.compile.tasks.knobs import knobs
from worldwright.store.store import Store
from worldwright.variants.apply import apply, choose_task_options
from worldwright.variants.record import Variant

OF_ONE_WORLD = (
    WorldwrightError, sqlite3.Error, ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError, TypeError,
    ValueError,
)  # fmt: skip
"""What a Blueprint may bring about that nobody thought of. Memory and disks are not among them: they concern every world."""


def build_variant(
    base: Checked,
    variant: Variant,
    lock: str = "",
    contract: Contract | None = None,
    battery: BatterySettings = FULL,
    settings: Mapping[str, str] = MappingProxyType({}),
    memo: Memo | None = None,
) -> BuiltWorld:
    """The world of a variant. Its parent is the lock of the anchor, or the Blueprint that it was varied from.

    `settings` are asked of the tasks of every variant, unless an axis of this one says otherwise.
    Half of the tasks at most are requests that the rules decide."""
    checked = apply(base, variant)
    profile, asked = choose_task_options(variant, settings)
    if "most" in settings and "contrast" not in settings:
        asked["contrast"] = str(min(int(asked["contrast"]), int(settings["most"]) // 2))
    parent = lock or (base.digest if checked.digest != base.digest else "")
    return build(
        checked, variant.seed, parent, knobs=knobs(profile, asked), contract=contract, battery=battery, memo=memo
    )


def build_siblings(
    base: Checked,
    variants: Iterable[Variant],
    lock: str = "",
    contract: Contract | None = None,
    battery: BatterySettings = FULL,
    settings: Mapping[str, str] = MappingProxyType({}),
    memo: Memo | None = None,
) -> Iterator[tuple[Variant, BuiltWorld | Exception]]:
    """Worlds of one place, one after the other: what they share is made for the first and kept for the rest.

    One that fails is given with what it failed of, and the others are built all the same."""
    shared = memo or Memo()
    for variant in variants:
        try:
            found: BuiltWorld | Exception = build_variant(base, variant, lock, contract, battery, settings, shared)
        except OF_ONE_WORLD as e:
            found = e
        yield variant, found


MARK = ".here"
"""A file beside the journal that says which run this is."""
MAX_PROBLEM_CHARS = 600
"""Characters of a problem that are kept."""

Files = Mapping[str, bytes]
WORKER_MEMO = Memo()
"""What this process, a worker, keeps from one job for the next."""


@dataclass(frozen=True, slots=True)
class Sink:
    """Where packs go, as a worker is told."""

    root: str
    mark: str
    """A path below it."""
    token: str

    def store(self) -> Store | None:
        """The store, where the folder of that name is the one that is meant."""
        root = Path(self.root)
        try:
            found = (root / self.mark).read_text()
        except OSError:
            return None
        return Store(root) if found == self.token else None


def make_sink(store: Store, folder: Path) -> Sink:
    """Make a sink for workers of this run: a store is the right one where it has what was just written."""
    token = f"{socket.gethostname()} {os.getpid()} {time.monotonic_ns()}"
    write_whole(folder / MARK, token)
    return Sink(str(store.root.absolute()), str((folder / MARK).relative_to(store.root)), token)


@dataclass(frozen=True, slots=True)
class Worker:
    """A process that works, and what it took so far."""

    name: str
    core: float
    """Seconds of one core since it began."""
    peak: int
    """Bytes of memory at most."""


@dataclass(frozen=True, slots=True)
class JobResult:
    """What came of a job."""

    rows: tuple[Row, ...]
    packs: tuple[Files, ...]
    """What could not be kept where it was built, in the order of the rows that have a digest."""
    worker: Worker


def do(job: Job, sink: Sink) -> JobResult:
    """Build the worlds of a place. One that cannot be built is a row like the others; a store that cannot be written is raised."""
    store, rows, packs = sink.store(), list[Row](), list[Files]()
    since, core = time.perf_counter(), time.process_time()
    for variant, found in _worlds(job):
        found = _check(found, job.asked.at_least)
        if isinstance(found, BuiltWorld) and store is not None:
            store.put(found.pack.files, found.pack.manifest)
        elif isinstance(found, BuiltWorld):
            packs.append(found.pack.files)
        now, used = time.perf_counter(), time.process_time()
        rows.append(_row(variant, found, now - since, used - core))
        since, core = now, used
    return JobResult(tuple(rows), tuple(packs), _measure_worker())


def _check(found: BuiltWorld | Exception, at_least: str) -> BuiltWorld | Exception:
    """A world that is not what was asked for, as the reason why it is not kept."""
    why = check_grade(found, at_least) if isinstance(found, BuiltWorld) else ""
    return BuildError(why) if why else found


def _worlds(job: Job) -> Iterator[tuple[Variant, BuiltWorld | Exception]]:
    try:
        base = load_source(job.source, WORKER_MEMO)
    except WorldwrightError as e:
        return ((variant, e) for variant in job.variants)
    if not job.asked.with_tasks:
        return _build_without_tasks(job, base)
    settings, battery = dict(job.asked.knobs), find_battery(job.asked.battery)
    return build_siblings(
        base.checked, job.variants, job.source.lock, base.contract, battery, settings, memo=WORKER_MEMO
    )


def _build_without_tasks(job: Job, base: LoadedFamily) -> Iterator[tuple[Variant, BuiltWorld | Exception]]:
    """Build worlds without tasks, of which nothing is asked then."""
    for variant in job.variants:
        try:
            checked = apply(base.checked, variant)
            parent = job.source.lock or (base.checked.digest if checked.digest != base.checked.digest else "")
            yield (
                variant,
                build(checked, variant.seed, parent, with_tasks=False, contract=base.contract, memo=WORKER_MEMO),
            )
        except WorldwrightError as e:
            yield variant, e


def _row(variant: Variant, found: BuiltWorld | Exception, seconds: float, core: float) -> Row:
    spent = (round(seconds, 3), round(core, 3))
    if not isinstance(found, BuiltWorld):
        return Row(variant.family, variant.name, variant.seed, "", 0, 0, *spent, problem=describe_error(found))
    manifest = found.pack.manifest
    size = sum(map(len, found.pack.files.values()))
    return Row(
        variant.family, variant.name, variant.seed, manifest.digest, manifest.counts.get("tasks", 0), size, *spent
    )


def describe_error(error: BaseException) -> str:
    """Say why a world was not built: in its own words where we named the error, with its kind where we did not."""
    text = str(error) if isinstance(error, WorldwrightError) else f"{type(error).__name__}: {error}".rstrip(": ")
    return " ".join(text.split())[:MAX_PROBLEM_CHARS]


def _measure_worker() -> Worker:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return Worker(
        f"{socket.gethostname()} {os.getpid()}", time.process_time(), peak * (1 if sys.platform == "darwin" else 1024)
    )
