"""Operations that repositories declare: routes, views and tools, with what they take, answer and refuse."""

from __future__ import annotations

import json

import jsonschema
from tests.anchor.repositories import PURCHASING, line, of, operation, taken

from worldwright.anchor.evidence import Evidence


def test_routes_of_fastapi_with_their_mounted_prefix(purchasing: Evidence) -> None:
    assert [(a.name, a.method, a.path) for a in purchasing.operations] == [
        ("list_orders", "GET", "/api/v1/orders"),
        ("create_order", "POST", "/api/v1/orders"),
        ("cancel_order", "POST", "/api/v1/orders/{order_id}/cancel"),
        ("delete_order", "DELETE", "/api/v1/orders/{order_id}"),
        ("health", "GET", "/health"),
    ]
    create = operation(purchasing, "create_order")
    assert taken(create) == {
        "x-request-id": ("header", "string", True),
        "vendor_id": ("body", "integer", True),
        "note": ("body", "string", False),
        "lines": ("body", "array", True),
        "needed_by": ("body", "string", False),
    }
    assert create.body is not None
    assert create.body.name == "PurchaseOrderCreate"
    assert create.input_schema["required"] == ["x-request-id", "vendor_id", "lines"]
    assert taken(operation(purchasing, "list_orders")) == {
        "status": ("query", "string", False),
        "limit": ("query", "integer", False),
    }
    assert operation(purchasing, "list_orders").read_only


def test_what_a_route_says_refuses_and_answers(purchasing: Evidence) -> None:
    cancel = operation(purchasing, "cancel_order")
    assert cancel.says.startswith("Give an order up.")
    assert cancel.errors == {"404": "Order not found", "409": "Only drafts and submitted orders can be cancelled"}
    assert cancel.tags == ("orders",)
    assert taken(cancel) == {"order_id": ("path", "integer", True), "reason": ("body", "string", True)}
    assert cancel.answer is not None
    assert cancel.answer.name == "PurchaseOrderOut"
    assert list(cancel.answer.fields) == ["id", "number", "status", "total"]
    listed = operation(purchasing, "list_orders").answer
    assert listed is not None
    assert listed.items is not None
    assert listed.items.name == "PurchaseOrderOut"
    first = line(PURCHASING, "purchasing/api/orders.py", "/cancel")
    assert str(cancel.source) == f"purchasing/api/orders.py#{first}-{first + 13}"


def test_what_dependencies_take_is_taken_by_the_route() -> None:
    found = of(
        api="""
from typing import Annotated
from fastapi import APIRouter, Depends, FastAPI, Query
def paging(page: int = 1, size: Annotated[int, Query(le=50)] = 20): ...
def one_order(order_id: int, trace: str | None = None): ...
Pages = Annotated[dict, Depends(paging)]
app = FastAPI()
inner = APIRouter(prefix="/inner")
outer = APIRouter(prefix="/outer")
outer.include_router(inner, prefix="/mid")
app.include_router(outer)
@inner.get("/{order_id}")
def show(pages: Pages, order=Depends(one_order)): ...
@app.api_route("/both", methods=["PUT", "PATCH"])
def both(names: list[str], flag: bool): ...
"""
    )
    show = operation(found, "show")
    assert show.path == "/outer/mid/inner/{order_id}"
    assert taken(show) == {
        "page": ("query", "integer", False),
        "size": ("query", "integer", False),
        "order_id": ("path", "integer", True),
        "trace": ("query", "string", False),
    }
    assert [(a.name, a.method) for a in found.operations if a.path == "/both"] == [
        ("both_put", "PUT"),
        ("both_patch", "PATCH"),
    ]


def test_a_route_of_flask_refuses_by_what_it_returns(loans: Evidence) -> None:
    [lend] = loans.operations
    assert (lend.name, lend.method, lend.path, lend.says) == ("lend", "POST", "/v1/loans", "Lend a book.")
    assert taken(lend) == {"desk": ("query", "any", False), "books": ("body", "any", True)}
    assert lend.errors == {"409": "At most three books can be lent at once", "400": "a desk must be named"}


def test_routes_of_flask_take_what_their_functions_read() -> None:
    found = of(
        shop="""
from flask import Blueprint, Flask, abort, request
bp = Blueprint("orders", __name__, url_prefix="/never")
@bp.route("/", methods=["GET", "POST"])
def orders():
    '''All orders, or a new one.'''
    page = request.args.get("page", 1, type=int)
    data = request.get_json()
    if data["amount"] > 100:
        abort(400, description="The amount is too high for us")
    note = data.get("note")
@bp.get("/<int:order_id>")
def show(order_id): ...
def make():
    app = Flask(__name__)
    app.register_blueprint(bp, url_prefix="/orders")
"""
    )
    assert [(a.name, a.method, a.path) for a in found.operations] == [
        ("orders_get", "GET", "/orders/"),
        ("orders_post", "POST", "/orders/"),
        ("show", "GET", "/orders/{order_id}"),
    ]
    assert taken(operation(found, "orders_post")) == {
        "page": ("query", "integer", False),
        "amount": ("body", "any", True),
        "note": ("body", "any", False),
    }
    assert taken(operation(found, "show")) == {"order_id": ("path", "integer", True)}
    assert operation(found, "orders_post").errors == {"400": "The amount is too high for us"}


def test_view_sets_and_views_of_django_at_their_addresses(desk: Evidence) -> None:
    assert [(a.name, a.method, a.path) for a in desk.operations] == [
        ("tickets_list", "GET", "/api/tickets/"),
        ("tickets_create", "POST", "/api/tickets/"),
        ("tickets_retrieve", "GET", "/api/tickets/{pk}/"),
        ("tickets_partial_update", "PATCH", "/api/tickets/{pk}/"),
        ("solve_ticket", "POST", "/api/tickets/{pk}/solve/"),
        ("report_get", "GET", "/api/report/"),
        ("merge", "POST", "/api/tickets/{number}/merge/"),
    ]
    assert taken(operation(desk, "tickets_create")) == {
        "subject": ("body", "string", True),
        "body": ("body", "string", False),
        "category": ("body", "integer", False),
    }
    assert not any(p.required for p in operation(desk, "tickets_partial_update").parameters if p.place == "body")
    assert taken(operation(desk, "solve_ticket")) == {
        "pk": ("path", "string", True),
        "answer": ("body", "any", True),
        "hours": ("body", "any", False),
    }
    assert operation(desk, "solve_ticket").errors == {"400": "Only tickets that are not solved yet can be solved"}
    assert taken(operation(desk, "report_get")) == {"month": ("query", "any", False)}
    assert taken(operation(desk, "merge"))["other"] == ("body", "any", True)


def test_addresses_in_lists_of_lists_and_of_other_files() -> None:
    found = of(
        shop__api="""
from django.urls import include, path
from rest_framework import generics
class PartList(generics.ListCreateAPIView):
    def post(self, request):
        if not request.user.is_staff:
            raise PermissionDenied("Only staff may add parts")
class PartDetail(generics.RetrieveAPIView): ...
class Nowhere(generics.RetrieveAPIView): ...
part_urls = [
    path("part/", include([path("<int:pk>/", include([path("", PartDetail.as_view())])), path("", PartList.as_view())])),
]
""",
        shop__urls="""
from django.urls import include, path, re_path
from shop.api import Nowhere, part_urls
inner = [path("v2/", include(part_urls)), re_path(r"^.*$", Nowhere.as_view())]
urlpatterns = [path("api/", include(inner)), path("auth/", include("rest_framework.urls"))]
""",
    )
    assert [(a.name, a.method, a.path) for a in found.operations] == [
        ("part_list_list", "GET", "/api/v2/part/"),
        ("part_list_create", "POST", "/api/v2/part/"),
        ("part_detail_retrieve", "GET", "/api/v2/part/{pk}/"),
    ]
    assert operation(found, "part_list_create").errors == {"403": "Only staff may add parts"}


def test_tools_of_mcp_servers(claims: Evidence) -> None:
    assert [a.name for a in claims.operations] == ["find_claims", "pay_claim", "ping", "assign_adjuster"]
    find = operation(claims, "find_claims")
    assert taken(find) == {
        "kind": ("argument", "string", True),
        "policy_number": ("argument", "string", False),
        "limit": ("argument", "integer", False),
    }
    assert find.says == "Claims of one kind."
    assert find.read_only
    assert find.input_schema["properties"]["limit"] == {"type": "integer", "default": 10, "minimum": 1, "maximum": 50}
    assert find.input_schema["properties"]["kind"]["enum"] == ["fire", "water", "theft"]
    assert find.input_schema["required"] == ["kind"]
    pay = operation(claims, "pay_claim")
    assert (pay.says, pay.input_schema["required"]) == ("Pay a claim out.", ["claim_id", "amount"])
    assert pay.answer is not None
    assert pay.answer.name == "Claim"
    assign = operation(claims, "assign_adjuster")
    assert assign.input_schema["required"] == ["claim_id"]
    assert taken(assign) == {"claim_id": ("argument", "string", True), "adjuster": ("argument", "string", False)}


def test_a_listed_tool_takes_what_its_record_holds(depot: Evidence) -> None:
    [move] = depot.operations
    assert (move.name, move.says) == ("move_pallet", "Move it.")
    assert taken(move) == {"pallet": ("argument", "string", True), "bay": ("argument", "integer", True)}
    assert move.input_schema["properties"]["bay"]["maximum"] == 40


def test_schemas_of_all_operations_are_valid(purchasing: Evidence, desk: Evidence, claims: Evidence) -> None:
    for one in (*purchasing.operations, *desk.operations, *claims.operations):
        for schema in (one.input_schema, one.output_schema):
            if schema is not None:
                jsonschema.Draft202012Validator.check_schema(json.loads(json.dumps(schema)))


def test_generic_views_and_plain_functions_of_django() -> None:
    found = of(
        shop__urls="""
from django.urls import path, re_path
from . import views
urlpatterns = [
    path("orders/", views.OrderList.as_view()),
    re_path(r"^orders/(?P<pk>[0-9]+)/$", views.OrderDetail.as_view()),
] + [path("orders/<uuid:key>/ship", views.ship, name="ship")]
urlpatterns += [path("never/", views.page)]
""",
        shop__views="""
from rest_framework import generics
from django.views.decorators.http import require_POST
from .serializers import OrderSerializer
class OrderList(generics.ListCreateAPIView):
    serializer_class = OrderSerializer
class OrderDetail(generics.RetrieveDestroyAPIView):
    serializer_class = OrderSerializer
@require_POST
def ship(request, key):
    if not request.POST.get("carrier"):
        raise PermissionDenied("A carrier must be named first")
def page(request): ...
""",
        shop__serializers="""
from rest_framework import serializers
class LineSerializer(serializers.Serializer):
    sku = serializers.CharField(max_length=9)
class OrderSerializer(serializers.Serializer):
    id = serializers.IntegerField(read_only=True)
    note = serializers.CharField(required=False, help_text="For us")
    secret = serializers.CharField(write_only=True, allow_null=True)
    lines = LineSerializer(many=True)
""",
    )
    assert [(a.name, a.method, a.path) for a in found.operations] == [
        ("order_list_list", "GET", "/orders/"),
        ("order_list_create", "POST", "/orders/"),
        ("order_detail_retrieve", "GET", "/orders/{pk}/"),
        ("order_detail_destroy", "DELETE", "/orders/{pk}/"),
        ("ship", "POST", "/orders/{key}/ship"),
    ]
    assert taken(operation(found, "order_list_create")) == {
        "note": ("body", "string", False),
        "secret": ("body", "string", True),
        "lines": ("body", "array", True),
    }
    answer = operation(found, "order_detail_retrieve").answer
    assert answer is not None
    assert list(answer.fields) == ["id", "note", "lines"]
    assert taken(operation(found, "ship")) == {"key": ("path", "string", True), "carrier": ("body", "any", False)}
    assert operation(found, "ship").errors == {"403": "A carrier must be named first"}
