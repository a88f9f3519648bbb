"""What a table's columns are: kind, emptiness, uniqueness, the words they take, and which of them is the key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from worldwright.anchor.evidence import Field, Shape
from worldwright.anchor.names import noun, parts
from worldwright.anchor.readers.data.kinds import EMPTY, PERHAPS_EMPTY, TEXTS, Kind, kind_of
from worldwright.anchor.readers.data.tables import Table
from worldwright.anchor.readers.states import MAX_STATES, PLACES, list_recurring, names_state
from worldwright.anchor.schema.type_words import shape_of_words
from worldwright.english.words import wordset

MAX_ENUM_CHARS = 60
"""Of a value that is one of a few."""
MANY = 20
"""Rows from which on it is no accident that no value comes twice."""
MAX_NESTED = 100
MAX_DEPTH = 6
LAST = 9
"""The rank of a name that says nothing of telling records apart."""
NUMBERS = wordset("code number no nr num key uuid guid ref reference identifier sku isbn")
"""Words for what tells one record from another, after `id`."""
PARTS_OF_KEYS = NUMBERS | wordset("id line position pos seq sequence")
NO_KEYS = wordset("date date-time time decimal uri byte phone currency")


@dataclass(frozen=True, slots=True)
class Column:
    """One column with what is known of it."""

    name: str
    kind: Kind
    values: tuple[Any, ...]
    """Of the kept rows, as JSON values; None where there is nothing."""
    different: Mapping[Any, None]
    """The values as they came, each once, in the order in which they first come; none where they cannot be compared."""
    required: bool
    single: bool
    """No value comes twice in the kept rows, and there are values."""
    unique: bool
    """That is more than an accident."""
    words: tuple[str, ...] = ()
    """All that it takes, where these are few and come again."""
    is_state: bool = False

    @property
    def may_be_key(self) -> bool:
        return self.kind.kind in ("integer", "string") and self.kind.format not in NO_KEYS


def columns(table: Table) -> tuple[Column, ...]:
    """Every column of a table."""
    by_column = list(zip(*table.rows, strict=True)) or [()] * len(table.columns)
    return tuple(_with_words(_column(table, *one), table.columns) for one in zip(table.columns, by_column, strict=True))


def _column(table: Table, name: str, raw: Sequence[Any]) -> Column:
    plain = [None if v is None or v == "" or (table.converts and v in EMPTY) else v for v in raw]
    given = [v for v in plain if v is not None]
    kind, empty = kind_of(given, name, table.converts), frozenset[str]()
    if table.converts and any(v in PERHAPS_EMPTY for v in given):
        rest = [v for v in given if v not in PERHAPS_EMPTY]
        without = kind_of(rest, name, True) if rest else kind
        if without.kind != "string" or without.format:
            kind, given, empty = without, rest, PERHAPS_EMPTY
    kind = _declared_kind(kind, table.types.get(name, ""), given)
    try:
        different = dict.fromkeys(given)
    except TypeError:  # lists and objects cannot be compared by their hash
        different = {}
    required = name in table.required or len(given) == len(plain) > 0
    single = len(different) == len(given) > 0
    column = Column(name, kind, tuple(_value(v, kind, empty) for v in plain), different, required, single, unique=False)
    telling = kind.format in ("uuid", "email") or _rank(parts(name), noun(table.name)) < LAST
    by_design = single and column.may_be_key and (table.total >= MANY or (table.total > 1 and telling))
    return replace(column, unique=by_design or (name,) in table.unique)


def _declared_kind(kind: Kind, said: str, given: Sequence[Any]) -> Kind:
    """The kind, where a database declares one that the values do not show."""
    if "BOOL" in said.upper() and all(v in (0, 1) for v in given):
        return Kind("boolean", made=bool)
    if kind.kind == "any" and given and all(isinstance(v, bytes) for v in given):
        return Kind("string", "byte")
    if not said or given:
        return kind
    shape = shape_of_words(said)
    return Kind(shape.kind, shape.format)


def _value(value: Any, kind: Kind, empty: frozenset[str]) -> Any:
    if value is None or isinstance(value, bytes) or (empty and value in empty):
        return None
    if kind.made is None or (isinstance(value, str) and len(value) > MAX_ENUM_CHARS * 4):
        return value
    made = kind.made(value.strip() if isinstance(value, str) else value)
    return made if made is not None else value


def _with_words(column: Column, beside: Sequence[str]) -> Column:
    """A column with its values, where it takes one of a few, and whether these are states."""
    name, is_state = parts(column.name), names_state(column.name, beside)
    free = column.kind.kind == "string" and column.kind.format in ("", "currency") and not column.unique
    place = (PLACES | TEXTS) & set(name) or (name[-1:] == ("state",) and not is_state)
    if not free or place or len(column.different) > 2 * MAX_STATES:
        return column
    return replace(column, words=list_recurring(column.values, times=1 if is_state else 2), is_state=is_state)


def key_of(name: str, found: Sequence[Column], total: int) -> tuple[str, bool]:
    """The column that tells records apart, and whether it is only the first that happens to."""
    can = [(_rank(parts(c.name), noun(name)), c.name) for c in found if c.required and c.single and c.may_be_key]
    rank, best = min(can, key=lambda pair: pair[0], default=(LAST, ""))
    return (best, rank == LAST) if best and (rank < LAST or total > 1) else ("", False)


def _rank(words: tuple[str, ...], resource: tuple[str, ...]) -> int:
    own = words[:-1] in (resource, resource[-1:]) and len(words) > 1
    last = words[-1:]
    glued = len(words) == 1 and resource and words[0] in {f"{''.join(resource)}id", f"{resource[-1]}id"}
    tests = (
        words == ("id",), (own and last == ("id",)) or glued, own and bool(NUMBERS & set(last)),
        len(words) == 1 and bool(NUMBERS & set(last)), last == ("id",),
    )  # fmt: skip
    return next((i for i, good in enumerate(tests) if good), LAST)


def pair_key(table: Table, found: Sequence[Column]) -> tuple[str, ...]:
    """Two columns that together tell records apart, as in lines of an order. Where not all rows are here, only a pair of ids."""
    if table.total < 3:
        return ()
    words = PARTS_OF_KEYS if table.total == len(table.rows) else frozenset({"id"})
    like = [c for c in found if c.required and c.may_be_key and words & set(parts(c.name))]
    for a, b in combinations(like[:8], 2):
        if len(set(zip(a.values, b.values, strict=True))) == len(table.rows):
            return a.name, b.name
    return ()


def field_of(column: Column, table: Table, key: tuple[str, ...], refers: tuple[str, str] | None) -> Field:
    """The column as a field, which may refer to a table by a column of it."""
    name = column.name
    given = [v for v in column.values if v is not None]
    shape = shape_of_values(given, name, column.kind)
    some: tuple[Any, ...] = column.words[:3] if refers else ()
    if shape.kind in ("string", "integer", "number") and not column.words:
        some = tuple(dict.fromkeys(v for v in given[:50] if not isinstance(v, str) or len(v) <= MAX_ENUM_CHARS))[:3]
    shape = replace(shape, enum=() if refers else column.words, nullable=not column.required, examples=some)
    to, by = refers or ("", "")
    return Field(
        name,
        shape,
        column.required,
        name in key,
        column.unique or key == (name,),
        to,
        by,
        source=table.place or table.source,
    )


def shape_of_values(values: Sequence[Any], name: str, kind: Kind | None = None, depth: int = 0) -> Shape:
    """The form of some values, also of lists and objects."""
    kind = kind or kind_of([v for v in values if v is not None], name, False)
    if kind.kind == "array" and depth < MAX_DEPTH:
        inner = [v for value in values[:500] if isinstance(value, list) for v in value[:50]]
        return Shape("array", items=shape_of_values(inner, name, None, depth + 1))
    if kind.kind == "object" and depth < MAX_DEPTH:
        return Shape("object", fields=dict(_inner_fields(values, depth)))
    return Shape(kind.kind, kind.format, places=kind.places)


def _inner_fields(values: Sequence[Any], depth: int) -> Iterator[tuple[str, Field]]:
    records = [v for v in values if isinstance(v, dict)]
    for name in list(dict.fromkeys(n for r in records for n in r))[:MAX_NESTED]:
        inner = [r.get(name) for r in records]
        full = all(v is not None for v in inner)
        shape = replace(shape_of_values(inner, name, None, depth + 1), nullable=not full)
        yield name, Field(name, shape, required=full)
