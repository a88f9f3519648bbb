"""A script, statement by statement: what each of them is, and who reads it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from worldwright.anchor.readers.sql.alter import ALTER_TABLE, alter_table
from worldwright.anchor.readers.sql.bodies import BODY
from worldwright.anchor.readers.sql.catalogue import Catalogue
from worldwright.anchor.readers.sql.inserts import Heaps, read_copy, read_insert
from worldwright.anchor.readers.sql.lexical import Marked, mark
from worldwright.anchor.readers.sql.names import IDENTIFIER, NAME, name_of, without_placeholders
from worldwright.anchor.readers.sql.others import (
    ADD_TO_ENUM,
    COMMENT_ON,
    CREATE_ALIAS,
    CREATE_COMPOSITE,
    CREATE_DATABASE,
    CREATE_ENUM,
    EXECUTE,
    SEARCH_PATH,
    UNIQUE_INDEX,
    USE,
    add_to_enum,
    comment_on,
    create_alias,
    create_composite,
    create_enum,
    extended_property,
    name_database,
    set_schema,
    unique_index,
    use_database,
)
from worldwright.anchor.readers.sql.records import Statement
from worldwright.anchor.readers.sql.split import statements
from worldwright.anchor.readers.sql.tables import CREATE_TABLE, create_table

MAX_STATEMENT_CHARS = 1_000_000
"""Characters of one definition."""

_FLAGS = re.IGNORECASE | re.DOTALL
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
