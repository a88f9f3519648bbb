"""Looking a whole state over: references, lifecycles, kept fields and invariants.

A state that has only lived has no problem at all; one that mess was laid on has only those that a layer put there.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

from worldwright.core.ids import KeyFormat
from worldwright.kinds.database.compiled_world import CompiledWorld
from worldwright.kinds.database.invariants import find_broken_rows
from worldwright.kinds.database.tables import quote_name
from worldwright.kinds.database.unit_of_work import UnitOfWork


class Problem(NamedTuple):
    """One thing in a state that is not as the Blueprint says."""

    kind: str
    """key, reference, state, unique, kept or invariant"""
    entity: str
    id: str
    what: str


def audit(compiled: CompiledWorld, conn: sqlite3.Connection) -> list[Problem]:
    """Every problem of a state."""
    uow = compiled.unit_of_work(conn)
    uow.now = compiled.blueprint.schema.now
    uow.today = uow.now[:10]
    checks = (_keys, _references, _states, _unique, _kept, _invariants)
    return [problem for check in checks for problem in check(compiled, uow)]


def _keys(compiled: CompiledWorld, uow: UnitOfWork) -> Iterator[Problem]:
    for name, entity in compiled.blueprint.schema.entities.items():
        key: KeyFormat = entity.key
        for (found,) in uow.fetch(f"SELECT id FROM {quote_name(name)} ORDER BY id", ()):
            if key.number(found) is None:
                yield Problem("key", name, found, "not an id of this table")


def _references(compiled: CompiledWorld, uow: UnitOfWork) -> Iterator[Problem]:
    for name, entity in compiled.blueprint.schema.entities.items():
        for column in entity.refs:
            sql = (
                f"SELECT a.id, a.{quote_name(column.name)} FROM {quote_name(name)} a LEFT JOIN {quote_name(column.type.entity)} b "
                f"ON b.id = a.{quote_name(column.name)} WHERE a.{quote_name(column.name)} IS NOT NULL AND b.id IS NULL"
            )
            for key, target in uow.fetch(sql, ()):
                yield Problem("reference", name, key, f"{column.name} {target} does not exist")


def _states(compiled: CompiledWorld, uow: UnitOfWork) -> Iterator[Problem]:
    for name, entity in compiled.blueprint.schema.entities.items():
        if entity.state_field:
            for key, state in uow.fetch(f"SELECT id, {quote_name(entity.state_field)} FROM {quote_name(name)}", ()):
                if state not in entity.lifecycle:
                    yield Problem("state", name, key, f"{state} is not a state")


def _unique(compiled: CompiledWorld, uow: UnitOfWork) -> Iterator[Problem]:
    for name, entity in compiled.blueprint.schema.entities.items():
        for group in entity.unique:
            columns = ", ".join(map(quote_name, group))
            known = " AND ".join(f"{quote_name(g)} IS NOT NULL" for g in group)
            sql = f"SELECT MAX(id) FROM {quote_name(name)} WHERE {known} GROUP BY {columns} HAVING COUNT(*) > 1"
            for (key,) in uow.fetch(sql, ()):
                yield Problem("unique", name, key, f"{' and '.join(group)} are not its own")


def _kept(compiled: CompiledWorld, uow: UnitOfWork) -> Iterator[Problem]:
    for (owner, field), compute in compiled.keepers.items():
        position = compiled.tables[owner].position[field]
        uow.begin()
        for row in list(uow.rows(owner)):
            value = compute(uow, {"self": row})
            if value != row.values[position]:
                yield Problem("kept", owner, row.id, f"{field} is {row.values[position]}, its rule gives {value}")


def _invariants(compiled: CompiledWorld, uow: UnitOfWork) -> Iterator[Problem]:
    uow.begin()
    for watch in compiled.watches:
        for key in find_broken_rows(watch, uow):
            yield Problem("invariant", watch.each, key, watch.says)
