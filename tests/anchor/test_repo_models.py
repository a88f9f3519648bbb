"""Models in repositories: tables and records keep their names, their types and what is required."""

from __future__ import annotations

import pytest
from tests.anchor.repositories import (
    PURCHASING,
    field,
    line,
    of,
    resource,
)

from worldwright.anchor.evidence import Evidence

# SQLAlchemy


def test_tables_of_sqlalchemy_keep_their_names_and_columns(purchasing: Evidence) -> None:
    assert [t.name for t in purchasing.resources] == [
        "User", "Vendor", "PurchaseOrder", "OrderLine", "order_tags", "Cancellation", "LineIn",
    ]  # fmt: skip
    order = resource(purchasing, "PurchaseOrder")
    assert [f.name for f in order.fields] == [
        "created_at", "id", "number", "vendor_id", "approver_id", "status", "total", "note",
    ]  # fmt: skip
    assert order.key == ("id",)
    assert order.says == "What we ask a vendor for.\n\nTable purchase_orders."
    assert order.origin == "model"
    assert (
        str(order.source)
        == f"purchasing/models.py#{line(PURCHASING, 'purchasing/models.py', 'class PurchaseOrder')}-68"
    )


@pytest.mark.parametrize(
    ("path", "required", "nullable"),
    [
        ("User.email", True, False),
        ("User.spending_limit", False, True),
        ("Vendor.rating", False, True),
        ("Vendor.created_at", True, False),
        ("PurchaseOrder.id", True, False),
        ("PurchaseOrder.vendor_id", True, False),
        ("PurchaseOrder.approver_id", False, True),
        ("PurchaseOrder.status", True, False),
        ("PurchaseOrder.note", False, True),
        ("OrderLine.position", True, False),
    ],
)
def test_columns_are_required_where_they_cannot_be_empty(
    purchasing: Evidence, path: str, required: bool, nullable: bool
) -> None:
    found = field(purchasing, path)
    assert (found.required, found.shape.nullable) == (required, nullable)


def test_types_keys_and_references_of_columns(purchasing: Evidence) -> None:
    assert field(purchasing, "PurchaseOrder.number").unique
    assert field(purchasing, "PurchaseOrder.number").shape.longest == 20
    assert field(purchasing, "OrderLine.unit_price").shape.format == "decimal"
    assert field(purchasing, "Vendor.payment_terms").shape.enum == ("net_15", "net_30")
    assert field(purchasing, "Vendor.payment_terms").shape.default == "net_30"
    assert field(purchasing, "User.role").shape.enum == ("buyer", "manager")
    approver = field(purchasing, "PurchaseOrder.approver_id")
    assert (approver.refers_to, approver.refers_by, approver.shape.kind) == ("User", "id", "integer")
    tagged = field(purchasing, "order_tags.order_id")
    assert (tagged.refers_to, tagged.shape.kind, tagged.key) == ("PurchaseOrder", "integer", True)


def test_constraints_of_tables_reach_their_columns(purchasing: Evidence) -> None:
    assert resource(purchasing, "OrderLine").unique == (("order_id", "position"),)
    assert resource(purchasing, "OrderLine").checks == ("quantity > 0",)
    assert field(purchasing, "OrderLine.quantity").shape.minimum == 1
    rating = field(purchasing, "Vendor.rating").shape
    assert (rating.minimum, rating.maximum) == (1, 5)


def test_request_models_only_limit_the_thing_they_are_named_after(purchasing: Evidence) -> None:
    note = field(purchasing, "PurchaseOrder.note")
    assert (note.shape.longest, note.says) == (500, "For the vendor")
    assert not note.required
    assert {"PurchaseOrderCreate", "PurchaseOrderOut"}.isdisjoint(t.name for t in purchasing.resources)
    assert field(purchasing, "LineIn.sku").shape.pattern == r"^[A-Z]{3}-\d{4}$"
    assert [s.what for s in purchasing.skipped if "settings" in s.why] == ["Settings", "AppSettings"]


def test_mixins_abstract_bases_and_shared_types_are_inherited_and_are_no_things() -> None:
    found = of(
        m="""
from sqlalchemy import Column, Integer, String
from sqlalchemy.ext.declarative import declarative_base, declared_attr
Base = declarative_base()
class Owned:
    @declared_attr
    def owner_id(cls):
        return Column(Integer, nullable=False)
class Person(Owned, Base):
    __tablename__ = "person"
    id = Column(Integer, primary_key=True)
class Driver(Person):
    licence = Column(String(10), nullable=False)
class Truck(Base):
    __tablename__ = "truck"
    driver_id = Column(Integer, primary_key=True)
"""
    )
    assert {t.name: [f.name for f in t.fields] for t in found.resources} == {
        "Person": ["owner_id", "id"],
        "Driver": ["owner_id", "id", "licence"],
        "Truck": ["driver_id"],
    }


def test_flask_sqlalchemy_sqlmodel_and_tables_without_a_class() -> None:
    found = of(
        shop="""
from flask_sqlalchemy import SQLAlchemy
db = SQLAlchemy()
class Customer(db.Model):
    id = db.Column(db.Integer, primary_key=True)
    tags = db.relationship("Tag", secondary="customer_tag")
class Tag(db.Model):
    name = db.Column(db.String(10), primary_key=True)
""",
        hero="""
from typing import Optional
from sqlmodel import SQLModel, Field, Relationship
class HeroBase(SQLModel):
    name: str = Field(max_length=50)
class Hero(HeroBase, table=True):
    id: Optional[int] = Field(default=None, primary_key=True)
    team_id: Optional[str] = Field(default=None, foreign_key="team.code")
    team: Optional["Team"] = Relationship()
class HeroCreate(HeroBase):
    secret: str
class Team(SQLModel, table=True):
    code: str = Field(primary_key=True)
""",
        stock="""
from dataclasses import dataclass
from sqlalchemy import Column, ForeignKey, Integer, Table
batches = Table("batches", meta, Column("id", Integer, primary_key=True), Column("parent", ForeignKey("batches.id")))
@dataclass
class Batch:
    '''Some stock.'''
    id: int
""",
    )
    assert [t.name for t in found.resources] == ["Customer", "Tag", "Hero", "Team", "batches"]
    assert (field(found, "Customer.tags").refers_to, field(found, "Customer.tags").shape.kind) == ("Tag", "array")
    hero = field(found, "Hero.id")
    assert (hero.key, hero.required, hero.shape.nullable) == (True, True, False)
    assert (field(found, "Hero.team_id").refers_to, field(found, "Hero.team_id").required) == ("Team", False)
    assert field(found, "batches.parent").refers_to == "batches"
    assert field(found, "Hero.name").shape.longest == 50


def test_names_are_followed_through_packages_and_star_imports() -> None:
    found = of(
        shop__models____init__="from .order import *\nfrom .base import Base as Root\n",
        shop__models__base="from sqlalchemy.orm import declarative_base\nBase = declarative_base()\nLONG = 10 * 4\n",
        shop__models__order="""
from sqlalchemy import Column, Enum, Integer, String
from .base import *
class Order(Base):
    __tablename__ = "orders"
    id = Column(Integer, primary_key=True)
    name = Column(String(LONG))
    kind = Column(Enum("a", "b"))
""",
        shop__more="""
from shop import models
from shop.models import Root, Order
class Extra(Root):
    __tablename__ = "extras"
    order_id = Column(Integer, ForeignKey(Order.id), primary_key=True)
class Part(models.Order):
    __tablename__ = "parts"
    id = Column(Integer, ForeignKey("orders.id"), primary_key=True)
""",
    )
    assert {t.name: [f.name for f in t.fields] for t in found.resources} == {
        "Order": ["id", "name", "kind"],
        "Extra": ["order_id"],
        "Part": ["id", "name", "kind"],
    }
    assert field(found, "Order.name").shape.longest == 40
    assert field(found, "Order.kind").shape.enum == ("a", "b")
    assert field(found, "Extra.order_id").refers_to == "Order"


def test_odd_types_of_columns() -> None:
    found = of(
        m="""
from sqlalchemy import *
from sqlalchemy.dialects.postgresql import ARRAY, JSONB, UUID
from sqlalchemy.types import TypeDecorator
class Money(TypeDecorator):
    impl = Numeric(12, 2)
Code = String(8)
t = Table(
    "t", metadata,
    Column("a", Integer), Column("b", Integer), Column("c", Code), Column("price", Money()), Column("tags", ARRAY(String)),
    Column("extra", JSONB, server_default=text("'{}'")), Column("ref", UUID(as_uuid=True)),
    Column("flag", Boolean, server_default="1"), Column("twice", Integer, Computed("a * 2")),
    PrimaryKeyConstraint("a", "b"), UniqueConstraint("c"),
    CheckConstraint("price >= 0.5"), Index("i", "c", "ref", unique=True),
)
"""
    )
    one = {f.name: f for f in resource(found, "t").fields}
    assert resource(found, "t").key == ("a", "b")
    assert one["a"].required
    assert (one["c"].shape.longest, one["c"].unique) == (8, True)
    assert (one["price"].shape.format, one["price"].shape.minimum) == ("decimal", 0.5)
    assert one["tags"].shape.items is not None
    assert one["tags"].shape.items.kind == "string"
    assert (one["extra"].shape.kind, one["ref"].shape.format) == ("object", "uuid")
    assert one["flag"].shape.default is True
    assert one["twice"].shape.kind == "integer"
    assert resource(found, "t").unique == (("c", "ref"),)


# Django


def test_models_of_django_with_inherited_and_automatic_fields(desk: Evidence) -> None:
    assert [t.name for t in desk.resources] == ["Agent", "Category", "Ticket"]
    ticket = resource(desk, "Ticket")
    assert [f.name for f in ticket.fields] == [
        "opened", "number", "subject", "body", "status", "priority", "channel", "satisfaction", "requester", "category", "watchers",
        "hours",
    ]  # fmt: skip
    assert ticket.key == ("number",)
    assert set(ticket.unique) == {("requester", "subject"), ("category", "number")}
    assert ticket.says == "A request for help."
    assert resource(desk, "Category").key == ("id",)
    assert [f.name for f in resource(desk, "Agent").fields][:3] == ["id", "username", "first_name"]
    assert field(desk, "Ticket.opened").read_only


@pytest.mark.parametrize(
    ("path", "required"),
    [
        ("Ticket.subject", True),
        ("Ticket.body", False),
        ("Ticket.status", True),
        ("Ticket.satisfaction", False),
        ("Ticket.requester", True),
        ("Ticket.category", False),
        ("Ticket.watchers", False),
        ("Ticket.opened", True),
    ],
)
def test_fields_of_django_are_required_where_they_cannot_be_empty(desk: Evidence, path: str, required: bool) -> None:
    assert field(desk, path).required is required


def test_choices_come_from_classes_constants_and_groups(desk: Evidence) -> None:
    assert field(desk, "Ticket.status").shape.enum == ("new", "open", "solved", "closed")
    assert field(desk, "Ticket.status").shape.default == "new"
    assert field(desk, "Ticket.priority").shape.enum == (1, 3)
    assert field(desk, "Ticket.priority").says == "1: Low; 3: High"
    assert field(desk, "Ticket.channel").shape.enum == ("email", "chat", "phone")


def test_choices_that_are_known_only_in_part_are_not_claimed() -> None:
    found = of(
        m="""
from django.db import models
import conf
class Doc(models.Model):
    level = models.CharField(max_length=5, choices=[(conf.LOW, "low"), ("high", "high")])
"""
    )
    assert field(found, "Doc.level").shape.enum == ()


def test_relations_validators_and_help_of_django(desk: Evidence) -> None:
    assert field(desk, "Category.parent").refers_to == "Category"
    assert field(desk, "Ticket.requester").refers_to == "Agent"
    assert field(desk, "Ticket.category").refers_to == "Category"
    assert (field(desk, "Ticket.watchers").refers_to, field(desk, "Ticket.watchers").shape.kind) == ("Agent", "array")
    subject = field(desk, "Ticket.subject")
    assert (subject.says, subject.shape.longest) == ("One line", 200)
    assert field(desk, "Agent.phone").says == "phone number"
    assert field(desk, "Ticket.number").shape.pattern == r"^T-\d+$"
    satisfaction = field(desk, "Ticket.satisfaction").shape
    assert (satisfaction.minimum, satisfaction.maximum) == (1, 5)
    assert resource(desk, "Ticket").checks == ("models.Q(hours__gte=0)",)


def test_choices_in_all_their_forms() -> None:
    found = of(
        m="""
from enum import Enum, IntEnum
from django.contrib.postgres.fields import ArrayField
from django.db import models
class Base(Enum):
    ONE = "one"
class Size(str, Enum):
    SMALL = "small"
    LARGE = "large"
class Upper(models.CharField): ...
class Doc(models.Model):
    STATUS = ("draft", "Draft"), ("out", "Published"), "gone"
    a = models.CharField(choices=STATUS, max_length=9)
    b = models.CharField(choices=[(s.value, s.name) for s in Size], max_length=9)
    c = models.CharField(choices=Size, max_length=9)
    d = models.IntegerField(choices=((1, "one"), (2, "two")))
    e = ArrayField(models.CharField(max_length=3))
    f = Upper(max_length=7, unique=True)
    g = models.CharField(choices=[["x", "X"], ["y", "Y"]], max_length=1)
class Letter(Doc):
    stamp = models.FileField(null=True)
"""
    )
    enums = {f.name: f.shape.enum for f in resource(found, "Doc").fields}
    assert enums["a"] == ("draft", "out", "gone")
    assert enums["b"] == enums["c"] == ("small", "large")
    assert enums["d"] == (1, 2)
    assert enums["g"] == ("x", "y")
    items = field(found, "Doc.e").shape.items
    assert items is not None
    assert items.longest == 3
    assert (field(found, "Doc.f").shape.longest, field(found, "Doc.f").unique) == (7, True)
    assert [f.name for f in resource(found, "Letter").fields] == ["id", *"abcdefg", "stamp"]


# records


def test_records_of_pydantic_and_dataclasses(claims: Evidence) -> None:
    assert [t.name for t in claims.resources] == ["Address", "Claim", "Adjuster", "WeatherRequest"]
    claim = {f.name: f for f in resource(claims, "Claim").fields}
    assert {n: f.required for n, f in claim.items()} == {
        "id": True, "policy_number": True, "holder_email": True, "state": False, "kind": True, "amount": True, "where": True,
        "related": False, "paid_on": True,
    }  # fmt: skip
    assert claim["kind"].shape.enum == ("fire", "water", "theft")
    assert (claim["amount"].shape.minimum, claim["amount"].says) == (0, "What is asked for.")
    assert (claim["policy_number"].shape.shortest, claim["policy_number"].shape.longest) == (8, 12)
    assert claim["policy_number"].shape.examples == ("NM-000123",)
    assert claim["where"].shape.fields["postcode"].shape.pattern == r"^\d{5}$"
    assert claim["related"].shape.items is not None
    assert (claim["related"].shape.items.name, claim["related"].shape.items.cut) == ("Claim", True)
    assert claim["paid_on"].shape.nullable
    assert claim["state"].shape.default == "reported"
    assert field(claims, "Adjuster.minutes").shape.minimum == 1


def test_an_optional_without_default_may_be_left_out_in_the_first_pydantic_only() -> None:
    text = "from pydantic import BaseModel, {}\nfrom typing import Optional\nclass Item(BaseModel):\n    note: Optional[str]\n"
    assert not field(of(m=text.format("validator")), "Item.note").required
    assert field(of(m=text.format("field_validator")), "Item.note").required


def test_records_named_like_a_table_add_to_it() -> None:
    found = of(
        a="""
from pydantic import BaseModel, Field
from sqlalchemy import Column, Integer, String
from sqlalchemy.orm import declarative_base
Base = declarative_base()
class BoatModel(Base):
    __tablename__ = "boats"
    id = Column(Integer, primary_key=True)
    name = Column(String)
class BoatOut(BaseModel):
    name: str = Field(max_length=40)
""",
        b="from django.db import models\nclass Place(models.Model): ...\n",
        c="from django.db import models\nclass Place(models.Model): ...\n",
    )
    assert [t.name for t in found.resources] == ["BoatModel", "Place", "Place"]
    assert field(found, "BoatModel.name").shape.longest == 40


def test_a_record_that_holds_too_much_is_cut() -> None:
    text = "from pydantic import BaseModel\n"
    for depth in range(6):
        text += f"class L{depth}(BaseModel):\n" + "".join(f"    f{i}: 'L{depth + 1}'\n" for i in range(60))
    found = of(m=text + "class L6(BaseModel):\n    x: int\n")
    assert len(resource(found, "L0").fields) == 60


def test_annotations_in_all_their_forms() -> None:
    found = of(
        m="""
from typing import *
from pydantic import BaseModel, conint, conlist, constr, Field
Name = str
Kind = Literal["a", "b", None]
Price = Annotated[float, Field(gt=0, description="In euros")]
class Item(BaseModel):
    a: Union[float, None]
    b: int | None
    c: "List[Optional[str]]"
    d: Dict[str, int]
    e: Kind
    f: Literal["x"] | Literal["y"]
    g: int | str
    h: conint(ge=1, lt=5)
    i: conlist(str, min_items=2)
    j: constr(max_length=4) = Field(alias="J", title="Jay")
    k: Name
    l: ClassVar[int] = 3
    m: Price = 1.5
    n: Tuple[int, str]
    o: int
    p: Callable[[int], str]
    q: Unknown = ...
"""
    )
    one = {f.name: f for f in resource(found, "Item").fields}
    assert list(one) == list("abcdefghijkmnopq")
    assert one["a"].shape.kind == "number"
    assert (one["b"].shape.kind, one["b"].shape.nullable, one["b"].required) == ("integer", True, True)
    assert one["c"].shape.items is not None
    assert (one["c"].shape.items.kind, one["c"].shape.items.nullable) == ("string", True)
    assert (one["d"].shape.kind, one["d"].shape.open) == ("object", True)
    assert (one["e"].shape.enum, one["e"].shape.nullable) == (("a", "b"), True)
    assert one["f"].shape.enum == ("x", "y")
    assert one["g"].shape.kind == "any"
    assert (one["h"].shape.minimum, one["h"].shape.maximum) == (1, 4)
    assert (one["i"].shape.kind, one["i"].shape.shortest) == ("array", 2)
    assert (one["j"].shape.longest, one["j"].says, one["j"].required) == (4, "Jay", True)
    assert one["k"].shape.kind == "string"
    assert (one["m"].shape.minimum, one["m"].says, one["m"].required) == (0, "In euros", False)
    assert one["q"].required
