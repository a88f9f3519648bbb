"""Records that came with the schema: read from INSERT and COPY, and as JSON values in the columns of their table.

Plain constants are read as they stand, for a dump holds millions of them; only what is an expression goes to sqlglot. Rows beyond
those that are kept are counted and not read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from worldwright.anchor.evidence import Shape
from worldwright.anchor.readers.dates import day_is_first, moment, time_of_day
from worldwright.anchor.readers.sql.expressions import UNKNOWN, bits, constant, hexadecimal, number
from worldwright.anchor.readers.sql.records import Catalogue, Heap
from worldwright.anchor.readers.sql.split import Statement
from worldwright.anchor.readers.sql.tokens import Cursor, Token, columns_in, parted, written

MAX_VALUES = 2_000
"""Values of one row."""
MAX_EXPRESSIONS = 30_000
"""Values of all rows that are given to a parser."""
QUERY = "it takes its rows from a query"
DEFAULT = object()
"""The default of the column."""
_CONSTANTS = {"NULL": None, "TRUE": True, "FALSE": False, "DEFAULT": DEFAULT}


def read_value(tokens: Sequence[Token], dialect: str, to: Catalogue) -> Any:
    """The value that some tokens stand for: most are plain constants, the others are given to a parser."""
    first = tokens[0].word
    if len(tokens) == 1:
        kind, text = tokens[0].kind, tokens[0].text
        if kind in _READ:
            return _READ[kind](text)
        if first in _CONSTANTS:
            return _CONSTANTS[first]
    elif len(tokens) == 2 and first in ("+", "-") and tokens[1].kind == "number":
        return number(first + tokens[1].text)
    elif first == "CAST" and (end := next((i for i, t in enumerate(tokens) if t.word == "AS"), 0)) > 2:
        return read_value(tokens[2:end], dialect, to)
    elif len(tokens) == 6 and first in ("TO_DATE", "TO_TIMESTAMP") and tokens[4].kind == "string":
        return _dated(tokens[2].text, tokens[4].text)
    to.parsed += 1
    return constant(written(tokens), dialect) if to.parsed <= MAX_EXPRESSIONS else UNKNOWN


_READ: Mapping[str, Callable[[str], Any]] = {
    "string": str, "name": str, "number": number, "bytes": hexadecimal, "bits": bits,
}  # fmt: skip
"""Constants, by the kinds of tokens. SQLite takes a quoted name for a string."""


def _dated(text: str, form: str) -> str:
    """A date with its format: `TO_DATE('17-06-2003', 'DD-MM-YYYY')`; the text where it is none."""
    said = form.lower()
    return str(moment(text, "d" in said and said.find("d") < said.find("m") if said else None) or text)


def read_insert(statement: Statement, to: Catalogue) -> None:
    """The rows of an INSERT, or why it gives none. Oracle's `INSERT ALL` names several tables."""
    c = Cursor(statement.tokens, 1)
    if not c.to("INTO"):
        c.take("IGNORE")
    why = QUERY
    while why or c.take("INTO"):
        c.take("TABLE")
        name, columns = c.name(to.schema), _columns(c)
        if not name.own or not c.to("VALUES", "VALUE") or c.word() != "(":
            if why:
                to.skip("INSERT", why, statement.source)
            return
        _add_rows(c, statement.dialect, columns, to.heap(name, statement.source), to)
        why = ""


def _columns(c: Cursor) -> tuple[str, ...] | None:
    return columns_in(c.inside()) if c.word(1) not in ("SELECT", "WITH") and c.take("(") else None


def _add_rows(c: Cursor, dialect: str, columns: tuple[str, ...] | None, heap: Heap, to: Catalogue) -> None:
    """Add the rows that start here, as far as there is room, and count the others."""
    rows: list[tuple[Any, ...]] = []
    room, total = to.room(heap), 0
    while c.take("ROW (", "("):
        inside = c.inside()
        if c.tokens[c.at - 1].raw != ")":
            heap.unread += 1
            break
        values = parted(inside) if total < room else []
        if 0 < len(values) <= MAX_VALUES:
            rows.append(tuple(read_value(value, dialect, to) for value in values))
            to.values += len(values)
        total += 1
        c.take(",")
    heap.add(columns, rows, total)


_COPIED = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_COPY_ESCAPE = re.compile(r"\\(.)", re.DOTALL)


def read_copy(statement: Statement, to: Catalogue) -> bool:
    """The lines that follow `COPY ... FROM stdin`; False where there are none."""
    c = Cursor(statement.tokens, 1)
    name, columns = c.name(to.schema), _columns(c)
    if not c.take("FROM STDIN"):
        return False
    heap = to.heap(name, statement.source)
    room = to.room(heap)
    lines = statement.data.removesuffix("\n").split("\n", room)[:room] if statement.data else []
    rows = [tuple(map(_copied, line.split("\t"))) for line in lines]
    to.values += sum(map(len, rows))
    heap.add(columns, rows, max(statement.data.count("\n"), len(rows)))
    return True


def _copied(value: str) -> str | None:
    if value == r"\N":
        return None
    return _COPY_ESCAPE.sub(lambda m: _COPIED.get(m[1], m[1]), value) if "\\" in value else value


# Rows as JSON values, in the columns of their table.


MAX_JSON_CHARS = 100_000
DATED = frozenset({"date", "date-time", "time"})
BOOLEANS = {
    **dict.fromkeys(("t", "true", "y", "yes", "1", "on", "\x01", "0x01"), True),
    **dict.fromkeys(("f", "false", "n", "no", "0", "off", "\x00", "0x00", ""), False),
}


def laid_out(heap: Heap, order: Sequence[str]) -> tuple[dict[str, list[Any]], int]:
    """By column, the values of all rows as they came, and how many rows did not fit.

    Columns stand in the order of the table; those that no statement names are left out. A table that nobody created has the columns
    that its statements name.
    """
    known = {column.casefold(): column for column in order}
    used: dict[str, None] = {}
    laid: list[dict[str, Any]] = []
    for listed, found in heap.batches:
        columns = [known.get(c.casefold(), c) for c in listed] if listed is not None else list(order)
        least = len(columns) if listed is not None else 0
        rows = [dict(zip(columns, row, strict=False)) for row in found if least <= len(row) <= len(columns)]
        used.update(dict.fromkeys(columns[: max(map(len, rows), default=0)]))
        laid += rows
    names = [c for c in order if c in used] + [c for c in used if c not in known.values()]
    return {name: [row.get(name, DEFAULT) for row in laid] for name in names}, heap.kept - len(laid)


def converted(raw: Sequence[Any], shape: Shape | None) -> list[Any]:
    """The values of a column as JSON values of its shape."""
    default = shape.default if shape is not None else None
    values = [default if v is DEFAULT else None if v is UNKNOWN else v for v in raw]
    if shape is None:
        return values
    day_first, guess = (
        day_is_first([v for v in values if isinstance(v, str)]) if shape.format in DATED else (None, False)
    )
    return [as_value(v, shape, None if guess else day_first) for v in values]


def as_value(value: Any, shape: Shape, day_first: bool | None = None) -> Any:
    """A value as a JSON value of a shape; as it is where it is none."""
    text = value if isinstance(value, str) else ""
    if value is None:
        return None
    match shape.format or shape.kind:
        case "date" | "date-time" | "time" as form:
            return _moment(text, form, day_first) or value
        case "json" if 0 < len(text) <= MAX_JSON_CHARS:
            try:
                return json.loads(text, parse_constant=lambda name: name)
            except (ValueError, RecursionError):
                return value
    match shape.kind:
        case "boolean" if not isinstance(value, bool):
            return BOOLEANS.get(str(value).strip().lower(), value)
        case "integer" | "number":
            found = int(value) if isinstance(value, bool) else number(text) if text else value
            whole = shape.kind == "integer" and isinstance(found, float) and found.is_integer()
            return value if found is UNKNOWN else int(found) if whole else found
        case "string" if not isinstance(value, (str, bool, list, dict)):
            return str(value)
        case "array" if text and '"' not in text and "{" not in text[1:]:
            return _listed(text, shape)
    return value


def _moment(text: str, form: str, day_first: bool | None) -> str | None:
    """A text as a date, a moment or a time of day; None where it is none."""
    found = moment(text, day_first)
    if form == "time":
        return (found.time if found else None) or time_of_day(text)
    if found is None:
        return None
    return f"{found.day}T{found.time or '00:00:00'}" if form == "date-time" or not found.midnight else found.day


def _listed(text: str, shape: Shape) -> list[Any]:
    """PostgreSQL: `{1,2}`; MySQL's SET: `a,b`."""
    inside = text[1:-1] if text.startswith("{") and text.endswith("}") else text
    parts = inside.split(",") if inside else ()
    return [None if part == "NULL" else as_value(part, shape.items) if shape.items else part for part in parts]


def constant_for(shape: Shape, value: Any) -> Any:
    """A default as a value of its column: `'0'` of a number is 0."""
    return value if shape.format in DATED else as_value(value, shape)


def seen_in(shape: Shape, raw: Sequence[Any]) -> Shape:
    """A shape that the rows know better: a small number that is no boolean, a day with a time, several words at once."""
    values = [v for v in raw if v is not None and v is not UNKNOWN and v is not DEFAULT]
    if shape.kind == "boolean" and any(as_value(v, shape) not in (True, False) for v in values):
        return replace(shape, kind="integer")
    if shape.format == "date" and any(isinstance(v, str) and (m := moment(v, True)) and not m.midnight for v in values):
        return replace(shape, format="date-time")
    if shape.kind == "string" and shape.enum:
        words = frozenset(shape.enum)
        several = any(isinstance(v, str) and "," in v and v not in words for v in values)
        if several and all(word in words for v in values for word in str(v).split(",") if word):
            return replace(shape, kind="array", items=Shape("string", enum=shape.enum), enum=())
    return shape
