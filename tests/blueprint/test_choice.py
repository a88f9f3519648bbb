"""Other named parameters for the policies of a Blueprint: what `variant` may say, and the short way to it."""

from __future__ import annotations

import pytest
from tests.domains import FULL_TURN, take_turns

from worldwright import catalogue
from worldwright.blueprint.check.rules import list_sets
from worldwright.blueprint.checked import Checked
from worldwright.blueprint.load import canonical_yaml, load_text
from worldwright.blueprint.policy_parameters import choose_parameters
from worldwright.core.errors import BlueprintError
from worldwright.kinds.database.handbook import render_handbook


def loaded(checked: Checked, variant: dict[str, str]) -> Checked:
    """The long way: written out and read again."""
    return load_text(canonical_yaml(checked.blueprint.model_copy(update={"variant": variant})))


@pytest.mark.slow
@pytest.mark.parametrize("name", take_turns(*catalogue.names(), full=FULL_TURN))
def test_the_short_way_gives_what_loading_gives(name: str) -> None:
    checked = catalogue.load(name)
    sets = {policy: list_sets(spec) for policy, spec in checked.blueprint.policies.items()}
    for pick in (1, -1):
        variant = {policy: own[pick] for policy, own in sets.items() if len(own) > 1}
        short, long = choose_parameters(checked, variant), loaded(checked, variant)
        assert short.digest == long.digest
        assert short.policies == long.policies
        assert short.schema == long.schema
        assert render_handbook(short) == render_handbook(long)
        assert choose_parameters(short, {}).digest == loaded(checked, {}).digest


def test_what_is_chosen_already_is_the_same(library: Checked) -> None:
    assert choose_parameters(library, {"no_debts": "default"}) is library


@pytest.mark.parametrize(
    ("variant", "said"),
    [
        ({"no_debts": "severe"}, "policy `no_debts` has no variant `severe`"),
        ({"no_depts": "strict"}, "no policy is called `no_depts`"),
        ({"no_debts": "off"}, "policy `no_debts` has no variant `off`"),
        ({"no_debts": "after"}, "policy `no_debts` has no variant `after`"),
    ],
)
def test_what_is_no_variant_is_said(library: Checked, variant: dict[str, str], said: str) -> None:
    with pytest.raises(BlueprintError, match=said):
        choose_parameters(library, variant)
    with pytest.raises(BlueprintError, match=said):
        loaded(library, variant)


def test_an_exemption_that_is_off_is_in_no_handbook(library: Checked) -> None:
    found = choose_parameters(library, {"long_standing": "off"})
    assert "long_standing" not in found.policies
    assert "long standing" in render_handbook(library)
    assert "long standing" not in render_handbook(found)
    assert found.policies["loan_limit"].binding == found.policies["loan_limit"].rule


def test_an_exemption_behind_its_rule_says_so_and_lifts_nothing(library: Checked) -> None:
    found = choose_parameters(library, {"long_standing": "after"})
    assert "(Comes before: loan limit.)" in render_handbook(library)
    assert "(Comes after: loan limit. Where both apply, this one gives way.)" in render_handbook(found)
    assert "Comes before" not in render_handbook(found)
    assert found.policies["loan_limit"].binding == found.policies["loan_limit"].rule


OBEYED = """
blueprint: yard
title: Yard
now: 2025-06-16T09:00:00Z
systems: {gate: the gate}
entities:
  car: {in: gate, key: CAR-###, rows: 3, fields: {weight: int, clean: bool}}
policies:
  light: {about: {car: car}, rule: car.weight < 10, says: Light cars only., cases: [{allowed: {car.weight: 9, car.clean: false}},
    {forbidden: {car.weight: 10, car.clean: false}}]}
  washed: {about: {car: car}, when: car.clean, beats: light, says: Washed cars always., cases: [{applies: {car.clean: true}},
    {not: {car.clean: false}}]}
operations:
  admit: {in: gate, says: Let a car in., by: anyone, takes: {car: car}, does: [{require: "obeys(washed)"}, {obey: [light]},
    {set: {car.weight: 1}}], gives: car}
"""


def test_an_exemption_that_something_asks_for_cannot_be_off() -> None:
    checked = load_text(OBEYED)
    assert choose_parameters(checked, {"washed": "after"}).policies["washed"].behind == ("light",)
    with pytest.raises(BlueprintError, match="washed"):
        choose_parameters(checked, {"washed": "off"})
