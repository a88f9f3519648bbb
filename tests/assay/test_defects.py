"""The battery's own proof: defects are planted in verifiers of a shipped world, and the battery catches every one that matters."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

import pytest
from tests.assay.planted import defects, judging, keys
from tests.assay.planted.defects import KINDS, Catch, Defect, catch_rate, plant
from tests.assay.worlds import MAIN, Proved
from tests.domains import CORE, take_turns

from worldwright.kinds.database.battery.harness import VerifierHarness
from worldwright.kinds.database.battery.run import CELLS

EVERY = 7
"""One task of so many is looked at here; `benchmarks/defects.py` looks at all."""


@pytest.fixture(scope="module")
def rates(main: Proved) -> Mapping[str, Catch]:
    return catch_rate(main.sandbox, main.tasks[::EVERY], most=2)


def told(found: Mapping[str, Catch]) -> list[Defect]:
    """Real defects that were missed, where they are more than one in fifty: worlds change, and no battery is complete."""
    missed = [defect for catch in found.values() for defect in catch.missed]
    return missed if len(missed) > 0.02 * sum(c.caught for c in found.values()) else []


def test_there_are_many_kinds_and_they_are_told_apart() -> None:
    assert len(KINDS) == len(set(KINDS)) >= 12
    assert all(flaws.__doc__ for _, flaws, _ in keys.KINDS)


def test_a_defect_in_data_leaves_the_key_as_it_was(main: Proved) -> None:
    for task, key in main.tasks[:3]:
        before = json.dumps(key.expects)
        harness = VerifierHarness(main.sandbox, task, key)
        planted = [defect for defect, _ in plant(harness)]
        assert json.dumps(key.expects) == before
        assert len(planted) == len(set(planted)) > 20


@pytest.mark.slow
def test_every_planted_defect_that_matters_is_caught(rates: Mapping[str, Catch]) -> None:
    assert told(rates) == []
    assert sum(c.planted for c in rates.values()) > 300
    assert sum(c.caught for c in rates.values()) > 100


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind",
    [
        "a part of the answer is not asked for",
        "either outcome will do",
        "the answer is not looked at",
        "an answer need not be submitted",
        "the frame is not looked at",
        "only the goal is looked at",
        "a choice is pinned",
        "nothing is demanded, and no goal looked at",
    ],
)
def test_what_nothing_else_implies_is_caught_wherever_it_is_planted(kind: str, rates: Mapping[str, Catch]) -> None:
    """These leave out what no other assertion can stand in for."""
    catch = rates[kind]
    assert catch.planted
    assert catch.caught == catch.planted


@pytest.mark.slow
def test_what_is_equivalent_is_implied_by_the_rest(rates: Mapping[str, Catch]) -> None:
    """Rules are told apart by name only for the report: leaving one out of the list leaves it among the others."""
    catch = rates["a rule is left out or swapped"]
    assert catch.planted == catch.equivalent


def test_a_battery_without_its_cells_misses_defects(main: Proved, monkeypatch: pytest.MonkeyPatch) -> None:
    """The measure can fail: with the gold episode alone, little is caught and the rest is told."""
    monkeypatch.setattr(defects, "CELLS", CELLS[:1])
    found = catch_rate(main.sandbox, main.tasks[:1], most=2)
    assert found["the frame is not looked at"].missed
    assert found["the frame is not looked at"].rate == 0.0


@pytest.mark.slow
@pytest.mark.parametrize("name", take_turns(*(n for n in CORE if n != MAIN)))
def test_the_other_worlds(name: str, world: Callable[[str], Proved]) -> None:
    made = world(name)
    found = catch_rate(made.sandbox, made.tasks[::20], most=2)
    assert told(found) == []


def test_kinds_of_judging_are_named_like_those_of_keys() -> None:
    names = [name for name, _, _ in (*keys.KINDS, *judging.KINDS)]
    assert all(name == name.lower() and not name.endswith(".") for name in names)
