"""Worlds derived from actions: exactly the tools of the evidence, answers as they are declared, tasks that hold."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from tests.effort import examples
from tests.shared_builds import build

from worldwright.anchor.evidence import Evidence, Operation, Parameter, Shape
from worldwright.anchor.model.derive import Derived, derive
from worldwright.anchor.schema.shapes import shape_of
from worldwright.blueprint.load import load_text
from worldwright.core.rng import Stream
from worldwright.engine.walk import Walker
from worldwright.engine.world import World
from worldwright.store.open import world_of

ORDER: dict[str, Any] = {
    "type": "object",
    "properties": {
        "id": {"type": "integer"},
        "customer_id": {"type": "integer"},
        "total": {"type": "number", "minimum": 0},
        "currency": {"type": "string", "enum": ["EUR", "USD"]},
        "note": {"type": ["string", "null"], "maxLength": 40},
        "status": {"type": "string", "enum": ["open", "shipped", "cancelled"]},
        "shipTo": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
        "created_at": {"type": "string", "format": "date-time"},
    },
    "required": ["id", "customer_id", "total", "status", "created_at", "shipTo"],
}
CUSTOMER: dict[str, Any] = {
    "type": "object",
    "properties": {
        "id": {"type": "integer"},
        "name": {"type": "string"},
        "email": {"type": "string", "format": "email"},
    },
    "required": ["id", "name"],
}
LISTED = {"limit": {"type": "integer"}, "offset": {"type": "integer"}}


def operation(
    name: str,
    method: str,
    path: str,
    inputs: Mapping[str, Any],
    required: list[str],
    output: Any = None,
    errors: tuple[str, ...] = (),
) -> Operation:
    """An HTTP operation as a reader gives it."""
    named = {piece.strip("{}") for piece in path.split("/") if piece.startswith("{")}
    parameters = tuple(
        Parameter(
            n,
            "path" if n in named else "query" if method == "GET" else "body",
            shape_of(schema),
            n in required,
        )
        for n, schema in inputs.items()
    )
    return Operation(
        name, f"{name}.", method=method, path=path, parameters=parameters, answer=None if output is None else shape_of(output),
        status="200", errors=dict.fromkeys(errors, ""), output_schema=output,
        input_schema={"type": "object", "properties": dict(inputs), "required": required},
    )  # fmt: skip


ID = {"type": "integer"}
NOTE = ORDER["properties"]["note"]
ORDERS = {
    "type": "object",
    "properties": {"orders": {"type": "array", "items": ORDER}, "total": ID},
    "required": ["orders"],
}
SHOP = Evidence(
    "Parts shop",
    operations=(
        operation(
            "listOrders", "GET", "/orders",
            {**LISTED, "status": ORDER["properties"]["status"], "customer_id": ID}, [], ORDERS,
        ),
        operation(
            "createOrder", "POST", "/orders",
            {k: ORDER["properties"][k] for k in ("customer_id", "total", "currency", "note", "shipTo")},
            ["customer_id", "total"], ORDER, ("400", "404", "409"),
        ),
        operation("get-order", "GET", "/orders/{orderId}", {"orderId": ID}, ["orderId"], ORDER, ("404",)),
        operation("orders.cancel", "POST", "/orders/{orderId}/cancel", {"orderId": ID}, ["orderId"], ORDER, ("404", "409")),
        operation("updateOrder", "PATCH", "/orders/{orderId}", {"orderId": ID, "note": NOTE}, ["orderId"], ORDER),
        operation("list customers", "GET", "/customers", LISTED, [], {"type": "array", "items": CUSTOMER}),
        operation("createCustomer", "POST", "/customers", {"name": {"type": "string"}}, ["name"], CUSTOMER),
        operation("DELETE customer", "DELETE", "/customers/{id}", {"id": ID}, ["id"], None, ("404", "409")),
    ),
)  # fmt: skip


@pytest.fixture(scope="module")
def shop() -> Derived:
    (found,) = derive(SHOP)
    return found


@pytest.fixture(scope="module")
def world(shop: Derived) -> World:
    return world_of(build(load_text(shop.blueprint, "shop.yaml"), 7, contract=shop.contract).pack)


def test_tools_are_those_of_the_evidence_and_no_others(world: World) -> None:
    assert {t.name for t in world.tools} == {a.name for a in SHOP.operations}
    for found in SHOP.operations:
        shown = next(t for t in world.tools if t.name == found.name)
        assert shown.input_schema == found.input_schema


def test_answers_are_as_declared(world: World) -> None:
    checks = {
        a.name: Draft202012Validator(dict(a.output_schema)) for a in SHOP.operations if a.output_schema is not None
    }
    seen: set[str] = set()
    for k in range(6):
        env = world.env()
        env.reset(role="operator")
        walker = Walker(env.agent.list(), Stream("derive", k), env.agent.clock())
        for _ in range(120):
            name, arguments = walker.call()
            result = env.call_tool(name, arguments)
            walker.learn(result.data)
            if result.ok and name in checks:
                problem = next(iter(checks[name].iter_errors(result.data)), None)
                assert problem is None, (name, problem)
                seen.add(name)
    assert {"listOrders", "createOrder", "get-order", "list customers", "createCustomer"} <= seen


def test_a_move_is_a_move(world: World) -> None:
    env = world.env()
    env.reset(role="operator")
    first = env.call_tool("listOrders", {"status": "open", "limit": 1}).data["orders"][0]
    done = env.call_tool("orders.cancel", {"orderId": first["id"]})
    assert done.ok
    assert done.data["status"] == "cancelled"
    again = env.call_tool("orders.cancel", {"orderId": first["id"]})
    assert again.error is not None
    assert (again.error.details or {})["status"] == 409


@pytest.mark.parametrize(
    ("name", "arguments", "status"),
    [
        ("get-order", {"orderId": 999999}, 404),
        ("createOrder", {"total": 3}, 400),
        ("createOrder", {"customer_id": 1, "total": "three"}, 400),
        ("createOrder", {"customer_id": 999999, "total": 3}, 404),
    ],
)
def test_statuses_that_are_declared_can_be_provoked(
    world: World, name: str, arguments: dict[str, Any], status: int
) -> None:
    env = world.env()
    env.reset(role="operator")
    result = env.call_tool(name, arguments)
    assert result.error is not None
    assert (result.error.details or {})["status"] == status


def test_tasks_come_with_it(world: World) -> None:
    assert len(world.tasks) >= 8
    env = world.env().inside()
    for task in world.tasks:
        key = world.key(task.id)
        env.reset(task.id)
        for call in key.calls:
            env.call_tool(call.tool, call.arguments)
        env.submit(key.answer)
        assert env.verify().status == "pass"


def test_the_same_evidence_gives_the_same_world(shop: Derived) -> None:
    assert derive(SHOP) == (shop,)


def test_no_rule_is_made_up(shop: Derived) -> None:
    assert not load_text(shop.blueprint, "shop.yaml").blueprint.policies


# anything that a reader may give

words = st.sampled_from(
    ["order", "orders", "company", "class", "get", "list", "create", "cancel", "policy_id", "status", "time", "id", "名前", "x",
     "a-b", "Foo Bar", "customer", "customer_id", "state", "activity", "staff_member", "sum", "v2", "", "items", "term_x", "desk"]
)  # fmt: skip
schemas = st.recursive(
    st.sampled_from(
        [{"type": "string"}, {"type": "integer", "minimum": 3, "maximum": 5}, {"type": "number"}, {"type": "boolean"}, {}, True,
         {"type": "string", "format": "date"}, {"type": "string", "enum": ["a", "A", "b c", "none", "true"]}, {"enum": [1, 2, "x"]},
         {"type": "string", "pattern": "^[A-Z]{2}$"}, {"type": "string", "pattern": "^se-[0-9]+$"},
         {"type": "string", "maxLength": 3}, {"type": ["string", "null"]}]
    ),
    lambda inner: st.dictionaries(words, inner, max_size=4).map(lambda p: {"type": "object", "properties": p})
    | inner.map(lambda i: {"type": "array", "items": i}),
    max_leaves=6,
)  # fmt: skip


@st.composite
def operations(draw: st.DrawFn) -> Operation:
    pieces = draw(st.lists(words | words.map(lambda w: f"{{{w}}}"), max_size=4))
    path = "/" + "/".join(pieces) if draw(st.booleans()) else ""
    inputs = draw(st.dictionaries(words, schemas, max_size=4))
    name = "_".join(draw(st.lists(words, min_size=1, max_size=3)))
    method = draw(st.sampled_from(["GET", "POST", "PUT", "PATCH", "DELETE"])) if path else ""
    found = operation(
        name, method, path, inputs, list(inputs)[:2], draw(st.none() | schemas.filter(lambda s: s is not True))
    )
    if path:
        return found
    return Operation(
        found.name, found.says, parameters=tuple(Parameter(p.name, "argument", p.shape, p.required) for p in found.parameters),
        answer=found.answer, output_schema=found.output_schema, input_schema=found.input_schema,
    )  # fmt: skip


@settings(max_examples=examples(50), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(operations(), min_size=1, max_size=6))
def test_whatever_is_read_becomes_a_blueprint_that_checks(some: list[Operation]) -> None:
    for derived in derive(Evidence("Odd", operations=tuple(some))):
        checked = load_text(derived.blueprint, "odd.yaml")
        assert {t.operation for t in derived.contract.tools.values()} == set(checked.operations)
        build(checked, 3, with_tasks=False, contract=derived.contract)


def test_ids_of_the_same_form_have_keys_of_their_own() -> None:
    """An id is the same text wherever it stands: in the state, in answers, in arguments and in what is submitted."""
    led = {"type": "string", "pattern": "^se(-[a-z0-9]+)+$"}
    kinds = {"carriers": "carrier", "carrier-funds": "carrier_fund", "carts": "cart"}
    (derived,) = derive(
        Evidence(
            "Parcels",
            operations=tuple(
                operation(f"get_{one}", "GET", f"/{many}/{{id}}", {"id": led}, ["id"], {
                    "type": "object", "properties": {"id": led, "name": {"type": "string"}}, "required": ["id", "name"],
                })
                for many, one in kinds.items()
            ),
        )
    )  # fmt: skip
    keys = [load_text(derived.blueprint, "parcels.yaml").blueprint.entities[one].key for one in kinds.values()]
    assert len({str(key)[:6] for key in keys}) == len(kinds)
    assert all(re.fullmatch(r"se-[1-9]\d\d####", str(key)) for key in keys)
    world = world_of(build(load_text(derived.blueprint, "parcels.yaml"), 7, contract=derived.contract).pack)
    env = world.env()
    env.reset(role="operator")
    for entity, one in (("carrier", "get_carrier"), ("cart", "get_cart")):
        with closing(sqlite3.connect(":memory:")) as state:
            state.deserialize(env.snapshot())
            (first,) = state.execute(f"select min(id) from {entity}").fetchone()
        found = env.agent.call(one, {"id": first})
        assert found.ok
        assert found.data["id"] == first
        assert env.agent.call(one, {"id": "se-21"}).error is not None


def test_nothing_at_all_is_no_world() -> None:
    assert derive(Evidence()) == ()
    assert Shape("any").kind == "any"
