"""Rows that cannot be are found by the study of coherence, and rows that can be are not."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest
from studies.coherence import find_incoherent

from worldwright.kinds.database.compile.state.build import GrownState, grow_state
from worldwright.kinds.database.compile.state.mess import MessedCell
from worldwright.kinds.database.compiled_world import CompiledWorld
from worldwright.kinds.database.kind import compile_blueprint

TEXT = """
blueprint: case_desk
title: A desk of cases
now: 2025-06-16T09:00:00Z
currency: EUR
systems: {desk: the desk}
actor: {entity: clerk, role: role}
roles: {worker: works on cases}
entities:
  clerk:
    in: desk
    key: CLK-##
    seeds: [{name: Ann Lee, role: worker}]
    rows: 1
    fields: {name: person, role: one of worker}
  case:
    in: desk
    key: CA-##
    seeds: [{opened_on: "2025-03-01", closed_on: "2025-04-01", due_on: "2025-05-01", size: 3, status: closed}]
    rows: 1
    fields: {opened_on: date, closed_on: date?, due_on: date, size: int, status: state}
    lifecycle: {open: [closed], closed: []}
  payment:
    in: desk
    key: PA-##
    seeds: [{case: 1, paid_on: "2025-03-02"}]
    rows: 1
    fields: {case: case as payments, paid_on: date}
always:
  small:
    each: case
    holds: size <= 5
    says: No case is larger than five.
operations:
  close_case:
    in: desk
    says: Close a case.
    by: worker
    takes: {case: case}
    does: [set: {case.status: "'closed'", case.closed_on: today}]
    gives: case
"""


@pytest.fixture(scope="module")
def compiled() -> CompiledWorld:
    return compile_blueprint(TEXT)


@pytest.fixture(scope="module")
def grown(compiled: CompiledWorld) -> GrownState:
    return grow_state(compiled, 1)


def spoil(grown: GrownState, sql: str) -> GrownState:
    with closing(sqlite3.connect(":memory:")) as conn:
        conn.deserialize(grown.data)
        conn.execute(sql)
        conn.commit()
        return replace(grown, data=conn.serialize())


def test_a_state_that_can_be_is_coherent(compiled: CompiledWorld, grown: GrownState) -> None:
    assert find_incoherent(compiled, grown) == []


@pytest.mark.parametrize(
    ("sql", "kind"),
    [
        ('UPDATE "case" SET size = 6', "invariant small"),
        ("UPDATE payment SET paid_on = '2025-06-17'", "payment.paid_on lies ahead"),
        ("UPDATE \"case\" SET closed_on = '2025-02-28'", "case: closed_on before opened_on"),
        ("UPDATE \"case\" SET due_on = '2025-02-28'", "case: due_on before opened_on"),
        ('UPDATE "case" SET closed_on = NULL', "case is closed without closed_on"),
        ("UPDATE \"case\" SET status = 'open'", "case is open with closed_on"),
        ("UPDATE payment SET paid_on = '2025-02-28'", "payment.case began later (paid_on, opened_on)"),
    ],
)
def test_a_row_that_cannot_be_is_found(compiled: CompiledWorld, grown: GrownState, sql: str, kind: str) -> None:
    assert [found.kind for found in find_incoherent(compiled, spoil(grown, sql))] == [kind]


def test_mess_excuses_the_field_that_it_touched_and_no_other(compiled: CompiledWorld, grown: GrownState) -> None:
    cell = MessedCell("stale", "stale", "case", "CA-01", "closed_on", None, "2025-02-28")
    messed = replace(
        spoil(grown, "UPDATE \"case\" SET closed_on = '2025-02-28', due_on = '2025-02-27'"), blemishes=(cell,)
    )
    assert [found.kind for found in find_incoherent(compiled, messed)] == ["case: due_on before opened_on"]
