"""Values as people and models write them: `1,250.00`, `EUR 12`, `3 October 2025`, `yes`. What means the same reads the same."""

from __future__ import annotations

import re
from fractions import Fraction
from math import isfinite
from typing import Any

from worldwright.core import days
from worldwright.english.dates import find_dates
from worldwright.english.money import COMMON_CURRENCY_CODES

_CURRENCY = rf"(?:[$€£¥]|(?:{'|'.join(sorted(COMMON_CURRENCY_CODES))})\b)"
_NUMBER = re.compile(
    rf"\s*{_CURRENCY}?\s*(?P<sign>[-+]?)\s*{_CURRENCY}?\s*(?P<whole>\d{{1,3}}(?:,\d{{3}})+|\d+)(?P<rest>\.\d+)?\s*{_CURRENCY}?\s*\Z",
    re.I,
)
MAX_NUMBER_CHARS = 60
_FLAGS = {"true": True, "yes": True, "false": False, "no": False}
ABSENT = frozenset({"", "none", "null", "n/a", "na", "-"})
"""Words for nothing."""


def is_absent(value: Any) -> bool:
    """Tell whether a value says that there is none."""
    if value is None or value == [] or value == {}:
        return True
    return isinstance(value, str) and value.strip().casefold() in ABSENT


def unwrap(value: Any) -> Any:
    """Take the only item out of a list."""
    return value[0] if isinstance(value, (list, tuple)) and len(value) == 1 else value


def read_number(value: Any) -> Fraction | None:
    """Read a number to its last digit, as a number or as a text that is nothing else; None where it is none."""
    value = unwrap(value)
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return Fraction(value)
    if isinstance(value, float):
        return Fraction(repr(value)) if isfinite(value) else None
    if not isinstance(value, str) or len(value) > MAX_NUMBER_CHARS:
        return None
    found = _NUMBER.match(value)
    if found is None:
        return None
    number = Fraction(found["whole"].replace(",", "") + (found["rest"] or ""))
    return -number if found["sign"] == "-" else number


def read_flag(value: Any) -> bool | None:
    """Read yes or no; None where it is neither."""
    value = unwrap(value)
    if isinstance(value, bool):
        return value
    return _FLAGS.get(value.strip().casefold()) if isinstance(value, str) else None


def read_day(value: Any) -> str | None:
    """Read a date, or the date of a moment, that a text is as a whole and that can be read in one way; None where it is none."""
    value = unwrap(value)
    if not isinstance(value, str):
        return None
    text = value.strip()
    if days.parse_day(text) is not None:
        return text
    if days.parse_moment(text) is not None:
        return text[:10]
    readings = {one.readings for one in find_dates(text) if (one.start, one.end) == (0, len(text))}
    [only] = readings if len(readings) == 1 else [()]
    if len(only) != 1 or not only[0][0]:
        return None
    year, month, day = only[0]
    return f"{year:04d}-{month:02d}-{day:02d}"
