"""CREATE TABLE."""

from __future__ import annotations

import re
from dataclasses import replace

from worldwright.anchor.readers.sql.catalogue import Catalogue
from worldwright.anchor.readers.sql.items import read_items
from worldwright.anchor.readers.sql.lexical import Marked
from worldwright.anchor.readers.sql.names import NAME, closing, name_of, parted
from worldwright.anchor.readers.sql.records import Column, Name, Parts, Statement, Table
from worldwright.anchor.readers.sql.values import string

MAX_ITEMS = 4_000
"""Columns and constraints of one table."""

_FLAGS = re.IGNORECASE | re.DOTALL
CREATE_TABLE = re.compile(
    r"CREATE\s++(?:OR\s++REPLACE\s++)?(?P<kind>(?:(?:GLOBAL|LOCAL|PRIVATE|TEMPORARY|TEMP|UNLOGGED|EXTERNAL|FOREIGN|VIRTUAL|IMMUTABLE"
    r"|BLOCKCHAIN|SHARDED|DUPLICATED|MEMORY|COLUMN|ROW|TRANSIENT|STABLE)\s++)*+)TABLE\s++(?P<if>IF\s++NOT\s++EXISTS\s++)?"
    rf"(?P<name>{NAME})\s*+",
    _FLAGS,
)
_OF = re.compile(rf"PARTITION\s++OF\s++({NAME})", _FLAGS)
_LIKE = re.compile(rf"LIKE\s++({NAME})", _FLAGS)
_INHERITS = re.compile(rf"\bINHERITS\s*+\(\s*+({NAME})", _FLAGS)
_SAYS = re.compile(r"\bCOMMENT\s*+=?\s*+(['\"])", _FLAGS)
_SELECT = re.compile(r"\s*+(?:AS\b|\(?\s*+SELECT\b|WITH\b[^(]*+AS\b)", _FLAGS)


def create_table(statement: Statement, marked: Marked, found: re.Match[str], to: Catalogue) -> None:
    """A table of its own, or the reason why it is none."""
    name = name_of(marked.plain[found.start("name") : found.end("name")], to.schema)
    mask, after = marked.mask, found.end()
    kind = found["kind"].upper()
    if "TEMP" in kind or name.own.startswith("#"):
        to.skip(f"temporary table {name}", "it lasts only as long as a session", statement.source)
        return
    if "VIRTUAL" in kind or "EXTERNAL" in kind:
        to.skip(f"{kind.split()[-1].lower()} table {name}", "its rows are kept elsewhere", statement.source)
        return
    part = _OF.match(mask, after)
    if part:
        to.is_part(name, name_of(marked.plain[part.start(1) : part.end(1)], to.schema))
        to.skip(f"table {name}", "it is a partition of another table", statement.source)
        return
    like = _LIKE.match(mask, after)
    opens = mask.find("(", after)
    if _SELECT.match(mask, after) or (opens < 0 and not like) or _SELECT.match(mask, opens + 1):
        to.skip(f"table {name}", "it is made by a query: its columns are not declared", statement.source)
        return
    if like:
        parts = Parts(like=(name_of(marked.plain[like.start(1) : like.end(1)], to.schema),))
        close = len(mask)
    else:
        close = closing(mask, opens)
        spans = parted(mask, opens + 1, close)[:MAX_ITEMS]
        parts = read_items(statement, marked, spans)
        if close == len(mask):
            to.warn(f"the columns of table {name} have no closing parenthesis", statement.source)
    parent = _INHERITS.search(mask, close)
    if parent:
        above = name_of(marked.plain[parent.start(1) : parent.end(1)], to.schema)
        parts = replace(parts, like=(*parts.like, above))
    table = _table(name, parts, statement, to)
    says = _remark(marked, close, statement) or " ".join(statement.above.split())
    to.put(replace(table, says=says), keep=bool(found["if"]))


def _table(name: Name, parts: Parts, statement: Statement, to: Catalogue) -> Table:
    """A new table out of its parts; the first of two columns with the same name stays."""
    above = [table for other in parts.like if (table := to.find(other)) is not None]
    columns: dict[str, Column] = {}
    for column in (*(c for table in above for c in table.columns), *parts.columns):
        columns.setdefault(column.name.casefold(), column)
    for what, source in parts.unread:
        to.warn(f"table {name}: {what}", source)
    if not columns:
        to.warn(f"table {name} has no columns that were understood", statement.source)
    table = Table(name, tuple(columns.values()), statement.source)
    return with_parts(table, replace(parts, columns=(), key=parts.key or (above[0].key if above else ())))


def with_parts(table: Table, parts: Parts) -> Table:
    """A table and what was added to it."""
    names = {column.name.casefold() for column in table.columns}
    added = tuple(column for column in parts.columns if column.name.casefold() not in names)
    defaults = {name.casefold(): value for name, value in parts.defaults.items()}
    columns = tuple(
        replace(c, shape=replace(c.shape, default=defaults[c.name.casefold()])) if c.name.casefold() in defaults else c
        for c in (*table.columns, *added)
    )
    return replace(
        table,
        columns=columns,
        key=tuple(dict.fromkeys(parts.key)) or table.key,
        unique=tuple(dict.fromkeys((*table.unique, *parts.unique))),
        links=tuple(dict.fromkeys((*table.links, *parts.links))),
        checks=tuple(dict.fromkeys((*table.checks, *parts.checks))),
        rules=tuple(dict.fromkeys((*table.rules, *parts.rules))),
    )


def _remark(marked: Marked, close: int, statement: Statement) -> str:
    """`COMMENT='...'` among the options of a table."""
    found = _SAYS.search(marked.mask, close)
    if not found:
        return ""
    end = marked.mask.find(found[1], found.end())
    inside = marked.plain[found.end() : end if end >= 0 else len(marked.plain)]
    return string(inside, statement.dialect.backslash).strip()
