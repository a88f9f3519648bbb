"""The named pure functions of the language. The table grows only by review."""

from __future__ import annotations

import keyword
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from worldwright.blueprint.types import DATE, INT, TEXT, TIME, Type
from worldwright.core import days, fixed
from worldwright.core.names import IDENTIFIER


@dataclass(frozen=True, slots=True)
class Function:
    """One library function: `takes` names the kind of each argument."""

    takes: tuple[str, ...]
    gives: Type
    run: Callable[..., Any]
    says: str
    holidays: bool = False
    """Whether the Blueprint's holidays are passed as a last argument."""


def _lower(text: str | None) -> str | None:
    return None if text is None else text.lower()


def _length(text: str | None) -> int | None:
    return None if text is None else len(text)


def _startswith(text: str | None, prefix: str | None) -> bool:
    return text is not None and prefix is not None and text.startswith(prefix)


def _absolute(number: int | None) -> int | None:
    return None if number is None else abs(number)


FUNCTIONS: dict[str, Function] = {
    "lower": Function(("text",), TEXT, _lower, "text in lower case"),
    "len": Function(("text",), INT, _length, "number of characters"),
    "startswith": Function(("text", "text"), Type("bool"), _startswith, "whether text starts with a prefix"),
    "abs": Function(("int",), INT, _absolute, "without its sign; of any number"),
    "day": Function(("time",), DATE, days.day_of, "the day of a moment"),
    "add_days": Function(("date", "int"), DATE, days.add_days, "a day some days on (also `date + int`)"),
    "days_between": Function(("date", "date"), INT, days.days_between, "days from the first to the second"),
    "add_months": Function(("date", "int"), DATE, days.add_months, "the same day some months on"),
    "month_start": Function(("date",), DATE, days.month_start, "first day of the month"),
    "month_end": Function(("date",), DATE, days.month_end, "last day of the month"),
    "year": Function(("date",), INT, days.year_of, "the year"),
    "month": Function(("date",), INT, days.month_of, "the month, 1 to 12"),
    "weekday": Function(("date",), INT, days.weekday_of, "Monday 0 to Sunday 6"),
    "at": Function(("date", "int"), TIME, days.set_hour, "that hour of a day"),
    "add_hours": Function(("time", "int"), TIME, days.add_hours, "a moment some hours on"),
    "hours_between": Function(("time", "time"), INT, days.count_hours, "whole hours from the first to the second"),
    "add_business_days": Function(
        ("date", "int"), DATE, days.add_business_days, "a day some business days on", holidays=True
    ),
    "business_days_between": Function(
        ("date", "date"),
        INT,
        days.business_days_between,
        "business days after the first up to the second",
        holidays=True,
    ),
}

SPECIAL = frozenset(
    [
        "abs",
        "min",
        "max",
        "round",
        "round_up",
        "round_down",
        "coalesce",
        "percent_of",
        "prorate",
        "convert",
        "convert_back",
        "date",
        "money",
        "obeys",
        "sum",
        "count",
        "exists",
        "all",
        "first",
        "last",
    ]
)
"""Functions whose type follows from their arguments; the parser knows them."""

DRAWS = frozenset(
    [
        "between",
        "skewed",
        "lognormal",
        "normal",
        "chance",
        "pick",
        "any",
        "favourite",
        "digits",
        "letters",
        "text_of",
        "text_like",
    ]
)

RESERVED = (
    frozenset(FUNCTIONS)
    | SPECIAL
    | DRAWS
    | frozenset(["now", "today", "actor", "self", "none", "true", "false", "id", "time"])
)
"""Names that fields, inputs and variables may not have."""

WRITTEN = frozenset(("ww", "ctx", "bool", "done", "scene", "harness"))
"""Names that generated files use for themselves."""


def is_variable_name(name: str) -> bool:
    """Return whether something in an expression or a statement may have this name."""
    prefixed = name.startswith(("term_", "policy_"))
    return bool(IDENTIFIER.match(name)) and not (
        prefixed or keyword.iskeyword(name) or name in RESERVED or name in WRITTEN
    )


AGGREGATES = frozenset(["sum", "count", "min", "max", "exists", "all", "first", "last", "any", "favourite"])


def divide(left: int | None, right: int | None, mode: str) -> int | None:
    return None if left is None or right is None else fixed.divide(left, right, mode)
