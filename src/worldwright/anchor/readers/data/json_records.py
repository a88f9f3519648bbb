"""JSON as tables: lists of records, objects of such lists, and lists within records, which become tables of their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from worldwright.anchor.evidence import Note, Source
from worldwright.anchor.names import fresh, noun, parts
from worldwright.anchor.readers.data.columns import columns, key_of
from worldwright.anchor.readers.data.tables import Table, Told, make_table
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
OF_A_DATABASE = wordset("$oid $date $numberInt $numberLong $numberDouble $numberDecimal $uuid")

_Found = tuple[str, Sequence[Any], str]
"""A list of records: its name, what is in it, and where it stands."""


def read_json(file: str, name: str, text: str, told: Told) -> list[Table]:
    """The tables in a JSON document, or in several of them."""
    found, wrong = documents(text)
    told.notes += [Note("warning" if found else "error", f"not JSON: {w.says}", Source(file, w.at)) for w in wrong]
    values = [part.value for part in found]
    whole: Any = values if len(values) > 1 else values[0] if values else []
    if len(values) > 1 and all(isinstance(v, list) for v in values):
        whole = [record for page in values for record in page]
    tables: dict[str, Table] = {}
    for listed in _lists(whole, name, (), file, told):
        _tabulate(listed, tables, file, told)
    if found and not tables:
        return told.fail("no records in it; expected a list of objects, or an object of such lists", Source(file))
    return list(tables.values())


def _lists(value: Any, name: str, steps: tuple[str | int, ...], file: str, told: Told) -> Iterator[_Found]:
    """Every list of records, from the outside in."""
    at = pointer(*steps)
    if isinstance(value, list):
        if _has_records(value):
            yield name, value, at
        elif value:
            told.skip(name, "a list of plain values, not of records", Source(file, at))
        return
    if not isinstance(value, Mapping):
        return
    keyed = _by_key(value)
    inside = [k for k, v in value.items() if _may_hold_records(v)] if keyed is None and len(steps) < MAX_DEPTH else []
    if not inside and value:
        yield name, keyed or [value], at
    for key in inside:
        yield from _lists(value[key], name if key.lower() in WRAPPERS else key, (*steps, key), file, told)
    rest = [k for k in value if k not in inside]
    if inside and rest:
        shown = ", ".join(rest[:8]) + (", ..." if len(rest) > 8 else "")
        told.skip(shown, "stands beside lists of records", Source(file, at))


def _has_records(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(v, Mapping) for v in value[:100])


def _may_hold_records(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(isinstance(v, Mapping) or _has_records(v) for v in value.values())
    return _has_records(value)


def _by_key(value: Mapping[str, Any]) -> list[Mapping[str, Any]] | None:
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


def _tabulate(
    listed: _Found,
    tables: dict[str, Table],
    file: str,
    told: Told,
    refers: Mapping[str, Any] | None = None,
    depth: int = 0,
) -> None:
    """A list of records as a table, and the lists within its records as more of them."""
    wanted, entries, at = listed
    source = Source(file, at)
    records = [r for r in entries if isinstance(r, Mapping)]
    if len(tables) >= MAX_TABLES:
        return
    if len(records) < len(entries):
        told.skip(f"{len(entries) - len(records):,} entries of {wanted}", "no records", source)
    if not records:
        return
    name = fresh(wanted, tables)
    names = list(dict.fromkeys(n for r in records for n in r))
    children = _children(records) if depth < MAX_DEPTH else set()
    inner, plain = [n for n in names if n in children], [n for n in names if n not in children]
    if len(plain) > MAX_COLUMNS:
        told.warn(f"`{name}` has {len(plain):,} fields; the first {MAX_COLUMNS:,} are read", source)
        plain = plain[:MAX_COLUMNS]
    table = _table(name, plain, records, source, refers)
    key = key_of(name, columns(table), table.total)[0] if inner else ""
    if inner and not key:
        key = fresh("row", names)
        records = [{key: i, **r} for i, r in enumerate(records, 1)]
        table = _table(name, [key, *plain], records, source, refers)
        told.warn(f"records of `{name}` have no key; `{key}` numbers them, for what they hold", source)
    tables[name] = table
    back = _back(name, key)
    for child in inner:
        called = child if child not in tables and child.lower() not in WRAPPERS else f"{name}_{child}"
        held = [(r.get(key), e) for r in records if isinstance(r.get(child), list) for e in r[child]]
        listed = called, [{back: k, **e} if isinstance(e, Mapping) else e for k, e in held], at
        _tabulate(listed, tables, file, told, {back: (name, "")}, depth + 1)


def _children(records: Sequence[Mapping[str, Any]]) -> set[str]:
    """The names under which some record holds a list of records."""
    return {
        name
        for record in records
        for name, value in record.items()
        if isinstance(value, list) and any(isinstance(v, Mapping) and not _unwraps(v) for v in value[:20])
    }


def _back(parent: str, key: str) -> str:
    """Return what a reference to a record is called: `order_id`."""
    resource, own = noun(parent) or (parent,), parts(key)
    if own[: len(resource)] == resource or own[:1] == resource[-1:]:
        return key
    return f"{'_'.join(resource)}_{'_'.join(own) or key}"


def _table(name: str, names: Sequence[str], records: Sequence[Mapping[str, Any]], source: Source, refers: Any) -> Table:
    rows = ([_value(r.get(n), 0) for n in names] for r in records)
    return make_table(name, names, rows, source, refers=refers or {})


def _value(value: Any, depth: int) -> Any:
    """A value as it is kept: without the marks that some databases put around it."""
    if not isinstance(value, (dict, list)):
        return value
    if isinstance(value, dict) and _unwraps(value):
        return _value(next(iter(value.values())), depth + 1)
    if depth >= MAX_VALUE_DEPTH:
        return None
    if isinstance(value, list):
        return [_value(v, depth + 1) for v in value]
    return {k: _value(v, depth + 1) for k, v in value.items()}


def _unwraps(value: Mapping[str, Any]) -> bool:
    return len(value) == 1 and next(iter(value)) in OF_A_DATABASE
