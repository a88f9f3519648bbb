"""Difficulty that can be set: profiles, single knobs, clear refusals, and a round trip through a manifest."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.shared_builds import build

from worldwright.blueprint.checked import Checked
from worldwright.core.errors import UsageError
from worldwright.kinds.database.compile.tasks.knobs import MEASURES, PROFILES, WORDS, Knobs, knobs, read_options
from worldwright.store.open import world_of


@pytest.mark.parametrize("name", PROFILES)
def test_profiles_survive_a_manifest(name: str) -> None:
    assert read_options(PROFILES[name].options()) == PROFILES[name]


@given(
    st.dictionaries(
        st.sampled_from(sorted(MEASURES)), st.tuples(st.integers(0, 50), st.integers(0, 50)).map(sorted).map(tuple)
    ),
    st.sampled_from(WORDS["reference"]),
    st.sampled_from(WORDS["phrases"]),
)
def test_any_knobs_survive_a_manifest(bounds: dict[str, tuple[int, int]], reference: str, phrases: str) -> None:
    set_ = Knobs(reference, 3, phrases, bounds)
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
        ({"phrases": "new"}, "held_out"),
    ],
)
def test_wrong_knobs_are_told(settings: dict[str, str], said: str) -> None:
    with pytest.raises(UsageError, match=said.replace(".", r"\.")):
        knobs("medium", settings)


def test_phrases_are_kept_apart(library: Checked) -> None:
    """What is trained on never uses a way to ask that is held out, and what is evaluated on uses nothing else."""
    of = {
        which: [t for t in world_of(build(library, 7, knobs=Knobs(phrases=which)).pack).tasks if t.family != "program"]
        for which in ("seen", "held_out")
    }
    assert of["seen"]
    assert of["held_out"]
    assert not any(task.features["held_out"] for task in of["seen"])
    several = [t for t in of["held_out"] if t.features["held_out"]]
    assert len(several) >= len(of["held_out"]) / 2  # a goal with one way to ask has none to hold out


def test_an_unknown_profile_is_told() -> None:
    with pytest.raises(UsageError, match="medium"):
        knobs("mediun", {})
