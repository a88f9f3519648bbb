"""A table of records as a reader found it: every row is counted, and as many are kept as a world could take."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from worldwright.anchor.evidence import Note, Skipped, Source
from worldwright.anchor.names import fresh
from worldwright.blueprint.given import MAX_GIVEN_ROWS

MAX_CELLS = 5_000_000
"""Of one table that are kept: a narrow file can claim to be a wide table."""


@dataclass(slots=True)
class Told:
    """What a person should know about what was read, and what was left out."""

    notes: list[Note] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)

    def warn(self, says: str, source: Source) -> None:
        self.notes.append(Note("warning", says, source))

    def fail(self, says: str, source: Source) -> list[Table]:
        self.notes.append(Note("error", says, source))
        return []

    def skip(self, what: str, why: str, source: Source) -> None:
        self.skipped.append(Skipped(what, why, source))


@dataclass(frozen=True, slots=True)
class Table:
    """A table of records as it was read, with what a database says about it itself."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    """The first of them."""
    total: int
    source: Source
    converts: bool = False
    """Whether everything came as text, so that numbers have to be told from texts."""
    place: Source | None = None
    """Where the names of the columns stand."""
    types: Mapping[str, str] = field(default_factory=dict)
    """By column, as written."""
    required: frozenset[str] = frozenset()
    key: tuple[str, ...] = ()
    unique: tuple[tuple[str, ...], ...] = ()
    refers: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """By column, the table it refers to, and the column there (empty for its key)."""


def make_table(
    name: str,
    columns: Iterable[str],
    rows: Iterable[Sequence[Any]],
    source: Source,
    total: int | None = None,
    **more: Any,
) -> Table:
    """A table out of rows, each as wide as it is; they are counted where nobody says how many there are."""
    names, left = tuple(columns), iter(rows)
    kept = tuple(tuple(row) for row in islice(left, min(MAX_GIVEN_ROWS, MAX_CELLS // max(1, len(names)))))
    return Table(name, names, kept, len(kept) + sum(1 for _ in left) if total is None else total, source, **more)


def unlike(names: Iterable[str]) -> list[str]:
    """The names, with a number where one comes twice."""
    out: dict[str, None] = {}
    for name in names:
        out[fresh(str(name), out)] = None
    return list(out)
