"""An order is data: the same one gives the same jobs, and what decides its worlds decides its digest."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldwright.core.errors import BuildError, UsageError
from worldwright.core.memo import Memo
from worldwright.factory.order import Job, Order, WorldOptions, list_jobs, plan_family
from worldwright.factory.sources import Source, add_layers, load_source, source_of_domain, source_of_text
from worldwright.variants.axes import policy

BOATS = (Path(__file__).resolve().parents[2] / "examples" / "boat_hire.yaml").read_text(encoding="utf-8")
SOURCE = source_of_text("boat_hire", BOATS)
ORDER = Order((SOURCE,), 10)


def every_job(order: Order) -> list[Job]:
    return [job for source in order.sources for job in list_jobs(order, source, plan_family(order, source, Memo()))]


def test_the_same_order_gives_the_same_jobs() -> None:
    assert every_job(ORDER) == every_job(Order((source_of_text("boat_hire", BOATS),), 10))
    names = [variant.name for job in every_job(ORDER) for variant in job.variants]
    assert names == [variant.name for variant in plan_family(ORDER, SOURCE, Memo())]
    assert len(set(names)) == 10


def test_worlds_of_one_job_share_everything_but_their_policies() -> None:
    found = every_job(replace(ORDER, siblings=2))
    assert [len(job.variants) for job in found] == [2] * 5
    for job in found:
        places = {
            (v.seed, tuple(sorted((k, s) for k, s in v.settings.items() if k != policy.AXIS.name)))
            for v in job.variants
        }
        assert len(places) == 1
        assert len({v.settings.get(policy.AXIS.name) for v in job.variants}) == 2


@pytest.mark.parametrize(
    "other",
    [
        replace(ORDER, variants=11),
        replace(ORDER, axes=("seed",)),
        replace(ORDER, seed=1),
        replace(ORDER, siblings=1),
        replace(ORDER, complexity="high"),
        replace(ORDER, asked=WorldOptions(with_tasks=False)),
        replace(ORDER, asked=WorldOptions(knobs=(("reference", "id"),))),
        replace(ORDER, asked=WorldOptions(battery="full")),
        replace(ORDER, sources=(source_of_text("boat_hire", BOATS + "\n# other\n"),)),
        replace(ORDER, sources=(replace(SOURCE, layers=("x",)),)),
        replace(ORDER, sources=(SOURCE, source_of_domain("hotel_booking"))),
    ],
)
def test_what_decides_worlds_decides_the_digest(other: Order) -> None:
    assert other.digest != ORDER.digest


@pytest.mark.slow
def test_a_job_is_small_and_travels() -> None:
    order = Order((source_of_domain("hotel_booking"),), 4)
    for job in every_job(order):
        there = pickle.dumps(job)
        assert len(there) < 4_000
        assert pickle.loads(there) == job


@pytest.mark.slow
@given(st.integers(1, 30), st.integers(1, 30))
def test_a_shorter_run_is_the_beginning_of_a_longer_one(few: int, more: int) -> None:
    few, more = sorted((few, more))
    long = [v for job in every_job(replace(ORDER, variants=more)) for v in job.variants]
    assert [v for job in every_job(replace(ORDER, variants=few)) for v in job.variants] == long[:few]


def test_one_complexity_for_all_is_a_setting_of_all() -> None:
    assert {v.settings.get("complexity") for v in plan_family(replace(ORDER, complexity="high"), SOURCE, Memo())} == {
        "hard"
    }
    assert {v.settings.get("complexity") for v in plan_family(replace(ORDER, complexity="medium"), SOURCE, Memo())} == {
        None
    }
    assert len({v.settings.get("complexity") for v in plan_family(ORDER, SOURCE, Memo())}) > 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sources": ()}, "one family at least"),
        ({"sources": (SOURCE, SOURCE)}, "two Blueprints are called `boat_hire`"),
        ({"axes": ("polcy",)}, "did you mean `policy`"),
        ({"axes": ("complexity",), "complexity": "high"}, "leave one of the two out"),
        ({"asked": WorldOptions(knobs=(("wirtes", "2"),))}, "did you mean `writes`"),
    ],
)
def test_what_cannot_be_ordered_is_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        replace(ORDER, **change)  # type: ignore[arg-type]


def test_a_worker_with_another_catalogue_says_so() -> None:
    with pytest.raises(BuildError, match="needs the same version of worldwright"):
        load_source(Source("hotel_booking", "0" * 64), Memo())


def test_layers_that_have_nothing_to_fall_on_are_left_out_where_there_are_several_families() -> None:
    source = add_layers(source_of_domain("hotel_booking"), ("rate_limits",), strict=True)
    assert source.layers == ("rate_limits",)
    assert "rate_limits" in load_source(source, Memo()).checked.blueprint.layers
