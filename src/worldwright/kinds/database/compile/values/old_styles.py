"""Values as an older system wrote them."""

from __future__ import annotations

from datetime import date

LEGACY_STYLES: tuple[str, ...] = ("DD.MM.YY", "MM/DD/YYYY", "UPPER", "no_spaces", "prefix:")
"""What the mess layer `legacy_format` knows; after `prefix:` comes the text to put in front."""


def legacy(value: str, style: str) -> str:
    """The value in an old style. The date styles take an ISO date or time, of which they keep the day.

    ValueError for a style that is not known, and for a date style on what is not a date.
    """
    prefix = style.removeprefix("prefix:")
    if prefix and prefix != style:
        return prefix + value
    match style:
        case "DD.MM.YY":
            day = _day(value)
            return f"{day.day:02}.{day.month:02}.{day.year % 100:02}"
        case "MM/DD/YYYY":
            day = _day(value)
            return f"{day.month:02}/{day.day:02}/{day.year:04}"
        case "UPPER":
            return value.upper()
        case "no_spaces":
            return "".join(value.split())
    known = ", ".join(LEGACY_STYLES[:-1]) + ", prefix:TEXT"
    raise ValueError(f"unknown legacy style {style!r}; known: {known}")


def _day(value: str) -> date:
    day = value[:10]
    if day[4:5] == "-" and day[7:8] == "-" and value[10:11] in ("", "T", " "):
        try:
            return date.fromisoformat(day)
        except ValueError:
            pass
    raise ValueError(f"{value!r} is not an ISO date or time")
