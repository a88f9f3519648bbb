"""The numbers of a report: estimators against every subset, intervals that hold what they are of, errors that never count."""

from __future__ import annotations

from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rollout.made_runs import episode, row, rows_of

from worldwright.core.intervals import wilson_interval
from worldwright.core.rng import Stream
from worldwright.rollout.knobs import BUCKETS, assign_bucket, measure_knob, measure_knobs
from worldwright.rollout.stats import (
    Group,
    Rate,
    Tally,
    bootstrap_intervals,
    classify_trend,
    compare_rates,
    compute_effective_size,
    compute_means,
    compute_pass_curves,
    compute_rate,
    extract_stats,
    find_rises,
    group_by,
    pass_at,
    pass_hat,
)

counted = st.integers(1, 12).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n)))
attempts = st.lists(st.booleans(), min_size=1, max_size=6)
tasks = st.dictionaries(st.text("abcdefgh", min_size=1, max_size=2), attempts, min_size=1, max_size=8)
even = st.integers(1, 5).flatmap(
    lambda n: st.dictionaries(
        st.text("abcdefgh", min_size=1, max_size=2),
        st.lists(st.booleans(), min_size=n, max_size=n),
        min_size=1,
        max_size=8,
    )
)


@given(st.lists(st.booleans(), min_size=1, max_size=7), st.integers(1, 7))
def test_estimators_are_the_share_of_subsets(found: list[bool], k: int) -> None:
    if k > len(found):
        return
    subsets = list(combinations(found, k))
    assert pass_at(len(found), sum(found), k) == pytest.approx(sum(any(s) for s in subsets) / len(subsets))
    assert pass_hat(len(found), sum(found), k) == pytest.approx(sum(all(s) for s in subsets) / len(subsets))


@given(counted)
def test_more_attempts_help_any_and_hurt_all(found: tuple[int, int]) -> None:
    n, c = found
    some, every = [pass_at(n, c, k) for k in range(1, n + 1)], [pass_hat(n, c, k) for k in range(1, n + 1)]
    assert some == sorted(some)
    assert every == sorted(every, reverse=True)
    assert some[0] == pytest.approx(c / n) == pytest.approx(every[0])
    assert (some[-1], every[-1]) == (float(c > 0), float(c == n))


@given(even)
def test_pass_at_one_is_the_pass_rate(found: dict[str, list[bool]]) -> None:
    rows = rows_of(found)
    shape = compute_pass_curves(rows)
    assert shape.any[0].value == pytest.approx(compute_rate(rows).value)
    assert shape.all[0].value == pytest.approx(compute_rate(rows).value)
    for points, falling in ((shape.any, False), (shape.all, True)):
        values = [p.value for p in points]
        assert [p.k for p in points] == list(range(1, len(next(iter(found.values()))) + 1))
        assert all((a >= b - 1e-12) if falling else (a <= b + 1e-12) for a, b in pairwise(values))
        assert all(p.low <= p.high and p.tasks == len(found) for p in points)


@given(tasks)
def test_the_interval_holds_the_rate(found: dict[str, list[bool]]) -> None:
    of = compute_rate(rows_of(found))
    assert of.value is not None
    assert 0 <= of.low <= of.value <= of.high <= 1


@given(st.lists(st.booleans(), min_size=1, max_size=30))
def test_single_attempts_have_the_interval_of_wilson(found: list[bool]) -> None:
    of = compute_rate(rows_of({str(n): [ok] for n, ok in enumerate(found)}))
    assert (of.low, of.high) == wilson_interval(sum(found), len(found))


@given(tasks)
def test_attempts_are_worth_between_tasks_and_episodes(found: dict[str, list[bool]]) -> None:
    tallies = [Tally(len(v), sum(v)) for v in found.values()]
    assert len(found) <= compute_effective_size(tallies) <= sum(map(len, found.values()))


def test_attempts_that_agree_are_worth_one() -> None:
    assert compute_effective_size([Tally(5, 5), Tally(5, 0), Tally(5, 5), Tally(5, 0)]) == 4
    assert compute_effective_size([Tally(4, 2)] * 10) == 40


def test_errors_are_no_failures() -> None:
    rows = [row("a"), row("a", "error"), row("b", "fail"), row("c", "error")]
    of = compute_rate(rows)
    assert (of.passed, of.judged, of.errors, of.tasks, of.value) == (1, 2, 2, 2, 0.5)
    assert compute_pass_curves(rows).any[0].value == 0.5
    assert compute_means(rows).calls == 3


def test_where_nothing_was_judged_there_is_no_rate() -> None:
    of = compute_rate([row("a", "error")])
    assert (of.value, of.low, of.high) == (None, 0.0, 1.0)
    assert compute_pass_curves([row("a", "error")]).any == ()
    assert compute_pass_curves([]).all == ()


def test_curves_end_where_fewer_than_half_of_the_tasks_go_on() -> None:
    rows = rows_of({"a": [True] * 4, "b": [True] * 3, "c": [False] * 2})
    shape = compute_pass_curves(rows)
    assert [(p.k, p.tasks) for p in shape.any] == [(1, 3), (2, 3), (3, 2)]
    assert shape.any[2].value == 1.0


@pytest.mark.slow
def test_draws_are_the_same_each_time_and_cover_what_they_are_of() -> None:
    stream = Stream("test")
    held = 0
    for _ in range(40):
        found = {str(n): [stream.chance(0.3) for _ in range(3)] for n in range(25)}
        first = compute_pass_curves(rows_of(found)).any[0]
        assert first == compute_pass_curves(list(reversed(rows_of(found)))).any[0]
        held += first.low <= 0.3 <= first.high
    assert held >= 34


@pytest.mark.parametrize("ok", [True, False])
def test_tasks_that_all_agree_leave_room_for_others(ok: bool) -> None:
    shape = compute_pass_curves(rows_of({str(n): [ok, ok] for n in range(9)}))
    assert [(p.low, p.high) for p in (*shape.any, *shape.all)] == [wilson_interval(9 * ok, 9)] * 4


def test_a_column_without_values_says_nothing() -> None:
    assert bootstrap_intervals([(1.0, None), (1.0, None)], "test") == [(1.0, 1.0), (0.0, 1.0)]


def test_a_difference_is_paired() -> None:
    easy, hard = {f"e{n}": [True, True] for n in range(20)}, {f"h{n}": [False, False] for n in range(20)}
    better = {**easy, **{f"h{n}": [True, False] for n in range(20)}}
    gap = compare_rates(rows_of(better), rows_of({**easy, **hard, "only here": [True]}))
    assert (gap.tasks, gap.value, gap.better, gap.worse, gap.clear) == (40, 0.25, 20, 0, True)
    assert 0.15 < gap.low < 0.25 < gap.high < 0.35
    back = compare_rates(rows_of({**easy, **hard}), rows_of(better))
    assert (back.value, back.clear) == (-0.25, True)
    same = compare_rates(rows_of(better), rows_of(better))
    assert (same.value, same.low, same.high, same.clear) == (0, 0, 0, False)
    assert compare_rates(rows_of({"a": [True]}), rows_of({"b": [True]})).tasks == 0


@given(st.integers(0, 5000))
def test_a_number_lies_in_its_bucket(value: int) -> None:
    name = assign_bucket(value)
    assert name in BUCKETS
    low, _, high = name.rstrip("+").partition("-")
    assert int(low) <= value
    assert name.endswith("+") or value <= int(high or low)


def test_buckets_are_fixed() -> None:
    assert BUCKETS == ("<0", "0", "1", "2", "3-4", "5-8", "9-16", "17-32", "33-64", "65+")
    assert [assign_bucket(v) for v in (-1, 0, 2.5, 4, True, None, "id")] == [
        "<0",
        "0",
        "3-4",
        "3-4",
        "yes",
        "none",
        "id",
    ]


def test_knobs_go_from_easy_to_hard() -> None:
    features = [{"calls": n, "reference": r, "odd": "x"} for n, r in ((12, "relation"), (1, "id"), (3, "name"))]
    rows = [row(str(n), features=f) for n, f in enumerate(features)]
    assert [k.name for k in measure_knobs(rows)] == ["calls", "reference"]
    assert [g.name for g in measure_knob(rows, "calls").groups] == ["1", "3-4", "9-16"]
    assert [g.name for g in measure_knob(rows, "reference").groups] == ["id", "name", "relation"]
    assert measure_knob(rows, "reference").ordered
    assert not measure_knob(rows, "odd").ordered


def test_values_that_are_no_measure_are_left_out() -> None:
    rows = [row(str(n), features={"list": [n], "size": n}) for n in range(3)]
    assert [k.name for k in measure_knobs(rows)] == ["size"]


def groups(*bounds: tuple[float, float]) -> list[Group]:
    return [Group(str(n), Rate(1, 2, 0, 2, low, high)) for n, (low, high) in enumerate(bounds)]


def test_trends() -> None:
    assert classify_trend(groups((0.6, 0.8), (0.3, 0.5))) == "falls"
    assert classify_trend(groups((0.6, 0.8), (0.5, 0.7), (0.65, 0.9))) == "level"
    assert classify_trend(groups((0.6, 0.8), (0.1, 0.2), (0.3, 0.5))) == "rises"
    assert classify_trend(groups((0.6, 0.8))) == ""
    assert find_rises(groups((0.6, 0.8), (0.1, 0.2), (0.3, 0.5))) == (("1", "2"),)
    assert not find_rises(groups((0.6, 0.8), (0.5, 0.7)))
    assert find_rises(groups((0.1, 0.2), (0.5, 0.7)))


def test_groups_stand_in_their_order() -> None:
    rows = [row("a", family="walk"), row("b", "fail", family="policy"), row("c", family="other")]
    found = group_by(rows, lambda r: r.family, ("policy", "walk"))
    assert [(g.name, g.rate.passed) for g in found] == [("policy", 0), ("walk", 1), ("other", 1)]


def test_a_light_row_keeps_what_counts() -> None:
    made = extract_stats(episode("fail", usage={"prompt_tokens": 7, "model": "m", "cached": True}))
    assert (made.status, made.calls, made.turns, made.failed) == ("fail", 1, 1, ("booked",))
    assert made.usage == {"prompt_tokens": 7}
    assert compute_means([made]).timing["agent"] == 0.5
