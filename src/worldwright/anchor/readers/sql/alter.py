"""ALTER TABLE: what later statements add to a table, or change in it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from worldwright.anchor.readers.sql.columns import facts, take
from worldwright.anchor.readers.sql.lexical import IDENTIFIER, NAME, Marked, closing, name_of, parted, unquoted
from worldwright.anchor.readers.sql.records import Catalogue, Column, Name, Statement, Table
from worldwright.anchor.readers.sql.tables import MAX_ITEMS, Span, read_items, with_parts
from worldwright.anchor.readers.sql.values import Unknown, constant

_FLAGS = re.IGNORECASE | re.DOTALL
ALTER_TABLE = re.compile(
    rf"ALTER\s++(?:FOREIGN\s++)?TABLE\s++(?:IF\s++EXISTS\s++)?(?:ONLY\s++)?(?P<name>{NAME})\s*+(?:\*\s*+)?(?:WITH\s++(?:NO)?CHECK\s++(?=ADD))?",
    _FLAGS,
)


@dataclass(frozen=True, slots=True)
class _Change:
    """One action of ALTER TABLE."""

    statement: Statement
    marked: Marked
    span: Span
    found: re.Match[str]


def alter_table(statement: Statement, marked: Marked, found: re.Match[str], to: Catalogue) -> None:
    """Return what a statement changes in a table that is known; what is not understood leaves it as it is."""
    name = name_of(marked.plain[found.start("name") : found.end("name")], to.schema)
    table = to.find(name)
    if table is None:
        to.skip(f"ALTER TABLE {name}", "no such table was created before", statement.source)
        return
    before, adds = table.name, False
    for start, end in parted(marked.mask, found.end(), len(marked.mask))[:MAX_ITEMS]:
        change, adds = _change(statement, marked, start, end, adds)
        if change is not None:
            table = change[0](table, change[1], to)
    if table.name != before:
        to.rename(before, table)
    else:
        to.put(table, keep=False, again=True)


def _change(
    statement: Statement, marked: Marked, start: int, end: int, adds: bool
) -> tuple[tuple[_Action, _Change] | None, bool]:
    for pattern, operation in _ACTIONS:
        found = pattern.match(marked.mask, start, end)
        if found:
            return (operation, _Change(statement, marked, (start, end), found)), operation is _add
    if adds:
        found = _MORE.match(marked.mask, start, end)
        return ((_add, _Change(statement, marked, (start, end), found)) if found else None), True
    return None, False


def _attach(table: Table, change: _Change, to: Catalogue) -> Table:
    """A table that is made a partition of this one."""
    part = name_of(change.marked.plain[change.found.start(1) : change.found.end(1)], to.schema)
    to.is_part(part, table.name)
    to.skip(f"table {part}", "it is a partition of another table", change.statement.source)
    return table


def _add(table: Table, change: _Change, to: Catalogue) -> Table:
    start, end = change.found.end(), change.span[1]
    mask = change.marked.mask
    spans: tuple[Span, ...] = ((start, end),)
    if mask[start:end].startswith("("):
        spans = parted(mask, start + 1, closing(mask[:end], start))
    parts = read_items(change.statement, change.marked, spans)
    for what, source in parts.unread:
        to.warn(f"table {table.name}: {what}", source)
    return with_parts(table, parts)


def _drop_column(table: Table, change: _Change, to: Catalogue) -> Table:
    gone = _word(change, 1).casefold()
    columns = tuple(c for c in table.columns if c.name.casefold() != gone)
    links = tuple(link for link in table.links if gone not in (c.casefold() for c in link.columns))
    unique = tuple(group for group in table.unique if gone not in (c.casefold() for c in group))
    return replace(table, columns=columns, links=links, unique=unique)


def _redefine(table: Table, change: _Change, to: Catalogue) -> Table:
    """MODIFY, CHANGE, ALTER COLUMN with a whole definition; several in parentheses."""
    start, end = change.found.end(), change.span[1]
    mask = change.marked.mask
    spans: tuple[Span, ...] = ((start, end),)
    if mask.startswith("(", start):
        spans = parted(mask, start + 1, closing(mask[:end], start))
    keeps = change.statement.dialect.name == "oracle"
    for span in spans:
        parts = read_items(change.statement, change.marked, (span,))
        if parts.columns:
            new = parts.columns[0]
            old = _word(change, "old") if "old" in change.found.re.groupindex else new.name
            table = _column(table, old, lambda column, new=new: _redefined(column, new, keeps))  # type: ignore[misc]
            table = with_parts(_renamed(table, old, new.name), replace(parts, columns=()))
    return table


def _redefined(old: Column, new: Column, keeps: bool) -> Column:
    """The new definition; it `keeps` what it does not say where it only names what changes."""
    typed = new.shape.kind != "any" or new.type is not None
    empty = old.empty if new.empty is None and (keeps or not typed) else new.empty
    if typed:
        return replace(new, empty=empty, says=new.says or old.says, source=old.source)
    shape = old.shape if new.shape.default is None else replace(old.shape, default=new.shape.default)
    return replace(old, shape=shape, empty=empty, says=new.says or old.says)


def _rename_column(table: Table, change: _Change, to: Catalogue) -> Table:
    old, new = _word(change, 1), _word(change, 2)
    columns = tuple(replace(c, name=new) if c.name.casefold() == old.casefold() else c for c in table.columns)
    return _renamed(replace(table, columns=columns), old, new)


def _renamed(table: Table, old: str, new: str) -> Table:
    """A table in which every list of columns knows the new name."""

    def swap(names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(new if name.casefold() == old.casefold() else name for name in names)

    links = tuple(replace(link, columns=swap(link.columns)) for link in table.links)
    return replace(table, key=swap(table.key), unique=tuple(map(swap, table.unique)), links=links)


def _rename_table(table: Table, change: _Change, to: Catalogue) -> Table:
    return replace(table, name=Name(table.name.schema, _word(change, 1)))


def _column(table: Table, name: str, change: Callable[[Column], Column]) -> Table:
    columns = tuple(change(c) if c.name.casefold() == name.casefold() else c for c in table.columns)
    return replace(table, columns=columns)


def _set_empty(table: Table, change: _Change, to: Catalogue) -> Table:
    return _column(table, _word(change, 1), lambda c: replace(c, empty=change.found[2].upper() == "DROP"))


def _set_default(table: Table, change: _Change, to: Catalogue) -> Table:
    said = change.marked.plain[change.found.end() : change.span[1]]
    value = constant(said, change.statement.dialect.name)
    counts = "nextval" in said.casefold()

    def changed(column: Column) -> Column:
        shape = column.shape if isinstance(value, Unknown) else replace(column.shape, default=value)
        return replace(column, counts=column.counts or counts, shape=shape)

    return _column(table, _word(change, 1), changed)


def _set_type(table: Table, change: _Change, to: Catalogue) -> Table:
    taken = take(change.marked, change.found.end(), change.span[1])
    said = facts(re.sub(r"\bUSING\b.*", "", taken.rest, flags=_FLAGS), change.statement.dialect.name)

    def changed(column: Column) -> Column:
        shape = replace(said.shape, default=column.shape.default)
        return replace(column, shape=shape, type=said.type, many=said.many)

    return _column(table, _word(change, 1), changed)


def _number_it(table: Table, change: _Change, to: Catalogue) -> Table:
    return _column(table, _word(change, 1), lambda c: replace(c, counts=True))


def _word(change: _Change, group: int | str) -> str:
    start, end = change.found.span(group)
    return unquoted(change.marked.plain[start:end])


_Action = Callable[[Table, _Change, Catalogue], Table]
_I = IDENTIFIER
_MORE = re.compile(r"(?=CONSTRAINT\b|PRIMARY\b|UNIQUE\b|FOREIGN\b|CHECK\b|[\[\"`\w])", _FLAGS)
_ACTIONS: tuple[tuple[re.Pattern[str], _Action], ...] = tuple(
    (re.compile(pattern, _FLAGS), operation)
    for pattern, operation in (
        (rf"ALTER\s++(?:COLUMN\s++)?({_I})\s++(SET|DROP)\s++NOT\s++NULL", _set_empty),
        (rf"ALTER\s++(?:COLUMN\s++)?({_I})\s++SET\s++DEFAULT\b", _set_default),
        (rf"ALTER\s++(?:COLUMN\s++)?({_I})\s++(?:SET\s++DATA\s++)?TYPE\s", _set_type),
        (rf"ALTER\s++(?:COLUMN\s++)?({_I})\s++ADD\s++GENERATED\b", _number_it),
        (rf"ALTER\s++(?:COLUMN\s++)?{_I}\s++(?:DROP|SET|RESET|RESTART)\b", lambda table, change, to: table),
        (r"ALTER\s++COLUMN\s++", _redefine),
        (rf"CHANGE\s++(?:COLUMN\s++)?+(?P<old>{_I})\s++", _redefine),
        (r"MODIFY\s++(?:COLUMN\s++)?+(?!CONSTRAINT\b|DEFAULT\b|PARTITION\b)|MODIFY(?=\()", _redefine),
        (rf"RENAME\s++COLUMN\s++({_I})\s++TO\s++({_I})", _rename_column),
        (rf"RENAME\s++(?!(?:COLUMN|INDEX|KEY|CONSTRAINT)\b)(?:TO\s++|AS\s++)?({_I})\s*+$", _rename_table),
        (rf"DROP\s++(?:COLUMN\s++)(?:IF\s++EXISTS\s++)?({_I})", _drop_column),
        (
            rf"DROP\s++(?!(?:CONSTRAINT|PRIMARY|FOREIGN|KEY|INDEX|CHECK|PARTITION|DEFAULT|UNIQUE)\b)({_I})\s*+$",
            _drop_column,
        ),
        (rf"ATTACH\s++PARTITION\s++({NAME})", _attach),
        (r"ADD\s++(?:PARTITION|SUPPLEMENTAL|PERIOD|OVERFLOW)\b", lambda table, change, to: table),
        (r"ADD\s++(?:COLUMN\s++)?+(?:IF\s++NOT\s++EXISTS\s++)?(?=[^\s(])|ADD\s*+(?:COLUMNS?\s*+)?(?=\()", _add),
        (
            r"(?:DROP|CHECK|NOCHECK|ENABLE|DISABLE|OWNER|SET|RENAME|ATTACH|DETACH|CLUSTER|REPLICA|ENGINE|AUTO_INCREMENT|COMMENT|CONVERT"
            r"|DEFAULT|ORDER|VALIDATE|INHERIT|REBUILD|MOVE|LOGGING|NOLOGGING|MODIFY|ALTER|CHANGE|EXCHANGE|SPLIT|TRUNCATE|SWITCH|WITH)\b",
            lambda table, change, to: table,
        ),
    )
)
