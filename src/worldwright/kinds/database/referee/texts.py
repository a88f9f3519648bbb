"""Whether a text states a fact: as the referee reads it, the fact stands in it in some form that people write."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from typing import Any

from worldwright.blueprint.types import Type
from worldwright.core.days import parse_day
from worldwright.english.dates import find_dates

_NUMBER = re.compile(r"\d[\d,.' ]*\d|\d")


def states(text: str, fact: Any, kind: Type) -> bool:
    """Return whether a fact stands in a text. Whether the text denies it, or says more than it should, is not looked at."""
    if fact is None:
        return False
    if kind.kind == "date":
        day = parse_day(fact)
        return day is not None and any(
            (month, number) == (day.month, day.day) and year in (0, day.year)
            for found in find_dates(text)
            for year, month, number in found.readings
        )
    if kind.numeric:
        return any(number == Decimal(str(fact)) for number in _list_numbers(text))
    return " ".join(str(fact).split()).casefold() in " ".join(text.split()).casefold()


def _list_numbers(text: str) -> list[Decimal]:
    out = []
    for found in _NUMBER.findall(text):
        for thousands, point in ((",", "."), (".", ","), ("'", "."), (" ", ".")):
            try:
                out.append(Decimal(found.replace(thousands, "").replace(point, ".")))
            except InvalidOperation:
                continue
    return out
