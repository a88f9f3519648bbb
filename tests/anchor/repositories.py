"""Five small repositories, as people write them.

A purchasing service, a help desk, a claims service with tools for agents, a library, and a depot.
"""

from __future__ import annotations

from collections.abc import Mapping

from worldwright.anchor.evidence import Claim, Evidence, Field, Operation, Resource, States
from worldwright.anchor.intake.uploads import Upload
from worldwright.anchor.readers.repo import read

PURCHASING: Mapping[str, str] = {
    "README.md": """\
[![build](https://ci.example/badge.svg)](https://ci.example)

# Brightwater Purchasing

Purchase orders from request to receipt, for the **buying team** of Brightwater.

## Running it

Install and run.
""",
    "pyproject.toml": """\
[project]
name = "brightwater-purchasing"
description = "Purchase orders"
""",
    "purchasing/__init__.py": "",
    "purchasing/db.py": '''\
from datetime import datetime

from sqlalchemy import Column, DateTime, Integer, func
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column
from typing_extensions import Annotated

intpk = Annotated[int, mapped_column(primary_key=True)]


class Base(DeclarativeBase):
    pass


class Timestamped:
    """When a row was made."""

    created_at = Column(DateTime(timezone=True), server_default=func.now(), nullable=False)


class Keyed(Base):
    __abstract__ = True

    id = Column(Integer, primary_key=True)
''',
    "purchasing/enums.py": '''\
import enum


class OrderStatus(str, enum.Enum):
    """Where an order stands."""

    DRAFT = "draft"
    SUBMITTED = "submitted"
    APPROVED = "approved"
    RECEIVED = "received"
    CANCELLED = "cancelled"


class Role(str, enum.Enum):
    BUYER = "buyer"
    MANAGER = "manager"
''',
    "purchasing/models.py": '''\
from decimal import Decimal
from typing import List, Optional

from sqlalchemy import (
    CheckConstraint,
    Column,
    Enum,
    ForeignKey,
    Integer,
    Numeric,
    String,
    Table,
    UniqueConstraint,
)
from sqlalchemy.orm import Mapped, mapped_column, relationship, validates

from .db import Base, Keyed, Timestamped, intpk
from .enums import OrderStatus, Role

order_tags = Table(
    "order_tags",
    Base.metadata,
    Column("order_id", ForeignKey("purchase_orders.id"), primary_key=True),
    Column("tag", String(30), primary_key=True),
)


class User(Keyed):
    __tablename__ = "users"

    email = Column(String(120), unique=True, nullable=False)
    role = Column(Enum(Role), nullable=False, default=Role.BUYER)
    spending_limit = Column(Numeric(12, 2), comment="What this person may approve")


class Vendor(Keyed, Timestamped):
    """A company that we buy from."""

    __tablename__ = "vendors"
    __table_args__ = (CheckConstraint("rating >= 1 AND rating <= 5", name="ck_rating"),)

    name = Column(String(200), nullable=False)
    country = Column("country_code", String(2), nullable=False)
    rating = Column(Integer)
    payment_terms = Column(Enum("net_15", "net_30", name="terms"), server_default="net_30", nullable=False)


class PurchaseOrder(Timestamped, Base):
    """What we ask a vendor for."""

    __tablename__ = "purchase_orders"

    id: Mapped[intpk]
    number: Mapped[str] = mapped_column(String(20), unique=True)
    vendor_id: Mapped[int] = mapped_column(ForeignKey("vendors.id"))
    approver_id: Mapped[Optional[int]] = mapped_column(ForeignKey("users.id"))
    status: Mapped[OrderStatus] = mapped_column(Enum(OrderStatus), default=OrderStatus.DRAFT)
    total: Mapped[Decimal] = mapped_column(Numeric(12, 2), default=0)
    note: Mapped[Optional[str]]

    vendor: Mapped["Vendor"] = relationship()
    lines: Mapped[List["OrderLine"]] = relationship(back_populates="order", cascade="all, delete-orphan")

    @validates("total")
    def total_is_positive(self, key, value):
        if value < 0:
            raise ValueError("The total of an order must not be negative")
        return value


class OrderLine(Base):
    __tablename__ = "order_lines"
    __table_args__ = (
        UniqueConstraint("order_id", "position"),
        CheckConstraint("quantity > 0"),
    )

    id: Mapped[intpk]
    order_id: Mapped[int] = mapped_column(ForeignKey("purchase_orders.id", ondelete="CASCADE"))
    position: Mapped[int]
    quantity: Mapped[int]
    unit_price: Mapped[Decimal] = mapped_column(Numeric(10, 4))
    order: Mapped["PurchaseOrder"] = relationship(back_populates="lines")
''',
    "purchasing/schemas.py": '''\
from datetime import date
from decimal import Decimal
from typing import Optional

from pydantic import BaseModel, ConfigDict, Field

from .enums import OrderStatus


class LineIn(BaseModel):
    sku: str = Field(pattern=r"^[A-Z]{3}-\\d{4}$", examples=["ABC-1234"])
    quantity: int = Field(gt=0, le=10_000)


class PurchaseOrderCreate(BaseModel):
    vendor_id: int
    note: Optional[str] = Field(default=None, max_length=500, description="For the vendor")
    lines: list[LineIn] = Field(min_length=1)
    needed_by: date | None = None


class PurchaseOrderOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: int
    number: str
    status: OrderStatus
    total: Decimal


class Cancellation(BaseModel):
    """Why an order is given up."""

    reason: str = Field(min_length=10)


class Settings(BaseModel):
    api_prefix: str = "/api/v1"
''',
    "purchasing/service.py": '''\
from datetime import datetime, timedelta

from .enums import OrderStatus
from .models import PurchaseOrder

APPROVAL_LIMIT = 5_000

TRANSITIONS = {
    OrderStatus.DRAFT: [OrderStatus.SUBMITTED, OrderStatus.CANCELLED],
    OrderStatus.SUBMITTED: {OrderStatus.APPROVED, OrderStatus.CANCELLED},
    OrderStatus.APPROVED: (),
}


class OrderError(Exception):
    """Something that may not be done with an order."""


def receive(order: PurchaseOrder) -> None:
    if order.status != OrderStatus.APPROVED:
        raise OrderError("Only approved orders can be received")
    order.status = OrderStatus.RECEIVED


def approve(order, user):
    if order.total > APPROVAL_LIMIT and user.role != "manager":
        raise OrderError(f"Orders over {APPROVAL_LIMIT} EUR cannot be approved by a buyer")
    if datetime.now() - order.created_at > timedelta(days=30):
        raise OrderError("An order must be approved within 30 days")
    if len(order.lines) > 50:
        raise OrderError("too many lines")
    assert order.vendor_id, "An order needs a vendor before it is approved"
    if not isinstance(order, PurchaseOrder):
        raise TypeError("that is no purchase order at all")
''',
    "purchasing/api/orders.py": '''\
from typing import Annotated

from fastapi import APIRouter, Depends, Header, HTTPException, Query, Security, status
from sqlalchemy.orm import Session

from ..db import get_db
from ..models import PurchaseOrder
from ..schemas import Cancellation, PurchaseOrderCreate, PurchaseOrderOut
from ..security import current_user, require_role

router = APIRouter(prefix="/orders", tags=["orders"])


@router.get("", response_model=list[PurchaseOrderOut])
def list_orders(
    status: str | None = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
    db: Session = Depends(get_db),
):
    """Orders, the newest first."""
    return db.query(PurchaseOrder).limit(limit)


@router.post("", response_model=PurchaseOrderOut, status_code=status.HTTP_201_CREATED)
def create_order(
    payload: PurchaseOrderCreate,
    x_request_id: str = Header(...),
    user=Security(current_user, scopes=["orders:write"]),
):
    """Make a draft."""


@router.post("/{order_id}/cancel", dependencies=[Depends(require_role("manager"))])
async def cancel_order(order_id: int, body: Cancellation, db: Session = Depends(get_db)) -> PurchaseOrderOut:
    """Give an order up.

    Args:
        order_id: The order to give up.
    """
    order = db.get(PurchaseOrder, order_id)
    if order is None:
        raise HTTPException(status_code=404, detail="Order not found")
    if order.status not in ("draft", "submitted"):
        raise HTTPException(409, "Only drafts and submitted orders can be cancelled")
    order.status = "cancelled"
    return order


@router.delete("/{order_id}", status_code=204, deprecated=True)
def delete_order(order_id: int) -> None: ...
''',
    "purchasing/main.py": """\
from fastapi import FastAPI

from .api import orders
from .config import settings

app = FastAPI()
app.include_router(orders.router, prefix=settings.API_PREFIX)


@app.get("/health")
def health() -> dict[str, str]:
    return {"status": "ok"}
""",
    "purchasing/config.py": """\
from pydantic_settings import BaseSettings


class AppSettings(BaseSettings):
    API_PREFIX: str = "/api/v1"
    database_url: str


settings = AppSettings()
""",
    "tests/test_orders.py": "def test_nothing():\n    assert 1 == 1, 'this is never a rule'\n",
    "frontend/src/app.ts": "export const a = 1;\n",
    "frontend/src/order.ts": "export const b = 1;\n",
    "frontend/node_modules/left-pad/index.js": "module.exports = 1;\n",
    "frontend/node_modules/left-pad/package.json": '{"name": "left-pad"}',
    "poetry.lock": "[[package]]\n",
    "openapi.json": '{"openapi": "3.1.0", "info": {"title": "x", "version": "1"}, "paths": {}}',
    "db/schema.sql": "create table x (id int);",
    "data/vendors.csv": "id,name\n1,Acme\n",
    "docs/handbook.md": "# Handbook\n\nOrders over 5,000 EUR need a manager.\n",
    ".github/workflows/ci.yml": "on: push\n",
    "Dockerfile": "FROM python:3.12\n",
}

HELP_DESK: Mapping[str, str] = {
    "README.rst": "Corner Desk\n===========\n\nTickets of the people in our offices.\n",
    "manage.py": "import sys\n",
    "desk/settings.py": 'AUTH_USER_MODEL = "accounts.Agent"\n',
    "desk/urls.py": """\
from django.urls import include, path

urlpatterns = [
    path("api/", include("tickets.urls")),
]
""",
    "accounts/models.py": '''\
from django.contrib.auth.models import AbstractUser
from django.db import models


class Agent(AbstractUser):
    """Someone who answers tickets."""

    phone = models.CharField("phone number", max_length=20, blank=True)
''',
    "tickets/constants.py": """\
PRIORITY_LOW, PRIORITY_HIGH = "low", "high"
CHANNELS = (
    ("Written", (("email", "E-mail"), ("chat", "Chat"))),
    ("phone", "By phone"),
)
""",
    "tickets/models.py": '''\
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from .constants import CHANNELS


def no_shouting(value):
    if value.isupper():
        raise ValidationError(_("A subject must not be written in capitals only"))


class Dated(models.Model):
    opened = models.DateTimeField(auto_now_add=True)

    class Meta:
        abstract = True


class Category(models.Model):
    name = models.CharField(max_length=60, unique=True)
    parent = models.ForeignKey("self", null=True, blank=True, on_delete=models.SET_NULL)


class Ticket(Dated):
    """A request for help."""

    class Status(models.TextChoices):
        NEW = "new", _("New")
        OPEN = "open", _("Being worked on")
        SOLVED = "solved", _("Solved")
        CLOSED = "closed", _("Closed")

    class Priority(models.IntegerChoices):
        LOW = 1, "Low"
        HIGH = 3, "High"

    number = models.CharField(max_length=12, primary_key=True, validators=[RegexValidator(r"^T-\\d+$")])
    subject = models.CharField(_("subject"), max_length=200, help_text=_("One line"), validators=[no_shouting])
    body = models.TextField(blank=True)
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.NEW)
    priority = models.IntegerField(choices=Priority.choices, default=Priority.LOW)
    channel = models.CharField(max_length=10, choices=CHANNELS)
    satisfaction = models.PositiveSmallIntegerField(
        null=True, blank=True, validators=[MinValueValidator(1), MaxValueValidator(5)]
    )
    requester = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="asked")
    category = models.ForeignKey(Category, null=True, on_delete=models.SET_NULL)
    watchers = models.ManyToManyField("accounts.Agent", blank=True)
    hours = models.DecimalField(max_digits=6, decimal_places=2, default=0)

    class Meta:
        verbose_name = "ticket"
        unique_together = [("requester", "subject")]
        constraints = [
            models.CheckConstraint(check=models.Q(hours__gte=0), name="hours_not_negative"),
            models.UniqueConstraint(fields=["category", "number"], name="one_per_category"),
        ]

    def clean(self):
        if self.status == self.Status.CLOSED and not self.category:
            raise ValidationError("A ticket cannot be closed without a category")

    def start(self):
        if self.status == self.Status.NEW:
            self.status = self.Status.OPEN
            self.save()


class UrgentTicket(Ticket):
    class Meta:
        proxy = True
''',
    "tickets/serializers.py": """\
from rest_framework import serializers

from .models import Ticket


class TicketSerializer(serializers.ModelSerializer):
    subject = serializers.CharField(min_length=5, max_length=200)

    class Meta:
        model = Ticket
        fields = ["number", "subject", "body", "status", "category"]
        read_only_fields = ["number", "status"]
""",
    "tickets/views.py": '''\
from rest_framework import status, viewsets
from rest_framework.decorators import action, api_view
from rest_framework.exceptions import ValidationError
from rest_framework.permissions import IsAdminUser
from rest_framework.response import Response
from rest_framework.views import APIView

from .models import Ticket
from .serializers import TicketSerializer


class TicketViewSet(viewsets.ModelViewSet):
    """Tickets of everyone."""

    queryset = Ticket.objects.all()
    serializer_class = TicketSerializer
    http_method_names = ["get", "post", "patch"]

    @action(detail=True, methods=["post"], url_path="solve")
    def solve_ticket(self, request, pk=None):
        """Say that a ticket is solved."""
        ticket = self.get_object()
        if ticket.status not in [Ticket.Status.OPEN, Ticket.Status.NEW]:
            raise ValidationError("Only tickets that are not solved yet can be solved")
        ticket.status = Ticket.Status.SOLVED
        answer = request.data["answer"]
        hours = request.data.get("hours", 0)
        return Response({})


class ReportView(APIView):
    permission_classes = [IsAdminUser]

    def get(self, request):
        """Figures of a month."""
        month = request.query_params.get("month")


@api_view(["POST"])
def merge(request, number):
    """Make one of two tickets."""
    other = request.data["other"]
''',
    "tickets/urls.py": """\
from django.urls import include, path
from rest_framework.routers import DefaultRouter

from . import views

router = DefaultRouter()
router.register(r"tickets", views.TicketViewSet)

urlpatterns = [
    path("", include(router.urls)),
    path("report/", views.ReportView.as_view()),
    path("tickets/<str:number>/merge/", views.merge),
]
""",
}

CLAIMS: Mapping[str, str] = {
    "setup.cfg": "[metadata]\nname = claims\n",
    "claims/records.py": '''\
from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from enum import Enum, StrEnum, auto
from typing import Annotated, Literal, Optional
from uuid import UUID

from pydantic import BaseModel, EmailStr, Field, PositiveInt, field_validator, model_validator

Money = Annotated[Decimal, Field(ge=0, decimal_places=2)]


class ClaimState(StrEnum):
    REPORTED = auto()
    UNDER_REVIEW = auto()
    PAID = auto()
    REJECTED = auto()


class Address(BaseModel):
    street: str
    postcode: str = Field(..., pattern=r"^\\d{5}$")


class Claim(BaseModel):
    """A loss that someone reported."""

    id: UUID
    policy_number: str = Field(min_length=8, max_length=12, description="As printed on the policy")
    holder_email: EmailStr
    state: ClaimState = ClaimState.REPORTED
    kind: Literal["fire", "water", "theft"]
    amount: Money
    """What is asked for."""
    where: Address
    related: list[Claim] = []
    paid_on: Optional[date]
    _cache: dict = {}

    @field_validator("amount")
    @classmethod
    def amount_within_cover(cls, value):
        if value > 250_000:
            raise ValueError("A claim must not be over 250000 EUR")
        return value

    @model_validator(mode="after")
    def paid_has_date(self):
        if self.state == ClaimState.PAID and self.paid_on is None:
            raise ValueError("A paid claim needs the date of payment")
        return self


class ClaimRequest(BaseModel):
    policy_number: str = Field(examples=["NM-000123"])
    kind: Literal["fire", "water", "theft"]
    adjuster: str = "nobody"


class WeatherRequest(BaseModel):
    postcode: str


@dataclass(frozen=True)
class Adjuster:
    name: str
    regions: list[str] = field(default_factory=list)
    cases: int = 0
    minutes: PositiveInt = 30
''',
    "claims/server.py": '''\
from typing import Annotated, Literal

from mcp.server.fastmcp import Context, FastMCP
from pydantic import Field

from .records import Claim, ClaimState

mcp = FastMCP("claims")

NEXT_STATES = {
    "reported": ["under_review"],
    "under_review": ["paid", "rejected"],
}


@mcp.tool(annotations={"readOnlyHint": True})
def find_claims(
    kind: Literal["fire", "water", "theft"],
    policy_number: Annotated[str, Field(description="As printed")] = "",
    limit: int = Field(default=10, ge=1, le=50),
    ctx: Context = None,
) -> list[Claim]:
    """Claims of one kind."""


@mcp.tool(name="pay_claim", description="Pay a claim out.")
async def _pay(ctx: Context, claim_id: str, amount: float, urgent: bool = False) -> Claim:
    if amount <= 0:
        raise ValueError("The amount must be more than nothing")


@mcp.tool
def ping() -> str:
    return "pong"


@mcp.resource("claims://all")
def all_claims(): ...
''',
    "claims/low_level.py": """\
from mcp import types
from mcp.server import Server

server = Server("low")


@server.list_tools()
async def list_tools():
    return [
        types.Tool(
            name="assign_adjuster",
            description="Give a claim to someone.",
            inputSchema={
                "type": "object",
                "properties": {
                    "claim_id": {"type": "string"},
                    "adjuster": {"type": "string", "description": "By name"},
                },
                "required": ["claim_id"],
            },
        )
    ]
""",
}

LOANS: Mapping[str, str] = {
    "library/limits.py": "from datetime import timedelta\n\nMAX_LOANS = 5\nGRACE = timedelta(days=14)\n",
    "library/models.py": '''\
"""What the library keeps. Nobody may borrow for somebody else, and a loan is never given away."""

from flask_sqlalchemy import SQLAlchemy

db = SQLAlchemy()


class Member(db.Model):
    """Somebody who borrows books. A member
    must live in the county."""

    id = db.Column(db.Integer, primary_key=True)
    name = db.Column(db.String(80), nullable=False)
    blocked = db.Column(db.Boolean, default=False)


class Loan(db.Model):
    """Something that is lent.

    A loan may not be longer than 28 days, and
    only one renewal is allowed. This method must be called first.
    """

    id = db.Column(db.Integer, primary_key=True)
    member_id = db.Column(db.Integer, db.ForeignKey("member.id"), nullable=False)
    status = db.Column(db.String(10), default="open")
    days = db.Column(db.Integer)
''',
    "library/service.py": '''\
from .limits import GRACE, MAX_LOANS
from .models import Loan, Member


class TooLate(Exception):
    def __init__(self, days):
        super().__init__(f"A loan that is {days} days late cannot be renewed")


class NotOpen(Exception):
    pass


def renew(loan: Loan, member: Member, late):
    """Give a loan more time.

    - A loan must be renewed by the member who took it.

    Args:
        late: a loan must be given as days
    """
    if loan.member_id != member.id:
        raise PermissionError
    if late > GRACE:
        raise TooLate(late.days)
    if loan.status != "open":
        raise NotOpen
    elif member.blocked:
        reason = "blocked member"
        raise ValueError(reason)
    loan.status = "renewed"
    try:
        loan.save()
    except Exception as error:
        raise RuntimeError(f"A loan must be saved: {error}")


def can_borrow(member, loans):
    """Whether somebody gets another book."""
    return not member.blocked and len(loans) < MAX_LOANS
''',
    "library/api.py": '''\
from flask import Blueprint, jsonify, request

loans = Blueprint("loans", __name__, url_prefix="/v1")


@loans.post("/loans")
def lend():
    """Lend a book."""
    data = request.get_json()
    if len(data["books"]) > 3:
        return {"message": "At most three books can be lent at once"}, 409
    if not request.args.get("desk"):
        return jsonify(error="a desk must be named"), 400
    return {"id": 1}, 201
''',
}

DEPOT: Mapping[str, str] = {
    "depot/server.py": '''\
from enum import Enum

from mcp.server import Server
from mcp.types import Tool
from pydantic import BaseModel, Field

server = Server("depot")


class Names(str, Enum):
    MOVE = "move_pallet"


class MovePallet(BaseModel):
    """Take a pallet to another bay."""

    pallet: str = Field(pattern="^P-[0-9]+$")
    bay: int = Field(ge=1, le=40, description="A bay holds at most 12 pallets")


class PalletState(str, Enum):
    STORED = "stored"
    MOVED = "moved"


class Pallet(BaseModel):
    HEAVY = 250

    id: str
    weight: float
    state: PalletState = PalletState.STORED

    def move(self):
        if self.state == PalletState.STORED and self.weight <= self.HEAVY:
            self.state = PalletState.MOVED
        else:
            raise ValueError("too heavy")


@server.list_tools()
async def list_tools():
    return [Tool(name=Names.MOVE, description="Move it.", inputSchema=MovePallet.model_json_schema())]


@server.call_tool()
async def call_tool(name, arguments):
    if not arguments.get("pallet"):
        return {"error": "no pallet"}
''',
}

OLD = "import os\n\nprint 'hello'\n\ntry:\n    pass\nexcept OSError, e:\n    raise ValueError, 'no'\n"
"""Python 2."""


def uploads_of(files: Mapping[str, str], root: str = "") -> list[Upload]:
    return [Upload(root + name, text.encode()) for name, text in files.items()]


def of(**files: str) -> Evidence:
    """A repository of files given by name, with `__` for `/`; `a____init__` is the file of the package `a`."""
    paths = {name.removesuffix("____init__").replace("__", "/"): name for name in files}
    ends = {path: "/__init__.py" if name.endswith("____init__") else ".py" for path, name in paths.items()}
    return read([Upload(path + ends[path], files[name].encode()) for path, name in paths.items()])


def resource(evidence: Evidence, name: str) -> Resource:
    [found] = [t for t in evidence.resources if t.name == name]
    return found


def field(evidence: Evidence, path: str) -> Field:
    owner, name = path.split(".")
    [found] = [f for f in resource(evidence, owner).fields if f.name == name]
    return found


def operation(evidence: Evidence, name: str) -> Operation:
    [found] = [a for a in evidence.operations if a.name == name]
    return found


def claim(evidence: Evidence, says: str) -> Claim:
    [found] = [c for c in evidence.claims if c.says == says]
    return found


def states(evidence: Evidence, name: str) -> States:
    [found] = [s for s in evidence.states if s.resource == name]
    return found


def taken(one: Operation) -> dict[str, tuple[str, str, bool]]:
    return {p.name: (p.place, p.shape.kind, p.required) for p in one.parameters}


def line(files: Mapping[str, str], file: str, text: str) -> int:
    return next(i for i, row in enumerate(files[file].splitlines(), 1) if text in row)
