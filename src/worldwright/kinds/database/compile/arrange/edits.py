"""Edits of a scene, and values a little further on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from worldwright.blueprint.types import Type
from worldwright.core import days

Values = tuple[tuple[str, Any], ...]


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
class SetClock:
    """What time it is."""

    now: str


@dataclass(frozen=True, slots=True)
class AddRow:
    entity: str
    values: Values
    times: int = 1
    """So many alike: what the first refers to, the others refer to as well."""


@dataclass(frozen=True, slots=True)
class PointTo:
    """A reference field set to a new row; with no entity, an argument."""

    entity: str
    id: str
    name: str
    target: str
    values: Values = ()


@dataclass(frozen=True, slots=True)
class DropRow:
    entity: str
    id: str


Edit = SetField | SetArg | SetClock | AddRow | PointTo | DropRow
Edits = tuple[Edit, ...]


def merge_edits(edits: Edits) -> Edits:
    """The edits with one new row for each reference: what several say of it, it has all at once."""
    out: dict[Any, Edit] = {}
    for i, edit in enumerate(edits):
        if not isinstance(edit, PointTo):
            out[i] = edit
            continue
        at = (edit.entity, edit.id, edit.name)
        before = out.get(at)
        values = before.values if isinstance(before, PointTo) else ()
        out[at] = replace(edit, values=tuple(dict((*values, *edit.values)).items()))
    return tuple(out.values())


def shift_value(value: Any, by: int, kind: Type) -> Any:
    """A value so many smallest units further on."""
    match kind.kind:
        case "date":
            return days.add_days(value, by)
        case "time":
            return days.add_seconds(value, by)
        case "text":
            return f"{value}~" if by > 0 else value[:-1] if by < 0 else value
    return value + by
