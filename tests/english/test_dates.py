"""Dates in prose."""

from __future__ import annotations

import pytest

from worldwright.english.dates import find_dates, month_number


@pytest.mark.parametrize(
    ("text", "readings"),
    [
        ("on 2025-10-06.", [(2025, 10, 6)]),
        ("at 2025-10-06T09:00:00Z", [(2025, 10, 6)]),
        ("the 6th of October, 2025", [(2025, 10, 6)]),
        ("Oct. 6th", [(0, 10, 6)]),
        ("6 Sept 2025", [(2025, 9, 6)]),
        ("6.10.25", [(2025, 10, 6)]),
        ("6/10/2025", [(2025, 10, 6), (2025, 6, 10)]),
        ("13/10/2025", [(2025, 10, 13)]),
        ("10/13/2025", [(2025, 10, 13)]),
    ],
)
def test_ways_to_write_a_date(text: str, readings: list[tuple[int, int, int]]) -> None:
    (found,) = find_dates(text)
    assert list(found.readings) == readings


@pytest.mark.parametrize(
    "text", ["31 February 2025", "2025-13-01", "PO-2025-10-06", "may 2025", "version 6.10.2", "13.13.2025"]
)
def test_what_no_calendar_has(text: str) -> None:
    assert not list(find_dates(text))


def test_where_a_date_stands() -> None:
    text = "It came on 6 October 2025, late."
    (found,) = find_dates(text)
    assert text[found.start : found.end] == "6 October 2025"


def test_months_by_name() -> None:
    assert [month_number(m) for m in ("January", "sept", "DEC", "may", "foo", "")] == [1, 9, 12, 5, 0, 0]
