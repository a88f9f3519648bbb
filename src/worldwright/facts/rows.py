"""Rows of an opening state: how many, and some to look at."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from worldwright.engine.world import World
from worldwright.kinds.database.runtime import Runtime
from worldwright.kinds.database.unit_of_work import UnitOfWork


def count_rows(world: World) -> dict[str, int]:
    """Count the rows that each table opens with."""
    return counts_of(world.runtime) if isinstance(world.runtime, Runtime) else {}


def counts_of(runtime: Runtime) -> dict[str, int]:
    with _uow(runtime) as uow:
        return {
            name: int(uow.conn.execute(f'SELECT count(*) FROM "{name}"').fetchall()[0][0])
            for name in runtime.compiled.tables
        }


def sample_rows(world: World, table: str, number: int) -> list[dict[str, Any]]:
    """Sample some rows, spread over the whole table, with computed columns."""
    return samples_of(world.runtime, table, number) if isinstance(world.runtime, Runtime) else []


def samples_of(runtime: Runtime, table: str, number: int) -> list[dict[str, Any]]:
    if number <= 0:
        return []
    with _uow(runtime) as uow:
        ids = [r[0] for r in uow.conn.execute(f'SELECT id FROM "{table}" ORDER BY id').fetchall()]
        chosen = ids if len(ids) <= number else [ids[i * len(ids) // number] for i in range(number)]
        rows = [uow.row(table, key) for key in chosen]
        return [runtime.compiled.recorder.record(uow, row) for row in rows if row is not None]


def read_row(world: World, table: str, key: str) -> dict[str, Any] | None:
    """Read one row, with computed columns."""
    if not isinstance(world.runtime, Runtime):
        return None
    with _uow(world.runtime) as uow:
        row = uow.row(table, key)
        return None if row is None else world.runtime.compiled.recorder.record(uow, row)


@contextmanager
def _uow(runtime: Runtime) -> Iterator[UnitOfWork]:
    """The opening state at its own time, on a connection of its own."""
    conn = runtime.compiled.connect(runtime.state)
    try:
        uow = runtime.compiled.unit_of_work(conn)
        uow.now = runtime.opening_clock
        uow.today = uow.now[:10]
        yield uow
    finally:
        conn.close()


def read_table(world: World, table: str, most: int) -> list[dict[str, Any]]:
    """Read the rows of a table in the order of their ids, so many at most, with computed columns."""
    if not isinstance(world.runtime, Runtime):
        return []
    with _uow(world.runtime) as uow:
        ids = [r[0] for r in uow.conn.execute(f'SELECT id FROM "{table}" ORDER BY id LIMIT ?', (most,)).fetchall()]
        rows = [uow.row(table, key) for key in ids]
        return [world.runtime.compiled.recorder.record(uow, row) for row in rows if row is not None]
