"""Comparing answers by what they are: numbers with a stated tolerance, dates as dates, sets as sets, words as words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any
from unicodedata import normalize

from worldwright.blueprint.types import Type
from worldwright.core.ids import prefix_of
from worldwright.core.names import IDENTIFIER
from worldwright.english.said_values import is_absent, read_day, read_flag, read_number, unwrap

_RULE = re.compile(r"^(?:the )?(?:rule |policy )?(?:called |named )?|(?: rule| policy)$")
"""What people put around the name of a rule."""


def is_same(expected: Any, found: Any, kind: Type) -> bool:
    """Return whether a part of an answer says what it should. `expected` is as people write it.

    Other ways to write the same are the same: a number or a date in words, one value in a list. The name of a rule may be said
    as the handbook writes it, `minimum stay`, as tools do, `minimum_stay`, or as `the minimum stay rule`."""
    if expected is None:
        return is_absent(found)
    if kind.kind == "bool":
        return read_flag(found) is bool(expected)
    if kind.numeric:
        number = read_number(found)
        return number is not None and abs(number - (read_number(expected) or 0)) <= find_tolerance(kind)
    if kind.kind == "date":
        return read_day(found) == str(expected)
    said = _read_text(unwrap(found), str(expected))
    if kind.kind in ("enum", "state"):
        return said is not None and _normalise(said) == _normalise(expected)
    if said is None:
        return False
    if IDENTIFIER.match(str(expected)) is None:
        return _words(said) == _words(expected)
    return _normalise(expected) in (_normalise(said), _RULE.sub("", _normalise(said)))


def is_same_set(expected: Sequence[str], found: Any) -> bool:
    """Return whether a list names the same things, in any order, each once."""
    numbered = next((e for e in expected if prefix_of(e)), "")
    if isinstance(found, (list, tuple)):
        given = found
    elif isinstance(found, str) and found.strip():
        given = [] if is_absent(found) else [found]
    else:
        return False
    texts = [_read_text(f, numbered) for f in given]
    if None in texts:
        return False
    said = [_words(t) for t in texts if t is not None]
    return len(said) == len(set(said)) and set(said) == {_words(e) for e in expected}


def find_tolerance(kind: Type) -> Fraction:
    """Return how far off a number may be: half of its last place, so that what was not rounded passes too."""
    return Fraction(1, 2 * 10**kind.places) if kind.places else Fraction(0)


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
