"""Tables, types and rows put together as evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from worldwright.anchor.evidence import Evidence, Field, Note, Resource, Rows, Shape, States
from worldwright.anchor.names import fresh
from worldwright.anchor.readers.sql.expressions import VALUE, facts_of, with_fact
from worldwright.anchor.readers.sql.records import Catalogue, Check, Column, Key, Link, Table
from worldwright.anchor.readers.sql.rows import MAX_EXPRESSIONS, Heap, Heaps, constant_for, converted, laid_out, seen_in
from worldwright.anchor.readers.states import list_recurring, names_state

MAX_TYPE_DEPTH = 8
"""Types that rest on types."""
MAX_STATES = 40
"""Words of a list that may still be states."""
Raw = Mapping[str, Sequence[Any]]
"""By column, the values of all rows as they came."""


def evidence(found: Catalogue, heaps: Heaps) -> Evidence:
    """All that was found."""
    names = thing_names(found)
    for key, source in found.dropped.items():
        if key in names:
            found.warn(f"table {names[key]} is dropped here and not created again; it is kept", source)
    if heaps.expressions > MAX_EXPRESSIONS:
        first = next(iter(heaps.by_name.values()))
        found.warn(f"more than {MAX_EXPRESSIONS:,} values are expressions; the others are left empty", first.source)
    by_table = _by_table(found, heaps)
    resources: list[Resource] = []
    rows: list[Rows] = []
    states: list[States] = []
    for key, table in found.tables.items():
        heap = by_table.get(key)
        raw, wrong = laid_out(heap, [column.name for column in table.columns.values()]) if heap else ({}, 0)
        resource = _thing(table, names, found, raw)
        data = _rows(heap, resource, raw, wrong, found) if heap and raw else None
        resources.append(resource)
        rows += [data] if data else []
        states += states_of(resource, data)
    for heap in heaps.by_name.values():
        if found.key_of(heap.name) is None:
            rows += _rows_without_table(heap, found)
    skipped = [
        replace(s, why=f"{s.why} (and {n - 1:,} more like it)") if n > 1 else s for s, n in found.skipped.values()
    ]
    return Evidence(
        title=found.database,
        resources=tuple(resources),
        states=tuple(states),
        rows=tuple(rows),
        notes=tuple(found.notes),
        skipped=tuple(skipped),
    )


def thing_names(found: Catalogue) -> dict[Key, str]:
    """Return what each table is called: without its schema, unless two of them would have the same name."""
    alike = Counter(table.name.own.casefold() for table in found.tables.values())
    names: dict[Key, str] = {}
    taken: set[str] = set()
    for key, table in found.tables.items():
        alone = alike[table.name.own.casefold()] == 1 or not table.name.schema
        wanted = table.name.own if alone else f"{table.name.schema}_{table.name.own}"
        name = wanted + fresh(wanted.casefold(), taken)[len(wanted.casefold()) :]
        taken.add(name.casefold())
        names[key] = name
    return names


def _by_table(found: Catalogue, heaps: Heaps) -> dict[Key, Heap]:
    """The rows of each table, whatever names they came under."""
    out: dict[Key, Heap] = {}
    for heap in heaps.by_name.values():
        key = found.key_of(heap.name)
        there = out.setdefault(key, heap) if key else heap
        if there is not heap:
            for columns, rows in heap.batches:
                there.add(columns, rows, 0)
            there.total += heap.total
    return out


def _thing(table: Table, names: Mapping[Key, str], found: Catalogue, raw: Raw) -> Resource:
    columns = table.columns
    shapes, required, texts = _conditions(table, found)
    counted = tuple(column.name for column in columns.values() if column.counts)
    key = _names_in(table.key, columns) or (counted if len(counted) == 1 else ())
    unique = tuple(dict.fromkeys(u for group in table.unique if (u := _names_in(group, columns)) and u != key))
    links = _links(table, names, found)
    fields = []
    for at, column in columns.items():
        name = column.name
        must = name in key or required[name] or (column.counts and column.empty is None)
        shape = seen_in(shapes[name], raw.get(name, ()))
        if column.counts and shape.kind == "number":
            shape = replace(shape, kind="integer", format="")
        shape = replace(shape, default=constant_for(shape, shape.default), nullable=not must)
        to, by = links.get(at, ("", ""))
        fills = column.counts or column.filled or bool(column.computed)
        one = Field(
            name, shape, must, name in key, (name,) in unique, to, by, fills, says=column.says, source=column.source
        )
        fields.append(one)
    texts += table.rules + [f"{c.name} = {c.computed}" for c in columns.values() if c.computed]
    checks = tuple(dict.fromkeys(texts))
    return Resource(names[table.name.key], tuple(fields), key, unique, checks, table.says, "table", table.source)


def _names_in(names: Sequence[str], columns: Mapping[str, Column]) -> tuple[str, ...]:
    """Names as the columns are written; nothing where one of them is no column."""
    found = tuple(columns[name.casefold()].name for name in names if name.casefold() in columns)
    return found if len(found) == len(names) else ()


def _conditions(table: Table, found: Catalogue) -> tuple[dict[str, Shape], dict[str, bool], list[str]]:
    """The shape of each column, whether it is never empty, and the conditions that stay text."""
    shapes: dict[str, Shape] = {}
    required: dict[str, bool] = {}
    texts: list[str] = []
    for column in table.columns.values():
        shapes[column.name], empty, conditions = _typed(column, found)
        required[column.name] = empty is False
        for check in conditions:
            texts += _apply(check, {VALUE: column.name}, shapes, required)
    own = {name: column.name for name, column in table.columns.items()}
    for check in table.checks:
        texts += _apply(check, own, shapes, required)
    return shapes, required, texts


def _apply(check: Check, names: Mapping[str, str], shapes: dict[str, Shape], required: dict[str, bool]) -> list[str]:
    """Return what a condition says goes into the shapes; its text comes back where they cannot say it all."""
    facts, whole = facts_of(check)
    for fact in facts:
        name = names.get(fact.column.casefold())
        if name is None:
            whole = False
            continue
        required[name] = required[name] or fact.what == "full"
        shapes[name], exact = with_fact(shapes[name], fact)
        whole = whole and exact
    return [] if whole else [check.text]


def _typed(column: Column, found: Catalogue) -> tuple[Shape, bool | None, Sequence[Check]]:
    """The shape of a column, its own types looked up."""
    name, empty = column.type, column.empty
    checks: list[Check] = []
    shape: Shape | None = None
    for _ in range(MAX_TYPE_DEPTH):
        own = found.type_of(name) if name else None
        if own is None:
            break
        checks += own.checks
        empty = own.empty if empty is None else empty
        shape, name = own.shape, own.type
    if shape is None:
        return column.shape, empty, ()
    if column.many:
        return replace(column.shape, items=shape), empty, ()
    default = shape.default if column.shape.default is None else column.shape.default
    return replace(shape, default=default), empty, checks


def _links(table: Table, names: Mapping[Key, str], found: Catalogue) -> dict[str, tuple[str, str]]:
    """Return where each column refers to. A key of one column comes before one of several."""
    out: dict[str, tuple[str, str]] = {}
    for link in sorted(table.links, key=lambda link: len(link.columns)):
        if any(name.casefold() not in table.columns for name in link.columns):
            continue
        to, by = _target(table, link, names, found)
        for name, other in zip(link.columns, by, strict=True):
            first, _ = out.setdefault(name.casefold(), (to, other))
            if first != to:
                says = f"column {name} of {names[table.name.key]} refers to {first} and to {to}; only the first is kept"
                found.note(Note("info", says, table.source))
    return out


def _target(table: Table, link: Link, names: Mapping[Key, str], found: Catalogue) -> tuple[str, tuple[str, ...]]:
    """The table that a link leads to, and the column there for each of its own."""
    key = found.key_of(link.table, near=table.name.schema)
    there = found.tables[key].columns if key else {}
    to = link.to or (found.tables[key].key if key and len(link.columns) > 1 else ())
    by = tuple(there[name.casefold()].name if name.casefold() in there else name for name in to)
    return names[key] if key else link.table.own, by if len(by) == len(link.columns) else ("",) * len(link.columns)


def _rows(heap: Heap, resource: Resource, raw: Raw, wrong: int, found: Catalogue) -> Rows:
    if wrong:
        says = f"{wrong:,} rows of {resource.name} have another number of values than the table has columns; they are left out"
        found.warn(says, heap.source)
    if heap.unread:
        found.warn(f"{heap.unread:,} statements with rows of {resource.name} were read in part", heap.source)
    return _as_rows(heap, resource.name, raw, {field.name: field.shape for field in resource.fields})


def _as_rows(heap: Heap, name: str, raw: Raw, shapes: Mapping[str, Shape]) -> Rows:
    values = zip(*(converted(column, shapes.get(at)) for at, column in raw.items()), strict=True)
    return Rows(name, tuple(raw), tuple(values), heap.total, heap.source)


def _rows_without_table(heap: Heap, found: Catalogue) -> list[Rows]:
    raw, _ = laid_out(heap, ())
    if not raw:
        found.skip(f"rows of {heap.name}", "no such table was created, and no columns are named", heap.source)
        return []
    found.warn(f"there are rows of {heap.name}, but no CREATE TABLE: give the schema as well", heap.source)
    return [_as_rows(heap, heap.name.own, raw, {})]


def states_of(resource: Resource, rows: Rows | None) -> Iterator[States]:
    """The states of a thing, from what its columns declare or from what its rows hold."""
    for field in resource.fields:
        if field.refers_to or not names_state(field.name, [other.name for other in resource.fields]):
            continue
        words = tuple(word for word in field.shape.enum if isinstance(word, str))
        source = field.source
        if rows is not None and not field.shape.enum and field.shape.kind == "string" and field.name in rows.columns:
            at = rows.columns.index(field.name)
            words, source = list_recurring([row[at] for row in rows.rows], times=1), rows.source
        if 1 < len(words) <= MAX_STATES:
            yield States(resource.name, field.name, words, source=source)
