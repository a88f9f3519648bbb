"""Dates and times in the ways that people, scripts and exports write them, in the form of ISO 8601."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from worldwright.english.dates import MONTHS, month_number

_CLOCK = (
    r"(?P<hour>\d{1,2})[:.](?P<minute>\d\d)(?:[:.](?P<second>\d\d)(?:[.,:](?P<part>\d{1,9}))?)?"
    r"\s?(?P<half>[AP]M)?\s?(?P<zone>Z|UTC|[+-]\d\d(?::?\d\d)?)?"
)
_MONTH = rf"(?P<word>{'|'.join(m[:3] for m in MONTHS)})[a-z]{{0,6}}"
_FORMS = tuple(
    re.compile(rf"\s*{form}(?:(?:T|,?\s)\s?{_CLOCK})?\s*\Z", re.IGNORECASE | re.ASCII)
    for form in (
        r"(?P<year>\d{4})(?P<sep>[-/.])(?P<month>\d{1,2})(?P=sep)(?P<day>\d{1,2})",
        rf"(?P<day>\d{{1,2}})[-/. ]{_MONTH}[-/., ]\s?(?P<year>\d{{4}})",
        rf"{_MONTH}[. ]\s?(?P<day>\d{{1,2}}),?\s(?P<year>\d{{4}})",
        r"(?P<one>\d{1,2})(?P<sep>[-/.])(?P<two>\d{1,2})(?P=sep)(?P<year>\d{4})",
        rf"(?P<day>\d{{1,2}})[-/. ]{_MONTH}[-/., ]\s?(?P<year>\d{{2}})",
        r"(?P<year>\d{4})(?P<month>\d{2})(?P<day>\d{2})",
        r"(?P<one>\d{1,2})(?P<sep>[-/.])(?P<two>\d{1,2})(?P=sep)(?P<year>\d{2})",
    )
)
SURE = 4
"""Forms that hardly anything but a date has; the others count only where a date is expected."""
MAX_CHARS = 60
_NUMBERS = ("year", "month", "day", "one", "two")
_TIME = re.compile(_CLOCK.replace("[:.]", ":") + r"\Z", re.IGNORECASE | re.ASCII)


@dataclass(frozen=True, slots=True)
class Moment:
    """A date, with a time of day where one was given."""

    day: str
    time: str = ""

    @property
    def midnight(self) -> bool:
        return not self.time.replace("0", "").replace(":", "").strip("Z+.")

    def __str__(self) -> str:
        return f"{self.day}T{self.time}" if self.time else self.day


def moment(text: str, day_first: bool | None = None, expected: bool = True) -> Moment | None:
    """A date as text says it; `4/7/1996` only where it is known which of the two is the day.

    Where no date is `expected`, only forms count that hardly anything else has."""
    if not 6 <= len(text) <= MAX_CHARS:
        return None
    for form in _FORMS if expected else _FORMS[:SURE]:
        found = form.match(text)
        if found:
            return _moment(found.groupdict(), day_first)
    return None


def _moment(parts: dict[str, str | None], day_first: bool | None) -> Moment | None:
    numbers = {name: int(text) for name, text in parts.items() if name in _NUMBERS and text}
    if "one" in numbers:
        if day_first is None and numbers["one"] != numbers["two"]:
            return None
        numbers |= dict(
            zip(("day", "month") if day_first else ("month", "day"), (numbers["one"], numbers["two"]), strict=True)
        )
    month = numbers["month"] if "month" in numbers else month_number(str(parts["word"]))
    year = numbers["year"]
    if len(parts["year"] or "") == 2:
        year += 2000 if year < 50 else 1900
    clock = _clock(parts) if parts["hour"] else ""
    try:
        return Moment(date(year, month, numbers["day"]).isoformat(), clock) if clock is not None else None
    except ValueError:
        return None


def _clock(parts: dict[str, str | None]) -> str | None:
    hour, half = int(parts["hour"] or 0), (parts["half"] or "").upper()
    if half and 1 <= hour <= 12:
        hour = hour % 12 + (12 if half == "PM" else 0)
    if hour > 23 or int(parts["minute"] or 0) > 59 or int(parts["second"] or 0) > 59:
        return None
    zone = (parts["zone"] or "").upper().replace(":", "").replace("UTC", "Z")
    zone = f"{zone[:3]}:{zone[3:] or '00'}" if len(zone) > 1 else zone
    part = parts["part"] or ""
    fraction = f".{part}" if part.strip("0") else ""
    return f"{hour:02}:{parts['minute']}:{parts['second'] or '00'}{fraction}{zone}"


def time_of_day(text: str) -> str | None:
    """`9:05 pm` as `21:05:00`."""
    found = _TIME.match(text.strip()) if len(text) <= MAX_CHARS else None
    return _clock(found.groupdict()) if found else None


def day_is_first(texts: Sequence[str]) -> tuple[bool | None, bool]:
    """Tell where the day stands in dates of two numbers and a year, and whether that is a guess.

    Only a number over twelve tells; with `/` the month usually comes first. None where no such date stands there, or they disagree.
    """
    found = [f for text in texts if len(text) <= MAX_CHARS and (f := _FORMS[3].match(text) or _FORMS[6].match(text))]
    hints = {int(f["one"]) > 12 for f in found if (int(f["one"]) > 12) != (int(f["two"]) > 12)}
    if hints or not found:
        return (hints.pop() if len(hints) == 1 else None), False
    return found[0]["sep"] != "/", any(f["one"] != f["two"] for f in found)
