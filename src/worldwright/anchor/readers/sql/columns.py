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
from worldwright.anchor.readers.sql.parse import column_definition
from worldwright.anchor.readers.sql.records import Catalogue, Check, Column, Link, Name, Table
from worldwright.anchor.readers.sql.shapes import named, typed
from worldwright.anchor.readers.sql.split import Statement
from worldwright.anchor.readers.sql.tokens import Cursor, Token, columns_in, parted, remark_on, written

MAX_ITEMS = 4_000
"""Columns and constraints of one table."""
MAX_SHOWN = 120
"""Characters of what was not understood."""


def add_items(table: Table, statement: Statement, tokens: Sequence[Token], to: Catalogue) -> None:
    """Add what a list of definitions and constraints says to a table; the first of two columns with the same name stays."""
    for item in parted(tokens)[:MAX_ITEMS]:
        understood = _add_constraint(statement, item, table)
        column = read_column(statement, item, table.name, to) if understood is None else None
        if column is not None:
            table.columns.setdefault(column.name.casefold(), column)
            table.key += (column.name,) if column.key and column.name not in table.key else ()
            table.unique += [(column.name,)] if column.unique else []
            table.links += column.links
            table.checks += column.checks
        elif not understood:
            to.warn(f"table {table.name}: `{written(item)[:MAX_SHOWN]}` was not understood", statement.at(item))


def _add_constraint(statement: Statement, item: Sequence[Token], table: Table) -> bool | None:
    """Read an item that is no column; None where it is one, False where it cannot be read."""
    c = Cursor(item)
    stated = bool(c.take("CONSTRAINT"))
    if stated and c.word() not in ("PRIMARY", "UNIQUE", "FOREIGN", "CHECK"):
        c.identifier()
    at = c.at
    if c.take("PRIMARY KEY") and c.to("("):
        names = columns_in(c.inside())
        table.key = names or table.key
        return bool(names)
    if c.take("UNIQUE") and c.to("("):
        add_unique(table, c.inside())
    elif c.take("FOREIGN KEY") and c.to("("):
        names = columns_in(c.inside())
        link = _reference(c, names) if names and c.take("REFERENCES") else None
        table.links += [link] if link else []
        return bool(link)
    elif c.take("CHECK NOT FOR REPLICATION (", "CHECK ("):
        table.checks.append(_check(c, statement.dialect))
    elif c.take("EXCLUDE USING", "EXCLUDE ("):
        table.rules.append(written(item[at:]))
    elif c.take("DEFAULT") and c.to("FOR"):
        value = constant(written(item[at + 1 : c.at - 1]), statement.dialect)
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


def _reference(c: Cursor, columns: tuple[str, ...]) -> Link | None:
    """The table and the columns after REFERENCES; None where they cannot be told."""
    to = c.name()
    by = columns_in(c.inside()) if c.take("(") else ()
    return Link(columns, to, by) if to.own and by is not None else None


def _check(c: Cursor, dialect: str) -> Check:
    """A condition, without the parentheses around it."""
    tokens = c.inside()
    while len(tokens) > 2 and tokens[0].word == "(" and Cursor(tokens, 1).inside() == tokens[1:-1]:
        tokens = tokens[1:-1]
    return Check(written(tokens), dialect)


def _concerns_storage(c: Cursor) -> bool:
    """Tell whether an item is an index, or names another table, and no column that is called `key` or `index`."""
    stored = c.take("KEY", "INDEX", "FULLTEXT", "SPATIAL", "PERIOD FOR", "SUPPLEMENTAL LOG", "LIKE")
    return stored == "LIKE" or bool(stored and c.to("(") and c.token().kind not in ("string", "number"))


def read_column(statement: Statement, item: Sequence[Token], of: Name, to: Catalogue) -> Column | None:
    """A column and its definition; None where it has no name."""
    c = Cursor(item)
    name = c.identifier()
    if not name:
        return None
    column = define(c.rest, statement.dialect)
    column.name, column.source = name, statement.at(item)
    column.links = [replace(link, columns=(name,)) for link in column.links]
    column.says = column.says or remark_on(item)
    if column.unread:
        to.warn(f"table {of}: column {name}: `{column.unread[:MAX_SHOWN]}` was read in part", column.source)
    return column


def define(tokens: Sequence[Token], dialect: str) -> Column:
    """What follows the name of a column or a type."""
    c = Cursor(tokens)
    left: list[Token] = []
    checks: list[Check] = []
    links: list[Link] = []
    computed = ""
    while c.at < len(tokens):
        at = c.at
        if c.take("CHECK NOT FOR REPLICATION (", "CHECK ("):
            checks.append(_check(c, dialect))
        elif c.take("FOREIGN KEY REFERENCES", "REFERENCES"):
            links += [link] if (link := _reference(c, ())) else []
        elif c.take("GENERATED ALWAYS AS (", "AS ("):
            computed = written(c.inside())
        elif at == 0 and c.take("AS"):
            while c.at < len(tokens) and c.word() != "PERSISTED":
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
    return replace(_facts(rest, dialect), checks=checks, links=links, computed=computed)


_STORAGE = re.compile(
    r"('(?:[^'\\]|\\.|'')*+')|\bROWGUIDCOL\b|\bNOT\s+FOR\s+REPLICATION\b|\b(?:ENABLE|DISABLE)\b(?:\s+(?:NO)?VALIDATE\b)?"
    r"|\bON\s+CONFLICT\s+\w+|\bSPARSE\b|\bUSING\s+INDEX\b.*|\b(?:TEXTIMAGE_|FILESTREAM_)?ON\s+\[[^\]]*\]"
    r"|\b(?:MASKED\s+)?WITH\s*\([^()]*(?:\([^()]*\)[^()]*)?\)|\bHIDDEN\b|\bPERSISTED\b|\bSTORED\b|\bVIRTUAL\b"
    r"|\b(?:NON)?CLUSTERED\b|\bNO\s+INHERIT\b|\bNOT\s+VALID\b|(?<=DEFAULT)\s+ON\s+NULL\b|\bSRID\s+\d+"
    r"|\bON\s+(?:DELETE|UPDATE)\s+(?:CASCADE|RESTRICT|NO\s+ACTION|SET\s+(?:NULL|DEFAULT))|\b(?:NOT\s+)?DEFERRABLE\b"
    r"|\bINITIALLY\s+(?:DEFERRED|IMMEDIATE)\b|\bMATCH\s+(?:FULL|SIMPLE|PARTIAL)\b|\b(?:IN)?VISIBLE\b"
    r"|\b(?:CHARACTER\s+SET|CHARSET)\s+\w+|\bCOLLATE\s+(?:[\w.]+|[\"'`][^\s]*)",
    re.IGNORECASE | re.DOTALL,
)
"""Strings, and words that say nothing about the values and that sqlglot does not take in every dialect."""
_TYPE = re.compile(
    r"(.*?)\s*(\b(?:NOT|NULL|DEFAULT|PRIMARY|UNIQUE|GENERATED|COMMENT|AUTO_?INCREMENT|IDENTITY)\b.*|\Z)",
    re.IGNORECASE | re.DOTALL,
)
"""The words of a type, and what follows it."""


@lru_cache(maxsize=8192)
def _facts(rest: str, dialect: str) -> Column:
    """Return what the rest of a definition says, its structure taken out. It is shared: nobody changes it."""
    known = re.sub(r"^LONG\b(?!\s+RAW\b)", "CLOB", rest, flags=re.IGNORECASE) if dialect == "oracle" else rest
    found = column_definition(known, dialect) if rest else None
    if found is not None or not rest:
        return _understood(found, dialect)
    kind, more = _TYPE.fullmatch(rest).groups()  # type: ignore[union-attr]  # it matches every text
    shape = named(kind)
    found = column_definition(f"TEXT {more}", dialect)
    out = _understood(found, dialect)
    out.shape = replace(shape or Shape("any"), default=out.shape.default)
    out.unread = "" if found and shape else rest
    if found is None:
        words = re.sub(r"'(?:[^']|'')*+'", "''", more).upper()
        out.empty = False if re.search(r"\bNOT\s+NULL\b", words) else None
        out.key, out.unique = "PRIMARY KEY" in words, bool(re.search(r"\bUNIQUE\b", words))
    return out


def _understood(definition: exp.ColumnDef | None, dialect: str) -> Column:
    if definition is None:
        return Column(Shape("any"))
    out = typed(definition.args.get("kind"), dialect)
    for constraint in definition.args.get("constraints") or ():
        _add_fact(out, constraint.args.get("kind"))
    out.counts = out.counts or (dialect == "sqlite" and out.key and out.shape.kind == "integer")
    return out


def _add_fact(column: Column, constraint: Any) -> None:
    match constraint:
        case exp.NotNullColumnConstraint():
            column.empty = bool(constraint.args.get("allow_null"))
        case exp.PrimaryKeyColumnConstraint():
            column.key = True
        case exp.UniqueColumnConstraint():
            column.unique = True
        case exp.AutoIncrementColumnConstraint() | exp.GeneratedAsIdentityColumnConstraint():
            column.counts = True
        case exp.GeneratedAsRowColumnConstraint():
            column.filled = True
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
