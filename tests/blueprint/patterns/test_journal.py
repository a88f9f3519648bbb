"""The journal: every entry has two sides, balances follow, and money held for others is there when it is asked for."""

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
  - journal:
      in: books
      account: trust_account
      debit_kinds: [bank]
      not_below: [bank, client]
      clearing: {default: 3, strict: 5, lenient: 0}
      clearing_enforced: tool
      refers: {matter: matter}
      posts:
        take_deposit:
          - {debit: bank, credit: matter.account, amount: amount, memo: "'Deposit'", about: {matter: matter}}
        pay_out:
          - {debit: matter.account, credit: bank, amount: amount - fee, about: {matter: matter}}
          - {debit: matter.account, credit: fees, amount: fee, when: fee > 0}
        shift:
          - {debit: giver, credit: taker, amount: amount}
"""

BODY = """
blueprint: practice
title: Practice
now: 2025-06-16T09:00:00Z
systems: {books: the books}
actor: {entity: clerk, role: role}
roles: {cashier: books}
entities:
  clerk: {in: books, key: CLK-##, rows: 1, fields: {name: person, role: one of cashier}}
  trust_account: {in: books, key: ACC-##, rows: 4, fields: {kind: "one of bank, client, fees"}}
  matter: {in: books, key: MAT-##, rows: 2, fields: {account: trust_account as matters}}
operations:
  take_deposit:
    in: books
    says: Money comes in.
    by: cashier
    takes: {matter: matter, bank: trust_account, amount: money}
    gives: matter
  pay_out:
    in: books
    says: Money goes out, less a fee.
    by: cashier
    takes: {matter: matter, bank: trust_account, fees: trust_account, amount: money, fee: {type: money, default: 0}}
    does:
      - let: {account: matter.account}
      - obey: [covered, cleared_funds]
    gives: matter
  shift:
    in: books
    says: From one account to another.
    by: cashier
    takes: {giver: trust_account, taker: trust_account, amount: money}
    gives: giver
  look_at:
    in: books
    says: What the terms say.
    by: anyone
    takes: {account: trust_account, d: date}
    gives: {balance: account.balance, then: "balance_on(account, d)", since: "came_in(account, d)", clients: held_in('client')}
  get_account: {in: books, says: One of them., by: anyone, get: trust_account, with: [debits, credits]}
  get_matter: {in: books, says: One of them., by: anyone, get: matter, with: [journal_entries]}
"""

TEXT = BODY + USE
BANK, ANN, BOB, FEES = "ACC-01", "ACC-02", "ACC-03", "ACC-04"
OLD = "2025-06-01"


def office(text: str = TEXT, *deposits: tuple[str, int, str]) -> Session:
    """A bank account, two clients' and one for fees, with what clients paid in: account, amount, day."""
    world = SmallWorld(text)
    world.given("clerk", role="cashier")
    for kind in ("bank", "client", "client", "fees"):
        world.given("trust_account", kind=kind)
    for account in (ANN, BOB):
        world.given("matter", account=account)
    for account, amount, day in deposits:
        world.given("journal_entry", debit=BANK, credit=account, amount=amount, booked_on=day, memo="")
    return world.opens("cashier")


def balances(desk: Session) -> list[float]:
    """Of the bank, the two clients and fees, after comparing each with its entries."""
    out = []
    for account in (BANK, ANN, BOB, FEES):
        found = does(desk, "get_account", trust_account=account)
        net = sum(e["amount"] for e in found["credits"]) - sum(e["amount"] for e in found["debits"])
        assert found["balance"] == round(-net if account == BANK else net, 2)
        out.append(found["balance"])
    assert out[0] == round(sum(out[1:]), 2)
    return out


def test_what_it_adds() -> None:
    assert from_pattern(TEXT, "journal") == {
        "entities": {"journal_entry"},
        "terms": {"balance_on", "came_in", "held_in"},
        "policies": {"covered", "cleared_funds"},
        "always": {"books_balance", "entry_moves_money", "not_below_zero"},
    }
    checked = load_text(TEXT)
    assert checked.schema.entities["trust_account"].columns["balance"].source == "kept"
    assert [s.source for s in checked.blueprint.operations["pay_out"].does] == [
        "",
        "",
        "pattern:journal",
        "pattern:journal",
    ]


def test_the_example_of_its_docstring_loads() -> None:
    use, statements = example("journal")
    own = "      - let: {account: matter.account}\n      - obey: [covered, cleared_funds]\n"
    assert statements.replace("- ", "      - ", 2) == own
    load_text(BODY + use)


def test_it_works_on_a_grown_world() -> None:
    assert does(grown(TEXT, "cashier"), "look_at", account=BANK, d=OLD)["balance"] == 0


def test_both_sides_move() -> None:
    desk = office()
    does(desk, "take_deposit", matter="MAT-01", bank=BANK, amount=100.10)
    does(desk, "take_deposit", matter="MAT-02", bank=BANK, amount=50)
    assert balances(desk) == [150.1, 100.1, 50, 0]
    does(desk, "shift", giver=ANN, taker=BOB, amount=0.10)
    assert balances(desk) == [150.1, 100, 50.1, 0]


def test_an_entry_says_what_was_booked() -> None:
    desk = office()
    does(desk, "take_deposit", matter="MAT-01", bank=BANK, amount=30)
    assert does(desk, "get_matter", matter="MAT-01")["journal_entries"] == [
        {
            "id": "JRN-000001",
            "debit": BANK,
            "credit": ANN,
            "amount": 30.0,
            "booked_on": "2025-06-16",
            "memo": "Deposit",
            "matter": "MAT-01",
        }
    ]


def test_a_booking_is_made_only_where_its_condition_holds() -> None:
    desk = office(TEXT, (ANN, 100_00, OLD))
    does(desk, "pay_out", matter="MAT-01", bank=BANK, fees=FEES, amount=40)
    assert balances(desk) == [60, 60, 0, 0]
    does(desk, "pay_out", matter="MAT-01", bank=BANK, fees=FEES, amount=40, fee=5)
    assert balances(desk) == [25, 20, 0, 5]


def test_what_one_client_holds_does_not_cover_another() -> None:
    desk = office(TEXT, (ANN, 100_00, OLD), (BOB, 10_00, OLD))
    assert refuses(desk, "pay_out", matter="MAT-02", bank=BANK, fees=FEES, amount=10.01) == "NOT_COVERED"
    assert refuses(desk, "shift", giver=BOB, taker=ANN, amount=10.01) == "INVARIANT"
    does(desk, "shift", giver=BOB, taker=ANN, amount=10)
    assert balances(desk) == [110, 110, 0, 0]


def test_kinds_that_may_go_below_zero_do() -> None:
    desk = office(TEXT, (ANN, 10_00, OLD))
    does(desk, "shift", giver=FEES, taker=ANN, amount=7)
    assert balances(desk) == [10, 17, 0, -7]
    # The bank counts the other way round: giving raises it.
    assert refuses(desk, "shift", giver=ANN, taker=BANK, amount=10.01) == "INVARIANT"
    does(desk, "shift", giver=ANN, taker=BANK, amount=10)
    assert balances(desk) == [0, 7, 0, -7]


@pytest.mark.parametrize(("taker", "amount"), [(ANN, 0), (ANN, -1), (FEES, 1)])
def test_an_entry_moves_money_between_two_accounts(taker: str, amount: int) -> None:
    desk = office()
    assert refuses(desk, "shift", giver=FEES, taker=taker, amount=amount) == "INVARIANT"


@pytest.mark.parametrize(
    ("variant", "day", "left"),
    [
        ("default", "2025-06-13", 100),
        ("default", "2025-06-14", 60),
        ("default", "2025-06-16", 60),
        ("strict", "2025-06-11", 100),
        ("strict", "2025-06-12", 60),
        ("lenient", "2025-06-16", 100),
    ],
)
def test_money_clears_to_the_day(variant: str, day: str, left: int) -> None:
    text = TEXT + f"variant: {{cleared_funds: {variant}}}\n"
    desk = office(text, (ANN, 60_00, OLD), (ANN, 40_00, day))
    over = "NOT_CLEARED" if left < 100 else "NOT_COVERED"
    assert refuses(desk, "pay_out", matter="MAT-01", bank=BANK, fees=FEES, amount=left + 1) == over
    does(desk, "pay_out", matter="MAT-01", bank=BANK, fees=FEES, amount=left)


def test_terms_look_back() -> None:
    desk = office(TEXT, (ANN, 60_00, "2025-06-01"), (ANN, 40_00, "2025-06-10"), (BOB, 5_00, "2025-06-11"))
    does(desk, "pay_out", matter="MAT-01", bank=BANK, fees=FEES, amount=30)
    look = {d: does(desk, "look_at", account=ANN, d=f"2025-06-{d:02d}") for d in (9, 10, 11, 16)}
    assert [look[d]["then"] for d in look] == [60, 100, 100, 70]
    assert [look[d]["since"] for d in look] == [40, 40, 0, 0]
    assert look[9]["clients"] == 75
    bank = does(desk, "look_at", account=BANK, d="2025-06-10")
    assert (bank["balance"], bank["then"], bank["since"]) == (75, 100, 45)


def test_without_bounds_there_are_none() -> None:
    text = TEXT.replace("      not_below: [bank, client]\n", "").replace("[covered, cleared_funds]", "[cleared_funds]")
    assert from_pattern(text, "journal")["always"] == {"books_balance", "entry_moves_money"}
    text = text.replace("      clearing: {default: 3, strict: 5, lenient: 0}\n", "").replace(
        "      - obey: [cleared_funds]\n", ""
    )
    assert "policies" not in from_pattern(text, "journal")
    desk = office(text)
    does(desk, "pay_out", matter="MAT-01", bank=BANK, fees=FEES, amount=100)
    assert balances(desk) == [-100, -100, 0, 0]


def test_by_default_the_agent_keeps_to_clearing() -> None:
    desk = office(TEXT.replace("      clearing_enforced: tool\n", ""), (ANN, 60_00, "2025-06-16"))
    does(desk, "pay_out", matter="MAT-01", bank=BANK, fees=FEES, amount=60)
    assert balances(desk) == [0, 0, 0, 0]


@pytest.mark.parametrize("days", [0, 1, 19, 20, 90])
def test_its_own_cases_hold_for_any_number_of_days(days: int) -> None:
    load_text(TEXT.replace("{default: 3, strict: 5, lenient: 0}", f"{{default: {days}}}"))


PARAMETERS = "in, account, kind, debit_kinds, not_below, entry, key, clearing, clearing_enforced, refers, posts"


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("debit_kinds: [bank]", "debits: [bank]", "`debits` is not known here"),
        ("      account: trust_account\n", "", "`account` is needed"),
        ("debit_kinds: [bank]", "debit_kinds: []", "debit_kinds: Tuple should have at least 1 item"),
        ("{default: 3, strict: 5, lenient: 0}", "{strict: 5}", "clearing: `clearing` needs a `default`"),
        ("refers: {matter:", "refers: {amount: clerk, matter:", "refers: `amount` is the pattern's own"),
        ("about: {matter: matter}", "about: {case: matter}", "books about `case`, which `refers` does not name"),
        ("when: fee > 0", "wen: fee > 0", "`posts.pay_out.1.wen` is not known here"),
    ],
)
def test_wrong_parameters(right: str, wrong: str, message: str) -> None:
    found = finding(TEXT.replace(right, wrong))
    assert message in found.message
    assert (found.line, found.path) == (line_of(TEXT, "- journal:"), "use[0].journal")
    assert found.hint == f"parameters: {PARAMETERS}"


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("account: trust_account", "account: trust_acount", "no entity `trust_acount` to extend"),
        ("        shift:", "        shft:", "no operation `shft` to extend (did you mean `shift`?)"),
        ("credit: fees,", "credit: fes,", "nothing is called `fes` here"),
    ],
)
def test_what_does_not_fit_the_blueprint_is_said_at_the_pattern(right: str, wrong: str, message: str) -> None:
    found = finding(TEXT.replace(right, wrong))
    assert message in str(found)
    assert found.line == line_of(TEXT, "- journal:")


def test_a_blueprint_uses_it_once() -> None:
    found = finding(TEXT + USE.replace("\nuse:\n", ""))
    assert (found.path, found.message) == ("use[1].journal", "adds entities.journal_entry, which is there already")
