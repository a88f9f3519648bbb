"""Budget caps: the past kept them, requests lie on both sides, and everything that counts can be seen."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

import pytest
from tests.domains import take_turns
from tests.variants.layers.state_worlds import world

from worldwright.blueprint.model import StatementSpec
from worldwright.variants.drafting.bookings import find_bookings

pytestmark = pytest.mark.slow  # a world with tasks is compiled for each

LAYER = "budget_caps"


@pytest.mark.parametrize("domain", take_turns("enterprise_procurement", "utility_billing", "motor_claims"))
def test_the_past_kept_its_caps_and_requests_meet_them(domain: str) -> None:
    found = world(domain, LAYER)
    assert found.met(LAYER)
    layers = found.checked.blueprint.layers[LAYER]
    policies = [p.removeprefix("policy:") for p in layers if p.startswith("policy:")]
    places = {p.operation: p for p in find_bookings(world(domain).checked, LAYER)}
    kept = 0
    for name in policies:
        place = next(places[op] for op, spec in found.checked.blueprint.operations.items()
                     if op in places and any(isinstance(s.obey, dict) and name in s.obey for s in _flat(spec.does)))  # fmt: skip
        caps = {row["holder"]: row for row in found.rows(name)}
        assert caps
        used: dict[str, int] = defaultdict(int)
        for row in found.rows(place.entity):
            cap = caps.get(row[place.group.name])
            counts = all(row[k] == v for k, v in place.only)
            if cap and counts and row[place.dated] and cap["from_on"] <= row[place.dated][:10] <= cap["until_on"]:
                used[cap["holder"]] += row[place.counted]
        over = [h for h, amount in used.items() if amount > caps[h]["cap"]]
        assert 2 * len(over) <= len(caps), "but for what other operations booked, caps were kept"
        kept += len(used)
        shown = found.shown(f"find_{name}s")
        assert {one["holder"] for one in shown.values()} == set(caps)
    assert kept


def _flat(does: Iterable[StatementSpec]) -> Iterator[StatementSpec]:
    for s in does:
        yield s
        yield from _flat(s.do)
        yield from _flat(s.otherwise)


def test_the_first_cap_is_the_handbooks_alone_and_sets_differ() -> None:
    found = world("enterprise_procurement", LAYER)
    names = [p.removeprefix("policy:") for p in found.checked.blueprint.layers[LAYER] if p.startswith("policy:")]
    assert [found.checked.policies[n].enforced for n in names] == ["agent"] * len(names)
    for name in names:
        assert set(found.checked.blueprint.policies[name].parameters["share"]) == {"default", "strict", "lenient"}
        assert "100%" in found.checked.policies[name].says
