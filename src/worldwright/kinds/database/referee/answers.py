"""Whether an answer says what is so. The referee plays answers in the forms of the task's schema, and reads no others."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any


def is_nothing(value: Any) -> bool:
    return value is None or value == "" or value == []


def say_same(expected: Any, found: Any) -> bool:
    """Return whether a part of an answer says what it should. A list names the same things in any order, each once."""
    if isinstance(expected, list):
        return isinstance(found, list) and sorted(map(str, found)) == sorted(map(str, expected))
    if is_nothing(expected):
        return is_nothing(found)
    if isinstance(expected, bool) or isinstance(found, bool):
        return expected is found
    if isinstance(expected, (int, float)) and isinstance(found, (int, float)):
        return bool(expected == found)
    return isinstance(expected, str) and isinstance(found, str) and _spell(expected) == _spell(found)


def _spell(text: str) -> str:
    return " ".join(text.replace("_", " ").split()).casefold()


def find_wrong_part(expected: Mapping[str, Any], found: Any, unknown: Collection[str]) -> str:
    """Name a part of an answer that says something else than it should, or that does not belong to it; empty where none does."""
    given: Mapping[str, Any] = found if isinstance(found, Mapping) else {}
    if "record" not in expected:  # in every form, also where nobody asks which record it is
        unknown = (*unknown, "record")
    for name in dict.fromkeys((*expected, *given)):
        if name not in unknown and not say_same(expected.get(name), given.get(name)):
            return name
    return ""
