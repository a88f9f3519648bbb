"""Stems: what is one word, and what is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldwright.english.stems import stem, stems, stemset


@pytest.mark.parametrize(
    "family",
    [
        "cancel cancels cancelled canceled cancelling cancellation cancellations",
        "order orders ordered ordering",
        "approve approves approved approving approval approvals approver",
        "authorise authorize authorised authorisation authorization authorizations",
        "verify verifies verified verification",
        "pay pays paid paying payment payments",
        "ship ships shipped shipping shipment",
        "deliver delivered delivery deliveries",
        "decide decided decision decisions",
        "apply applied applies application applications",
        "withdraw withdrew withdrawn withdrawal",
        "expire expired expiry expiration",
        "refuse refused refusal",
        "book books booked booking",
        "category categories",
        "centre center centers",
        "instalment instalments installment installments",
        "Vendor vendor's vendors",
    ],
)
def test_forms_of_one_word_have_one_stem(family: str) -> None:
    assert len(stems(family.split())) == 1, {word: stem(word) for word in family.split()}


@pytest.mark.parametrize(
    "pair",
    [
        "customer custom", "customs custom", "department depart", "instalment install", "important import", "author authorise",
        "authority author", "engineer engine", "hospital hospitality", "business busy", "general generate", "policy police",
        "university universal", "final finalise", "goods good",
    ],
)  # fmt: skip
def test_words_that_only_look_alike_stay_apart(pair: str) -> None:
    one, other = pair.split()
    assert stem(one) != stem(other)


def test_the_library_cuts_as_it_did() -> None:
    """Derived Blueprints follow these: a new release that cuts otherwise has to be seen."""
    words = (
        "approval cancellation reservation department settlement running generally notification organisation hopping"
    )
    assert [stem(w) for w in words.split()] == [
        "approv", "cancel", "reserv", "department", "settlement", "run", "general", "notif", "organiz", "hop",
    ]  # fmt: skip


@given(st.text(max_size=30))
def test_every_text_has_a_stem_whatever_its_case(text: str) -> None:
    if text.isascii():
        assert stem(text) == stem(text.upper())
    assert len(stem(text)) <= 2 * len(text) + 4


def test_words_of_other_scripts_stay_as_they_are() -> None:
    assert stem("Größe") == "größe"
    assert stem("注文") == "注文"
    assert stem("") == ""
    assert stem("2024") == "2024"


def test_a_list_as_one_text() -> None:
    assert stemset("approved approval reject") == {stem("approve"), stem("reject")}
