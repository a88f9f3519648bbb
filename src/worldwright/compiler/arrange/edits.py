"""Edits of a scene, and the values that lie at a boundary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from worldwright.blueprint import checked as c
from worldwright.blueprint.check.safety import walk_statements
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.types import Type, ref
from worldwright.core import days


@dataclass(frozen=True, slots=True)
class SetField:
    entity: str
    id: str
    name: str
    value: Any


@dataclass(frozen=True, slots=True)
class SetArg:
    name: str
    value: Any


@dataclass(frozen=True, slots=True)
class AddRow:
    entity: str
    values: tuple[tuple[str, Any], ...]


@dataclass(frozen=True, slots=True)
class PointTo:
    """A reference field set to a new row; with no entity, an argument."""

    entity: str
    id: str
    name: str
    target: str
    values: tuple[tuple[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class DropRow:
    entity: str
    id: str


Edit = SetField | SetArg | AddRow | PointTo | DropRow
Edits = tuple[Edit, ...]


def definitions(operation: c.Operation) -> dict[str, n.Node]:
    """What local names stand for, where that is one expression: `let` once, `find`."""
    out: dict[str, n.Node] = {}
    twice: set[str] = set()
    for s in walk_statements(operation.body):
        if isinstance(s, c.Let):
            twice |= {s.name} & out.keys()
            out[s.name] = s.value
        elif isinstance(s, c.Find):
            kind = ref(s.rows.entity)
            order = "last" if s.descending else "first"
            out[s.name] = n.Aggregate(kind, order, s.name, s.rows, s.where, n.Var(kind, s.name), s.by)
        elif isinstance(s, c.Each):
            twice |= {name for name, _ in s.carry}
    return {k: v for k, v in out.items() if k not in twice}


def moved(value: Any, by: int, kind: Type) -> Any:
    """A value so many smallest units further on."""
    match kind.kind:
        case "date":
            return days.add_days(value, by)
        case "time":
            return days.add_seconds(value, by)
        case "text":
            return f"{value}~" if by > 0 else value[:-1] if by < 0 else value
    return value + by
