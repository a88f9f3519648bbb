"""What others do because of a call: an approver answers, a customer calls again. Each call is planned when the other was made, and
made at its moment under all rules, by somebody else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from worldwright.blueprint import checked as c
from worldwright.blueprint.expr.evaluate import Evaluator, Frame
from worldwright.core import days
from worldwright.kinds.database.unit_of_work import Row, UnitOfWork

SOONEST = timedelta(minutes=1)
"""Nobody reacts at once."""
MAX_WAITING = 10_000
"""Calls that are planned at a time: who calls for more gets no more of them."""


class Place(NamedTuple):
    """A row, wherever its values are by then."""

    entity: str
    id: str


@dataclass(frozen=True, slots=True, eq=False)
class PlannedCall:
    """A call that somebody is going to make, where its condition holds by then."""

    moment: datetime
    step: ReactionStep
    known: Mapping[str, Any]


class Reaction:
    """One reaction to an operation, ready to run."""

    def __init__(self, evaluator: Evaluator, spec: c.Reaction) -> None:
        self._names = spec.names
        self._row, self._entity = spec.row, spec.entity
        self._at = evaluator.value(spec.at)
        self._steps = tuple(ReactionStep(evaluator, step) for step in spec.steps)

    def plan(self, uow: UnitOfWork, frame: Frame, given: Any, now: datetime) -> list[PlannedCall]:
        """Plan the calls that follow a call with these arguments, which gave this."""
        rows: dict[str, Any] = {name: frame.get(name) for name in self._names}
        if self._row and given is not None:
            rows[self._row] = uow.row(self._entity, given["id"] if isinstance(given, Mapping) else given.id)
        try:
            until = days.parse_moment(str(self._at(uow, rows) or ""))
        except OverflowError:
            until = None
        if until is None:
            return []
        moment = max(until.replace(tzinfo=None), now + SOONEST)
        known = {name: Place(v.entity, v.id) if isinstance(v, Row) else v for name, v in rows.items()}
        return [PlannedCall(moment, step, known) for step in self._steps]


class ReactionStep:
    """A call of a reaction, its expressions ready to run."""

    def __init__(self, evaluator: Evaluator, step: c.Step) -> None:
        self.tool = step.operation
        self.role = step.role
        self.actor = None if step.actor is None else evaluator.row(step.actor)
        self.args = tuple((name, evaluator.bind(node)) for name, node in step.args)
        self.test = None if step.test is None else evaluator.truth(step.test)


def compile_reactions(evaluator: Evaluator, specs: Sequence[c.Reaction]) -> dict[str, tuple[Reaction, ...]]:
    """Compile the reactions of a world, by the operation that they are to."""
    found: dict[str, tuple[Reaction, ...]] = {}
    for spec in specs:
        found[spec.operation] = (*found.get(spec.operation, ()), Reaction(evaluator, spec))
    return found
