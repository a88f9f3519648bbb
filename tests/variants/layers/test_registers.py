"""Stale copies and schema drift: what counts is in the register, and the handbook says how to read it there."""

from __future__ import annotations

import re

import pytest
from tests.domains import take_turns
from tests.variants.layers.state_worlds import World, world

from worldwright.kinds.database.tables import make_show

pytestmark = pytest.mark.slow  # a world with tasks is compiled for each


def register(found: World, entity: str, field: str) -> str:
    """The tool of the register that shows a field."""
    operations = found.checked.blueprint.operations
    return next(name for name, op in operations.items() if op.search == entity and field in op.shows)


@pytest.mark.parametrize("domain", take_turns("retail_returns", "motor_claims", "clinic_scheduling"))
def test_the_register_has_what_counts(domain: str) -> None:
    found = world(domain, "stale")
    lagging = [
        (e, c) for e in found.checked.schema.entities.values() for c in e.columns.values() if c.shown is not None
    ]
    assert lagging
    seen = behind = 0
    for entity, column in lagging:
        assert column.shown is not None
        mark, now = column.shown.by, f"{column.name}_now"
        tool = register(found, entity.name, now)
        records = found.shown(tool)
        first = next(iter(found.searches(entity.name, column.name)), "")
        listed = found.shown(first) if first else {}
        show = make_show(column) or (lambda value: value)
        for row in found.rows(entity.name) if column.stored else ():
            assert records[row["id"]][now] == show(row[column.name])
            if row["id"] in listed:
                assert mark not in listed[row["id"]], "nothing on the record says that it lags"
                seen += 1
                behind += listed[row["id"]][column.name] != show(row[column.name])
    assert seen == 0 or behind > seen / 4
    assert len(found.met("stale")) >= 3
    assert "That is the one that counts" in found.handbook


@pytest.mark.parametrize("domain", take_turns("motor_claims", "retail_returns", "clinic_scheduling"))
def test_codes_and_units_are_translated_by_the_handbook(domain: str) -> None:
    found = world(domain, "schema_drift")
    moved = [
        (entity, name, column)
        for entity in found.checked.schema.entities.values()
        for name, column in entity.columns.items()
        if column.hidden and (f"{name}_code" in entity.columns or f"{name}_units" in entity.columns)
    ]
    assert moved
    for entity, name, column in moved:
        there = f"{name}_code" if f"{name}_code" in entity.columns else f"{name}_units"
        tool = register(found, entity.name, there)
        note = next(line for line in found.handbook.splitlines() if f"`{tool}`" in line)
        told = dict(re.findall(r"([KQVXZ]\d+) is ([\w ]+)", note))
        records, show = found.shown(tool), make_show(column) or (lambda value: value)
        for row in found.rows(entity.name) if column.stored else ():
            value = records[row["id"]][there]
            if row[name] is None:
                assert value is None
            elif there.endswith("_code"):
                assert told[value] == row[name].replace("_", " ")
            else:
                assert value / 1000 == pytest.approx(show(row[name]))
        for search in found.searches(entity.name, "id"):
            assert all(name not in one for one in found.shown(search).values()), "the first system no longer shows it"
    assert len(found.met("schema_drift")) >= 2
