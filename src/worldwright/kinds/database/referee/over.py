"""Requests about every row of a kind: which rows they mean, which of these a rule keeps back, and what is counted and added up.

All of it is worked out on the opening state, from the facts of the request and the Blueprint: no search and no program is run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from worldwright.blueprint.checked import Goal
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.types import ref
from worldwright.kinds.database.compiled_world import CompiledWorld
from worldwright.kinds.database.records import to_json
from worldwright.kinds.database.referee.request import Fact, GoalUse, Over
from worldwright.kinds.database.session import Session
from worldwright.kinds.database.unit_of_work import Row, UnitOfWork
from worldwright.world.records import Call


@dataclass(frozen=True, slots=True)
class Meant:
    """The rows that a request means."""

    kept: tuple[str, ...]
    """Ids of those that are dealt with, or counted."""
    left_out: tuple[str, ...]
    """Ids of those that a rule keeps back."""
    total: Any
    """What the kept ones add up to, as people write it; None where nothing is added up."""
    problem: str = ""
    """Why the words have no one reading."""

    def list_uses(self, over: Over) -> tuple[GoalUse, ...]:
        """List the goal once for every row that is dealt with."""
        if over.goal is None:
            return ()
        name = next(iter(over.goal.given))
        return tuple(GoalUse(over.goal, {name: key}, {}, {}) for key in self.kept)

    def list_parts(self) -> dict[str, Any]:
        """List what an answer says of them."""
        return {"count": len(self.kept), "left_out": sorted(self.left_out), "total": self.total}


def find_meant(compiled: CompiledWorld, session: Session, over: Over, role: str, actor: str) -> Meant:
    """Find the rows that a request means."""
    session.reset(role, actor)
    uow = session.unit_of_work()
    rows = _list_rows(compiled, uow, over)
    if over.goal is None:
        return Meant(tuple(row.id for row in rows), (), _add_up(compiled, uow, over.total, rows))
    calls = {row.id: _list_calls(compiled, uow, over.goal, row) for row in rows}
    left_out, problem = [], ""
    for key, own in calls.items():
        session.reset(role, actor)
        session.suspend_rules()
        fine = all(session.call(call.tool, call.arguments).ok for call in own)
        if session.violations():
            left_out.append(key)
        elif not fine:
            problem = problem or f"{key} cannot be dealt with, and no rule forbids it"
    kept = [row for row in rows if row.id not in left_out]
    session.reset(role, actor)
    for row in reversed(kept):
        fine = all(session.call(call.tool, call.arguments).ok for call in calls[row.id])
        if not fine or session.violations():
            problem = problem or f"whether {row.id} is left out depends on which comes first"
    session.reset(role, actor)
    total = _add_up(compiled, session.unit_of_work(), over.total, kept)
    return Meant(tuple(row.id for row in kept), tuple(left_out), total, problem)


def _list_rows(compiled: CompiledWorld, uow: UnitOfWork, over: Over) -> list[Row]:
    """List the rows that still count, of which the goal may be asked, and that are as the request says."""
    truth, live = compiled.evaluator.truth, compiled.blueprint.live.get(over.table)
    tests = [("self", truth(live))] if live is not None else []
    if over.goal is not None:
        name = next(iter(over.goal.given))
        where = over.goal.where.get(name)
        tests += [(name, truth(where))] if where is not None else []
    facts = [(fact, compiled.evaluator.value(_field(compiled, over.table, fact.field))) for fact in over.where]
    return [
        row
        for row in uow.rows(over.table)
        if all(test(uow, {"self": row, name: row}) for name, test in tests)
        and all(_is_so(value(uow, {"self": row}), fact) for fact, value in facts)
    ]


def _is_so(found: Any, fact: Fact) -> bool:
    if isinstance(found, Row):
        found = found.id
    if fact.op == "==" or found is None:
        return bool(found == fact.value)
    return bool(found >= fact.value if fact.op == ">=" else found <= fact.value)


def _list_calls(compiled: CompiledWorld, uow: UnitOfWork, goal: Goal, row: Row) -> list[Call]:
    """List the writes that deal with one row, as the goal says how."""
    frame: dict[str, Any] = {next(iter(goal.given)): row}
    out = []
    for step in goal.how:
        values = {name: compiled.evaluator.value(node)(uow, frame) for name, node in step.args}
        kinds = {found.name: found.type for found in compiled.blueprint.operations[step.operation].inputs}
        said = {k: v.id if isinstance(v, Row) else to_json(v, kinds[k]) for k, v in values.items() if v is not None}
        out.append(Call(step.operation, said))
    return out


def _add_up(compiled: CompiledWorld, uow: UnitOfWork, field: str, rows: Sequence[Row]) -> Any:
    if not field:
        return None
    if not rows:
        return 0
    node = _field(compiled, rows[0].entity, field)
    value = compiled.evaluator.value(node)
    return to_json(sum(value(uow, {"self": row}) or 0 for row in rows), node.type)


def _field(compiled: CompiledWorld, entity: str, name: str) -> n.Field:
    column = compiled.blueprint.schema.entities[entity].columns[name]
    return n.Field(column.type, n.Var(ref(entity), "self"), name)
