"""A bare surface over a business of the catalogue: exactly its tools outside, the operations of the business inside."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from tests.effort import examples
from tests.shared_builds import build

from worldwright import catalogue
from worldwright.anchor.base.overlay import Overlay, narrow_goals, overlay_operations
from worldwright.anchor.evidence import Evidence, Operation, Parameter, Shape
from worldwright.anchor.intake.uploads import Upload
from worldwright.anchor.readers.mcp import read
from worldwright.blueprint.load import load_text
from worldwright.engine.env import Env
from worldwright.engine.world import World
from worldwright.store.open import world_of

TEXT, WHOLE, NUMBER = {"type": "string"}, {"type": "integer"}, {"type": "number"}
DAY = {"type": "string", "format": "date"}


def tool(name: str, inputs: Mapping[str, Any], required: str = "", output: Any = None) -> dict[str, Any]:
    schema = {"type": "object", "properties": dict(inputs), "required": required.split()}
    out = {"name": name, "description": f"{name}.", "inputSchema": schema}
    return out | ({"outputSchema": output} if output is not None else {})


SUPPLIER = {
    "type": "object",
    "properties": {
        "supplier_id": TEXT,
        "name": TEXT,
        "currency": {"type": "string", "enum": ["USD", "EUR", "GBP", "CHF"]},
        "rating": NUMBER,
        "contact": {"type": "object", "properties": {"phone": TEXT}},
    },
    "required": ["supplier_id", "name", "rating"],
}
FOUND = {
    "type": "object",
    "properties": {"suppliers": {"type": "array", "items": SUPPLIER}, "total_count": WHOLE, "took_ms": WHOLE},
    "required": ["suppliers", "total_count", "took_ms"],
}
LINE = {
    "type": "object",
    "properties": {"description": TEXT, "quantity": WHOLE},
    "required": ["description", "quantity"],
}
REQUEST = {
    "type": "object",
    "properties": {
        "id": TEXT,
        "status": TEXT,
        "total": NUMBER,
        "requester": {"type": "object", "properties": {"id": TEXT}, "required": ["id"]},
        "lines": {"type": "array", "items": LINE},
    },
    "required": ["id", "status", "lines"],
}
ITEM = {
    "type": "object",
    "properties": {"description": TEXT, "qty": WHOLE, "price": NUMBER},
    "required": ["description", "qty", "price"],
}
TOOLS = [
    tool(
        "search_suppliers",
        {"query": TEXT, "status": {"type": "string", "enum": ["ACTIVE", "BLOCKED"]}, "page": WHOLE, "per_page": WHOLE},
        output=FOUND,
    ),
    tool("get_supplier", {"supplier_id": TEXT}, "supplier_id"),
    tool("block_supplier", {"supplier_id": TEXT, "reason": TEXT}, "supplier_id reason"),
    tool(
        "create_supplier",
        {
            "name": TEXT, "category": {"type": "string", "enum": ["raw-materials", "MRO", "services"]}, "currency": TEXT,
            "country": TEXT, "email": TEXT, "vat_number": TEXT, "iban": TEXT, "contact_name": TEXT, "website": TEXT,
        },
        "name category currency country email vat_number iban contact_name website",
    ),
    tool(
        "create_purchase_request",
        {"title": TEXT, "category": TEXT, "due_date": DAY, "items": {"type": "array", "items": ITEM}},
        "title category due_date items",
        REQUEST,
    ),
    tool("list_purchase_requests", {"status": TEXT, "limit": WHOLE}),
    tool("get_purchase_order", {"order_id": WHOLE}, "order_id"),
    tool("list_purchase_orders", {"min_total": NUMBER, "supplier_id": TEXT}),
    tool("cancel_purchase_order", {"order_id": WHOLE, "comment": TEXT}, "order_id comment"),
    tool("approve_purchase_request", {"request_id": TEXT}, "request_id"),
    tool(
        "pay_supplier",
        {"supplier_id": TEXT, "amount": NUMBER, "reference": TEXT, "value_date": DAY},
        "supplier_id amount reference value_date",
    ),
    tool("archive_supplier", {"supplier_id": TEXT}, "supplier_id"),
    tool("list_sales_orders", {"status": TEXT}),
    tool("launch_rocket", {}),
]  # fmt: skip


def surface(tools: list[dict[str, Any]]) -> Evidence:
    return read([Upload("tools.json", json.dumps({"tools": tools}).encode())])


@pytest.fixture(scope="module")
def laid() -> Overlay:
    return overlay_operations(surface(TOOLS), "enterprise_procurement")


@pytest.fixture(scope="module")
def world(laid: Overlay) -> World:
    return world_of(build(catalogue.load("enterprise_procurement"), 3, contract=laid.contract, with_tasks=False).pack)


def env(world: World, role: str) -> Env:
    found = world.env()
    found.reset(role=role)
    return found


def test_each_tool_is_the_operation_that_it_means(laid: Overlay) -> None:
    assert {tool: operation for tool, operation, _ in laid.matched} == {
        "search_suppliers": "find_vendors",
        "get_supplier": "get_vendor",
        "block_supplier": "decide_on_vendor",
        "create_supplier": "register_vendor",
        "create_purchase_request": "raise_request",
        "list_purchase_requests": "find_requests",
        "get_purchase_order": "get_order",
        "list_purchase_orders": "find_orders",
        "cancel_purchase_order": "cancel_order",
    }
    assert all(why for _, _, why in laid.matched)


def test_what_matches_nothing_is_left_out_with_a_reason(laid: Overlay) -> None:
    why = dict(laid.unmatched)
    assert why["approve_purchase_request"] == "`decide_request` needs `approval`, which it does not give"
    assert why["pay_supplier"] == "`pay_vendor` has no place for `value_date`, which it requires"
    assert "does `archive`" in why["archive_supplier"]
    assert "nothing called `sales order`" in why["list_sales_orders"]
    assert "nothing called `rocket`" in why["launch_rocket"]


def test_the_tools_are_exactly_those_of_the_evidence(laid: Overlay, world: World) -> None:
    declared = {t["name"]: t for t in TOOLS}
    assert {t.name for t in world.tools} == {operation for operation, _, _ in laid.matched} < set(declared)
    for spec in world.tools:
        wanted = declared[spec.name]["inputSchema"]
        assert set(spec.input_schema["properties"]) == set(wanted["properties"])
        assert sorted(spec.input_schema.get("required", [])) == sorted(wanted["required"])


def test_a_search_pages_filters_and_answers_as_declared(world: World) -> None:
    buyer = env(world, "buyer")
    pages = [buyer.call_tool("search_suppliers", {"status": "ACTIVE", "per_page": 3, "page": k}) for k in (1, 2)]
    for page in pages:
        Draft202012Validator(FOUND).validate(page.data)
        assert len(page.data["suppliers"]) == 3
    first, second = ([s["supplier_id"] for s in page.data["suppliers"]] for page in pages)
    assert not set(first) & set(second)
    every = buyer.call_tool("search_suppliers", {}).data
    assert every["total_count"] > pages[0].data["total_count"]
    name = every["suppliers"][0]["name"]
    assert all(name in s["name"] for s in buyer.call_tool("search_suppliers", {"query": name}).data["suppliers"])
    wrong = buyer.call_tool("search_suppliers", {"status": "SLEEPING"})
    assert wrong.error is not None
    assert wrong.error.code == "INVALID_ARGUMENT"


def test_a_verb_that_is_a_word_of_an_input_is_said_for_the_caller(world: World) -> None:
    manager = env(world, "vendor_manager")
    supplier = manager.call_tool("search_suppliers", {"status": "ACTIVE", "per_page": 1}).data["suppliers"][0][
        "supplier_id"
    ]
    assert manager.call_tool("block_supplier", {"supplier_id": supplier, "reason": "Late again."}).ok
    assert manager.call_tool("get_supplier", {"supplier_id": supplier}).data["status"] == "blocked"
    assert not env(world, "buyer").call_tool("block_supplier", {"supplier_id": supplier, "reason": "Late again."}).ok


def test_lists_go_in_and_come_out(world: World) -> None:
    buyer = env(world, "buyer")
    asked = {
        "title": "New drills", "category": "mro", "due_date": "2025-12-01",
        "items": [{"description": "Drill", "qty": 2, "price": 99.5}, {"description": "Bits", "qty": 10, "price": 3}],
    }  # fmt: skip
    made = buyer.call_tool("create_purchase_request", asked)
    Draft202012Validator(REQUEST).validate(made.data)
    assert made.data["total"] == 229.0
    assert [(line["description"], line["quantity"]) for line in made.data["lines"]] == [("Drill", 2), ("Bits", 10)]
    assert made.data["requester"]["id"].startswith("EMP-")
    assert buyer.diff()["requisition_line"].added
    listed = buyer.call_tool("list_purchase_requests", {"status": "draft", "limit": 1}).data
    assert listed["items"][0]["id"] == made.data["id"]


def test_ids_are_written_as_the_contract_takes_them(world: World) -> None:
    buyer = env(world, "buyer")
    orders = buyer.call_tool("list_purchase_orders", {"min_total": 1000}).data["items"]
    assert all(isinstance(o["id"], int) and o["book_total"] >= 1000 for o in orders)
    assert len(orders) > 10, "without a page size the whole page is given"
    order = buyer.call_tool("get_purchase_order", {"order_id": orders[0]["id"]}).data
    assert order["id"] == orders[0]["id"]
    assert buyer.call_tool("get_purchase_order", {"order_id": 99999}).error.code == "NOT_FOUND"  # type: ignore[union-attr]


def test_the_rules_of_the_business_hold_behind_the_tools(world: World) -> None:
    buyer = env(world, "buyer")
    orders = buyer.call_tool("list_purchase_orders", {}).data["items"]
    received = next(o["id"] for o in orders if o["status"] == "received")
    refused = buyer.call_tool("cancel_purchase_order", {"order_id": received, "comment": "Not needed."})
    assert refused.error is not None
    assert refused.error.code == "INVALID_STATE"


def test_a_harmless_text_without_a_place_is_taken_and_forgotten(laid: Overlay, world: World) -> None:
    manager = env(world, "vendor_manager")
    values = {
        "name": "Bolts AG", "category": "MRO", "currency": "EUR", "country": "Germany", "email": "a@bolts.example",
        "vat_number": "DE1234567", "iban": "DE00 1234 5678", "contact_name": "Eva Stein", "website": "bolts.example",
    }  # fmt: skip
    made = manager.call_tool("create_supplier", values).data
    assert (made["category"], made["tax_number"], made["bank_account"]) == ("mro", "DE1234567", "DE00 1234 5678")
    assert next(why for operation, _, why in laid.matched if operation == "create_supplier").endswith(
        "no place for `website`"
    )


def test_only_goals_that_the_tools_reach_are_left(laid: Overlay) -> None:
    assert "place_order" in laid.closed
    assert "cancel_order" not in laid.closed
    checked = load_text(narrow_goals("enterprise_procurement", laid, "My ERP", "My ERP"))
    assert set(checked.goals) == set(laid.reachable)
    assert checked.goals
    assert all(step.operation not in laid.closed for goal in checked.goals.values() for step in goal.how)
    assert checked.blueprint.blueprint == "my_erp"


def test_an_http_surface_is_laid_over_another_business() -> None:
    def operation(name: str, method: str, path: str, **shapes: Shape) -> Operation:
        parameters = tuple(
            Parameter(n, "path" if f"{{{n}}}" in path else "query", s, f"{{{n}}}" in path) for n, s in shapes.items()
        )
        schema = {
            "type": "object",
            "properties": {n: {} for n in shapes},
            "required": [p.name for p in parameters if p.required],
        }
        return Operation(name, method=method, path=path, parameters=parameters, input_schema=schema)

    uuid = Shape("string", "uuid")
    reason = Shape("string", enum=("Guest Request", "NO_SHOW"))
    operations = (
        operation("listReservations", "GET", "/reservations", guestId=uuid, arrivalFrom=Shape("string", "date")),
        operation("getReservation", "GET", "/reservations/{reservationId}", reservationId=uuid),
        operation(
            "cancelReservation", "POST", "/reservations/{reservationId}/cancel", reservationId=uuid, reason=reason
        ),
        operation("checkOut", "POST", "/reservations/{reservationId}/check-out", reservationId=uuid),
        operation("getWeather", "GET", "/weather"),
    )
    found = overlay_operations(Evidence(operations=operations), "hotel_booking")
    assert {a: o for a, o, _ in found.matched} == {
        "listReservations": "search_bookings",
        "getReservation": "get_booking",
        "cancelReservation": "cancel_booking",
        "checkOut": "check_out",
    }
    tools = found.contract.tools
    assert tools["cancelReservation"].takes["reason"].codec["words"] == {
        "Guest Request": "guest_request",
        "NO_SHOW": "no_show",
    }
    assert tools["listReservations"].takes["arrival_on_from"].at == ("arrivalFrom",)
    assert tools["getReservation"].takes["booking"].codec["form"] == "uuid"
    assert [a for a, _ in found.unmatched] == ["getWeather"]


NAMES = st.one_of(
    st.text(max_size=30), st.sampled_from(["get_vendor", "create_order", "list", "vendors", "pay", "check_in"])
)
SHAPES = st.sampled_from(
    [Shape("string"), Shape("integer"), Shape("array"), Shape("object"), Shape("any"), Shape("string", enum=("", 1))]
)
ACTIONS = st.builds(
    lambda name, parameters, output: Operation(
        name, parameters=tuple(Parameter(n, "argument", s, True) for n, s in parameters), output_schema=output,
        answer=Shape("object"), input_schema={"type": "object", "properties": {n: {} for n, _ in parameters}},
    ),
    NAMES,
    st.lists(st.tuples(NAMES, SHAPES), max_size=3),
    st.sampled_from([None, {}, {"type": "object"}, {"type": "array", "items": {}}, {"type": "object", "properties": {"id": True}}]),
)  # fmt: skip


@pytest.mark.timeout(60)
@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(ACTIONS, max_size=4))
def test_any_surface_is_laid_or_left_out(operations: list[Operation]) -> None:
    found = overlay_operations(Evidence(operations=tuple(operations)), "retail_returns")
    names = [a for a, _, _ in found.matched] + [a for a, _ in found.unmatched]
    assert sorted(names) == sorted({a.name for a in operations})
    assert set(found.contract.tools) == {a for a, _, _ in found.matched}
