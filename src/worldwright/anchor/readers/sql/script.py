"""A script, statement by statement: what each of them is, and who reads it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from worldwright.anchor.evidence import Field, Shape
from worldwright.anchor.readers.sql.alter import ALTER_TABLE, alter_table
from worldwright.anchor.readers.sql.columns import collapsed, facts, take
from worldwright.anchor.readers.sql.inserts import Heaps, read_copy, read_insert
from worldwright.anchor.readers.sql.lexical import (
    IDENTIFIER,
    NAME,
    Marked,
    closing,
    columns_in,
    mark,
    name_of,
    parted,
    unquoted,
    without_placeholders,
)
from worldwright.anchor.readers.sql.records import Catalogue, Check, Name, Parts, Statement, Type
from worldwright.anchor.readers.sql.split import BODY, statements
from worldwright.anchor.readers.sql.tables import CREATE_TABLE, create_table, read_items, with_parts
from worldwright.anchor.readers.sql.values import constant, string

_FLAGS = re.IGNORECASE | re.DOTALL

# Statements around the tables: types, comments, indexes, and what is left out with a reason.


CREATE_ENUM = re.compile(rf"CREATE\s++TYPE\s++(?P<name>{NAME})\s++AS\s++ENUM\s*+\(", _FLAGS)
CREATE_COMPOSITE = re.compile(rf"CREATE\s++TYPE\s++(?P<name>{NAME})\s++AS\s*+(?:OBJECT\s*+)?\(", _FLAGS)
CREATE_ALIAS = re.compile(
    rf"CREATE\s++(?:TYPE\s++(?P<name>{NAME})\s++FROM|DOMAIN\s++(?P<domain>{NAME})(?:\s++AS\b)?)\s++", _FLAGS
)
ADD_TO_ENUM = re.compile(
    rf"ALTER\s++TYPE\s++(?P<name>{NAME})\s++ADD\s++VALUE\s++(?:IF\s++NOT\s++EXISTS\s++)?(?P<word>'[^']*+')", _FLAGS
)
COMMENT_ON = re.compile(rf"COMMENT\s++ON\s++(?P<kind>TABLE|COLUMN)\s++(?P<name>{NAME})\s++IS\s++(?P<says>.++)", _FLAGS)
UNIQUE_INDEX = re.compile(
    rf"CREATE\s++UNIQUE\s++(?:\w++\s++)*?INDEX\s++(?:CONCURRENTLY\s++)?(?:IF\s++NOT\s++EXISTS\s++)?(?:(?!ON\b){NAME}\s++)?"
    rf"ON\s++(?:ONLY\s++)?(?P<name>{NAME})\s*+(?:USING\s++\w++\s*+)?\(",
    _FLAGS,
)
EXECUTE = re.compile(rf"(?:EXEC(?:UTE)?\s++(?P<name>{NAME})|(?P<bare>sp_addextendedproperty))\s++", _FLAGS)
SEARCH_PATH = re.compile(rf"SET\s++(?:SESSION\s++|LOCAL\s++)?search_path\s*+(?:=|TO)\s*+(?P<name>{IDENTIFIER})", _FLAGS)
USE = re.compile(rf"USE\s++(?P<name>{IDENTIFIER})", _FLAGS)
CREATE_DATABASE = re.compile(rf"CREATE\s++DATABASE\s++(?:IF\s++NOT\s++EXISTS\s++)?(?P<name>{IDENTIFIER})", _FLAGS)
_WHERE = re.compile(r"\bWHERE\b(.++)", _FLAGS)


def create_enum(statement: Statement, marked: Marked, found: re.Match[str], to: Catalogue) -> None:
    close = closing(marked.mask, found.end() - 1)
    words = [_text(marked.plain[a:b], statement) for a, b in parted(marked.mask, found.end(), close)]
    _put(Type(_name(marked, found), Shape("string", enum=tuple(dict.fromkeys(words)))), to)


def add_to_enum(statement: Statement, marked: Marked, found: re.Match[str], to: Catalogue) -> None:
    name = _name(marked, found)
    there = to.types.get(name.key) or to.types.get(("", name.key[1]))
    if there is not None:
        word = _text(marked.plain[found.start("word") : found.end("word")], statement)
        enum = tuple(dict.fromkeys((*there.shape.enum, word)))
        _put(replace(there, shape=replace(there.shape, enum=enum)), to)


def create_composite(statement: Statement, marked: Marked, found: re.Match[str], to: Catalogue) -> None:
    close = closing(marked.mask, found.end() - 1)
    parts = read_items(statement, marked, parted(marked.mask, found.end(), close)[:200])
    name = _name(marked, found)
    fields = {c.name: Field(c.name, c.shape, says=c.says, source=c.source) for c in parts.columns}
    _put(Type(name, Shape("object", name=name.own, fields=fields)), to)


def create_alias(statement: Statement, marked: Marked, found: re.Match[str], to: Catalogue) -> None:
    """A domain, or T-SQL's other name for a type."""
    group = "name" if found["name"] else "domain"
    taken = take(marked, found.end(), len(marked.mask))
    said = facts(taken.rest, statement.dialect.name)
    checks = tuple(Check(text, statement.dialect.name) for text in taken.checks)
    _put(Type(_name(marked, found, group), said.shape, said.empty, checks, said.type), to)


def _put(found: Type, to: Catalogue) -> None:
    to.types[found.name.key] = found
    to.types.setdefault(("", found.name.key[1]), found)


def _name(marked: Marked, found: re.Match[str], group: str = "name") -> Name:
    return name_of(marked.plain[found.start(group) : found.end(group)])


def _text(written: str, statement: Statement) -> str:
    value = constant(written, statement.dialect.name)
    return value if isinstance(value, str) else string(written.strip().strip("'"), False)


def comment_on(statement: Statement, marked: Marked, found: re.Match[str], to: Catalogue) -> None:
    value = constant(marked.plain[found.start("says") : found.end("says")], statement.dialect.name)
    name = _name(marked, found)
    if not isinstance(value, str):
        return
    if found["kind"].upper() == "TABLE":
        _say(name, "", value, to)
        return
    parts = marked.plain[found.start("name") : found.end("name")]
    table, column = _without_last(parts)
    _say(name_of(table, to.schema), column, value, to)


_LAST = re.compile(rf"(.*)\.\s*({IDENTIFIER})\s*$", _FLAGS)


def _without_last(text: str) -> tuple[str, str]:
    """`hr.employees.email` as a table and a column."""
    found = _LAST.match(text)
    return (found[1], unquoted(found[2])) if found else (text, "")


def _say(name: Name, column: str, says: str, to: Catalogue) -> None:
    table = to.find(name)
    if table is None or not says.strip():
        return
    says = says.strip()
    if not column:
        to.put(replace(table, says=says), keep=False, again=True)
        return
    columns = (replace(c, says=says) if c.name.casefold() == column.casefold() else c for c in table.columns)
    to.put(replace(table, columns=tuple(columns)), keep=False, again=True)


_ARGUMENTS = ("name", "value", "level0type", "level0name", "level1type", "level1name", "level2type", "level2name")
_ASSIGNED = re.compile(r"@(\w+)\s*+=\s*+", _FLAGS)


def extended_property(statement: Statement, marked: Marked, found: re.Match[str], to: Catalogue) -> None:
    """T-SQL keeps descriptions as properties: `sp_addextendedproperty N'MS_Description', N'...', ...`."""
    if not found["bare"] and _name(marked, found).own.casefold() != "sp_addextendedproperty":
        return
    given: dict[str, str] = {}
    for index, (start, end) in enumerate(parted(marked.mask, found.end(), len(marked.mask))[:10]):
        named = _ASSIGNED.match(marked.mask, start, end)
        key = named[1].lower() if named else _ARGUMENTS[index] if index < len(_ARGUMENTS) else ""
        written = marked.plain[named.end() if named else start : end].strip()
        given[key] = _text(written, statement) if "'" in written else unquoted(written)
    if "description" not in given.get("name", "").lower() or given.get("level1type", "").upper() != "TABLE":
        return
    kind = given.get("level2type", "NULL").upper()
    if kind in ("COLUMN", "NULL", ""):
        column = given.get("level2name", "") if kind == "COLUMN" else ""
        _say(Name(given.get("level0name", ""), given.get("level1name", "")), column, given.get("value", ""), to)


def unique_index(statement: Statement, marked: Marked, found: re.Match[str], to: Catalogue) -> None:
    """Unique columns; a condition or an expression makes it a rule."""
    table = to.find(name_of(marked.plain[found.start("name") : found.end("name")], to.schema))
    if table is None:
        return
    close = closing(marked.mask, found.end() - 1)
    names = columns_in(marked, found.end(), close)
    where = _WHERE.search(marked.mask, close)
    if names and not where:
        parts = Parts(unique=(names,))
    else:
        only = f" WHERE {collapsed(marked, where.start(1), where.end(1))}" if where else ""
        parts = Parts(rules=(f"UNIQUE ({collapsed(marked, found.end(), close)}){only}",))
    to.put(with_parts(table, parts), keep=False, again=True)


def set_schema(statement: Statement, marked: Marked, found: re.Match[str], to: Catalogue) -> None:
    name = unquoted(marked.plain[found.start("name") : found.end("name")])
    to.schema = "" if name in ("''", '""', "pg_catalog") else name


def use_database(statement: Statement, marked: Marked, found: re.Match[str], to: Catalogue) -> None:
    name_database(statement, marked, found, to)
    if statement.dialect.backslash:
        to.schema = unquoted(marked.plain[found.start("name") : found.end("name")])


def name_database(statement: Statement, marked: Marked, found: re.Match[str], to: Catalogue) -> None:
    name = unquoted(marked.plain[found.start("name") : found.end("name")]).strip()
    if name.casefold() not in ("", "master", "mysql", "test", "tempdb") and name.isidentifier():
        to.database = to.database or name


MAX_STATEMENT_CHARS = 1_000_000
"""Characters of one definition."""

_INSERT = re.compile(r"(?:INSERT|REPLACE)\s++(?!ON\b)", _FLAGS)
_ROUTINE = re.compile(
    r"(?:CREATE|ALTER)\s++(?:OR\s++(?:REPLACE|ALTER)\s++)?(?:DEFINER\s*+=\s*+\S++\s++)?(?:\w++\s++){0,2}?"
    rf"(?P<kind>PROCEDURE|PROC|FUNCTION|TRIGGER|PACKAGE(?:\s++BODY)?|EVENT|RULE)\s++(?:IF\s++NOT\s++EXISTS\s++)?(?P<name>{NAME})",
    _FLAGS,
)
_VIEW = re.compile(
    r"(?:CREATE|ALTER)\s++(?:OR\s++(?:REPLACE|ALTER)\s++)?(?:[^\s(]++\s++){0,8}?VIEW\s++(?:IF\s++NOT\s++EXISTS\s++)?"
    rf"(?P<name>{NAME})",
    _FLAGS,
)
_DROP_TABLE = re.compile(rf"DROP\s++TABLE\s++(?:IF\s++EXISTS\s++)?(?P<name>{NAME})", _FLAGS)
_ELSEWHERE = re.compile(
    rf"(?:BULK\s++INSERT\s++(?P<bulk>{NAME})|LOAD\s++DATA\b.*?\bINTO\s++TABLE\s++(?P<load>{NAME})|\\?COPY\s++(?P<copy>{NAME}))",
    _FLAGS,
)
_CHANGES = re.compile(
    rf"(?P<verb>UPDATE|DELETE|MERGE)\s++(?:\w++\s++){{0,2}}?(?:FROM\s++|INTO\s++)?(?P<name>{IDENTIFIER})", _FLAGS
)
_DO = re.compile(r"DO\s++(?:LANGUAGE\s++\w++\s++)?(?P<tag>\$\w*+\$)", _FLAGS)
_AROUND = re.compile(
    r"(?:IF|ELSE|BEGIN|END|DECLARE|THEN|EXCEPTION|WHEN|EXEC|EXECUTE|CALL|PRINT|SET|START|RETURN)\b", _FLAGS
)
"""What other statements may stand in."""
_INSIDE = re.compile(r"\b(?:CREATE\s++(?:TABLE|TYPE|DOMAIN)|ALTER\s++TABLE|INSERT\s++INTO)\b", _FLAGS)
_IGNORED = re.compile(
    r"(?:SET|SELECT|GRANT|REVOKE|DENY|BEGIN|COMMIT|ROLLBACK|START|LOCK|UNLOCK|PRAGMA|ANALYZE|VACUUM|DROP|EXEC|EXECUTE|PRINT|DECLARE|IF"
    r"|ELSE|END|CALL|FLUSH|DBCC|REINDEX|TRUNCATE|CHECKPOINT|RETURN|RAISERROR|THROW|SHOW|EXIT|NOTIFY|WITH|USE|DO|ATTACH|DETACH|SAVEPOINT"
    r"|RELEASE|EXPLAIN|REFRESH|COMMENT|PURGE|RENAME|WAITFOR|OPTIMIZE|CREATE|ALTER)\b",
    _FLAGS,
)
DATA_ELSEWHERE = "its rows lie in a file of their own; give that file as well"


def follow(statement: Statement, to: Catalogue, heaps: Heaps) -> bool:
    """Take what a statement says; False where it is no SQL at all."""
    if _INSERT.match(statement.text):
        reason = read_insert(statement, heaps, to.schema)
        if reason:
            to.skip("INSERT", reason, statement.source)
        return True
    if len(statement.text) > MAX_STATEMENT_CHARS:
        to.skip("a statement", f"it has more than {MAX_STATEMENT_CHARS:,} characters", statement.source)
        return True
    marked = without_placeholders(mark(statement.text, statement.dialect))
    if statement.lines and read_copy(statement, heaps, to.schema):
        return True
    if _follow_do(statement, marked, to, heaps):
        return True
    for pattern, handle in KINDS:
        found = pattern.match(marked.mask)
        if found:
            handle(statement, marked, found, to)
            return True
    return _follow_inside(statement, marked, to, heaps)


def _follow_do(statement: Statement, marked: Marked, to: Catalogue, heaps: Heaps) -> bool:
    """PostgreSQL: definitions that stand in a block so that they may fail."""
    found = _DO.match(statement.text)
    if found is None:
        return False
    end = statement.text.rfind(found["tag"])
    inside = statement.text[found.end() : end if end > found.end() else len(statement.text)]
    before = statement.first + statement.text.count("\n", 0, found.end()) - 1
    for part in statements(inside, statement.file, statement.dialect):
        inner = mark(part.text, part.dialect)
        where = _INSIDE.search(inner.mask)
        if where and "INSERT" not in where.group().upper():
            line = part.first + part.text.count("\n", 0, where.start())
            follow(
                replace(part, text=part.text[where.start() :], first=line + before, last=part.last + before), to, heaps
            )
    return True


def _follow_inside(statement: Statement, marked: Marked, to: Catalogue, heaps: Heaps) -> bool:
    """A definition inside of another statement: `IF OBJECT_ID('x') IS NULL CREATE TABLE x (...)`."""
    around = _AROUND.match(marked.mask)
    known = bool(_IGNORED.match(marked.mask))
    inside = _INSIDE.search(marked.mask) if around or not known else None
    if inside and inside.start():
        line = statement.first + statement.text.count("\n", 0, inside.start())
        return follow(replace(statement, text=statement.text[inside.start() :], first=line), to, heaps)
    if not known:
        to.skip("text", "it is no statement that is known", statement.source)
    return known


def _routine(statement: Statement, marked: Marked, found: re.Match[str], to: Catalogue) -> None:
    name = name_of(marked.plain[found.start("name") : found.end("name")])
    kind = " ".join(found["kind"].lower().split()).replace("proc ", "procedure ")
    to.skip(
        f"{'procedure' if kind == 'proc' else kind} {name}",
        "what a program does is not read from its code",
        statement.source,
    )


def _block(statement: Statement, marked: Marked, found: re.Match[str], to: Catalogue) -> None:
    if statement.dialect.name == "oracle":
        to.skip("a block", "what a program does is not read from its code", statement.source)


def _view(statement: Statement, marked: Marked, found: re.Match[str], to: Catalogue) -> None:
    name = name_of(marked.plain[found.start("name") : found.end("name")], to.schema)
    to.is_view(name)
    to.skip(f"view {name}", "a view shows what the tables hold", statement.source)


def _drop_table(statement: Statement, marked: Marked, found: re.Match[str], to: Catalogue) -> None:
    to.drop_table(name_of(marked.plain[found.start("name") : found.end("name")], to.schema), statement.source)


def _elsewhere(statement: Statement, marked: Marked, found: re.Match[str], to: Catalogue) -> None:
    group = found.lastgroup or "copy"
    to.skip(f"data of {name_of(marked.plain[found.start(group) : found.end(group)])}", DATA_ELSEWHERE, statement.source)


def _changes(statement: Statement, marked: Marked, found: re.Match[str], to: Catalogue) -> None:
    to.skip(found["verb"].upper(), "only rows that are inserted are read", statement.source)


Handler = Callable[[Statement, Marked, re.Match[str], Catalogue], None]
KINDS: tuple[tuple[re.Pattern[str], Handler], ...] = (
    (CREATE_TABLE, create_table),
    (ALTER_TABLE, alter_table),
    (COMMENT_ON, comment_on),
    (UNIQUE_INDEX, unique_index),
    (CREATE_ENUM, create_enum),
    (CREATE_COMPOSITE, create_composite),
    (CREATE_ALIAS, create_alias),
    (ADD_TO_ENUM, add_to_enum),
    (EXECUTE, extended_property),
    (SEARCH_PATH, set_schema),
    (USE, use_database),
    (CREATE_DATABASE, name_database),
    (_DROP_TABLE, _drop_table),
    (_ROUTINE, _routine),
    (_VIEW, _view),
    (_ELSEWHERE, _elsewhere),
    (_CHANGES, _changes),
    (BODY, _block),
)
"""What a statement may be, by how it starts; the first that fits."""
