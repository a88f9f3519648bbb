"""Evidence with values replaced in every place where text can stand, and the values that its descriptions show."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

from worldwright.anchor.anonymise.texts import Finder, leaves
from worldwright.anchor.evidence import Evidence, Operation, Resource, Rows, Shape, Sheet, Source, States
from worldwright.english.words import wordset

NAMES = wordset(
    "name kind format resource field columns key unique refers_to refers_by origin place method path status tags scopes level "
    "about language pattern file at"
)
"""Parts of records that name something. They hold no values, and other parts depend on them."""
WORDS = wordset("type format $ref $schema $id required pattern $anchor")
"""Keywords of JSON Schema of which the same is true."""
MAX_DEPTH = 60
_LETTERS = re.compile(r"[^\W\d_]{3}")
"""A word makes a text of a date. Without one it may be the date of anything."""

Place = tuple[str, str]
"""A thing, and a column or a path within its values."""


@dataclass(frozen=True, slots=True)
class Cells:
    """What becomes of a value."""

    made: Mapping[str, str]
    personal: frozenset[Place]
    """Columns that hold nothing else."""
    elsewhere: Mapping[str, str]
    """What is replaced in every other column too, where it is the whole value."""
    in_rows: Finder
    dates: Finder
    """Dates of birth, which are looked for only where something else is written too."""
    in_prose: Finder

    def cell(self, value: Any, place: Place) -> Any:
        """A plain value of a record."""
        if isinstance(value, bool) or not isinstance(value, (str, int)):
            return value
        text = str(value).strip()
        made = (self.made if place in self.personal else self.elsewhere).get(text)
        if isinstance(value, int):
            fits = made is not None and made.isdecimal() and not made.startswith("0")
            return int(made) if made is not None and fits and (place in self.personal or len(text) >= 7) else value
        return made if made is not None else self.text(value)

    def text(self, value: str) -> str:
        """A longer text of a record."""
        out = self.in_rows.replaced(value)
        return self.dates.replaced(out) if _LETTERS.search(out) else out


def rewritten(evidence: Evidence, cells: Cells) -> Evidence:
    """The evidence with all values replaced."""
    made: Evidence = _any(evidence, cells)
    return made


def _any(value: Any, cells: Cells, depth: int = 0) -> Any:
    """Any record: what is written in it, but not what names something."""
    match value:
        case str():
            return cells.elsewhere.get(value.strip()) or cells.in_prose.replaced(value)
        case _ if depth > MAX_DEPTH or isinstance(value, (Source, type)):
            return value
        case Rows():
            return replace(
                value,
                rows=tuple(
                    tuple(_value(v, (value.resource, c), cells) for c, v in zip(value.columns, row, strict=False))
                    for row in value.rows
                ),
            )
        case Sheet():
            return replace(value, lines=tuple((at, cells.text(says)) for at, says in value.lines))
        case States():
            place = (value.resource, value.field)
            return replace(value, states=_value(value.states, place, cells), moves=_value(value.moves, place, cells))
        case Resource():
            own = tuple(
                replace(f, shape=_shape(f.shape, (value.name, f.name), cells), says=cells.in_prose.replaced(f.says))
                for f in value.fields
            )
            says, checks = _any(value.says, cells), _any(value.checks, cells)
            return replace(value, fields=own, says=says, checks=checks)
        case Mapping():
            kept = {k for k, v in value.items() if k in WORDS and not isinstance(v, Mapping)}
            return {k: v if k in kept else _any(v, cells, depth + 1) for k, v in value.items()}
        case list() | tuple():
            return type(value)(_any(v, cells, depth + 1) for v in value)
        case _ if is_dataclass(value):
            texts = (f.name for f in fields(value) if f.name not in NAMES)
            changed = {name: _any(getattr(value, name), cells, depth + 1) for name in texts}
            return replace(value, **changed)  # type: ignore[type-var]
    return value


def _value(value: Any, place: Place, cells: Cells, depth: int = 0) -> Any:
    """A value of a column, with all that is in it."""
    resource, path = place
    if depth > MAX_DEPTH:
        return None
    if isinstance(value, dict):
        inner = ((k, _value(v, (resource, f"{path}.{k}"), cells, depth + 1)) for k, v in value.items())
        return {cells.elsewhere.get(k, k): v for k, v in inner}
    if isinstance(value, (list, tuple)):
        return type(value)(_value(v, (resource, f"{path}[]"), cells, depth + 1) for v in value)
    return cells.cell(value, place)


def _shape(shape: Shape, place: Place, cells: Cells, depth: int = 0) -> Shape:
    """The shape of a column: its examples and words are values of that column."""
    resource, path = place
    if depth > MAX_DEPTH:
        return shape
    parts = {}
    for old, f in shape.fields.items():
        name, inner = cells.elsewhere.get(old, old), _shape(f.shape, (resource, f"{path}.{old}"), cells, depth + 1)
        parts[name] = replace(f, name=name, shape=inner, says=cells.in_prose.replaced(f.says))
    return replace(
        shape,
        enum=tuple(_value(v, place, cells, depth) for v in shape.enum),
        examples=tuple(_value(v, place, cells, depth) for v in shape.examples),
        default=_value(shape.default, place, cells, depth),
        fields=parts,
        items=_shape(shape.items, (resource, f"{path}[]"), cells, depth + 1) if shape.items else None,
        says=cells.in_prose.replaced(shape.says),
    )


# Values that descriptions show: the examples of shapes and of schemas, each with the path that it stands at.


MAX_VALUE_DEPTH = 20
EXAMPLES = ("example", "default", "const")


def operation_examples(operation: Operation) -> Iterator[tuple[str, Any]]:
    """Yield what an operation shows of its arguments and of its answer."""
    for parameter in operation.parameters:
        yield from shape_examples(parameter.shape, parameter.name)
    for shape in (operation.body, operation.answer):
        yield from shape_examples(shape, "") if shape is not None else ()
    for schema in (operation.input_schema, operation.output_schema):
        yield from _schema_examples(schema, "")


def shape_examples(shape: Shape, path: str, *, words: bool = False, depth: int = 0) -> Iterator[tuple[str, Any]]:
    """What a shape shows, which need not be in any row; with the words it may be, where these come from rows."""
    for value in (*(shape.enum if words else ()), *shape.examples, shape.default):
        yield from leaves(value, path)
    inner = [(f"{path}.{name}" if path else name, f.shape) for name, f in shape.fields.items()]
    inner += [(f"{path}[]", shape.items)] if shape.items else []
    for below, part in inner if depth < MAX_VALUE_DEPTH else ():
        yield from shape_examples(part, below, words=words, depth=depth + 1)


def _schema_examples(schema: Any, path: str, depth: int = 0) -> Iterator[tuple[str, Any]]:
    if depth >= MAX_VALUE_DEPTH:
        return
    if isinstance(schema, list):
        for part in schema:
            yield from _schema_examples(part, path, depth + 1)
    if not isinstance(schema, Mapping):
        return
    examples = schema.get("examples")
    for value in (*map(schema.get, EXAMPLES), *(examples if isinstance(examples, list) else ())):
        yield from leaves(value, path)
    for key, part in schema.items():
        if key in ("properties", "$defs") and isinstance(part, Mapping):
            for name, inner in part.items():
                yield from _schema_examples(inner, f"{path}.{name}" if path else name, depth + 1)
        elif key not in (*EXAMPLES, "examples", "enum", "required"):
            yield from _schema_examples(part, path, depth + 1)
