"""Days and moments: against the calendar and naive loops, and total on anything."""

from __future__ import annotations

import calendar
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldwright.core import days

HOLIDAYS = frozenset({"2025-01-01", "2025-05-01", "2025-05-03", "2025-12-25", "2025-12-26"})

dates = st.dates(date(1900, 1, 1), date(2200, 12, 31))
near = st.dates(date(2024, 11, 1), date(2026, 2, 28))
moments = st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30)).map(lambda t: t.replace(microsecond=0))
holidays = st.frozensets(near.map(date.isoformat), max_size=6) | st.just(HOLIDAYS)
digits = st.sampled_from("0123456789-:TZ٣２५ ")
garbage = (
    st.none()
    | st.text(max_size=25)
    | st.text(digits, min_size=8, max_size=21)
    | st.sampled_from(
        [
            "",
            "2025-02-30",
            "2025-13-01",
            "0000-01-01",
            "2025-1-1",
            "16.06.25",
            "2025-06-16 ",
            "2025-06-16\n",
            "2025-06-16T09:00",
            "2025-06-16T24:00:00Z",
            "2025-06-16T09:00:60Z",
            "2025-06-16T09:00:00z",
            "9999-12-31",
            "0001-01-01",
            "9999-12-31T23:59:59Z",
            "0001-01-01T00:00:00Z",
            "２０２５-０６-１６",
            "2025-06-16T０９:00:00Z",
        ]
    )
)


def text_of(t: datetime) -> str:
    return f"{t.year:04d}-{t.month:02d}-{t.day:02d}T{t.hour:02d}:{t.minute:02d}:{t.second:02d}Z"


def naive_business(on: date, off: frozenset[str]) -> bool:
    return on.weekday() not in (5, 6) and on.isoformat() not in off


@given(dates, st.integers(-3000, 3000))
def test_add_days_and_days_between_are_inverse(on: date, n: int) -> None:
    later = days.add_days(on.isoformat(), n)
    assert later == (on + timedelta(days=n)).isoformat()
    assert days.days_between(on.isoformat(), later) == n


@given(dates, st.integers(-1500, 1500))
def test_add_months_keeps_the_day_or_takes_the_last_one(on: date, n: int) -> None:
    found = days.parse_day(days.add_months(on.isoformat(), n))
    assert found is not None
    assert found.year * 12 + found.month == on.year * 12 + on.month + n
    assert found.day == min(on.day, calendar.monthrange(found.year, found.month)[1])


@pytest.mark.parametrize(
    ("on", "n", "wanted"),
    [
        ("2025-01-31", 1, "2025-02-28"),
        ("2024-01-31", 1, "2024-02-29"),
        ("2025-03-31", -1, "2025-02-28"),
        ("2025-12-15", 1, "2026-01-15"),
        ("2025-01-15", -1, "2024-12-15"),
        ("2024-02-29", 12, "2025-02-28"),
        ("2025-06-16", 0, "2025-06-16"),
        ("9999-12-01", 1, None),
        ("0001-01-01", -1, None),
        ("2025-06-16", 10**30, None),
    ],
)
def test_add_months_at_its_edges(on: str, n: int, wanted: str | None) -> None:
    assert days.add_months(on, n) == wanted


@given(near, st.integers(-150, 150), holidays)
def test_add_business_days_is_the_naive_loop(on: date, n: int, off: frozenset[str]) -> None:
    here, left = on, abs(n)
    while left:
        here += timedelta(days=1 if n > 0 else -1)
        left -= naive_business(here, off)
    assert days.add_business_days(on.isoformat(), n, off) == here.isoformat()


@given(near, near, holidays)
def test_business_days_between_is_the_naive_loop(first: date, second: date, off: frozenset[str]) -> None:
    low, high = min(first, second), max(first, second)
    count = sum(naive_business(low + timedelta(days=i), off) for i in range(1, (high - low).days + 1))
    found = days.business_days_between(first.isoformat(), second.isoformat(), off)
    assert found == (count if first <= second else -count)


@given(near, st.integers(0, 100), holidays)
def test_business_days_added_are_business_days_counted(on: date, n: int, off: frozenset[str]) -> None:
    later = days.add_business_days(on.isoformat(), n, off)
    assert later is not None
    assert days.business_days_between(on.isoformat(), later, off) == n


@given(near, holidays)
def test_is_business_day(on: date, off: frozenset[str]) -> None:
    assert days.is_business_day(on.isoformat(), off) == naive_business(on, off)


def test_business_days_at_the_edges() -> None:
    assert days.add_business_days("2025-06-14", 0, ()) == "2025-06-14", "no step, even from a Saturday"
    assert days.add_business_days("2025-06-16", 5001, ()) is None
    assert days.add_business_days("9999-12-30", 10, ()) is None
    assert days.add_business_days("0001-01-02", -10, ()) is None


@given(dates)
def test_parts_of_a_day(on: date) -> None:
    text = on.isoformat()
    assert (days.year_of(text), days.month_of(text), days.weekday_of(text)) == (on.year, on.month, on.weekday())
    assert days.month_start(text) == on.replace(day=1).isoformat()
    end = days.parse_day(days.month_end(text))
    assert end is not None
    assert (end + timedelta(days=1)).day == 1
    assert (end.year, end.month) == (on.year, on.month)


@given(moments, st.integers(-50_000, 50_000))
def test_hours_move_a_moment(at: datetime, n: int) -> None:
    found = days.add_hours(text_of(at), n)
    try:
        wanted = at + timedelta(hours=n)
    except OverflowError:
        assert found is None
        return
    assert found == text_of(wanted)
    assert days.count_hours(text_of(at), found) == n


@given(moments, moments)
def test_hours_between_are_cut_towards_zero(first: datetime, second: datetime) -> None:
    found = days.count_hours(text_of(first), text_of(second))
    assert found == int((second - first) / timedelta(hours=1))
    assert found == -(days.count_hours(text_of(second), text_of(first)) or 0)


@given(moments)
def test_a_moment_is_written_as_it_is_read(at: datetime) -> None:
    text = text_of(at)
    assert days.moment(at.replace(tzinfo=UTC)) == text
    assert days.parse_moment(text) == at.replace(tzinfo=UTC)
    assert days.day_of(text) == at.date().isoformat()


@given(moments, moments)
def test_text_order_is_the_order_of_time(first: datetime, second: datetime) -> None:
    assert (text_of(first) < text_of(second)) == (first < second)


@given(dates, st.integers(-3, 27))
def test_at_an_hour_of_a_day(on: date, hour: int) -> None:
    found = days.set_hour(on.isoformat(), hour)
    assert found == (f"{on.isoformat()}T{hour:02d}:00:00Z" if 0 <= hour < 24 else None)


@given(garbage)
def test_only_the_one_way_of_writing_is_read(text: str | None) -> None:
    """What is read is written back as it was, so that comparing text stays comparing time."""
    day, moment = days.parse_day(text), days.parse_moment(text)
    assert day is None or day.isoformat() == text
    assert moment is None or days.moment(moment) == text


@pytest.mark.parametrize(
    "text", ["2025-06-16T０９:00:00Z", "٢٠٢٥-06-16T09:00:00Z", "２０２５-０６-１６", "2025-06-1６"]
)
def test_digits_of_other_scripts_are_no_date(text: str) -> None:
    assert days.parse_day(text) is None
    assert days.parse_moment(text) is None


ONE = (days.month_start, days.month_end, days.year_of, days.month_of, days.weekday_of, days.day_of)
WITH_NUMBER = (days.add_days, days.add_months, days.add_hours, days.add_seconds, days.set_hour)
WITH_OTHER = (days.days_between, days.count_hours)
numbers = st.none() | st.integers() | st.integers(-9, 9)


@pytest.mark.parametrize("function", ONE)
@given(text=garbage)
def test_functions_of_a_day_are_total(function: Callable[[Any], Any], text: str | None) -> None:
    found = function(text)
    if text is None or (days.parse_day(text) is None and days.parse_moment(text) is None and days.day_of(text) is None):
        assert found is None


@pytest.mark.parametrize("function", WITH_NUMBER)
@given(text=garbage, n=numbers)
def test_functions_of_a_day_and_a_number_are_total(
    function: Callable[..., Any], text: str | None, n: int | None
) -> None:
    found = function(text, n)
    assert found is None or isinstance(found, str)
    if text is None or n is None:
        assert found is None


@pytest.mark.parametrize("function", WITH_OTHER)
@given(first=garbage, second=garbage)
def test_functions_of_two_days_are_total(function: Callable[..., Any], first: str | None, second: str | None) -> None:
    assert isinstance(function(first, second), int | None)


@given(garbage, garbage, st.none() | st.integers(-50, 50), st.frozensets(st.text(max_size=12), max_size=3))
def test_business_days_are_total(first: str | None, second: str | None, n: int | None, off: frozenset[str]) -> None:
    added, between = days.add_business_days(first, n, off), days.business_days_between(first, second, off)
    assert (added is None) or (days.parse_day(first) is not None and n is not None)
    assert (between is not None) == (days.parse_day(first) is not None and days.parse_day(second) is not None)
