"""A script, statement by statement: what each of them is, and who reads it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from worldwright.anchor.evidence import Field, Shape
from worldwright.anchor.readers.sql.columns import add_unique, define, read_column
from worldwright.anchor.readers.sql.expressions import constant
from worldwright.anchor.readers.sql.records import Catalogue, Column, Name
from worldwright.anchor.readers.sql.rows import Heaps, read_copy, read_insert
from worldwright.anchor.readers.sql.split import Statement, statements
from worldwright.anchor.readers.sql.tables import alter_table, create_table
from worldwright.anchor.readers.sql.tokens import Cursor, Token, parted, written
from worldwright.english.words import wordset

MAX_STATEMENT_TOKENS = 300_000
"""Of one definition."""
MAX_FIELDS = 200
"""Of a type that is made of several."""
MAX_DEPTH = 20
"""Definitions inside of other statements."""
DATA_ELSEWHERE = "its rows lie in a file of their own; give that file as well"
PROGRAM = "what a program does is not read from its code"


def follow(statement: Statement, to: Catalogue, heaps: Heaps, depth: int = 0) -> bool:
    """Take what a statement says; False where it is no SQL at all."""
    c = Cursor(statement.tokens)
    if c.word() in ("INSERT", "REPLACE") and c.word(1) != "ON":
        reason = read_insert(statement, heaps, to.schema)
        if reason:
            to.skip("INSERT", reason, statement.source)
        return True
    if len(statement.tokens) > MAX_STATEMENT_TOKENS:
        to.skip("a statement", "it is too long", statement.source)
        return True
    if c.take("DO"):
        body = next((token for token in statement.tokens if token.kind == "string"), None)
        return _follow_block(statement, body, to, heaps, depth) if body else True
    return _defines(statement, c, to, heaps) or _follow_inside(statement, to, heaps, depth)


def _follow_block(statement: Statement, body: Token, to: Catalogue, heaps: Heaps, depth: int) -> bool:
    """PostgreSQL: definitions that stand in a block so that they may fail."""
    quote = body.text.find("$", 1) + 1 if body.text[0] == "$" else 1
    for part in statements(statement.script, body.start + quote, body.end - quote):
        where = _inside(part.tokens)
        if where >= 0 and part.tokens[where].word != "INSERT" and depth < MAX_DEPTH:
            follow(replace(part, tokens=part.tokens[where:]), to, heaps, depth + 1)
    return True


_AROUND = wordset("IF ELSE BEGIN END DECLARE THEN EXCEPTION WHEN EXEC EXECUTE CALL PRINT SET START RETURN")
"""What other statements may stand in."""
_IGNORED = (_AROUND - {"THEN", "EXCEPTION", "WHEN"}) | wordset(
    "SELECT GRANT REVOKE DENY COMMIT ROLLBACK LOCK UNLOCK PRAGMA ANALYZE VACUUM DROP FLUSH DBCC REINDEX TRUNCATE CHECKPOINT "
    "RAISERROR THROW SHOW EXIT NOTIFY WITH USE ATTACH DETACH SAVEPOINT RELEASE EXPLAIN REFRESH COMMENT PURGE RENAME WAITFOR "
    "OPTIMIZE CREATE ALTER"
)


def _inside(tokens: Sequence[Token]) -> int:
    """Where a definition starts; -1 where there is none."""
    defines = ("CREATE TABLE", "CREATE TYPE", "CREATE DOMAIN", "ALTER TABLE", "INSERT INTO")
    starts = (i for i, t in enumerate(tokens) if t.word in ("CREATE", "ALTER", "INSERT"))
    return next((i for i in starts if Cursor(tokens, i).take(*defines)), -1)


def _follow_inside(statement: Statement, to: Catalogue, heaps: Heaps, depth: int) -> bool:
    """A definition inside of another statement: `IF OBJECT_ID('x') IS NULL CREATE TABLE x (...)`."""
    first = statement.tokens[0].word
    known = first in _IGNORED
    where = _inside(statement.tokens) if (first in _AROUND or not known) and depth < MAX_DEPTH else -1
    if where > 0:
        return follow(replace(statement, tokens=statement.tokens[where:]), to, heaps, depth + 1)
    if not known:
        to.skip("text", "it is no statement that is known", statement.source)
    return known


def _defines(statement: Statement, c: Cursor, to: Catalogue, heaps: Heaps) -> bool:
    """Take what a statement says of tables, types and rows, or say why it is left out; False where it does neither."""
    source, dialect = statement.source, statement.dialect
    if c.take("ALTER TABLE", "ALTER FOREIGN TABLE"):
        alter_table(statement, c, to)
    elif c.take("ALTER TYPE"):
        there = to.type_of(c.name())
        if there is not None and c.take("ADD VALUE IF NOT EXISTS", "ADD VALUE"):
            enum = dict.fromkeys((*there.shape.enum, _text(c.rest[:1], dialect.name)))
            there.shape = replace(there.shape, enum=tuple(enum))
    elif c.take("CREATE", "ALTER"):
        return _create(statement, c, to)
    elif c.take("COMMENT ON"):
        _comment(c, dialect.name, to)
    elif c.take("DROP TABLE IF EXISTS", "DROP TABLE"):
        key = to.key_of(c.name(to.schema))
        to.dropped |= {key: source} if key else {}
    elif c.take("EXEC", "EXECUTE"):
        return _describe(c, dialect.name, to)
    elif c.take("SET SEARCH_PATH =", "SET SEARCH_PATH TO"):
        name = c.identifier()
        to.schema = "" if name == "pg_catalog" else name
    elif c.take("USE"):
        name = c.identifier()
        _name_database(name, to)
        to.schema = name if dialect.backslash else to.schema
    elif verb := c.take("UPDATE", "DELETE", "MERGE"):
        to.skip(verb, "only rows that are inserted are read", source)
    elif verb := c.take("\\ COPY", "COPY", "BULK INSERT", "LOAD DATA"):
        if verb != "COPY" or not read_copy(statement, heaps, to.schema):
            c.at = c.at if verb != "LOAD DATA" or c.to("TABLE") else 0
            to.skip(f"data of {c.name()}", DATA_ELSEWHERE, source)
    elif dialect.name == "oracle" and c.take("BEGIN", "DECLARE"):
        to.skip("a block", PROGRAM, source)
    else:
        return False
    return True


_ROUTINES = ("PROCEDURE", "PROC", "FUNCTION", "TRIGGER", "PACKAGE", "EVENT", "RULE")
_THINGS = ("TABLE", "VIEW", "INDEX", "TYPE", "DOMAIN", "DATABASE", *_ROUTINES)
_MODIFIERS = wordset(
    "OR REPLACE GLOBAL LOCAL PRIVATE TEMPORARY TEMP UNLOGGED EXTERNAL FOREIGN VIRTUAL IMMUTABLE BLOCKCHAIN SHARDED DUPLICATED "
    "MEMORY COLUMN ROW TRANSIENT STABLE"
)
"""What may stand before TABLE."""


def _create(statement: Statement, c: Cursor, to: Catalogue) -> bool:
    """What is created, by the first word that names a kind of thing."""
    kind = c.to(*_THINGS)
    before = [token.word for token in c.tokens[1 : max(c.at - 1, 1)]]
    if kind == "TABLE" and _MODIFIERS.issuperset(before):
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
    name, dialect = c.name(), statement.dialect.name
    if c.take("OID"):
        c.identifier()
    if c.take("AS ENUM ("):
        words = [_text(part, dialect) for part in parted(c.inside())]
        found = Column(Shape("string", enum=tuple(dict.fromkeys(words))))
    elif c.take("AS OBJECT (", "AS ("):
        columns = [read_column(statement, item) for item in parted(c.inside())[:MAX_FIELDS]]
        fields = {one.name: Field(one.name, one.shape, says=one.says, source=one.source) for one in columns if one}
        found = Column(Shape("object", name=name.own, fields=fields))
    elif c.take("FROM") or domain:
        c.take("AS")
        found, _ = define(c.rest, dialect)
    else:
        return
    to.types[name.key] = found
    to.types.setdefault(("", name.key[1]), found)


def _text(tokens: Sequence[Token], dialect: str) -> str:
    value = constant(written(tokens), dialect)
    return value if isinstance(value, str) else tokens[0].name if tokens else ""


def _comment(c: Cursor, dialect: str, to: Catalogue) -> None:
    kind, at = c.take("TABLE", "COLUMN"), c.at
    name = c.tokens[at : c.at - 1] if kind and c.to("IS") else []
    value = constant(written(c.rest), dialect)
    if isinstance(value, str) and name:
        _say(
            Cursor(name if kind == "TABLE" else name[:-2]).name(to.schema),
            "" if kind == "TABLE" else name[-1].name,
            value,
            to,
        )


def _say(name: Name, column: str, says: str, to: Catalogue) -> None:
    table = to.find(name)
    about = table.columns.get(column.casefold()) if table and column else table
    if about is not None and says.strip():
        about.says = says.strip()


_ARGUMENTS = ("name", "value", "level0type", "level0name", "level1type", "level1name", "level2type", "level2name")


def _describe(c: Cursor, dialect: str, to: Catalogue) -> bool:
    """T-SQL keeps descriptions as properties: `sp_addextendedproperty N'MS_Description', N'...', ...`."""
    if c.name().own.casefold() != "sp_addextendedproperty":
        return False
    given = dict.fromkeys(_ARGUMENTS, "")
    for key, part in zip(_ARGUMENTS, parted(c.rest), strict=False):
        named = len(part) > 2 and part[1].text == "="
        value = part[2:] if named else part
        said = _text(value, dialect) if any(token.kind == "string" for token in value) else value[0].name
        given[part[0].text[1:].lower() if named else key] = said
    kind, of = given["level2type"].upper(), given["level1type"].upper()
    if "description" in given["name"].lower() and of == "TABLE" and kind in ("COLUMN", "NULL", ""):
        column = given["level2name"] if kind == "COLUMN" else ""
        _say(Name(given["level0name"], given["level1name"]), column, given["value"], to)
    return True


def _name_database(name: str, to: Catalogue) -> None:
    if name.casefold() not in ("", "master", "mysql", "test", "tempdb") and name.isidentifier():
        to.database = to.database or name
