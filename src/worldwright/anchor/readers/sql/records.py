"""What all statements have said so far: tables, columns, types and links, as written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from worldwright.anchor.evidence import Note, Shape, Skipped, Source
from worldwright.blueprint.given import MAX_GIVEN_ROWS

DEFAULT_SCHEMAS = frozenset({"", "dbo", "public"})
MAX_KEPT_VALUES = 5_000_000
"""Of all rows."""
MAX_NOTES = 200
"""Warnings that are listed one by one."""
Key = tuple[str, str]
"""What two spellings of the same name have in common."""


@dataclass(frozen=True, slots=True)
class Name:
    """The name of a table or a type, as written, without its quotes."""

    schema: str
    own: str

    @property
    def key(self) -> Key:
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


class Check(NamedTuple):
    """A condition on a table or a type: what stands between its parentheses."""

    text: str
    dialect: str


@dataclass(slots=True)
class Column:
    """What a definition says of a column, or of a type that the database defines for itself."""

    shape: Shape
    name: str = ""
    type: Name | None = None
    """A type of the database's own."""
    many: bool = False
    """An array of that type."""
    empty: bool | None = None
    """NULL or NOT NULL, where it is said."""
    key: bool = False
    unique: bool = False
    counts: bool = False
    """The database numbers it: identity, serial, auto_increment."""
    filled: bool = False
    """The database fills it in: the time or the version of a row."""
    computed: str = ""
    """The expression that it is computed by."""
    says: str = ""
    source: Source | None = None
    checks: Sequence[Check] = ()
    links: Sequence[Link] = ()
    unread: str = ""
    """A definition that was only understood in part."""


@dataclass(slots=True)
class Table:
    """A table as all statements so far say."""

    name: Name
    source: Source
    columns: dict[str, Column] = field(default_factory=dict)
    """By their names in lower case."""
    key: tuple[str, ...] = ()
    unique: list[tuple[str, ...]] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    rules: list[str] = field(default_factory=list)
    """Conditions that are only kept as text."""
    says: str = ""


@dataclass(slots=True)
class Heap:
    """The rows of one table as they come."""

    name: Name
    source: Source
    batches: list[tuple[tuple[str, ...] | None, list[tuple[Any, ...]]]] = field(default_factory=list)
    """Rows under one list of columns; None where a statement lists none."""
    kept: int = 0
    total: int = 0
    unread: int = 0
    """Statements that were not read to their end."""

    def add(self, columns: tuple[str, ...] | None, rows: Sequence[tuple[Any, ...]], total: int) -> None:
        rows = rows[: MAX_GIVEN_ROWS - self.kept]
        self.total += total
        self.kept += len(rows)
        if rows:
            self.batches.append((columns, [*rows]))


class Catalogue:
    """The tables, types and rows that are known, by name, and what could not be used."""

    def __init__(self) -> None:
        self.tables: dict[Key, Table] = {}
        self.types: dict[Key, Column] = {}
        self.heaps: dict[Key, Heap] = {}
        self.values = 0
        """Those of all rows that were kept so far."""
        self.parsed = 0
        """Those that a parser was asked for."""
        self.notes: list[Note] = []
        self.skipped: dict[tuple[str, str], tuple[Skipped, int]] = {}
        self.schema = ""
        """The schema of names that are written without one."""
        self.database = ""
        """The first database that is named."""
        self._other_names: dict[Key, Key] = {}

    def find(self, name: Name) -> Table | None:
        """A table by its name; by the name alone where its schema is not given or not known."""
        key = self.key_of(name)
        return self.tables.get(key) if key else None

    def key_of(self, name: Name, near: str = "") -> Key | None:
        """The key of a table that is known; of several in other schemas, that of the one which is `near`."""
        key = self._other_names.get(name.key, name.key)
        alike = [key] if key in self.tables else [other for other in self.tables if other[1] == key[1]]
        return min(alike, key=lambda other: (other[0] != Name(near, "").key[0], other[0] != ""), default=None)

    def type_of(self, name: Name) -> Column | None:
        return self.types.get(name.key) or self.types.get(("", name.key[1]))

    def put(self, table: Table) -> None:
        """A table that was created."""
        there = self.tables.get(table.name.key)
        if there is not None and list(there.columns) != list(table.columns):
            self.warn(f"table {table.name} is created twice; what is created last stands", table.source)
        self.tables[table.name.key] = table

    def rename(self, table: Table, name: Name) -> None:
        self.is_part(table.name, name)
        table.name = name
        self.tables[name.key] = table

    def is_part(self, name: Name, of: Name) -> None:
        """What is said of a partition is said of the whole table."""
        self.tables.pop(name.key, None)
        self._other_names[name.key] = self._other_names.get(of.key, of.key)

    def heap(self, name: Name, source: Source) -> Heap:
        """The rows that come under a name."""
        return self.heaps.setdefault(name.key, Heap(name, source))

    def room(self, heap: Heap) -> int:
        """Rows that may still be kept of a table."""
        return MAX_GIVEN_ROWS - heap.kept if self.values < MAX_KEPT_VALUES else 0

    def warn(self, says: str, source: Source) -> None:
        if len(self.notes) < MAX_NOTES:
            self.notes.append(Note("warning", says, source))

    def skip(self, what: str, why: str, source: Source) -> None:
        """The first of its kind stands for the others."""
        first, count = self.skipped.get((what, why), (Skipped(what, why, source), 0))
        self.skipped[what, why] = (first, count + 1)
