"""Many worlds through the library: whoever spreads the work, the same packs; what dies is blamed alone; packs are sent back."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from worldwright.blueprint.load import load_text
from worldwright.compiler.build import build
from worldwright.core.errors import StoreError, WorldwrightError
from worldwright.core.memo import Memo
from worldwright.core.pool import Outcome, map_in_processes
from worldwright.factory.journal import Row, folder_of, read_rows
from worldwright.factory.many import Fan, RunObserver, build_many, sample_worlds
from worldwright.factory.order import Job, Order, WorldOptions, plan_family
from worldwright.factory.sources import source_of_text
from worldwright.factory.work import JobResult, Sink, do
from worldwright.store.store import Store
from worldwright.store.verify import verify
from worldwright.variants.apply import apply

from .test_order import BOATS

SOURCE = source_of_text("boat_hire", BOATS)
BARE = Order((SOURCE,), 6, asked=WorldOptions(with_tasks=False))
HERE: Fan = partial(map_in_processes, workers=0)
Work = Callable[[Job], JobResult]


class Heard(RunObserver):
    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.totals: list[tuple[int, int]] = []
        self.compared = 0

    def on_planned(self, total: int, there: int) -> None:
        self.totals.append((total, there))

    def on_world(self, row: Row) -> None:
        self.rows.append(row)

    def on_stopped(self, total: int, there: int) -> None:
        self.totals.append((total, there))

    def on_compared(self) -> None:
        self.compared += 1


def built(
    store: Store, fan: Fan = HERE, order: Order = BARE, heard: Heard | None = None, tag: str = "latest"
) -> dict[str, Any]:
    return build_many(order, store, tag, fan, heard or Heard())


def digests(document: dict[str, Any]) -> dict[str, str]:
    return {world["variant"]: world["digest"] for world in document["worlds"]}


@pytest.fixture(scope="module")
def right(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The digests, by one process that was never disturbed."""
    return digests(built(Store(tmp_path_factory.mktemp("right"))))


def test_they_are_the_worlds_that_are_built_one_by_one(right: dict[str, str]) -> None:
    base = load_text(BOATS, "boat_hire.yaml")
    for variant in plan_family(BARE, SOURCE, Memo())[:3]:
        checked = apply(base, variant)
        parent = "" if checked.digest == base.digest else base.digest
        alone = build(checked, variant.seed, parent, with_tasks=False).pack.manifest.digest
        assert right[variant.name] == alone


@pytest.mark.slow
def test_at_the_end_jobs_are_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("worldwright.factory.many.SMALL_JOB_WORLDS", 1)
    order, given = replace(BARE, variants=20), list[Job]()

    def watching(work: Work, pending: Iterable[Job]) -> Iterator[Outcome[Job, JobResult]]:
        for job in pending:
            given.append(job)
            yield from map_in_processes(work, [job], 0)

    done = built(Store(tmp_path), watching, order)
    sizes = [len(job.variants) for job in given]
    assert (sum(sizes), done["built"], done["failed"]) == (20, 20, [])
    assert sizes == [2] * 9 + [1] * 2
    assert [v.name for job in given for v in job.variants] == [world["variant"] for world in done["worlds"]]


@pytest.mark.slow
def test_two_processes_build_the_same_under_the_same_names(tmp_path: Path, right: dict[str, str]) -> None:
    store, heard = Store(tmp_path), Heard()
    done = built(store, partial(map_in_processes, workers=2), heard=heard)
    assert digests(done) == right
    assert store.variants("boat_hire", "latest") == right
    assert list(store.variants("boat_hire", "latest")) == list(right)
    assert sorted(row.variant for row in heard.rows) == sorted(right)
    assert heard.totals == [(6, 0)]
    assert (done["built"], done["there_before"], done["failed"]) == (6, 0, [])
    assert done["figures"]["worker_peak_bytes"] > 10**7
    assert done["figures"]["stored_bytes"] == sum(
        p.stat().st_size for d in ("packs", "blobs") for p in (tmp_path / d).rglob("*.*")
    )
    assert done["near_duplicates"]["pairs"] == 15
    assert heard.compared == 6


def test_counts_are_of_what_is_there(tmp_path: Path) -> None:
    done = built(Store(tmp_path), order=replace(BARE, axes=("seed",), siblings=1, variants=4))
    assert done["counts"] == {"families": 1, "variants": 4, "policy_distinct": 1, "world_only": 3, "surface_only": 0}


def test_a_run_that_ended_builds_nothing_and_takes_another_tag(tmp_path: Path, right: dict[str, str]) -> None:
    store = Store(tmp_path)
    built(store)
    heard = Heard()
    done = built(store, _nobody, heard=heard, tag="other")
    assert (done["built"], done["there_before"]) == (0, 6)
    assert done["references"] == ["boat_hire:other"]
    assert heard.rows == []
    assert store.variants("boat_hire", "other") == right
    assert digests(build_many(BARE, store, "latest", HERE, again := Heard(), fresh=True)) == right
    assert len(again.rows) == 6


def _nobody(work: Work, items: Iterable[Job]) -> Iterator[Outcome[Job, JobResult]]:
    raise AssertionError("there is nothing to do")


def test_what_went_from_the_store_is_built_again(tmp_path: Path, right: dict[str, str]) -> None:
    store = Store(tmp_path)
    built(store)
    lost = list(right)[3]
    store.pack_path(right[lost]).unlink()
    heard = Heard()
    assert digests(built(store, heard=heard)) == right
    assert [row.variant for row in heard.rows] == [lost]
    assert verify(store).damage == ()


# workers that die, and worlds that fail


def _deadly(job: Job, work: Work, how: str, variant: str) -> JobResult:
    if variant in [v.name for v in job.variants]:
        if how == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        raise {"memory": MemoryError(), "bug": ZeroDivisionError("of nothing")}[how]
    return work(job)


def _deadly_fan(how: str, variant: str) -> Fan:
    def fan(work: Work, items: Iterable[Job]) -> Iterator[Outcome[Job, JobResult]]:
        return map_in_processes(partial(_deadly, work=work, how=how, variant=variant), items, 2)

    return fan


@pytest.mark.slow
@pytest.mark.parametrize(
    ("how", "reason"),
    [
        ("killed", "WorkerDied: the process that did this was killed"),
        ("memory", "MemoryError"),
        ("bug", "ZeroDivisionError: of"),
    ],
)
def test_only_the_world_that_fails_is_missing_and_only_it_is_tried_again(
    tmp_path: Path, right: dict[str, str], how: str, reason: str
) -> None:
    store, bad = Store(tmp_path), list(right)[2]
    done = built(store, _deadly_fan(how, bad))
    [failed] = done["failed"]
    assert (failed["family"], failed["variant"], failed["seed"]) == ("boat_hire", bad, 1)
    assert failed["problem"].startswith(reason)
    rest = {name: digest for name, digest in right.items() if name != bad}
    assert store.variants("boat_hire", "latest") == rest
    assert done["counts"]["variants"] == 5
    heard = Heard()
    assert digests(built(store, heard=heard)) == right
    assert [row.variant for row in heard.rows] == [bad]
    assert list(store.variants("boat_hire", "latest")) == list(right)


def test_a_blueprint_that_cannot_be_built_does_not_stop_the_other_family(tmp_path: Path) -> None:
    text = BOATS.replace("blueprint: boat_hire", "blueprint: ghost_hire")
    ghost = replace(source_of_text("ghost_hire", text), contract=b"not a contract")
    order = replace(BARE, sources=(SOURCE, ghost), variants=2)
    with pytest.raises(WorldwrightError, match="contract"):
        built(Store(tmp_path), order=order)
    assert len(Store(tmp_path).variants("boat_hire", "latest")) == 2


# stores that are elsewhere, or cannot be written


def _blind(job: Job, work: Work) -> JobResult:
    """A machine that has another folder under that name."""
    sink: Sink = work.keywords["sink"]  # type: ignore[attr-defined]
    found = do(job, replace(sink, token="another"))
    assert len(found.packs) == len(found.rows)
    return found


def test_packs_of_a_machine_that_does_not_see_the_store_are_sent_back(tmp_path: Path, right: dict[str, str]) -> None:
    store = Store(tmp_path)
    done = built(store, lambda work, items: map_in_processes(partial(_blind, work=work), items, 1))
    assert digests(done) == right
    assert verify(store).damage == ()


def test_a_store_that_cannot_be_written_stops_the_run_and_what_is_there_has_its_name(
    tmp_path: Path, right: dict[str, str]
) -> None:
    store, began = Store(tmp_path), list[Job]()

    def full(work: Work, items: Iterable[Job]) -> Iterator[Outcome[Job, JobResult]]:
        for job in items:
            began.append(job)
            yield Outcome(job, work(job)) if len(began) < 2 else Outcome(job, error=StoreError("the store is full"))

    with pytest.raises(StoreError, match=r"the store is full; 2 of 6 worlds are kept\. .* run the same command again"):
        built(store, full)
    assert len(began) == 2
    assert store.variants("boat_hire", "latest") == dict(list(right.items())[:2])
    assert digests(built(store)) == right


def test_a_run_that_is_interrupted_names_what_is_there(tmp_path: Path, right: dict[str, str]) -> None:
    store, closed = Store(tmp_path), list[bool]()

    def stopped(work: Work, items: Iterable[Job]) -> Iterator[Outcome[Job, JobResult]]:
        try:
            yield Outcome(job := next(iter(items)), work(job))
            raise KeyboardInterrupt
        finally:
            closed.append(True)

    with pytest.raises(KeyboardInterrupt):
        built(store, stopped)
    assert closed == [True]
    assert store.variants("boat_hire", "latest") == dict(list(right.items())[:2])
    assert len(read_rows(folder_of(tmp_path, BARE))) == 2
    assert digests(built(store)) == right
    assert list(store.variants("boat_hire", "latest")) == list(right)


def test_a_sample_has_neighbours_and_no_more_than_asked_for() -> None:
    worlds = [(f"v{n}", f"{n:064x}") for n in range(500)]
    some = sample_worlds("family", worlds, 10)
    assert len(set(some)) == len(some) == 10
    assert some == sample_worlds("family", worlds, 10)
    at = [int(variant[1:]) for variant, _ in some]
    assert sum(b - a == 1 for a, b in pairwise(at)) >= 4
    assert sample_worlds("family", worlds[:4], 10) == worlds[:4]
