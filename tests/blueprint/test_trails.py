"""Logs are compared like any other table; a trail is not, and so nothing may be written to it alone."""

from __future__ import annotations

import pytest

from worldwright import catalogue
from worldwright.blueprint.load import load_text
from worldwright.core.errors import BlueprintError


@pytest.mark.parametrize(
    ("domain", "entity", "trail"),
    [
        ("motor_claims", "reserve_change", False),
        ("it_service_desk", "work_note", False),
        ("enterprise_procurement", "audit_entry", True),
    ],
)
def test_only_an_audit_trail_is_left_out(domain: str, entity: str, trail: bool) -> None:
    found = catalogue.load(domain).schema.entities[entity]
    assert found.log
    assert found.trail is trail
    assert not any(column.sort == "log" for column in found.columns.values())


def test_nothing_is_written_to_a_trail_alone() -> None:
    text = catalogue.text("motor_claims").replace("key: RES-######\n    sort: log", "key: RES-######\n    sort: trail")
    with pytest.raises(BlueprintError, match=r"set_reserve.*it writes only to the trail `reserve_change`"):
        load_text(text)
