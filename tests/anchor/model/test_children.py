"""Lists of objects in a record are tables of their own: made with the record, shown with it, asked about."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from tests.anchor.model.services import DAY, NUMBER, TEXT, WHOLE, built, checked, derived, episode, words

from worldwright.anchor.evidence import Evidence
from worldwright.anchor.intake.uploads import Upload
from worldwright.anchor.model.derive import Derived
from worldwright.anchor.readers.openapi import read as read_openapi
from worldwright.engine.env import Env
from worldwright.engine.world import World

LINE: dict[str, Any] = {
    "type": "object",
    "properties": {
        "sku": {**TEXT, "maxLength": 20}, "quantity": {"type": "integer", "minimum": 1, "maximum": 99}, "price": NUMBER,
        "kind": words("goods", "service"), "wanted_on": DAY, "measure": {"type": "object", "properties": {"unit": TEXT}},
        "row_no": {**WHOLE, "readOnly": True},
    },
    "required": ["sku", "quantity"],
}  # fmt: skip
ORDER: dict[str, Any] = {
    "type": "object",
    "properties": {
        "id": WHOLE, "buyer": TEXT, "placed_on": DAY, "lines": {"type": "array", "items": LINE},
        "tags": {"type": "array", "items": TEXT},
        "marks": {"type": "array", "items": {"type": "object", "properties": {"text": TEXT}}},
        "parcels": {"type": "array", "items": {"$ref": "#/components/schemas/Parcel"}},
    },
    "required": ["id", "buyer", "lines"],
}  # fmt: skip
PARCEL: dict[str, Any] = {
    "type": "object",
    "properties": {"id": WHOLE, "weight": NUMBER, "carrier": TEXT, "order_id": WHOLE},
    "required": ["id"],
}


def ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def operation(name: str, answer: Any, takes: Any = None, by: str = "", query: tuple[str, ...] = ()) -> dict[str, Any]:
    parameters = [{"name": by, "in": "path", "required": True, "schema": WHOLE}] if by else []
    parameters += [{"name": n, "in": "query", "schema": WHOLE} for n in query]
    done = {"description": "done", "content": {"application/json": {"schema": answer}}}
    out = {
        "operationId": name,
        "parameters": parameters,
        "responses": {"200": done, "400": {"description": "wrong"}, "409": {"description": "no"}},
    }
    if takes is not None:
        out["requestBody"] = {"required": True, "content": {"application/json": {"schema": takes}}}
    return out


NEW = {
    "type": "object",
    "properties": {k: ORDER["properties"][k] for k in ("buyer", "lines", "tags")},
    "required": ["buyer"],
}
EDIT = {"type": "object", "properties": {k: ORDER["properties"][k] for k in ("buyer", "lines")}}
PATHS = {
    "/orders": {
        "get": operation("listOrders", {"type": "array", "items": ref("Order")}, query=("limit", "offset")),
        "post": operation("createOrder", ref("Order"), NEW),
    },
    "/orders/{orderId}": {
        "get": operation("getOrder", ref("Order"), by="orderId"),
        "patch": operation("updateOrder", ref("Order"), EDIT, by="orderId"),
    },
    "/parcels": {"get": operation("listParcels", {"type": "array", "items": ref("Parcel")}, query=("limit", "offset"))},
}


def service() -> Evidence:
    schemas = {"Order": ORDER, "Parcel": PARCEL}
    text = json.dumps(
        {
            "openapi": "3.0.3",
            "info": {"title": "Shop", "version": "1"},
            "paths": PATHS,
            "components": {"schemas": schemas},
        }
    )
    return read_openapi([Upload("api.json", text.encode())])


@pytest.fixture(scope="module")
def shop() -> Derived:
    return derived(service())


@pytest.fixture(scope="module")
def world(shop: Derived) -> World:
    return built(shop)


@pytest.fixture
def env(world: World) -> Env:
    return episode(world)


def test_a_list_of_objects_is_a_table(shop: Derived) -> None:
    entities = checked(shop).schema.entities
    assert set(entities) == {"staff_member", "order", "parcel", "order_line"}
    assert set(entities["order_line"].columns) == {
        "order", "sku", "quantity", "price", "kind", "wanted_on", "measure_unit", "row_no",
    }  # fmt: skip
    assert "lines" in entities["order"].ways
    assert any(r.what == "order_line as rows of their own" for r in shop.reasons)


def test_what_is_no_table_stays_what_it_is(shop: Derived) -> None:
    """Texts, objects with a single value, and things that have operations of their own."""
    columns = checked(shop).schema.entities["order"].columns
    assert {"tags", "marks"} <= set(columns)
    assert "order_parcel" not in checked(shop).schema.entities


LINES = [
    {"sku": "A-1", "quantity": 3, "price": 2.5, "kind": "goods", "wanted_on": "2025-07-01", "measure": {"unit": "kg"}},
    {"sku": "B-2", "quantity": 1},
]


def test_lines_are_made_with_the_record_and_shown_with_it(env: Env) -> None:
    made = env.call_tool("createOrder", {"buyer": "Ada", "lines": LINES})
    assert made.ok, made.error
    assert [line["sku"] for line in made.data["lines"]] == ["A-1", "B-2"]
    first = {k: v for k, v in made.data["lines"][0].items() if k != "row_no"}
    assert first == LINES[0]
    assert env.call_tool("getOrder", {"orderId": made.data["id"]}).data == made.data
    listed = env.call_tool("listOrders", {"limit": 100}).data
    assert [o for o in listed if o["id"] == made.data["id"]] == [made.data]


def test_a_record_without_lines_has_none(env: Env) -> None:
    made = env.call_tool("createOrder", {"buyer": "Ada"})
    assert made.ok
    assert made.data["lines"] == []


def test_a_change_shows_them_too(env: Env) -> None:
    made = env.call_tool("createOrder", {"buyer": "Ada", "lines": LINES}).data
    changed = env.call_tool("updateOrder", {"orderId": made["id"], "buyer": "Bo"})
    assert changed.ok
    assert changed.data == {**made, "buyer": "Bo"}


@pytest.mark.parametrize(
    "lines",
    ["A-1", {"sku": "A-1"}, ["A-1"], [{"sku": "A-1", "quantity": "many"}], [{"sku": "A-1", "quantity": 0}], [{}] * 21],
)
def test_lines_that_do_not_fit_are_refused(env: Env, lines: Any) -> None:
    refused = env.call_tool("createOrder", {"buyer": "Ada", "lines": lines})
    assert refused.error is not None
    assert (refused.error.code, (refused.error.details or {})["status"]) == ("INVALID_ARGUMENT", 400)
    assert not env.diff()


def test_what_a_line_must_say_is_asked_for(env: Env) -> None:
    assert not env.call_tool("createOrder", {"buyer": "Ada", "lines": [{"price": 2}]}).ok


def test_answers_are_as_declared(shop: Derived, env: Env) -> None:
    env.call_tool("createOrder", {"buyer": "Ada", "lines": LINES})
    for name, arguments in (("listOrders", {"limit": 100}), ("getOrder", {"orderId": 1010001})):
        schema = shop.contract.tools[name].output_schema
        assert schema is not None
        data = env.call_tool(name, arguments).data
        assert not list(Draft202012Validator(dict(schema)).iter_errors(data))
        some = data[0] if isinstance(data, list) else data
        broken = {**some, "lines": [{"sku": 3, "quantity": 1}]}
        assert list(Draft202012Validator(dict(schema)).iter_errors([broken] if isinstance(data, list) else broken))


def test_records_that_are_there_have_lines(env: Env) -> None:
    seen = env.call_tool("listOrders", {"limit": 100}).data
    assert sum(len(o["lines"]) for o in seen) >= 90
    assert all(1 <= line["quantity"] <= 99 for o in seen for line in o["lines"] if "quantity" in line)


def test_what_stands_inside_is_asked_about(shop: Derived) -> None:
    asked = checked(shop).goals["lines_of_order"]
    assert set(asked.tells) == {"number", "sum_of_all"}
    assert not asked.how
    assert asked.asks


def test_a_change_puts_a_new_list_in_the_place_of_the_old_one(env: Env) -> None:
    lines = [{"sku": "A1", "quantity": 2}, {"sku": "B2", "quantity": 3}]
    made = env.call_tool("createOrder", {"buyer": "Ada", "lines": lines}).data
    changed = env.call_tool("updateOrder", {"orderId": made["id"], "lines": [{"sku": "C3", "quantity": 9}]})
    assert changed.ok, changed.error
    assert [(x["sku"], x["quantity"]) for x in changed.data["lines"]] == [("C3", 9)]
    assert changed.data["buyer"] == "Ada"
    again = env.call_tool("updateOrder", {"orderId": made["id"], "buyer": "Bo"}).data
    assert (again["buyer"], [x["sku"] for x in again["lines"]]) == ("Bo", ["C3"])
