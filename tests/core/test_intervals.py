from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldwright.core.intervals import beta_cdf, beta_quantile, binomial_interval, wilson_interval

TRIALS = st.integers(1, 60)
LEVELS = st.sampled_from([0.5, 0.8, 0.95, 0.99])


@st.composite
def counts(draw: st.DrawFn) -> tuple[int, int]:
    n = draw(TRIALS)
    return draw(st.integers(0, n)), n


def _chance(k: int, n: int, p: float) -> float:
    return math.comb(n, k) * p**k * (1 - p) ** (n - k)


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [
        (2, 5, 0.0527, 0.8534),
        (0, 5, 0.0, 0.5218),
        (5, 5, 0.4782, 1.0),
        (1, 1, 0.025, 1.0),
        (10, 100, 0.0490, 0.1762),
        (0, 0, 0.0, 1.0),
    ],
)
def test_known_intervals(successes: int, n: int, low: float, high: float) -> None:
    assert binomial_interval(successes, n) == pytest.approx((low, high), abs=1e-4)


def test_known_wilson_intervals() -> None:
    assert wilson_interval(2, 5) == pytest.approx((0.1176, 0.7693), abs=1e-4)
    assert wilson_interval(0, 10) == pytest.approx((0.0, 0.2775), abs=1e-4)
    assert wilson_interval(0, 0) == (0.0, 1.0)


@given(st.integers(1, 40), st.floats(0.001, 0.999), LEVELS)
def test_the_exact_interval_covers_at_least_as_often_as_it_says(n: int, p: float, level: float) -> None:
    covered = 0.0
    for k in range(n + 1):
        low, high = binomial_interval(k, n, level)
        if low <= p <= high:
            covered += _chance(k, n, p)
    assert covered >= level - 1e-9


@given(counts(), LEVELS)
def test_an_interval_holds_the_share_and_mirrors(count: tuple[int, int], level: float) -> None:
    k, n = count
    for interval in (binomial_interval, wilson_interval):
        low, high = interval(k, n, level)
        assert 0 <= low <= k / n <= high <= 1
        mirrored = interval(n - k, n, level)
        assert mirrored == pytest.approx((1 - high, 1 - low), abs=1e-9)


@given(counts(), LEVELS)
def test_more_successes_move_it_up_and_more_trials_make_it_narrower(count: tuple[int, int], level: float) -> None:
    k, n = count
    for interval in (binomial_interval, wilson_interval):
        if k < n:
            assert interval(k, n, level)[0] < interval(k + 1, n, level)[0]
            assert interval(k, n, level)[1] < interval(k + 1, n, level)[1]
        few, many = interval(k, n, level), interval(4 * k, 4 * n, level)
        assert many[1] - many[0] < few[1] - few[0]


@given(counts())
def test_a_higher_level_is_wider(count: tuple[int, int]) -> None:
    for interval in (binomial_interval, wilson_interval):
        (a, b), (c, d) = interval(*count, 0.8), interval(*count, 0.99)
        assert c <= a
        assert b <= d


@given(counts(), st.floats(0.001, 0.999))
def test_the_beta_distribution_is_the_tail_of_the_binomial(count: tuple[int, int], p: float) -> None:
    k, n = count
    if k:
        tail = sum(_chance(i, n, p) for i in range(k, n + 1))
        assert beta_cdf(p, k, n - k + 1) == pytest.approx(tail, abs=1e-10)


@given(st.floats(0.5, 2000), st.floats(0.5, 2000), st.floats(0.001, 0.999))
def test_quantile_and_distribution_are_inverse(a: float, b: float, q: float) -> None:
    x = beta_quantile(q, a, b)
    assert 0 <= x <= 1
    assert beta_cdf(x, a, b) == pytest.approx(q, abs=1e-9)
    assert beta_cdf(1 - x, b, a) == pytest.approx(1 - q, abs=1e-6)


@given(st.floats(0.5, 500), st.floats(0.5, 500), st.floats(0, 1), st.floats(0, 1))
def test_the_distribution_rises_from_0_to_1(a: float, b: float, x: float, y: float) -> None:
    low, high = sorted((x, y))
    assert 0 <= beta_cdf(low, a, b) <= beta_cdf(high, a, b) + 1e-12 <= 1 + 2e-12
    assert (beta_cdf(0, a, b), beta_cdf(1, a, b)) == (0, 1)


def test_a_million_trials_are_no_trouble() -> None:
    low, high = binomial_interval(500_000, 1_000_000)
    assert (low, high) == pytest.approx((0.49902, 0.50098), abs=1e-5)


@pytest.mark.parametrize(("successes", "n", "level"), [(-1, 5, 0.95), (6, 5, 0.95), (2, 5, 0.0), (2, 5, 1.0)])
def test_what_is_no_count_is_refused(successes: int, n: int, level: float) -> None:
    for interval in (binomial_interval, wilson_interval):
        with pytest.raises(ValueError, match=r"no count|between 0 and 1"):
            interval(successes, n, level)


def test_what_is_no_distribution_is_refused() -> None:
    with pytest.raises(ValueError, match="no distribution"):
        beta_cdf(0.5, 0, 1)
    with pytest.raises(ValueError, match="no share"):
        beta_quantile(1.5, 1, 1)
