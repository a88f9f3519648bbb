"""Changes of state as plain data, and in few words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from worldwright.world.records import TableDiff

Changes = Mapping[str, TableDiff]


def leave_out(changes: Changes, hidden: Mapping[str, frozenset[str]]) -> Changes:
    """The changes without columns that no record shows: who plays a task sees no more than an agent could."""
    out = {}
    for table, d in changes.items():
        unseen = hidden.get(table, frozenset())
        changed = {key: {n: both for n, both in row.items() if n not in unseen} for key, row in d.changed.items()}
        added, removed = (
            {key: {n: value for n, value in row.items() if n not in unseen} for key, row in rows.items()}
            for rows in (d.added, d.removed)
        )
        out[table] = TableDiff(added, {key: row for key, row in changed.items() if row}, removed)
    return {table: d for table, d in out.items() if d}


def changes_data(changes: Changes) -> dict[str, Any]:
    """Changes as plain JSON data."""
    return {
        table: {
            "added": {k: dict(row) for k, row in d.added.items()},
            "changed": {k: {n: {"before": b, "after": a} for n, (b, a) in row.items()} for k, row in d.changed.items()},
            "removed": {k: dict(row) for k, row in d.removed.items()},
        }
        for table, d in changes.items()
    }


def summarise_changes(changes: Changes) -> str:
    """Summarise changes: `2 rows added, 3 changed`."""
    counts = [
        (sum(len(d.added) for d in changes.values()), "added"),
        (sum(len(d.changed) for d in changes.values()), "changed"),
        (sum(len(d.removed) for d in changes.values()), "removed"),
    ]
    return ", ".join(f"{n} {word}" for n, word in counts if n) or "no row changed"
