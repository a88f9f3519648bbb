"""Looking a whole state over: references, lifecycles, kept fields and invariants.

A state that has only lived has no problem at all; one that mess was laid on has only those that a layer put there.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

from worldwright.core.ids import KeyFormat
from worldwright.kinds.database.desk import Desk
from worldwright.kinds.database.invariants import broken_rows
from worldwright.kinds.database.runtime import Machine
from worldwright.kinds.database.tables import quoted


class Problem(NamedTuple):
    """One thing in a state that is not as the Blueprint says."""

    kind: str
    """key, reference, state, unique, kept or invariant"""
    entity: str
    id: str
    what: str


def audit(machine: Machine, conn: sqlite3.Connection) -> list[Problem]:
    """Every problem of a state."""
    desk = machine.desk(conn)
    desk.now = machine.blueprint.schema.now
    desk.today = desk.now[:10]
    checks = (_keys, _references, _states, _unique, _kept, _invariants)
    return [problem for check in checks for problem in check(machine, desk)]


def _keys(machine: Machine, desk: Desk) -> Iterator[Problem]:
    for name, entity in machine.blueprint.schema.entities.items():
        key: KeyFormat = entity.key
        for (found,) in desk.fetch(f"SELECT id FROM {quoted(name)} ORDER BY id", ()):
            if key.number(found) is None:
                yield Problem("key", name, found, "not an id of this table")


def _references(machine: Machine, desk: Desk) -> Iterator[Problem]:
    for name, entity in machine.blueprint.schema.entities.items():
        for column in entity.refs:
            sql = (
                f"SELECT a.id, a.{quoted(column.name)} FROM {quoted(name)} a LEFT JOIN {quoted(column.type.entity)} b "
                f"ON b.id = a.{quoted(column.name)} WHERE a.{quoted(column.name)} IS NOT NULL AND b.id IS NULL"
            )
            for key, target in desk.fetch(sql, ()):
                yield Problem("reference", name, key, f"{column.name} {target} does not exist")


def _states(machine: Machine, desk: Desk) -> Iterator[Problem]:
    for name, entity in machine.blueprint.schema.entities.items():
        if entity.state_field:
            for key, state in desk.fetch(f"SELECT id, {quoted(entity.state_field)} FROM {quoted(name)}", ()):
                if state not in entity.lifecycle:
                    yield Problem("state", name, key, f"{state} is not a state")


def _unique(machine: Machine, desk: Desk) -> Iterator[Problem]:
    for name, entity in machine.blueprint.schema.entities.items():
        for group in entity.unique:
            columns = ", ".join(map(quoted, group))
            known = " AND ".join(f"{quoted(g)} IS NOT NULL" for g in group)
            sql = f"SELECT MAX(id) FROM {quoted(name)} WHERE {known} GROUP BY {columns} HAVING COUNT(*) > 1"
            for (key,) in desk.fetch(sql, ()):
                yield Problem("unique", name, key, f"{' and '.join(group)} are not its own")


def _kept(machine: Machine, desk: Desk) -> Iterator[Problem]:
    for (owner, field), compute in machine.keepers.items():
        position = machine.tables[owner].position[field]
        desk.begin()
        for row in list(desk.rows(owner)):
            value = compute(desk, {"self": row})
            if value != row.values[position]:
                yield Problem("kept", owner, row.id, f"{field} is {row.values[position]}, its rule gives {value}")


def _invariants(machine: Machine, desk: Desk) -> Iterator[Problem]:
    desk.begin()
    for watch in machine.watches:
        for key in broken_rows(watch, desk):
            yield Problem("invariant", watch.each, key, watch.says)
