"""Dates and times, in the ways that scripts and exports write them, as ISO text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from worldwright.english.dates import MONTHS, month_number

_TIME = (
    r"(?P<hour>\d{1,2})[:.](?P<minute>\d{2})(?:[:.](?P<second>\d{2})(?:[.,:](?P<part>\d{1,9}))?)?"
    r"\s?(?P<half>[AP]M)?\s?(?P<zone>Z|[+-]\d{2}(?::?\d{2})?)?"
)
_WORD = rf"(?P<word>{'|'.join(m[:3] for m in MONTHS)})[a-z]{{0,6}}"
_FORMS = tuple(
    re.compile(rf"\s*{form}(?:[T\s]\s?{_TIME})?\s*$", re.IGNORECASE)
    for form in (
        r"(?P<year>\d{4})(?P<sep>[-/.])(?P<month>\d{1,2})(?P=sep)(?P<day>\d{1,2})",
        r"(?P<year>\d{4})(?P<month>\d{2})(?P<day>\d{2})",
        rf"(?P<day>\d{{1,2}})[-/. ]{_WORD}[-/., ]\s?(?P<year>\d{{4}}|\d{{2}})",
        rf"{_WORD}[. ]\s?(?P<day>\d{{1,2}}),?\s(?P<year>\d{{4}})",
        r"(?P<one>\d{1,2})(?P<sep>[-/.])(?P<two>\d{1,2})(?P=sep)(?P<year>\d{4}|\d{2})",
    )
)
_ONLY_TIME = re.compile(rf"\s*{_TIME}\s*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Moment:
    """A date, with a time of day where one was given."""

    day: str
    time: str = ""

    @property
    def midnight(self) -> bool:
        return not self.time.replace("0", "").replace(":", "").strip("Z+.")


def moment(text: str, day_first: bool | None = None) -> Moment | None:
    """A date as text says it; `4/7/1996` only where it is known which of the two is the day."""
    if len(text) > 60:
        return None
    for form in _FORMS:
        found = form.match(text)
        if found:
            parts = found.groupdict()
            month, day = _month_and_day(parts, day_first)
            try:
                when = date(_year(parts["year"]), month, day)
            except ValueError:
                return None
            return Moment(when.isoformat(), _time(parts) if parts["hour"] else "")
    return None


def time_of_day(text: str) -> str | None:
    """`9:05` as `09:05:00`."""
    found = _ONLY_TIME.match(text) if len(text) < 40 else None
    return _time(found.groupdict()) if found else None


def day_is_first(text: str) -> bool | None:
    """What one written date says about where its day stands: only numbers over twelve tell."""
    found = _FORMS[-1].match(text) if len(text) <= 60 else None
    if not found:
        return None
    one, two = int(found["one"]), int(found["two"])
    return None if (one > 12) == (two > 12) else one > 12


def _month_and_day(parts: dict[str, str | None], day_first: bool | None) -> tuple[int, int]:
    """Month 0, which no calendar has, where it cannot be told."""
    if parts.get("word"):
        return month_number(str(parts["word"])), int(parts["day"] or 0)
    if parts.get("month"):
        return int(parts["month"] or 0), int(parts["day"] or 0)
    one, two = int(parts["one"] or 0), int(parts["two"] or 0)
    if day_first is None and one == two:
        return one, two
    if day_first is None:
        return 0, 0
    return (two, one) if day_first else (one, two)


def _year(text: str | None) -> int:
    year = int(text or 0)
    return year if len(text or "") == 4 else year + (2000 if year < 50 else 1900)


def _time(parts: dict[str, str | None]) -> str:
    hour = int(parts["hour"] or 0)
    half = (parts["half"] or "").upper()
    if half and hour <= 12:
        hour = hour % 12 + (12 if half == "PM" else 0)
    part = (parts["part"] or "").rstrip("0")
    zone = (parts["zone"] or "").upper().replace(":", "")
    zone = f"{zone[:3]}:{zone[3:] or '00'}" if len(zone) > 1 else zone
    return f"{hour:02}:{parts['minute']}:{parts['second'] or '00'}{'.' + part if part else ''}{zone}"
