"""Difficulty that can be set: profiles, single knobs, clear refusals, and a round trip through a manifest."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldwright.compiler.tasks.knobs import MEASURES, PROFILES, REFERENCES, Knobs, knobs, read_options
from worldwright.core.errors import UsageError


@pytest.mark.parametrize("name", PROFILES)
def test_profiles_survive_a_manifest(name: str) -> None:
    assert read_options(PROFILES[name].options()) == PROFILES[name]


@given(
    st.dictionaries(
        st.sampled_from(sorted(MEASURES)), st.tuples(st.integers(0, 50), st.integers(0, 50)).map(sorted).map(tuple)
    ),
    st.sampled_from(("any", *REFERENCES)),
)
def test_any_knobs_survive_a_manifest(bounds: dict[str, tuple[int, int]], reference: str) -> None:
    set_ = Knobs(reference, 3, bounds)
    assert read_options(set_.options()) == set_


@pytest.mark.parametrize(
    ("text", "low", "high"), [("2..6", 2, 6), ("3", 3, 3), ("2..", 2, 9999), ("..4", 0, 4), ("0", 0, 0)]
)
def test_ranges(text: str, low: int, high: int) -> None:
    found = knobs("medium", {"writes": text})
    assert found.bounds["writes"] == (low, high)
    assert found.admits({"writes": low})
    assert found.admits({"writes": high})
    assert not found.admits({"writes": high + 1})


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"wirtes": "2"}, "writes"),
        ({"writes": "many"}, "2..6"),
        ({"writes": "6..2"}, "empty"),
        ({"writes": ".."}, "2..6"),
        ({"reference": "colour"}, "relation"),
    ],
)
def test_wrong_knobs_are_told(settings: dict[str, str], said: str) -> None:
    with pytest.raises(UsageError, match=said.replace(".", r"\.")):
        knobs("medium", settings)


def test_an_unknown_profile_is_told() -> None:
    with pytest.raises(UsageError, match="medium"):
        knobs("mediun", {})
