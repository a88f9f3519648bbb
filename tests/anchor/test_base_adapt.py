"""Blueprints of the catalogue adapted to documents: their name, title and summary, everything else marked as borrowed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.effort import examples

from worldwright import catalogue
from worldwright.anchor.base.adapt import Adapted, adapt_blueprint
from worldwright.anchor.evidence import Evidence, Quantity, Resource, Rows, Rule, Source, States
from worldwright.anchor.intake.uploads import Upload
from worldwright.anchor.readers.documents import read
from worldwright.blueprint.load import load_text
from worldwright.blueprint.source import load_yaml
from worldwright.compiler.build import build

PRD = """# Procurement approvals

Our purchasing team needs purchase requests, supplier onboarding and invoice payment in one place.

## Roles

- **Requester**: raises purchase requests for a department.
- **Budget owner**: approves requests up to a personal limit.
- **Purchasing officer**: collects quotations and places purchase orders with suppliers.
- **Accounts payable clerk**: enters and matches invoices.

## Suppliers

| Field | Type |
|---|---|
| name | text |
| tax number | text |
| bank account | text |
| status | enum: applicant, active, blocked, dormant |

## Rules

Purchase requests over 3,000 EUR must have two quotes on file before they are ordered.
An approval is valid for 60 days; after that the request must be approved again.
An order must not exceed the approved amount by more than 10%.
Requests of up to 750 EUR may be approved by any approver.
No more than 8% above the ordered quantity may be accepted.
Payments must only be made to a bank account that has been verified after it was last changed.
Invoices must be paid within 30 days of receipt.
All suppliers must sign the code of conduct.
"""
SOURCE = re.compile(r"prd\.md#\d+-\d+")


@pytest.fixture(scope="module")
def prd() -> Adapted:
    return adapt_blueprint("enterprise_procurement", document(PRD), "acme_buying", "Buying at Acme")


@pytest.fixture(scope="module")
def made(prd: Adapted) -> Mapping[str, Any]:
    return dict(load_yaml(prd.blueprint, "prd.yaml").data)


def document(text: str) -> Evidence:
    return read([Upload("prd.md", text.encode())])


def test_the_result_loads_under_the_name_that_was_asked_for(prd: Adapted) -> None:
    checked = load_text(prd.blueprint)
    assert (checked.blueprint.blueprint, checked.blueprint.title) == ("acme_buying", "Buying at Acme")
    assert prd.base == "enterprise_procurement"
    original = catalogue.load("enterprise_procurement")
    assert set(checked.goals) == set(original.goals)
    assert set(checked.flows) == set(original.flows)
    assert set(checked.operations) == set(original.operations)
    assert len(checked.mess) == len(original.mess)


def test_policies_stay_the_catalogues(prd: Adapted, made: Mapping[str, Any]) -> None:
    """The handbook is all that an agent has: a sentence that only resembles a policy changes nothing in it."""
    original = catalogue.load("enterprise_procurement").blueprint.policies
    assert {n: p.get("parameters", {}) for n, p in made["policies"].items()} == {
        n: dict(p.parameters) for n, p in original.items()
    }
    said = {u.what: u.why for u in prd.unused}
    assert said["All suppliers must sign the code of conduct."] == "the policies stay the catalogue's"


def test_what_the_document_speaks_of_cites_it(prd: Adapted, made: Mapping[str, Any]) -> None:
    assert SOURCE.fullmatch(made["entities"]["vendor"]["source"])
    assert any(m.what == "Suppliers" and m.node == "entities.vendor" and m.why for m in prd.matched)


def test_whatever_is_borrowed_says_so(prd: Adapted, made: Mapping[str, Any]) -> None:
    for section in ("entities", "policies", "operations", "terms", "goals"):
        for name, node in made[section].items():
            borrowed = f"{section}.{name}" in prd.borrowed
            assert borrowed == node["source"].startswith("catalogue:enterprise_procurement"), name
            assert borrowed or SOURCE.search(node["source"]), name
    assert "policies.two_quotes" in prd.borrowed
    assert "entities.vendor" not in prd.borrowed
    assert "operations.enter_invoice" in prd.borrowed
    assert made["policies"]["approver_away"]["source"] == "catalogue:enterprise_procurement#pattern:approval"


def test_what_has_no_place_is_reported_with_a_reason(prd: Adapted) -> None:
    unused = {u.what: u for u in prd.unused}
    assert "All suppliers must sign the code of conduct." in unused
    assert "Invoices must be paid within 30 days of receipt." in unused
    assert "states of Suppliers: applicant, active, blocked, dormant" in unused
    assert all(u.why and u.source is not None for u in prd.unused)


def test_changes_name_their_span(prd: Adapted) -> None:
    change = next(c for c in prd.adapted if c.node == "entities.vendor")
    assert change.says == "cites Suppliers"
    assert str(change.source).startswith("prd.md#")


def test_the_same_document_gives_the_same_blueprint() -> None:
    text = "# Shop\n\n## Rules\n\nFinal sale items cannot be returned.\nA refund over 400 GBP must be signed off by a supervisor.\n"
    assert adapt_blueprint("retail_returns", document(text), "x", "X") == adapt_blueprint(
        "retail_returns", document(text), "x", "X"
    )


def test_an_adapted_blueprint_becomes_a_world(prd: Adapted) -> None:
    built = build(load_text(prd.blueprint), 5, with_tasks=False)
    assert "Buying at Acme" in built.pack.files["policy.md"].decode()


# odd evidence

TEXT = st.text(max_size=40)
SOURCES = st.one_of(st.none(), st.builds(Source, TEXT, TEXT))
NUMBERS = st.floats(allow_nan=True, allow_infinity=True)
QUANTITIES = st.builds(Quantity, NUMBERS, st.sampled_from(["money", "days", "percent", "quotes", ""]), TEXT, TEXT, TEXT)
ODD = st.builds(
    Evidence,
    title=TEXT,
    says=TEXT,
    resources=st.lists(st.builds(Resource, TEXT, st.just(()), says=TEXT, source=SOURCES), max_size=3).map(tuple),
    rules=st.lists(
        st.builds(Rule, TEXT, st.just("must"), st.lists(QUANTITIES, max_size=2).map(tuple), source=SOURCES), max_size=3
    ).map(tuple),
    states=st.lists(st.builds(States, TEXT, TEXT, st.just(("open", "")), source=SOURCES), max_size=2).map(tuple),
    rows=st.lists(st.builds(Rows, TEXT, st.just(()), st.just(()), st.just(0), SOURCES), max_size=1).map(tuple),
)


@pytest.mark.timeout(60)
@settings(max_examples=examples(4), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(ODD, TEXT, TEXT)
def test_odd_evidence_gives_a_blueprint_that_loads(evidence: Evidence, name: str, title: str) -> None:
    found = adapt_blueprint("retail_returns", evidence, name, title)
    assert load_text(found.blueprint).blueprint.blueprint


def test_hostile_words_stay_words() -> None:
    source = Source("a: b\n- {x}\u202e.md", "1-1")
    resource = Resource("Suppliers", (), says="{name} \x07", source=source)
    found = adapt_blueprint("enterprise_procurement", Evidence(resources=(resource,), says="*x &y"), "x", "X: {y}\n- z")
    assert load_text(found.blueprint).blueprint.title == "X: {y} - z"
