"""A table of records on its way through a reader: every row is counted, some are kept, and each column is watched."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from worldwright.anchor.evidence import Source
from worldwright.anchor.readers.data.kinds import EMPTY, PERHAPS_EMPTY

KEPT = 4_000
"""Rows that are looked at closely; they lie evenly over the whole table. Of a wide table fewer are enough."""
KEPT_CELLS = 600_000
MAX_WORDS = 60
"""Different values of a column that are all remembered."""
MAX_WATCHED = 3_000_000
"""Values of columns that have no value twice so far, over one table."""
MAX_CELLS = 25_000_000
"""Of one table that are watched. A narrow file can claim to be a wide table; what is beyond is only counted."""
BATCH = 5_000

Row = Sequence[Any]


@dataclass(frozen=True, slots=True)
class Seen:
    """What all rows say about one column."""

    empty: int
    perhaps_empty: Mapping[str, int]
    """By word that may mean nothing, how often it stands there."""
    values: Mapping[Any, None] | None
    """All values in order of their first appearance, where they are few or none comes twice; else None."""
    unique: bool
    """No value comes twice, and there are values."""


@dataclass(frozen=True, slots=True)
class Declared:
    """What a database says about a table itself."""

    types: Mapping[str, str] = field(default_factory=dict)
    """By column, as written."""
    required: frozenset[str] = frozenset()
    key: tuple[str, ...] = ()
    unique: tuple[tuple[str, ...], ...] = ()
    refers: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """By column, the table it refers to, and the column there (empty for its key)."""
    checks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Table:
    """A table of records as it was read."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    """Some of them, evenly spread."""
    total: int
    seen: tuple[Seen, ...]
    """By column."""
    converts: bool
    """Whether everything came as text, so that numbers have to be told from texts."""
    source: Source
    declared: Declared = field(default_factory=Declared)
    places: Mapping[str, Source] = field(default_factory=dict)
    """By column, where its name stands."""


class _Watch:
    """One column while rows go by."""

    __slots__ = ("counted", "empty", "known", "perhaps", "unique")

    def __init__(self) -> None:
        self.known: dict[Any, None] | None = {}
        self.counted = self.empty = 0
        self.perhaps: dict[str, int] = {}
        self.unique = True

    def add(self, values: Sequence[Any], converts: bool) -> None:
        try:
            here = dict.fromkeys(values)
        except TypeError:  # lists and objects cannot be compared by their hash
            self.known, self.unique = None, False
            self.empty += sum(v is None for v in values)
            return
        blank = 0
        for word in EMPTY if converts else ("",):
            if word in here:
                del here[word]
                blank += values.count(word)
        if None in here:
            del here[None]
            blank += values.count(None)
        for word in PERHAPS_EMPTY if converts else ():
            if word in here:
                self.perhaps[word] = self.perhaps.get(word, 0) + values.count(word)
        self.empty += blank
        self.counted += len(values) - blank
        if self.known is None:
            return
        self.known.update(here)
        self.unique = self.unique and len(self.known) == self.counted
        if not self.unique and len(self.known) > MAX_WORDS:
            self.known = None

    def seen(self) -> Seen:
        return Seen(self.empty, self.perhaps, self.known, self.unique and self.known is not None and self.counted > 0)


class Scan:
    """Takes rows and becomes a table."""

    def __init__(self, name: str, columns: Iterable[str], source: Source, converts: bool = False) -> None:
        self.name, self.columns, self.source, self.converts = name, tuple(columns), source, converts
        self.total = 0
        self._keeps = max(200, min(KEPT, KEPT_CELLS // max(1, len(self.columns))))
        self._step = 1
        self._kept: list[Row] = []
        self._watches = [_Watch() for _ in self.columns]

    @property
    def full(self) -> bool:
        return self.total * max(1, len(self.columns)) > MAX_CELLS

    def skip(self, count: int) -> None:
        """Counts rows that nobody looks at. That no value comes twice cannot be said then."""
        self.total += count
        for watch in self._watches:
            watch.unique, watch.known = False, None

    def add(self, rows: Sequence[Row]) -> None:
        """Some rows, each as wide as the table."""
        if not rows:
            return
        first = -self.total % self._step
        self._kept += rows[first :: self._step]
        self.total += len(rows)
        while len(self._kept) > 2 * self._keeps:
            self._kept = self._kept[::2]
            self._step *= 2
        for watch, values in zip(self._watches, zip(*rows, strict=True), strict=True):
            watch.add(values, self.converts)
        watched = sum(len(w.known) for w in self._watches if w.known is not None)
        for watch in reversed(self._watches):
            if watched > MAX_WATCHED and watch.known is not None and len(watch.known) > MAX_WORDS:
                watched -= len(watch.known)
                watch.known = None

    def table(self, declared: Declared | None = None, places: Mapping[str, Source] | None = None) -> Table:
        rows = tuple(tuple(row) for row in self._kept)
        seen = tuple(w.seen() for w in self._watches)
        return Table(
            self.name,
            self.columns,
            rows,
            self.total,
            seen,
            self.converts,
            self.source,
            declared or Declared(),
            places or {},
        )


def spread(rows: Sequence[Row], most: int) -> list[Row]:
    """So many rows, evenly from the first to the last."""
    return [rows[i * len(rows) // most] for i in range(most)] if len(rows) > most else list(rows)
