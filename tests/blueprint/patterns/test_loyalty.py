"""Loyalty: the balance is the ledger, the tier is what was earned, and a tier begins exactly at its points."""

from __future__ import annotations

import textwrap

import pytest
from tests.blueprint.patterns.small_world import (
    SmallWorld,
    does,
    example,
    finding,
    findings,
    from_pattern,
    grown,
    line_of,
    refuses,
)

from worldwright.blueprint.load import load_text
from worldwright.kinds.database.session import Session

USE = """
use:
  - loyalty:
      in: crm
      member: customer
      tiers: {silver: 500, gold: 2000}
      earn: {member: 1, silver: 2, gold: 3}
      benefits: {free_returns: {member: 1, silver: 3, gold: 10}}
      about: order
      opening_rows: 40
      opening_points: 3000
      earns:
        - {on: complete_order, member: order.customer, units: order.items_total, about: order}
"""

BODY = """
blueprint: points
title: Points
now: 2025-06-16T09:00:00Z
systems: {crm: the shop}
entities:
  customer: {in: crm, key: CUS-##, rows: 20, fields: {name: person}}
  order:
    in: crm
    key: ORD-###
    fields: {customer: customer as orders, items_total: int, status: state}
    lifecycle: {open: [complete], complete: []}
operations:
  complete_order:
    in: crm
    says: Complete an order.
    by: anyone
    takes: {order: order}
    does: [{set: {order.status: complete}}]
    gives: order
  spend:
    in: crm
    says: Spend points, or correct them.
    by: anyone
    takes: {customer: customer, kind: "one of redeemed, adjusted", points: int}
    does:
      - {add: points_entry, with: {member: customer, kind: kind, points: points, entered_on: today}}
    gives: customer
  take_return:
    in: crm
    says: Take a return, while one is free.
    by: anyone
    takes: {order: order, returns_so_far: int}
    does:
      - require: free_returns(order.customer) > returns_so_far
    gives: {free: free_returns(order.customer), worth: "points_for(order.customer, 10)"}
  get_customer: {in: crm, says: One of them., by: anyone, get: customer, with: [points_entries]}
  find_customers: {in: crm, says: All of them., by: anyone, search: customer, filters: [tier, points], sort: [id]}
"""

TEXT = BODY + USE
ANN = "CUS-01"


def shop(*entries: tuple[str, int], items: int = 10, text: str = TEXT) -> Session:
    """A customer with these entries, and an open order of so many items."""
    world = SmallWorld(text)
    world.given("customer")
    for kind, points in entries:
        world.given("points_entry", member=ANN, kind=kind, points=points)
    world.given("order", customer=ANN, items_total=items)
    return world.opens("")


def standing(desk: Session) -> tuple[int, int, str]:
    found = does(desk, "get_customer", customer=ANN)
    assert found["points"] == sum(e["points"] for e in found["points_entries"])
    return found["points"], found["tier_points"], found["tier"]


def test_what_it_adds() -> None:
    assert from_pattern(TEXT, "loyalty") == {
        "entities": {"points_entry"},
        "terms": {"points_for", "free_returns"},
        "always": {"points_not_negative"},
    }
    checked = load_text(TEXT)
    columns = checked.schema.entities["customer"].columns
    assert [columns[c].source for c in ("points", "tier_points", "tier")] == ["kept", "kept", "computed"]
    assert [s.source for s in checked.blueprint.operations["complete_order"].does] == ["", "pattern:loyalty"]


def test_the_example_of_its_docstring_loads() -> None:
    use, statements = example("loyalty")
    load_text(BODY + use)
    mine = "      - require: free_returns(order.customer) > returns_so_far\n"
    assert mine in BODY
    load_text(BODY.replace(mine, textwrap.indent(statements, " " * 6)) + use)


@pytest.mark.parametrize(
    ("earned", "tier", "rate", "free"),
    [
        (0, "member", 1, 1),
        (499, "member", 1, 1),
        (500, "silver", 2, 3),
        (1999, "silver", 2, 3),
        (2000, "gold", 3, 10),
        (1_000_000, "gold", 3, 10),
    ],
)
def test_a_tier_begins_exactly_at_its_points(earned: int, tier: str, rate: int, free: int) -> None:
    desk = shop(("earned", earned))
    assert standing(desk) == (earned, earned, tier)
    found = does(desk, "take_return", order="ORD-001", returns_so_far=0)
    assert found == {"free": free, "worth": 10 * rate}
    assert refuses(desk, "take_return", order="ORD-001", returns_so_far=free) == "NOT_ALLOWED"


def test_somebody_without_entries_is_at_the_base() -> None:
    assert standing(shop()) == (0, 0, "member")


def test_an_operation_earns_by_the_tier_before_it() -> None:
    desk = shop(("earned", 499), items=10)
    does(desk, "complete_order", order="ORD-001")
    assert standing(desk) == (509, 509, "silver")
    (_, entry) = does(desk, "get_customer", customer=ANN)["points_entries"]
    assert entry == {
        "id": "PTS-00002",
        "member": ANN,
        "kind": "earned",
        "points": 10,
        "entered_on": "2025-06-16",
        "note": "Earned",
        "order": "ORD-001",
    }


def test_one_point_makes_the_tier() -> None:
    desk = shop(("opening", 400), ("earned", 99), items=1)
    assert standing(desk)[2] == "member"
    does(desk, "complete_order", order="ORD-001")
    assert standing(desk) == (500, 500, "silver")


def test_what_fails_earns_nothing() -> None:
    desk = shop()
    does(desk, "complete_order", order="ORD-001")
    assert refuses(desk, "complete_order", order="ORD-001") == "INVALID_STATE"
    assert standing(desk) == (10, 10, "member")


def test_spending_does_not_cost_the_tier() -> None:
    desk = shop(("opening", 2000))
    does(desk, "spend", customer=ANN, kind="redeemed", points=-2000)
    assert standing(desk) == (0, 2000, "gold")


def test_a_correction_changes_the_balance_only() -> None:
    desk = shop(("earned", 499))
    does(desk, "spend", customer=ANN, kind="adjusted", points=1)
    assert standing(desk) == (500, 499, "member")


def test_nobody_spends_more_than_they_have() -> None:
    desk = shop(("earned", 100))
    assert refuses(desk, "spend", customer=ANN, kind="redeemed", points=-101) == "INVARIANT"
    does(desk, "spend", customer=ANN, kind="redeemed", points=-100)
    assert refuses(desk, "spend", customer=ANN, kind="redeemed", points=-1) == "INVARIANT"


def test_the_order_in_which_tiers_are_written_does_not_matter() -> None:
    desk = shop(("earned", 2000), text=TEXT.replace("{silver: 500, gold: 2000}", "{gold: 2000, silver: 500}"))
    assert standing(desk)[2] == "gold"


def test_a_grown_world_has_opening_balances() -> None:
    desk = grown(TEXT, "")
    customers = [does(desk, "get_customer", customer=f"CUS-{i:02d}") for i in range(1, 21)]
    entries = [e for c in customers for e in c["points_entries"]]
    assert len(entries) == 40
    assert {e["kind"] for e in entries} == {"opening"}
    assert all(100 <= e["points"] <= 3000 and e["order"] is None for e in entries)
    for c in customers:
        total = sum(e["points"] for e in c["points_entries"])
        tier = "gold" if total >= 2000 else "silver" if total >= 500 else "member"
        assert (c["points"], c["tier_points"], c["tier"]) == (total, total, tier)


def test_without_opening_rows_nobody_has_points() -> None:
    desk = grown(TEXT.replace("      opening_rows: 40\n", ""), "")
    assert does(desk, "find_customers", points_from=1)["total"] == 0
    assert does(desk, "find_customers", tier="member")["total"] == 20


def test_a_small_most_is_the_least_too() -> None:
    desk = grown(TEXT.replace("opening_points: 3000", "opening_points: 5"), "")
    entries = [e for i in range(1, 21) for e in does(desk, "get_customer", customer=f"CUS-{i:02d}")["points_entries"]]
    assert {e["points"] for e in entries} == {5}


PARAMETERS = "parameters: in, member, base, tiers, earn, benefits, about, opening_rows, opening_points, earns"


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("earn: {", "earning: {", "`earning` is not known here"),
        ("      member: customer\n", "", "`member` is needed"),
        (
            "earn: {member: 1, silver: 2, gold: 3}",
            "earn: {member: 1, silver: 2}",
            "`earn` needs a number for each of member",
        ),
        (
            "{member: 1, silver: 3, gold: 10}",
            "{gold: 10}",
            "`free_returns` needs a number for each of member, silver, gold",
        ),
        ("{silver: 500, gold: 2000}", "{}", "tiers: Dictionary should have at least 1 item"),
        (
            "{silver: 500, gold: 2000}",
            "{silver: 500, gold: -1}",
            "tiers.gold: Input should be greater than or equal to 0",
        ),
        ("{silver: 500, gold: 2000}", "{silver: 500, gold: 500}", "tiers: two tiers are reached with the same points"),
        ("{silver: 500, gold: 2000}", "{member: 500, gold: 2000}", "tiers: `member` is the pattern's own"),
        ("{free_returns:", "{points_for:", "benefits: `points_for` is the pattern's own"),
        ("      about: order\n", "", "earns: an earning is about something, but `about` names no entity"),
        ("      about: order\n", "      about: points\n", "about: `points` is the pattern's own"),
        ("{on: complete_order,", "{at: complete_order,", "`earns.0.at` is not known here"),
    ],
)
def test_wrong_parameters(right: str, wrong: str, message: str) -> None:
    found = finding(TEXT.replace(right, wrong))
    assert message in found.message
    assert (found.line, found.path, found.hint) == (line_of(TEXT, "- loyalty:"), "use[0].loyalty", PARAMETERS)


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("member: customer\n", "member: custmer\n", "no entity `custmer` to extend (did you mean `customer`?)"),
        ("{on: complete_order", "{on: complet_order", "no operation `complet_order` to extend"),
        ("units: order.items_total", "units: order.items", "`order` has no field `items`"),
        ("fields: {name: person}", "fields: {name: person, tier: text}", "`customer` has a field `tier` already"),
    ],
)
def test_what_does_not_fit_the_blueprint_is_said_at_the_pattern(right: str, wrong: str, message: str) -> None:
    found = findings(TEXT.replace(right, wrong))
    assert any(message in str(f) and f.line == line_of(TEXT, "- loyalty:") for f in found)


def test_a_blueprint_has_one_programme() -> None:
    found = finding(TEXT + USE.replace("\nuse:\n", ""))
    assert (found.path, found.message) == ("use[1].loyalty", "adds entities.points_entry, which is there already")
    assert found.hint == "pattern `loyalty` added it further up"
