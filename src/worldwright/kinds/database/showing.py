"""Values as the records of a system show them, where that is not how they are kept: styles of dates, clocks, factors, codes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from worldwright.blueprint.display_ways import CLOCK, FACTOR, FIELD
from worldwright.blueprint.schema import Column, Entity
from worldwright.core.days import parse_day, parse_moment
from worldwright.kinds.database.tables import shower

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

    def shown(self, name: str, values: list[Any], value: Any) -> tuple[bool, Any]:
        """Whether a value is shown otherwise in the row with these values, and how."""
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
        at, show = position[m[1]], shower(entity.columns[m[1]])
        return lambda values, value: values[at] if show is None else show(values[at])
    if m := FACTOR.match(way):
        factor, unit = Decimal(m[1]), Decimal(1).scaleb(-column.type.places)
        return lambda values, value: _times(value, factor, unit)
    if m := CLOCK.match(way):
        hours = int(m[1] + m[2])
        return lambda values, value: _on_clock(value, hours)
    style = STRFTIME[way]
    return lambda values, value: _styled(value, style)


def _times(value: int, factor: Decimal, unit: Decimal) -> float:
    return float((value * unit * factor).quantize(unit, ROUND_HALF_UP))


def _on_clock(value: str, hours: int) -> str:
    at = parse_moment(value)
    return value if at is None else f"{at + timedelta(hours=hours):%Y-%m-%d %H:%M}"


def _styled(value: str, style: str) -> str:
    day = parse_day(value)
    return value if day is None else f"{day:{style}}"
