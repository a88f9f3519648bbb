"""Dates in prose: `2025-10-06`, `6 October 2025`, `Oct 6th`, `6.10.2025`, and `6/10/2025`, which may also be 10 June."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december",
)  # fmt: skip
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MONTH = "|".join((*MONTHS, *(rf"{m[:3]}\.?" for m in MONTHS if m != "may"), r"sept\.?"))
"""A pattern for the name of a month, whole or short; to be used without regard to case."""
DATE_FORMS = (
    re.compile(r"(?<![\w-])(?P<y>\d{4})-(?P<m>\d{2})-(?P<d>\d{2})(?:T[\d:]+Z?)?(?![\w-])"),
    re.compile(
        rf"(?<![\w.])(?P<d>\d{{1,2}})(?:st|nd|rd|th|\.)?[ -](?:of )?(?P<m>{MONTH})(?:,?[ -](?P<y>\d{{4}}))?(?!\w)", re.I
    ),
    re.compile(rf"(?<!\w)(?P<m>{MONTH}) (?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?:,? (?P<y>\d{{4}}))?(?![\w,.]*\d)", re.I),
    re.compile(r"(?<![\w./-])(?P<d>\d{1,2})\.(?P<m>\d{1,2})\.(?P<y>\d{4}|\d{2})(?![\w/-])"),
    re.compile(r"(?<![\w./-])(?P<d>\d{1,2})/(?P<m>\d{1,2})/(?P<y>\d{4}|\d{2})(?![\w/-])"),
)
_EITHER_WAY = DATE_FORMS[-1]


@dataclass(frozen=True, slots=True)
class WrittenDate:
    """A date that stands in a text, with the ways to read it."""

    start: int
    end: int
    readings: tuple[tuple[int, int, int], ...]
    """(year, month, day); year 0 where none is said. Where people differ in how to read it, the day first comes first."""


def month_number(name: str) -> int:
    """Return the number of a month by its name or the first three letters of it; 0 where it is none."""
    start = name[:3].lower()
    return next((number for number, month in enumerate(MONTHS, 1) if month.startswith(start)), 0) if start else 0


def find_dates(text: str) -> Iterator[WrittenDate]:
    """Yield every date that a calendar has, form by form; the same place may be read by more than one form."""
    for form in DATE_FORMS:
        for m in form.finditer(text):
            month = int(m["m"]) if m["m"].isdigit() else month_number(m["m"])
            readings = [_reading(m["y"], month, int(m["d"]))]
            if form is _EITHER_WAY:
                readings.append(_reading(m["y"], int(m["d"]), month))
            right = tuple(dict.fromkeys(r for r in readings if r is not None))
            if right:
                yield WrittenDate(m.start(), m.end(), right)


def _reading(year: str | None, month: int, day: int) -> tuple[int, int, int] | None:
    y = int(year) + (2000 if len(year) == 2 else 0) if year else 0
    try:
        date(y or 2024, month, day)
    except ValueError:
        return None
    return y, month, day
