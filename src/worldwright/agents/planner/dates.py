"""Dates as people write them, read against the clock of the episode: `5 August 2025`, `Aug 5th`, `2025-08-05`, `next Friday`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta
from typing import NamedTuple

from worldwright.english.dates import MONTH, WEEKDAYS, find_dates, month_number
from worldwright.english.words import NUMBERS

_MONTH = f"({MONTH})"
_COUNT = r"(\d{1,3}|" + "|".join(NUMBERS) + r"|an?)"


class DateFound(NamedTuple):
    """A date with the place where it stands."""

    start: int
    end: int
    on: date


def parse_number(text: str) -> int:
    """Read `3`, `three` or `a` as a number."""
    low = text.lower()
    return int(low) if low.isdigit() else NUMBERS.get(low, 1)


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _resolve_year(today: date, year: int, month: int, day: int) -> date | None:
    """Choose the year of a date that names none (0): the next such day, unless one lay within the last two months."""
    if year:
        return _day(year, month, day)
    this = _day(today.year, month, day)
    if this is not None and this < today - timedelta(days=60):
        return _day(today.year + 1, month, day)
    return this


def _relative(m: re.Match[str], today: date) -> date | None:
    return today + timedelta(days={"today": 0, "tonight": 0, "tomorrow": 1, "yesterday": -1}[m[1].lower()])


def _weekday(m: re.Match[str], today: date) -> date | None:
    ahead = (WEEKDAYS.index(m[2].lower()) - today.weekday()) % 7
    return today + timedelta(days=(ahead or 7) if m[1].lower() in ("next", "this", "on") else ahead - 7)


def _read_interval(m: re.Match[str], today: date) -> date | None:
    length = parse_number(m[1]) * {"day": 1, "week": 7}[m[2].lower()]
    return today + timedelta(days=length)


def _days_ago(m: re.Match[str], today: date) -> date | None:
    return today - timedelta(days=parse_number(m[1]) * {"day": 1, "week": 7}[m[2].lower()])


_FORMS = (
    (r"\b(today|tonight|tomorrow|yesterday)\b", _relative),
    (rf"\b(next|this|on|last) ({'|'.join(WEEKDAYS)})\b", _weekday),
    (rf"\bin {_COUNT} (day|week)s?(?:' time)?\b", _read_interval),
    (rf"\b{_COUNT} (day|week)s? ago\b", _days_ago),
)
_READ = tuple((re.compile(form, re.IGNORECASE), read) for form, read in _FORMS)
_RANGE = re.compile(
    rf"\b(\d{{1,2}})(?:st|nd|rd|th)?\s*(?:-|–|to|until)\s*(\d{{1,2}})(?:st|nd|rd|th)? {_MONTH}(?: (\d{{4}}))?\b", re.I
)


def find_dates_in(text: str, today: date) -> list[DateFound]:
    """Find every date of a text, in order; places never overlap."""
    found: list[DateFound] = []
    for one in (*_find_ranges(text, today), *_find_single(text, today)):
        if all(one.end <= other.start or one.start >= other.end for other in found if other[:2] != one[:2]):
            found.append(one)
    return sorted(set(found))


def _find_ranges(text: str, today: date) -> Iterator[DateFound]:
    """Find ranges such as `5-8 August`: both days, although only one of them has a month."""
    for m in _RANGE.finditer(text):
        first, last = (_resolve_year(today, int(m[4] or 0), month_number(m[3]), int(m[n])) for n in (1, 2))
        if first is not None and last is not None and first < last:
            yield DateFound(m.start(), m.start(2), first)
            yield DateFound(m.start(2), m.end(), last)


def _find_single(text: str, today: date) -> Iterator[DateFound]:
    for one in find_dates(text):
        on = _resolve_year(today, *one.readings[0])
        if on is not None:
            yield DateFound(one.start, one.end, on)
    for form, read in _READ:
        for m in form.finditer(text):
            on = read(m, today)
            if on is not None:
                yield DateFound(m.start(), m.end(), on)


def parse_field_date(value: object) -> date | None:
    """Read a field's value as a date, where it is one: `2025-08-05`, `2025-08-05T10:00:00Z`."""
    if not isinstance(value, str) or not re.match(r"\d{4}-\d\d-\d\d", value):
        return None
    return _day(int(value[:4]), int(value[5:7]), int(value[8:10]))
