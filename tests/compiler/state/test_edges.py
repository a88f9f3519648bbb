"""Values at the edge of a rule: the row that one is planted in is a row that the world could have by itself."""

from __future__ import annotations

import sqlite3
from typing import Any

import pytest

from worldwright.kinds.database.compile.state.build import GrownState, grow_state
from worldwright.kinds.database.kind import compile_blueprint

WORLD = """
blueprint: harbour
title: Harbour
now: 2025-06-16T09:00:00Z
systems: {desk: the desk}
actor: {entity: clerk, role: role}
roles: {agent: works}
entities:
  clerk: {in: desk, key: CLK-##, rows: 2, called: "{name}", fields: {name: person, role: one of agent}}
  sailing:
    in: desk
    key: SAI-###
    rows: 40
    called: "the {vessel}"
    fields:
      vessel: text ~ letters(6)
      departs_on: date ~ between(today - 20, today + 20)
      cutoff_on: date ~ departs_on - 3
  watch_week:
    in: desk
    key: WCH-###
    rows: 20
    called: "the week of {from_on:day}"
    fields:
      from_on: date ~ today - weekday(today) + 7 * between(-6, 6)
      ends_on: date ~ from_on + 6
operations:
  book: {in: desk, says: Book., by: [agent], takes: {sailing: sailing}, does: [{require: today <= sailing.cutoff_on},
    {set: {sailing.vessel: sailing.vessel}}], gives: sailing}
  relieve: {in: desk, says: Relieve., by: [agent], takes: {week: watch_week}, does: [{require: week.from_on <= today + 1},
    {set: {week.ends_on: week.ends_on}}], gives: week}
"""
MONDAYS = """
always:
  on_mondays: {each: watch_week, holds: weekday(from_on) == 0, says: A week begins on a Monday.}
"""
SEEDS = range(5)


def grow(text: str, seed: int) -> tuple[GrownState, dict[str, dict[str, Any]]]:
    grown = grow_state(compile_blueprint(text), seed)
    conn = sqlite3.connect(":memory:")
    conn.deserialize(grown.data)
    conn.row_factory = sqlite3.Row
    rows = {r["id"]: dict(r) for table in ("sailing", "watch_week") for r in conn.execute(f"SELECT * FROM {table}")}
    conn.close()
    return grown, rows


def test_what_follows_from_others_is_drawn_with_them() -> None:
    """Bookings never close after the ship has left, at the edge of the rule neither."""
    found = set()
    for seed in SEEDS:
        grown, rows = grow(WORLD, seed)
        for edge, key in grown.edges.items():
            if edge.field == "cutoff_on":
                assert rows[key]["cutoff_on"] == edge.value
                assert rows[key]["departs_on"] == {"2025-06-16": "2025-06-19", "2025-06-15": "2025-06-18"}[edge.value]
                found.add(edge.side)
    assert found == {"inside", "outside"}


def test_what_others_follow_from_is_put_in_before_them() -> None:
    grown, rows = grow(WORLD, 0)
    weeks = {edge.value: rows[key] for edge, key in grown.edges.items() if edge.entity == "watch_week"}
    assert set(weeks) == {"2025-06-17", "2025-06-18"}
    assert [w["ends_on"] for _, w in sorted(weeks.items())] == ["2025-06-23", "2025-06-24"]


@pytest.mark.parametrize("seed", SEEDS)
def test_no_edge_is_planted_where_an_invariant_says_that_the_row_cannot_be(seed: int) -> None:
    grown, rows = grow(WORLD + MONDAYS, seed)
    assert not [edge for edge in grown.edges if edge.entity == "watch_week"]
    assert len([r for r in rows.values() if "from_on" in r]) == 20


def test_the_same_seed_plants_the_same() -> None:
    assert grow(WORLD, 3)[0].digest == grow(WORLD, 3)[0].digest
