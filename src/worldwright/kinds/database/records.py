"""Rows as the outside sees them: plain JSON, computed fields included."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from worldwright.blueprint.checked import Checked
from worldwright.blueprint.display_ways import CLOCK, FACTOR, FIELD
from worldwright.blueprint.expr.evaluate import Evaluator
from worldwright.blueprint.expr.nodes import Field, Node, Var
from worldwright.blueprint.schema import Column, Entity
from worldwright.blueprint.types import Type, ref
from worldwright.core.days import parse_day, parse_moment
from worldwright.kinds.database.tables import Table, make_show
from worldwright.kinds.database.unit_of_work import Row, UnitOfWork

Shows = Callable[[list[Any], Any], Any]
"""A value as it is shown, from the stored values of its row and itself."""
STRFTIME = {
    "DD.MM.YY": "%d.%m.%y",
    "DD.MM.YYYY": "%d.%m.%Y",
    "DD/MM/YYYY": "%d/%m/%Y",
    "MM/DD/YYYY": "%m/%d/%Y",
    "DD-Mon-YYYY": "%d-%b-%Y",
}


class Display:
    """The columns of one entity that are shown otherwise, or not at all."""

    def __init__(self, entity: Entity, position: Mapping[str, int]) -> None:
        self.hidden = tuple(c.name for c in entity.columns.values() if c.hidden)
        self._columns = {c.name: _ways(c, entity, position) for c in entity.columns.values() if c.shown is not None}
        self._by = {
            c.name: position[c.shown.by]
            for c in entity.columns.values()
            if c.shown is not None and c.shown.by in position
        }
        self.names = tuple(self._columns)

    def show(self, name: str, values: list[Any], value: Any) -> tuple[bool, Any]:
        """Return whether a value is shown otherwise in the row with these values, and how."""
        if value is None:
            return False, None
        word = values[self._by[name]] if name in self._by else value
        way = self._columns[name].get(word)
        return (False, None) if way is None else (True, way(values, value))


def _ways(column: Column, entity: Entity, position: Mapping[str, int]) -> dict[Any, Shows]:
    shown = column.shown
    assert shown is not None
    if shown.codes:
        return {word: _constant(code) for word, code in shown.codes.items()}
    return {word: _way(column, way, entity, position) for word, way in shown.ways.items()}


def _constant(code: str) -> Shows:
    return lambda values, value: code


def _way(column: Column, way: str, entity: Entity, position: Mapping[str, int]) -> Shows:
    if m := FIELD.match(way):
        at, show = position[m[1]], make_show(entity.columns[m[1]])
        return lambda values, value: values[at] if show is None else show(values[at])
    if m := FACTOR.match(way):
        factor, unit = Decimal(m[1]), Decimal(1).scaleb(-column.type.places)
        return lambda values, value: _times(value, factor, unit)
    if m := CLOCK.match(way):
        hours = int(m[1] + m[2])
        return lambda values, value: _on_clock(value, hours)
    style = STRFTIME[way]
    return lambda values, value: _format_day(value, style)


def _times(value: int, factor: Decimal, unit: Decimal) -> float:
    return float((value * unit * factor).quantize(unit, ROUND_HALF_UP))


def _on_clock(value: str, hours: int) -> str:
    at = parse_moment(value)
    return value if at is None else f"{at + timedelta(hours=hours):%Y-%m-%d %H:%M}"


def _format_day(value: str, style: str) -> str:
    day = parse_day(value)
    return value if day is None else f"{day:{style}}"


def make_type_show(kind: Type) -> Callable[[Any], Any] | None:
    """Make the function by which a value of this type becomes JSON; None where it is the same."""
    if kind.kind == "bool":
        return bool
    if kind.numeric and kind.places:
        divisor = 10**kind.places
        return lambda v: None if v is None else v / divisor
    return None


def to_json(value: Any, kind: Type) -> Any:
    """Convert a value in storage form to JSON."""
    show = make_type_show(kind)
    return value if value is None or show is None else show(value)


class Recorder:
    """Turns rows and expressions into JSON data."""

    def __init__(self, blueprint: Checked, evaluator: Evaluator, tables: Mapping[str, Table]) -> None:
        self.evaluator = evaluator
        self.tables = tables
        self._computed = {
            name: tuple(
                (c.name, evaluator.value(Field(c.type, Var(ref(name), "self"), c.name)), make_show(c))
                for c in entity.columns.values()
                if not c.stored
            )
            for name, entity in blueprint.schema.entities.items()
        }
        self._worked_out = {(entity, c[0]): c[1] for entity, every in self._computed.items() for c in every}
        displays = {name: Display(e, tables[name].position) for name, e in blueprint.schema.entities.items()}
        self._displays = {name: d for name, d in displays.items() if d.names or d.hidden}
        """Of entities that do not show everything as it is kept."""

    def record(self, uow: UnitOfWork, row: Row) -> dict[str, Any]:
        """The whole record of a row."""
        out = self.tables[row.entity].record(row.values)
        for name, compute, show in self._computed[row.entity]:
            value = compute(uow, {"self": row})
            out[name] = value if show is None else show(value)
        display = self._displays.get(row.entity)
        return out if display is None else self._show_record(uow, row, out, display)

    def _show_record(self, uow: UnitOfWork, row: Row, out: dict[str, Any], display: Display) -> dict[str, Any]:
        """Show a record as its system does."""
        position = self.tables[row.entity].position
        for name in display.names:
            value = (
                row.values[position[name]]
                if name in position
                else self._worked_out[row.entity, name](uow, {"self": row})
            )
            otherwise, shown = display.show(name, row.values, value)
            if otherwise:
                out[name] = shown
        for name in display.hidden:
            del out[name]
        return out

    def make_listed(self, node: Node) -> Callable[[UnitOfWork, dict[str, Any]], Any]:
        """Make a function that gives a value that a search lists, as records would show it."""
        plain = self.make_value(node)
        display = self._displays.get(node.base.type.entity) if isinstance(node, Field) else None
        if not isinstance(node, Field) or display is None or node.name not in display.names:
            return plain
        name, owner, run = node.name, self.evaluator.row(node.base), self.evaluator.value(node)

        def give(d: UnitOfWork, f: dict[str, Any]) -> Any:
            row = owner(d, f)
            otherwise, shown = (False, None) if row is None else display.show(name, row.values, run(d, f))
            return shown if otherwise else plain(d, f)

        return give

    def make_value(self, node: Node) -> Callable[[UnitOfWork, dict[str, Any]], Any]:
        """Make a function that gives an expression's value as JSON."""
        run, show = self.evaluator.value(node), make_type_show(node.type)
        return run if show is None else lambda d, f: show(run(d, f))
