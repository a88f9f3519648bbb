"""A script, statement by statement: what each of them is, and who reads it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from worldwright.anchor.evidence import Shape
from worldwright.anchor.readers.sql.columns import add_unique, define
from worldwright.anchor.readers.sql.records import Catalogue, Column, Name
from worldwright.anchor.readers.sql.rows import read_copy, read_insert
from worldwright.anchor.readers.sql.split import Statement, statements
from worldwright.anchor.readers.sql.tables import alter_table, create_table
from worldwright.anchor.readers.sql.tokens import Cursor, Token, parted, written
from worldwright.english.words import wordset

DATA_ELSEWHERE = "its rows lie in a file of their own; give that file as well"
PROGRAM = "what a program does is not read from its code"
_AROUND = wordset("IF ELSE BEGIN END")
"""What definitions may stand in."""
_DEFINITIONS = ("CREATE TABLE", "CREATE TYPE", "CREATE DOMAIN", "ALTER TABLE", "INSERT INTO")


def follow(statement: Statement, to: Catalogue) -> bool:
    """Take what a statement says of tables, types and rows, or say why it is left out; False where it does neither."""
    c = Cursor(statement.tokens)
    source, dialect = statement.source, statement.dialect
    if c.word() in ("INSERT", "REPLACE"):
        read_insert(statement, to)
    elif c.take("DO"):
        _follow_block(statement, to)
    elif c.take("ALTER TABLE", "ALTER FOREIGN TABLE"):
        alter_table(statement, c, to)
    elif c.take("ALTER TYPE"):
        there = to.type_of(c.name())
        if there is not None and c.take("ADD VALUE IF NOT EXISTS", "ADD VALUE"):
            enum = dict.fromkeys((*there.shape.enum, c.token().text))
            there.shape = replace(there.shape, enum=tuple(enum))
    elif c.take("CREATE", "ALTER"):
        return _create(statement, c, to)
    elif c.take("COMMENT ON"):
        _comment(c, to)
    elif c.take("DROP TABLE IF EXISTS", "DROP TABLE"):
        table = to.find(c.name(to.schema))
        if table is not None:
            to.warn(f"table {table.name} is dropped here; it is kept", source)
    elif c.take("EXEC", "EXECUTE"):
        return _describe(c, to)
    elif c.take("SET SEARCH_PATH =", "SET SEARCH_PATH TO"):
        name = c.identifier()
        to.schema = "" if name == "pg_catalog" else name
    elif c.take("USE"):
        name = c.identifier()
        _name_database(name, to)
        to.schema = name if dialect == "mysql" else to.schema
    elif verb := c.take("UPDATE", "DELETE", "MERGE"):
        to.skip(verb, "only rows that are inserted are read", source)
    elif verb := c.take("\\ COPY", "COPY", "BULK INSERT", "LOAD DATA"):
        if verb != "COPY" or not read_copy(statement, to):
            c.at = c.at if verb != "LOAD DATA" or c.to("TABLE") else 0
            to.skip(f"data of {c.name()}", DATA_ELSEWHERE, source)
    elif dialect == "oracle" and c.take("BEGIN", "DECLARE"):
        to.skip("a block", PROGRAM, source)
    else:
        where = _inside(statement.tokens) if c.word() in _AROUND else 0
        return bool(where) and follow(replace(statement, tokens=statement.tokens[where:]), to)
    return True


def _inside(tokens: Sequence[Token]) -> int:
    """Where a definition starts in another statement (`IF OBJECT_ID('x') IS NULL CREATE TABLE x (...)`); 0 where there is none."""
    starts = (i for i, t in enumerate(tokens) if t.word in ("CREATE", "ALTER", "INSERT"))
    return next((i for i in starts if Cursor(tokens, i).take(*_DEFINITIONS)), 0)


def _follow_block(statement: Statement, to: Catalogue) -> None:
    """PostgreSQL: definitions that stand in a block so that they may fail."""
    body = next((token for token in statement.tokens if token.kind == "string"), None)
    if body is None:
        return
    quote = body.raw.find("$", 1) + 1
    for part in statements(statement.script, body.start + quote, body.end - quote):
        start = part.tokens[_inside(part.tokens) :]
        if start[0].word in ("CREATE", "ALTER"):
            follow(replace(part, tokens=start), to)


_ROUTINES = ("PROCEDURE", "PROC", "FUNCTION", "TRIGGER", "PACKAGE", "EVENT", "RULE")
_THINGS = ("TABLE", "VIEW", "INDEX", "TYPE", "DOMAIN", "DATABASE", *_ROUTINES)


def _create(statement: Statement, c: Cursor, to: Catalogue) -> bool:
    """What is created, by the first word that names a kind of thing."""
    kind = c.to(*_THINGS)
    before = [token.word for token in c.tokens[1 : max(c.at - 1, 1)]]
    if kind == "TABLE" and not {"AS", "ON", "TO"}.intersection(before):
        create_table(statement, before, c, to)
        return True
    c.take("IF NOT EXISTS")
    if kind == "INDEX" and "UNIQUE" in before:
        c.to("ON")
        c.take("ONLY")
        table = to.find(c.name(to.schema))
        if table is not None and c.to("("):
            add_unique(table, c.inside(), f" WHERE {written(c.rest)}" if c.to("WHERE") else "")
    elif kind in ("TYPE", "DOMAIN") and not c.take("BODY"):
        _create_type(statement, c, to, kind == "DOMAIN")
    elif kind == "DATABASE" and c.tokens[0].word == "CREATE":
        _name_database(c.identifier(), to)
    elif kind == "VIEW":
        name = c.name(to.schema)
        to.tables.pop(name.key, None)  # a dump may have written it as a table first
        to.skip(f"view {name}", "a view shows what the tables hold", statement.source)
    elif kind in _ROUTINES:
        called = ("procedure" if kind == "PROC" else kind.lower()) + (" body" if c.take("BODY") else "")
        to.skip(f"{called} {c.name()}", PROGRAM, statement.source)
    return bool(kind)


def _create_type(statement: Statement, c: Cursor, to: Catalogue, domain: bool) -> None:
    """An enum, a type of several fields, a domain, or T-SQL's other name for a type."""
    name = c.name()
    if c.take("AS ENUM ("):
        found = Column(Shape("string", enum=tuple(dict.fromkeys(part[0].text for part in parted(c.inside())))))
    elif c.take("AS OBJECT (", "AS ("):
        found = Column(Shape("object", name=name.own))
    elif c.take("FROM") or domain:
        c.take("AS")
        found = define(c.rest, statement.dialect)
    else:
        return
    to.types[name.key] = found
    to.types.setdefault(("", name.key[1]), found)


def _comment(c: Cursor, to: Catalogue) -> None:
    kind, at = c.take("TABLE", "COLUMN"), c.at
    name = c.tokens[at : c.at - 1] if kind and c.to("IS") else []
    if name and c.token().kind == "string":
        table = Cursor(name if kind == "TABLE" else name[:-2]).name(to.schema)
        _say(table, "" if kind == "TABLE" else name[-1].text, c.token().text, to)


def _say(name: Name, column: str, says: str, to: Catalogue) -> None:
    table = to.find(name)
    about = table.columns.get(column.casefold()) if table and column else table
    if about is not None and says.strip():
        about.says = says.strip()


def _describe(c: Cursor, to: Catalogue) -> bool:
    """T-SQL keeps descriptions as properties: a name, the text, and by pairs what it is about.

    `sp_addextendedproperty N'MS_Description', N'...', N'SCHEMA', N'dbo', N'TABLE', N't', N'COLUMN', N'c'`
    """
    if c.name().own.casefold() != "sp_addextendedproperty":
        return False
    name, says, _, schema, kind, table, inner, column = ([part[-1].text for part in parted(c.rest)] + [""] * 8)[:8]
    if "description" in name.lower() and kind.upper() == "TABLE" and inner.upper() in ("COLUMN", "NULL", ""):
        _say(Name(schema, table), column if inner.upper() == "COLUMN" else "", says, to)
    return True


def _name_database(name: str, to: Catalogue) -> None:
    if name.casefold() not in ("", "master", "mysql", "test", "tempdb") and name.isidentifier():
        to.database = to.database or name
