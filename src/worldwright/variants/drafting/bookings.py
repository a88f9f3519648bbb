"""Where amounts are booked: operations that make or approve something with an amount, for somebody, on a day."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from worldwright.blueprint import checked as c
from worldwright.blueprint.check.safety import walk_statements
from worldwright.blueprint.checked import Checked
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.schema import Column
from worldwright.variants.drafting.goal_calls import GoalCall, find_goal_calls, shuffle, write_path

SUMS = ("amount", "total", "cost", "price", "value", "sum")
"""What columns are called that hold what something comes to, in any business."""


@dataclass(frozen=True, slots=True)
class Booking:
    """An operation that makes or approves something with an amount for somebody."""

    operation: str
    entity: str
    """What has the amount."""
    group: Column
    """The reference to whom the cap is for."""
    written: str
    """The same as the operation writes it."""
    amount: str
    """As the operation writes it."""
    counted: str
    """The column that keeps the amount."""
    dated: str
    moment: bool
    only: tuple[tuple[str, str], ...]
    """Words that all such rows have."""
    makes: bool
    calls: tuple[GoalCall, ...]

    @property
    def holder(self) -> str:
        return self.group.type.entity


def find_bookings(checked: Checked, layer: str) -> list[Booking]:
    """Find bookings: for something that was there from the start first, then what holds a sum by name; one per kind of record."""
    best: dict[str, Booking] = {}
    places = [*_find_made(checked), *_find_approved(checked)]
    order = {op: k for k, op in enumerate(shuffle(checked, layer, sorted({p.operation for p in places})))}

    def rank(place: Booking) -> tuple[bool, bool, int, int]:
        grown = not checked.schema.entities[place.holder].rows
        return grown, not any(s in place.counted for s in SUMS), -len(place.calls), order[place.operation]

    for place in sorted(places, key=rank):
        if place.entity not in best and all(p.operation != place.operation for p in best.values()):
            best[place.entity] = place
    return list(best.values())


def _find_made(checked: Checked) -> Iterator[Booking]:
    """Rows that an operation adds with an amount."""
    for name, calls in find_goal_calls(checked).items():
        written = {s.add: s.with_ for s in checked.blueprint.operations[name].does if s.add is not None}
        for made in checked.operations[name].body:
            if isinstance(made, c.Add) and made.entity in written:
                yield from _book_added_row(checked, name, made, written[made.entity], calls)


def _book_added_row(
    checked: Checked, operation: str, made: c.Add, written: Mapping[str, str], calls: tuple[GoalCall, ...]
) -> Iterator[Booking]:
    """Yield what a row that is added counts, for whom and when."""
    entity, values = checked.schema.entities[made.entity], dict(made.values)
    counted = next((k for k, v in values.items() if _money(entity.columns[k]) and not isinstance(v, n.Const)), "")
    dated = next((k for k, v in values.items() if _clock(v)), "")
    group = _find_group(checked, [col for col in entity.refs if write_path(values.get(col.name, n.TRUE))])
    if not counted or not dated or group is None:
        return
    only = tuple(
        (k, str(v.value)) for k, v in values.items()
        if isinstance(v, n.Const) and entity.columns[k].type.kind == "enum" and k != entity.state_field
    )  # fmt: skip
    moment = entity.columns[dated].type.kind == "time"
    yield Booking(
        operation, made.entity, group, written[group.name], written[counted], counted, dated, moment, only, True, calls
    )


def _find_approved(checked: Checked) -> Iterator[Booking]:
    """Rows with an amount that an operation moves on and dates."""
    for name, calls in find_goal_calls(checked).items():
        for s in walk_statements(checked.operations[name].body):
            row = write_path(s.row) if isinstance(s, c.Set) else None
            if isinstance(s, c.Set) and row is not None and row.split(".")[0] in dict(_inputs(checked, name)):
                yield from _book_moved_row(checked, name, row, s, calls)


def _inputs(checked: Checked, operation: str) -> Iterator[tuple[str, str]]:
    for i in checked.operations[operation].inputs:
        if i.type.kind == "ref" and not i.optional:
            yield i.name, i.type.entity


def _book_moved_row(
    checked: Checked, operation: str, row: str, s: c.Set, calls: tuple[GoalCall, ...]
) -> Iterator[Booking]:
    """The day that is set together with the state, and the amount that the row has."""
    entity = checked.schema.entities[s.row.type.entity]
    values = dict(s.values)
    dated = next((k for k, v in values.items() if _clock(v)), "")
    group = _find_group(checked, list(entity.refs))
    if not dated or group is None or not isinstance(values.get(entity.state_field), n.Const):
        return
    moment = entity.columns[dated].type.kind == "time"
    for column in entity.stored:
        if _money(column) and column.name not in values:
            yield Booking(
                operation, entity.name, group, f"{row}.{group.name}", f"{row}.{column.name}", column.name, dated, moment,
                (), False, calls,
            )  # fmt: skip


def _money(column: Column) -> bool:
    return column.type.kind == "money" and not column.optional and column.stored


def _clock(node: n.Node) -> bool:
    return isinstance(node, n.Var) and node.name in ("today", "now")


def _find_group(checked: Checked, columns: list[Column]) -> Column | None:
    """Find whom it is for: something that was there from the start, if there is such a thing, and rather one of few."""
    entities = checked.schema.entities
    fit = [col for col in columns if not col.optional and col.type.entity != checked.schema.actor]
    return (
        max(fit, key=lambda col: (entities[col.type.entity].rows > 0, -entities[col.type.entity].rows)) if fit else None
    )
