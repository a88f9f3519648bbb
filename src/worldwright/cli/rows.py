"""Rows of an opening state: how many, and some to look at."""

from __future__ import annotations

from typing import Any

from worldwright.engine.world import World
from worldwright.kinds.database.runtime import Runtime


def row_counts(world: World) -> dict[str, int]:
    """How many rows each table opens with."""
    if not isinstance(world.runtime, Runtime):
        return {}
    conn = world.runtime.machine.connect(world.runtime.state)
    try:
        return {
            name: int(conn.execute(f'SELECT count(*) FROM "{name}"').fetchall()[0][0])
            for name in world.runtime.machine.tables
        }
    finally:
        conn.close()


def sample_rows(world: World, table: str, number: int) -> list[dict[str, Any]]:
    """Some rows, spread over the whole table, with computed columns."""
    if number <= 0 or not isinstance(world.runtime, Runtime):
        return []
    machine = world.runtime.machine
    conn = machine.connect(world.runtime.state)
    try:
        desk = machine.desk(conn)
        desk.now = world.runtime.opening_clock
        desk.today = desk.now[:10]
        ids = [r[0] for r in conn.execute(f'SELECT id FROM "{table}" ORDER BY id').fetchall()]
        chosen = ids if len(ids) <= number else [ids[i * len(ids) // number] for i in range(number)]
        rows = [desk.row(table, key) for key in chosen]
        return [machine.recorder.record(desk, row) for row in rows if row is not None]
    finally:
        conn.close()
