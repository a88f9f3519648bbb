"""Names people type."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldwright.core.names import IDENTIFIER, article, indefinite, nearest, plural, words

names = st.from_regex(r"[a-z][a-z0-9_]{0,20}", fullmatch=True)


@pytest.mark.parametrize(
    ("typed", "known", "hint"),
    [
        ("vender", ["vendor", "order"], "did you mean `vendor`?"),
        ("statsu", ["state", "status"], "did you mean `status`?"),
        ("xyz", ["vendor", "order"], "known: order, vendor"),
        ("xyz", [], ""),
        ("zzzz", [f"n{i:02d}" for i in range(20)], "known: " + ", ".join(f"n{i:02d}" for i in range(12)) + ", ..."),
    ],
)
def test_nearest(typed: str, known: list[str], hint: str) -> None:
    assert nearest(typed, known) == hint
    assert nearest(typed, iter(known)) == hint


@given(names, st.lists(names, max_size=8))
def test_nearest_names_only_what_is_known_and_does_not_depend_on_order(typed: str, known: list[str]) -> None:
    hint = nearest(typed, known)
    assert hint == nearest(typed, reversed(known)) == nearest(typed, set(known))
    if hint.startswith("did you mean"):
        assert hint.split("`")[1] in known
    if typed in known:
        assert hint == f"did you mean `{typed}`?"


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
    assert article(words(name)) == said


@pytest.mark.parametrize("name", ["", "A", "1a", "_a", "a-b", "a b", "ä", "a" * 61, "a\n", "aB"])
def test_what_is_no_identifier(name: str) -> None:
    assert not IDENTIFIER.match(name)


@pytest.mark.parametrize("name", ["a", "a1", "a_b", "a" * 60])
def test_what_is_an_identifier(name: str) -> None:
    assert IDENTIFIER.match(name)
