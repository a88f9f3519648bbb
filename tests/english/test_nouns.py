"""Nouns: singular, plural, article."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldwright.core.names import IDENTIFIER, to_words
from worldwright.english.nouns import article, indefinite, plural, singular
from worldwright.english.words import wordmap

names = st.from_regex(r"[a-z][a-z0-9_]{0,20}", fullmatch=True)


@pytest.mark.parametrize(
    ("one", "many"),
    [
        ("vendor", "vendors"),
        ("category", "categories"),
        ("day", "days"),
        ("copy", "copies"),
        ("box", "boxes"),
        ("address", "addresses"),
        ("batch", "batches"),
        ("dish", "dishes"),
        ("quiz", "quizes"),
        ("y", "ys"),
        ("key", "keys"),
        ("purchase_order", "purchase_orders"),
        ("line_entry", "line_entries"),
    ],
)
def test_plural(one: str, many: str) -> None:
    assert plural(one) == many


@given(names)
def test_a_plural_is_another_identifier_or_too_long(name: str) -> None:
    assert plural(name) != name
    assert IDENTIFIER.match(plural(name))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("purchase_order", "a purchase order"),
        ("invoice", "an invoice"),
        ("Expense", "an Expense"),
        ("user", "a user"),
        ("unit_price", "a unit price"),
        ("uninsured_loss", "an uninsured loss"),
        ("update", "an update"),
        ("euro", "a euro"),
        ("one_off", "a one off"),
        ("hour", "an hour"),
        ("url", "a url"),
        ("hotel", "a hotel"),
        ("onion", "an onion"),
    ],
)
def test_indefinite(name: str, said: str) -> None:
    assert indefinite(name) == said
    assert article(to_words(name)) == said


SINGULARS = wordmap(
    """
    orders=order categories=category boxes=box batches=batch dishes=dish addresses=address statuses=status buses=bus
    taxes=tax people=person children=child criteria=criterion indices=index leaves=leave shelves=shelf movies=movie
    caches=cache photos=photo videos=video topics=topic clinics=clinic areas=area schemas=schema menus=menu rmas=rma
    expenses=expense status=status business=business analysis=analysis series=series news=news goods=goods
    logistics=logistics alias=alias canvas=canvas saas=saas gas=gas access=access basis=basis Orders=order
    vendor's=vendor vendors'=vendor vendor’s=vendor
    """
)


@pytest.mark.parametrize("many", SINGULARS)
def test_singular(many: str) -> None:
    assert singular(many) == SINGULARS[many]


@given(names)
def test_a_singular_is_its_own_singular(name: str) -> None:
    once = singular(plural(name))
    assert singular(once) == once or once.endswith("s")
