"""The form of a call: a field for every argument of a tool, and the arguments that somebody filled in."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from worldwright.core.errors import UsageError
from worldwright.facts.tool import describe_type
from worldwright.studio.forms import one

PREFIX = "arg."
LINES = ("array", "object")
"""Kinds of values that are written as JSON."""


@dataclass(frozen=True, slots=True)
class Field:
    """A field of the form."""

    name: str
    kind: str
    """text, number, choice, yes-no, date, time, list or json"""
    takes: str
    says: str
    required: bool
    choices: tuple[str, ...]
    example: str
    value: str
    long: bool


def list_fields(schema: Mapping[str, Any], given: Mapping[str, str]) -> list[Field]:
    """The fields for the arguments of a tool. `given` is what stands in them already."""
    required = schema.get("required", ())
    return [
        _make_field(name, part, name in required, given.get(name, ""))
        for name, part in schema.get("properties", {}).items()
    ]


def _make_field(name: str, part: Mapping[str, Any], required: bool, value: str) -> Field:
    kind = _find_kind(part)
    examples = part.get("examples") or ([part["default"]] if "default" in part else [])
    example = (
        ""
        if not examples
        else examples[0]
        if isinstance(examples[0], str)
        else json.dumps(examples[0], ensure_ascii=False)
    )
    choices = tuple(map(str, (v for v in part.get("enum", ()) if v is not None)))
    return Field(
        name, kind, describe_type(part), str(part.get("description", "")), required, choices, example, value,
        kind == "text" and int(part.get("maxLength") or 0) > 200,
    )  # fmt: skip


def _find_kind(part: Mapping[str, Any]) -> str:
    if "enum" in part:
        return "choice"
    kinds = _list_types(part)
    if "array" in kinds:
        return "list" if part.get("items", {}).get("type") in ("string", "integer", "number") else "json"
    if "object" in kinds:
        return "json"
    if "boolean" in kinds:
        return "yes-no"
    if {"integer", "number"} & set(kinds):
        return "number"
    return {"date": "date", "date-time": "time"}.get(str(part.get("format")), "text")


def _list_types(part: Mapping[str, Any]) -> list[str]:
    kind = part.get("type", "string")
    return [k for k in kind if k != "null"] if isinstance(kind, list) else [str(kind)]


def read_arguments(form: Mapping[str, list[str]], schema: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments that a form holds. What was left empty is left out; what cannot be read is said by its name."""
    out: dict[str, Any] = {}
    for name, part in schema.get("properties", {}).items():
        text = one(form, PREFIX + name)
        if text.strip():
            out[name] = _read(name, text if _find_kind(part) == "text" else text.strip(), part)
    return out


def _read(name: str, text: str, part: Mapping[str, Any]) -> Any:
    kind = _find_kind(part)
    if kind == "json":
        return _read_json(name, text)
    if kind == "list":
        plain = part.get("items", {}).get("type") == "string"
        return (
            _read_json(name, text)
            if text.startswith("[")
            else [s if plain else _read_number(name, s) for line in text.splitlines() if (s := line.strip())]
        )
    if kind == "yes-no":
        return text == "yes"
    if kind == "number":
        return _read_number(name, text)
    if kind == "choice":
        return next((v for v in part["enum"] if str(v) == text), text)
    return text


def _read_json(name: str, text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as e:
        raise UsageError(f"{name} is not JSON: {e}") from None


def _read_number(name: str, text: str) -> Any:
    """A number as it is written; what is none is sent as it is, and the tool says what it thinks of it."""
    try:
        found = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return text
    number = isinstance(found, (int, float)) and not isinstance(found, bool) and math.isfinite(found)
    return found if number else text


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number")
