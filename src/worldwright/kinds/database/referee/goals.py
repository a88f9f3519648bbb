"""What goals want and tell, worked out on the end of an episode."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import islice, product
from typing import Any, TypeAlias

from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.expr.evaluate import Frame, Run
from worldwright.blueprint.types import Type
from worldwright.kinds.database.compiled_world import CompiledWorld
from worldwright.kinds.database.records import to_json
from worldwright.kinds.database.referee.request import GoalUse
from worldwright.kinds.database.referee.texts import states
from worldwright.kinds.database.unit_of_work import Row, UnitOfWork

MAX_CHOICES = 64
"""Choices of the rows that an episode made, for the labels of its goals."""

Binding: TypeAlias = Mapping[str, str]
"""By label, the id of the row that was made."""
Rows: TypeAlias = Sequence[tuple[str, str]]
"""(entity, id)"""


class TooManyChoices(ValueError):
    """More rows were made than can be tried for the labels of the goals."""


def list_labels(uses: Sequence[GoalUse]) -> dict[str, str]:
    """List the labels of the goals with their tables."""
    return {label: use.goal.given[name].entity for use in uses for name, label in use.made.items()}


def list_bindings(uses: Sequence[GoalUse], made: Rows, fixed: Binding) -> Iterator[Binding]:
    """Yield every choice of made rows for the labels, no row for two of one table. Some labels are `fixed`."""
    labels = list_labels(uses)
    own = [
        [fixed[label]] if label in fixed else [key for entity, key in made if entity == wanted]
        for label, wanted in labels.items()
    ]
    for tried, keys in enumerate(islice(product(*own), MAX_CHOICES + 1)):
        if tried >= MAX_CHOICES:
            raise TooManyChoices(f"more than {MAX_CHOICES} ways to choose the rows that were made")
        if len(set(zip(labels.values(), keys, strict=True))) == len(labels):
            yield dict(zip(labels, keys, strict=True))


def fill_names(use: GoalUse, uow: UnitOfWork, binding: Binding) -> dict[str, Any] | None:
    """Fill the names of a goal; None where a row is not there."""
    frame: dict[str, Any] = dict(use.said)
    for name, kind in use.goal.given.items():
        row = uow.row(kind.entity, use.ids.get(name) or binding.get(use.made.get(name, ""), ""))
        if row is None:
            return None
        frame[name] = row
    return frame


@dataclass(frozen=True, slots=True)
class Told:
    """A part of an answer, compiled; where it is told of the first or last of several rows, also of one that is given."""

    kind: Type
    plainly: Run
    of_row: Run | None = None
    candidates: Run | None = None
    """The rows from which one is picked."""
    entity: str = ""


class GoalReader:
    """A goal of a request, compiled."""

    def __init__(self, compiled: CompiledWorld, use: GoalUse) -> None:
        value = compiled.evaluator.value
        self.use = use
        self._wants = compiled.evaluator.truth(use.goal.wants)
        self._mentions = tuple(
            (value(text), value(fact), fact.type) for text, facts in use.goal.mentions for fact in facts
        )
        self._tells = {name: _compile_told(compiled, node) for name, node in use.goal.tells.items()}

        self.picked_entities = frozenset(told.entity for told in self._tells.values() if told.of_row is not None)
        """Tables of which something is told of the first or last of several rows."""

    def is_reached(self, uow: UnitOfWork, binding: Binding) -> bool:
        """Return whether what the goal wants is so, and its texts state the facts that they must."""
        frame = fill_names(self.use, uow, binding)
        if frame is None or not self._wants(uow, frame):
            return False
        return all(
            states(str(text(uow, frame) or ""), to_json(fact(uow, frame), kind), kind)
            for text, fact, kind in self._mentions
        )

    def tell(self, name: str, uow: UnitOfWork, binding: Binding, own: Rows) -> Any:
        """Work out what the goal tells. Where it tells of the first or last of several rows, and made one of them, it is
        told of that one: which of two goals was seen to first makes no difference. `own` are the rows that the goal made."""
        frame = fill_names(self.use, uow, binding)
        if frame is None:
            return None
        told = self._tells[name]
        if told.of_row is not None and told.candidates is not None:
            keys = {key for entity, key in own if entity == told.entity}
            found = [row for row in told.candidates(uow, frame) if row.id in keys]
            if len(found) == 1:
                return to_json(told.of_row(uow, {**frame, PICKED: found[0]}), told.kind)
        return to_json(told.plainly(uow, frame), told.kind)


PICKED = "picked_by_goal"


def _compile_told(compiled: CompiledWorld, node: n.Node) -> Told:
    evaluator = compiled.evaluator
    plainly = evaluator.value(node)
    pick = next((part for part in n.walk(node) if isinstance(part, n.Aggregate) and _is_pick(part)), None)
    if pick is None:
        return Told(node.type, plainly)
    of_row = evaluator.value(_put(node, pick, n.Var(pick.type, PICKED)))
    source, var = evaluator.source(pick.rows), pick.var
    where = None if pick.where is None else evaluator.truth(pick.where)

    def list_candidates(uow: Any, frame: Frame) -> list[Row]:
        return [row for row in source(uow, frame) if where is None or where(uow, {**frame, var: row})]

    return Told(node.type, plainly, of_row, list_candidates, pick.rows.entity)


def _is_pick(node: n.Aggregate) -> bool:
    return (
        node.kind in ("first", "last")
        and node.type.kind == "ref"
        and not node.rows.items
        and node.value == n.Var(node.value.type, node.var)
    )


def _put(value: Any, old: n.Node, new: n.Node) -> Any:
    """Copy an expression with another one wherever `old` stands in it."""
    if value == old:
        return new
    if isinstance(value, tuple):
        return tuple(_put(item, old, new) for item in value)
    if isinstance(value, (n.Node, n.Rows)):
        return replace(value, **{f.name: _put(getattr(value, f.name), old, new) for f in fields(value)})
    return value
