"""Blueprints of the catalogue adapted to documents: the document's figures and words, everything else marked as borrowed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.domains import CORE
from tests.effort import examples

from worldwright import catalogue
from worldwright.anchor.base.adapt import adapt_blueprint
from worldwright.anchor.base.proposals import Adapted
from worldwright.anchor.evidence import Evidence, Quantity, Resource, Rows, Rule, Source, States
from worldwright.anchor.intake.uploads import Upload
from worldwright.anchor.readers.documents import read
from worldwright.blueprint.load import load_text
from worldwright.blueprint.source import load_yaml
from worldwright.compiler.build import build
from worldwright.formats.strict_yaml import dump_yaml

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


def default(made: Mapping[str, Any], policy: str, parameter: str) -> Any:
    return made["policies"][policy]["parameters"][parameter]["default"]


def test_the_result_loads_under_the_name_that_was_asked_for(prd: Adapted) -> None:
    checked = load_text(prd.blueprint)
    assert (checked.blueprint.blueprint, checked.blueprint.title) == ("acme_buying", "Buying at Acme")
    assert prd.base == "enterprise_procurement"
    original = catalogue.load("enterprise_procurement")
    assert set(checked.goals) == set(original.goals)
    assert set(checked.flows) == set(original.flows)
    assert set(checked.operations) == set(original.operations)
    assert len(checked.mess) == len(original.mess)


@pytest.mark.parametrize(
    ("policy", "parameter", "figure"),
    [
        ("two_quotes", "amount", 3000),
        ("fresh_approval", "age", 60),
        ("order_within_approval", "slack", 0.1),
        ("approval_limit", "free", 750),
        ("delivery_tolerance", "over", 0.08),
    ],
)
def test_figures_are_the_documents(made: Mapping[str, Any], policy: str, parameter: str, figure: float) -> None:
    assert default(made, policy, parameter) == figure
    assert SOURCE.fullmatch(made["policies"][policy]["source"])


def test_what_the_document_does_not_say_stays(made: Mapping[str, Any]) -> None:
    assert default(made, "budget_room", "reserve") == 250
    assert default(made, "price_tolerance", "tolerance") == 0.02
    assert made["policies"]["budget_room"]["source"] == "catalogue:enterprise_procurement"


def test_cases_stay_the_catalogues_under_a_variant_with_its_figures(made: Mapping[str, Any]) -> None:
    policy = made["policies"]["two_quotes"]
    original = catalogue.load("enterprise_procurement").blueprint.policies["two_quotes"]
    assert policy["parameters"]["amount"]["catalogue"] == original.parameters["amount"]["default"] == 5000
    assert {case["variant"] for case in policy["cases"]} >= {"catalogue"}
    assert len(policy["cases"]) == len(original.cases)
    assert "5,000" in load_text(dump_yaml({**made, "variant": {"two_quotes": "catalogue"}})).policies["two_quotes"].says


def test_the_past_follows_the_figure(made: Mapping[str, Any]) -> None:
    steps = [s for flow in made["history"]["flows"].values() for s in flow["steps"]]
    conditions = " ".join(str(s.get("if", "")) for s in steps)
    assert "request.total >= 3000" in conditions
    assert "request.total >= 5000" not in conditions


def test_the_wording_stays_the_catalogues(made: Mapping[str, Any]) -> None:
    """The handbook is all that an agent has: quotes that have run out do not count, which the document leaves out."""
    assert "that have not run out" in made["policies"]["two_quotes"]["says"]
    assert "{amount:money}" in made["policies"]["two_quotes"]["says"]


def test_the_opposite_of_a_rule_is_not_taken_for_it() -> None:
    text = (
        "# Desk\n\n## Rules\n\nRequests below 200 EUR do not need two quotes on file.\n"
        "An order must leave at most 90 EUR of the budget of the cost centre free.\n"
    )
    found = adapt_blueprint("enterprise_procurement", document(text), "desk", "Desk")
    made = load_yaml(found.blueprint, "found.yaml").data
    assert default(made, "two_quotes", "amount") == 5000
    assert default(made, "budget_room", "reserve") == 250


def test_the_documents_noun_is_used_wherever_people_read(prd: Adapted, made: Mapping[str, Any]) -> None:
    vendor = made["entities"]["vendor"]
    assert vendor["noun"] == "supplier"
    assert SOURCE.fullmatch(vendor["source"])
    assert made["operations"]["find_vendors"]["says"] == "Search suppliers."
    says = " ".join(str(node.get("says", "")) for node in made["policies"].values())
    assert "supplier" in says
    assert "vendor" not in re.sub(r"\{[^}]*\}", "", says)
    assert made["entities"]["vendor"]["called"] == "{name}"
    assert any(m.what == "Suppliers" and m.node == "entities.vendor" and m.why for m in prd.matched)


def test_whatever_is_borrowed_says_so(prd: Adapted, made: Mapping[str, Any]) -> None:
    for section in ("entities", "policies", "operations", "terms", "goals"):
        for name, node in made[section].items():
            borrowed = f"{section}.{name}" in prd.borrowed
            assert borrowed == node["source"].startswith("catalogue:enterprise_procurement"), name
            assert borrowed or SOURCE.search(node["source"]), name
    assert "policies.budget_room" in prd.borrowed
    assert "policies.two_quotes" not in prd.borrowed
    assert "operations.enter_invoice" in prd.borrowed
    assert made["policies"]["approver_away"]["source"] == "catalogue:enterprise_procurement#pattern:approval"


def test_what_has_no_place_is_reported_with_a_reason(prd: Adapted) -> None:
    unused = {u.what: u for u in prd.unused}
    assert "All suppliers must sign the code of conduct." in unused
    assert "Invoices must be paid within 30 days of receipt." in unused
    assert "states of Suppliers: applicant, active, blocked, dormant" in unused
    assert all(u.why and u.source is not None for u in prd.unused)


def test_changes_name_their_span_and_what_was_before(prd: Adapted) -> None:
    change = next(c for c in prd.adapted if c.node == "policies.two_quotes")
    assert "amount is 3000, was 5000" in change.says
    assert "EUR" in change.says
    assert str(change.source).startswith("prd.md#")


def test_the_same_document_gives_the_same_blueprint() -> None:
    text = "# Shop\n\n## Rules\n\nFinal sale items cannot be returned.\nA refund over 400 GBP must be signed off by a supervisor.\n"
    assert adapt_blueprint("retail_returns", document(text), "x", "X") == adapt_blueprint(
        "retail_returns", document(text), "x", "X"
    )


def test_an_adapted_blueprint_becomes_a_world(prd: Adapted) -> None:
    built = build(load_text(prd.blueprint), 5, with_tasks=False)
    assert "supplier" in built.pack.files["policy.md"].decode()
    assert "3,000" in built.pack.files["policy.md"].decode()


def test_the_only_currency_of_a_blueprint_is_the_documents(made: Mapping[str, Any]) -> None:
    text = "# Returns\n\n## Rules\n\nService agents must not load gift cards with more than 75 CHF.\n"
    found = adapt_blueprint("retail_returns", document(text), "shop", "Shop")
    assert load_text(found.blueprint).blueprint.currency == "CHF"
    assert made["currency"] == "USD", "vendors have currencies of their own"


SOME = (CORE[0], CORE[-1])


@pytest.mark.slow
@pytest.mark.parametrize("domain", SOME)
def test_every_rule_of_the_catalogue_is_known_again_with_another_figure(domain: str) -> None:
    """The Blueprint's own sentences with figures half as high again: each arrives, and none arrives elsewhere."""
    policies = catalogue.load(domain).blueprint.policies
    rules: list[Rule] = []
    wanted: dict[tuple[str, str], float] = {}
    for name, spec in policies.items():
        said = _said_again(spec.says, spec.parameters)
        if said is not None:
            rules.append(said[0])
            wanted |= {(name, parameter): figure for parameter, figure in said[1].items()}
    made = load_yaml(
        adapt_blueprint(domain, Evidence(rules=tuple(rules)), "again", "Again").blueprint, "again.yaml"
    ).data
    changed = {
        (name, p): values["default"]
        for name, spec in made["policies"].items()
        for p, values in (spec.get("parameters") or {}).items()
        if values["default"] != policies[name].parameters[p]["default"]
    }
    assert wanted
    assert set(changed.items()) <= set(wanted.items())
    assert len(changed) >= 0.75 * len(wanted)


def _said_again(says: str, parameters: Mapping[str, Mapping[str, Any]]) -> tuple[Rule, dict[str, float]] | None:
    """A sentence with its figures half as high again, as a reader would give it."""
    quantities: list[Quantity] = []
    figures: dict[str, float] = {}

    def put(found: re.Match[str]) -> str:
        old, form = parameters[found[1]]["default"], found[2]
        if isinstance(old, str) or not form or not old or says[found.end() :].startswith(":"):
            return str(old)
        new = round(old * 1.5, 4) if form == "percent" else int(old * 1.5)
        noun = re.match(r"\s+(\w+)", says[found.end() :])
        unit = {"money": "money", "days": "days", "percent": "percent"}.get(form, noun[1] if noun else "times")
        unit = "percent" if unit == "per" else unit
        text = {"money": f"EUR {new:g}", "days": f"{new} days", "percent": f"{new * 100:g}%"}.get(form, f"{new}")
        if new != old:
            figures[found[1]] = new
        quantities.append(Quantity(new * 100 if form == "percent" else new, unit, "exactly", text))
        return text

    text = re.sub(r"\{(\w+)(?::(\w+))?\}", put, says)
    if len(quantities) != 1 or not figures:
        return None
    return Rule(text, "must", tuple(quantities), source=Source("own.md", "1-1")), figures


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
