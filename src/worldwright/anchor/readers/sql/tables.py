"""CREATE TABLE."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import reduce

from worldwright.anchor.readers.sql.columns import collapsed, facts, take
from worldwright.anchor.readers.sql.lexical import (
    IDENTIFIER,
    NAME,
    Comment,
    Marked,
    closing,
    columns_in,
    first_identifier,
    name_of,
    parted,
    worth_saying,
)
from worldwright.anchor.readers.sql.records import Catalogue, Check, Column, Link, Name, Parts, Statement, Table
from worldwright.anchor.readers.sql.values import Unknown, constant, string

_FLAGS = re.IGNORECASE | re.DOTALL

# A list of column definitions and constraints, as it stands in CREATE TABLE and after ADD.


Span = tuple[int, int]

_CONSTRAINT = re.compile(rf"CONSTRAINT\s++(?:(?!PRIMARY\b|UNIQUE\b|FOREIGN\b|CHECK\b){IDENTIFIER}\s++)?", _FLAGS)
_PRIMARY = re.compile(r"PRIMARY\s++KEY\b[^(]*+\(", _FLAGS)
_UNIQUE = re.compile(r"UNIQUE\b[^(]*+\(", _FLAGS)
_FOREIGN = re.compile(rf"FOREIGN\s++KEY\b[^(]*+\(([^()]*+)\)\s*+REFERENCES\s++({NAME})\s*+(\()?", _FLAGS)
_CHECK = re.compile(r"CHECK\s*+(?:NOT\s+FOR\s+REPLICATION\s*+)?\(", _FLAGS)
_EXCLUDE = re.compile(r"EXCLUDE\s++(?:USING\b|\()", _FLAGS)
_DEFAULT_FOR = re.compile(rf"DEFAULT\b(.*?)\bFOR\s++({IDENTIFIER})\s*+(?:WITH\s++VALUES\s*+)?$", _FLAGS)
_COPIED = re.compile(rf"LIKE\s++({NAME})(?:\s|$)", _FLAGS)
_NOTHING = re.compile(
    rf"(?:(?:FULLTEXT|SPATIAL|CLUSTERED|HASH|VECTOR)\s++)?(?:KEY|INDEX)\b\s*+(?:{IDENTIFIER}\s*+)?+(?:USING\s++\w++\s*+)?\((?!\s*+(?:\d++\s*+[),]|'))"
    r"|(?:FULLTEXT|SPATIAL)\b|PERIOD\s++FOR\b|SUPPLEMENTAL\s++LOG\b|INDEX\s++\S++\s++(?:UNIQUE\s++)?(?:NON)?CLUSTERED\b",
    _FLAGS,
)


def read_items(statement: Statement, marked: Marked, spans: Iterable[Span], schema: str = "") -> Parts:
    """Return what all of them say together."""
    spans = tuple(spans)
    joined = reduce(_joined, (_item(statement, marked, span, schema) for span in spans), Parts())
    close = marked.mask.find(")", spans[-1][1]) if spans else -1
    comments = [comment for comment in marked.comments if close < 0 or comment.start < close]
    return replace(joined, columns=_with_comments(marked, comments, joined.columns, statement))


def _joined(one: Parts, two: Parts) -> Parts:
    return Parts(
        one.columns + two.columns,
        one.key + two.key,
        one.unique + two.unique,
        one.links + two.links,
        one.checks + two.checks,
        one.rules + two.rules,
        {**one.defaults, **two.defaults},
        one.like + two.like,
        one.unread + two.unread,
    )


def _item(statement: Statement, marked: Marked, span: Span, schema: str) -> Parts:
    start, end = span
    named = _CONSTRAINT.match(marked.mask, start, end)
    begin = named.end() if named else start
    for pattern, read in _CONSTRAINTS:
        found = pattern.match(marked.mask, begin, end)
        if found:
            parts = read(statement, marked, found, end)
            return _not_read(statement, marked, span) if parts is None else parts
    if named:
        return _not_read(statement, marked, span)
    return _column(statement, marked, span, schema)


def _not_read(statement: Statement, marked: Marked, span: Span) -> Parts:
    what = collapsed(marked, *span)
    return Parts(unread=((f"`{what[:120]}` was not understood", statement.at(*span)),))


def _primary(statement: Statement, marked: Marked, found: re.Match[str], end: int) -> Parts | None:
    names = columns_in(marked, found.end(), closing(marked.mask[:end], found.end() - 1))
    return Parts(key=names) if names else None


def _unique(statement: Statement, marked: Marked, found: re.Match[str], end: int) -> Parts | None:
    close = closing(marked.mask[:end], found.end() - 1)
    names = columns_in(marked, found.end(), close)
    if names:
        return Parts(unique=(names,))
    return Parts(rules=(f"UNIQUE ({collapsed(marked, found.end(), close)})",))


def _foreign(statement: Statement, marked: Marked, found: re.Match[str], end: int) -> Parts | None:
    names = columns_in(marked, found.start(1), found.end(1))
    to: tuple[str, ...] | None = ()
    if found[3]:
        to = columns_in(marked, found.end(), closing(marked.mask[:end], found.end() - 1))
    if not names or to is None:
        return None
    return Parts(links=(Link(names, name_of(marked.plain[found.start(2) : found.end(2)]), to),))


def _check(statement: Statement, marked: Marked, found: re.Match[str], end: int) -> Parts | None:
    close = closing(marked.mask[:end], found.end() - 1)
    return Parts(checks=(Check(collapsed(marked, found.end(), close), statement.dialect.name),))


def _rule(statement: Statement, marked: Marked, found: re.Match[str], end: int) -> Parts | None:
    return Parts(rules=(collapsed(marked, found.start(), end),))


def _default_for(statement: Statement, marked: Marked, found: re.Match[str], end: int) -> Parts | None:
    value = constant(marked.plain[found.start(1) : found.end(1)], statement.dialect.name)
    column = first_identifier(marked.plain[found.start(2) : found.end(2)])[0]
    return Parts(defaults={} if isinstance(value, Unknown) else {column: value})


def _like(statement: Statement, marked: Marked, found: re.Match[str], end: int) -> Parts | None:
    return Parts(like=(name_of(marked.plain[found.start(1) : found.end(1)]),))


def _nothing(statement: Statement, marked: Marked, found: re.Match[str], end: int) -> Parts | None:
    return Parts()


_Read = Callable[[Statement, Marked, re.Match[str], int], Parts | None]
_CONSTRAINTS: tuple[tuple[re.Pattern[str], _Read], ...] = (
    (_PRIMARY, _primary),
    (_FOREIGN, _foreign),
    (_CHECK, _check),
    (_NOTHING, _nothing),
    (_UNIQUE, _unique),
    (_EXCLUDE, _rule),
    (_DEFAULT_FOR, _default_for),
    (_COPIED, _like),
)


def _column(statement: Statement, marked: Marked, span: Span, schema: str) -> Parts:
    start, end = span
    name, after = first_identifier(marked.plain[start:end])
    if not name:
        return _not_read(statement, marked, span)
    dialect = statement.dialect.name
    taken = take(marked, start + after, end)
    found = facts(taken.rest, dialect)
    source = statement.at(start, end)
    column = Column(
        name,
        found.shape,
        source,
        found.type,
        found.many,
        found.empty,
        found.counts,
        found.filled or taken.filled,
        taken.computed,
        found.says,
    )
    unread = () if found.whole else ((f"column {name}: `{taken.rest.strip()[:120]}` was read in part", source),)
    return Parts(
        (column,),
        (name,) if found.key else (),
        ((name,),) if found.unique else (),
        tuple(Link((name,), table, to) for table, to in taken.links),
        tuple(Check(text, dialect, name) for text in taken.checks),
        unread=unread,
    )


def _with_comments(
    marked: Marked, comments: list[Comment], columns: tuple[Column, ...], statement: Statement
) -> tuple[Column, ...]:
    """Columns with what a comment beside or right above them says, where they have no better one."""
    if not comments or not columns:
        return columns
    first = {int(str(c.source.at).split("-")[0]): index for index, c in reversed(list(enumerate(columns)))}
    last = {int(str(c.source.at).split("-")[-1]): index for index, c in enumerate(columns)}
    said: dict[int, str] = {}
    ends = [found.start() for found in re.finditer("\n", marked.text)]
    for comment in comments:
        index = _about(marked, comment, statement.first, ends, first, last)
        if index is not None and worth_saying(comment.text):
            said.setdefault(index, " ".join(comment.text.split()))
    return tuple(replace(c, says=c.says or said.get(index, "")) for index, c in enumerate(columns))


def _about(
    marked: Marked, comment: Comment, line: int, ends: list[int], first: dict[int, int], last: dict[int, int]
) -> int | None:
    """The column that a comment is about: the one that ends on its line, or the one that starts below it."""
    before = bisect_left(ends, comment.start)
    begin = ends[before - 1] + 1 if before else 0
    if marked.mask[begin : comment.start].strip():
        return last.get(line + before)
    return first.get(line + 1 + bisect_left(ends, comment.end))


MAX_ITEMS = 4_000
"""Columns and constraints of one table."""

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
