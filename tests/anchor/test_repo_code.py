"""Code in repositories: states and moves, claims with their lines, and operations with what they take."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

import jsonschema
import pytest
from tests.anchor.repositories import (
    CLAIMS,
    DEPOT,
    HELP_DESK,
    LOANS,
    PURCHASING,
    claim,
    line,
    of,
    operation,
    states,
    taken,
    uploads_of,
)  # fmt: skip

from worldwright.anchor.claims import collect_claims
from worldwright.anchor.evidence import Evidence, States
from worldwright.anchor.readers.repo import read

# states


def test_states_and_moves_from_tables_and_guards(purchasing: Evidence, desk: Evidence, claims: Evidence) -> None:
    order = states(purchasing, "PurchaseOrder")
    assert (order.field, order.states) == ("status", ("draft", "submitted", "approved", "received", "cancelled"))
    assert set(order.moves) == {
        ("draft", "submitted"),
        ("draft", "cancelled"),
        ("submitted", "approved"),
        ("submitted", "cancelled"),
        ("approved", "received"),
    }
    assert set(states(desk, "Ticket").moves) == {("new", "open"), ("open", "solved"), ("new", "solved")}
    assert states(claims, "Claim").moves == (
        ("reported", "under_review"),
        ("under_review", "paid"),
        ("under_review", "rejected"),
    )


def test_states_of_a_plain_text_field_come_from_the_code_that_sets_it() -> None:
    found = of(
        m="""
from dataclasses import dataclass
@dataclass
class Loan:
    id: str
    status: str = "asked"
    def grant(self):
        if self.status != "asked":
            raise ValueError("Only loans that were asked for can be granted")
        self.status = "granted"
def close(loan: Loan):
    assert loan.status in ("granted", "late")
    loan.status = "closed"
def lose(loan):
    loan.status = "lost"
def forget(book):
    book.status = "forgotten"
"""
    )
    assert states(found, "Loan") == States(
        "Loan",
        "status",
        ("asked", "granted", "late", "closed", "lost"),
        (("asked", "granted"), ("granted", "closed"), ("late", "closed")),
        states(found, "Loan").source,
    )


def test_what_only_looks_like_a_transition_table_is_none() -> None:
    found = of(
        m="""
from dataclasses import dataclass
@dataclass
class Loan:
    status: str
ALLOWED_FIELDS = {"user": ["name", "mail"], "team": ["title"]}
LABELS = {"draft": "Draft", "sent": "Sent"}
"""
    )
    assert found.states == ()


def test_an_enumeration_that_no_field_has_is_the_states_of_what_it_is_named_after(depot: Evidence) -> None:
    found = of(
        m="""
from enum import Enum
class ParcelStatus(str, Enum):
    PACKED = "packed"
    SENT = "sent"
    LOST = "lost"
PARCEL_TRANSITIONS = [(ParcelStatus.PACKED, ParcelStatus.SENT), ("sent", "lost")]
"""
    )
    assert states(found, "Parcel").states == ("packed", "sent", "lost")
    assert states(found, "Parcel").moves == (("packed", "sent"), ("sent", "lost"))
    assert states(depot, "Pallet").moves == (("stored", "moved"),)


def test_transitions_of_django_fsm_and_in_methods_of_enumerations() -> None:
    found = of(
        m="""
from enum import Enum
from django.db import models
from django_fsm import FSMField, transition
class Doc(models.Model):
    state = FSMField(default="new")
    @transition(field=state, source=["new", "old"], target="done")
    def finish(self): ...
class ParcelStatus(str, Enum):
    PACKED = "packed"
    SENT = "sent"
    LOST = "lost"
    @classmethod
    def transitions(cls):
        return {cls.PACKED.value: [cls.SENT.value], cls.SENT.value: [cls.LOST.value]}
"""
    )
    assert states(found, "Doc").moves == (("new", "done"), ("old", "done"))
    assert states(found, "Parcel").states == ("packed", "sent", "lost")
    assert states(found, "Parcel").moves == (("packed", "sent"), ("sent", "lost"))


def test_moves_keep_to_their_branch_and_to_the_thing_that_is_spoken_of() -> None:
    found = of(
        m="""
from dataclasses import dataclass
@dataclass
class Bill:
    status: str
@dataclass
class Order:
    status: str
def pay(db, bill_id, amount):
    b = db.get(Bill, bill_id)
    if b.status != "sent":
        raise ValueError("Only sent bills can be paid")
    if amount < b.total:
        b.status = "partly_paid"
    else:
        b.status = "paid"
""",
        n="""
from dataclasses import dataclass
@dataclass
class Parcel:
    status: str
def check(status, new):
    allowed_next = {"packed": ["sent"], "sent": ["lost"]}
    return new in allowed_next[status]
TRANSITIONS = [{"source": ["lost", "sent"], "dest": "found"}, {"source": "found", "dest": "sent"}]
""",
    )
    assert states(found, "Bill").moves == (("sent", "partly_paid"), ("sent", "paid"))
    assert [s.resource for s in found.states] == ["Bill", "Parcel"]
    moves = (("lost", "found"), ("sent", "found"), ("found", "sent"), ("packed", "sent"), ("sent", "lost"))
    assert set(states(found, "Parcel").moves) == set(moves)


# claims


def test_messages_that_refuse_are_claims(purchasing: Evidence) -> None:
    found = claim(purchasing, "Orders over 5000 EUR cannot be approved by a buyer")
    assert (found.kind, found.heading, found.about) == ("bound", "approve", "business")
    row = line(PURCHASING, "purchasing/service.py", "Orders over")
    assert str(found.source) == f"purchasing/service.py#{row}-{row}"
    assert claim(purchasing, "Only approved orders can be received").kind == "only_if"


def test_a_message_that_says_little_comes_with_its_condition(purchasing: Evidence, loans: Evidence) -> None:
    row = line(PURCHASING, "purchasing/service.py", "too many lines")
    found = claim(purchasing, "too many lines (if len(order.lines) > 50)")
    assert str(found.source) == f"purchasing/service.py#{row - 1}-{row}"
    said = {c.says for c in loans.claims if c.heading == "renew"}
    assert said == {
        "Refused (if loan.member_id != member.id)",
        "A loan that is {days} days late cannot be renewed (if late > GRACE, where GRACE = timedelta(days=14))",
        "Not open (if loan.status != 'open')",
        "blocked member (if member.blocked)",
        "A loan must be renewed by the member who took it.",
    }


def test_what_is_refused_without_raising_and_what_is_asked_before_are_claims(
    purchasing: Evidence, loans: Evidence, depot: Evidence
) -> None:
    assert claim(purchasing, "An order needs a vendor before it is approved").kind == "must"
    assert claim(loans, "At most three books can be lent at once").heading == "LoanList.post"
    assert claim(loans, "a desk must be named")
    allowed = claim(loans, "can borrow only if not member.blocked and len(loans) < MAX_LOANS")
    assert (allowed.kind, allowed.heading) == ("only_if", "can_borrow")
    assert claim(depot, "no pallet (if not arguments.get('pallet'))")
    otherwise = "not (self.state == PalletState.STORED and self.weight <= self.HEAVY), where self.HEAVY = 250"
    assert claim(depot, f"too heavy (if {otherwise})")


def test_texts_and_comments_that_demand_something_of_a_thing_are_claims(loans: Evidence) -> None:
    told = {c.says: str(c.source) for c in loans.claims if c.source.file == "library/models.py"}
    first, comment, after = (line(LOANS, "library/models.py", t) for t in ("Somebody who", "A loan may", "never more"))
    assert told == {
        "Nobody may borrow for somebody else, and a loan is never given away.": "library/models.py#1-1",
        "A member must live in the county.": f"library/models.py#{first}-{first + 1}",
        "A loan may not be longer than 28 days, and only one renewal is allowed.": f"library/models.py#{comment}-{comment + 1}",
        "never more than 28": f"library/models.py#{after}-{after}",
    }


def test_what_the_program_checks_or_looks_up_in_vain_is_no_claim(purchasing: Evidence, loans: Evidence) -> None:
    said = [c.says for c in (*purchasing.claims, *loans.claims)]
    assert not [s for s in said if "order at all" in s or "never a rule" in s or "not found" in s]
    assert not [s for s in said if "must be saved" in s or "called first" in s or "as days" in s or "be lost" in s]


REPOSITORIES = {"orders": PURCHASING, "desk": HELP_DESK, "claims": CLAIMS, "loans": LOANS, "depot": DEPOT}
ELSEWHERE = ("Refused (", "Not open (", "A loan that", "can borrow only if")
"""Claims with words of their own, or of an error that is made elsewhere."""


@pytest.mark.parametrize("files", REPOSITORIES.values(), ids=REPOSITORIES)
def test_every_claim_stands_on_the_lines_that_it_names(files: Mapping[str, str]) -> None:
    found = read(uploads_of(files)).claims
    assert found
    for one in found:
        first, last = map(int, one.source.at.split("-"))
        text = " ".join(files[one.source.file].splitlines()[first - 1 : last])
        message, _, condition = one.says.partition(" (if ")
        names = re.findall(r"[a-z]\w+\.\w+", condition.partition(", where")[0])
        words = [] if one.says.startswith(ELSEWHERE) else [w for w in message.split() if w.isalpha()]
        assert all(word in text for word in [*words, *names]), (one.says, text)


def test_what_a_description_says_again_is_one_claim(loans: Evidence) -> None:
    [said] = [c for c in collect_claims(loans) if "live in the county" in c.says]
    first = line(LOANS, "library/models.py", "Somebody who")
    assert str(said.source) == f"library/models.py#{first}-{first + 1}"
    assert [s.file for s in said.also] == ["library/models.py"]


# operations


def test_routes_of_fastapi_with_their_mounted_prefix(purchasing: Evidence) -> None:
    assert [(a.name, a.method, a.path, a.status) for a in purchasing.operations] == [
        ("list_orders", "GET", "/api/v1/orders", "200"),
        ("create_order", "POST", "/api/v1/orders", "201"),
        ("cancel_order", "POST", "/api/v1/orders/{order_id}/cancel", "200"),
        ("delete_order", "DELETE", "/api/v1/orders/{order_id}", "204"),
        ("health", "GET", "/health", "200"),
    ]
    create = operation(purchasing, "create_order")
    assert taken(create) == {
        "x-request-id": ("header", "string", True),
        "vendor_id": ("body", "integer", True),
        "note": ("body", "string", False),
        "lines": ("body", "array", True),
        "needed_by": ("body", "string", False),
    }
    assert create.scopes == ("orders:write",)
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
    assert cancel.scopes == ("manager",)
    assert taken(cancel) == {"order_id": ("path", "integer", True), "reason": ("body", "string", True)}
    assert cancel.parameters[0].says == "The order to give up."
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


def test_resources_of_flask_restful(loans: Evidence) -> None:
    [lend] = loans.operations
    assert (lend.name, lend.method, lend.path, lend.says) == ("loan_list_post", "POST", "/v1/loans", "Lend a book.")
    assert taken(lend) == {"desk": ("query", "any", False), "books": ("body", "any", True)}
    assert lend.errors == {"409": "At most three books can be lent at once", "400": "a desk must be named"}


def test_routes_of_flask_take_what_their_functions_read() -> None:
    found = of(
        shop="""
from flask import Blueprint, Flask, abort, request
from flask.views import MethodView
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
class UserAPI(MethodView):
    def get(self, user_id):
        '''One user.'''
def make():
    app = Flask(__name__)
    app.register_blueprint(bp, url_prefix="/orders")
    app.add_url_rule("/users/<user_id>", view_func=UserAPI.as_view("user"))
"""
    )
    assert [(a.name, a.method, a.path) for a in found.operations] == [
        ("user_api_get", "GET", "/users/{user_id}"),
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
    assert [n.says for n in found.notes if "is called" in n.says]


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
    assert operation(desk, "report_get").scopes == ("IsAdminUser",)
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
from rest_framework import generics, viewsets, mixins
from django.views.decorators.http import require_POST
from .serializers import OrderSerializer
class OrderList(generics.ListCreateAPIView):
    serializer_class = OrderSerializer
class OrderDetail(generics.RetrieveDestroyAPIView):
    serializer_class = OrderSerializer
class NoteViewSet(mixins.ListModelMixin, viewsets.GenericViewSet):
    '''Notes.'''
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
        ("notes_list", "GET", "/notes/"),
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
    assert [n.says for n in found.notes] == ["no address is registered for NoteViewSet: /notes is guessed"]
