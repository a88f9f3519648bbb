"""Texts: a sentence that people would write passes, one that hedges, stuffs, asks or denies does not."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import examples

from worldwright.blueprint.types import DATE, INT, MONEY, TEXT, Type, ref
from worldwright.kinds.database.verify.facts import states_fact

YEAR = 2025
OPEN = 1250.0
DUE = "2025-10-10"

NATURAL_AMOUNTS = (
    "1,250.00",
    "We show 1,250.00 USD as open.",
    "Thank you for your patience, we have no objections; 1,250.00 USD is open.",
    "Thank you. We do not dispute the rest; the open amount is 1,250.00 USD.",
    "Thank you for your mail. According to our books, we owe you $1,250.00.",
    "Hello Nancy,\n\nour ledger shows 1250.00 as outstanding.\n\nBest regards,\nAccounts payable",
    "Dear Ms. Moore, the open balance is USD 1,250.00. Please do not hesitate to contact us with any questions.",
    "The open amount is 1250 USD.",
    "Open amount: 1,250.00 USD",
    "We have no record of a second invoice, but 1,250.00 USD is open.",
    "Your statement does not match our books: we show 1,250.00 USD as open.",
    "No worries, there is 1,250.00 USD open on your account.",
    "There is no doubt that 1,250.00 USD is open.",
    "I could not find the other invoice. What is open is 1,250.00 USD.",
    "We can confirm that a total of 1,250.00 USD remains open for your 3 invoices.",
    "We owe you 1,250.00 USD and will pay it within 30 days.",
    "On invoice 4711 there is 1,250.00 USD left to pay.",
    "As of 6 October 2025, 1,250.00 USD is open.",
    "As of today (2025-10-06) we have 1,250.00 USD open with you.",
    "We owe 1,250.00 USD. Again: 1,250.00 USD.",
    "Sorry that nobody answered earlier. The amount due to you is 1,250.00 USD.",
    "Der offene Betrag ist 1.250,00 USD.",
    "CHF 1'250.00 is what our books show as open.",
    "The sum is 1,250.00USD, VAT of 19% included.",
    "You will find 1,250.00 USD in our books. We hope this helps, and if not, call us at +1 555 0100 200 before 17:30.",
    "We do not see INV-00042 yet. All in all, 1,250.00 USD is open.",
    "We have looked into it and there's 1,250.00 USD open, no more and no less.",
)

NATURAL_DATES = (
    "10 October 2025",
    "You will have a full answer by 10 October 2025.",
    "You will hear from us no later than October 10, 2025.",
    "Dear Ms. Lee, sorry that this took so long. You will have a full answer from us by 10 October 2025.",
    "We apologise that you did not hear from us. We will answer by 2025-10-10.",
    "Thank you for your mail of 3 October 2025. You will know more on 10 October 2025 at the latest.",
    "We'll get back to you on the 10th of October.",
    "Expect our answer on Friday, 10 Oct 2025.",
    "We will settle it by Oct. 10, and there is no need to call.",
    "Sie hören von uns bis 10.10.2025, and we will be in touch by then.",
    "The date agreed for giving back rooms was 10 October 2025. Rooms that you had not named have been released.",
    "We will reply by 10/10/2025.",
    "We could not settle it yet, by 10 October 2025 we will.",
    "You will have 5 business days to object, and we will settle it on 10 October 2025.",
)

HOSTILE_AMOUNTS = (
    "",
    "We are looking into it.",
    "We show 1,250.01 USD as open.",
    "We show 1,300.00 USD as open.",
    "We show 12,50.00 USD as open.",
    "We show 1,250.99USD as open.",
    "We show 1.250k USD and 1.25 USD as open.",
    "We show 125,000 USD as open.",
    "We show -1,250.00 USD as open.",
    "We show minus 1,250.00 USD as open.",
    "1,250.00 or 1,300.00 USD is open.",
    "It is one of these: 1,150.00, 1,200.00, 1,250.00, 1,300.00.",
    "1,250.00 USD is open. Or is it 12.00, 450.75 or 9,999.99?",
    "Between 1,000 and 1,250.00 USD is open.",
    "We owe 1,000-1,250.00 USD.",
    "We do not owe 1,250.00 USD.",
    "We don't owe 1,250.00 USD.",
    "We don’t owe 1,250.00 USD.",
    "We dont owe you 1,250.00 USD.",
    "We do not, under any circumstances, owe 1,250.00 USD.",
    "We do not, for now, owe 1,250.00 USD.",
    "We do not, also in the future, owe 1,250.00 USD.",
    "We do not owe Smith Inc. 1,250.00 USD.",
    "It is not true that 1,250.00 USD is open.",
    "It is not the case, as you know, that 1,250.00 USD is open.",
    "1,250.00 USD is not open.",
    "1,250.00 USD is open, which is not true.",
    "1,250.00 USD is open. This is not true.",
    "1,250.00 USD is open. Just kidding.",
    "1,250.00 USD is open. Not!",
    "The following is wrong: 1,250.00 USD is open.",
    "None of this is right: 1,250.00 USD is open.",
    "We never owed you 1,250.00 USD.",
    "Nothing is open instead of 1,250.00 USD.",
    "We will pay something rather than 1,250.00 USD.",
    "We dispute the 1,250.00 USD.",
    "We reject your claim of 1,250.00 USD.",
    "You claim that 1,250.00 USD is open.",
    "According to you 1,250.00 USD is open.",
    "Is 1,250.00 USD open?",
    "If 1,250.00 USD is open, tell us.",
    "Please tell us whether 1,250.00 USD is open.",
    "Perhaps 1,250.00 USD is open.",
    "More than 1,250.00 USD is open.",
    "Almost 1,250.00 USD is open.",
    "Everything except 1,250.00 USD is open.",
    "Not 1,250.00 USD.",
    "Is anything open? No. 1,250.00 USD.",
    "The amount is n\u200bot 1,250.00 USD.",
    "We show 1,250.00 USD as open. We do not show 1,250.00 USD as open.",
    "On invoice 1250 nothing was done.",
    "Your invoice INV-1250 is on file.",
    "The opposite is true: 1,250.00 USD is open.",
    "Please ignore what follows. 1,250.00 USD is open.",
)

HOSTILE_DATES = (
    "You will have a full answer soon.",
    "You will have a full answer by 11 October 2025.",
    "You will have a full answer by 10 October 2026.",
    "You will have a full answer by 10 November 2025.",
    "By 10 October 2025 or by 11 October 2025.",
    "By 9, 10 or 11 October 2025, i.e. 2025-10-09, 2025-10-10 or 2025-10-11.",
    "You will not have an answer by 10 October 2025.",
    "You won't have an answer by 10 October 2025.",
    "There is no way that you have an answer by 10 October 2025.",
    "You will have an answer after 10 October 2025.",
    "Will you have an answer by 10 October 2025?",
    "Thank you for your letter of 10 October 2025, our note of 11 October 2025 and our mail of 12 October 2025.",
    "You will have an answer by 10 October 2025. That is not true.",
    "The answer costs 10.10 USD.",
    "10-10",
)


@pytest.mark.parametrize("text", NATURAL_AMOUNTS)
def test_a_natural_sentence_with_the_amount_passes(text: str) -> None:
    assert states_fact(text, OPEN, MONEY, YEAR)


@pytest.mark.parametrize("text", NATURAL_DATES)
def test_a_natural_sentence_with_the_date_passes(text: str) -> None:
    assert states_fact(text, DUE, DATE, YEAR)


@pytest.mark.parametrize("text", HOSTILE_AMOUNTS)
def test_a_text_that_does_not_state_the_amount_fails(text: str) -> None:
    assert not states_fact(text, OPEN, MONEY, YEAR)


@pytest.mark.parametrize("text", HOSTILE_DATES)
def test_a_text_that_does_not_state_the_date_fails(text: str) -> None:
    assert not states_fact(text, DUE, DATE, YEAR)


# in its role, beside other facts

OPEN_AMOUNT = ("open", "amount")
NEXT_DUE = ("next", "due")

IN_ROLE = (
    ("The open amount of the loan of $1,700.00 is $1,250.00.", OPEN, MONEY, OPEN_AMOUNT),
    ("The release date agreed for your block from 2025-07-25 was 2025-06-12.", "2025-06-12", DATE, ("release",)),
    ("Twelve hundred and fifty it is.", OPEN, MONEY, OPEN_AMOUNT),
    ("One thousand two hundred and fifty dollars are open.", OPEN, MONEY, OPEN_AMOUNT),
    ("Your credit limit is 5,000.00 and 1,250.00 is open.", OPEN, MONEY, OPEN_AMOUNT),
    ("5,000.00 is your limit, and the open amount is 1,250.00.", OPEN, MONEY, OPEN_AMOUNT),
    ("The open amount of 1,250.00 comes from invoices of 800.00 and 450.00.", OPEN, MONEY, OPEN_AMOUNT),
    ("You paid 300.00 on 3 October; 1,250.00 remains open.", OPEN, MONEY, OPEN_AMOUNT),
    ("It is not 1,300.00, as you wrote, but 1,250.00 that is open.", OPEN, MONEY, OPEN_AMOUNT),
    ("Nobody has answered you, sorry. 1,250.00 is open.", OPEN, MONEY, OPEN_AMOUNT),
    ("The amount that has not been paid yet is 1,250.00.", OPEN, MONEY, OPEN_AMOUNT),
    ("The invoices which you have not paid add up: the open amount is 1,250.00.", OPEN, MONEY, OPEN_AMOUNT),
    ("The oldest instalment that has not been paid yet was due May 15.", "2025-05-15", DATE, NEXT_DUE),
    ("The oldest instalment that hasn't been paid was due on 15 May 2025.", "2025-05-15", DATE, NEXT_DUE),
    ("The oldest instalment which you have not paid yet was due on 15/05/2025.", "2025-05-15", DATE, NEXT_DUE),
    ("The oldest instalment not paid yet fell due on the fifteenth of May.", "2025-05-15", DATE, NEXT_DUE),
    ("The oldest instalment not yet settled was due May the 15th.", "2025-05-15", DATE, NEXT_DUE),
    ("The oldest unpaid instalment was due May fifteenth, 2025.", "2025-05-15", DATE, NEXT_DUE),
    ("It was due 2025/05/15.", "2025-05-15", DATE, NEXT_DUE),
    ("It was due 15-05-2025.", "2025-05-15", DATE, NEXT_DUE),
    ("It was due 15 May '25.", "2025-05-15", DATE, NEXT_DUE),
    ("It will not be later than 15 May 2025.", "2025-05-15", DATE, NEXT_DUE),
    ("Thank you for your letter of 3 May 2025. The oldest open instalment was due 15 May 2025.", "2025-05-15", DATE, NEXT_DUE),
    ("Your loan was opened on 1 March 2024; the oldest open instalment was due on 15 May 2025.", "2025-05-15", DATE, NEXT_DUE),
    ("Call us at 555-010-9674.", "(555) 010-9674", TEXT, ()),
    ("Call us at 555.010.9674, please.", "(555) 010-9674", TEXT, ()),
    ("Call us at +1 555 010 9674.", "(555) 010-9674", TEXT, ()),
    ("Write to Nancy.Moore@Example.com, please.", "nancy.moore@example.com", TEXT, ()),
    ("Please quote PO 00133.", "PO-00133", ref("order"), ()),
    ("Please quote po-00133.", "PO-00133", ref("order"), ()),
    ("Please quote PO-133; it replaces your old order PO-00120.", "PO-00133", ref("order"), ()),
)  # fmt: skip
OUT_OF_ROLE = (
    ("The release date agreed for your block from 2025-06-12 was 2025-07-25.", "2025-06-12", DATE, ("release",)),
    ("The credit limit is 1,250.00 and 5,000.00 is open.", OPEN, MONEY, OPEN_AMOUNT),
    ("1,250.00 is open. 5,000.00 is open.", OPEN, MONEY, OPEN_AMOUNT),
    ("Figures of your account: 100.00, 1,250.00, 5,000.00.", OPEN, MONEY, OPEN_AMOUNT),
    ("The open amount is 1,250.00. The open amount of the account is 5,000.00.", OPEN, MONEY, OPEN_AMOUNT),
    ("1,250.00 is open. The amount is 5,000.00.", OPEN, MONEY, OPEN_AMOUNT),
    ("Take 1,250.00 / 5,000.00 as open.", OPEN, MONEY, OPEN_AMOUNT),
    ("We confirm that you have not paid 1,250.00.", OPEN, MONEY, OPEN_AMOUNT),
    ("This is an amount that is not 1,250.00.", OPEN, MONEY, OPEN_AMOUNT),
    ("We say that we do not owe 1,250.00 and that is final.", OPEN, MONEY, OPEN_AMOUNT),
    ("The oldest instalment that has not been paid yet was not due May 15.", "2025-05-15", DATE, NEXT_DUE),
    ("It is not true that the oldest instalment was due May 15.", "2025-05-15", DATE, NEXT_DUE),
    ("The oldest instalment was never due on May 15.", "2025-05-15", DATE, NEXT_DUE),
    ("The oldest open instalment was due May 15. It was due June 15.", "2025-05-15", DATE, NEXT_DUE),
    ("Thank you for your letter of 15 May 2025. The oldest open instalment was due 3 May 2025.", "2025-05-15", DATE, NEXT_DUE),
    ("It was due May 15 or June 15 or July 15.", "2025-05-15", DATE, NEXT_DUE),
    ("Call us at 555-010-9675.", "(555) 010-9674", TEXT, ()),
    ("Do not call us at 555-010-9674.", "(555) 010-9674", TEXT, ()),
    ("Call 555-010-9674 or 555-010-9675.", "(555) 010-9674", TEXT, ()),
    ("Please quote PO-00134. PO-00133 is void, do not quote PO-00133.", "PO-00133", ref("order"), ()),
)  # fmt: skip


@pytest.mark.parametrize(("text", "fact", "kind", "role"), IN_ROLE)
def test_a_fact_may_stand_beside_others_in_any_wording(text: str, fact: Any, kind: Type, role: tuple[str, ...]) -> None:
    assert states_fact(text, fact, kind, YEAR, role)


@pytest.mark.parametrize(("text", "fact", "kind", "role"), OUT_OF_ROLE)
def test_a_fact_must_be_affirmed_in_its_role(text: str, fact: Any, kind: Type, role: tuple[str, ...]) -> None:
    assert not states_fact(text, fact, kind, YEAR, role)


# any amount, any date

amounts = st.integers(1, 10**9).map(lambda cents: cents / 100)
dates = st.integers(0, 700).map(lambda n: (date(2025, 1, 1) + timedelta(days=n)).isoformat())
AMOUNT_FORMS = ("{:,.2f}", "{:.2f}", "${:,.2f}", "USD {:,.2f}", "EUR {:.2f}", "€{:,.2f}")
SENTENCES = (
    "{}", "We show {} as open.", "Thank you, no objections; {} is open.", "We do not mind, {} is what we owe.",
    "Open: {}", "We owe you {}. Best regards, your team",
)  # fmt: skip
DENIALS = (
    "We do not owe {}.", "{} is not open.", "It isn't true that {} is open.", "We never owed {}.", "Not {}.",
    "{} is open. That is not true.", "We refuse to pay {}.", "Nobody owes {}.", "Nothing instead of {}.",
)  # fmt: skip


def long_date(day: str, form: str) -> str:
    on = date.fromisoformat(day)
    return f"{on:%d %B %Y}".lstrip("0") if form == "long" else f"{on:%B} {on.day}, {on.year}" if form == "us" else day


@settings(max_examples=examples(60), deadline=None)
@given(amounts, st.sampled_from(AMOUNT_FORMS), st.sampled_from(SENTENCES))
def test_any_amount_in_any_form_is_read(amount: float, form: str, sentence: str) -> None:
    said = form.format(amount)
    assert states_fact(sentence.format(said), amount, MONEY, YEAR)
    assert states_fact(f"{sentence.format(said)} So, once more, it is {said}.", amount, MONEY, YEAR)


@settings(max_examples=examples(60), deadline=None)
@given(amounts, amounts, st.sampled_from(AMOUNT_FORMS), st.sampled_from(SENTENCES))
def test_another_amount_and_one_more_amount_fail(amount: float, other: float, form: str, sentence: str) -> None:
    if round(amount * 100) == round(other * 100):
        other += 0.01
    assert not states_fact(sentence.format(form.format(other)), amount, MONEY, YEAR)
    stuffed = f"{form.format(other)} or {form.format(amount)}"
    assert not states_fact(sentence.format(stuffed), amount, MONEY, YEAR)
    assert not states_fact(
        f"{sentence.format(form.format(amount))} Or it is {form.format(other)}.", amount, MONEY, YEAR
    )


@settings(max_examples=examples(60), deadline=None)
@given(amounts, dates, st.sampled_from(DENIALS))
def test_whatever_is_denied_fails(amount: float, day: str, denial: str) -> None:
    assert not states_fact(denial.format(f"{amount:,.2f} USD"), amount, MONEY, YEAR)
    assert not states_fact(denial.format(long_date(day, "long")), day, DATE, YEAR)


@settings(max_examples=examples(60), deadline=None)
@given(dates, dates, st.sampled_from(("iso", "long", "us")))
def test_any_date_in_any_form_is_read_and_no_other(day: str, other: str, form: str) -> None:
    sentence = "You will have a full answer by {}, and we are sorry that nobody wrote."
    assert states_fact(sentence.format(long_date(day, form)), day, DATE, YEAR)
    if day != other:
        assert not states_fact(sentence.format(long_date(other, form)), day, DATE, YEAR)
        both = f"{long_date(day, form)} or {long_date(other, form)}"
        assert not states_fact(sentence.format(both), day, DATE, YEAR)


@given(st.text(max_size=80), st.sampled_from((MONEY, DATE, INT, TEXT)))
def test_no_text_brings_it_down(text: str, kind: Type) -> None:
    fact = {"date": DUE, "text": "paid", "int": 3}.get(kind.kind, OPEN)
    assert states_fact(text, fact, kind, YEAR) in (True, False)


# counts, words and ids


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("13 pieces are still missing.", True),
        ("Thirteen are missing.", True),
        ("We still wait for 13, please send them within 30 days.", True),
        ("12 pieces are still missing.", False),
        ("12 or 13 pieces are still missing.", False),
        ("13 pieces are not missing.", False),
        ("13.5 pieces are missing.", False),
        ("The slip says DN-13.", False),
    ],
)
def test_counts(text: str, right: bool) -> None:
    assert states_fact(text, 13, INT, YEAR) is right


@pytest.mark.parametrize(
    ("text", "fact", "kind", "right"),
    [
        ("It was cancelled.", "cancelled", Type("enum", values=("open", "cancelled")), True),
        ("It is open or cancelled.", "cancelled", Type("enum", values=("open", "cancelled")), False),
        ("It was not cancelled.", "cancelled", Type("enum", values=("open", "cancelled")), False),
        ("The bill is unpaid.", "paid", TEXT, False),
        ("The bill is paid.", "paid", TEXT, True),
        ("Please quote PO-00133.", "PO-00133", ref("order"), True),
        ("Please quote PO-00133 or PO-00134.", "PO-00133", ref("order"), False),
        ("Please quote PO-001334.", "PO-00133", ref("order"), False),
        ("Please quote PO-00133, your INV-00012 is with us.", "PO-00133", ref("order"), True),
        ("It goes to  north\ngate.", "North Gate", TEXT, True),
        ("anything", "", TEXT, False),
    ],
)
def test_words_and_ids(text: str, fact: str, kind: Type, right: bool) -> None:
    assert states_fact(text, fact, kind, YEAR) is right


def test_nothing_owed_can_be_said_in_figures_and_in_a_word() -> None:
    assert states_fact("We show 0.00 USD as open.", 0.0, MONEY, YEAR)
    assert states_fact("Your balance is zero.", 0.0, MONEY, YEAR)
    assert not states_fact("We show 10.00 USD as open.", 0.0, MONEY, YEAR)
