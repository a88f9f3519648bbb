"""CREATE TABLE, and ALTER TABLE: what later statements add to a table, or change in it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from worldwright.anchor.readers.sql.columns import add_items, read_column
from worldwright.anchor.readers.sql.records import Catalogue, Name, Table
from worldwright.anchor.readers.sql.split import Statement
from worldwright.anchor.readers.sql.tokens import Cursor, Token, parted, right_above
from worldwright.english.words import wordset


def create_table(statement: Statement, kind: Sequence[str], c: Cursor, to: Catalogue) -> None:
    """A table of its own, or the reason why it is none."""
    keep = bool(c.take("IF NOT EXISTS"))
    temporary = bool(c.take("#")) or any(word.startswith("TEMP") for word in kind)
    table = Table(c.name(to.schema), statement.source)
    why = ""
    if temporary:
        why = "it lasts only as long as a session"
    elif "VIRTUAL" in kind or "EXTERNAL" in kind:
        why = "its rows are kept elsewhere"
    elif c.take("PARTITION OF"):
        to.is_part(table.name, c.name(to.schema))
        why = "it is a partition of another table"
    elif (
        c.word() in ("AS", "SELECT", "WITH") or not (c.word() == "LIKE" or c.to("(")) or c.word() in ("SELECT", "WITH")
    ):
        why = "it is made by a query: its columns are not declared"
    else:
        _read_body(table, statement, c, to)
    if why:
        to.skip(f"table {table.name}", why, statement.source)
    elif not keep or table.name.key not in to.tables:
        table.says = _remark(c) or " ".join(right_above(statement.script.text, statement.tokens[0]).split())
        to.put(table)


def _read_body(table: Table, statement: Statement, c: Cursor, to: Catalogue) -> None:
    for at in (i for i, token in enumerate(c.tokens) if token.word in ("LIKE", "INHERITS")):
        other = Cursor(c.tokens, at + 1)
        other.take("(")
        _copy(table, other.name(to.schema), to)
    if c.tokens[c.at - 1].word == "(":
        inside = c.inside()
        if c.tokens[c.at - 1].word != ")":
            to.warn(f"the columns of table {table.name} have no closing parenthesis", statement.source)
        add_items(table, statement, inside, to)
    if not table.columns:
        to.warn(f"table {table.name} has no columns that were understood", statement.source)


def _copy(table: Table, other: Name, to: Catalogue) -> None:
    """Give a table the columns of another."""
    there = to.find(other) if other.own else None
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
        if adds and change.word() not in ("PARTITION", "SUPPLEMENTAL", "PERIOD"):
            change.take("IF NOT EXISTS")
            add_items(table, statement, _definitions(change), to)
        elif verb == "DROP" and (named or len(change.rest) == 1):
            change.take("IF EXISTS")
            _drop(table, change.identifier().casefold())
        elif verb == "RENAME":
            _rename(table, change, named, to)
        elif verb == "CHANGE" and len(change.rest) > 1:  # MySQL: the old name, and the whole new definition
            _rename_column(table, change.identifier(), change.token().text)
            _redefine(table, change.rest, statement, to)
        elif verb == "MODIFY":
            for item in parted(_definitions(change)):
                _redefine(table, item, statement, to)
        elif verb == "ALTER":
            _alter_column(table, change, statement, to)
        elif verb == "ATTACH PARTITION":
            to.is_part(change.name(to.schema), table.name)


def _definitions(change: Cursor) -> Sequence[Token]:
    """The definitions that follow: one, or several in parentheses."""
    return change.inside() if change.take("(") else change.rest


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


def _alter_column(table: Table, change: Cursor, statement: Statement, to: Catalogue) -> None:
    """`ALTER c SET NOT NULL`, `ALTER c TYPE text USING ...`, `ALTER COLUMN c int NOT NULL`: what changes, as a definition."""
    name, end = change.rest[:1], change.to("USING")
    tokens = change.tokens[: change.at - 1] if end else change.tokens
    c = Cursor(tokens, tokens.index(name[0]) + 1 if name else 0)
    if c.take("DROP NOT NULL"):
        column = table.columns.get(name[0].text.casefold())
        if column is not None:
            column.empty = True
    elif not c.take("DROP", "RESET", "RESTART", "SET ("):
        c.take("SET DATA TYPE", "SET", "TYPE", "ADD")
        _redefine(table, [*name, *c.rest], statement, to)


def _redefine(table: Table, item: Sequence[Token], statement: Statement, to: Catalogue) -> None:
    """Give a column a new definition; what it does not name stays, but for what MySQL and T-SQL take back."""
    new = read_column(statement, item, table.name, to) if item else None
    old = table.columns.get(new.name.casefold()) if new else None
    if new is None or old is None:
        return
    typed = new.shape.kind != "any" or new.type is not None
    if new.empty is None and not (typed and statement.dialect in ("mysql", "tsql")):
        new.empty = old.empty
    default = old.shape.default if new.shape.default is None else new.shape.default
    if not typed:
        new.shape, new.type, new.many = old.shape, old.type, old.many
    new.shape = replace(new.shape, default=default)
    new.counts, new.filled, new.computed = new.counts or old.counts, old.filled, new.computed or old.computed
    new.says, new.source = new.says or old.says, old.source
    table.columns[new.name.casefold()] = new
    table.links += new.links
    table.checks += new.checks
