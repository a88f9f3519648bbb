"""Half-finished processes: many begun and left, and the handbook says from when on they are abandoned."""

from __future__ import annotations

import re

import pytest
from tests.domains import take_turns
from tests.variants.layers.state_worlds import world

from worldwright.core.days import add_days

pytestmark = pytest.mark.slow  # a world with tasks is compiled for each


@pytest.mark.parametrize("domain", take_turns("expense_claims", "enterprise_procurement"))
def test_what_lay_too_long_is_not_gone_on_with(domain: str) -> None:
    found = world(domain, "half_finished")
    name = next(p for p in found.checked.policies if p in ("abandoned_halfway", "left_lying_too_long"))
    policy = found.checked.policies[name]
    entity = policy.takes["kept"].entity
    kind = found.checked.schema.entities[entity]
    first, days = next(iter(kind.lifecycle)), int(policy.parameters["days"].value or 0)
    label = found.checked.blueprint.layers["half_finished"][1].removeprefix("mess:")
    left = {key for one, key in found.grown.messed_rows[label] if one == entity}
    rows = {r["id"]: r for r in found.rows(entity)}
    column = next(c for c in kind.columns if c != kind.state_field and f"kept.{c}" in re.split(r"[^\w.]", policy.text))
    still = [rows[key] for key in left if rows[key][kind.state_field] == first]
    assert still
    assert any(row[column][:10] < add_days(found.checked.schema.now[:10], -days) for row in still)
    assert policy.enforced == "agent"
    assert f"more than {days} days" in found.handbook
    assert found.met("half_finished")
