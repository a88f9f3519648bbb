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
PARTS_OF_KEYS = frozenset({"id", "line", "position", "pos", "seq", "sequence"})
NO_KEYS = frozenset({"date", "date-time", "time", "decimal", "uri", "byte", "phone", "currency"})


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
    out = [_column(table, j, by_column[j]) for j in range(len(table.columns))]
    return tuple(_with_words(c, table.columns) for c in out)


def _column(table: Table, j: int, raw: Sequence[Any]) -> Column:
    name, texts = table.columns[j], table.converts
    plain = [None if v is None or v == "" or (texts and v in EMPTY) else v for v in raw]
    kind, perhaps = _kind(plain, name, texts)
    kind = _declared_kind(kind, table.declared.types.get(name, ""), plain)
    given = [v for v in plain if v is not None and not (perhaps and v in PERHAPS_EMPTY)]
    try:
        different = dict.fromkeys(given)
    except TypeError:  # lists and objects cannot be compared by their hash
        different = {}
    required = name in table.declared.required or len(given) == len(plain) > 0
    single = len(different) == len(given) > 0
    values = tuple(_value(v, kind, texts and perhaps) for v in plain)
    column = Column(name, kind, values, different, required, single, unique=False)
    by_design = single and column.may_be_key and _by_design(table, name, kind)
    return replace(column, unique=by_design or (name,) in table.declared.unique)


def _by_design(table: Table, name: str, kind: Kind) -> bool:
    """Tell whether that no value comes twice is more than an accident of a few rows."""
    telling = kind.format in ("uuid", "email") or _rank(parts(name), noun(table.name)) < LAST
    return table.total >= MANY or (table.total > 1 and telling)


def _kind(plain: Sequence[Any], name: str, texts: bool) -> tuple[Kind, bool]:
    """The kind, and whether words that may mean nothing do mean it."""
    given = [v for v in plain if v is not None]
    if texts and any(v in PERHAPS_EMPTY for v in given):
        kind = kind_of([v for v in given if v not in PERHAPS_EMPTY], name, texts)
        if kind.kind not in ("string", "any") or kind.format:
            return kind, True
    return kind_of(given, name, texts), False


def _declared_kind(kind: Kind, said: str, values: Sequence[Any]) -> Kind:
    """The kind, where a database declares one that the values do not show."""
    word = said.upper()
    if "BOOL" in word and all(v in (None, 0, 1) for v in values):
        return Kind("boolean", made=lambda v: bool(v))
    if kind.kind == "bytes":
        return Kind("string", "byte", made=lambda v: None)
    if kind.kind != "any" or any(v is not None for v in values):
        return kind
    for part, kind_name, form in TYPES:
        if part in word:
            return Kind(kind_name, form)
    return kind


TYPES = (
    ("BLOB", "string", "byte"), ("DATETIME", "string", "date-time"), ("TIMESTAMP", "string", "date-time"),
    ("DATE", "string", "date"), ("TIME", "string", "time"), ("INT", "integer", ""), ("CHAR", "string", ""), ("TEXT", "string", ""),
    ("CLOB", "string", ""), ("REAL", "number", ""), ("FLOA", "number", ""), ("DOUB", "number", ""),
    ("DEC", "number", "decimal"), ("NUM", "number", ""),
)  # fmt: skip
"""Parts of a declared type, the kind, and the format."""


def _value(value: Any, kind: Kind, perhaps: bool) -> Any:
    if value is None or (perhaps and value in PERHAPS_EMPTY):
        return None
    text = value.strip() if isinstance(value, str) else value
    if kind.made is None or (isinstance(value, str) and len(value) > MAX_ENUM_CHARS * 4):
        return value if not isinstance(value, bytes) else None
    made = kind.made(text)
    return made if made is not None else None if isinstance(value, bytes) else value


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
    resource = noun(name)
    can = [c for c in found if c.required and c.single and c.may_be_key]
    best = min(can, key=lambda c: _rank(parts(c.name), resource), default=None)
    if best is not None and _rank(parts(best.name), resource) < LAST:
        return best.name, False
    return (best.name, True) if best is not None and total > 1 else ("", False)


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
    words = PARTS_OF_KEYS | NUMBERS if table.whole else frozenset({"id"})
    like = [c for c in found if c.required and c.may_be_key and words & set(parts(c.name))]
    for a, b in combinations(like[:8], 2):
        if len(set(zip(a.values, b.values, strict=True))) == len(table.rows):
            return a.name, b.name
    return ()


def field_of(column: Column, table: Table, key: tuple[str, ...]) -> Field:
    """The column as a field."""
    name, source = column.name, table.places.get(column.name, table.source)
    unique = column.unique or key == (name,)
    return Field(name, _shape(column), column.required, name in key, unique, source=source)


def _shape(column: Column) -> Shape:
    given = [v for v in column.values if v is not None]
    shape = shape_of_values(given, column.name, column.kind)
    some: tuple[Any, ...] = ()
    if shape.kind in ("string", "integer", "number") and not column.words:
        some = tuple(dict.fromkeys(v for v in given[:50] if not isinstance(v, str) or len(v) <= MAX_ENUM_CHARS))[:3]
    return replace(shape, enum=column.words, nullable=not column.required, examples=some)


def shape_of_values(values: Sequence[Any], name: str, kind: Kind | None = None, depth: int = 0) -> Shape:
    """The form of some values, also of lists and objects."""
    kind = kind or kind_of([v for v in values if v is not None], name, False)
    if kind.kind == "array" and depth < MAX_DEPTH:
        inner = [v for value in values[:500] if isinstance(value, list) for v in value[:50]]
        return Shape("array", items=shape_of_values(inner, name, None, depth + 1))
    if kind.kind == "object" and depth < MAX_DEPTH:
        return Shape("object", fields=dict(_inner_fields(values, depth)))
    return Shape("string" if kind.kind == "bytes" else kind.kind, kind.format, places=kind.places)


def _inner_fields(values: Sequence[Any], depth: int) -> Iterator[tuple[str, Field]]:
    records = [v for v in values if isinstance(v, dict)]
    names = list(dict.fromkeys(n for r in records for n in r))[:MAX_NESTED]
    for name in names:
        inner = [r.get(name) for r in records]
        full = all(v is not None for v in inner)
        shape = replace(shape_of_values(inner, name, None, depth + 1), nullable=not full)
        yield name, Field(name, shape, required=full)
