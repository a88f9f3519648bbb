"""Refunds: in the stated order, never more than was paid, and the same reference never pays twice."""

from __future__ import annotations

import textwrap
from typing import Any

import pytest
from tests.blueprint.patterns.small_world import (
    SmallWorld,
    does,
    example,
    finding,
    findings,
    from_pattern,
    line_of,
    refuses,
)

from worldwright.blueprint.load import load_text
from worldwright.kinds.database.session import Session

USE = """
use:
  - refunds:
      in: shop
      of: order
      payments: payment
      first: [gift_card, store_credit, card]
      back_to: {gift_card: gift_card.balance, store_credit: order.customer.store_credit}
      reasons: [returned, goodwill]
      about: {rma: rma}
      staff: staff
      by: supervisor
      obeys: [goodwill_cap]
"""

BODY = """
blueprint: money_back
title: Money back
now: 2025-06-16T09:00:00Z
systems: {shop: the shop}
actor: {entity: staff, role: role}
roles: {supervisor: gives money back, clerk: takes returns}
entities:
  staff: {in: shop, key: STF-##, rows: 2, fields: {name: person, role: "one of supervisor, clerk"}}
  customer: {in: shop, key: CUS-##, rows: 1, fields: {name: person, store_credit: money}}
  gift_card: {in: shop, key: GC-##, rows: 1, fields: {balance: money}}
  order: {in: shop, key: ORD-##, rows: 1, fields: {customer: customer as orders}}
  payment:
    in: shop
    key: PAY-##
    fields:
      order: order as payments
      method: one of cash, card, store_credit, gift_card
      amount: money
      gift_card: gift_card? as payments
  rma: {in: shop, key: RMA-##, rows: 1, fields: {order: order as rmas, worth: money}}
policies:
  goodwill_cap:
    about: {amount: money, reason: text}
    rule: amount <= cap or reason != 'goodwill'
    parameters: {cap: {default: 20}}
    says: Goodwill is at most {cap:money}.
    code: GOODWILL_CAP
    cases:
      - allowed: {amount: 20, reason: goodwill}
      - forbidden: {amount: 20.01, reason: goodwill}
operations:
  settle_return:
    in: shop
    says: Pay for what came back.
    by: clerk
    takes: {rma: rma, due: money, reference: text?}
    does:
      - run: give_back
        with: {order: rma.order, amount: due, reason: returned, reference: reference, rma: rma}
        as: paid_back
    gives: paid_back
  get_order: {in: shop, says: One of them., by: anyone, get: order, with: [payments, refunds, customer]}
  get_refund: {in: shop, says: One of them., by: anyone, get: refund, with: [parts]}
  get_gift_card: {in: shop, says: One of them., by: anyone, get: gift_card}
  what_is_left:
    in: shop
    says: What can still go back.
    by: anyone
    takes: {order: order}
    gives: {left: refundable(order)}
"""

TEXT = BODY + USE
ORDER = "ORD-01"
MIXED = (("card", 30_00), ("cash", 10_00), ("gift_card", 5_00), ("store_credit", 20_00), ("gift_card", 7_00))
"""PAY-01 to PAY-05, 72.00 in all."""


def shop(*payments: tuple[str, int], role: str = "supervisor", text: str = TEXT) -> Session:
    """An order paid in these ways; every gift card payment was made with the same card."""
    world = SmallWorld(text)
    world.given("staff", role="supervisor")
    world.given("staff", role="clerk")
    world.given("customer", store_credit=0)
    world.given("gift_card", balance=0)
    world.given("order", customer="CUS-01")
    for method, amount in payments:
        card = "GC-01" if method == "gift_card" else None
        world.given("payment", order=ORDER, method=method, amount=amount, gift_card=card)
    world.given("rma", order=ORDER)
    return world.opens(role)


def give(desk: Session, amount: float, **more: Any) -> dict[str, Any]:
    made: dict[str, Any] = does(desk, "give_back", **{"order": ORDER, "amount": amount, "reason": "returned", **more})
    return made


def parts(desk: Session, refund: dict[str, Any]) -> list[tuple[str, float]]:
    found = does(desk, "get_refund", refund=refund["id"])
    assert sum(p["amount"] for p in found["parts"]) == pytest.approx(found["amount"])
    return [(p["payment"], p["amount"]) for p in found["parts"]]


def left(desk: Session) -> float:
    found: float = does(desk, "what_is_left", order=ORDER)["left"]
    return found


def test_what_it_adds() -> None:
    assert from_pattern(TEXT, "refunds") == {
        "entities": {"refund", "refund_part"},
        "terms": {"left_on", "refundable"},
        "operations": {"give_back"},
        "always": {"never_more_than_paid", "refund_adds_up", "part_not_empty"},
    }
    entities = load_text(TEXT).schema.entities
    assert entities["order"].columns["refunded"].source == entities["payment"].columns["refunded"].source == "kept"


def test_the_example_of_its_docstring_loads() -> None:
    use, statements = example("refunds")
    load_text(BODY + use)
    start, end = BODY.index("      - run: give_back"), BODY.index("    gives: paid_back")
    load_text(BODY[:start] + textwrap.indent(statements, " " * 6) + BODY[end:] + use)


# the order of payments


@pytest.mark.parametrize(
    ("amount", "expected"),
    [
        (0.01, [("PAY-03", 0.01)]),
        (5, [("PAY-03", 5)]),
        (5.01, [("PAY-03", 5), ("PAY-05", 0.01)]),
        (12, [("PAY-03", 5), ("PAY-05", 7)]),
        (32.01, [("PAY-03", 5), ("PAY-05", 7), ("PAY-04", 20), ("PAY-01", 0.01)]),
        (62, [("PAY-03", 5), ("PAY-05", 7), ("PAY-04", 20), ("PAY-01", 30)]),
        (72, [("PAY-03", 5), ("PAY-05", 7), ("PAY-04", 20), ("PAY-01", 30), ("PAY-02", 10)]),
    ],
)
def test_methods_get_their_money_in_the_stated_order(amount: float, expected: list[tuple[str, float]]) -> None:
    desk = shop(*MIXED)
    assert parts(desk, give(desk, amount)) == expected
    assert left(desk) == pytest.approx(72 - amount)


def test_the_next_refund_goes_on_where_the_last_one_stopped() -> None:
    desk = shop(*MIXED)
    assert parts(desk, give(desk, 8)) == [("PAY-03", 5), ("PAY-05", 3)]
    assert parts(desk, give(desk, 8)) == [("PAY-05", 4), ("PAY-04", 4)]
    found = does(desk, "get_order", order=ORDER)
    assert found["refunded"] == 16
    assert [p["refunded"] for p in found["payments"]] == [0, 0, 5, 4, 7]


def test_balances_rise_by_what_went_back_to_them() -> None:
    desk = shop(*MIXED)
    give(desk, 15)
    assert does(desk, "get_gift_card", gift_card="GC-01")["balance"] == 12
    assert does(desk, "get_order", order=ORDER)["customer"]["store_credit"] == 3


def test_a_balance_that_is_not_there_stops_the_whole_refund() -> None:
    world = SmallWorld(TEXT)
    world.given("staff", role="supervisor")
    world.given("order")
    world.given("payment", order=ORDER, method="gift_card", amount=5_00)
    desk = world.opens("supervisor")
    assert refuses(desk, "give_back", order=ORDER, amount=5, reason="returned") == "NOT_FOUND"


# never more than was paid


def test_never_more_than_was_paid() -> None:
    desk = shop(("card", 10_00))
    assert refuses(desk, "give_back", order=ORDER, amount=10.01, reason="returned") == "MORE_THAN_PAID"
    give(desk, 9.99)
    assert refuses(desk, "give_back", order=ORDER, amount=0.02, reason="returned") == "MORE_THAN_PAID"
    give(desk, 0.01)
    assert left(desk) == 0
    assert refuses(desk, "give_back", order=ORDER, amount=0.01, reason="returned") == "MORE_THAN_PAID"


def test_nothing_goes_back_on_what_was_not_paid() -> None:
    desk = shop()
    assert left(desk) == 0
    assert refuses(desk, "give_back", order=ORDER, amount=0.01, reason="returned") == "MORE_THAN_PAID"


@pytest.mark.parametrize("amount", [0, -1, 0.001])
def test_a_refund_moves_money(amount: float) -> None:
    assert refuses(shop(*MIXED), "give_back", order=ORDER, amount=amount, reason="returned") == "INVALID_ARGUMENT"


def test_another_operation_cannot_go_around_the_bounds() -> None:
    desk = shop(("card", 10_00), role="clerk")
    for amount, code in ((10.01, "MORE_THAN_PAID"), (0, "INVARIANT"), (-5, "INVARIANT")):
        assert refuses(desk, "settle_return", rma="RMA-01", due=amount) == code


# references


def test_the_same_reference_never_pays_twice() -> None:
    desk = shop(*MIXED)
    first = give(desk, 10, reference="A-1")
    before = desk.digest()
    assert give(desk, 10, reference="A-1") == first
    assert give(desk, 50, reference="A-1", reason="goodwill") == first
    assert desk.digest() == before
    assert left(desk) == 62


def test_another_reference_or_none_pays_again() -> None:
    desk = shop(*MIXED)
    ids = {give(desk, 10, **more)["id"] for more in ({"reference": "A-1"}, {"reference": "A-2"}, {}, {})}
    assert len(ids) == 4
    assert left(desk) == 32


def test_a_reference_that_was_refused_is_still_free() -> None:
    desk = shop(("card", 10_00))
    assert refuses(desk, "give_back", order=ORDER, amount=11, reason="returned", reference="A-1") == "MORE_THAN_PAID"
    assert give(desk, 10, reference="A-1")["amount"] == 10


# who, why and under which rules


def test_a_refund_says_who_gave_it_and_why() -> None:
    assert give(shop(*MIXED), 10, rma="RMA-01") == {
        "id": "RFD-00001",
        "order": ORDER,
        "rma": "RMA-01",
        "amount": 10,
        "reason": "returned",
        "reference": None,
        "issued_at": "2025-06-16T09:00:00Z",
        "issued_by": "STF-01",
    }


def test_by_hand_only_some_may_but_other_operations_run_it() -> None:
    desk = shop(*MIXED, role="clerk")
    assert refuses(desk, "give_back", order=ORDER, amount=1, reason="returned") == "FORBIDDEN"
    made = does(desk, "settle_return", rma="RMA-01", due=6, reference="A-1")
    assert (made["rma"], made["issued_by"]) == ("RMA-01", "STF-02")
    assert does(desk, "settle_return", rma="RMA-01", due=6, reference="A-1") == made


def test_policies_of_the_author_are_kept() -> None:
    desk = shop(*MIXED)
    assert refuses(desk, "give_back", order=ORDER, amount=20.01, reason="goodwill") == "GOODWILL_CAP"
    give(desk, 20, reason="goodwill")
    assert refuses(desk, "give_back", order=ORDER, amount=1, reason="whim") == "INVALID_ARGUMENT"


def test_the_least_it_needs() -> None:
    least = "{in: shop, of: order, payments: payment, first: card, reasons: returned, by: supervisor}"
    body = BODY.replace(", rma: rma}\n        as", "}\n        as")
    desk = shop(("gift_card", 5_00), ("card", 5_00), text=f"{body}use:\n  - refunds: {least}\n")
    refund = give(desk, 7)
    assert "issued_by" not in refund
    assert parts(desk, refund) == [("PAY-02", 5), ("PAY-01", 2)]
    assert does(desk, "get_gift_card", gift_card="GC-01")["balance"] == 0


PARAMETERS = "parameters: in, of, payments, way, amount, method, first, back_to, reasons, about, staff, by, obeys"


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("payments: payment\n", "paid: payment\n", "`paid` is not known here"),
        ("      of: order\n", "", "`of` is needed"),
        ("first: [gift_card, store_credit, card]", "first: []", "first: Tuple should have at least 1 item"),
        ("gift_card: gift_card.balance", "gift_card: balance", "back_to.gift_card: String should match pattern"),
        ("{rma: rma}", "{amount: rma}", "about: `amount` is the pattern's own"),
        ("{rma: rma}", "{order: rma}", "about: `order` is the pattern's own"),
    ],
)
def test_wrong_parameters(right: str, wrong: str, message: str) -> None:
    found = finding(TEXT.replace(f" {right}", f" {wrong}") if right.startswith("{") else TEXT.replace(right, wrong))
    assert message in found.message
    assert (found.line, found.path, found.hint) == (line_of(TEXT, "- refunds:"), "use[0].refunds", PARAMETERS)


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("payments: payment\n", "payments: paymnt\n", "no entity `paymnt` to extend (did you mean `payment`?)"),
        ("card, store_credit, card]", "card, credit, card]", "'credit' is not one of"),
        ("gift_card.balance", "gift_card.blance", "`gift_card` has no field `blance`"),
        ("obeys: [goodwill_cap]", "obeys: [godwill_cap]", "godwill_cap"),
        ("by: supervisor\n      obeys", "by: boss\n      obeys", "boss"),
        ("payments: payment\n", "payments: payment\n      way: paid_with\n", "paid_with"),
    ],
)
def test_what_does_not_fit_the_blueprint_is_said_at_the_pattern(right: str, wrong: str, message: str) -> None:
    found = findings(TEXT.replace(right, wrong))
    assert any(message in str(f) and f.line == line_of(TEXT, "- refunds:") for f in found)


def test_a_blueprint_uses_it_once() -> None:
    found = finding(TEXT + USE.replace("\nuse:\n", ""))
    assert (found.path, found.message) == ("use[1].refunds", "adds entities.refund, which is there already")
    assert found.hint == "pattern `refunds` added it further up"
