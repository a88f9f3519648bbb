"""The runtime of generated tool files: what `tools/*.py` in a pack import.

A `ToolContext` wraps the engine's unit of work, so rows are read and written by the same verbs; only control flow and expressions
are the file's. Rows have attributes: fields, references (as rows), ways back (as lists) and computed fields.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn

from worldwright.blueprint.checked import Get
from worldwright.blueprint.expr.evaluate import format_value as shown
from worldwright.blueprint.expr.library import FUNCTIONS, divide
from worldwright.core.fixed import to_number
from worldwright.core.names import to_words
from worldwright.kinds.database.compiled_world import CompiledWorld
from worldwright.kinds.database.operate import MAX_LOOP_ROWS
from worldwright.kinds.database.unit_of_work import Refusal, Row, UnitOfWork

lower = FUNCTIONS["lower"].run
len_of = FUNCTIONS["len"].run
abs_of = FUNCTIONS["abs"].run
startswith = FUNCTIONS["startswith"].run
day = FUNCTIONS["day"].run
add_days = FUNCTIONS["add_days"].run
days_between = FUNCTIONS["days_between"].run
add_months = FUNCTIONS["add_months"].run
month_start = FUNCTIONS["month_start"].run
month_end = FUNCTIONS["month_end"].run
year = FUNCTIONS["year"].run
month = FUNCTIONS["month"].run
weekday = FUNCTIONS["weekday"].run
at = FUNCTIONS["at"].run
add_hours = FUNCTIONS["add_hours"].run
hours_between = FUNCTIONS["hours_between"].run
add_business_days = FUNCTIONS["add_business_days"].run
business_days_between = FUNCTIONS["business_days_between"].run

__all__ = [
    "Record", "ToolContext", "abs_of", "add_business_days", "add_days", "add_hours", "add_months", "at", "at_least", "at_most",
    "attr", "business_days_between", "coalesce", "contains", "count", "day", "days_between", "divide", "exists", "first", "frozen",
    "greatest", "hours_between", "larger", "last", "least", "len_of", "less", "lower", "minus", "month", "month_end",
    "month_start", "more", "number", "plus", "refuse", "shown", "smaller", "startswith", "times", "total", "weekday", "year",
]  # fmt: skip


class Record:
    """A row with attributes."""

    __slots__ = ("_ctx", "_row")

    def __init__(self, ctx: ToolContext, row: Row) -> None:
        self._ctx = ctx
        self._row = row

    @property
    def id(self) -> str:
        return self._row.id

    def __getattr__(self, name: str) -> Any:
        return self._ctx.attribute(self._row, name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and (other._row.entity, other.id) == (self._row.entity, self.id)

    def __hash__(self) -> int:
        return hash((self._row.entity, self.id))

    def __repr__(self) -> str:
        return f"<{self._row.entity} {self.id}>"


class Item:
    """One element of a list input, with its parts as attributes."""

    def __init__(self, parts: Mapping[str, Any]) -> None:
        self.__dict__.update(parts)


class ToolContext:
    """Rows, clock and caller as a function of a tool file is handed them."""

    def __init__(self, compiled: CompiledWorld, uow: UnitOfWork, folder: Path | None = None) -> None:
        self._compiled = compiled
        self._uow = uow
        self._folder = folder
        self._functions: dict[str, Callable[..., Any]] = {}

    @property
    def now(self) -> str:
        return self._uow.now

    @property
    def today(self) -> str:
        return self._uow.today

    @property
    def actor(self) -> Record | None:
        return None if self._uow.actor is None else Record(self, self._uow.actor)

    @property
    def holidays(self) -> frozenset[str]:
        return self._compiled.blueprint.schema.holidays

    def attribute(self, row: Row, name: str) -> Any:
        entity = self._compiled.blueprint.schema.entities[row.entity]
        if name in entity.ways:
            way = entity.ways[name]
            return [Record(self, r) for r in self._uow.children(way.entity, way.column, row.id)]
        column = entity.columns.get(name)
        if column is None:
            raise AttributeError(f"{row.entity} has no {name}")
        if not column.stored:
            body = self._compiled.evaluator.value(self._compiled.blueprint.computed[row.entity, name])
            value = body(self._uow, {"self": row})
        else:
            value = row.values[self._uow.position(row.entity, name)]
        if column.type.kind == "ref" and value is not None:
            found = self._uow.row(column.type.entity, value)
            return None if found is None else Record(self, found)
        return bool(value) if column.type.kind == "bool" and value is not None else value

    def all(self, entity: str) -> list[Record]:
        return [Record(self, r) for r in self._uow.rows(entity)]

    def get(self, entity: str, key: str) -> Record | None:
        row = self._uow.row(entity, key)
        return None if row is None else Record(self, row)

    def set(self, record: Record | None, /, **values: Any) -> None:
        if record is None:
            refuse("NOT_FOUND", "There is nothing to change.")
        self._uow.set(record._row, {k: stored(v) for k, v in values.items()})

    def add(self, entity: str, /, **values: Any) -> Record:
        return Record(self, self._uow.add(entity, {k: stored(v) for k, v in values.items()}))

    def remove(self, record: Record | None) -> None:
        if record is None:
            refuse("NOT_FOUND", "There is nothing to remove.")
        self._uow.remove(record._row)

    def note(self, policy: str) -> None:
        """A rule that only the handbook enforces was broken."""
        self._uow.broken.append(policy)

    def record(self, record: Record | None) -> dict[str, Any] | None:
        return None if record is None else self._compiled.recorder.record(self._uow, record._row)

    def search(self, operation: str, /, **arguments: Any) -> Any:
        frame = {k: v._row if isinstance(v, Record) else v for k, v in arguments.items()}
        return self._compiled.tools[operation].perform(self._uow, frame)

    look_up = search

    def run(self, operation: str, /, **arguments: Any) -> Record | None:
        """Another operation, as its own file says it."""
        spec = self._compiled.blueprint.operations[operation]
        for i in spec.inputs:
            if not i.optional and i.default is None and arguments.get(i.name) is None:
                raise Refusal("MISSING_VALUE", f"There is no {to_words(i.name)} for this.", None, {"field": i.name})
        given = self.function(operation)(self, **arguments)
        gives = spec.read if isinstance(spec.read, Get) else getattr(spec.gives, "type", None)
        entity = getattr(gives, "entity", "")
        return self.get(entity, given["id"]) if entity and given else None

    def function(self, name: str) -> Callable[..., Any]:
        """The function of a tool's file. Only people and tests load these files; the engine never does."""
        if name not in self._functions:
            if self._folder is None:
                raise RuntimeError("no folder with tool files was given")
            spec = importlib.util.spec_from_file_location(f"pack_tool_{name}", self._folder / f"{name}.py")
            assert spec is not None
            assert spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            self._functions[name] = getattr(module, name)
        return self._functions[name]

    def call(self, name: str, arguments: Mapping[str, Any]) -> Any:
        """Read the arguments as the engine does and call the file's function with rows in place of ids."""
        return self.perform(name, self._compiled.tools[name].reader.read(self._uow, arguments))

    def perform(self, name: str, frame: Mapping[str, Any]) -> Any:
        """The file's function on arguments that were read already."""
        return self.function(name)(self, **{k: self._wrapped(v) for k, v in frame.items()})

    def _wrapped(self, value: Any) -> Any:
        if isinstance(value, Row):
            return Record(self, value)
        if isinstance(value, dict):
            return Item({k: self._wrapped(v) for k, v in value.items()})
        return [self._wrapped(v) for v in value] if isinstance(value, (list, tuple)) else value


def stored(value: Any) -> Any:
    """Return what a column holds for a value: the id for a row."""
    return value.id if isinstance(value, Record) else value


def refuse(code: str, message: str, policy: str | None = None) -> NoReturn:
    raise Refusal(code, message, policy)


def attr(record: Any, name: str, default: Any = None) -> Any:
    """An attribute of something that may be none."""
    return default if record is None else getattr(record, name)


# comparisons and arithmetic where a value may be none


def less(a: Any, b: Any) -> bool:
    return a is not None and b is not None and bool(a < b)


def at_most(a: Any, b: Any) -> bool:
    return a is not None and b is not None and bool(a <= b)


def more(a: Any, b: Any) -> bool:
    return less(b, a)


def at_least(a: Any, b: Any) -> bool:
    return at_most(b, a)


def plus(a: Any, b: Any) -> Any:
    return None if a is None or b is None else a + b


def minus(a: Any, b: Any) -> Any:
    return None if a is None or b is None else a - b


def times(a: Any, b: Any) -> Any:
    return None if a is None or b is None else a * b


def smaller(a: Any, b: Any) -> Any:
    return None if a is None or b is None else min(a, b)


def larger(a: Any, b: Any) -> Any:
    return None if a is None or b is None else max(a, b)


def coalesce(a: Any, b: Any) -> Any:
    return b if a is None else a


def contains(text: str | None, part: str | None) -> bool:
    return text is not None and part is not None and part in text


def number(value: int | None, places: int) -> int | float | None:
    """A whole number of smallest units as the number people write."""
    return None if value is None else to_number(value, places)


# aggregates


def exists(rows: Iterable[Any]) -> bool:
    return any(True for _ in rows)


def count(values: Iterable[Any]) -> int:
    return sum(1 for v in values if v is not None)


def total(values: Iterable[Any]) -> int:
    return sum(v for v in values if v is not None)


def least(values: Iterable[Any]) -> Any:
    return min((v for v in values if v is not None), default=None)


def greatest(values: Iterable[Any]) -> Any:
    return max((v for v in values if v is not None), default=None)


Test = Callable[[Any], Any]


def first(rows: Iterable[Any], where: Test | None = None, by: Test | None = None, give: Test | None = None) -> Any:
    """The row with the smallest key; ties go to the smallest id, rows without a key come last."""
    return _extreme(rows, where, by, give, min)


def last(rows: Iterable[Any], where: Test | None = None, by: Test | None = None, give: Test | None = None) -> Any:
    """The row with the largest key; ties go to the smallest id, rows without a key come last."""
    return _extreme(rows, where, by, give, max)


def _extreme(
    rows: Iterable[Any], where: Test | None, by: Test | None, give: Test | None, best: Callable[..., Any]
) -> Any:
    found = sorted((r for r in rows if where is None or where(r)), key=lambda r: str(getattr(r, "id", "")))
    keyed = [r for r in found if by is not None and by(r) is not None]
    if keyed and by is not None:
        key = best(by(r) for r in keyed)
        found = [r for r in keyed if by(r) == key]
    if not found:
        return None
    return found[0] if give is None else give(found[0])


def frozen(
    rows: Iterable[Any], where: Test | None = None, by: Test | None = None, descending: bool = False
) -> Iterator[Any]:
    """The rows of a loop as they are on entry, filtered and in order; at most 500."""
    found = [r for r in rows if where is None or where(r)]
    if by is not None:
        keyed = sorted((r for r in found if by(r) is not None), key=by, reverse=descending)
        found = keyed + [r for r in found if by(r) is None]
    if len(found) > MAX_LOOP_ROWS:
        refuse("TOO_MANY", f"This would touch {len(found)} rows; {MAX_LOOP_ROWS} at most.")
    return iter(found)
