"""Partial refunds: what was settled so far is the sum of its parts, some is half settled, and only the last part closes it."""

from __future__ import annotations

from collections import defaultdict

import pytest
from tests.domains import take_turns
from tests.variants.layers.state_worlds import world

pytestmark = pytest.mark.slow  # a world with tasks is compiled for each

LAYER = "partial_refunds"


@pytest.mark.parametrize("domain", take_turns("enterprise_procurement"))
def test_parts_add_up_and_some_are_open(domain: str) -> None:
    found = world(domain, LAYER)
    met = found.met(LAYER)
    assert met
    bp = found.checked.blueprint
    policy = next(p.removeprefix("policy:") for p in bp.layers[LAYER] if p.startswith("policy:"))
    whole = next(t.entity for t in found.checked.policies[policy].takes.values() if t.kind == "ref")
    before = world(domain).checked.schema.entities
    part = next(e for e in found.checked.schema.entities if e not in before)
    column = next(
        col.name for name, col in found.checked.schema.entities[whole].columns.items()
        if name not in before[whole].columns and col.type.kind == "money"
    )  # fmt: skip
    sums: dict[str, int] = defaultdict(int)
    for row in found.rows(part):
        sums[row["whole"]] += row["amount"]
    rows = found.rows(whole)
    assert {r["id"]: r[column] for r in rows if r[column]} == dict(sums)
    several = [one for one in sums if sum(r["whole"] == one for r in found.rows(part)) > 1]
    assert several, "some were settled in parts to the end"
    assert len(several) < len(sums), "and some are still open"


@pytest.mark.parametrize("domain", take_turns("enterprise_procurement"))
def test_the_rest_is_what_is_left(domain: str) -> None:
    """Whoever is asked for the rest reports what went out, not the whole amount."""
    found = world(domain, LAYER)
    goals = {p.removeprefix("goal:") for p in found.checked.blueprint.layers[LAYER] if p.startswith("goal:")}
    asked = [key for _, key in found.tasks if goals & {use["goal"] for use in key.expects["goals"]}]
    asked += [key for _, key in found.tasks if key.expects.get("asked") in goals]
    assert asked
