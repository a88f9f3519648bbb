"""Comparing answers by what they are: numbers with a stated tolerance, dates as dates, sets as sets, words as words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import isfinite
from typing import Any
from unicodedata import normalize

from worldwright.blueprint.types import Type
from worldwright.core import days
from worldwright.core.ids import prefix_of
from worldwright.core.names import IDENTIFIER


def is_same(expected: Any, found: Any, kind: Type) -> bool:
    """Return whether a part of an answer says what it should. `expected` is as people write it; the name of a rule may be said
    as the handbook writes it, `minimum stay`, or as tools do, `minimum_stay`."""
    if expected is None:
        return found is None or (isinstance(found, str) and found.strip().casefold() in ("", "none", "null"))
    if kind.kind == "bool":
        return isinstance(found, bool) and found == expected
    if kind.numeric:
        number = exact(found)
        return number is not None and abs(number - (exact(expected) or 0)) <= find_tolerance(kind)
    if kind.kind == "date":
        return isinstance(found, str) and _day(found.strip()) == expected
    said = _read_text(found, str(expected))
    if kind.kind in ("enum", "state"):
        return said is not None and _normalise(said) == _normalise(expected)
    if said is None:
        return False
    named = IDENTIFIER.match(str(expected)) is not None
    return _normalise(said) == _normalise(expected) if named else _words(said) == _words(expected)


def is_same_set(expected: Sequence[str], found: Any) -> bool:
    """Return whether a list names the same things, in any order, each once."""
    numbered = next((e for e in expected if prefix_of(e)), "")
    texts = [_read_text(f, numbered) for f in found] if isinstance(found, (list, tuple)) else [None]
    if None in texts:
        return False
    said = [_words(t) for t in texts if t is not None]
    return len(said) == len(set(said)) and set(said) == {_words(e) for e in expected}


def find_tolerance(kind: Type) -> Fraction:
    """Return how far off a number may be: half of its last place, so that what was not rounded passes too."""
    return Fraction(1, 2 * 10**kind.places) if kind.places else Fraction(0)


def exact(value: Any) -> Fraction | None:
    """A number as it is written, to the last digit; None for what is no number."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    if isinstance(value, int):
        return Fraction(value)
    return Fraction(repr(value)) if isfinite(value) else None


def _day(text: str) -> str | None:
    """The day that a text is, or whose moment it is."""
    if days.parse_day(text) is not None:
        return text
    return text[:10] if days.parse_moment(text) is not None else None


def _read_text(value: Any, like: str) -> str | None:
    """Read a text; an id that is written as a number, where one like that is expected; None for anything else."""
    whole = isinstance(value, int) and not isinstance(value, bool) and like.isdigit() and bool(prefix_of(like))
    return value if isinstance(value, str) else str(value) if whole else None


def _normalise(text: str) -> str:
    """Normalise a word of a list however it is spelt: `IN_PROGRESS`, `in progress`, `in-progress`."""
    return " ".join(_words(text).replace("_", " ").replace("-", " ").split())


def _words(text: str) -> str:
    """A text as it is heard: neither spacing, nor capitals, nor the way an accent is typed make a difference."""
    return " ".join(normalize("NFC", text).split()).casefold()


def answer_schema(fields: Mapping[str, tuple[Type | None, str]]) -> dict[str, Any]:
    """The JSON Schema of an answer: by part, its type (None for a list of ids) and what it means."""
    properties = {name: {**_schema(kind), "description": says} for name, (kind, says) in fields.items()}
    return {
        "type": "object",
        "properties": properties,
        "required": ["outcome"],
        "additionalProperties": False,
    }


def _schema(kind: Type | None) -> dict[str, Any]:
    if kind is None:
        return {"type": "array", "items": {"type": "string"}}
    if kind.kind == "bool":
        return {"type": ["boolean", "null"]}
    if kind.numeric:
        return {"type": ["number" if kind.places else "integer", "null"]}
    if kind.kind == "enum":
        return {"enum": [*kind.values, None]}
    if kind.kind == "date":
        return {"type": ["string", "null"], "format": "date"}
    return {"type": ["string", "null"]}
