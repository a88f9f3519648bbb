"""Dates and times as people write them, in the form of ISO 8601."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from worldwright.english.dates import month_number

_ISO = re.compile(r"(\d{4})-(\d\d)-(\d\d)\Z", re.ASCII)
_CLOCK = r"(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s?([AaPp][Mm])?\s?(Z|UTC|[+-]\d\d:?\d\d)?"
_TIME = re.compile(_CLOCK + r"\Z", re.ASCII)
_SPLIT = re.compile(r"(\S{6,11})(?:[T ]|, )(" + _CLOCK + r")\Z", re.ASCII)
_NUMBERS = re.compile(r"(\d{1,4})([./-])(\d{1,2})\2(\d{1,4})\Z", re.ASCII)
_WORDS = re.compile(r"(?:(\d{1,2})[ -]([A-Za-z]{3,9})[ -](\d{4})|([A-Za-z]{3,9}) (\d{1,2}), (\d{4}))\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class Style:
    """One way to write a date."""

    name: str
    iso: Callable[[str], str | None]
    """The date as `2024-01-31`, or None where it is not written in this way."""


def _day(year: int, month: int, day: int) -> str | None:
    try:
        return dt.date(year, month, day).isoformat() if year >= 1000 else None
    except ValueError:
        return None


def _iso(text: str) -> str | None:
    found = _ISO.match(text)
    return _day(int(found[1]), int(found[2]), int(found[3])) if found else None


def _numbers(order: str) -> Callable[[str], str | None]:
    def iso(text: str) -> str | None:
        found = _NUMBERS.match(text)
        if not found:
            return None
        by = dict(zip(order, (found[1], found[3], found[4]), strict=True))
        return _day(int(by["y"]), int(by["m"]), int(by["d"])) if len(by["y"]) == 4 else None

    return iso


def _words(text: str) -> str | None:
    found = _WORDS.match(text)
    if not found:
        return None
    day, month, year = (found[1], found[2], found[3]) if found[1] else (found[5], found[4], found[6])
    return _day(int(year), month_number(month), int(day))


DATES = (
    Style("iso", _iso),
    Style("year first", _numbers("ymd")),
    Style("day first", _numbers("dmy")),
    Style("month first", _numbers("mdy")),
    Style("words", _words),
)


def date_style(texts: Iterable[str]) -> tuple[Style | None, bool]:
    """The first style that all of the texts are written in, and whether another one would do as well."""
    values = list(texts)
    fitting = [s for s in DATES if all(s.iso(v) is not None for v in values)] if values else []
    if not fitting:
        return None, False
    both = {s.name for s in fitting} >= {"day first", "month first"}
    if both and "/" in values[0]:
        return DATES[3], True
    return fitting[0], both


def time(text: str) -> str | None:
    """`9:05 pm` as `21:05:00`."""
    found = _TIME.match(text)
    return _clock(found, 1) if found else None


def _clock(found: re.Match[str], first: int) -> str | None:
    hour, minute, second, part, half, zone = (found[first + i] for i in range(6))
    hours = int(hour)
    if half:
        if not 1 <= hours <= 12:
            return None
        hours = hours % 12 + (12 if half.lower() == "pm" else 0)
    if hours > 23 or int(minute) > 59 or int(second or 0) > 59:
        return None
    zone = "Z" if zone in ("Z", "UTC") else f"{zone[:3]}:{zone[-2:]}" if zone else ""
    return f"{hours:02}:{minute}:{second or '00'}{'.' + part if part else ''}{zone}"


def moment(text: str, style: Style) -> str | None:
    """`31.01.2024 9:05` as `2024-01-31T09:05:00`."""
    found = _SPLIT.match(text)
    if not found:
        return None
    day, clock = style.iso(found[1]), _clock(found, 3)
    return f"{day}T{clock}" if day and clock else None


def moment_style(texts: Iterable[str]) -> tuple[Style | None, bool]:
    """The style of the dates in texts that hold a date and a time."""
    halves = [_SPLIT.match(t) for t in texts]
    found = [h for h in halves if h and _clock(h, 3)]
    return date_style(h[1] for h in found) if len(found) == len(halves) else (None, False)
