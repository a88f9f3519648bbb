"""The values of a written case, one by one, and the same case with one of them changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from worldwright.blueprint.schema import Column, Schema
from worldwright.blueprint.types import DATE, TIME, Type, ref
from worldwright.core import days
from worldwright.core.fixed import parse_fixed, to_text

Given = Mapping[str, Any]
"""What a case says, by path, as its author wrote it."""
Address = tuple[str | int, ...]
"""A path of a case; below a list of rows the number of the row and the path in it."""

ROWS = Type("list")
SECONDS_IN_MINUTE = 60
MAX_ROWS = 60
MAX_LETTERS = 300


@dataclass(frozen=True, slots=True)
class Leaf:
    """One value of a case: where it stands and what it may hold. One of type `ROWS` is how often a row is there."""

    address: Address
    type: Type
    optional: bool = False

    @property
    def name(self) -> str:
        return "".join(f"[{a}]" if isinstance(a, int) else f".{a}" for a in self.address).removeprefix(".")

    @property
    def ordered(self) -> bool:
        """Whether it can be moved up and down."""
        return self.type.kind in ("int", "decimal", "money", "foreign", "date", "time", "list", "text")


def list_leaves(given: Given, takes: Mapping[str, Type], schema: Schema) -> Iterator[Leaf]:
    """List the values of a case in the order in which it says them, the clock last."""
    names = {**takes, **({"actor": ref(schema.actor)} if schema.actor else {})}
    for path, value in given.items():
        root, *rest = path.split(".")
        if root in ("now", "today"):
            continue
        if root in schema.entities and root not in names and not rest:
            yield from _list_rows((path,), root, value, schema)
        elif not rest:
            yield Leaf((path,), names[root], value in (None, "none"))
        else:
            yield from _list_below((path,), names[root].entity, rest, value, schema)
    yield Leaf(("today",), DATE)
    yield Leaf(("now",), TIME)


def _list_below(at: Address, entity: str, path: list[str], value: Any, schema: Schema) -> Iterator[Leaf]:
    found = _follow(entity, path, schema)
    if isinstance(found, Column):
        yield Leaf(at, found.type, found.optional)
    elif found:
        yield from _list_rows(at, found, value, schema)


def _follow(entity: str, path: list[str], schema: Schema) -> Column | str:
    """The column that a path ends at, or the entity of the rows that it leads to."""
    for name in path[:-1]:
        entity = schema.entities[entity].columns[name].type.entity
    kind = schema.entities[entity]
    return kind.ways[path[-1]].entity if path[-1] in kind.ways else kind.columns[path[-1]]


def _list_rows(at: Address, entity: str, value: Any, schema: Schema) -> Iterator[Leaf]:
    if isinstance(value, int):
        yield Leaf(at, ROWS)
        return
    for i, row in enumerate(value):
        for path, inner in row.items():
            if path != "id":
                yield from _list_below((*at, i, path), entity, path.split("."), inner, schema)
        yield Leaf((*at, i), ROWS)


def read_leaf(given: Given, leaf: Leaf, schema: Schema) -> Any:
    """Return the value of a leaf as its author wrote it."""
    if leaf.address in (("today",), ("now",)):
        clock = {"today": days.day_of(schema.now), "now": schema.now}
        return given.get(str(leaf.address[0]), clock[str(leaf.address[0])])
    found: Any = given
    for part in leaf.address:
        found = found[part]
    return found if leaf.type != ROWS or isinstance(found, int) else 1


def write_leaf(given: Given, leaf: Leaf, value: Any) -> Given:
    """Return the case with another value in that place."""
    if leaf.type == ROWS and isinstance(leaf.address[-1], int):
        return _repeat_row(given, leaf.address, value)
    written: Given = _write(given, leaf.address, value)
    return written


def _write(part: Any, address: Address, value: Any) -> Any:
    if not address:
        return value
    key, *rest = address
    if isinstance(part, list):
        return [_write(row, tuple(rest), value) if i == key else row for i, row in enumerate(part)]
    return {**part, key: _write(part.get(key), tuple(rest), value)}


def _repeat_row(given: Given, address: Address, times: int) -> Given:
    *upper, last = address
    rows: Any = given
    for part in upper:
        rows = rows[part]
    copies = [{k: v for k, v in rows[last].items() if k != "id" or i == 0} for i in range(times)]
    changed: Given = _write(given, tuple(upper), [*rows[: int(last)], *copies, *rows[int(last) + 1 :]])
    return changed


def move(value: Any, kind: Type, steps: int) -> Any:
    """Move a value by so many of its smallest steps (days, minutes, cents, rows, letters); None where there is no such value."""
    if value in (None, "none"):
        return None
    match kind.kind:
        case "date":
            return days.add_days(str(value), steps)
        case "time":
            return days.add_seconds(str(value), steps * SECONDS_IN_MINUTE)
        case "text":
            longer = str(value) + str(value)[-1:] * max(steps, 0)
            return longer[: len(str(value)) + steps] if 0 < len(str(value)) + steps <= MAX_LETTERS else None
        case "list":
            return value + steps if 0 <= value + steps <= MAX_ROWS else None
    scaled = parse_fixed(value, kind.places)
    if scaled is None:
        return None
    moved = scaled + steps
    return Decimal(moved).scaleb(-kind.places) if kind.places else moved


def show(value: Any, kind: Type, today: str) -> str:
    """Show a value for people; a day also by its distance from today."""
    if value in (None, "none"):
        return "none"
    if kind.kind == "date":
        apart = days.days_between(today, str(value)) or 0
        return f"{value} (today)" if apart == 0 else f"{value} (today {'+' if apart > 0 else '-'} {abs(apart)})"
    if kind.kind in ("money", "foreign", "decimal"):
        return to_text(parse_fixed(value, kind.places) or 0, kind.places)
    if kind.kind == "text":
        return f"{value} ({len(str(value))} letters)"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value} row{'' if value == 1 else 's'}" if kind == ROWS else str(value)
