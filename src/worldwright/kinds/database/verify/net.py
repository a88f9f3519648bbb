"""Net changes: what is different at the end, in the columns whose sort makes a difference.

`log` columns are left out, and so are `derived` and `sequence` columns: they follow by rule from the rest, and the engine keeps
that rule. `time` columns stay, to be compared as moments of the episode and not by value. So do logs,
such as a ledger: a line in it that nobody asked for is damage. Only trails, whose lines say what was done besides, are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from worldwright.blueprint.schema import Entity
from worldwright.kinds.database.tables import Table
from worldwright.kinds.database.unit_of_work import Change

IGNORED = frozenset({"derived", "sequence", "log"})


@dataclass(frozen=True, slots=True)
class NetRow:
    """One row that came, went, or changed."""

    op: str
    """added, changed or removed"""
    table: str
    id: str
    cells: Mapping[str, Any]
    """In storage form: every compared column of a row that came, the changed ones of a row that changed."""


def list_compared(entity: Entity) -> tuple[str, ...]:
    """List the columns on which two states of a table are compared."""
    return () if entity.trail else tuple(c.name for c in entity.stored if c.sort not in IGNORED)


def net_rows(tables: Mapping[str, Table], changes: Iterable[Change]) -> tuple[NetRow, ...]:
    """The changes that count."""
    out = []
    columns: dict[str, list[tuple[str, int]]] = {}
    for entity, key, before, after in changes:
        table = tables[entity]
        if table.entity.trail or before == after:
            continue
        if entity not in columns:
            columns[entity] = [(c, table.position[c]) for c in list_compared(table.entity)]
        if after is None:
            out.append(NetRow("removed", entity, key, {}))
        elif before is None:
            out.append(NetRow("added", entity, key, {c: after[i] for c, i in columns[entity]}))
        else:
            cells = {c: after[i] for c, i in columns[entity] if before[i] != after[i]}
            if cells:
                out.append(NetRow("changed", entity, key, cells))
    return tuple(out)
