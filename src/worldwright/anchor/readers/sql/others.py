"""Statements around the tables: types, comments, indexes, and what is left out with a reason."""

from __future__ import annotations

import re
from dataclasses import replace

from worldwright.anchor.evidence import Field, Shape
from worldwright.anchor.readers.sql.catalogue import Catalogue
from worldwright.anchor.readers.sql.columns import collapsed, facts, take
from worldwright.anchor.readers.sql.items import read_items
from worldwright.anchor.readers.sql.lexical import Marked
from worldwright.anchor.readers.sql.names import IDENTIFIER, NAME, closing, columns_in, name_of, parted, unquoted
from worldwright.anchor.readers.sql.records import Check, Name, Parts, Statement, Type
from worldwright.anchor.readers.sql.tables import with_parts
from worldwright.anchor.readers.sql.values import constant, string

_FLAGS = re.IGNORECASE | re.DOTALL
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
