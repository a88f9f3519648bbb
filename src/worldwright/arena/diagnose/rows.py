"""Rows that should have changed beside rows that did: how the nearest one differs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from worldwright.blueprint.schema import Schema
from worldwright.kinds.database.verify.net import NetRow
from worldwright.kinds.database.verify.patterns import Is, Pattern, shown


@dataclass(frozen=True, slots=True)
class Stray:
    """One way in which a row is not the row that was wanted."""

    table: str
    row: str
    field: str
    expected: Any
    found: Any
    entity: bool
    """Whether another record is meant, not another value."""


def find_strays(schema: Schema, missing: Sequence[Pattern], extra: Sequence[NetRow]) -> Iterator[Stray]:
    """For each row that is missing, what is different about the nearest one that is there."""
    for pattern in missing:
        beside = [row for row in extra if (row.op, row.table) == (pattern.op, pattern.table)]
        found = [list(_stray(schema, pattern, row)) for row in beside]
        if found:
            yield from min(found, key=len)


def _stray(schema: Schema, pattern: Pattern, row: NetRow) -> Iterator[Stray]:
    if pattern.id and pattern.id != row.id:
        yield Stray(row.table, row.id, "id", pattern.id, row.id, True)
        return
    columns = schema.entities[row.table].columns
    for name, cell in pattern.cells.items():
        if isinstance(cell, Is) and name in row.cells and row.cells[name] != cell.value:
            kind = columns[name].type
            right, given = shown(cell.value, kind), shown(row.cells[name], kind)
            yield Stray(row.table, row.id, name, right, given, kind.kind == "ref")
