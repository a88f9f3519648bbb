"""CREATE TABLE, and ALTER TABLE: what later statements add to a table, or change in it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from worldwright.anchor.readers.sql.columns import add_items, define, read_column, set_default
from worldwright.anchor.readers.sql.expressions import constant
from worldwright.anchor.readers.sql.records import Catalogue, Name, Table
from worldwright.anchor.readers.sql.remarks import right_above
from worldwright.anchor.readers.sql.split import Statement
from worldwright.anchor.readers.sql.tokens import Cursor, Token, parted, written
from worldwright.english.words import wordset


def create_table(statement: Statement, kind: Sequence[str], c: Cursor, to: Catalogue) -> None:
    """A table of its own, or the reason why it is none."""
    keep = bool(c.take("IF NOT EXISTS"))
    temporary = bool(c.take("#")) or any(word.startswith("TEMP") for word in kind)
    elsewhere = next((word.lower() for word in kind if word in ("VIRTUAL", "EXTERNAL")), "")
    table = Table(c.name(to.schema), statement.source)
    query = c.word() in ("AS", "SELECT", "WITH")
    why = ""
    if temporary:
        elsewhere, why = "temporary", "it lasts only as long as a session"
    elif elsewhere:
        why = "its rows are kept elsewhere"
    elif c.take("PARTITION OF"):
        to.is_part(table.name, c.name(to.schema))
        why = "it is a partition of another table"
    elif c.take("LIKE"):
        _copy(table, c.name(to.schema), to)
    elif query or not c.to("(") or c.word() in ("SELECT", "WITH"):
        why = "it is made by a query: its columns are not declared"
    else:
        _read_body(table, statement, c, to)
    if why:
        to.skip(f"{elsewhere} table {table.name}".strip(), why, statement.source)
    elif not keep or table.name.key not in to.tables:
        table.says = _remark(c) or " ".join(right_above(statement.script.text, statement.tokens[0]).split())
        to.put(table)


def _read_body(table: Table, statement: Statement, c: Cursor, to: Catalogue) -> None:
    inside = c.inside()
    if c.at == len(c.tokens) and c.tokens[-1].text != ")":
        to.warn(f"the columns of table {table.name} have no closing parenthesis", statement.source)
    after = c.at
    if c.to("INHERITS") and c.take("("):
        _copy(table, Cursor(c.inside()).name(to.schema), to)
    c.at = after
    for item in parted(inside):
        if item[0].word == "LIKE":
            _copy(table, Cursor(item, 1).name(to.schema), to)
    add_items(table, statement, inside, to)
    if not table.columns:
        to.warn(f"table {table.name} has no columns that were understood", statement.source)


def _copy(table: Table, other: Name, to: Catalogue) -> None:
    """Give a table the columns of another."""
    there = to.find(other)
    if there is not None:
        table.columns |= {name: replace(column) for name, column in there.columns.items() if name not in table.columns}
        table.key = table.key or there.key


def _remark(c: Cursor) -> str:
    """`COMMENT='...'` among the options of a table."""
    if not c.to("COMMENT"):
        return ""
    c.take("=")
    return c.token().text.strip() if c.token().kind in ("string", "name") else ""


# ALTER TABLE


_VERBS = ("ALTER", "CHANGE", "MODIFY", "RENAME", "DROP", "ATTACH PARTITION", "ADD")
_OTHERS = wordset(
    "CHECK NOCHECK ENABLE DISABLE OWNER SET ATTACH DETACH CLUSTER REPLICA ENGINE AUTO_INCREMENT COMMENT CONVERT DEFAULT ORDER "
    "VALIDATE INHERIT REBUILD MOVE LOGGING NOLOGGING EXCHANGE SPLIT TRUNCATE SWITCH WITH"
)
"""What does not concern the values."""


def alter_table(statement: Statement, c: Cursor, to: Catalogue) -> None:
    """Take what a statement changes in a table that is known; what is not understood leaves it as it is."""
    c.take("IF EXISTS")
    c.take("ONLY")
    name = c.name(to.schema)
    table = to.find(name)
    if table is None:
        to.skip(f"ALTER TABLE {name}", "no such table was created before", statement.source)
        return
    c.take("*")
    c.take("WITH CHECK", "WITH NOCHECK")
    adds = False
    for action in parted(c.rest):
        change = Cursor(action)
        verb = change.take(*_VERBS)
        adds = verb == "ADD" or (adds and not verb and change.word() not in _OTHERS)
        named = bool(change.take("COLUMN", "COLUMNS"))
        if adds:
            _add(table, change, statement, to)
        elif verb == "DROP" and (named or len(change.rest) == 1):
            change.take("IF EXISTS")
            _drop(table, change.identifier().casefold())
        elif verb == "RENAME":
            _rename(table, change, named, to)
        elif verb == "CHANGE" and len(change.rest) > 1:  # MySQL: the old name, and the whole new definition
            _rename_column(table, change.identifier(), change.token().text)
            _redefine(table, change.rest, statement, to)
        elif verb == "MODIFY" and change.word() not in ("CONSTRAINT", "DEFAULT", "PARTITION"):
            for item in parted(_definitions(change)):
                _redefine(table, item, statement, to)
        elif verb == "ALTER":
            _alter_column(table, change, statement, to)
        elif verb == "ATTACH PARTITION":
            part = change.name(to.schema)
            to.is_part(part, table.name)
            to.skip(f"table {part}", "it is a partition of another table", statement.source)


def _definitions(change: Cursor) -> Sequence[Token]:
    """The definitions that follow: one, or several in parentheses."""
    return change.inside() if change.take("(") else change.rest


def _add(table: Table, change: Cursor, statement: Statement, to: Catalogue) -> None:
    if not change.take("PARTITION", "SUPPLEMENTAL", "PERIOD", "OVERFLOW"):
        change.take("IF NOT EXISTS")
        add_items(table, statement, _definitions(change), to)


def _drop(table: Table, gone: str) -> None:
    table.columns.pop(gone, None)
    table.links = [link for link in table.links if gone not in map(str.casefold, link.columns)]
    table.unique = [group for group in table.unique if gone not in map(str.casefold, group)]


def _rename(table: Table, change: Cursor, column: bool, to: Catalogue) -> None:
    """A new name for a column, or for the table."""
    old = change.identifier() if column else ""
    new = change.identifier() if change.take("TO", "AS") else ""
    if new and not change.rest:
        if column:
            _rename_column(table, old, new)
        else:
            to.rename(table, Name(table.name.schema, new))


def _rename_column(table: Table, old: str, new: str) -> None:
    """Give a column a new name wherever it stands."""

    def swap(names: Iterable[str]) -> tuple[str, ...]:
        return tuple(new if name.casefold() == old.casefold() else name for name in names)

    for column in table.columns.values():
        column.name = swap((column.name,))[0]
    table.columns = {column.name.casefold(): column for column in table.columns.values()}
    table.links = [replace(link, columns=swap(link.columns)) for link in table.links]
    table.key, table.unique = swap(table.key), [swap(group) for group in table.unique]


def _redefine(table: Table, item: Sequence[Token], statement: Statement, to: Catalogue) -> None:
    """Give a column a new definition; where that only names what changes, the rest stays."""
    new = read_column(statement, item, table.name, to)
    old = table.columns.get(new.name.casefold()) if new else None
    if new is None or old is None:
        return
    typed = new.shape.kind != "any" or new.type is not None
    if new.empty is None and (statement.dialect == "oracle" or not typed):
        new.empty = old.empty
    if not typed:
        default = old.shape.default if new.shape.default is None else new.shape.default
        new = replace(old, shape=replace(old.shape, default=default), empty=new.empty, says=new.says)
    new.says, new.source = new.says or old.says, old.source
    table.columns[new.name.casefold()] = new
    table.links += new.links
    table.checks += new.checks


def _alter_column(table: Table, change: Cursor, statement: Statement, to: Catalogue) -> None:
    at, dialect = change.at, statement.dialect
    column = table.columns.get(change.identifier().casefold())
    if column is None:
        return
    if change.take("SET NOT NULL"):
        column.empty = False
    elif change.take("DROP NOT NULL"):
        column.empty = True
    elif change.take("SET DEFAULT"):
        set_default(column, constant(written(change.rest), dialect), written(change.rest))
    elif change.take("SET DATA TYPE", "TYPE"):
        end = next((i for i, token in enumerate(change.rest) if token.word == "USING"), None)
        said, _ = define(change.rest[:end], dialect)
        column.shape = replace(said.shape, default=column.shape.default)
        column.type, column.many = said.type, said.many
    elif change.take("ADD GENERATED"):
        column.counts = True
    elif change.word() not in ("DROP", "SET", "RESET", "RESTART"):
        _redefine(table, change.tokens[at:], statement, to)
