"""Ids handed out in order."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldwright.core.ids import KeyFormat

formats = st.from_regex(re.compile(r"[A-Z][A-Z0-9]{0,11}-#{2,9}", re.ASCII), fullmatch=True)


def parsed(text: str) -> KeyFormat:
    found = KeyFormat.parse(text)
    assert found is not None
    return found


@given(formats, st.integers(0, 10**12))
def test_a_number_is_found_again_in_its_id(text: str, number: int) -> None:
    key = parsed(text)
    made = key.make(number)
    assert key.number(made) == number
    assert len(made) >= len(text)
    assert made.startswith(key.prefix)


@given(formats, st.integers(0, 10**9), st.integers(0, 10**9))
def test_ids_with_the_same_length_sort_by_number(text: str, first: int, second: int) -> None:
    one, other = parsed(text).make(first), parsed(text).make(second)
    if len(one) == len(other):
        assert (one < other) == (first < second)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "PO",
        "PO-",
        "PO-#",
        "PO-##########",
        "po-####",
        "1PO-###",
        "PO####",
        "PO-###x",
        "PO-###\n",
        "ABCDEFGHIJKLM-##",
        "PÖ-##",
    ],
)
def test_what_is_no_format(text: str) -> None:
    assert KeyFormat.parse(text) is None


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("PO-00412", 412),
        ("PO-123456", 123456),
        ("PO-00000", 0),
        ("PO-0412", None),
        ("PO-", None),
        ("", None),
        ("QO-00412", None),
        ("PO-0041x", None),
        ("PO-٠٠٤١٢", None),
        ("PO--0412", None),
        ("PO-+0412", None),
        ("po-00412", None),
        ("PO-00412 ", None),
    ],
)
def test_which_ids_have_a_number(text: str, number: int | None) -> None:
    assert parsed("PO-#####").number(text) == number


@given(st.text(max_size=20))
def test_numbers_of_anything(text: str) -> None:
    key = parsed("PO-##")
    found = key.number(text)
    assert found is None or int(text.removeprefix("PO-")) == found
