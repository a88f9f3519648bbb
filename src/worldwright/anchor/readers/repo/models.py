"""A model that was found, before it is known which of several that are named alike is the thing."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from worldwright.anchor.evidence import Field, Resource, Shape, Source
from worldwright.anchor.readers.repo.names import Repo, Scope, Unknown, number
from worldwright.anchor.readers.repo.source import Class, keyword
from worldwright.english.words import wordmap

MAX_FIELDS = 400
MAX_CHECKS = 100


@dataclass(frozen=True, slots=True)
class Model:
    """A thing, and what it was made of."""

    resource: Resource
    family: str
    """sqlalchemy, django, sqlmodel, pydantic, dataclass, attrs, typeddict or namedtuple"""
    cls: Class | None = None
    table: str = ""
    """The name of its table, where it is given."""
    stored: bool = False
    """Whether it is kept in a table."""
    about: str = ""
    """The model that it names, for a serializer or a form."""


@dataclass(frozen=True, slots=True)
class Constraints:
    """What is said about several columns together."""

    unique: tuple[tuple[str, ...], ...] = ()
    checks: tuple[str, ...] = ()
    key: tuple[str, ...] = ()
    refers: tuple[tuple[str, str, str], ...] = ()
    """A column, the table that it refers to, and the column there."""

    def __add__(self, other: Constraints) -> Constraints:
        return Constraints(
            self.unique + other.unique,
            self.checks + other.checks,
            self.key + other.key,
            self.refers + other.refers,
        )


UNCONSTRAINED = Constraints()


def made(
    name: str,
    fields: Sequence[Field],
    constraints: Constraints = UNCONSTRAINED,
    says: str = "",
    table: str = "",
    source: Source | None = None,
) -> Resource:
    """A thing of fields, with what is said about several of them brought to each."""
    ready = [_settled(f, constraints) for f in list(fields)[:MAX_FIELDS]]
    text = says
    if table:
        text = f"{says}\n\nTable {table}." if says else f"Table {table}."
    return Resource(
        name,
        tuple(ready),
        key=tuple(f.name for f in ready if f.key),
        unique=tuple(dict.fromkeys(u for u in constraints.unique if len(u) > 1)),
        checks=tuple(dict.fromkeys(c for c in constraints.checks if c))[:MAX_CHECKS],
        says=text,
        origin="model",
        source=source,
    )


def _settled(field: Field, constraints: Constraints) -> Field:
    if field.name in constraints.key:
        field = replace(field, key=True, required=True, shape=replace(field.shape, nullable=False))
    if (field.name,) in constraints.unique:
        field = replace(field, unique=True)
    for column, to, by in constraints.refers:
        if column == field.name and not field.refers_to:
            field = replace(field, refers_to=to, refers_by=by)
    shape = field.shape
    for check in constraints.checks[:MAX_CHECKS]:
        shape = checked(shape, field.name, check)
    return field if shape is field.shape else replace(field, shape=shape)


def by_name(fields: Iterable[Field]) -> list[Field]:
    """Fields of which a later one replaces an earlier one of the same name."""
    return list({f.name: f for f in fields}.values())


# Limits on a value that code states in keywords, as in `Field(ge=0, max_length=40)`, and in conditions of a database.


_PLAIN: Mapping[str, str] = wordmap(
    "min_length=shortest min_items=shortest max_length=longest max_items=longest decimal_places=places"
)
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
    """Return what a call says about its value."""
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
