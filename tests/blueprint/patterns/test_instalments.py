"""Instalments: the parts add up to the cent, the oldest is paid first, and missed ones count to the day."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
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
from tests.effort import examples

from worldwright.blueprint.load import load_text
from worldwright.kinds.database.session import Session

USE = """
use:
  - instalments:
      in: books
      plan: payment_plan
      amount: total
      payment: payment
      most: 12
      grace: 5
      breaks_after: {default: 2, strict: 1, lenient: 3}
      lays:
        agree_plan: {plan: agreed, count: months, first_due: first_due, every: every}
        agree_anew: {plan: payment_plan, count: months, first_due: first_due}
      pays:
        take_payment: {plan: payment_plan, amount: amount, payment: taken, when: not on_account}
      takes_back:
        return_payment: {payment: payment}
      calls_off:
        agree_anew: {plan: payment_plan}
        end_plan: {plan: payment_plan}
"""

BODY = """
blueprint: fees
title: Fees
now: 2025-06-16T09:00:00Z
systems: {books: the books}
actor: {entity: clerk, role: role}
roles: {bursar: agrees and takes money}
entities:
  clerk: {in: books, key: CLK-##, rows: 1, fields: {name: person, role: one of bursar}}
  payment_plan: {in: books, key: PLN-###, fields: {total: money}}
  payment: {in: books, key: PAY-###, fields: {amount: money}}
operations:
  agree_plan:
    in: books
    says: Agree on parts.
    by: bursar
    takes: {total: money, months: int, first_due: date, every: {type: int, default: 1}}
    does: [{add: payment_plan, with: {total: total}, as: agreed}]
    gives: agreed
  agree_anew:
    in: books
    says: Spread the rest anew.
    by: bursar
    takes: {payment_plan: payment_plan, months: int, first_due: date}
    gives: payment_plan
  take_payment:
    in: books
    says: Take money.
    by: bursar
    takes: {payment_plan: payment_plan, amount: money, on_account: {type: bool, default: false}}
    does: [{add: payment, with: {amount: amount}, as: taken}]
    gives: taken
  end_plan: {in: books, says: No more., by: bursar, takes: {payment_plan: payment_plan}, gives: payment_plan}
  return_payment: {in: books, says: It bounced., by: bursar, takes: {payment: payment}, gives: payment}
  grant_more:
    in: books
    says: Something only those in good standing get.
    by: bursar
    takes: {payment_plan: payment_plan}
    does:
      - obey: {in_good_standing: {plan: payment_plan}}
      - set: {payment_plan.total: payment_plan.total + 1}
    gives: payment_plan
  cut:
    in: books
    says: Less is due.
    by: bursar
    takes: {payment_plan: payment_plan, total: money}
    does: [{set: {payment_plan.total: total}}]
    gives: payment_plan
  look_at:
    in: books
    says: What the terms say.
    by: anyone
    takes: {payment_plan: payment_plan}
    gives:
      overdue: overdue_of(payment_plan)
      missed: missed_of(payment_plan)
      due: next_due(payment_plan)
  get_plan: {in: books, says: One of them., by: anyone, get: payment_plan, with: [instalments]}
  get_payment: {in: books, says: One of them., by: anyone, get: payment, with: [allocations]}
"""

TEXT = BODY + USE
PLAN = "PLN-001"


def office(text: str = TEXT, *parts: tuple[str, int, int]) -> Session:
    """A plan with instalments of which something is paid: due date, amount, paid."""
    world = SmallWorld(text)
    world.given("clerk", role="bursar")
    for number in range(1, 13):
        world.given("instalment_number", number=number)
    if parts:
        world.given("payment_plan", total=sum(amount for _, amount, _ in parts))
        earlier = world.given("payment", amount=1)
        for number, (due, amount, paid) in enumerate(parts, 1):
            part = world.given("instalment", payment_plan=PLAN, number=number, due_on=due, amount=amount)
            if paid:
                world.given("allocation", instalment=part, payment=earlier, amount=paid, allocated_on=due)
    return world.opens("bursar")


def agree(desk: Session, total: float, count: int, first_due: str = "2025-07-31", **more: Any) -> str:
    return str(does(desk, "agree_plan", total=total, months=count, first_due=first_due, **more)["id"])


def parts(desk: Session, *fields: str, plan: str = PLAN) -> list[Any]:
    """Of the instalments, in order, after comparing the plan with them."""
    found = does(desk, "get_plan", payment_plan=plan)
    rows = sorted(found["instalments"], key=lambda i: i["number"])
    assert found["instalments_paid"] == round(sum(i["paid"] for i in rows), 2)
    assert found["instalments_open"] == round(sum(i["open_amount"] for i in rows), 2)
    return [i[fields[0]] if len(fields) == 1 else tuple(i[f] for f in fields) for i in rows]


def test_what_it_adds() -> None:
    assert from_pattern(TEXT, "instalments") == {
        "entities": {"instalment", "allocation", "instalment_number"},
        "terms": {"overdue_of", "missed_of", "next_due"},
        "policies": {"in_good_standing"},
        "always": {"instalments_add_up", "never_overpaid"},
    }
    columns = load_text(TEXT).schema.entities["instalment"].columns
    assert {columns[name].source for name in ("paid", "open_amount", "status")} == {"kept"}


def test_the_example_of_its_docstring_loads() -> None:
    use, statements = example("instalments")
    assert statements == "- obey: {in_good_standing: {plan: payment_plan}}\n"
    load_text(BODY + use.replace("payment: paid}", "payment: taken}"))


def test_it_works_on_a_grown_world() -> None:
    desk = grown(TEXT, "bursar")
    plan = agree(desk, 100, 12)
    assert len(parts(desk, "amount", plan=plan)) == 12


# laying out


def test_what_rounding_leaves_is_in_the_last() -> None:
    desk = office()
    agree(desk, 100, 3)
    assert parts(desk, "number", "amount", "due_on", "status") == [
        (1, 33.33, "2025-07-31", "open"),
        (2, 33.33, "2025-08-31", "open"),
        (3, 33.34, "2025-09-30", "open"),
    ]


@settings(max_examples=examples(30), deadline=None)
@given(st.integers(12, 9_999_99), st.integers(1, 12), st.integers(0, 6))
def test_they_add_up_to_the_cent(cents: int, count: int, every: int) -> None:
    desk = office()
    agree(desk, cents / 100, count, every=every)
    amounts = [round(a * 100) for a in parts(desk, "amount")]
    assert (sum(amounts), len(amounts), len(set(amounts[:-1])) <= 1) == (cents, count, True)
    assert 0 <= amounts[-1] - amounts[0] < count
    months = [int(d[:4]) * 12 + int(d[5:7]) for d in parts(desk, "due_on")]
    assert [m - months[0] for m in months] == [every * i for i in range(count)]


@pytest.mark.parametrize("count", [0, -1, 13])
def test_there_is_a_least_and_a_most(count: int) -> None:
    desk = office()
    call = {"total": 100, "first_due": "2025-07-01"}
    assert refuses(desk, "agree_plan", months=count, **call) == "CANNOT_SPREAD"
    assert len(parts(desk, "id", plan=agree(desk, 100, 12))) == 12


def test_each_asks_for_a_cent_at_least() -> None:
    desk = office()
    assert refuses(desk, "agree_plan", total=0.02, months=3, first_due="2025-07-01") == "CANNOT_SPREAD"
    assert parts(desk, "amount", plan=agree(desk, 0.03, 3)) == [0.01] * 3


def test_they_never_come_to_more_than_the_plan() -> None:
    desk = office()
    agree(desk, 100, 4)
    assert refuses(desk, "cut", payment_plan=PLAN, total=99.99) == "INVARIANT"
    does(desk, "end_plan", payment_plan=PLAN)
    does(desk, "cut", payment_plan=PLAN, total=0)


# paying


def test_the_oldest_is_paid_first() -> None:
    desk = office(TEXT, ("2025-08-01", 10_00, 0), ("2025-06-01", 10_00, 4_00), ("2025-07-01", 10_00, 0))
    payment = does(desk, "take_payment", payment_plan=PLAN, amount=11)["id"]
    assert parts(desk, "paid", "open_amount", "status") == [(0, 10, "open"), (10, 0, "paid"), (5, 5, "part_paid")]
    found = does(desk, "get_payment", payment=payment)["allocations"]
    assert [(a["instalment"], a["amount"], a["allocated_on"]) for a in found] == [
        ("INS-000002", 6.0, "2025-06-16"),
        ("INS-000003", 5.0, "2025-06-16"),
    ]


@settings(max_examples=examples(30), deadline=None)
@given(st.lists(st.integers(1, 40), max_size=6))
def test_payments_fill_from_the_front(payments: list[int]) -> None:
    desk = office()
    agree(desk, 100, 7)
    left = 100
    for amount in payments:
        if amount <= left:
            does(desk, "take_payment", payment_plan=PLAN, amount=amount)
            left -= amount
        else:
            assert refuses(desk, "take_payment", payment_plan=PLAN, amount=amount) == "MORE_THAN_OPEN"
    statuses = parts(desk, "status")
    assert does(desk, "get_plan", payment_plan=PLAN)["instalments_open"] == left
    assert statuses == sorted(statuses, key=("paid", "part_paid", "open").index)
    assert statuses.count("part_paid") <= 1


def test_only_what_is_open_can_be_paid() -> None:
    desk = office()
    agree(desk, 100, 3)
    for amount in (0, -1, 100.01):
        assert refuses(desk, "take_payment", payment_plan=PLAN, amount=amount) == "MORE_THAN_OPEN"
    does(desk, "take_payment", payment_plan=PLAN, amount=100)
    assert parts(desk, "status") == ["paid"] * 3
    assert refuses(desk, "take_payment", payment_plan=PLAN, amount=0.01) == "MORE_THAN_OPEN"


def test_or_what_is_too_much_is_left() -> None:
    desk = office(TEXT.replace("when: not on_account}", "spare: left}"))
    agree(desk, 100, 3)
    payment = does(desk, "take_payment", payment_plan=PLAN, amount=120)["id"]
    assert parts(desk, "status") == ["paid"] * 3
    assert sum(a["amount"] for a in does(desk, "get_payment", payment=payment)["allocations"]) == 100
    does(desk, "take_payment", payment_plan=PLAN, amount=5)


def test_what_is_paid_on_account_goes_to_none() -> None:
    desk = office()
    agree(desk, 100, 3)
    does(desk, "take_payment", payment_plan=PLAN, amount=500, on_account=True)
    assert parts(desk, "paid") == [0, 0, 0]


def test_what_came_back_unpaid_is_open_again() -> None:
    desk = office()
    agree(desk, 90, 3)
    first = does(desk, "take_payment", payment_plan=PLAN, amount=40)["id"]
    does(desk, "take_payment", payment_plan=PLAN, amount=30)
    does(desk, "return_payment", payment=first)
    assert parts(desk, "paid", "status") == [(0, "open"), (20, "part_paid"), (10, "part_paid")]
    assert [a["amount"] for a in does(desk, "get_payment", payment=first)["allocations"]] == [30, 10, -30, -10]
    assert refuses(desk, "return_payment", payment=first) == "INVARIANT"
    does(desk, "take_payment", payment_plan=PLAN, amount=60)
    assert parts(desk, "status") == ["paid"] * 3


# calling off


def test_what_is_called_off_is_not_due_and_cannot_be_paid() -> None:
    desk = office(TEXT, ("2025-04-01", 10_00, 10_00), ("2025-05-01", 10_00, 4_00), ("2025-06-01", 10_00, 0))
    does(desk, "end_plan", payment_plan=PLAN)
    assert parts(desk, "status", "paid", "open_amount") == [("paid", 10, 0), ("called_off", 4, 0), ("called_off", 0, 0)]
    assert does(desk, "look_at", payment_plan=PLAN) == {"overdue": 0, "missed": 0, "due": None}
    assert refuses(desk, "take_payment", payment_plan=PLAN, amount=1) == "MORE_THAN_OPEN"


def test_the_rest_is_spread_anew() -> None:
    desk = office(TEXT, ("2025-04-01", 10_00, 10_00), ("2025-05-01", 10_00, 4_00), ("2025-06-01", 10_00, 0))
    does(desk, "agree_anew", payment_plan=PLAN, months=3, first_due="2025-07-01")
    assert parts(desk, "number", "amount", "open_amount")[3:] == [(4, 5.33, 5.33), (5, 5.33, 5.33), (6, 5.34, 5.34)]
    does(desk, "take_payment", payment_plan=PLAN, amount=16)
    assert refuses(desk, "agree_anew", payment_plan=PLAN, months=1, first_due="2025-07-01") == "CANNOT_SPREAD"


# overdue and missed


@pytest.mark.parametrize(
    ("due", "paid", "overdue", "missed"),
    [
        ("2025-06-16", 0, 0, 0),
        ("2025-06-15", 0, 10, 0),
        ("2025-06-11", 0, 10, 0),
        ("2025-06-10", 0, 10, 1),
        ("2025-06-10", 9_99, 0.01, 1),
        ("2025-06-10", 10_00, 0, 0),
    ],
)
def test_an_instalment_is_overdue_at_once_and_missed_after_grace(
    due: str, paid: int, overdue: float, missed: int
) -> None:
    desk = office(TEXT, (due, 10_00, paid), ("2025-09-01", 10_00, 0))
    next_due = due if paid < 10_00 else "2025-09-01"
    assert does(desk, "look_at", payment_plan=PLAN) == {"overdue": overdue, "missed": missed, "due": next_due}


def test_without_grace_the_day_after_is_missed() -> None:
    desk = office(TEXT.replace("      grace: 5\n", ""), ("2025-06-15", 10_00, 0), ("2025-06-16", 10_00, 0))
    assert does(desk, "look_at", payment_plan=PLAN)["missed"] == 1


@pytest.mark.parametrize(("variant", "breaks"), [("default", 2), ("strict", 1), ("lenient", 3)])
def test_missed_ones_break_the_plan(variant: str, breaks: int) -> None:
    text = TEXT + f"variant: {{in_good_standing: {variant}}}\n"
    missed = [(f"2025-0{m}-01", 10_00, 0) for m in range(1, breaks + 1)]
    desk = office(text, *missed)
    assert refuses(desk, "grant_more", payment_plan=PLAN) == "PLAN_BROKEN"
    does(desk, "take_payment", payment_plan=PLAN, amount=9.99)
    assert refuses(desk, "grant_more", payment_plan=PLAN) == "PLAN_BROKEN"
    does(desk, "take_payment", payment_plan=PLAN, amount=0.01)
    does(desk, "grant_more", payment_plan=PLAN)


def test_the_agent_may_be_the_one_who_keeps_it() -> None:
    text = TEXT.replace("      grace: 5\n", "      grace: 5\n      enforced: agent\n")
    does(office(text, *[(f"2025-0{m}-01", 10_00, 0) for m in (1, 2, 3)]), "grant_more", payment_plan=PLAN)


@pytest.mark.parametrize("number", [1, 2, 7])
def test_its_own_cases_hold_for_any_number(number: int) -> None:
    load_text(TEXT.replace("{default: 2, strict: 1, lenient: 3}", f"{{default: {number}}}"))


def test_without_an_entity_of_payments() -> None:
    text = TEXT.replace("      payment: payment\n", "").replace(" payment: taken,", "")
    text = text.replace("      takes_back:\n        return_payment: {payment: payment}\n", "").replace(
        "  get_payment: {in: books, says: One of them., by: anyone, get: payment, with: [allocations]}\n", ""
    )
    desk = office(text)
    agree(desk, 100, 3)
    does(desk, "take_payment", payment_plan=PLAN, amount=40)
    assert parts(desk, "paid") == [33.33, 6.67, 0]


PARAMETERS = (
    "in, plan, amount, called, payment, most, grace, breaks_after, enforced, stops, lays, pays, takes_back, calls_off"
)


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("grace: 5", "gracious: 5", "`gracious` is not known here"),
        ("      amount: total\n", "", "`amount` is needed"),
        ("grace: 5", "grace: -1", "grace: Input should be greater than or equal to 0"),
        ("{default: 2, strict: 1, lenient: 3}", "{strict: 1}", "breaks_after: `breaks_after` needs a `default`"),
        ("plan: payment_plan\n", "plan: number\n", "plan: `number` is the pattern's own"),
        ("      payment: payment\n", "", "pays: `take_payment` names a payment row exactly where"),
        ("payment: taken, ", "", "pays: `take_payment` names a payment row exactly where"),
        ("count: months, first_due: first_due}", "count: months}", "`lays.agree_anew.first_due` is needed"),
    ],
)
def test_wrong_parameters(right: str, wrong: str, message: str) -> None:
    found = finding(TEXT.replace(right, wrong))
    assert message in found.message
    assert (found.line, found.path) == (line_of(TEXT, "- instalments:"), "use[0].instalments")
    assert found.hint == f"parameters: {PARAMETERS}"


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("      plan: payment_plan\n", "      plan: paymnt_plan\n", "no entity `paymnt_plan` to extend"),
        ("        end_plan: {plan", "        end_pln: {plan", "no operation `end_pln` to extend"),
        ("plan: agreed, count: months", "plan: agreed, count: mnths", "nothing is called `mnths` here"),
        ("amount: total\n", "amount: totl\n", "has no field `totl`"),
    ],
)
def test_what_does_not_fit_the_blueprint_is_said_at_the_pattern(right: str, wrong: str, message: str) -> None:
    found = findings(TEXT.replace(right, wrong))
    assert any(message in str(f) and f.line == line_of(TEXT, "- instalments:") for f in found)


def test_a_blueprint_uses_it_once() -> None:
    found = finding(TEXT + USE.replace("\nuse:\n", ""))
    assert (found.path, found.message) == ("use[1].instalments", "adds entities.instalment, which is there already")
