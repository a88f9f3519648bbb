"""Records that came with the schema: read from INSERT and COPY, and as JSON values in the columns of their table.

Plain constants are read as they stand, for a dump holds millions of them; only what is an expression goes to sqlglot. Rows beyond
those that are kept are counted and not read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from worldwright.anchor.evidence import Shape, Source
from worldwright.anchor.readers.dates import day_is_first, moment, time_of_day
from worldwright.anchor.readers.sql.expressions import UNKNOWN, constant, number, quick, string
from worldwright.anchor.readers.sql.parse import Dialect
from worldwright.anchor.readers.sql.records import Name
from worldwright.anchor.readers.sql.split import Statement
from worldwright.anchor.readers.sql.tokens import Cursor, Token, columns_in, parted, written
from worldwright.blueprint.given import MAX_GIVEN_ROWS

MAX_VALUES = 2_000
"""Values of one row."""
MAX_KEPT_VALUES = 5_000_000
"""Of all rows."""
MAX_EXPRESSIONS = 30_000
"""Values of all rows that are given to a parser."""
MAX_VALUE_CHARS = 200_000
"""Characters of an expression that is looked at."""
QUERY = "it takes its rows from a query"
DEFAULT = object()
"""The default of the column."""
_CONSTANTS = {"NULL": None, "TRUE": True, "FALSE": False, "DEFAULT": DEFAULT}
Columns = tuple[str, ...] | None
"""Those that a statement lists; None where it lists none."""


@dataclass(slots=True)
class Heap:
    """The rows of one table as they come."""

    name: Name
    source: Source
    batches: list[tuple[Columns, list[tuple[Any, ...]]]] = field(default_factory=list)
    """Rows under one list of columns."""
    kept: int = 0
    total: int = 0
    unread: int = 0
    """Statements that were not read to their end."""

    def add(self, columns: Columns, rows: list[tuple[Any, ...]], total: int) -> None:
        rows = rows[: MAX_GIVEN_ROWS - self.kept]
        self.total += total
        self.kept += len(rows)
        if self.batches and self.batches[-1][0] == columns:
            self.batches[-1][1].extend(rows)
        elif rows:
            self.batches.append((columns, rows))


@dataclass(slots=True)
class Heaps:
    """The rows of all tables."""

    by_name: dict[tuple[str, str], Heap] = field(default_factory=dict)
    expressions: int = 0
    """Those that were looked at so far."""
    values: int = 0
    """Those that were kept so far."""

    def of(self, name: Name, statement: Statement) -> Heap:
        return self.by_name.setdefault(name.key, Heap(name, statement.source))

    def room(self, heap: Heap) -> int:
        """Rows that may still be kept of a table."""
        return MAX_GIVEN_ROWS - heap.kept if self.values < MAX_KEPT_VALUES else 0

    def value(self, tokens: Sequence[Token], dialect: Dialect) -> Any:
        """The value that some tokens stand for: most are plain constants, the others are given to a parser."""
        if len(tokens) == 2 and tokens[1].kind == "string" and tokens[0].text in "nN":
            tokens = tokens[1:]
        if len(tokens) == 1:
            kind, text, _ = tokens[0]
            if kind == "string" and text[0] == "'":
                return string(text[1:-1], dialect.backslash)
            if kind == "string" and text[0] in "eE":
                return string(text[2:-1], True, rich=True)
            if kind == "number":
                return number(text)
            if kind == "word" and text.upper() in _CONSTANTS:
                return _CONSTANTS[text.upper()]
            if kind == "name" and dialect.backslash and text[0] == '"':
                return string(text[1:-1].replace('""', '"'), True)
        if len(tokens) == 2 and tokens[1].kind == "number" and tokens[0].text in "+-":
            return number(tokens[0].text + tokens[1].text)
        text = written(tokens)
        known = quick(text)
        if known is not UNKNOWN:
            return known
        self.expressions += 1
        worth = text and len(text) <= MAX_VALUE_CHARS and self.expressions <= MAX_EXPRESSIONS
        return constant(text, dialect.name) if worth else UNKNOWN


def read_insert(statement: Statement, heaps: Heaps, schema: str) -> str:
    """The rows of an INSERT; where it gives none, why not. Oracle's `INSERT ALL` names several tables."""
    c = Cursor(statement.tokens, 1)
    if not c.to("INTO"):
        c.take("IGNORE")
    why = QUERY
    while True:
        c.take("TABLE")
        name, columns = c.name(schema), _columns(c)
        if not name.own:
            return "it was not understood"
        if c.take("SET"):  # MySQL: `INSERT INTO t SET a = 1, b = 'x'`
            pairs = {p[0].name: heaps.value(p[2:], statement.dialect) for p in parted(c.rest) if len(p) > 2}
            heaps.of(name, statement).add(tuple(pairs), [tuple(pairs.values())], 1)
            return ""
        if not c.to("VALUES", "VALUE") or c.word() != "(":
            return why
        heap, why = heaps.of(name, statement), ""
        rows, total, c.at = _rows(statement, c.at, heaps.room(heap), heaps)
        heap.add(columns, rows, total)
        heap.unread += c.word() == "("
        if not c.take("INTO"):
            return why


def _columns(c: Cursor) -> Columns:
    return columns_in(c.inside()) if c.word(1) not in ("SELECT", "WITH") and c.take("(") else None


def _rows(statement: Statement, at: int, room: int, heaps: Heaps) -> tuple[list[tuple[Any, ...]], int, int]:
    """The rows that start here, as far as there is room, how many there are, and where they end."""
    tokens, dialect = statement.tokens, statement.dialect
    rows: list[tuple[Any, ...]] = []
    total = 0
    while at < len(tokens) and tokens[at].text == "(":
        end, edges = _edges(tokens, at)
        if end < 0:
            return rows, total, at
        if total < room and len(edges) <= MAX_VALUES:
            values = [heaps.value(tokens[a + 1 : b], dialect) for a, b in zip((at, *edges), edges, strict=False)]
            heaps.values += len(values)
            rows.append(tuple(values))
        total += 1
        at = end + 1
        at += at < len(tokens) and tokens[at].text == ","
        at += at < len(tokens) and tokens[at].word == "ROW"
    return rows, total, at


def _edges(tokens: Sequence[Token], at: int) -> tuple[int, list[int]]:
    """Where the row that opens here ends, and the marks after each of its values; -1 where it never ends."""
    edges: list[int] = []
    depth = 0
    for i in range(at + 1, len(tokens)):
        text = tokens[i][1]
        if text in ",)" and depth == 0:
            edges.append(i)
            if text == ")":
                return i, edges
        elif text in "([":
            depth += 1
        elif text in ")]":
            depth -= 1
    return -1, edges


_COPIED = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_COPY_ESCAPE = re.compile(r"\\(.)", re.DOTALL)


def read_copy(statement: Statement, heaps: Heaps, schema: str) -> bool:
    """The lines that follow `COPY ... FROM stdin`; False where there are none."""
    c = Cursor(statement.tokens, 1)
    name, columns = c.name(schema), _columns(c)
    if not c.take("FROM STDIN"):
        return False
    start, end = statement.data
    text = statement.script.text
    heap = heaps.of(name, statement)
    room = heaps.room(heap)
    lines = text[start:end].removesuffix("\n").split("\n", room)[:room] if start < end else []
    rows = [tuple(map(_copied, line.split("\t"))) for line in lines]
    heaps.values += sum(map(len, rows))
    heap.add(columns, rows, max(text.count("\n", start, end), len(rows)))
    return True


def _copied(value: str) -> str | None:
    if value == r"\N":
        return None
    return _COPY_ESCAPE.sub(lambda m: _COPIED.get(m[1], m[1]), value) if "\\" in value else value


# Rows as JSON values, in the columns of their table.


MAX_JSON_CHARS = 100_000
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
    convert = _CONVERT.get(shape.format) or _CONVERT.get(shape.kind) if shape is not None else None
    if convert is None or shape is None:
        return values
    dated = shape.format in _DATED
    day_first, guess = day_is_first([v for v in values if isinstance(v, str)]) if dated else (None, False)
    return [v if v is None else convert(v, shape, None if guess else day_first) for v in values]


def _boolean(value: Any, shape: Shape, day_first: bool | None) -> Any:
    return BOOLEANS.get(str(value).strip().lower(), value) if not isinstance(value, bool) else value


def _number(value: Any, shape: Shape, day_first: bool | None) -> Any:
    if isinstance(value, bool):
        return int(value)
    found = number(value) if isinstance(value, str) else value
    if found is UNKNOWN:
        return value
    whole = shape.kind == "integer" and isinstance(found, float) and found.is_integer()
    return int(found) if whole else found


def _string(value: Any, shape: Shape, day_first: bool | None) -> Any:
    return value if isinstance(value, (str, bool, list, dict)) else str(value)


def _date(value: Any, shape: Shape, day_first: bool | None) -> Any:
    found = moment(value, day_first) if isinstance(value, str) else None
    return value if found is None else found.day if found.midnight else str(found)


def _date_time(value: Any, shape: Shape, day_first: bool | None) -> Any:
    found = moment(value, day_first) if isinstance(value, str) else None
    return value if found is None else f"{found.day}T{found.time or '00:00:00'}"


def _time(value: Any, shape: Shape, day_first: bool | None) -> Any:
    if not isinstance(value, str):
        return value
    found = moment(value, day_first)
    return (found.time if found and found.time else time_of_day(value)) or value


def _json(value: Any, shape: Shape, day_first: bool | None) -> Any:
    try:
        small = isinstance(value, str) and len(value) <= MAX_JSON_CHARS
        return json.loads(value, parse_constant=lambda name: name) if small else value
    except (ValueError, RecursionError):
        return value


def _array(value: Any, shape: Shape, day_first: bool | None) -> Any:
    """PostgreSQL: `{1,2}`; MySQL's SET: `a,b`."""
    if not isinstance(value, str):
        return value
    inside = value[1:-1] if value.startswith("{") and value.endswith("}") else value
    if "{" in inside or '"' in inside:
        return value
    convert = _CONVERT.get(shape.items.kind) if shape.items else None
    parts = inside.split(",") if inside else ()
    return [None if part == "NULL" else convert(part, shape, None) if convert else part for part in parts]


_DATED: Mapping[str, Callable[[Any, Shape, bool | None], Any]] = {"date": _date, "date-time": _date_time, "time": _time}
_CONVERT: Mapping[str, Callable[[Any, Shape, bool | None], Any]] = {
    **_DATED,
    **dict.fromkeys(("integer", "number", "decimal"), _number),
    "boolean": _boolean,
    "string": _string,
    "json": _json,
    "array": _array,
}


def constant_for(shape: Shape, value: Any) -> Any:
    """A default as a value of its column: `'0'` of a number is 0."""
    convert = None if shape.format in _DATED else _CONVERT.get(shape.format or shape.kind)
    return value if value is None or convert is None else convert(value, shape, None)


def seen_in(shape: Shape, raw: Sequence[Any]) -> Shape:
    """A shape that the rows know better: a small number that is no boolean, a day with a time, several words at once."""
    values = [v for v in raw if v is not None and v is not UNKNOWN and v is not DEFAULT]
    if shape.kind == "boolean" and any(_boolean(v, shape, None) not in (True, False) for v in values):
        return replace(shape, kind="integer")
    if shape.format == "date" and any(isinstance(v, str) and (m := moment(v, True)) and not m.midnight for v in values):
        return replace(shape, format="date-time")
    if shape.kind == "string" and shape.enum:
        several = any(isinstance(v, str) and "," in v and v not in shape.enum for v in values)
        if several and all(word in shape.enum for v in values for word in str(v).split(",") if word):
            return replace(shape, kind="array", items=Shape("string", enum=shape.enum), enum=())
    return shape
