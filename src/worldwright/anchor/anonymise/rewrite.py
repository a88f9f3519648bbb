"""Evidence with values replaced in every place where text can stand."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

from worldwright.anchor.anonymise.texts import Finder, leaves
from worldwright.anchor.evidence import Evidence, Field, Operation, Resource, Rows, Shape, Sheet, Source, States

NAMES = frozenset(
    {"name", "kind", "format", "resource", "field", "columns", "key", "unique", "refers_to", "refers_by", "origin", "place",
     "method", "path", "status", "tags", "scopes", "level", "about", "language",
     "pattern", "file", "at"}
)  # fmt: skip
"""Parts of records that name something. They hold no values, and other parts depend on them."""
WORDS = frozenset({"type", "format", "$ref", "$schema", "$id", "required", "pattern", "$anchor"})
"""Keywords of JSON Schema of which the same is true."""
MAX_DEPTH = 60
_LETTERS = re.compile(r"[^\W\d_]{3}")
"""A word makes a text of a date. Without one it may be the date of anything."""


@dataclass(frozen=True, slots=True)
class Cells:
    """What becomes of a value."""

    made: Mapping[str, str]
    personal: frozenset[tuple[str, str]]
    """Columns that hold nothing else."""
    elsewhere: Mapping[str, str]
    """What is replaced in every other column too, where it is the whole value."""
    in_rows: Finder
    dates: Finder
    """Dates of birth, which are looked for only where something else is written too."""
    in_prose: Finder

    def cell(self, value: Any, place: tuple[str, str]) -> Any:
        """A plain value of a record."""
        if isinstance(value, bool) or not isinstance(value, (str, int)):
            return value
        text = str(value).strip()
        table = self.made if place in self.personal else self.elsewhere
        made = table.get(text)
        if isinstance(value, int):
            digits = made if made is not None and (place in self.personal or len(text) >= 7) else None
            return int(digits) if digits is not None and digits.isdecimal() and not digits.startswith("0") else value
        if made is not None:
            return made
        return value if place in self.personal and not text else self.text(value)

    def text(self, value: str) -> str:
        """A longer text of a record."""
        out = self.in_rows.replaced(value)
        return self.dates.replaced(out) if _LETTERS.search(out) else out


def rewritten(evidence: Evidence, cells: Cells) -> Evidence:
    """The evidence with all values replaced."""
    made: Evidence = _any(evidence, cells)
    return replace(
        made,
        rows=tuple(_rows(r, cells) for r in evidence.rows),
        resources=tuple(_thing(t, cells) for t in evidence.resources),
        states=tuple(_states(s, cells) for s in evidence.states),
        sheets=tuple(replace(s, lines=tuple((at, cells.text(says)) for at, says in s.lines)) for s in evidence.sheets),
    )


def _rows(rows: Rows, cells: Cells) -> Rows:
    made = tuple(
        tuple(_value(v, rows.resource, c, cells, 0) for c, v in zip(rows.columns, row, strict=False))
        for row in rows.rows
    )
    return replace(rows, rows=made)


def _value(value: Any, resource: str, path: str, cells: Cells, depth: int) -> Any:
    if depth > MAX_DEPTH:
        return None
    if isinstance(value, dict):
        return {
            cells.elsewhere.get(k, k): _value(v, resource, f"{path}.{k}", cells, depth + 1) for k, v in value.items()
        }
    if isinstance(value, (list, tuple)):
        return type(value)(_value(v, resource, f"{path}[]", cells, depth + 1) for v in value)
    return cells.cell(value, (resource, path))


def _thing(resource: Resource, cells: Cells) -> Resource:
    made: Resource = _any(replace(resource, fields=()), cells)
    return replace(made, fields=tuple(_field(f, resource.name, f.name, cells, 0) for f in resource.fields))


def _field(field: Field, resource: str, path: str, cells: Cells, depth: int) -> Field:
    return replace(
        field, shape=_shape(field.shape, resource, path, cells, depth), says=cells.in_prose.replaced(field.says)
    )


def _shape(shape: Shape, resource: str, path: str, cells: Cells, depth: int) -> Shape:
    """The shape of a column: its examples and words are values of that column."""
    if depth > MAX_DEPTH:
        return shape
    return replace(
        shape,
        enum=tuple(_value(v, resource, path, cells, depth) for v in shape.enum),
        examples=tuple(_value(v, resource, path, cells, depth) for v in shape.examples),
        default=_value(shape.default, resource, path, cells, depth),
        fields={
            cells.elsewhere.get(n, n): replace(
                _field(f, resource, f"{path}.{n}", cells, depth + 1), name=cells.elsewhere.get(n, n)
            )
            for n, f in shape.fields.items()
        },
        items=_shape(shape.items, resource, f"{path}[]", cells, depth + 1) if shape.items else None,
        says=cells.in_prose.replaced(shape.says),
    )


def _states(states: States, cells: Cells) -> States:
    def word(text: str) -> str:
        return str(cells.cell(text, (states.resource, states.field)))

    return replace(
        states, states=tuple(map(word, states.states)), moves=tuple((word(a), word(b)) for a, b in states.moves)
    )


def _any(value: Any, cells: Cells, depth: int = 0) -> Any:
    """Any record: what is written in it, but not what names something."""
    if depth > MAX_DEPTH or isinstance(value, Source):
        return value
    if isinstance(value, str):
        return cells.elsewhere.get(value.strip()) or cells.in_prose.replaced(value)
    if is_dataclass(value) and not isinstance(value, type):
        if isinstance(value, (Rows, Sheet, States)):
            return value
        changed = {f.name: _any(getattr(value, f.name), cells, depth + 1) for f in fields(value) if f.name not in NAMES}
        return replace(value, **changed)
    if isinstance(value, Mapping):
        return {
            k: v if k in WORDS and not isinstance(v, Mapping) else _any(v, cells, depth + 1) for k, v in value.items()
        }
    if isinstance(value, (list, tuple)):
        return type(value)(_any(v, cells, depth + 1) for v in value)
    return value


# Values that descriptions show: the examples of shapes and of schemas, each with the path that it stands at.


Shown = Iterator[tuple[str, Any]]
MAX_VALUE_DEPTH = 20
EXAMPLES = ("example", "default", "const")


def resource_examples(resource: Resource, *, words: bool) -> Shown:
    """What the shapes of a thing show, which need not be among its rows; with the words it may be, where these come from rows."""
    for field in resource.fields:
        yield from _of_shape(field.shape, field.name, words=words)


def operation_examples(operation: Operation) -> Shown:
    """Yield what an operation shows of its arguments and of its answer."""
    for parameter in operation.parameters:
        yield from _of_shape(parameter.shape, parameter.name, words=False)
    for shape in (operation.body, operation.answer):
        if shape is not None:
            yield from _of_shape(shape, "", words=False)
    for schema in (operation.input_schema, operation.output_schema):
        yield from _of_schema(schema)


def _of_shape(shape: Shape, name: str, *, words: bool) -> Shown:
    waiting = [(name, shape, 0)]
    while waiting:
        path, here, depth = waiting.pop()
        for value in (*(here.enum if words else ()), *here.examples, here.default):
            yield from leaves(value, path)
        if depth < MAX_VALUE_DEPTH:
            waiting += [(f"{path}.{n}" if path else n, f.shape, depth + 1) for n, f in here.fields.items()]
            waiting += [(f"{path}[]", here.items, depth + 1)] if here.items else []


def _of_schema(schema: Mapping[str, Any] | None) -> Shown:
    waiting: list[tuple[str, Any, int]] = [("", schema, 0)]
    while waiting:
        path, here, depth = waiting.pop()
        if isinstance(here, list) and depth < MAX_VALUE_DEPTH:
            waiting += [(path, part, depth + 1) for part in here]
        if not isinstance(here, Mapping) or depth >= MAX_VALUE_DEPTH:
            continue
        examples = here.get("examples")
        for value in (*(here.get(k) for k in EXAMPLES), *(examples if isinstance(examples, list) else ())):
            yield from leaves(value, path)
        for key, part in here.items():
            if key in ("properties", "$defs") and isinstance(part, Mapping):
                waiting += [(name if not path else f"{path}.{name}", inner, depth + 1) for name, inner in part.items()]
            elif key not in (*EXAMPLES, "examples", "enum", "required"):
                waiting.append((path, part, depth + 1))
