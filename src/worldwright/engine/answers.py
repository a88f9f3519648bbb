"""Whether an answer has the form that a task asks for, before it ends the episode."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from worldwright.core.names import suggest
from worldwright.english.said_values import is_absent, read_day, read_flag, read_number, unwrap

MAX_RETURNED = 3
"""Answers of the wrong form that an agent gets back in one episode; the next one ends it as it is."""


def find_problem(schema: Mapping[str, Any], answer: Any) -> str:
    """Say what is wrong with the form of an answer; empty where nothing is.

    A value may be written in any way that means what the schema asks for: a number or a date in words, one id in a list."""
    parts: Mapping[str, Any] = schema.get("properties", {})
    if not parts:
        return ""
    if not isinstance(answer, Mapping):
        return f"the answer is an object with {', '.join(f'`{name}`' for name in parts)}"
    for name, value in answer.items():
        if name not in parts:
            return f"`{name}` is no part of the answer; {suggest(str(name), parts)}"
        if not is_absent(value) and (wanted := _wanted(parts[name], value)):
            return f"`{name}` is {wanted}"
    for name in schema.get("required", ()):
        if is_absent(answer.get(name)):
            return f"`{name}` is missing: it is {_wanted(parts[name], None) or 'a text'}"
    return ""


def _wanted(part: Mapping[str, Any], value: Any) -> str:
    """What a part of the answer has to be, where the value is nothing of the kind."""
    if "enum" in part:
        known = [str(one) for one in part["enum"] if one is not None]
        return "" if _plain(unwrap(value)) in map(_plain, known) else f"one of {', '.join(known)}"
    kinds = part.get("type", ())
    if "boolean" in kinds:
        return "" if read_flag(value) is not None else "true or false"
    if "integer" in kinds or "number" in kinds:
        return "" if read_number(value) is not None else "a number"
    if part.get("format") == "date":
        return "" if read_day(value) is not None else "a date such as 2025-10-03"
    if kinds == "array":
        items = value if isinstance(value, (list, tuple)) else [value]
        return "" if all(_is_text(item) for item in items) else "a list of texts"
    return "" if _is_text(unwrap(value)) else "a text"


def _is_text(value: Any) -> bool:
    return isinstance(value, (str, int, float)) and not isinstance(value, bool)


def _plain(value: Any) -> str:
    """A word of a list however it is spelt."""
    return " ".join(str(value).replace("_", " ").replace("-", " ").split()).casefold()
