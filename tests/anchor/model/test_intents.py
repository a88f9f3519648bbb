"""What actions do, from paths and from names."""

from __future__ import annotations

import pytest

from worldwright.anchor.evidence import Operation, Parameter, Shape
from worldwright.anchor.model.intents import OperationIntent, classify_operations

TEXT = Shape("string")


def over_http(*lines: str) -> dict[str, OperationIntent]:
    found = classify_operations([Operation(line, method=line.split()[0], path=line.split()[1]) for line in lines])
    return {d.operation.name: d for d in found}


def tool(name: str, *needed: str) -> Operation:
    return Operation(name, parameters=tuple(Parameter(n, "argument", TEXT, True) for n in needed))


PATHS = over_http(
    "GET /api/v2/orders",
    "POST /api/v2/orders",
    "GET /api/v2/orders/{orderId}",
    "PATCH /api/v2/orders/{orderId}",
    "DELETE /api/v2/orders/{orderId}",
    "POST /api/v2/orders/{orderId}/cancel",
    "POST /api/v2/orders/search",
    "POST /api/v2/search/orders",
    "GET /api/v2/orders/{orderId}/lines",
    "POST /api/v2/orders/{orderId}/lines",
    "GET /api/v2/orders/{orderId}/lines/{id}.json",
    "POST /api/v2/orders/{orderId}/lines/{id}/mark-as-received",
    "GET /api/v2/account",
    "GET /api/v2/allergy",
    "GET /api/v2/allergy/{uuid}",
    "POST /api/v2/allergy",
)


@pytest.mark.parametrize(
    ("line", "kind", "noun", "by"),
    [
        ("GET /api/v2/orders", "list", "order", ""),
        ("POST /api/v2/orders", "create", "order", ""),
        ("GET /api/v2/orders/{orderId}", "get", "order", "orderId"),
        ("PATCH /api/v2/orders/{orderId}", "update", "order", "orderId"),
        ("DELETE /api/v2/orders/{orderId}", "delete", "order", "orderId"),
        ("POST /api/v2/orders/{orderId}/cancel", "move", "order", "orderId"),
        ("POST /api/v2/orders/search", "list", "order", ""),
        ("POST /api/v2/search/orders", "list", "order", ""),
        ("GET /api/v2/orders/{orderId}/lines", "list", "line", ""),
        ("POST /api/v2/orders/{orderId}/lines", "create", "line", ""),
        ("GET /api/v2/orders/{orderId}/lines/{id}.json", "get", "line", "id"),
        ("POST /api/v2/orders/{orderId}/lines/{id}/mark-as-received", "move", "line", "id"),
        ("GET /api/v2/account", "get", "account", ""),
        ("GET /api/v2/allergy", "list", "allergy", ""),
        ("POST /api/v2/allergy", "create", "allergy", ""),
    ],
)
def test_paths(line: str, kind: str, noun: str, by: str) -> None:
    found = PATHS[line]
    assert (found.kind, " ".join(found.noun), found.by) == (kind, noun, by)


def test_what_a_path_hangs_under() -> None:
    assert PATHS["POST /api/v2/orders/{orderId}/lines"].under == ((("order",), "orderId"),)
    assert PATHS["POST /api/v2/orders/{orderId}/cancel"].verb == ("cancel",)


NAMES = {
    d.operation.name: d
    for d in classify_operations(
        [
            tool("acme_customer_list"),
            tool("acme_customer_get", "name"),
            tool("acme_create_sales_order", "customer_id"),
            tool("acme_sales_order_submit", "sales_order_id"),
            tool("acme-get-tickets"),
            tool("acme_getTicket", "ticketId"),
            tool("acme_update_ticket", "ticket_id"),
            tool("acme_search_people"),
        ]
    )
}


@pytest.mark.parametrize(
    ("name", "kind", "noun", "by"),
    [
        ("acme_customer_list", "list", "customer", ""),
        ("acme_customer_get", "get", "customer", "name"),
        ("acme_create_sales_order", "create", "sales order", ""),
        ("acme_sales_order_submit", "move", "sales order", "sales_order_id"),
        ("acme-get-tickets", "list", "ticket", ""),
        ("acme_getTicket", "get", "ticket", "ticketId"),
        ("acme_update_ticket", "update", "ticket", "ticket_id"),
        ("acme_search_people", "list", "person", ""),
    ],
)
def test_names(name: str, kind: str, noun: str, by: str) -> None:
    found = NAMES[name]
    assert (found.kind, " ".join(found.noun), found.by) == (kind, noun, by)


def test_a_tool_that_only_reads_is_no_write() -> None:
    (found,) = classify_operations([Operation("approve_preview", read_only=True)])
    assert found.kind in ("get", "list")


@pytest.mark.parametrize("name", ["", "!!", "list", "顧客を取得", "a", "get", "GET", "x" * 300, "{}", "__"])
def test_odd_names_are_something(name: str) -> None:
    (found,) = classify_operations([Operation(name)])
    assert found.kind


@pytest.mark.parametrize(
    "path", ["/", "", "//", "/{id}", "/{a}/{b}", "/a//b/{}", "/%20/x", "/v1", "/orders/{id}:cancel"]
)
def test_odd_paths_are_something(path: str) -> None:
    (found,) = classify_operations([Operation("x", method="POST", path=path)])
    assert found.kind
    assert found.noun
