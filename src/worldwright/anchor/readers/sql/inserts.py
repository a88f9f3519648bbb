"""INSERT and COPY: records that came with the schema.

Plain constants are read by one pattern per value, for a dump holds millions of them; only what is an expression goes to sqlglot.
Rows beyond those that are kept are counted and not read.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from typing import Any

from worldwright.anchor.evidence import Source
from worldwright.anchor.readers.sql.lexical import (
    IDENTIFIER,
    NAME,
    closing,
    first_identifier,
    mark,
    name_of,
    parted,
    strings,
    unquoted,
    without_placeholders,
)
from worldwright.anchor.readers.sql.parse import Dialect
from worldwright.anchor.readers.sql.records import Name, Statement
from worldwright.anchor.readers.sql.values import UNKNOWN, Unknown, constant, number, quick, string

MAX_ROWS = 2_000
"""Rows of one table that are kept."""
MAX_VALUES = 2_000
"""Values of one row."""
MAX_MARKED = 100_000
"""Characters of a statement in which comments and placeholders are looked for."""
MAX_EXPRESSIONS = 30_000
"""Values of all rows that are given to a parser."""
MAX_VALUE_CHARS = 200_000
"""Characters of an expression that is looked at."""

_FLAGS = re.IGNORECASE | re.DOTALL
INSERT = re.compile(
    r"(?:INSERT|REPLACE)\s++(?:(?:LOW_PRIORITY|DELAYED|HIGH_PRIORITY|IGNORE|OVERWRITE|OR\s++\w++)\s++)*+(?:INTO\s++)?(?:TABLE\s++)?"
    rf"(?!ALL\b|FIRST\b|ON\b)(?P<name>{NAME})\s*+",
    _FLAGS,
)
_COLUMNS = re.compile(rf"\(\s*+(?!SELECT\b|WITH\b)((?:{IDENTIFIER}|[\s,.])*+)\)\s*+", _FLAGS)
_VALUES = re.compile(r"(?:OVERRIDING\s++\w++\s++VALUE\s++|OUTPUT\b[^()]*?\s)?VALUES?\s*+(?=\()", _FLAGS)
_SET = re.compile(r"SET\s++", _FLAGS)
_ALL = re.compile(r"INSERT\s++(?:ALL|FIRST)\s", _FLAGS)
_INTO = re.compile(rf"\bINTO\s++(?P<name>{NAME})\s*+", _FLAGS)
COPY = re.compile(
    rf"COPY\s++(?P<name>{NAME})\s*+(?:\((?P<columns>[^()]*+)\)\s*+)?FROM\s++STDIN\b(?P<options>.*)", _FLAGS
)
_SEPARATOR = re.compile(r"\bDELIMITER\s*+(?:AS\s++)?E?'(\\t|.)'", _FLAGS)
_GAP = r"(?:\s++|--[^\n]*+|/\*(?:[^*]++|\*(?!/))*+\*/)*+"
_ROW = re.compile(rf"{_GAP},?{_GAP}(?:ROW\s*+)?\(", _FLAGS)
_TEMPLATE = re.compile(r"[^('\"]*+[({]?(?:\{\{|\$[({]|%\()")
_PART = re.compile(rf"{IDENTIFIER}(?:\s*+\.\s*+{IDENTIFIER})*+")


class Default:
    """The default of the column."""

    def __repr__(self) -> str:
        return "DEFAULT"


DEFAULT = Default()
_CONSTANTS = {"null": None, "true": True, "false": False, "default": DEFAULT}


@dataclass(slots=True)
class Batch:
    """Rows under one list of columns; None where the statement has no such list."""

    columns: tuple[str, ...] | None
    rows: list[tuple[Any, ...]] = field(default_factory=list)


@dataclass(slots=True)
class Heap:
    """The rows of one table as they come."""

    name: Name
    source: Source
    batches: list[Batch] = field(default_factory=list)
    kept: int = 0
    total: int = 0
    unread: int = 0
    """Statements that were not read to their end."""

    def room(self) -> int:
        return MAX_ROWS - self.kept

    def add(self, columns: tuple[str, ...] | None, rows: list[tuple[Any, ...]], total: int) -> None:
        self.total += total
        if rows:
            if not self.batches or self.batches[-1].columns != columns:
                self.batches.append(Batch(columns))
            self.batches[-1].rows += rows
            self.kept += len(rows)


@dataclass(slots=True)
class Heaps:
    """The rows of all tables."""

    by_name: dict[tuple[str, str], Heap] = field(default_factory=dict)
    expressions: int = 0
    """Those that were looked at so far."""

    def of(self, name: Name, statement: Statement) -> Heap:
        there = self.by_name.get(name.key)
        if there is None:
            there = self.by_name[name.key] = Heap(name, statement.source)
        return there

    def value(self, written: str, dialect: Dialect) -> Any:
        """A value that is no plain constant."""
        if written.casefold() in _CONSTANTS:
            return _CONSTANTS[written.casefold()]
        known = quick(written)
        if not isinstance(known, Unknown):
            return known
        self.expressions += 1
        worth = written and len(written) <= MAX_VALUE_CHARS and self.expressions <= MAX_EXPRESSIONS
        return constant(written, dialect.name) if worth else UNKNOWN


def read_insert(statement: Statement, heaps: Heaps, schema: str) -> str | None:
    """The rows of an INSERT; where it gives none, why not."""
    reason = "it takes its rows from a query"
    if not _TEMPLATE.match(statement.text):
        reason = _rows_of(statement, heaps, schema) or ""
        if not reason:
            return None
    marked = without_placeholders(mark(statement.text[:MAX_MARKED], statement.dialect))
    if marked.plain == statement.text:
        return reason
    plain = (marked.plain + statement.text[MAX_MARKED:]).strip()
    return _rows_of(replace(statement, text=plain), heaps, schema)


def _rows_of(statement: Statement, heaps: Heaps, schema: str) -> str | None:
    text = statement.text
    found = INSERT.match(text)
    if found is None:
        return _read_all(statement, heaps, schema) if _ALL.match(text) else "it was not understood"
    pos = found.end()
    columns: tuple[str, ...] | None = None
    listed = _COLUMNS.match(text, pos)
    if listed:
        columns = _column_names(listed[1])
        pos = listed.end()
    values, given = _VALUES.match(text, pos), _SET.match(text, pos)
    if values is None and given is None:
        return "it takes its rows from a query"
    heap = heaps.of(name_of(found["name"], schema), statement)
    if values is None:
        _assigned(statement, heaps, heap, given.end() if given else pos)
        return None
    rows, total, whole = rows_in(text, values.end(), statement.dialect, heap.room(), heaps)
    heap.add(columns, rows, total)
    heap.unread += not whole
    return None


@lru_cache(maxsize=1024)
def _column_names(text: str) -> tuple[str, ...]:
    """The names of a list of columns."""
    return tuple(unquoted(part.split(".")[-1] if part[0] not in '["`' else part) for part in _PART.findall(text))


def _assigned(statement: Statement, heaps: Heaps, heap: Heap, pos: int) -> None:
    """MySQL: `INSERT INTO t SET a = 1, b = 'x'`."""
    marked = mark(statement.text, statement.dialect)
    pairs: dict[str, Any] = {}
    for start, end in parted(marked.mask, pos, len(marked.mask))[:MAX_VALUES]:
        name, after = first_identifier(marked.plain[start:end])
        equal = marked.mask.find("=", start + after, end)
        if name and equal >= 0:
            pairs[name] = heaps.value(marked.plain[equal + 1 : end].strip(), statement.dialect)
    heap.add(tuple(pairs), [tuple(pairs.values())] if heap.room() > 0 else [], 1)


def _read_all(statement: Statement, heaps: Heaps, schema: str) -> str | None:
    """Oracle: `INSERT ALL INTO a (x) VALUES (1) INTO a (x) VALUES (2) SELECT * FROM dual`."""
    marked = mark(statement.text, statement.dialect)
    for found in _INTO.finditer(marked.mask):
        pos = found.end()
        columns: tuple[str, ...] | None = None
        listed = _COLUMNS.match(marked.plain, pos)
        if listed:
            columns, pos = _column_names(listed[1]), listed.end()
        values = _VALUES.match(marked.plain, pos)
        if values:
            heap = heaps.of(name_of(marked.plain[found.start("name") : found.end("name")], schema), statement)
            end = closing(marked.mask, values.end()) + 1
            rows, total, _ = rows_in(marked.plain[values.end() : end], 0, statement.dialect, heap.room(), heaps)
            heap.add(columns, rows, total)
    return None


@cache
def _value_pattern(dialect: Dialect) -> re.Pattern[str]:
    inside = r"(?:[^'\\]++|\\.|'')*+" if dialect.backslash else r"(?:[^']++|'')*+"
    double = r"|\"(?P<double>(?:[^\"\\]++|\\.|\"\")*+)\"" if dialect.backslash else "|(?P<double>(?!))"
    return re.compile(
        rf"\s*+(?:N?'(?P<string>{inside})'{double}|(?P<number>[+-]?(?:\d++\.?\d*+|\.\d++)(?:E[+-]?\d++)?)"
        rf"|(?P<word>NULL|TRUE|FALSE|DEFAULT)|E'(?P<rich>(?:[^'\\]++|\\.|'')*+)')\s*+(?P<end>[,)])",
        _FLAGS,
    )


@cache
def _row_pattern(dialect: Dialect) -> re.Pattern[str]:
    """A row in parentheses, whatever is in it, up to three levels deep."""
    quoted = strings(dialect)
    letters = "eE$" if dialect.dollars else "nNqQ" if dialect.letters else ""
    plain = rf"[^()'\"{letters}]++|{quoted}" + (rf"|[{letters}]" if letters else "")
    flat = rf"(?:{plain})*+"
    two = rf"(?:{plain}|\({flat}\))*+"
    three = rf"(?:{plain}|\({two}\))*+"
    return re.compile(rf"{_GAP},?{_GAP}(?:ROW\s*+)?\({three}\)", _FLAGS)


def rows_in(text: str, pos: int, dialect: Dialect, room: int, heaps: Heaps) -> tuple[list[tuple[Any, ...]], int, bool]:
    """The rows that start here, as far as there is room, how many there are, and whether all of them were seen."""
    rows: list[tuple[Any, ...]] = []
    while len(rows) < room:
        opens = _ROW.match(text, pos)
        row = _row(text, opens.end(), dialect, heaps) if opens else None
        if row is None:
            return rows, len(rows), opens is None
        rows.append(row[0])
        pos = row[1]
    total = len(rows)
    pattern = _row_pattern(dialect)
    while found := pattern.match(text, pos):
        total += 1
        pos = found.end()
    return rows, total, _ROW.match(text, pos) is None


def _row(text: str, pos: int, dialect: Dialect, heaps: Heaps) -> tuple[tuple[Any, ...], int] | None:
    """One row and where it ends; None where it never does."""
    pattern = _value_pattern(dialect)
    values: list[Any] = []
    while len(values) < MAX_VALUES:
        found = pattern.match(text, pos)
        if found:
            values.append(_read_literal(found, dialect))
            end, pos = found["end"], found.end()
        else:
            stop = _end_of_value(text, pos, dialect)
            if stop < 0:
                return None
            values.append(heaps.value(text[pos:stop].strip(), dialect))
            end, pos = text[stop], stop + 1
        if end == ")":
            return tuple(values), pos
    return None


def _read_literal(found: re.Match[str], dialect: Dialect) -> Any:
    if found["string"] is not None:
        return string(found["string"], dialect.backslash)
    if found["number"] is not None:
        return number(found["number"])
    if found["word"] is not None:
        return _CONSTANTS[found["word"].lower()]
    if found["rich"] is not None:
        return string(found["rich"], True, rich=True)
    return string(found["double"].replace('""', '"'), True)


def _end_of_value(text: str, pos: int, dialect: Dialect) -> int:
    """The comma or the parenthesis after an expression."""
    depth = 0
    for found in _edges(dialect).finditer(text, pos):
        ch = found.group()
        if ch in ",)" and depth == 0:
            return found.start()
        if found.end() - pos > MAX_VALUE_CHARS:
            return -1
        depth += (ch == "(" or ch == "[") - (ch == ")" or ch == "]")
    return -1


@cache
def _edges(dialect: Dialect) -> re.Pattern[str]:
    return re.compile(rf"{strings(dialect)}|--[^\n]*+|/\*(?:[^*]++|\*(?!/))*+\*/|[(),\[\]]", _FLAGS)


_COPIED = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_COPY_ESCAPE = re.compile(r"\\(.)", re.DOTALL)


def read_copy(statement: Statement, heaps: Heaps, schema: str) -> bool:
    """The lines that follow `COPY ... FROM stdin`."""
    found = COPY.match(mark(statement.text, statement.dialect).plain)
    if found is None:
        return False
    columns = _column_names(found["columns"]) if found["columns"] else None
    heap = heaps.of(name_of(found["name"], schema), statement)
    as_csv = bool(re.search(r"\bCSV\b", found["options"], re.IGNORECASE))
    said = _SEPARATOR.search(found["options"])
    separator = said[1].replace("\\t", "\t") if said else "," if as_csv else "\t"
    lines = list(statement.lines)
    total = statement.total
    if as_csv and re.search(r"\bHEADER\b", found["options"], re.IGNORECASE):
        lines, total = lines[1:], total - 1
    lines = lines[: max(heap.room(), 0)]
    rows = _separated(lines, separator) if as_csv else [tuple(map(_copied, line.split(separator))) for line in lines]
    heap.add(columns, rows, max(total, len(rows)))
    return True


def _separated(lines: list[str], separator: str) -> list[tuple[Any, ...]]:
    try:
        return [
            tuple(None if value == "" else value for value in row) for row in csv.reader(lines, delimiter=separator)
        ]
    except (csv.Error, TypeError):
        return []


def _copied(value: str) -> str | None:
    if value == r"\N":
        return None
    return _COPY_ESCAPE.sub(lambda m: _COPIED.get(m[1], m[1]), value) if "\\" in value else value
