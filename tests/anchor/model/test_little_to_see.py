"""Services of which little can be seen: records that can only be looked up. And totals that follow from lines."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.anchor.model.services import built, checked, derived, episode

from worldwright.anchor.evidence import Evidence
from worldwright.anchor.intake.uploads import Upload
from worldwright.anchor.model.derive import Derived
from worldwright.anchor.readers.openapi import read as read_openapi
from worldwright.anchor.readers.sql import read as read_sql

TEXT = {"type": "string"}


def looked_up(answer: dict[str, Any]) -> Evidence:
    path = {
        "get": {
            "operationId": "getAirline",
            "parameters": [{"name": "code", "in": "path", "required": True, "schema": TEXT}],
            "responses": {"200": {"description": "one", "content": {"application/json": {"schema": answer}}}},
        }
    }
    document = {"openapi": "3.0.3", "info": {"title": "Skies", "version": "1"}, "paths": {"/airlines/{code}": path}}
    return read_openapi([Upload("skies.json", json.dumps(document).encode())])


def goals_of(found: Derived) -> dict[str, Any]:
    return dict(checked(found).goals)


@pytest.mark.parametrize("answer", [{"type": "object"}, {}, {"type": "object", "description": "Whatever there is."}])
def test_an_answer_that_may_be_anything_shows_what_is_assumed(answer: dict[str, Any]) -> None:
    found = derived(looked_up(answer))
    assert {"name", "quantity", "created_at"} <= set(checked(found).schema.entities["airline"].columns)
    assert any("assumed: no answer is declared" in r.why for r in found.reasons)
    world = built(found, tasks=True)
    (code,) = world.key(world.tasks[0].id).calls[0].arguments.values()
    shown = episode(world).call_tool("getAirline", {"code": code})
    assert {"name", "quantity", "created_at"} <= shown.data.keys()


def test_an_answer_that_is_declared_is_all_there_is() -> None:
    declared = {
        "type": "object",
        "properties": {"code": TEXT, "fleet": {"type": "integer", "minimum": 1, "maximum": 90}},
    }
    found = derived(looked_up(declared))
    assert "quantity" not in checked(found).schema.entities["airline"].columns
    names = set(goals_of(found))
    assert {"airline_more_fleet", "airline_sum_of_fleet", "airline_most_fleet"} <= names


def test_records_that_are_named_are_each_looked_up() -> None:
    declared = {
        "type": "object",
        "properties": {"code": TEXT, "fleet": {"type": "integer", "minimum": 1, "maximum": 90}},
    }
    world = built(derived(looked_up(declared)), tasks=True)
    assert len(world.tasks) >= 3
    for task in world.tasks:
        calls = world.key(task.id).calls
        assert len(calls) >= 2
        assert len({json.dumps(c.arguments, sort_keys=True) for c in calls}) == len(calls)


LINES = """
CREATE TABLE customer (customer_id INTEGER PRIMARY KEY, name VARCHAR(40) NOT NULL);
CREATE TABLE invoice (
  invoice_id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customer, invoice_date DATE NOT NULL,
  total NUMERIC(10,2) NOT NULL
);
CREATE TABLE invoice_line (
  invoice_line_id INTEGER PRIMARY KEY, invoice_id INTEGER NOT NULL REFERENCES invoice,
  unit_price NUMERIC(10,2) NOT NULL, quantity INTEGER NOT NULL
);
"""


def test_a_total_follows_from_the_lines() -> None:
    found = derived(read_sql([Upload("shop.sql", LINES.encode())]))
    assert any(r.what == "total of invoice follows from its lines" for r in found.reasons)
    assert "total" not in found.contract.tools["create_invoice"].input_schema["properties"]
    env = episode(built(found))
    customer = env.call_tool("create_customer", {"name": "Ada"}).data["id"]
    made = env.call_tool("create_invoice", {"customer_id": customer, "invoice_date": "2025-06-01"})
    assert made.ok, made.error
    for price, quantity in ((2.5, 4), (1.25, 2)):
        line = {"invoice_id": made.data["id"], "unit_price": price, "quantity": quantity}
        assert env.call_tool("create_invoice_line", line).ok
    assert env.call_tool("get_invoice", {"invoice_id": made.data["id"]}).data["total"] == 12.5


def test_a_total_that_somebody_says_is_left_alone() -> None:
    alone = LINES.replace("unit_price NUMERIC(10,2) NOT NULL, quantity INTEGER NOT NULL", "remark VARCHAR(20)")
    found = derived(read_sql([Upload("shop.sql", alone.encode())]))
    assert "total" in found.contract.tools["create_invoice"].input_schema["properties"]
