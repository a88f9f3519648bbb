"""JSON as tables: lists of records, objects of such lists, and lists within records, which become tables of their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from worldwright.anchor.evidence import Note, Source
from worldwright.anchor.names import fresh, noun, parts
from worldwright.anchor.readers.data.columns import columns, key_of
from worldwright.anchor.readers.data.tables import Declared, Table, Told, make_table
from worldwright.english.words import wordset
from worldwright.formats.json_text import documents, pointer

MAX_COLUMNS = 1_000
MAX_TABLES = 200
MAX_DEPTH = 5
"""Levels of wrapping around records, and of lists within records."""
MAX_VALUE_DEPTH = 12
WRAPPERS = wordset("data items results result records rows value values content response entries list objects")
"""Names that say nothing about what they hold."""
ALIKE = 0.5
"""Of the names that records under different keys have to share."""
OF_A_DATABASE = ("$oid", "$date", "$numberInt", "$numberLong", "$numberDouble", "$numberDecimal", "$uuid")


@dataclass(frozen=True, slots=True)
class _List:
    """A list of records where it stands."""

    name: str
    records: Sequence[Any]
    at: str


@dataclass(slots=True)
class _Work:
    file: str
    told: Told
    tables: dict[str, Table] = field(default_factory=dict)


def read_json(file: str, name: str, text: str, told: Told) -> list[Table]:
    """The tables in a JSON document, or in several of them."""
    found, wrong = documents(text)
    level = "warning" if found else "error"
    told.notes += [Note(level, f"not JSON: {w.says}", Source(file, w.at)) for w in wrong]
    work = _Work(file, told)
    values = [part.value for part in found]
    whole = values if len(values) > 1 else values[0] if values else []
    if len(values) > 1 and all(isinstance(v, list) for v in values):
        whole = [record for page in values for record in page]
    for listed in _lists(whole, name, (), work):
        if len(work.tables) < MAX_TABLES:
            _tabulate(listed, work, 0, None)
    if found and not work.tables:
        return told.fail("no records in it; expected a list of objects, or an object of such lists", Source(file))
    return list(work.tables.values())


def _lists(value: Any, name: str, steps: tuple[str | int, ...], work: _Work) -> Iterator[_List]:
    """Every list of records, from the outside in."""
    at = pointer(*steps)
    if isinstance(value, list):
        if any(isinstance(v, Mapping) for v in value[:100]):
            yield _List(name, value, at)
        elif value and all(isinstance(v, list) for v in value[:100]):
            yield _List(name, _with_names(value), at)
        elif value:
            work.told.skip(name, "a list of plain values, not of records", Source(work.file, at))
        return
    if not isinstance(value, Mapping):
        return
    keyed = _by_key(value)
    if keyed is not None:
        yield _List(name, keyed, at)
        return
    inside = [k for k, v in value.items() if _may_hold_records(v)] if len(steps) < MAX_DEPTH else []
    if not inside and value:
        yield _List(name, [value], at)
    for key in inside:
        yield from _lists(value[key], name if key.lower() in WRAPPERS else key, (*steps, key), work)
    rest = [k for k in value if k not in inside]
    if inside and rest:
        shown = ", ".join(rest[:8]) + (", ..." if len(rest) > 8 else "")
        work.told.skip(shown, "stands beside lists of records", Source(work.file, at))


def _may_hold_records(value: Any) -> bool:
    if isinstance(value, list):
        return any(isinstance(v, (Mapping, list)) for v in value[:100])
    return isinstance(value, Mapping) and any(_holds_list(v) for v in value.values())


def _holds_list(value: Any) -> bool:
    return isinstance(value, Mapping) or (isinstance(value, list) and any(isinstance(v, Mapping) for v in value[:100]))


def _by_key(value: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """Records that stand under their keys: `{"A1": {...}, "A2": {...}}`."""
    records = list(value.values())
    if len(records) < 2 or not all(isinstance(r, Mapping) for r in records):
        return None
    names = [set(r) for r in islice(records, 50)]
    common = set.intersection(*names)
    if not common or len(common) < ALIKE * max(len(n) for n in names):
        return None
    own = fresh("id", dict.fromkeys(n for r in records for n in r))
    return [{own: key, **record} for key, record in value.items()]


def _with_names(rows: Sequence[Any]) -> list[dict[str, Any]]:
    """Rows as lists; the first one names the columns where it holds only texts."""
    first = next(r for r in rows if isinstance(r, list))[:MAX_COLUMNS]
    named = len(rows) > 1 and all(isinstance(v, str) and v for v in first) and len(set(first)) == len(first)
    names = first if named else [f"column_{i + 1}" for i in range(len(first))]
    return [dict(zip(names, r, strict=False)) for r in rows[1 if named else 0 :] if isinstance(r, list)]


def _tabulate(listed: _List, work: _Work, depth: int, refers: tuple[str, str] | None) -> None:
    """A list of records as a table, and the lists within its records as more of them."""
    records = [r for r in listed.records if isinstance(r, Mapping)]
    source = Source(work.file, listed.at)
    if len(records) < len(listed.records):
        work.told.skip(f"{len(listed.records) - len(records):,} entries of {listed.name}", "no records", source)
    if not records:
        return
    name = fresh(listed.name, work.tables)
    names = list(dict.fromkeys(n for r in records for n in r))
    children = _children(records) if depth < MAX_DEPTH else set()
    inner = [n for n in names if n in children]
    plain = [n for n in names if n not in children]
    if len(plain) > MAX_COLUMNS:
        work.told.warn(f"`{name}` has {len(plain):,} fields; the first {MAX_COLUMNS:,} are read", source)
        plain = plain[:MAX_COLUMNS]
    declared = Declared(refers={refers[0]: (refers[1], "")} if refers else {})
    table = _table(name, plain, records, source, declared)
    key = key_of(name, columns(table), table.total)[0] if inner else ""
    if inner and not key:
        key = fresh("row", names)
        records = [{key: i, **r} for i, r in enumerate(records, 1)]
        table = _table(name, [key, *plain], records, source, declared)
        work.told.warn(f"records of `{name}` have no key; `{key}` numbers them, for what they hold", source)
    work.tables[name] = table
    for child in inner:
        if len(work.tables) < MAX_TABLES:
            _tabulate(*_child(name, key, child, records, listed.at, work), depth + 1, (_back(name, key), name))


def _children(records: Sequence[Mapping[str, Any]]) -> set[str]:
    """The names under which some record holds a list of records."""
    return {
        name
        for record in records
        for name, value in record.items()
        if isinstance(value, list) and any(isinstance(v, Mapping) and not _unwraps(v) for v in value[:20])
    }


def _child(
    parent: str, key: str, name: str, records: Sequence[Mapping[str, Any]], at: str, work: _Work
) -> tuple[_List, _Work]:
    """The lists under one name of all records, each entry with the key of the record that holds it."""
    back = _back(parent, key)
    entries = [
        {back: record.get(key), **entry} if isinstance(entry, Mapping) else entry
        for record in records
        if isinstance(record.get(name), list)
        for entry in record[name]
    ]
    called = name if name not in work.tables and name.lower() not in WRAPPERS else f"{parent}_{name}"
    return _List(called, entries, at), work


def _back(parent: str, key: str) -> str:
    """Return what a reference to a record is called: `order_id`."""
    resource = noun(parent) or (parent,)
    own = parts(key)
    return (
        key
        if own[: len(resource)] == resource or own[:1] == resource[-1:]
        else f"{'_'.join(resource)}_{'_'.join(own) or key}"
    )


def _table(
    name: str, names: Sequence[str], records: Sequence[Mapping[str, Any]], source: Source, declared: Declared
) -> Table:
    return make_table(name, names, ([_value(r.get(n), 0) for n in names] for r in records), source, declared=declared)


def _value(value: Any, depth: int) -> Any:
    """A value as it is kept: without the marks that some databases put around it."""
    if isinstance(value, dict):
        if _unwraps(value):
            return _value(next(iter(value.values())), depth + 1)
        return {k: _value(v, depth + 1) for k, v in value.items()} if depth < MAX_VALUE_DEPTH else None
    if isinstance(value, list):
        return [_value(v, depth + 1) for v in value] if depth < MAX_VALUE_DEPTH else None
    return value


def _unwraps(value: Mapping[str, Any]) -> bool:
    return len(value) == 1 and next(iter(value)) in OF_A_DATABASE
