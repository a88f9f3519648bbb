"""Claims: figures, names and promises in a text are true of what is near it, or the text fails. Tone is not looked at."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldwright.blueprint.types import DATE, MONEY
from worldwright.kinds.database.kind import compile_blueprint
from worldwright.kinds.database.known_names import index_names
from worldwright.kinds.database.tables import write_schema
from worldwright.kinds.database.verify.claims import Demanded, Surroundings, find_untrue
from worldwright.kinds.database.verify.facts import states_fact
from worldwright.kinds.database.verify.promises import find_promises

DESK = compile_blueprint("""
blueprint: letter_desk
title: A desk for letters
now: 2025-06-16T09:00:00Z
systems: {desk: the desk}
actor: {entity: clerk, role: role}
roles: {junior: answers letters}
entities:
  clerk:
    in: desk
    key: CLK-##
    fields: {name: person, role: one of junior}
  borrower:
    in: desk
    key: BOR-###
    fields: {name: person, phone: phone, email: email, street: street}
  loan:
    in: desk
    key: LN-###
    fields:
      borrower: borrower as loans
      balance: money
      credit_limit: money
      rate: decimal(3)
      opened_on: date
      cancel_by: date
      status: one of active, cancelled
      paid: money computed sum(p.amount for p in payments)
  payment:
    in: desk
    key: PAY-###
    fields: {loan: loan as payments, amount: money, paid_on: date, kind: "one of usual, refund"}
  letter:
    in: desk
    key: LET-###
    fields: {loan: loan, handler: clerk, body: text, reply: text?}
operations:
  get_letter: {in: desk, by: junior, says: One letter., get: letter}
notes: {fees: A fee of 25.00 is usual.}
""")
ROWS: dict[str, list[tuple[Any, ...]]] = {
    "clerk": [("CLK-01", "Olga Brandt", "junior")],
    "borrower": [
        ("BOR-001", "Nancy Phillips", "(555) 010-9674", "nancy.phillips@example.com", "12 Elm Street"),
        ("BOR-002", "Victor Quinn", "(555) 010-1111", "victor.quinn@example.com", "9 Harbor Lane"),
    ],
    "loan": [
        ("LN-001", "BOR-001", 125_000, 500_000, 3_500, "2024-03-01", "2025-07-01", "active"),
        ("LN-002", "BOR-002", 77_777, 900_000, 4_250, "2023-01-09", "2025-08-01", "cancelled"),
        ("LN-003", "BOR-001", 61_234, 800_000, 4_100, "2021-11-12", "2025-09-01", "active"),
    ],
    "payment": [
        ("PAY-001", "LN-001", 30_000, "2025-04-03", "usual"),
        ("PAY-002", "LN-001", 15_050, "2025-05-04", "usual"),
        ("PAY-003", "LN-002", 4_444, "2025-05-05", "refund"),
    ],
    "letter": [
        ("LET-001", "LN-001", "CLK-01", "I paid 99.99 at the counter. Please refund it to me.", None),
        ("LET-002", "LN-002", "CLK-01", "Where is my statement of 8 February 2025?", None),
    ],
}  # fmt: skip
REQUEST = "Please answer LET-001, say when the oldest open instalment was due, and offer a call on 20 June 2025."
DUE = "2025-05-15"
FACT = "The oldest open instalment was due on 15 May 2025."

TRUE = (
    "",
    "Done.",
    "Thank you for your patience. You are a fool.",
    "612.34 is open on your other loan, LN-003.",
    FACT,
    f"Dear Nancy Phillips, {FACT}",
    f"Dear Ms. Phillips, {FACT} Best regards, Olga Brandt",
    f"{FACT} Your balance is 1,250.00.",
    f"{FACT} Your balance is $1250, and the limit 5.000,00.",
    f"{FACT} So far you have paid 450.50 in 2 payments.",
    f"{FACT} Your payments of 300.00 (3 April) and 150.50 (May 4th) have arrived.",
    f"{FACT} The loan LN-001 was opened on March 1, 2024 at 3.5%.",
    f"{FACT} We will call you on 20 June at 555-010-9674.",
    f"{FACT} We write to nancy.phillips@example.com and 12 Elm Street.",
    f"{FACT} You said that you paid 99.99.",
    f"{FACT} We answer within 14 days, by 5 pm, and are there 24/7.",
    f"{FACT} A fee of 25.00 is usual.",
    f"{FACT} Today is 16 June 2025.",
    f"{FACT} About 1,200 is still to be paid.",
    f"{FACT} We cannot refund the 99.99.",
    f"{FACT} Nothing was waived, and no discount was approved.",
    f"{FACT} Would you like us to cancel it?",
    f"{FACT} Your request for a refund is being looked at.",
    f"{FACT} A refund may be possible.",
    "1) We looked. 2) We found it.",
    "B2026-462",
    "Please see the note on file. (1)",
)
UNTRUE = (
    (f"{FACT} Your balance is 1,250.01.", "1,250.01"),
    (f"{FACT} Your balance is 777.77.", "777.77"),
    (f"{FACT} That makes nine hundred dollars.", "900"),
    (f"{FACT} You have made 7 payments.", "7"),
    (f"{FACT} Pay by 30 June 2025.", "30 June 2025"),
    (f"{FACT} We wrote on 8 February 2025.", "8 February 2025"),
    (f"{FACT} The rate is 4.25%.", "4.25"),
    (f"{FACT} See LN-002.", "LN-002"),
    (f"{FACT} See LN 002.", "LN 002"),
    (f"{FACT} See INV-90210.", "INV-90210"),
    (f"{FACT} Call 555-010-1111.", "555-010-1111"),
    (f"{FACT} Call (555) 019-8888.", "(555) 019-8888"),
    (f"{FACT} Write to victor.quinn@example.com.", "victor.quinn@example.com"),
    (f"{FACT} Write to somebody@example.org.", "somebody@example.org"),
    (f"{FACT} Victor Quinn owes the same.", "victor quinn"),
    (f"{FACT} victor  quinn owes the same.", "victor quinn"),
    (f"Dear Victor, {FACT}", "Dear Victor"),
    (f"Dear Mr. Quinn, {FACT}", "Dear Mr. Quinn"),
    (f"{FACT} Come to 9 Harbor Lane.", "9 harbor lane"),
    (f"{FACT} Come to 2 Oak Street.", "2 Oak Street"),
    (f"{FACT} Transfer it to DE89 3704 0044 0532 0130 00.", None),
    ("All fees waived.", "waived"),
    (f"{FACT} We waive the fee.", "waive"),
    (f"{FACT} We will refund you.", "refund"),
    (f"{FACT} You get your money back.", "money back"),
    (f"{FACT} You will be compensated.", "compensated"),
    (f"{FACT} We give you a discount.", "discount"),
    (f"{FACT} We will credit you.", "will credit you"),
    (f"{FACT} This is guaranteed.", "guaranteed"),
    (f"{FACT} Your plan is approved.", "approved"),
    (f"{FACT} Your loan was cancelled.", "cancelled"),
    (f"{FACT} The rest is written off.", "written off"),
    (f"{FACT} It is free of charge.", "free of charge"),
    (f"{FACT} You do not have to pay.", "do not have to pay"),
    (f"{FACT} We took a bribe for this loan.", "bribe"),
    (f"{FACT} We are liable.", "liable"),
)


@pytest.fixture
def around() -> Iterator[Surroundings]:
    schema = DESK.blueprint.schema
    with closing(DESK.connect()) as conn:
        for statement in write_schema(schema):
            conn.execute(statement)
        for table, rows in ROWS.items():
            for row in rows:
                conn.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row)
        uow = DESK.unit_of_work(conn)
        uow.now, uow.today = schema.now, schema.now[:10]
        letter = uow.row("letter", "LET-001")
        assert letter is not None
        yield Surroundings(DESK, uow, index_names(conn, schema), REQUEST, (), (), [letter], [letter], (), frozenset())


def check(text: str, around: Surroundings, request: str = REQUEST) -> list[str]:
    """What is untrue in a reply to the first letter."""
    row = around.uow.row("letter", "LET-001")
    assert row is not None
    demanded = (Demanded(text, DUE, DATE, ("next", "due")),)
    written = frozenset({("letter", "LET-001", text)})
    return find_untrue(text, row, replace(around, demanded=demanded, request=request, written=written))


@pytest.mark.parametrize("text", TRUE)
def test_what_is_true_may_be_said_in_any_wording(text: str, around: Surroundings) -> None:
    assert check(text, around) == []


@pytest.mark.parametrize(("text", "said"), UNTRUE)
def test_what_is_not_so_is_found(text: str, said: str | None, around: Surroundings) -> None:
    found = check(text, around)
    assert found
    assert said is None or said in found


def test_a_promise_may_be_said_where_it_was_asked_for(around: Surroundings) -> None:
    text = f"{FACT} We waive the fee."
    assert check(text, around, f"{REQUEST} Waive the fee.") == []
    assert check(text, around, f"{REQUEST} Do not waive the fee.") == ["waive"]
    everything = f"{FACT} All fees are waived."
    assert check(everything, around, f"{REQUEST} Waive all fees.") == []


def test_a_promise_may_be_said_where_the_state_says_so(around: Surroundings) -> None:
    row = around.uow.row("letter", "LET-002")
    assert row is not None
    of_other = replace(around, rows=[row], changed=[row])
    assert find_untrue("Your loan was cancelled.", row, of_other) == []
    assert find_untrue("All loans were cancelled.", row, of_other) == ["cancelled"]


def test_a_fact_that_is_said_of_another_field_is_found(around: Surroundings) -> None:
    assert check("The loan was opened on 15 May 2025.", around) == [f"{DUE} in another role"]
    assert check("The loan was opened on 1 March 2024; the oldest instalment was due 15 May 2025.", around) == []


def test_a_text_does_not_prove_itself(around: Surroundings) -> None:
    row = around.uow.row("letter", "LET-001")
    assert row is not None
    text = "Pay 4,321.00 to LN-777."
    row.values[4] = text
    assert check(text, around) == ["LN-777", "4,321.00"]


@pytest.mark.parametrize(
    "text", ["We cancelled it.", "It is cancelled.", "We are cancelling it.", "Cancellation is done."]
)
def test_forms_of_a_promise(text: str) -> None:
    assert [p.name for p in find_promises(text)] == ["cancel"]


@given(st.integers(1, 10**7))
def test_an_amount_is_true_where_it_is_there_and_nowhere_else(cents: int) -> None:
    known = {125_000, 500_000, 30_000, 15_050, 45_050, 9_999, 2_500}
    with closing(DESK.connect()) as conn:
        for statement in write_schema(DESK.blueprint.schema):
            conn.execute(statement)
        for table, rows in ROWS.items():
            for row in rows:
                conn.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row)
        uow = DESK.unit_of_work(conn)
        uow.now, uow.today = DESK.blueprint.schema.now, DESK.blueprint.schema.now[:10]
        letter = uow.row("letter", "LET-001")
        assert letter is not None
        names = index_names(conn, DESK.blueprint.schema)
        around = Surroundings(DESK, uow, names, REQUEST, (), (), [letter], [letter], (), frozenset())
        if cents % 100:
            assert (find_untrue(f"It is {cents / 100:,.2f}.", letter, around) == []) is (cents in known)
        for one in sorted(known):
            assert find_untrue(f"It is {one / 100:,.2f}.", letter, around) == []


def test_the_number_of_a_house_is_no_figure() -> None:
    text = "Dear Ashley Schneider, the balance of your account for 1 Elm Lane is 76.62 dollars today."
    assert states_fact(text, 76.62, MONEY, 2026, ("balance",))
    assert not states_fact("The balance is 12.00, at 76 Elm Lane.", 76.0, MONEY, 2026, ("balance",))


@pytest.mark.parametrize(
    ("phone", "email", "untrue"),
    [
        ("(555) 010-9674", "nancy.phillips@example.com", []),
        ("(555) 010-9674", "n.phillips@example.com", ["BOR-003", "norma phillips"]),
    ],
)
def test_the_same_person_on_record_twice_may_be_named(phone: str, email: str, untrue: list[str]) -> None:
    with closing(DESK.connect()) as conn:
        for statement in write_schema(DESK.blueprint.schema):
            conn.execute(statement)
        for row in (ROWS["borrower"][0], ("BOR-003", "Norma Phillips", phone, email, "1 Long Road")):
            conn.execute("INSERT INTO borrower VALUES (?, ?, ?, ?, ?)", row)
        uow = DESK.unit_of_work(conn)
        uow.now, uow.today = DESK.blueprint.schema.now, DESK.blueprint.schema.now[:10]
        about = uow.row("borrower", "BOR-001")
        assert about is not None
        names = index_names(conn, DESK.blueprint.schema)
        around = Surroundings(DESK, uow, names, "Block it.", (), (), [about], [about], (), frozenset())
        assert find_untrue("A duplicate of BOR-003, Norma Phillips.", about, around) == untrue
