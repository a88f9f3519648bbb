"""Days and moments as ISO text.

`2025-06-16` and `2025-06-16T09:00:00Z` sort as they read, so comparing them is comparing text, in Python and in SQL.
Every function is total: what is not a day gives none.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Collection
from datetime import date, datetime, timedelta

DAY = re.compile(r"\d{4}-\d{2}-\d{2}\Z")
MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z\Z")


def parse_day(text: object) -> date | None:
    if not isinstance(text, str) or not DAY.match(text):
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def parse_moment(text: object) -> datetime | None:
    """The moment, in UTC."""
    if not isinstance(text, str) or not MOMENT.match(text):
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def moment(at: datetime) -> str:
    """A moment as text; what has no zone is in UTC."""
    return (at if at.tzinfo is None else at.replace(tzinfo=None)).isoformat(timespec="seconds") + "Z"


def day_of(text: str | None) -> str | None:
    """The day of a moment; a day is its own."""
    return text[:10] if text is not None and parse_day(text[:10]) else None


def add_days(text: str | None, n: int | None) -> str | None:
    d = parse_day(text)
    if d is None or n is None:
        return None
    try:
        return (d + timedelta(days=n)).isoformat()
    except OverflowError:
        return None


def days_between(earlier: str | None, later: str | None) -> int | None:
    a, b = parse_day(earlier), parse_day(later)
    return None if a is None or b is None else (b - a).days


def add_months(text: str | None, n: int | None) -> str | None:
    """The same day n months on, or the last day of that month."""
    d = parse_day(text)
    if d is None or n is None:
        return None
    months = d.year * 12 + d.month - 1 + n
    y, m = divmod(months, 12)
    if not 1 <= y <= 9999:
        return None
    return date(y, m + 1, min(d.day, monthrange(y, m + 1)[1])).isoformat()


def month_start(text: str | None) -> str | None:
    d = parse_day(text)
    return None if d is None else d.replace(day=1).isoformat()


def month_end(text: str | None) -> str | None:
    d = parse_day(text)
    return None if d is None else d.replace(day=monthrange(d.year, d.month)[1]).isoformat()


def year_of(text: str | None) -> int | None:
    d = parse_day(text)
    return None if d is None else d.year


def month_of(text: str | None) -> int | None:
    d = parse_day(text)
    return None if d is None else d.month


def weekday_of(text: str | None) -> int | None:
    """Monday is 0."""
    d = parse_day(text)
    return None if d is None else d.weekday()


def set_hour(text: str | None, hour: int | None) -> str | None:
    d = parse_day(text)
    return None if d is None or hour is None or not 0 <= hour < 24 else f"{d.isoformat()}T{hour:02d}:00:00Z"


def add_seconds(text: str | None, n: int | None) -> str | None:
    t = parse_moment(text)
    if t is None or n is None:
        return None
    try:
        return moment(t + timedelta(seconds=n))
    except OverflowError:
        return None


def add_hours(text: str | None, n: int | None) -> str | None:
    return None if n is None else add_seconds(text, n * 3600)


def count_hours(earlier: str | None, later: str | None) -> int | None:
    """Count the whole hours from one moment to another, cut towards zero."""
    a, b = parse_moment(earlier), parse_moment(later)
    if a is None or b is None:
        return None
    seconds = int((b - a).total_seconds())
    return seconds // 3600 if seconds >= 0 else -(-seconds // 3600)


def is_business_day(text: str, holidays: Collection[str]) -> bool:
    d = parse_day(text)
    return d is not None and d.weekday() < 5 and text not in holidays


def add_business_days(text: str | None, n: int | None, holidays: Collection[str]) -> str | None:
    """The n-th business day after (before, for negative n) a day; n of 0 is the day itself. At most 5,000."""
    d = parse_day(text)
    if d is None or n is None or abs(n) > 5000:
        return None
    step, left = (1 if n > 0 else -1), abs(n)
    try:
        while left:
            d += timedelta(days=step)
            left -= is_business_day(d.isoformat(), holidays)
    except OverflowError:
        return None
    return d.isoformat()


def business_days_between(earlier: str | None, later: str | None, holidays: Collection[str]) -> int | None:
    """Business days after the first day up to and including the second; negative the other way round."""
    a, b = parse_day(earlier), parse_day(later)
    if a is None or b is None:
        return None
    if b < a:
        swapped = business_days_between(later, earlier, holidays)
        return None if swapped is None else -swapped
    days = (b - a).days
    weeks, rest = divmod(days, 7)
    count = weeks * 5 + sum(1 for i in range(1, rest + 1) if (a + timedelta(days=weeks * 7 + i)).weekday() < 5)
    low, high = a.isoformat(), b.isoformat()
    return count - sum(1 for h in holidays if low < h <= high and is_business_day(h, ()))
