"""Column definitions and constraints, as they stand in CREATE TABLE and after ADD.

What is structure is taken out first (conditions, references, the expression of a computed column); the type and the other
constraints go to sqlglot, in the dialect of the text and then in the others. What none of them takes is read by its words alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from sqlglot import exp

from worldwright.anchor.evidence import Shape
from worldwright.anchor.readers.sql.expressions import UNKNOWN, constant, value_of
from worldwright.anchor.readers.sql.parse import column_definition, dialects
from worldwright.anchor.readers.sql.records import Catalogue, Check, Column, Link, Name, Table
from worldwright.anchor.readers.sql.shapes import typed
from worldwright.anchor.readers.sql.split import Statement
from worldwright.anchor.readers.sql.tokens import Cursor, Token, columns_in, parted, unwrapped, worth_saying, written

MAX_ITEMS = 4_000
"""Columns and constraints of one table."""
MAX_SHOWN = 120
"""Characters of what was not understood."""
MAX_PIECES = 30
"""Words of a definition that is read in part."""


def add_items(table: Table, statement: Statement, tokens: Sequence[Token], to: Catalogue) -> None:
    """Add what a list of definitions and constraints says to a table; the first of two columns with the same name stays."""
    added: list[tuple[Column, tuple[int, int]]] = []
    for item in parted(tokens)[:MAX_ITEMS]:
        read = _constraint(statement, item, table)
        if read is None:
            column = read_column(statement, item)
            read = column is not None
            if column is not None:
                added.append((column, statement.lines(item)))
                _put(table, column, to)
        if not read:
            to.warn(f"table {table.name}: `{written(item)[:MAX_SHOWN]}` was not understood", statement.at(item))
    if statement.comments and tokens:
        _add_remarks(statement, tokens[-1].end, added)


def _put(table: Table, column: Column, to: Catalogue) -> None:
    table.columns.setdefault(column.name.casefold(), column)
    table.key += (column.name,) if column.key and column.name not in table.key else ()
    table.unique += [(column.name,)] if column.unique else []
    table.links += column.links
    table.checks += column.checks
    if not column.whole and column.source:
        to.warn(f"table {table.name}: {column.says}", column.source)
        column.says = ""


def _add_remarks(statement: Statement, end: int, added: Sequence[tuple[Column, tuple[int, int]]]) -> None:
    """Give columns what a comment beside or right above them says, where they have no better one."""
    first = {lines[0]: column for column, lines in reversed(added)}
    last = {lines[1]: column for column, lines in added}
    text, line = statement.script.text, statement.script.line
    close = text.find(")", end)
    for comment in statement.comments:
        alone = not text[text.rfind("\n", 0, comment.start) + 1 : comment.start].strip()
        column = first.get(line(comment.end) + 1) if alone else last.get(line(comment.start))
        if column is not None and not column.says and worth_saying(comment.text) and not comment.start > close >= 0:
            column.says = " ".join(comment.text.split())


def _constraint(statement: Statement, item: Sequence[Token], table: Table) -> bool | None:
    """Read an item that is no column; None where it is one, False where it cannot be read."""
    c = Cursor(item)
    stated = bool(c.take("CONSTRAINT"))
    if stated and c.word() not in ("PRIMARY", "UNIQUE", "FOREIGN", "CHECK"):
        c.identifier()
    at, dialect = c.at, statement.dialect.name
    if c.take("PRIMARY KEY") and c.to("("):
        names = columns_in(c.inside())
        table.key = names or table.key
        return bool(names)
    if c.take("UNIQUE") and c.to("("):
        add_unique(table, c.inside())
    elif c.take("FOREIGN KEY") and c.to("("):
        names = columns_in(c.inside())
        link = _reference(c) if c.take("REFERENCES") else None
        table.links += [Link(names, *link)] if names and link else []
        return bool(names and link)
    elif c.take("CHECK NOT FOR REPLICATION (", "CHECK ("):
        table.checks.append(Check(written(unwrapped(c.inside())), dialect))
    elif c.take("EXCLUDE USING", "EXCLUDE ("):
        table.rules.append(written(item[at:]))
    elif c.take("DEFAULT") and c.to("FOR"):
        value = constant(written(item[at + 1 : c.at - 1]), dialect)
        column = table.columns.get(c.identifier().casefold())
        if column is not None and value is not UNKNOWN:
            column.shape = replace(column.shape, default=value)
    elif not _concerns_storage(c):
        return False if stated else None
    return True


def add_unique(table: Table, inside: Sequence[Token], only: str = "") -> None:
    """Unique columns; a condition or an expression makes it a rule."""
    names = columns_in(inside)
    if names and not only:
        table.unique.append(names)
    else:
        table.rules.append(f"UNIQUE ({written(inside)}){only}")


def _reference(c: Cursor) -> tuple[Name, tuple[str, ...]] | None:
    """The table and the columns after REFERENCES; None where they cannot be told."""
    to = c.name()
    by = columns_in(c.inside()) if c.take("(") else ()
    return (to, by) if to.own and by is not None else None


def _concerns_storage(c: Cursor) -> bool:
    """Tell whether an item is an index, or names another table, and no column that is called `key` or `index`."""
    if c.take("FULLTEXT", "SPATIAL", "PERIOD FOR", "SUPPLEMENTAL LOG", "LIKE"):
        return True
    if not c.take("KEY", "INDEX", "CLUSTERED KEY", "CLUSTERED INDEX"):
        return False
    if c.word() != "(":
        c.identifier()
    if c.take("USING"):
        c.identifier()
    return bool(c.take("UNIQUE", "CLUSTERED", "NONCLUSTERED")) or (
        c.word() == "(" and c.token(1).kind not in ("string", "number")
    )


def read_column(statement: Statement, item: Sequence[Token]) -> Column | None:
    """A column and its definition; None where it has no name."""
    c = Cursor(item)
    name = c.identifier()
    if not name:
        return None
    column, rest = define(c.rest, statement.dialect.name)
    column.name, column.source = name, statement.at(item)
    column.links = [replace(link, columns=(name,)) for link in column.links]
    if not column.whole:
        column.says = f"column {name}: `{rest[:MAX_SHOWN]}` was read in part"
    return column


def define(tokens: Sequence[Token], dialect: str) -> tuple[Column, str]:
    """What follows the name of a column or a type, and what of it is left without its structure."""
    c = Cursor(tokens)
    left: list[Token] = []
    checks: list[Check] = []
    links: list[Link] = []
    computed, filled = "", False
    while c.at < len(tokens):
        at = c.at
        if c.take("CHECK NOT FOR REPLICATION (", "CHECK ("):
            checks.append(Check(written(unwrapped(c.inside())), dialect))
        elif c.take("FOREIGN KEY REFERENCES", "REFERENCES"):
            links += [Link((), *link)] if (link := _reference(c)) else []
        elif c.take("GENERATED ALWAYS AS ROW START", "GENERATED ALWAYS AS ROW END"):
            filled = True
        elif c.take("GENERATED ALWAYS AS (", "AS ("):
            computed = written(c.inside())
        elif at == 0 and c.take("AS"):
            while c.at < len(tokens) and c.word() != "PERSISTED" and not c.ahead("NOT NULL"):
                c.at += 1
            computed = written(tokens[1 : c.at])
        elif c.take("CONSTRAINT"):
            c.identifier()
        else:
            if c.take("("):
                c.inside()
            c.at = max(c.at, at + 1)
            left += tokens[at : c.at]
    rest = _STORAGE.sub(lambda m: m[1] or " ", written(left)).strip()
    found = _facts(rest, dialect)
    return replace(found, checks=checks, links=links, computed=computed, filled=found.filled or filled), rest


_STORAGE = re.compile(
    r"('(?:[^'\\]|\\.|'')*+')|\bROWGUIDCOL\b|\bNOT\s+FOR\s+REPLICATION\b|\b(?:ENABLE|DISABLE)\b(?:\s+(?:NO)?VALIDATE\b)?"
    r"|\bON\s+CONFLICT\s+\w+|\bSPARSE\b|\bUSING\s+INDEX\b.*|\b(?:TEXTIMAGE_|FILESTREAM_)?ON\s+\[[^\]]*\]"
    r"|\b(?:MASKED\s+)?WITH\s*\([^()]*(?:\([^()]*\)[^()]*)?\)|\bHIDDEN\b|\bPERSISTED\b|\bSTORED\b|\bVIRTUAL\b|\bFILESTREAM\b"
    r"|\b(?:NON)?CLUSTERED\b|\bTABLESPACE\s+\S+|\bENCODE\s+\w+|\b(?:DIST|SORT)KEY\b|\bCOMPRESSION\s+\w+"
    r"|\bNO\s+INHERIT\b|\bNOT\s+VALID\b"
    r"|\bSORT\b|\bENCRYPT\b|(?<=DEFAULT)\s+ON\s+NULL\b|\bSTORAGE\s+(?:PLAIN|EXTENDED|MAIN|EXTERNAL)\b|\bSRID\s+\d+"
    r"|\bON\s+(?:DELETE|UPDATE)\s+(?:CASCADE|RESTRICT|NO\s+ACTION|SET\s+(?:NULL|DEFAULT))|\b(?:NOT\s+)?DEFERRABLE\b"
    r"|\bINITIALLY\s+(?:DEFERRED|IMMEDIATE)\b|\bMATCH\s+(?:FULL|SIMPLE|PARTIAL)\b|\bCOLUMN_FORMAT\s+\w+"
    r"|\b(?:CHARACTER\s+SET|CHARSET)\s+\w+|\bCOLLATE\s+(?:[\w.]+|[\"'`][^\s]*)|\b(?:IN)?VISIBLE\b",
    re.IGNORECASE | re.DOTALL,
)
"""Strings, and words that say nothing about the values and that sqlglot does not take in every dialect."""
_ODD_TYPES: tuple[tuple[re.Pattern[str], str, str], ...] = tuple(
    (re.compile(rf"^(?:{odd})", re.IGNORECASE), usual, dialect)
    for odd, usual, dialect in (
        (r"LONG\s+RAW\b", "BLOB", ""),
        (r"LONG\s+VARCHAR\b|(?:BIT\s+VARYING|VARBIT)\b(?:\s*\(\d+\))?", "TEXT", ""),
        (r"LONG\b", "CLOB", "oracle"),
        (r"(?:UNSIGNED\s+)?BIG\s+INT\b|NUMBER\s*\(\s*\d+\s*,\s*-\d+\s*\)", "BIGINT", ""),
        (r"(?:NATIONAL|NATIVE)\s+(?:VARCHAR|CHAR(?:ACTER)?\s+VARYING)\b|VARYING\s+CHARACTER\b", "VARCHAR", ""),
        (r"(?:NATIONAL|NATIVE)\s+(?:CHARACTER|CHAR)\b", "CHAR", ""),
        (r"INTERVAL\s+(?:YEAR|MONTH|DAY|HOUR|MINUTE|SECOND)[^,]*?TO\s+\w+(?:\s*\(\d\))?", "INTERVAL", ""),
        (r"(?:FLOAT|REAL)\s*(?:\(\s*\d+\s*(?:,\s*\d+\s*)?\))?\s+UNSIGNED\b", "FLOAT", ""),
    )
)
"""Types that sqlglot does not know, and the like of them; the last is the only dialect where it is one."""


@lru_cache(maxsize=8192)
def _facts(rest: str, dialect: str) -> Column:
    """Return what the rest of a definition says, its structure taken out. It is shared: nobody changes it."""
    for odd, usual, only in _ODD_TYPES:
        rest = odd.sub(usual, rest, count=1) if only in ("", dialect) else rest
    if not rest:
        return Column(Shape("any"))
    for name in dialects(dialect, rest):
        found = column_definition(rest, name)
        if found is not None:
            return _understood(found, dialect)
    return _in_part(rest, dialect)


def _understood(definition: exp.ColumnDef, dialect: str) -> Column:
    out = typed(definition.args.get("kind"), dialect)
    for constraint in definition.args.get("constraints") or ():
        _add_constraint(out, constraint.args.get("kind"))
    out.counts = out.counts or (dialect == "sqlite" and out.key and out.shape.kind == "integer")
    return out


def _add_constraint(column: Column, constraint: Any) -> None:
    match constraint:
        case exp.NotNullColumnConstraint():
            column.empty = bool(constraint.args.get("allow_null"))
        case exp.PrimaryKeyColumnConstraint():
            column.key = True
        case exp.UniqueColumnConstraint():
            column.unique = True
        case exp.AutoIncrementColumnConstraint() | exp.GeneratedAsIdentityColumnConstraint():
            column.counts = True
        case exp.CommentColumnConstraint():
            column.says = constraint.name.strip()
        case exp.DefaultColumnConstraint():
            set_default(column, value_of(constraint.this), constraint.this.sql())


def set_default(column: Column, value: Any, said: str) -> None:
    """Give a column a default, or have the database number it."""
    if "nextval" in said.casefold() or "next value for" in said.casefold():
        column.counts = True
    elif value is not UNKNOWN:
        column.shape = replace(column.shape, default=value)


def _in_part(rest: str, dialect: str) -> Column:
    """A definition that no parser takes: as much of its beginning as one does, and the words that follow."""
    pieces = rest.split()[:MAX_PIECES]
    starts = (" ".join(pieces[:n]) for n in range(len(pieces) - 1, 0, -1))
    found = next(
        (f for start in starts for name in dialects(dialect, start) if (f := column_definition(start, name))), None
    )
    out = _understood(found, dialect) if found else Column(Shape("any"))
    words = re.sub(r"'(?:[^']|'')*+'", "''", rest).upper()
    out.empty = False if re.search(r"\bNOT\s+NULL\b", words) else True if re.search(r"\bNULL\b", words) else None
    out.counts = out.counts or bool(re.search(r"\bAUTO_?INCREMENT\b|\bIDENTITY\b|\bNEXTVAL\b", words))
    out.key, out.unique, out.whole = "PRIMARY KEY" in words, bool(re.search(r"\bUNIQUE\b", words)), False
    return out
