"""What statements say, before it is put together: statements, tables, columns and links, as written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from worldwright.anchor.evidence import Note, Shape, Skipped, Source
from worldwright.anchor.readers.sql.parse import Dialect

DEFAULT_SCHEMAS = frozenset({"", "dbo", "public"})


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of an upload."""

    text: str
    first: int
    """The line that it starts on."""
    last: int
    file: str
    dialect: Dialect
    above: str = ""
    """The comment that stands right above it."""
    lines: tuple[str, ...] = ()
    """Data that follows it in the text (`COPY ... FROM stdin`), as far as it is kept."""
    total: int = 0
    """How many lines of data there are."""

    @property
    def source(self) -> Source:
        return Source(self.file, f"{self.first}-{self.last}")

    def at(self, start: int, end: int) -> Source:
        """The lines of a part of the text."""
        first = self.first + self.text.count("\n", 0, start)
        return Source(self.file, f"{first}-{first + self.text.count(chr(10), start, end)}")


@dataclass(frozen=True, slots=True)
class Name:
    """The name of a table or a type, as written, without its quotes."""

    schema: str
    own: str

    @property
    def key(self) -> tuple[str, str]:
        """What two spellings of the same name have in common."""
        schema = self.schema.casefold()
        return ("" if schema in DEFAULT_SCHEMAS else schema, self.own.casefold())

    def __str__(self) -> str:
        return f"{self.schema}.{self.own}" if self.schema else self.own


@dataclass(frozen=True, slots=True)
class Link:
    """A foreign key."""

    columns: tuple[str, ...]
    table: Name
    to: tuple[str, ...] = ()
    """Empty for the key of that table."""


@dataclass(frozen=True, slots=True)
class Check:
    """A condition on a table."""

    text: str
    """What stands between the parentheses."""
    dialect: str
    column: str = ""
    """The column it was written at."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column as its definition says."""

    name: str
    shape: Shape
    source: Source
    type: Name | None = None
    """A type that the database defines for itself."""
    many: bool = False
    """An array of that type."""
    empty: bool | None = None
    """NULL or NOT NULL, where it is said."""
    counts: bool = False
    """The database numbers it: identity, serial, auto_increment."""
    filled: bool = False
    """The database fills it in: the time or the version of a row."""
    computed: str = ""
    """The expression that it is computed by."""
    says: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table as all statements so far say."""

    name: Name
    columns: tuple[Column, ...]
    source: Source
    key: tuple[str, ...] = ()
    unique: tuple[tuple[str, ...], ...] = ()
    links: tuple[Link, ...] = ()
    checks: tuple[Check, ...] = ()
    rules: tuple[str, ...] = ()
    """Conditions that are only kept as text."""
    says: str = ""


@dataclass(frozen=True, slots=True)
class Parts:
    """What a list of column definitions and constraints says."""

    columns: tuple[Column, ...] = ()
    key: tuple[str, ...] = ()
    unique: tuple[tuple[str, ...], ...] = ()
    links: tuple[Link, ...] = ()
    checks: tuple[Check, ...] = ()
    rules: tuple[str, ...] = ()
    defaults: Mapping[str, Any] = field(default_factory=dict)
    """Constants by column, of `DEFAULT x FOR column`."""
    like: tuple[Name, ...] = ()
    """Tables whose columns come first."""
    unread: tuple[tuple[str, Source], ...] = ()
    """Parts that were read in part or not at all."""


@dataclass(frozen=True, slots=True)
class Type:
    """A type that the database defines for itself: an enum, a domain, an alias."""

    name: Name
    shape: Shape
    empty: bool | None = None
    checks: tuple[Check, ...] = ()
    base: Name | None = None
    """Another such type that it rests on."""


# What all statements have said so far, in order.


MAX_NOTES = 200
"""Warnings that are listed one by one."""


class Catalogue:
    """The tables and types that are known, by name, and what could not be used."""

    def __init__(self) -> None:
        self.tables: dict[tuple[str, str], Table] = {}
        self.types: dict[tuple[str, str], Type] = {}
        self.notes: list[Note] = []
        self.skipped: dict[tuple[str, str], tuple[Skipped, int]] = {}
        self.dropped: dict[tuple[str, str], Source] = {}
        self.schema = ""
        """The schema of names that are written without one."""
        self.database = ""
        """The first database that is named."""
        self._other_names: dict[tuple[str, str], tuple[str, str]] = {}

    def find(self, name: Name) -> Table | None:
        """A table by its name; by the name alone where its schema is not given or not known."""
        key = self.key_of(name)
        return self.tables.get(key) if key else None

    def key_of(self, name: Name, near: str = "") -> tuple[str, str] | None:
        key = self._other_names.get(name.key, name.key)
        if key in self.tables:
            return key
        own = name.own.casefold()
        alike = [key for key in self.tables if key[1] == own]
        close = [key for key in alike if key[0] == Name(near, own).key[0]] or [key for key in alike if key[0] == ""]
        return next(iter(close or alike), None)

    def put(self, table: Table, keep: bool, again: bool = False) -> None:
        """A table that was created or, `again`, changed; `keep` leaves one that is there already."""
        key = table.name.key
        there = self.tables.get(key)
        if there is not None and not again:
            if keep:
                return
            if [c.name for c in there.columns] != [c.name for c in table.columns]:
                self.warn(f"table {table.name} is created twice; what is created last stands", table.source)
            self.dropped.pop(key, None)
        self.tables[key] = table

    def rename(self, old: Name, table: Table) -> None:
        key = self.key_of(old)
        if key is not None:
            del self.tables[key]
            self._other_names[old.key] = table.name.key
        self.tables[table.name.key] = table

    def is_part(self, name: Name, of: Name) -> None:
        """Return what is said of a partition is said of the whole table."""
        self.tables.pop(name.key, None)
        self._other_names[name.key] = self._other_names.get(of.key, of.key)

    def is_view(self, name: Name) -> None:
        """Return what a dump first wrote as a table turns out to be a view."""
        self.tables.pop(name.key, None)

    def drop_table(self, name: Name, source: Source) -> None:
        """A table that is dropped and not created again stays, for scripts that take down what they built are common."""
        key = self.key_of(name)
        if key is not None:
            self.dropped[key] = source

    def warn(self, says: str, source: Source) -> None:
        self.note(Note("warning", says, source))

    def note(self, note: Note) -> None:
        if note.level == "error" or len(self.notes) < MAX_NOTES:
            self.notes.append(note)

    def skip(self, what: str, why: str, source: Source) -> None:
        """The first of its kind stands for the others."""
        first, count = self.skipped.get((what, why), (Skipped(what, why, source), 0))
        self.skipped[what, why] = (first, count + 1)
