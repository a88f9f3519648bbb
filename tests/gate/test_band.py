from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldwright.core.errors import UsageError
from worldwright.gate.band import (
    KEPT,
    TOO_EASY,
    TOO_HARD,
    Band,
    compute_label_probabilities,
    find_most_probable_label,
    label_by_count,
    read_band,
)
from worldwright.gate.records import compute_variance_interval, genenv_score, learnable


@st.composite
def counts(draw: st.DrawFn) -> tuple[int, int]:
    n = draw(st.integers(1, 40))
    return draw(st.integers(0, n)), n


def test_two_to_four_of_five_are_kept() -> None:
    labels = [label_by_count(k, read_band("2-4", 5)) for k in range(6)]
    assert labels == [TOO_HARD, TOO_HARD, KEPT, KEPT, KEPT, TOO_EASY]


def test_with_as_many_attempts_as_the_band_counts_both_ways_agree() -> None:
    band = Band()
    assert [find_most_probable_label(k, 5, band)[0] for k in range(6)] == [label_by_count(k, band) for k in range(6)]


@given(counts(), st.integers(1, 20), st.data())
def test_masses_are_a_distribution_and_move_with_successes(
    count: tuple[int, int], runs: int, data: st.DataObject
) -> None:
    low = data.draw(st.integers(0, runs))
    band = Band(low, data.draw(st.integers(low, runs)), runs)
    k, n = count
    found = compute_label_probabilities(k, n, band)
    assert sum(found.values()) == pytest.approx(1, abs=1e-9)
    assert all(mass >= 0 for mass in found.values())
    more = compute_label_probabilities(k + 1, n + 1, band)
    assert more[TOO_HARD] <= found[TOO_HARD] + 1e-12
    assert more[TOO_EASY] >= found[TOO_EASY] - 1e-12


def test_a_band_that_reaches_the_end_calls_nothing_too_easy() -> None:
    assert compute_label_probabilities(50, 50, Band(2, 5, 5))[TOO_EASY] == 0
    assert compute_label_probabilities(0, 50, Band(0, 4, 5))[TOO_HARD] == 0


@pytest.mark.parametrize("text", ["", "2", "4-2", "2-6", "-1-3", "a-b", "2-4-5", "2..4"])
def test_what_is_no_band_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="band"):
        read_band(text, 5)


@given(counts())
def test_figures_follow_from_the_counts(count: tuple[int, int]) -> None:
    k, n = count
    found = learnable(k, n)
    assert found.p == k / n
    assert found.variance is not None
    assert found.score is not None
    low, high = found.variance_interval
    assert 0 <= low <= found.variance <= high <= 0.25
    assert 0 < found.score <= 1
    mirrored = learnable(n - k, n)
    assert mirrored.variance_interval == pytest.approx(found.variance_interval, abs=1e-9)
    assert mirrored.score == pytest.approx(found.score)


def test_nothing_is_said_of_what_was_not_tried() -> None:
    found = learnable(0, 0)
    assert {found.data()[name] for name in ("p", "variance", "score")} == {None}
    assert (found.p_interval, found.variance_interval) == ((0, 1), (0, 0.25))


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_the_interval_of_the_variance_holds_every_p_of_the_interval(a: float, b: float, where: float) -> None:
    low, high = sorted((a, b))
    p = low + where * (high - low)
    least, most = compute_variance_interval((low, high))
    assert least - 1e-12 <= p * (1 - p) <= most + 1e-12


def test_the_score_is_the_formula_of_the_documentation() -> None:
    assert genenv_score(0.5) == 1
    assert genenv_score(0.3) == pytest.approx(0.67, abs=0.005)
    assert genenv_score(0.0) == pytest.approx(0.082, abs=0.001)
    assert genenv_score(0.8, a=0.8, b=3) == 1
    assert genenv_score(0.0, a=0.5, b=4) == pytest.approx(0.3679, abs=1e-4)
