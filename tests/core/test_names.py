"""Names people type."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldwright.core.names import IDENTIFIER, suggest, to_words

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
    assert suggest(typed, known) == hint
    assert suggest(typed, iter(known)) == hint


@given(names, st.lists(names, max_size=8))
def test_nearest_names_only_what_is_known_and_does_not_depend_on_order(typed: str, known: list[str]) -> None:
    hint = suggest(typed, known)
    assert hint == suggest(typed, reversed(known)) == suggest(typed, set(known))
    if hint.startswith("did you mean"):
        assert hint.split("`")[1] in known
    if typed in known:
        assert hint == f"did you mean `{typed}`?"


@pytest.mark.parametrize("name", ["", "A", "1a", "_a", "a-b", "a b", "ä", "a" * 61, "a\n", "aB"])
def test_what_is_no_identifier(name: str) -> None:
    assert not IDENTIFIER.match(name)


@pytest.mark.parametrize("name", ["a", "a1", "a_b", "a" * 60])
def test_what_is_an_identifier(name: str) -> None:
    assert IDENTIFIER.match(name)


def test_words_of_a_name() -> None:
    assert to_words("purchase_order") == "purchase order"
