"""Rows of an opening state: how many, and some to look at."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from worldwright.engine.world import World
from worldwright.kinds.database.desk import Desk
from worldwright.kinds.database.runtime import Runtime


def row_counts(world: World) -> dict[str, int]:
    """How many rows each table opens with."""
    return counts_of(world.runtime) if isinstance(world.runtime, Runtime) else {}


def counts_of(runtime: Runtime) -> dict[str, int]:
    with _desk(runtime) as desk:
        return {
            name: int(desk.conn.execute(f'SELECT count(*) FROM "{name}"').fetchall()[0][0])
            for name in runtime.machine.tables
        }


def sample_rows(world: World, table: str, number: int) -> list[dict[str, Any]]:
    """Some rows, spread over the whole table, with computed columns."""
    return samples_of(world.runtime, table, number) if isinstance(world.runtime, Runtime) else []


def samples_of(runtime: Runtime, table: str, number: int) -> list[dict[str, Any]]:
    if number <= 0:
        return []
    with _desk(runtime) as desk:
        ids = [r[0] for r in desk.conn.execute(f'SELECT id FROM "{table}" ORDER BY id').fetchall()]
        chosen = ids if len(ids) <= number else [ids[i * len(ids) // number] for i in range(number)]
        rows = [desk.row(table, key) for key in chosen]
        return [runtime.machine.recorder.record(desk, row) for row in rows if row is not None]


def row_of(world: World, table: str, key: str) -> dict[str, Any] | None:
    """One row, with computed columns."""
    if not isinstance(world.runtime, Runtime):
        return None
    with _desk(world.runtime) as desk:
        row = desk.row(table, key)
        return None if row is None else world.runtime.machine.recorder.record(desk, row)


@contextmanager
def _desk(runtime: Runtime) -> Iterator[Desk]:
    """The opening state at its own time, on a connection of its own."""
    conn = runtime.machine.connect(runtime.state)
    try:
        desk = runtime.machine.desk(conn)
        desk.now = runtime.opening_clock
        desk.today = desk.now[:10]
        yield desk
    finally:
        conn.close()
