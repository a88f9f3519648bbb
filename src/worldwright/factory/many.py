"""The build of many worlds: an order is cut into jobs, a pool or a cluster does them, and a journal remembers what is done.

A run that was stopped in any way goes on where it was, and ends with the same packs under the same names. What is held here of a
world is a small row, never its pack.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from functools import partial
from typing import Any

from worldwright.core.errors import StoreError, WorldwrightError
from worldwright.core.memo import Memo
from worldwright.core.pool import Outcome
from worldwright.core.rng import Stream
from worldwright.factory.journal import WORLDS, Journal, Key, Row, open_journal
from worldwright.factory.order import Job, Order, list_jobs, plan_family
from worldwright.factory.work import JobResult, Worker, describe_error, do, make_sink
from worldwright.pack.open import read_manifest
from worldwright.store.index import read_index
from worldwright.store.store import Store
from worldwright.variants.counts import count_variants
from worldwright.variants.likeness import compare_pairs, fingerprint_pack
from worldwright.variants.record import Variant
from worldwright.world.manifest import MANIFEST

MAX_INLINE_WORLDS = 200
"""Worlds that a report lists itself; of more it names the file."""

LAST_SHARE = 0.1
"""The last part of a run, in which jobs are small: nobody shall wait long for somebody else's large one."""
SMALL_JOB_WORLDS = 4
"""Worlds of such a job at most. What a place's worlds share is made once for each job, so smaller is dearer."""

MAX_WORLDS_READ = 100
"""Worlds of a family that are compared with each other."""
MAX_PAIRS_LISTED = 20

World = tuple[str, str]
"""Variant and digest."""

Fan = Callable[[Callable[[Job], JobResult], Iterable[Job]], Iterator[Outcome[Job, JobResult]]]
"""Whoever spreads work: a process pool, or a cluster."""


class RunObserver:
    """What is told of a run while it goes on; this one does nothing with it."""

    def on_planning(self, family: str) -> None:
        """Hear that the variants of a family are chosen now, and that it is checked what fits it."""

    def on_planned(self, total: int, there: int) -> None:
        """Hear how many worlds there will be, as far as that is known, and how many of them are there."""

    def on_world(self, row: Row) -> None:
        """Hear of one more that is there, or could not be built."""

    def on_worker(self, worker: Worker) -> None:
        """Hear what a worker took so far, whenever it is through with a job."""

    def on_stopped(self, total: int, there: int) -> None:
        """Hear that the run ends before its time."""

    def on_compared(self) -> None:
        """Hear that one more of those that are there was compared with others."""


def build_many(
    order: Order, store: Store, tag: str, fan: Fan, watch: RunObserver, fresh: bool = False
) -> dict[str, Any]:
    """Build what an order asks for, or what is left of it; what came of it, as a document.

    A world that fails does not stop the others. A store that cannot be written stops everything, and so does Ctrl-C: what is there
    gets its names, and the same call goes on from it.
    """
    with open_journal(store.root, order) as journal:
        if fresh:
            journal.clear()
        found = journal.read_finished()
        if found is not None and all(row.ok and row.digest in store for row in found[0]):
            _name(store, tag, found[0])
            return _repeat_report(found[1], found[0], tag)
        journal.unfinish()
        run = _Run(order, store, tag, fan, watch, journal)
        try:
            run.build()
            return run.finish()
        except (KeyboardInterrupt, WorldwrightError) as e:
            with suppress(StoreError):
                run.stop()
            if isinstance(e, StoreError):
                raise StoreError(f"{e}; {run.describe_kept()}") from None
            raise


class _Run:
    """One run while it goes on."""

    def __init__(self, order: Order, store: Store, tag: str, fan: Fan, watch: RunObserver, journal: Journal) -> None:
        self.order, self.store, self.tag, self.fan, self.watch, self.journal = order, store, tag, fan, watch, journal
        self.memo = Memo()
        self.rows: dict[Key, Row] = {}
        self.there: set[Key] = set()
        self._read()
        self.before = len(self.there)
        self.plans: dict[str, tuple[Variant, ...]] = {}
        self.left: dict[str, int] = {}
        self.workers: dict[str, Worker] = {}
        self.began, self.core = time.perf_counter(), time.process_time()
        self.ended = self.began

    def _read(self) -> None:
        """Read what the journal says, as far as the store has it."""
        self.rows = self.journal.read()
        self.there = {key for key, row in self.rows.items() if row.ok and row.digest in self.store}

    # building

    def build(self) -> None:
        """Build everything once; then, world by world, what ended without a word as a whole place."""
        work = partial(do, sink=make_sink(self.store, self.journal.folder))
        pending: Iterable[Job] = self._jobs()
        while True:
            again: list[Job] = []
            with closing(_make_closable(self.fan(work, pending))) as outcomes:
                for outcome in outcomes:
                    again += self._record_outcome(outcome)
            if not again:
                self.ended = time.perf_counter()
                return
            pending = again

    def _jobs(self) -> Iterator[Job]:
        """Planned family by family, when the one before has been given out."""
        given = 0
        for source in self.order.sources:
            self.watch.on_planning(source.name)
            variants = tuple(replace(v, says="") for v in plan_family(self.order, source, self.memo))
            self.plans[source.name] = variants
            todo = [v for v in variants if (v.family, v.name) not in self.there]
            self.left[source.name] = len(todo)
            self.watch.on_planned(self.total, self.before)
            if not todo:
                self._name_family(source.name)
            for job in list_jobs(self.order, source, todo):
                last = self.total - self.before - given <= LAST_SHARE * self.total
                given += len(job.variants)
                yield from job.split(SMALL_JOB_WORLDS) if last else (job,)

    @property
    def total(self) -> int:
        """What is planned, and of families that are not planned yet what was asked for."""
        ahead = len(self.order.sources) - len(self.plans)
        return sum(map(len, self.plans.values())) + ahead * self.order.variants

    def _record_outcome(self, outcome: Outcome[Job, JobResult]) -> tuple[Job, ...]:
        """Write down what came of a job; return what has to be tried again."""
        done, error = outcome.result, outcome.error
        if done is not None:
            self.workers[done.worker.name] = done.worker
            self.watch.on_worker(done.worker)
            for files in done.packs:
                self.store.put(files, read_manifest(files[MANIFEST]))
            self._note(done.rows)
            return ()
        if isinstance(error, StoreError):
            raise error
        if len(outcome.item.variants) > 1:
            return outcome.item.split()
        [variant] = outcome.item.variants
        problem = describe_error(error) if error is not None else "it ended without a result"
        self._note([Row(variant.family, variant.name, variant.seed, problem=problem)])
        return ()

    def _note(self, rows: Sequence[Row]) -> None:
        self.journal.write(rows)
        for row in rows:
            self.rows[row.key] = row
            if row.ok:
                self.there.add(row.key)
            self.watch.on_world(row)
            self.left[row.family] -= 1
            if not self.left[row.family]:
                self._name_family(row.family)

    # naming

    def _name_family(self, family: str) -> None:
        found = [self.rows[v.family, v.name] for v in self.plans[family] if (v.family, v.name) in self.there]
        _name(self.store, self.tag, found)

    def name_all(self) -> None:
        for family in self.plans:
            self._name_family(family)

    def stop(self) -> None:
        """Names for what is there, the very last one too, which may have been written down and no more."""
        self._read()
        self.watch.on_stopped(self.total, len(self.there))
        self.name_all()

    def describe_kept(self) -> str:
        return (
            f"{len(self.there):,} of {self.total:,} worlds are kept. Nothing more can be written: see to that, and run the same "
            "command again, which goes on from there"
        )

    # the end

    def finish(self) -> dict[str, Any]:
        self.name_all()
        rows = [self.rows[v.family, v.name] for variants in self.plans.values() for v in variants]
        good = [row for row in rows if row.ok]
        families: dict[str, list[tuple[str, str]]] = {}
        for row in good:
            families.setdefault(row.family, []).append((row.variant, row.digest))
        kept = count_variants(v for plan in self.plans.values() for v in plan if (v.family, v.name) in self.there)
        document = {
            "order": self.order.digest,
            "run": str(self.journal.folder),
            "worlds_file": str(self.journal.folder / WORLDS),
            "asked": len(rows),
            "there": len(good),
            "there_before": self.before,
            "built": len(good) - self.before,
            "failed": [row.data() for row in rows if not row.ok],
            "counts": kept.data(),
            "layers": {s.name: list(s.layers) for s in self.order.sources if s.layers},
            "near_duplicates": find_near_duplicates(self.store, families, self.watch.on_compared),
            "figures": self._compute_figures(good),
        }
        self.journal.finish(rows, document)
        return {**document, **_list_worlds(rows, self.tag)}

    def _compute_figures(self, good: Sequence[Row]) -> dict[str, Any]:
        """Compute what this run took for what it built, and what all takes on the disk."""
        built = len(good) - self.before
        wall = self.ended - self.began
        core = time.process_time() - self.core + sum(worker.core for worker in self.workers.values())
        size = measure_stored_bytes(self.store, [row.digest for row in good])
        each = max(1, built)
        return {
            "wall_seconds": round(wall, 2),
            "core_seconds": round(core, 2),
            "worlds_per_minute": round(60 * built / wall, 1),
            "wall_seconds_per_world": round(wall / each, 3) if built else None,
            "core_seconds_per_world": round(core / each, 3) if built else None,
            "workers": len(self.workers),
            "worker_peak_bytes": max((worker.peak for worker in self.workers.values()), default=0),
            "driver_peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
            "stored_bytes": size,
            "stored_bytes_per_world": round(size / max(1, len(good))),
            "unpacked_bytes_per_world": round(sum(row.bytes for row in good) / max(1, len(good))),
            "tasks": sum(row.tasks for row in good),
        }


def _make_closable(outcomes: Iterator[Outcome[Job, JobResult]]) -> Any:
    """Make something to close, so that workers end when we do."""
    return outcomes if hasattr(outcomes, "close") else (outcome for outcome in outcomes)


def _name(store: Store, tag: str, rows: Iterable[Row]) -> None:
    """Give packs their names, family by family, in the order of the plan."""
    named: dict[str, dict[str, str]] = {}
    for row in rows:
        named.setdefault(row.family, {})[row.variant] = row.digest
    for family, variants in named.items():
        store.tag_all(family, tag, variants)


def _list_worlds(rows: Sequence[Row], tag: str) -> dict[str, Any]:
    """List names to use next, and the worlds where they are few."""
    families = list(dict.fromkeys(row.family for row in rows if row.ok))
    out: dict[str, Any] = {"tag": tag, "references": [f"{family}:{tag}" for family in families]}
    if len(rows) <= MAX_INLINE_WORLDS:
        out["worlds"] = [row.data() for row in rows]
    return out


def _repeat_report(report: Mapping[str, Any], rows: Sequence[Row], tag: str) -> dict[str, Any]:
    """Make the document of a run that had ended before."""
    return {**report, "built": 0, "there_before": len(rows), **_list_worlds(rows, tag)}


def measure_stored_bytes(store: Store, digests: Iterable[str]) -> int:
    """Measure the bytes on the disk of some packs, what they share counted once."""
    total, blobs = 0, set[str]()
    for digest in dict.fromkeys(digests):
        path = store.pack_path(digest)
        total += path.stat().st_size
        blobs.update(read_index(path).blobs.values())
    return total + sum(store.blobs.path(blob).stat().st_size for blob in blobs)


def find_near_duplicates(
    store: Store, families: Mapping[str, Sequence[World]], step: Callable[[], None] = lambda: None
) -> dict[str, object]:
    """Compare a sample of each family pair by pair: family and two variants of those that are near. `step` hears every world read.

    Worlds of two families are never near each other, so such pairs are left out: they would only flatter.
    """
    total, pairs, near = 0, 0, list[tuple[str, str, str]]()
    share = max(2, MAX_WORLDS_READ // max(1, len(families)))
    for family, worlds in families.items():
        looked = {}
        for variant, digest in sample_worlds(family, worlds, share):
            looked[variant] = fingerprint_pack(store.pack(digest).files)
            step()
        found = compare_pairs(looked)
        total, pairs = total + len(looked), pairs + len(found)
        near += [(family, one, other) for one, other, like in found if like.near]
    listed = [list(pair) for pair in near[:MAX_PAIRS_LISTED]]
    return {"worlds": total, "pairs": pairs, "near": len(near), "near_pairs": listed}


def sample_worlds(family: str, worlds: Sequence[World], most: int) -> list[World]:
    """Sample so many at most. Neighbours come together: they are siblings, or one is what the other was varied from."""
    if len(worlds) <= most:
        return list(worlds)
    stream, taken = Stream("alike", family), set[int]()
    while len(taken) < most:
        at = stream.below(len(worlds) - 1)
        taken |= {at, at + 1} if len(taken) + 2 <= most else {at}
    return [worlds[at] for at in sorted(taken)]
