"""Limits on a value that code states in keywords, as in `Field(ge=0, max_length=40)`, and in conditions of a database."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from worldwright.anchor.evidence import Shape
from worldwright.anchor.readers.repo.names import Repo, Scope, Unknown, number
from worldwright.anchor.readers.repo.source import keyword

_PLAIN: Mapping[str, str] = {
    "min_length": "shortest",
    "min_items": "shortest",
    "max_length": "longest",
    "max_items": "longest",
    "decimal_places": "places",
}
_LIMITS: Mapping[str, tuple[str, int]] = {
    "ge": ("minimum", 0),
    "gt": ("minimum", 1),
    "le": ("maximum", 0),
    "lt": ("maximum", -1),
    "min_value": ("minimum", 0),
    "max_value": ("maximum", 0),
}
"""The limit of a shape, and how far a whole number must be from it."""


def constrained(repo: Repo, scope: Scope, shape: Shape, call: ast.Call) -> Shape:
    """A shape with the limits that a call gives."""
    changes: dict[str, Any] = {}
    for given in call.keywords:
        word = given.arg or ""
        value = repo.value(scope, given.value)
        if word in _LIMITS and (figure := number(value)) is not None:
            name, step = _LIMITS[word]
            changes[name] = figure + (step if shape.kind == "integer" else 0)
        elif word in _PLAIN and isinstance(value, int) and 0 <= value < 10**9:
            changes[_PLAIN[word]] = int(value)
        elif word in ("pattern", "regex") and isinstance(value, str):
            changes["pattern"] = value
    examples = repo.value(scope, keyword(call, "examples", "example"))
    if isinstance(examples, tuple) and examples:
        changes["examples"] = examples[:5]
    elif isinstance(examples, str | int | float):
        changes["examples"] = (examples,)
    return replace(shape, **changes) if changes else shape


def description(repo: Repo, scope: Scope, call: ast.Call) -> str:
    """What a call says about its value."""
    for name in ("description", "help_text", "doc", "comment", "title", "verbose_name"):
        found = repo.text(scope, keyword(call, name))
        if found:
            return found.strip()
    return ""


def default(repo: Repo, scope: Scope, node: ast.expr | None) -> Any:
    """A default as a plain value; None where it is none or is made when it is needed."""
    value = repo.value(scope, node)
    return None if isinstance(value, Unknown | dict | tuple) else value


_COMPARED = re.compile(r'\(?\s*["`]?(\w{1,80})["`]?\s*(>=|<=|>|<)\s*(-?\d{1,15}(?:\.\d{1,6})?)\s*\)?')
_ONE_OF = re.compile(
    r"""\(?\s*["`]?(\w{1,80})["`]?\s+in\s*\((\s*'[^']{0,200}'(?:\s*,\s*'[^']{0,200}'){0,200}\s*)\)\s*\)?""", re.I
)
_WORD = re.compile(r"'([^']*)'")


def checked(shape: Shape, name: str, check: str) -> Shape:
    """A shape with the limit that a condition such as `quantity > 0` or `status IN ('a', 'b')` states on that column."""
    for part in re.split(r"\s+and\s+", check[:2_000], flags=re.I):
        compared = _COMPARED.fullmatch(part.strip())
        if compared and compared[1] == name:
            figure = float(compared[3])
            step = 1 if shape.kind == "integer" and len(compared[2]) == 1 else 0
            lower = compared[2][0] == ">"
            shape = replace(shape, minimum=figure + step) if lower else replace(shape, maximum=figure - step)
        words = _ONE_OF.fullmatch(part.strip())
        if words and words[1] == name and not shape.enum:
            shape = replace(shape, enum=tuple(_WORD.findall(words[2])))
    return shape
