"""What statements say, before it is put together: statements, tables, columns and links, as written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from worldwright.anchor.evidence import Shape, Source
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
