"""Sentences of a PRD as policies of the world that an API makes: what is understood, what is left out and why."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from tests.effort import examples

from worldwright.anchor.evidence import Evidence, Field, Quantity, Resource, Rule, Shape, Source
from worldwright.anchor.intake.uploads import Upload
from worldwright.anchor.model.derive import Derived, derive
from worldwright.anchor.model.ruled.policies import derive_policies
from worldwright.anchor.model.ruled.records import Ruled
from worldwright.anchor.readers.documents import read as read_documents
from worldwright.anchor.readers.documents.quantities import quantities
from worldwright.anchor.readers.openapi import read as read_openapi
from worldwright.anchor.readers.sql import read as read_sql
from worldwright.blueprint.checked import Checked
from worldwright.blueprint.load import load_text

PRD = Path(__file__).parents[3].parent / "shared" / "anchors" / "prd" / "hr_claims_overtime_brs.md"
WHOLE, NUMBER, TEXT = {"type": "integer"}, {"type": "number"}, {"type": "string"}
DAY, MOMENT = {"type": "string", "format": "date"}, {"type": "string", "format": "date-time"}


def words(*several: str) -> dict[str, Any]:
    return {"type": "string", "enum": list(several)}


SCHEMAS: Mapping[str, Mapping[str, Any]] = {
    "Customer": {"id": WHOLE, "name": TEXT},
    "Order": {
        "id": WHOLE, "customer_id": WHOLE, "total": NUMBER, "discount_percent": NUMBER, "quantity": WHOLE, "created_at": MOMENT,
        "delivered_at": MOMENT, "status": words("draft", "pending", "approved", "paid", "shipped", "delivered", "cancelled"),
    },
    "Refund": {"id": WHOLE, "amount": NUMBER, "reason": TEXT, "status": words("requested", "approved", "rejected", "paid")},
    "Quote": {"id": WHOLE, "price": NUMBER, "supplier": TEXT},
    "Ticket": {
        "id": WHOLE, "customer_id": WHOLE, "subject": TEXT, "resolution": TEXT, "opened_at": MOMENT,
        "status": words("open", "in_progress", "resolved", "closed"),
    },
    "Claim": {
        "id": WHOLE, "employee": TEXT, "amount": NUMBER, "expense_date": DAY, "receipt": TEXT, "project": TEXT, "department": TEXT,
        "mileage": NUMBER, "status": words("draft", "submitted", "approved", "rejected", "paid"),
    },
    "Booking": {
        "id": WHOLE, "customer_id": WHOLE, "starts_at": MOMENT, "guests": {"type": "integer", "minimum": 1, "maximum": 40},
        "status": words("confirmed", "checked_in", "cancelled"),
    },
}  # fmt: skip
GIVEN: Mapping[str, tuple[str, ...]] = {
    "Customer": ("name",),
    "Order": ("customer_id", "total", "discount_percent", "quantity"),
    "Refund": ("amount", "reason"),
    "Quote": ("price", "supplier"),
    "Ticket": ("customer_id", "subject"),
    "Claim": ("employee", "amount", "expense_date", "receipt", "project", "department", "mileage"),
    "Booking": ("customer_id", "starts_at", "guests"),
}
MOVES: Mapping[str, tuple[str, ...]] = {
    "Order": ("approve", "pay", "ship", "cancel"),
    "Refund": ("approve", "reject"),
    "Ticket": ("close", "reopen"),
    "Claim": ("submit", "approve", "reject"),
    "Booking": ("cancel",),
}
UNDER = {"Refund": "Order", "Quote": "Order"}
CHANGED = ("Order", "Ticket", "Claim", "Booking")


def api() -> str:
    """A service over all of these things."""
    paths: dict[str, Any] = {}
    for name in SCHEMAS:
        place = f"/{name.lower()}s"
        owner = UNDER.get(name)
        made = f"/{owner.lower()}s/{{{owner.lower()}Id}}{place}" if owner else place
        at = f"{place}/{{{name.lower()}Id}}"
        paths[made] = {
            "get": _action(f"list{name}s", made, many=name),
            "post": _action(f"create{name}", made, one=name, of=name),
        }
        paths[at] = {"get": _action(f"get{name}", at, one=name)}
        if name in CHANGED:
            paths[at]["patch"] = _action(f"update{name}", at, one=name, of=name)
        for verb in MOVES.get(name, ()):
            paths[f"{at}/{verb}"] = {"post": _action(f"{verb}{name}", at, one=name)}
    paths["/orders/{orderId}"]["delete"] = _action("deleteOrder", "/orders/{orderId}")
    schemas = {n: {"type": "object", "properties": dict(p), "required": ["id"]} for n, p in SCHEMAS.items()}
    return json.dumps(
        {
            "openapi": "3.0.3",
            "info": {"title": "Desk", "version": "1"},
            "paths": paths,
            "components": {"schemas": schemas},
        }
    )


def _action(name: str, path: str, one: str = "", many: str = "", of: str = "") -> dict[str, Any]:
    found = [piece.strip("{}") for piece in path.split("/") if piece.startswith("{")]
    out: dict[str, Any] = {
        "operationId": name,
        "parameters": [{"name": n, "in": "path", "required": True, "schema": WHOLE} for n in found],
        "responses": {"200": {"description": "done"}, "409": {"description": "refused"}},
    }
    if one or many:
        item = {"$ref": f"#/components/schemas/{one or many}"}
        schema = item if one else {"type": "array", "items": item}
        out["responses"]["200"]["content"] = {"application/json": {"schema": schema}}
    if of:
        body = {"type": "object", "properties": {k: SCHEMAS[of][k] for k in GIVEN[of]}}
        out["requestBody"] = {"content": {"application/json": {"schema": body}}}
    return out


@cache
def service() -> tuple[Evidence, Derived]:
    """What the API says, and the world that it makes without any rule."""
    evidence = read_openapi([Upload("api.json", api().encode())])
    (found,) = derive(evidence)
    return evidence, found


def document(sentences: Iterable[str]) -> tuple[Rule, ...]:
    text = "# Rules of the desk\n\n" + "".join(f"- {one}\n" for one in sentences)
    return read_documents([Upload("prd.md", text.encode())]).rules


def of(*sentences: str) -> Ruled:
    return of_rules(*document(sentences))


def of_rules(*rules: Rule) -> Ruled:
    evidence, base = service()
    return derive_policies(replace(evidence, rules=rules), base.part.entities, base.made)


def where(found: Ruled, policy: str) -> dict[str, Any]:
    """By operation, what a policy is about there."""
    return {
        operation: statement["obey"][policy]
        for operation, statements in found.obeys.items()
        for statement in statements
        if policy in statement["obey"]
    }


def loaded(found: Ruled, variant: Mapping[str, str] | None = None) -> Checked:
    return patched(service()[1], found, variant)


def patched(base: Derived, found: Ruled, variant: Mapping[str, str] | None = None) -> Checked:
    """The Blueprint of a world with these policies and nothing that is assumed or asked for, checked: their cases are run."""
    data = yaml.safe_load(base.blueprint)
    data = {k: v for k, v in data.items() if k not in ("goals", "history", "personas")}
    data["policies"] = found.policies
    for spec in data["operations"].values():
        if "does" in spec:
            spec["does"] = [statement for statement in spec["does"] if "obey" not in statement]
    for operation, statements in found.obeys.items():
        body = data["operations"][operation]["does"]
        first = sum("find" in statement for statement in body)
        data["operations"][operation]["does"] = [*body[:first], *statements, *body[first:]]
    data["variant"] = dict(variant or {})
    return load_text(yaml.safe_dump(data, sort_keys=False), "desk.yaml")


UNDERSTOOD = [
    # amounts
    ("Orders over 5,000 EUR need approval by a manager.",
     "x.total is none or x.total <= limit or actor.role == 'supervisor'", {"approve_order": "order"}),
    ("Orders over $900 require manager approval before shipping.",
     "x.total is none or x.total <= limit or actor.role == 'supervisor'", {"ship_order": "order"}),
    ("If the total of an order exceeds 1,000 EUR, it must be approved by the head of department.",
     "x.total is none or x.total <= limit or actor.role == 'supervisor'", {"approve_order": "order"}),
    ("An order may not exceed 10,000 EUR.",
     "x is none or x <= limit", {"create_order": "total", "update_order": "coalesce(total, order.total)"}),
    ("The order total must be at least 25 EUR.",
     "x is none or x >= limit", {"create_order": "total", "update_order": "coalesce(total, order.total)"}),
    ("Orders over 500 EUR cannot be cancelled.", "x.total is none or x.total <= limit", {"cancel_order": "order"}),
    ("Only orders under 500 EUR can be cancelled.", "x.total is none or x.total < limit", {"cancel_order": "order"}),
    ("The discount must not exceed 20%.", "x is none or x <= limit",
     {"create_order": "discount_percent", "update_order": "coalesce(discount_percent, order.discount_percent)"}),
    ("The quantity of an order must be at most 50.", "x is none or x <= limit",
     {"create_order": "quantity", "update_order": "coalesce(quantity, order.quantity)"}),
    ("Agents may not refund more than 250 EUR.", "x is none or x <= limit or actor.role == 'supervisor'",
     {"create_refund": "amount"}),
    ("Refunds must not exceed 300 EUR unless approved by a manager.",
     "x.amount is none or x.amount <= limit or actor.role == 'supervisor'", {"approve_refund": "refund"}),
    ("The maximum refund amount is 2,000 EUR.", "x is none or x <= limit", {"create_refund": "amount"}),
    # times
    ("Claims must be submitted within 7 days of the expense date.",
     "x.expense_date is none or x.expense_date >= today - days", {"submit_claim": "claim"}),
    ("Orders can be cancelled within 24 hours of being placed.",
     "x.created_at is none or x.created_at >= add_hours(now, 0 - hours)", {"cancel_order": "order"}),
    ("Orders cannot be cancelled more than 2 weeks after creation.",
     "x.created_at is none or x.created_at >= at(today - weeks * 7, 0)", {"cancel_order": "order"}),
    ("Tickets older than 3 months cannot be changed.",
     "x.opened_at is none or x.opened_at >= at(add_months(today, 0 - months), 0)", {"update_ticket": "ticket"}),
    # roles
    ("Only managers may approve refunds.", "x.role == 'supervisor'", {"approve_refund": "actor"}),
    ("Refunds must be approved by a manager.", "x.role == 'supervisor'", {"approve_refund": "actor"}),
    ("Agents may not approve claims.", "x.role == 'supervisor'", {"approve_claim": "actor"}),
]  # fmt: skip


@pytest.mark.parametrize(("says", "rule", "bound"), UNDERSTOOD, ids=[s for s, _, _ in UNDERSTOOD])
def test_a_sentence_becomes_a_policy(says: str, rule: str, bound: Mapping[str, str]) -> None:
    found = of(says)
    ((name, policy),) = found.policies.items()
    assert policy["rule"] == rule
    assert where(found, name) == {operation: {"x": value} for operation, value in bound.items()}
    assert policy["source"] == "prd.md#3-3"
    assert [(r.says, n) for r, n in found.used] == [(says, name)]
    assert found.unused == ()


@pytest.mark.parametrize("variant", ["default", "strict", "lenient"])
def test_what_becomes_of_sentences_checks(variant: str) -> None:
    policies: dict[str, Any] = {}
    obeys: dict[str, list[dict[str, Any]]] = {}
    chosen: dict[str, str] = {}
    for k, (says, _, _) in enumerate(UNDERSTOOD):
        found = of(says)
        ((name, policy),) = found.policies.items()
        policies[f"{name}_{k}"] = policy
        if any(variant in values for values in policy.get("parameters", {}).values()):
            chosen[f"{name}_{k}"] = variant
        for operation, values in where(found, name).items():
            obeys.setdefault(operation, []).append({"obey": {f"{name}_{k}": values}})
    assert chosen
    assert set(loaded(Ruled(policies, obeys), chosen).policies) == set(policies)


LEFT_OUT = [
    ("A customer may have at most three open tickets.", "no amount, time or role"),
    ("A closed ticket may not be changed.", "no amount, time or role"),
    ("Claims must not be approved without a receipt.", "no amount, time or role"),
    ("Bookings must be cancelled at least 2 days before the start.", "which side"),
    ("Refunds must be processed within 5 days and must not exceed 500 EUR.", "more than is understood"),
    ("Invoices must be printed on recycled paper.", "names nothing"),
    ("Tickets must be friendly.", "no amount, time or role"),
    ("Tickets must be answered within 24 hours.", "until when work has to be done"),
    ("Orders must be shipped within 2 business days.", "until when work has to be done"),
    ("Tickets are closed automatically after 7 days of inactivity.", "by itself"),
    ("Customers must pay at least 5 EUR.", "has no amount to compare"),
    ("International orders over 500 EUR need approval by a manager.", "more than is understood: international"),
    ("Orders from new customers over 200 EUR need approval by a manager.", "more than is understood: new, customers"),
    ("Employees must not approve their own claims.", "more than is understood: own"),
    ("Orders over 500 EUR cannot be cancelled by phone.", "more than is understood: phone"),
    ("The total amount of all claims per month must not exceed 2,000 EUR.", "more than is understood"),
    ("Claims are limited to 500 EUR per employee.", "add up to"),
    ("The discount must not exceed 10% of the total.", "share of another amount"),
    ("The guests of a booking must be at most 40.", "never more than 40"),
    ("The guests of a booking must be at least 1.", "is less"),
    ("Only managers may create orders.", "nobody else could make one"),
    ("Managers may approve refunds.", "no amount, time or role"),
    ("Only the customer may cancel an order.", "no amount, time or role"),
    ("Orders under 100 EUR may be shipped for free.", "only allows"),
    ("Orders over 500 EUR cannot be printed.", "no operation does"),
    ("The system must enable agents to cancel orders within 30 days.", "offers"),
    ("Orders can be cancelled free of charge within 48 hours of being placed.", "more than is understood: free, charge"),
]  # fmt: skip


@pytest.mark.parametrize(("says", "why"), LEFT_OUT, ids=[s for s, _ in LEFT_OUT])
def test_what_is_in_doubt_stays_out_with_the_reason(says: str, why: str) -> None:
    found = of(says)
    assert found.policies == {}
    assert found.obeys == {}
    ((rule, reason),) = found.unused
    assert rule.says == says
    assert why in reason


def test_figures_become_parameters_and_the_text_speaks_of_them() -> None:
    found = of(
        "Orders over 5,000 EUR need approval by a manager.",
        "Claims must be submitted within 7 days of the expense date.",
        "Orders can be cancelled within 24 hours of being placed.",
    )
    usual = loaded(found)
    assert [usual.policies[name].says for name in found.policies] == [
        "Orders over 5000 EUR need approval by a manager.",
        "Orders can be cancelled within 24 hours of being placed.",
        "Claims must be submitted within 7 days of the expense date.",
    ]
    milder = loaded(found, dict.fromkeys(found.policies, "lenient"))
    assert [milder.policies[name].says for name in found.policies] == [
        "Orders over 10000 EUR need approval by a manager.",
        "Orders can be cancelled within 48 hours of being placed.",
        "Claims must be submitted within 14 days of the expense date.",
    ]


def test_rules_that_say_the_same_are_one() -> None:
    found = of(
        "Only managers may approve claims.",
        "Claims must be approved by a director.",
        "Orders over 500 EUR need approval by a manager.",
        "Orders over 900 EUR need approval by a director.",
    )
    assert [rule.says for rule, _ in found.used] == [
        "Orders over 500 EUR need approval by a manager.",
        "Only managers may approve claims.",
    ]
    assert len(found.unused) == 2
    assert all("another rule" in why for _, why in found.unused)


def test_a_world_has_at_most_eight_and_those_of_its_busiest_things() -> None:
    found = of(*(says for says, _, _ in UNDERSTOOD))
    assert len(found.policies) == 8
    assert all(name.startswith("order_") for name in found.policies)
    assert len(found.used) + len(found.unused) == len(UNDERSTOOD)
    loaded(found)


def test_the_system_keeps_what_it_is_told_to_keep() -> None:
    found = of(
        "The system shall reject claims over 3,000 EUR.", "Claims must be submitted within 7 days of the expense date."
    )
    assert [p["enforced"] for p in found.policies.values()] == ["tool", "agent"]


def test_about_half_of_the_rules_are_left_to_the_agent() -> None:
    found = of(*(f"The system shall reject {what} over 3,000 EUR." for what in ("claims", "orders", "refunds")))
    assert [p["enforced"] for p in found.policies.values()] == ["tool", "agent", "tool"]


def test_a_rule_of_the_code_is_kept_by_the_software() -> None:
    says, code = "Orders over 900 EUR cannot be cancelled", Source("shop/models.py", "20-21")
    found = of_rules(Rule(says, "must_not", quantities(says), ("Order",), "Order.cancel", code))
    ((name, policy),) = found.policies.items()
    assert policy["says"] == "Orders over {limit} EUR cannot be cancelled"
    assert policy["rule"] == "x.total is none or x.total <= limit"
    assert policy["parameters"] == {"limit": {"default": 900, "strict": 450, "lenient": 1800}}
    assert policy["enforced"] == "tool"
    assert policy["source"] == "shop/models.py#20-21"
    assert loaded(found).policies[name].says == says


def test_braces_in_a_sentence_are_only_text() -> None:
    says = "Orders over 500 EUR cannot be cancelled ({order.total})."
    rule = Rule(says, "must_not", quantities(says), source=Source("models.py", "3"))
    found = of_rules(rule)
    ((name, _),) = found.policies.items()
    assert loaded(found).policies[name].says == rule.says


def test_a_purchase_order_may_be_the_order_that_the_operations_know() -> None:
    rules = document(["Purchase orders over 500 EUR need approval by a manager."])
    named = of_rules(*(replace(r, about=("purchase order",)) for r in rules))
    assert [name for _, name in named.used] == ["order_total_approval"]
    both = of_rules(*(replace(r, about=("purchase order", "sales order")) for r in rules))
    assert both.used == ()


def test_a_public_document_over_a_service_of_its_kind() -> None:
    if not PRD.exists():
        pytest.skip("the public documents that this is tried on are not here")
    found = of_rules(*read_documents([Upload("brs.md", PRD.read_bytes())]).rules)
    assert [rule.says for rule, _ in found.used] == [
        "Claims must be submitted within 7 days of expense occurrence",
    ]
    loaded(found)


def test_derived_worlds_have_the_rules_of_their_documents() -> None:
    evidence, _ = service()
    (found,) = derive(replace(evidence, rules=document(["Orders over 500 EUR cannot be cancelled."])))
    assert [name for _, name in found.ruled] == ["order_total_limit"]
    assert (
        load_text(found.blueprint, "desk.yaml").policies["order_total_limit"].says
        == "Orders over 500 EUR cannot be cancelled."
    )


def test_a_condition_between_two_columns_holds_wherever_one_is_set() -> None:
    schema = """
    CREATE TABLE rental (
      id INT PRIMARY KEY, name TEXT NOT NULL, starts_on DATE NOT NULL, ends_on DATE, deposit NUMERIC(10, 2), price NUMERIC(10, 2),
      CHECK (ends_on IS NULL OR ends_on > starts_on), CHECK (deposit <= price AND price > 0), CHECK (length(name) > 2 OR id > 9)
    );"""
    evidence = read_sql([Upload("schema.sql", schema.encode())])
    (found,) = derive(evidence)
    policies = load_text(found.blueprint, "rental.yaml").policies
    assert {policies[name].says: policies[name].text for _, name in found.ruled} == {
        "The ends on of a rental must be after its starts on.": "x is none or y is none or x > y",
        "The deposit of a rental must not be more than its price.": "x is none or y is none or x <= y",
    }
    body = yaml.safe_load(found.blueprint)["operations"]["update_rental"]["does"]
    assert {"obey": {"rental_ends_on_starts_on": {
        "x": "coalesce(ends_on, rental.ends_on)", "y": "coalesce(starts_on, rental.starts_on)"}}} in body  # fmt: skip


def test_the_same_evidence_gives_the_same_policies() -> None:
    sentences = [says for says, _, _ in UNDERSTOOD]
    assert of(*sentences) == of(*sentences)


# whatever is read

NOUNS = ("order", "customer", "x", "r", "actor", "claim", "line item", "class", "status", "sqlite")
NUMBERS = (Shape("number"), Shape("integer"), Shape("integer", minimum=3, maximum=5), Shape("number", maximum=1))
TIMES = (Shape("string", format="date"), Shape("string", format="date-time"), Shape("string"))
FIELDS: Mapping[str, tuple[Shape, ...]] = {
    "total": NUMBERS,
    "sum": NUMBERS,
    "rate percent": NUMBERS,
    "x": (*NUMBERS, *TIMES),
    "created_at": TIMES,
    "due date": TIMES,
    "reason": (Shape("string"), Shape("boolean")),
    "customer_id": (Shape("integer"),),
    "status": tuple(
        Shape("string", enum=e)
        for e in (("open", "paid", "closed"), ("a", "paid"), ("paid",), ("new", "in progress", "paid"))
    ),
}
FORMS = (
    ("must", "{n}s over {k} EUR need approval by a manager."),
    ("must_not", "The {a} of {n}s must not exceed {k}{e}."),
    ("only_if", "Only {s} {n}s can be {v}."),
    ("must", "{n}s must be {s} before they are {v}."),
    ("must_not", "{s} {n}s cannot be {v}."),
    ("must_not", "{n}s cannot be {v} after {k} {u}."),
    ("may", "{n}s can be {v} within {k} {u} of {a}."),
    ("must", "{n}s must be {v} at least {k} {u} before the {a}."),
    ("may", "A {m} may have at most {k} {s} {n}s."),
    ("must", "Each {m} must have at least {k} {n}s."),
    ("only_if", "Only managers may {v} {n}s."),
    ("must", "Every {n} must have a {a}."),
    ("must_not", "{n}s over {k} EUR must not be {v} without a {a}."),
    ("must", "The system shall reject {n}s {{over}} {k}%."),
    ("", "{n} {a} {v} {s} must not {k} {u} unless {m}"),
)
ODD = st.builds(
    Quantity, st.sampled_from([3.0, -1.0, 1e12, float("nan"), float("inf")]), st.sampled_from(["money", "days", "", "orders"]),
    st.sampled_from(["over", "at_most", "exactly", "within", "?"]), st.sampled_from(["order.total > 3", "", "3"]),
)  # fmt: skip


@st.composite
def resources(draw: st.DrawFn, name: str) -> Resource:
    own = draw(st.lists(st.sampled_from(sorted(FIELDS)), min_size=3, unique=True))
    held = [
        Field(n, draw(st.sampled_from(FIELDS[n])), draw(st.booleans()), refers_to="customer" if n == "customer_id" else "")
        for n in own
    ]  # fmt: skip
    checks = st.sampled_from(("total > sum", "created_at <= [due date] OR x IS NULL", "a <", "sum < sum"))
    return Resource(
        name,
        (Field("id", Shape("integer"), True, True), *held),
        ("id",),
        checks=tuple(draw(st.lists(checks, max_size=2))),
    )


@st.composite
def rules(draw: st.DrawFn, nouns: list[str]) -> Rule:
    usual, form = draw(st.sampled_from(FORMS))
    text = form.format(
        n=draw(st.sampled_from(nouns)),
        m=draw(st.sampled_from([*nouns, "customer"])),
        e=draw(st.sampled_from(["", " EUR", "%", " km"])),
        a=draw(st.sampled_from(sorted(FIELDS))).replace("_", " "),
        s=draw(st.sampled_from(("open", "paid", "closed", "in progress"))),
        v=draw(st.sampled_from(("paid", "closed", "updated", "created", "approved"))),
        u=draw(st.sampled_from(("days", "business days", "hours", "weeks", "months", "years"))),
        k=draw(st.sampled_from(("0", "1", "two", "3", "14", "2.5", "5,000", "99999999999"))),
    )  # fmt: skip
    figures = draw(st.just(quantities(text)) | st.lists(ODD, max_size=2).map(tuple))
    demands = draw(st.just(usual) | st.sampled_from(["must", "must_not", "may", "only_if", ""]))
    return Rule(text, demands, figures, heading=draw(st.sampled_from(NOUNS)))


@st.composite
def evidence(draw: st.DrawFn) -> Evidence:
    nouns = draw(st.lists(st.sampled_from(NOUNS), min_size=1, max_size=3, unique=True))
    said = draw(st.lists(rules(nouns), min_size=1, max_size=12))
    return Evidence("Odd", resources=tuple(draw(resources(n)) for n in nouns), rules=tuple(said))


@settings(
    max_examples=examples(40),
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.reuse, Phase.generate),
)
@given(evidence())
def test_any_rules_over_any_things_give_policies_that_check(odd: Evidence) -> None:
    for base in derive(replace(odd, rules=())):
        found = derive_policies(odd, base.part.entities, base.made)
        assert set(patched(base, found).policies) == set(found.policies) == {name for _, name in found.used}
        accounted = [rule for rule, _ in (*found.used, *found.unused)]
        assert all(any(rule is one for one in accounted) for rule in odd.rules)
