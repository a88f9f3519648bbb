"""Delegated roles: what is done in somebody's name is done within a delegation, and what is refused has none."""

from __future__ import annotations

from typing import Any

import pytest
from tests.domains import take_turns
from tests.variants.layers.state_worlds import World, world

pytestmark = pytest.mark.slow  # a world with tasks is compiled for each

LAYER = "delegated_roles"


def covers(found: World, row: dict[str, Any], deputy: str, principal: str, record: str) -> bool:
    today = found.checked.schema.now[:10]
    return (
        row["deputy"] == deputy and row["principal"] == principal and row["from_on"] <= today <= row["until_on"]
        and ("up_to" not in row or amount(found, record) <= row["up_to"])
    )  # fmt: skip


def amount(found: World, record: str) -> int:
    """What the record comes to, by the rule's own binding."""
    operation, written = place(found)
    name, _, column = written["amount"].partition(".")
    kind = found.checked.operations[operation].input(name)
    assert kind is not None
    return int(next(r[column] for r in found.rows(kind.type.entity) if r["id"] == record))


def place(found: World) -> tuple[str, dict[str, str]]:
    for name, op in found.checked.blueprint.operations.items():
        for s in op.does:
            if isinstance(s.obey, dict) and "acting_for_others" in s.obey:
                return name, s.obey["acting_for_others"]
    raise AssertionError


@pytest.mark.parametrize("domain", take_turns("enterprise_procurement", "motor_claims", "content_moderation"))
def test_only_within_a_delegation(domain: str) -> None:
    found = world(domain, LAYER)
    assert found.met(LAYER)
    operation, written = place(found)
    op = found.checked.operations[operation]
    row = next(i.name for i in op.inputs if i.type.kind == "ref" and not i.optional)
    delegations = found.rows("delegation")
    today = found.checked.schema.now[:10]
    in_force = [d for d in delegations if d["from_on"] <= today <= d["until_on"]]
    assert 0 < len(in_force) < len(delegations)
    assert all(d["deputy"] != d["principal"] for d in delegations)
    assert len(found.shown("find_delegations")) == len(delegations)
    for task, key in found.tasks:
        calls = [(dict(c.arguments), True) for c in key.calls if c.tool == operation]
        if key.expects["answer"].get("rule", {}).get("is") == "acting_for_others":
            calls += [(c["arguments"], False) for c in key.expects["forbidden"] if c["tool"] == operation]
        for arguments, done in calls:
            if arguments.get("for_whom"):
                held = [covers(found, d, task.actor, arguments["for_whom"], arguments[row]) for d in delegations]
                assert any(held) == done
    assert written["principal"] == "for_whom"
