"""Ids handed out in order."""

from __future__ import annotations

import re
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldwright.core.ids import KeyFormat, prefix_of

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


# ids that are numbers, and UUIDs

numbered = st.tuples(st.integers(100, 999), st.integers(4, 9)).map(lambda p: f"{p[0]}{'#' * p[1]}")
uuids = st.from_regex(re.compile(r"[0-9a-f]{8}-([0-9a-f]{4}-){3}", re.ASCII), fullmatch=True).map(
    lambda p: f"{p}{'#' * 12}"
)


@given(formats | numbered, st.integers(0, 10**12))
def test_what_is_made_is_known_by_its_prefix(text: str, number: int) -> None:
    key = parsed(text)
    assert key.number(key.make(number)) == number
    assert prefix_of(key.make(number)) == key.prefix


@given(numbered, st.integers(0, 10**9))
def test_numbered_ids_are_numbers_that_write_themselves_the_same(text: str, number: int) -> None:
    made = parsed(text).make(number)
    assert str(int(made)) == made


@given(uuids, st.integers(0, 10**12 - 1))
def test_uuids_are_uuids(text: str, number: int) -> None:
    key = parsed(text)
    made = key.make(number)
    assert str(UUID(made)) == made
    assert key.number(made) == number
    assert prefix_of(made) == key.prefix


@given(numbered, numbered, st.integers(0, 9999))
def test_ids_of_one_format_are_none_of_another(one: str, other: str, number: int) -> None:
    first, second = parsed(one), parsed(other)
    if first.prefix != second.prefix:
        assert second.number(first.make(number)) is None


@pytest.mark.parametrize(
    "text",
    [
        "101###",
        "101##########",
        "011####",
        "10####",
        "1010####",
        "101-####",
        "101####\n",
        "١٠١####",
        "5e0c93aa-71f2-4d0b-8c11-###########",
        "5e0c93aa-71f2-4d0b-8c11-#############",
        "5E0C93AA-71F2-4D0B-8C11-############",
        "5e0c93aa-71f2-4d0b-8c1-############",
        "5e0c93aa71f24d0b8c11############",
    ],
)
def test_what_is_no_format_of_numbers(text: str) -> None:
    assert KeyFormat.parse(text) is None


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1010412", 412),
        ("10110412", 10412),
        ("101412", None),
        ("1020412", None),
        ("101 412", None),
        ("101٠٤١٢", None),
        ("101-0412", None),
        ("", None),
    ],
)
def test_which_numbers_are_ids(text: str, number: int | None) -> None:
    assert parsed("101####").number(text) == number


@pytest.mark.parametrize(
    ("text", "prefix"),
    [
        ("PO-00412", "PO-"),
        ("PO-4", ""),
        ("po-00412", ""),
        ("1010412", "101"),
        ("101412", ""),
        ("0110412", ""),
        ("2025-06-16", ""),
        ("5e0c93aa-71f2-4d0b-8c11-000000000412", "5e0c93aa-71f2-4d0b-8c11-"),
        ("5e0c93aa-71f2-4d0b-8c11-00000000041", ""),
        ("5e0c93aa-71f2-4d0b-8c11-00000000041a", ""),
        ("5e0c93aa-71f2-4d0b-8c11-000000000412 ", ""),
        ("see PO-00412", ""),
        ("", ""),
    ],
)
def test_prefixes_of_what_may_be_an_id(text: str, prefix: str) -> None:
    assert prefix_of(text) == prefix


@given(st.text(max_size=40))
def test_a_prefix_is_how_it_begins(text: str) -> None:
    found = prefix_of(text)
    assert text.startswith(found)
    assert not found or text[len(found) :].isdigit()
