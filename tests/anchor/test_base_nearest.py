"""Which business of the catalogue a prompt or a document speaks of."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import examples

from worldwright import catalogue
from worldwright.anchor.base.nearest import NEAR, is_near, rank_domains
from worldwright.anchor.base.words import meanings
from worldwright.anchor.evidence import Evidence, Field, Operation, Resource, Rule, Shape, Source, States
from worldwright.anchor.intake.uploads import Upload
from worldwright.anchor.readers.openapi import read
from worldwright.english.stems import stem, stemset

HETRAS = Path(__file__).parents[2].parent / "shared/anchors/openapi/hetras-certification.net__booking__v0.swagger.yaml"


@pytest.mark.parametrize(
    ("prompt", "domain"),
    [
        ("Procurement approvals for vendor onboarding", "enterprise_procurement"),
        ("supplier invoices, three-way match and payment runs", "enterprise_procurement"),
        ("A sourcing team collects quotes and places purchase orders within a budget", "enterprise_procurement"),
        ("A boutique hotel with room reservations, deposits and loyalty points", "hotel_booking"),
        ("front desk of a hotel: check-in, check-out, overbooking", "hotel_booking"),
        ("Returns and refunds desk of an online shop", "retail_returns"),
        ("RMAs, exchanges and gift cards after faulty deliveries", "retail_returns"),
    ],
)
def test_a_prompt_finds_its_business(prompt: str, domain: str) -> None:
    best = rank_domains(Evidence(), prompt)[0]
    assert best.name == domain
    assert best.score >= NEAR
    assert best.because


@pytest.mark.parametrize(
    "prompt",
    [
        "",
        "a chess opening trainer",
        "protein folding on a cluster of telescopes",
        "采购审批流程",
        "the system must be fast",
    ],
)
def test_nothing_is_near_what_the_catalogue_does_not_have(prompt: str) -> None:
    assert not is_near(rank_domains(Evidence(), prompt))


def test_every_domain_is_ranked_best_first() -> None:
    found = rank_domains(Evidence(), "hotel rooms")
    assert {c.name for c in found} == set(catalogue.names())
    assert [c.score for c in found] == sorted((c.score for c in found), reverse=True)
    assert all(0 <= c.score <= 1 for c in found)


@pytest.mark.parametrize("domain", catalogue.names())
def test_each_domain_is_nearest_to_its_own_words(domain: str) -> None:
    entry = catalogue.read_entry(domain)
    found = rank_domains(Evidence(title=entry.title, says=entry.summary))
    assert found[0].name == domain
    assert found[0].score >= NEAR


def test_every_part_of_the_evidence_speaks() -> None:
    """Without a prompt: things, fields, rules, states and actions are enough, each by itself in other words."""
    evidence = Evidence(
        resources=(Resource("Supplier", (Field("taxNumber", Shape("string")),)), Resource("PurchaseRequisitions", ())),
        rules=(Rule("Invoices must match the purchase order.", "must", heading="Invoice matching"),),
        states=(States("invoice", "status", ("matched", "held")),),
        operations=(Operation("createPurchaseOrder"), Operation("approve_requisition")),
    )
    best = rank_domains(evidence)[0]
    assert best.name == "enterprise_procurement"
    assert best.score >= NEAR
    assert stemset("vendor requisition invoice") <= set(best.because)


def test_rare_words_weigh_more_than_common_ones() -> None:
    by_common = rank_domains(Evidence(), "status, date and name of an order")
    by_rare = rank_domains(Evidence(), "status, date and name of a requisition")
    assert by_rare[0].name == "enterprise_procurement"
    assert by_rare[0].score - by_rare[1].score > by_common[0].score - by_common[1].score


def test_a_hotel_api_is_near_the_hotel() -> None:
    if not HETRAS.exists():
        pytest.skip("the public artifacts are not beside this checkout")
    evidence = read([Upload(HETRAS.name, HETRAS.read_bytes())])
    ranked = rank_domains(evidence)
    assert ranked[0].name == "hotel_booking"
    assert is_near(ranked)


@settings(max_examples=examples(40), deadline=None)
@given(st.text(max_size=200), st.text(max_size=60))
def test_odd_words_are_ranked_too(prompt: str, name: str) -> None:
    found = rank_domains(Evidence(title=name, resources=(Resource(name, (), source=Source(name)),)), prompt)
    assert found == rank_domains(Evidence(title=name, resources=(Resource(name, (), source=Source(name)),)), prompt)
    assert all(0 <= c.score <= 1 for c in found)


@pytest.mark.parametrize(
    "family",
    [
        "approve approves approved approval approver",
        "cancel cancelled cancelling cancellation",
        "ship shipped shipping shipment",
        "vendor vendors supplier",
        "authorise authorize authorization",
        "invoice invoices invoicing bill",
    ],
)
def test_words_of_a_family_have_one_meaning(family: str) -> None:
    assert len({meanings(word) for word in family.split()}) == 1


def test_words_that_only_look_alike_stay_apart() -> None:
    assert stem("customer") != stem("custom")
    assert meanings("book") != meanings("booking")
    assert meanings("order line") != meanings("order")
    assert meanings("Purchase Requests") == meanings("requisition")
    assert meanings("Suppliers") == meanings("vendor")
