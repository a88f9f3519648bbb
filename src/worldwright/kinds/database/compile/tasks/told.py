"""Which of the rows that a plan makes an answer is about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from worldwright.blueprint.expr.evaluate import Run
from worldwright.kinds.database.compile.tasks.instances import BoundGoal, is_reached
from worldwright.kinds.database.compile.tasks.plans import Plan, fill_new, make_call
from worldwright.kinds.database.compile.tasks.sandbox import Sandbox
from worldwright.kinds.database.verify.told import bind_pick, find_pick
from worldwright.world.records import Call


@dataclass(frozen=True, slots=True)
class PickedRow:
    """The row that a part of the answer picks, and what is told in terms of it."""

    entity: str
    id: str
    name: str
    run: Run


def find_picked_rows(sandbox: Sandbox, bound: BoundGoal, plan: Plan) -> dict[str, PickedRow]:
    """Find by part of the answer the row that it picks at the moment when the goal is reached: what later goals of the same
    request make does not count."""
    compiled = sandbox.goals[bound.goal]
    evaluator = sandbox.compiled.evaluator
    picks = {
        key: (pick, found)
        for key, node in compiled.goal.tells.items()
        if (pick := find_pick(node)) is not None and (found := bind_pick(compiled.goal, key)) is not None
    }
    if not picks:
        return {}
    made = _play_until_reached(sandbox, bound, plan)
    uow = sandbox.session.unit_of_work()
    rows = {name: uow.row(entity, fill_new(key, made)) for name, (entity, key) in bound.rows.items()}
    out = {}
    for key, (pick, (_, told, name)) in picks.items():
        row: Any = evaluator.bind(pick)(uow, {**rows, **bound.said})
        if row is not None:
            out[key] = PickedRow(row.entity, row.id, name, evaluator.value(told))
    return out


def _play_until_reached(sandbox: Sandbox, bound: BoundGoal, plan: Plan) -> list[Mapping[str, Sequence[str]]]:
    """Play a plan until the goal is reached. Returns what each call made."""
    session = sandbox.start(bound.role, bound.actor)
    made: list[Mapping[str, Sequence[str]]] = []
    for call in plan:
        _, rows = make_call(session, Call(call.tool, fill_new(call.arguments, made)))
        made.append(rows)
        if is_reached(sandbox, bound, made):
            break
    return made
