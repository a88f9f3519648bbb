"""Seeded randomness: the same everywhere and for ever, and random enough."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldwright.core.rng import Stream, exp

paths = st.lists(st.text(max_size=6) | st.integers(-(2**70), 2**70), max_size=4)

ONE_OF_EACH = """
from worldwright.core.rng import Stream
s = Stream(7, "state", "vendor", 17, "name")
print([
    s.bits(), s.bits(), s.bits(), s.uniform(), s.below(10), s.between(-5, 5), s.between(5, -5), s.chance(0.5),
    s.pick("abcdef"), s.weighted("abc", [1, 2, 3]), s.favourite(range(100)), s.skewed(1, 100), s.normal(),
    s.lognormal(18, 0.5), s.shuffled(list(range(8))),
])
"""

GOLDEN = [
    13709694087452091485, 9791134017407736391, 8646797828032196858, 0.309198654527169, 4, -5, 1, True, "a", "b", 1, 28,
    0.05991049424969752, 9.144430585517325, [5, 4, 7, 6, 0, 2, 3, 1],
]  # fmt: skip
"""Every pack ever built depends on these: a change here is a change of every world."""


@pytest.mark.parametrize("hash_seed", ["0", "1", "4711"])
def test_the_values_are_the_same_in_every_process(hash_seed: str) -> None:
    env = {**os.environ, "PYTHONHASHSEED": hash_seed}
    done = subprocess.run([sys.executable, "-c", ONE_OF_EACH], env=env, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == repr(GOLDEN)


@pytest.mark.parametrize(
    ("path", "bits"),
    [
        ((), 6378476286688987887),
        (("a", "b"), 5658053304176993038),
        (("ab",), 8798034488213344120),
        ((0,), 15680659437563388232),
        (("Zoë",), 6368682484789299811),
    ],
)
def test_first_bits_of_a_path(path: tuple[str | int, ...], bits: int) -> None:
    assert Stream(*path).bits() == bits


@given(paths)
def test_a_path_always_gives_the_same_stream(path: list[str | int]) -> None:
    one, other = Stream(*path), Stream(*path)
    assert [one.bits() for _ in range(5)] == [other.bits() for _ in range(5)]


def test_neighbouring_paths_have_nothing_in_common() -> None:
    firsts = [Stream(seed, "base", "vendor", row, "name").bits() for seed in range(30) for row in range(100)]
    assert len(set(firsts)) == len(firsts)
    shared = [bin(a ^ b).count("1") for a, b in pairwise(firsts)]
    assert 31 < sum(shared) / len(shared) < 33, "half of the bits differ"


def test_bits_and_uniform_cover_their_range_evenly() -> None:
    stream = Stream("uniform")
    counts = Counter(int(stream.uniform() * 20) for _ in range(40_000))
    assert sorted(counts) == list(range(20))
    assert sum((n - 2000) ** 2 / 2000 for n in counts.values()) < 50, "chi squared, 19 degrees of freedom"
    ones = [sum(Stream("bits", i).bits() >> bit & 1 for i in range(2000)) for bit in range(64)]
    assert all(850 < n < 1150 for n in ones)


@given(st.integers(1, 2**62), st.integers(0, 2**32))
def test_below_stays_below(n: int, seed: int) -> None:
    assert 0 <= Stream(seed).below(n) < n


@given(st.integers(-(10**9), 10**9), st.integers(-(10**9), 10**9), st.integers(0, 2**32))
def test_bounds_are_kept_in_either_order(low: int, high: int, seed: int) -> None:
    for name in ("between", "skewed"):
        value = getattr(Stream(seed), name)(low, high)
        assert min(low, high) <= value <= max(low, high)
        assert value == getattr(Stream(seed), name)(high, low)


def test_both_bounds_are_reached() -> None:
    stream = Stream("bounds")
    assert {stream.between(1, 4) for _ in range(200)} == {1, 2, 3, 4}
    assert {stream.skewed(1, 4) for _ in range(200)} == {1, 2, 3, 4}


def test_shapes_of_the_distributions() -> None:
    stream = Stream("shapes")
    skewed = [stream.skewed(0, 99) for _ in range(4000)]
    assert 27 < sum(skewed) / 4000 < 39, "a third of the way, not half"
    favourites = Counter(stream.favourite(range(10)) < 2 for _ in range(4000))
    assert 0.4 < favourites[True] / 4000 < 0.65
    normal = [stream.normal() for _ in range(8000)]
    mean = sum(normal) / 8000
    assert abs(mean) < 0.05
    assert abs(sum((x - mean) ** 2 for x in normal) / 8000 - 1) < 0.06
    logs = sorted(stream.lognormal(18, 0.5) for _ in range(4001))
    assert 17 < logs[2000] < 19, "the median is the one asked for"
    words = Counter(stream.weighted("abc", [1, 0, 3]) for _ in range(4000))
    assert words["b"] == 0
    assert 0.22 < words["a"] / 4000 < 0.28


@given(st.floats(0, 1), st.integers(0, 2**32))
def test_chance_is_the_place_of_the_uniform(p: float, seed: int) -> None:
    assert Stream(seed).chance(p) == (Stream(seed).uniform() < p)
    assert not Stream(seed).chance(0)
    assert Stream(seed).chance(1)


@given(st.lists(st.integers(), max_size=20), st.integers(0, 2**32))
def test_shuffled_keeps_every_item(items: list[int], seed: int) -> None:
    before = list(items)
    assert sorted(Stream(seed).shuffled(items)) == sorted(items)
    assert items == before


def test_every_order_of_three_comes_up_as_often() -> None:
    counts = Counter(tuple(Stream("order", i).shuffled("abc")) for i in range(6000))
    assert len(counts) == 6
    assert all(850 < n < 1150 for n in counts.values())


@given(st.floats(-600, 600))
def test_exp_is_the_exponential(x: float) -> None:
    assert math.isclose(exp(x), math.exp(x), rel_tol=1e-12)


def test_exp_of_simple_numbers_is_exact() -> None:
    assert exp(0.0) == 1.0
    assert exp(-0.0) == 1.0
    assert math.isclose(exp(1.0), math.e, rel_tol=1e-15)


@given(st.floats(-50, 50), st.floats(0, 1))
def test_exp_grows(x: float, step: float) -> None:
    assert exp(x) <= exp(x + step) * (1 + 1e-15)
