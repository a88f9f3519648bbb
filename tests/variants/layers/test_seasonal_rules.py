"""Seasonal rules: what is done lies outside of the quiet days, what is refused for their sake lies within."""

from __future__ import annotations

from typing import Any

import pytest
from tests.domains import take_turns
from tests.variants.layers.state_worlds import World, world

from worldwright.blueprint.load import compute_digest
from worldwright.catalogue import load

pytestmark = pytest.mark.slow  # a world with tasks is compiled for each

LAYER = "seasonal_rules"


def days(found: World, policy: str) -> tuple[str, str]:
    """The operation that keeps the rule, and the day that it looks at."""
    for name, op in found.checked.blueprint.operations.items():
        for s in op.does:
            if isinstance(s.obey, dict) and policy in s.obey:
                return name, s.obey[policy]["on_day"]
    raise AssertionError(policy)


def day_of(found: World, at: str, arguments: dict[str, Any], operation: str) -> str:
    name, _, column = at.partition(".")
    if not column:
        return str(arguments[name])
    kind = found.checked.operations[operation].input(name)
    assert kind is not None
    return next(str(r[column]) for r in found.rows(kind.type.entity) if r["id"] == arguments[name])


@pytest.mark.parametrize("domain", take_turns("enterprise_procurement", "utility_billing", "card_disputes"))
def test_the_day_decides(domain: str) -> None:
    found = world(domain, LAYER)
    assert found.met(LAYER)
    seen = set()
    for part in found.checked.blueprint.layers[LAYER]:
        name = part.removeprefix("policy:")
        policy = found.checked.policies[name]
        first, last = (int(policy.parameters[p].value or 0) for p in ("first_day", "last_day"))
        assert f"from day {first} to day {last} of every month" in found.handbook
        operation, at = days(found, name)
        for _, key in found.tasks:
            expects = key.expects
            forbidden = [c for c in expects.get("forbidden", ()) if c["tool"] == operation]
            done = [c for c in key.calls if c.tool == operation]
            if expects["answer"].get("rule", {}).get("is") == name:
                seen.add("refused")
                assert all(first <= int(day_of(found, at, c["arguments"], operation)[8:]) <= last for c in forbidden)
            elif done and "." not in at:
                seen.add("done")
                assert not any(first <= int(day_of(found, at, dict(c.arguments), operation)[8:]) <= last for c in done)
    assert seen
    assert load(domain).blueprint.layers == {}
    assert compute_digest(load(domain).blueprint) == load(domain).digest


def test_only_the_handbook_enforces_them() -> None:
    found = world("enterprise_procurement", LAYER)
    parts = found.checked.blueprint.layers[LAYER]
    assert [found.checked.policies[p.removeprefix("policy:")].enforced for p in parts] == ["agent", "agent"]
