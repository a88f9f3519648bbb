"""Policy conflicts: an exception lifts a rule, its counter-exception brings it back, and the handbook tells their order."""

from __future__ import annotations

import pytest
from tests.domains import take_turns
from tests.variants.layers.state_worlds import world

from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.policy_parameters import choose_parameters
from worldwright.core.names import to_words

pytestmark = pytest.mark.slow  # a world with tasks is compiled for each

LAYER = "policy_conflicts"


@pytest.mark.parametrize("domain", take_turns("enterprise_procurement", "card_disputes", "retail_returns"))
def test_the_handbook_tells_the_order_and_requests_meet_it(domain: str) -> None:
    found = world(domain, LAYER)
    assert found.met(LAYER)
    parts = [p.removeprefix("policy:") for p in found.checked.blueprint.layers[LAYER]]
    for rule, lifts, returns in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        assert found.checked.policies[lifts].beats == (rule,)
        assert found.checked.policies[returns].beats == (lifts,)
        assert f"(Comes before: {to_words(rule)}.)" in found.handbook
        assert f"(Comes before: {to_words(lifts)}.)" in found.handbook
        binding = found.checked.policies[rule].binding
        assert isinstance(binding, n.Or)
        exception, counter = found.checked.policies[lifts].when, found.checked.policies[returns].when
        assert n.And(binding.type, (exception, n.Not(binding.type, counter))) in binding.items  # type: ignore[arg-type]
        cases = found.checked.blueprint.policies[rule].cases
        assert any(case.because == lifts for case in cases)


def test_orders_can_be_swapped() -> None:
    """Behind the exception, the counter-exception brings nothing back; behind the rule, the exception lifts nothing."""
    found = world("enterprise_procurement", LAYER).checked
    rule, lifts, returns = (p.removeprefix("policy:") for p in found.blueprint.layers[LAYER][:3])
    lifted = choose_parameters(found, {returns: "after"}).policies[rule].binding
    assert isinstance(lifted, n.Or)
    assert found.policies[lifts].when in lifted.items
    bound = choose_parameters(found, {lifts: "after"}).policies[rule].binding
    assert not isinstance(bound, n.Or) or found.policies[lifts].when not in bound.items
