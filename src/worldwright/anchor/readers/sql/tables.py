"""CREATE TABLE, and ALTER TABLE: what later statements add to a table, or change in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from worldwright.anchor.readers.sql.columns import add_items, define, read_column, set_default
from worldwright.anchor.readers.sql.expressions import constant, string
from worldwright.anchor.readers.sql.records import Catalogue, Name, Table
from worldwright.anchor.readers.sql.split import Statement
from worldwright.anchor.readers.sql.tokens import Cursor, Token, parted, written
from worldwright.english.words import wordset


def create_table(statement: Statement, kind: Sequence[str], c: Cursor, to: Catalogue) -> None:
    """A table of its own, or the reason why it is none."""
    keep = bool(c.take("IF NOT EXISTS"))
    table = Table(c.name(to.schema), statement.source)
    query = c.word() in ("AS", "SELECT", "WITH")
    elsewhere = next((word.lower() for word in kind if word in ("VIRTUAL", "EXTERNAL")), "")
    why = ""
    if any(word.startswith("TEMP") for word in kind) or table.name.own.startswith("#"):
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
        table.says = _remark(c, statement) or " ".join(statement.above.split())
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


def _remark(c: Cursor, statement: Statement) -> str:
    """`COMMENT='...'` among the options of a table."""
    if not c.to("COMMENT"):
        return ""
    c.take("=")
    text = c.rest[0].text if c.token().kind in ("string", "name") else ""
    return string(text[1:-1], statement.dialect.backslash).strip()


# ALTER TABLE


def alter_table(statement: Statement, c: Cursor, to: Catalogue) -> None:
    """Return what a statement changes in a table that is known; what is not understood leaves it as it is."""
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
        verb = change.take(*_ACTIONS)
        adds = verb == "ADD" or (adds and not verb and change.word() not in _OTHERS)
        if verb or adds:
            _ACTIONS[verb or "ADD"](table, change, statement, to)


def _definitions(change: Cursor) -> Sequence[Token]:
    """The definitions that follow: one, or several in parentheses."""
    return change.inside() if change.take("(") else change.rest


def _add(table: Table, change: Cursor, statement: Statement, to: Catalogue) -> None:
    if not change.take("PARTITION", "SUPPLEMENTAL", "PERIOD", "OVERFLOW"):
        change.take("COLUMN", "COLUMNS")
        change.take("IF NOT EXISTS")
        add_items(table, statement, _definitions(change), to)


def _drop(table: Table, change: Cursor, statement: Statement, to: Catalogue) -> None:
    if not change.take("COLUMN") and len(change.rest) != 1:
        return
    change.take("IF EXISTS")
    gone = change.identifier().casefold()
    table.columns.pop(gone, None)
    table.links = [link for link in table.links if gone not in map(str.casefold, link.columns)]
    table.unique = [group for group in table.unique if gone not in map(str.casefold, group)]


def _rename(table: Table, change: Cursor, statement: Statement, to: Catalogue) -> None:
    if change.take("COLUMN"):
        old = change.identifier()
        new = change.identifier() if change.take("TO") else ""
        _rename_column(table, old, new or old)
    elif change.word() not in ("INDEX", "KEY", "CONSTRAINT"):
        change.take("TO", "AS")
        new = change.identifier()
        if new and not change.rest:
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


def _modify(table: Table, change: Cursor, statement: Statement, to: Catalogue) -> None:
    change.take("COLUMN")
    if change.word() not in ("CONSTRAINT", "DEFAULT", "PARTITION"):
        for item in parted(_definitions(change)):
            _redefine(table, item, statement)


def _change(table: Table, change: Cursor, statement: Statement, to: Catalogue) -> None:
    """MySQL: the old name, and the whole new definition."""
    change.take("COLUMN")
    old = change.identifier()
    if change.rest:
        _rename_column(table, old, change.rest[0].name)
        _redefine(table, change.rest, statement)


def _redefine(table: Table, item: Sequence[Token], statement: Statement) -> None:
    """Give a column a new definition; where that only names what changes, the rest stays."""
    new = read_column(statement, item)
    old = table.columns.get(new.name.casefold()) if new else None
    if new is None or old is None:
        return
    typed = new.shape.kind != "any" or new.type is not None
    if new.empty is None and (statement.dialect.name == "oracle" or not typed):
        new.empty = old.empty
    if not typed:
        default = old.shape.default if new.shape.default is None else new.shape.default
        new = replace(old, shape=replace(old.shape, default=default), empty=new.empty, says=new.says)
    new.says, new.source = new.says or old.says, old.source
    table.columns[new.name.casefold()] = new
    table.links += new.links
    table.checks += new.checks


def _alter_column(table: Table, change: Cursor, statement: Statement, to: Catalogue) -> None:
    named = bool(change.take("COLUMN"))
    at, dialect = change.at, statement.dialect.name
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
    elif named and change.word() not in ("DROP", "SET", "RESET", "RESTART"):
        _redefine(table, change.tokens[at:], statement)


def _attach(table: Table, change: Cursor, statement: Statement, to: Catalogue) -> None:
    """A table that is made a partition of this one."""
    part = change.name(to.schema)
    to.is_part(part, table.name)
    to.skip(f"table {part}", "it is a partition of another table", statement.source)


_ACTIONS: dict[str, Callable[[Table, Cursor, Statement, Catalogue], None]] = {
    "ALTER": _alter_column,
    "CHANGE": _change,
    "MODIFY": _modify,
    "RENAME": _rename,
    "DROP": _drop,
    "ATTACH PARTITION": _attach,
    "ADD": _add,
}
"""What is done to a table, by the words that an action starts with."""
_OTHERS = wordset(
    "CHECK NOCHECK ENABLE DISABLE OWNER SET ATTACH DETACH CLUSTER REPLICA ENGINE AUTO_INCREMENT COMMENT CONVERT DEFAULT ORDER "
    "VALIDATE INHERIT REBUILD MOVE LOGGING NOLOGGING EXCHANGE SPLIT TRUNCATE SWITCH WITH"
)
"""What does not concern the values."""
