"""The conversations of the catalogue: each example of asking for something gets it, or is asked back for it, and never something
else."""

from __future__ import annotations

import pytest

from worldwright import catalogue
from worldwright.people.orders import ACTION
from worldwright.people.understand import understand
from worldwright.world.tasks import Fact

DOMAINS = (
    "broadband_support", "building_permits",
    "clinic_scheduling", "flight_rebooking", "hotel_booking", "it_service_desk", "motor_claims", "property_management",
    "retail_returns", "utility_billing",
)  # fmt: skip


@pytest.mark.parametrize("domain", DOMAINS)
def test_every_example_is_understood(domain: str) -> None:
    talks = [(name, goal.talk) for name, goal in catalogue.load(domain).goals.items() if goal.talk is not None]
    assert len(talks) >= 6
    told = asked = 0
    for name, talk in talks:
        facts = [Fact(known.name, known.kind, known.called, "-", known.asked) for known in talk.knows]
        facts += [Fact(act.name, ACTION, act.called, "", act.asked) for act in talk.does]
        for fact in facts:
            for question in fact.asked:
                heard = understand(question, facts)
                asked += 1
                told += heard.asked == (fact.name,)
                assert fact.name in (*heard.asked, *heard.unclear), (name, question, heard)
    assert told >= 0.9 * asked
