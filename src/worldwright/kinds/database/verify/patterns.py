"""What a task accepts: patterns of rows, as data that a key holds and a person can read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from typing import Any, TypeAlias

from worldwright.blueprint.schema import Column, Entity, Schema
from worldwright.blueprint.types import Type
from worldwright.core.errors import TamperedPack
from worldwright.kinds.database.records import to_json
from worldwright.kinds.database.verify.net import list_compared


@dataclass(frozen=True, slots=True)
class Is:
    """Exactly this value, in storage form."""

    value: Any


@dataclass(frozen=True, slots=True)
class Of:
    """The id of the row that a pattern with this label stands for."""

    label: str


@dataclass(frozen=True, slots=True)
class AnyValue:
    """Anything: goal and rules say what is right here, or nothing does."""


@dataclass(frozen=True, slots=True)
class During:
    """A moment of the episode."""


Cell: TypeAlias = Is | Of | AnyValue | During


@dataclass(frozen=True, slots=True)
class Pattern:
    """One row that must have come, gone or changed."""

    op: str
    table: str
    label: str
    """What other cells call this row; for a row that is not new and that any eligible one may be, the same."""
    id: str
    """The row, where it is a certain one; empty for a new row and for one that may be any."""
    cells: Mapping[str, Cell]
    """Of a row that came, every compared column; of one that changed, the columns that may differ."""
    many: bool = False
    """One row or more."""


Accepted: TypeAlias = tuple[Pattern, ...]
"""One end state, up to renaming and what is left open."""


def is_prose(column: Column) -> bool:
    """Return whether a column holds sentences, and not a name, an address or the like."""
    return column.type.kind == "text" and column.flavour in ("", "sentence")


def has_open_texts(accepts: Sequence[Accepted], schema: Schema) -> bool:
    """Return whether some end state leaves a text open."""
    return any(
        isinstance(cell, AnyValue) and is_prose(schema.entities[pattern.table].columns[name])
        for accepted in accepts
        for pattern in accepted
        for name, cell in pattern.cells.items()
    )


# as data


def pattern_data(pattern: Pattern, schema: Schema) -> dict[str, Any]:
    entity = schema.entities[pattern.table]
    out: dict[str, Any] = {"op": pattern.op, "table": pattern.table}
    if pattern.label:
        out["as"] = pattern.label
    if pattern.id:
        out["id"] = pattern.id
    if pattern.many:
        out["many"] = True
    out["cells"] = {name: _cell_data(cell, entity.columns[name]) for name, cell in pattern.cells.items()}
    return out


def _cell_data(cell: Cell, column: Column) -> Any:
    match cell:
        case Is(value=value):
            return {"is": to_json(value, column.type)}
        case Of(label=label):
            return {"row": label}
        case During():
            return "during"
    return "any"


def read_stored(value: Any, kind: Type, name: str) -> Any:
    """Read a value that a key gives for `name`, in storage form."""
    if value is None:
        return None
    if kind.kind == "bool":
        if not isinstance(value, bool):
            raise TamperedPack(f"a key gives {value!r} for {name}, which is true or false")
        return int(value)
    if kind.numeric:
        return _units(value, kind.places, name)
    if not isinstance(value, str):
        raise TamperedPack(f"a key gives {value!r} for {name}, which is text")
    return value


def _units(value: Any, places: int, name: str) -> int:
    """A number in its smallest units. One that cannot be said in them is no number of this column."""
    finite = isinstance(value, int) or (isinstance(value, float) and isfinite(value))
    if isinstance(value, bool) or not finite:
        raise TamperedPack(f"a key gives {value!r} for {name}, which is a number")
    scaled = Fraction(str(value)) * 10**places if isinstance(value, float) else Fraction(value * 10**places)
    if scaled.denominator != 1:
        raise TamperedPack(f"a key gives {value!r} for {name}, which has {places} decimal places")
    return scaled.numerator


def read_pattern(data: Any, schema: Schema) -> Pattern:
    """A pattern from a key, checked against the tables it speaks of."""
    if not isinstance(data, Mapping) or data.get("op") not in ("added", "changed", "removed"):
        raise TamperedPack("a key holds a row pattern without a known `op`")
    unknown = set(data) - {"op", "table", "as", "id", "many", "cells"}
    if unknown:
        raise TamperedPack(f"a key says {sorted(map(str, unknown))[0]!r} of a row, which means nothing")
    entity = schema.entities.get(str(data.get("table")))
    if entity is None or entity.trail:
        raise TamperedPack(f"a key speaks of table {data.get('table')!r}, which this world does not have or compare")
    label, row, many = data.get("as", ""), data.get("id", ""), data.get("many", False)
    if not isinstance(label, str) or not isinstance(row, str) or not isinstance(many, bool):
        raise TamperedPack("a row pattern is named by something that is not text, or is `many` in an unknown way")
    return Pattern(data["op"], entity.name, label, row, _read_cells(data, entity), many)


def _read_cells(data: Mapping[str, Any], entity: Entity) -> dict[str, Cell]:
    cells = data.get("cells", {})
    if not isinstance(cells, Mapping):
        raise TamperedPack("the cells of a row pattern are not a mapping")
    columns = list_compared(entity)
    strange = [name for name in cells if name not in columns or data["op"] == "removed"]
    if strange:
        raise TamperedPack(f"a key speaks of {entity.name}.{strange[0]}, which is not compared")
    if data["op"] == "added" and len(cells) < len(columns):
        missing = next(c for c in columns if c not in cells)
        raise TamperedPack(f"a key says nothing of {entity.name}.{missing} in a row that came")
    return {name: _read_cell(cell, name, entity) for name, cell in cells.items()}


def _read_cell(data: Any, name: str, entity: Entity) -> Cell:
    if data == "any":
        return AnyValue()
    if data == "during":
        return During()
    if isinstance(data, Mapping) and len(data) == 1:
        if "row" in data and isinstance(data["row"], str) and data["row"]:
            return Of(data["row"])
        if "is" in data:
            return Is(read_stored(data["is"], entity.columns[name].type, f"{entity.name}.{name}"))
    raise TamperedPack(f"a key says {data!r} of {entity.name}.{name}, which means nothing")


def read_accepted(data: Any, schema: Schema) -> tuple[Accepted, ...]:
    if not isinstance(data, Sequence) or isinstance(data, str):
        raise TamperedPack("a key has no list of accepted end states")
    out = []
    for one in data:
        if not isinstance(one, Sequence) or isinstance(one, str):
            raise TamperedPack("an accepted end state is not a list of row patterns")
        patterns = tuple(read_pattern(p, schema) for p in one)
        _check_labels(patterns)
        out.append(patterns)
    return tuple(out)


def _check_labels(patterns: Accepted) -> None:
    """Check that each label is one row's, and every reference is to such a row: otherwise it would stand for anything."""
    labels = [p.label for p in patterns if p.label and not p.many]
    twice = [label for label in labels if labels.count(label) > 1]
    if twice:
        raise TamperedPack(f"a key calls two rows {twice[0]!r}")
    for pattern in patterns:
        for name, cell in pattern.cells.items():
            if isinstance(cell, Of) and cell.label not in labels:
                raise TamperedPack(
                    f"a key refers to {cell.label!r} in {pattern.table}.{name}, and no one row is called so"
                )
