"""What tasks will notice of a Blueprint: which columns and which kinds of row goals read, tell and speak of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from worldwright.blueprint.checked import Checked, Goal, Search, once_per_blueprint
from worldwright.blueprint.effects import columns_read, effects
from worldwright.blueprint.model import FieldSpec
from worldwright.blueprint.schema import Column

Cell = tuple[str, str]
"""(entity, column)"""
TOLD, SAID, CALLED, RULED, READ = 6, 3, 2, 2, 1
"""What a column counts where its value is told, said in a request, part of how a thing is called, read by a rule that only the
handbook enforces, or read otherwise."""

MAX_GOALS = 4
"""Goals about a kind of row from which on more of them make no difference."""


def weigh_columns(checked: Checked) -> Counter[Cell]:
    """Weigh by column how much tasks have to do with it. What goals are about counts more than what stands behind it."""
    out: Counter[Cell] = Counter()
    often = count_goals(checked)
    for goal in checked.goals.values():
        for weight, found in _weigh_goal(checked, goal.name):
            for cell in found:
                out[cell] += weight * (1 + min(often[cell[0]], MAX_GOALS))
    return out


def find_dependent_goals(checked: Checked, cell: Cell) -> tuple[str, ...]:
    """The goals whose tasks cannot be done well without this column: they tell it, ask by it, or obey rules that read it."""
    heavy = (TOLD, SAID, RULED)
    return tuple(
        goal.name
        for goal in checked.goals.values()
        if any(cell in found for weight, found in _weigh_goal(checked, goal.name) if weight in heavy)
    )


WeightedCells = tuple[tuple[int, set[Cell]], ...]


@once_per_blueprint
def _weigh_goal(checked: Checked, name: str) -> WeightedCells:
    """List by weight the columns that a goal has to do with."""
    return tuple(_weigh_parts(checked, checked.goals[name]))


def _weigh_parts(checked: Checked, goal: Goal) -> Iterator[tuple[int, set[Cell]]]:
    yield TOLD, columns_read(checked, goal.tells.values())
    yield SAID, columns_read(checked, goal.asks)
    for kind in goal.given.values():
        for way in checked.called.get(kind.entity, ()):
            yield CALLED, columns_read(checked, [way])
    done = [arg for step in goal.how for _, arg in step.args]
    tests = [step.test for step in goal.how if step.test is not None]
    yield READ, columns_read(checked, [goal.wants, *goal.where.values(), *done, *tests])
    for step in goal.how:
        for name in effects(checked, step.operation).policies:
            policy = checked.policies[name]
            yield RULED if policy.enforced == "agent" else READ, columns_read(checked, [policy.binding])


def count_goals(checked: Checked) -> Counter[str]:
    """Count by entity how many goals are about rows of it, or speak of them."""
    out: Counter[str] = Counter()
    for goal in checked.goals.values():
        out.update({kind.entity for kind in goal.given.values()})
    return out


def is_filtered(checked: Checked, cell: Cell) -> bool:
    """Return whether some search finds rows by this column."""
    searches = [op.read for op in checked.operations.values() if isinstance(op.read, Search)]
    return any(s.entity == cell[0] and any(f.column == cell[1] for f in s.filters) for s in searches)


def rank_columns(weights: Counter[Cell], checked: Checked, kinds: Iterable[str]) -> list[tuple[Cell, Column]]:
    """Columns of these kinds that tasks notice, those that most have to do with first."""
    wanted = frozenset(kinds)
    found = []
    for cell, weight in weights.items():
        column = checked.schema.entities[cell[0]].columns.get(cell[1])
        if column is not None and column.type.kind in wanted and column.shown is None and not column.hidden:
            found.append((-weight, cell, column))
    return [(cell, column) for _, cell, column in sorted(found, key=lambda one: one[:2])]


def is_messed(checked: Checked, cell: Cell) -> bool:
    """Return whether mess writes this column in styles of its own already."""
    return any((m.entity, m.column) == cell for m in checked.mess if m.spec.layer in ("legacy_format", "typo", "drift"))


def expand_field(spec: str | FieldSpec) -> FieldSpec:
    return FieldSpec(type=spec) if isinstance(spec, str) else spec
