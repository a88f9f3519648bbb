"""Rows as JSON values, in the columns of their table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from worldwright.anchor.evidence import Rows, Shape
from worldwright.anchor.readers.sql.inserts import Default, Heap
from worldwright.anchor.readers.sql.values import Unknown, day_is_first, json_value, moment, number, time_of_day

BOOLEANS = {
    **dict.fromkeys(("t", "true", "y", "yes", "1", "on", "\x01", "0x01"), True),
    **dict.fromkeys(("f", "false", "n", "no", "0", "off", "\x00", "0x00", ""), False),
}


def table_rows(heap: Heap, name: str, shapes: Mapping[str, Shape]) -> tuple[Rows | None, int]:
    """All rows of a table under one list of columns, and how many did not fit theirs.

    Columns stand in the order of the table; those that no statement names are left out. A table that nobody created has the columns
    that its statements name.
    """
    order = list(shapes)
    known = {column.casefold(): column for column in order}
    used: dict[str, None] = {}
    laid: list[dict[str, Any]] = []
    wrong = 0
    for batch in heap.batches:
        columns = [known.get(c.casefold(), c) for c in batch.columns] if batch.columns is not None else order
        for row in batch.rows:
            if len(row) > len(columns) or (batch.columns is not None and len(row) != len(columns)):
                wrong += 1
                continue
            used.update(dict.fromkeys(columns[: len(row)]))
            laid.append(dict(zip(columns, row, strict=False)))
    names = [c for c in order if c in used] + [c for c in used if c not in shapes]
    if not names:
        return None, wrong
    columns_of_values = [_column([row.get(c, Default()) for row in laid], shapes.get(c)) for c in names]
    rows = tuple(zip(*columns_of_values, strict=True))
    return Rows(name, tuple(names), rows, heap.total, heap.source), wrong


def _column(raw: Sequence[Any], shape: Shape | None) -> list[Any]:
    if shape is None:
        return [_known(value, None) for value in raw]
    values = [_known(value, shape) for value in raw]
    convert = _CONVERT.get(shape.format) or _CONVERT.get(shape.kind)
    if convert is None:
        return values
    hints = {hint for value in values if isinstance(value, str) and (hint := day_is_first(value)) is not None}
    day_first = hints.pop() if len(hints) == 1 else None
    return [value if value is None else convert(value, shape, day_first) for value in values]


def _known(value: Any, shape: Shape | None) -> Any:
    if isinstance(value, Default):
        return shape.default if shape is not None else None
    return None if isinstance(value, Unknown) else value


def _boolean(value: Any, shape: Shape, day_first: bool | None) -> Any:
    return BOOLEANS.get(str(value).strip().lower(), value) if not isinstance(value, bool) else value


def _number(value: Any, shape: Shape, day_first: bool | None) -> Any:
    if isinstance(value, bool):
        return int(value)
    found = number(value) if isinstance(value, str) else value
    if isinstance(found, Unknown):
        return value
    whole = shape.kind == "integer" and isinstance(found, float) and found.is_integer()
    return int(found) if whole else found


def _string(value: Any, shape: Shape, day_first: bool | None) -> Any:
    return value if isinstance(value, (str, bool, list, dict)) else str(value)


def _date(value: Any, shape: Shape, day_first: bool | None) -> Any:
    found = moment(value, day_first) if isinstance(value, str) else None
    if found is None:
        return value
    return found.day if found.midnight else f"{found.day}T{found.time}"


def _date_time(value: Any, shape: Shape, day_first: bool | None) -> Any:
    found = moment(value, day_first) if isinstance(value, str) else None
    return value if found is None else f"{found.day}T{found.time or '00:00:00'}"


def _time(value: Any, shape: Shape, day_first: bool | None) -> Any:
    if not isinstance(value, str):
        return value
    found = moment(value, day_first)
    return (found.time if found and found.time else time_of_day(value)) or value


def _json(value: Any, shape: Shape, day_first: bool | None) -> Any:
    return json_value(value) if isinstance(value, str) else value


def _array(value: Any, shape: Shape, day_first: bool | None) -> Any:
    """PostgreSQL: `{1,2}`; MySQL's SET: `a,b`."""
    if not isinstance(value, str):
        return value
    inside = value[1:-1] if value.startswith("{") and value.endswith("}") else value
    if "{" in inside or '"' in inside:
        return value
    parts: Iterable[Any] = inside.split(",") if inside else ()
    convert = _CONVERT.get(shape.items.kind) if shape.items else None
    return [None if part == "NULL" else convert(part, shape, None) if convert else part for part in parts]


_Convert = Callable[[Any, Shape, bool | None], Any]
_CONVERT: Mapping[str, _Convert] = {
    "boolean": _boolean,
    "integer": _number,
    "number": _number,
    "decimal": _number,
    "string": _string,
    "date": _date,
    "date-time": _date_time,
    "time": _time,
    "json": _json,
    "array": _array,
}


def constant_for(shape: Shape, value: Any) -> Any:
    """A default as a value of its column: `'0'` of a number is 0."""
    convert = None if shape.format in ("date", "date-time", "time") else _CONVERT.get(shape.format or shape.kind)
    return value if value is None or convert is None else convert(value, shape, None)


def seen_in(shape: Shape, raw: Sequence[Any]) -> Shape:
    """A shape that the rows know better: a small number that is no boolean, a day with a time, several words at once."""
    values = [value for value in raw if not isinstance(value, (Unknown, Default)) and value is not None]
    if shape.kind == "boolean" and any(
        str(v).strip().lower() not in BOOLEANS and not isinstance(v, bool) for v in values
    ):
        return replace(shape, kind="integer")
    if shape.format == "date" and any(isinstance(v, str) and (m := moment(v, True)) and not m.midnight for v in values):
        return replace(shape, format="date-time")
    if shape.kind == "string" and shape.enum:
        several = any(isinstance(v, str) and "," in v and v not in shape.enum for v in values)
        if several and all(word in shape.enum for v in values for word in str(v).split(",") if word):
            return replace(shape, kind="array", items=Shape("string", enum=shape.enum), enum=())
    return shape
