"""The ledger: totals are what was booked, the ceiling holds, and what is taken back is free again."""

from __future__ import annotations

import pytest
from tests.blueprint.patterns.small_world import (
    SmallWorld,
    does,
    example,
    finding,
    from_pattern,
    grown,
    line_of,
    refuses,
)

from worldwright.blueprint.load import load_text
from worldwright.kinds.database.session import Session

USE = """
use:
  - ledger:
      in: erp
      account: cost_centre
      entry: budget_entry
      kinds: [committed, spent]
      limit: budget
      refers: {po: purchase_order}
      posts:
        place_order:
          - {account: po.cost_centre, kind: committed, amount: po.book_total, about: {po: po}}
        cancel_order:
          - {account: po.cost_centre, kind: committed, amount: 0 - po.book_total, about: {po: po}}
        pay_order:
          - {account: po.cost_centre, kind: committed, amount: 0 - po.book_total}
          - {account: po.cost_centre, kind: spent, amount: paid, when: paid > 0}
"""

BODY = """
blueprint: buying
title: Buying
now: 2025-06-16T09:00:00Z
systems: {erp: the books}
actor: {entity: clerk, role: role}
roles: {buyer: orders and pays}
entities:
  clerk: {in: erp, key: CLK-##, rows: 1, fields: {name: person, role: one of buyer}}
  cost_centre: {in: erp, key: CC-##, rows: 2, fields: {name: text, budget: money ~ 100}}
  purchase_order:
    in: erp
    key: PO-####
    fields: {cost_centre: cost_centre as orders, book_total: money, status: state}
    lifecycle: {placed: [cancelled, paid], cancelled: [], paid: []}
operations:
  place_order:
    in: erp
    says: Order something.
    by: buyer
    takes: {cost_centre: cost_centre, amount: money}
    does:
      - {add: purchase_order, with: {cost_centre: cost_centre, book_total: amount}, as: po}
    gives: po
  cancel_order: {in: erp, says: Cancel., by: buyer, takes: {po: purchase_order}, does: [{set: {po.status: cancelled}}], gives: po}
  pay_order:
    in: erp
    says: Pay an order, whatever it came to.
    by: buyer
    takes: {po: purchase_order, paid: money}
    does: [{set: {po.status: paid}}]
    gives: po
  change_budget:
    in: erp
    says: Give a cost centre another budget.
    by: buyer
    takes: {cost_centre: cost_centre, budget: money}
    does: [{set: {cost_centre.budget: budget}}]
    gives: cost_centre
  get_cost_centre: {in: erp, says: One of them., by: anyone, get: cost_centre, with: [entries]}
  get_order: {in: erp, says: One of them., by: anyone, get: purchase_order, with: [entries]}
"""

TEXT = BODY + USE
CENTRE = "CC-01"


@pytest.fixture
def desk() -> Session:
    world = SmallWorld(TEXT)
    world.given("clerk")
    world.given("cost_centre", budget=100_00)
    world.given("cost_centre", budget=0)
    return world.opens("buyer")


def totals(desk: Session, centre: str = CENTRE) -> tuple[float, float, float]:
    """Committed, spent and available, after comparing each with the entries."""
    found = does(desk, "get_cost_centre", cost_centre=centre)
    booked = {k: round(sum(e["amount"] for e in found["entries"] if e["kind"] == k), 2) for k in ("committed", "spent")}
    assert {k: found[k] for k in booked} == booked
    assert found["available"] == round(found["budget"] - sum(booked.values()), 2)
    return found["committed"], found["spent"], found["available"]


def test_what_it_adds() -> None:
    assert from_pattern(TEXT, "ledger") == {"entities": {"budget_entry"}, "always": {"cost_centre_not_overdrawn"}}
    checked = load_text(TEXT)
    fields = checked.schema.entities["cost_centre"].columns
    assert {name: fields[name].source for name in ("committed", "spent", "available")} == dict.fromkeys(
        ("committed", "spent", "available"), "kept"
    )
    booked = checked.blueprint.operations["pay_order"].does
    assert [s.source for s in booked] == ["", "pattern:ledger", "pattern:ledger"]


def test_the_example_of_its_docstring_loads() -> None:
    load_text(BODY + example("ledger")[0])


def test_totals_are_the_sums_of_the_entries(desk: Session) -> None:
    assert totals(desk) == (0, 0, 100)
    first = does(desk, "place_order", cost_centre=CENTRE, amount=30.10)["id"]
    second = does(desk, "place_order", cost_centre=CENTRE, amount=20.20)["id"]
    assert totals(desk) == (50.3, 0, 49.7)
    does(desk, "pay_order", po=first, paid=31)
    assert totals(desk) == (20.2, 31, 48.8)
    does(desk, "cancel_order", po=second)
    assert totals(desk) == (0, 31, 69)


def test_an_entry_says_what_was_booked(desk: Session) -> None:
    po = does(desk, "place_order", cost_centre=CENTRE, amount=30)["id"]
    assert does(desk, "get_order", purchase_order=po)["entries"] == [
        {
            "id": "LED-000001",
            "cost_centre": CENTRE,
            "kind": "committed",
            "amount": 30.0,
            "booked_on": "2025-06-16",
            "po": po,
        }
    ]


def test_the_last_cent_can_be_booked_and_no_more(desk: Session) -> None:
    assert refuses(desk, "place_order", cost_centre=CENTRE, amount=100.01) == "INVARIANT"
    does(desk, "place_order", cost_centre=CENTRE, amount=99.99)
    assert refuses(desk, "place_order", cost_centre=CENTRE, amount=0.02) == "INVARIANT"
    does(desk, "place_order", cost_centre=CENTRE, amount=0.01)
    assert totals(desk) == (100, 0, 0)
    assert refuses(desk, "place_order", cost_centre=CENTRE, amount=0.01) == "INVARIANT"


def test_an_account_without_a_budget_takes_nothing_but_zero(desk: Session) -> None:
    assert refuses(desk, "place_order", cost_centre="CC-02", amount=0.01) == "INVARIANT"
    does(desk, "place_order", cost_centre="CC-02", amount=0)
    assert totals(desk, "CC-02") == (0, 0, 0)


def test_the_limit_holds_for_all_kinds_together(desk: Session) -> None:
    po = does(desk, "place_order", cost_centre=CENTRE, amount=60)["id"]
    does(desk, "place_order", cost_centre=CENTRE, amount=40)
    assert refuses(desk, "pay_order", po=po, paid=60.01) == "INVARIANT"
    does(desk, "pay_order", po=po, paid=60)
    assert totals(desk) == (40, 60, 0)


def test_what_is_cancelled_can_be_booked_again(desk: Session) -> None:
    po = does(desk, "place_order", cost_centre=CENTRE, amount=100)["id"]
    assert refuses(desk, "place_order", cost_centre=CENTRE, amount=1) == "INVARIANT"
    does(desk, "cancel_order", po=po)
    assert refuses(desk, "cancel_order", po=po) == "INVALID_STATE"
    does(desk, "place_order", cost_centre=CENTRE, amount=100)
    assert totals(desk) == (100, 0, 0)


def test_a_booking_is_made_only_where_its_condition_holds(desk: Session) -> None:
    po = does(desk, "place_order", cost_centre=CENTRE, amount=10)["id"]
    does(desk, "pay_order", po=po, paid=0)
    kinds = [e["kind"] for e in does(desk, "get_cost_centre", cost_centre=CENTRE)["entries"]]
    assert kinds == ["committed", "committed"]


def test_a_limit_cannot_be_cut_below_what_is_booked(desk: Session) -> None:
    does(desk, "place_order", cost_centre=CENTRE, amount=70)
    assert refuses(desk, "change_budget", cost_centre=CENTRE, budget=69.99) == "INVARIANT"
    does(desk, "change_budget", cost_centre=CENTRE, budget=70)
    assert totals(desk) == (70, 0, 0)


def test_accounts_do_not_share_totals(desk: Session) -> None:
    does(desk, "change_budget", cost_centre="CC-02", budget=5)
    does(desk, "place_order", cost_centre="CC-02", amount=5)
    assert totals(desk) == (0, 0, 100)
    assert totals(desk, "CC-02") == (5, 0, 0)


def test_without_a_limit_there_is_no_ceiling() -> None:
    text = TEXT.replace("      limit: budget\n", "")
    assert "always" not in from_pattern(text, "ledger")
    assert "available" not in load_text(text).schema.entities["cost_centre"].columns
    world = SmallWorld(text)
    world.given("clerk")
    world.given("cost_centre", budget=0)
    desk = world.opens("buyer")
    does(desk, "place_order", cost_centre=CENTRE, amount=1_000_000)
    assert does(desk, "get_cost_centre", cost_centre=CENTRE)["committed"] == 1_000_000


def test_it_works_on_a_grown_world() -> None:
    desk = grown(TEXT, "buyer")
    does(desk, "place_order", cost_centre=CENTRE, amount=100)
    assert refuses(desk, "place_order", cost_centre=CENTRE, amount=0.01) == "INVARIANT"


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("kinds: [committed, spent]", "knds: [committed, spent]", "`knds` is not known here"),
        ("      account: cost_centre\n", "", "`account` is needed"),
        ("[committed, spent]", "[]", "kinds: Tuple should have at least 1 item"),
        ("when: paid > 0", "wen: paid > 0", "`posts.pay_order.1.wen` is not known here"),
        ("[committed, spent]", "[committed, available]", "`available` is what is left and cannot be a kind"),
        ("refers: {po:", "refers: {amount: clerk, po:", "refers: `amount` is the pattern's own"),
        ("refers: {po:", "refers: {cost_centre: clerk, po:", "refers: `cost_centre` is the pattern's own"),
        ("about: {po: po}", "about: {order: po}", "books about `order`, which `refers` does not name"),
        ("about: {po: po}", "about: {amount: '1'}", "books about `amount`, which `refers` does not name"),
    ],
)
def test_wrong_parameters(right: str, wrong: str, message: str) -> None:
    found = finding(TEXT.replace(right, wrong))
    assert message in found.message
    assert (found.line, found.path) == (line_of(TEXT, "- ledger:"), "use[0].ledger")
    assert found.hint == "parameters: in, account, entry, key, kinds, limit, refers, posts"


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        (
            "account: cost_centre",
            "account: cost_center",
            "no entity `cost_center` to extend (did you mean `cost_centre`?)",
        ),
        ("        pay_order:", "        pay_ordr:", "no operation `pay_ordr` to extend (did you mean `pay_order`?)"),
        ("        pay_order:", "        get_order:", "`get_order` only reads"),
        ("[committed, spent]", "[committed, spent, budget]", "`cost_centre` has a field `budget` already"),
        ("limit: budget", "limit: bugdet", "nothing is called `bugdet` here (did you mean `budget`?)"),
        ("kind: spent", "kind: wasted", "'wasted' is not one of committed, spent"),
        ("amount: po.book_total,", "amount: po.total,", "`purchase_order` has no field `total`"),
    ],
)
def test_what_does_not_fit_the_blueprint_is_said_at_the_pattern(right: str, wrong: str, message: str) -> None:
    found = finding(TEXT.replace(right, wrong))
    assert message in str(found)
    assert found.line == line_of(TEXT, "- ledger:")


def test_twice_on_one_account_is_an_error() -> None:
    text = TEXT + USE.replace("\nuse:\n", "")
    found = finding(text)
    assert (found.path, found.message) == ("use[1].ledger", "adds entities.budget_entry, which is there already")
    assert found.hint == "pattern `ledger` added it further up"
    assert found.line == line_of(TEXT, "- ledger:") + USE.count("\n") - 2


def test_twice_on_two_accounts_is_fine() -> None:
    second = "  - ledger: {in: erp, account: clerk, entry: card_entry, key: CRD-####, kinds: [charged]}\n"
    assert from_pattern(TEXT + second, "ledger")["entities"] == {"budget_entry", "card_entry"}
