"""Exact numbers as scaled integers.

Money and decimals are integers of their smallest unit everywhere inside a world: in SQLite, in tools, in verifiers. The
number of places is known from the type, so arithmetic is integer arithmetic and Python and SQL cannot disagree.
"""

from __future__ import annotations

from decimal import Context, Decimal, Inexact, InvalidOperation

MONEY_PLACES = 2
MAX_SCALED = 10**15
"""The largest magnitude, in smallest units, that a tool takes as input: sums of many still fit 64 bits."""

INT64 = (1 << 63) - 1

_EXACT = Context(prec=200, traps=[InvalidOperation, Inexact])
"""Digits enough that nothing a caller can send is cut."""

HALF_UP = "half_up"
HALF_EVEN = "half_even"


def divide(numerator: int, denominator: int, mode: str) -> int | None:
    """Divide to the nearest integer; None where the denominator is zero.

    Modes: half_up (away from zero), half_even, up (away from zero), down (towards zero).
    """
    if denominator == 0:
        return None
    negative = (numerator < 0) != (denominator < 0)
    n, d = abs(numerator), abs(denominator)
    quotient, rest = divmod(n, d)
    twice = 2 * rest
    if mode == HALF_UP:
        quotient += twice >= d
    elif mode == HALF_EVEN:
        quotient += twice > d or (twice == d and quotient % 2 == 1)
    elif mode == "up":
        quotient += rest > 0
    return -quotient if negative else quotient


def parse_fixed(value: object, places: int) -> int | None:
    """A JSON number (or a Decimal) as scaled integer; None where it is no number or has too many places."""
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)):
        return None
    if isinstance(value, int):
        scaled = value * 10**places
        return scaled if abs(scaled) <= MAX_SCALED else None
    try:
        number = Decimal(repr(value)) if isinstance(value, float) else value
        if not number.is_finite() or abs(number) > MAX_SCALED:
            return None
        scaled_number = _EXACT.scaleb(number, places)
        whole = int(scaled_number)
        return whole if whole == scaled_number and abs(whole) <= MAX_SCALED else None
    except (InvalidOperation, Inexact):
        return None


def to_number(scaled: int, places: int) -> int | float:
    """Convert a scaled integer to a JSON number: 123450 at two places is 1234.5."""
    return scaled / 10**places if places else scaled


def to_text(scaled: int, places: int) -> str:
    """Format `123450` at two places as `1,234.50`."""
    sign = "-" if scaled < 0 else ""
    whole, rest = divmod(abs(scaled), 10**places)
    return f"{sign}{whole:,}" + (f".{rest:0{places}d}" if places else "")


def to_plain_text(scaled: int, places: int) -> str:
    """Format `1234500` at four places as `123.45`: no grouping, no trailing zeros."""
    sign = "-" if scaled < 0 else ""
    whole, rest = divmod(abs(scaled), 10**places)
    tail = f"{rest:0{places}d}".rstrip("0") if places else ""
    return f"{sign}{whole}" + (f".{tail}" if tail else "")
