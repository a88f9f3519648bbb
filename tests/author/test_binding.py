"""What claims can be bound to besides rules: what reading tools show; and how their words are held against the handbook's."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest
from tests.author.conftest import lay_bench
from tests.author.test_bench import codes, look

from worldwright.anchor.binding.figures import list_figures
from worldwright.anchor.binding.records import ClaimRow
from worldwright.author import verbs
from worldwright.author.folder import write_claims


@pytest.mark.parametrize(
    "to",
    ["shows:find_loans.overdue", "shows:find_loans.status", "shows:get_member.notices", "constraint:find_loans.limit"],
)
def test_a_claim_about_looking_is_bound_to_what_a_reading_tool_shows(bench: Path, to: str) -> None:
    verbs.bind_claims(bench, [{"id": "c004", "to": [to]}])
    assert not [f for f in look(bench).findings if f.place == "claims.yaml#c004"]


@pytest.mark.parametrize(
    ("to", "code", "says"),
    [
        ("shows:find_loans.colour", "claim_target", "shows and takes no"),
        ("shows:find_loans", "claim_target", "shows and takes no"),
        ("shows:lend.member", "claim_idle", "no reading tool"),
        ("constraint:find_loans.status", "claim_idle", "it is a filter"),
    ],
)
def test_a_tool_that_does_not_show_it_is_no_binding(bench: Path, to: str, code: str, says: str) -> None:
    verbs.bind_claims(bench, [{"id": "c004", "to": [to]}])
    finding = next(f for f in look(bench).findings if f.place == "claims.yaml#c004")
    assert finding.code == code
    assert says in finding.says


@pytest.mark.parametrize("policy", ["waiver_cap", "no_debts"])
def test_a_rule_that_no_operation_obeys_has_no_force(bench: Path, policy: str) -> None:
    """Neither where a tool would refuse nor where only the handbook would: nothing notes that it was broken."""
    verbs.bind_claims(bench, [{"id": "c004", "to": [f"policy:{policy}"]}])
    assert "claim_idle" not in codes(look(bench))
    for old, new in (("[waiver_cap]", "[]"), ("[loan_limit, no_debts]", "[loan_limit]")):
        verbs.edit_own_file(bench, "blueprint.yaml", f"obey: {old}", f"obey: {new}")
    assert codes(look(bench))["claim_idle"] == ["claims.yaml#c004"]


def test_several_claims_may_stand_for_one_sentence(tmp_path: Path) -> None:
    rows = [
        ClaimRow("c001", "rules.md#1", "Members who owe more than 10 EUR borrow nothing.", "must", "business"),
        ClaimRow("c002", "rules.md#2", "Debts are written off after 90 days.", "must", "business"),
    ]
    folder = lay_bench(tmp_path / "b", claims=write_claims(rows))
    says = "Members who owe more than {ceiling:money} borrow nothing; debts are written off after 90 days."
    verbs.set_nodes(folder, {"policies.no_debts.says": says})
    verbs.bind_claims(folder, [{"id": "c001", "to": ["policy:no_debts"]}])
    assert codes(look(folder))["claim_words"] == ["claims.yaml#c001"]
    verbs.bind_claims(folder, [{"id": "c002", "to": ["policy:no_debts"]}])
    found = codes(look(folder)).get("claim_words", [])
    assert "claims.yaml#c001" not in found


def test_where_a_link_leads_is_no_figure() -> None:
    assert list_figures("Templates ([Place](src/place.ts:17)) hold 3 routes.") == (Decimal(3),)
    assert list_figures("It returns a 404 where there is none, 409 Conflict else.") == ()
    assert list_figures("Option 3: up to 1e+07 items, with half_day_end or half a day") == (
        Decimal(10**7),
        Decimal("0.5"),
    )


def test_whoever_writes_cases_is_shown_exceptions_and_what_fields_mean(bench: Path) -> None:
    verbs.bind_claims(
        bench, [{"id": "c001", "to": ["policy:loan_limit"]}, {"id": "c002", "to": ["policy:long_standing"]}]
    )
    verbs.set_nodes(
        bench,
        {
            "entities.member.fields.joined_on": {"type": "date ~ today - 400", "says": "When they joined."},
            "entities.member.fields.owed": {"type": "money = sum(l.fine for l in loans)", "says": "Kept in balance."},
        },
    )
    brief = verbs.brief_cases(bench, "loan_limit")
    assert "- Exception: Members who owe more than 10 EUR" in brief
    assert "joined_on: date (When they joined.)" in brief
    assert "Kept in balance" not in brief
