"""Tables, types and rows put together as evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from worldwright.anchor.evidence import Evidence, Field, Resource, Rows, States
from worldwright.anchor.names import fresh
from worldwright.anchor.readers.sql.expressions import VALUE, facts_of, with_fact
from worldwright.anchor.readers.sql.records import Catalogue, Check, Column, Heap, Key, Table
from worldwright.anchor.readers.sql.rows import MAX_EXPRESSIONS, constant_for, converted, laid_out, seen_in
from worldwright.anchor.readers.states import list_recurring, names_state

MAX_TYPE_DEPTH = 8
"""Types that rest on types."""
MAX_STATES = 40
"""Words of a list that may still be states."""
Raw = Mapping[str, Sequence[Any]]
"""By column, the values of all rows as they came."""


def evidence(found: Catalogue) -> Evidence:
    """All that was found."""
    names = thing_names(found)
    if found.parsed > MAX_EXPRESSIONS:
        first = next(iter(found.heaps.values()))
        found.warn(f"more than {MAX_EXPRESSIONS:,} values are expressions; the others are left empty", first.source)
    by_table = _by_table(found)
    resources: list[Resource] = []
    rows: list[Rows] = []
    states: list[States] = []
    for key, table in found.tables.items():
        heap = by_table.pop(key, None)
        raw = _laid_out(heap, table, found) if heap else {}
        resource = _thing(table, names, found, raw)
        data = _rows(heap, resource, raw) if heap and raw else None
        resources.append(resource)
        rows += [data] if data else []
        states += states_of(resource, data)
    for heap in by_table.values():
        raw, _ = laid_out(heap, ())
        if raw:
            found.warn(f"there are rows of {heap.name}, but no CREATE TABLE: give the schema as well", heap.source)
            rows.append(_rows(heap, Resource(heap.name.own, ()), raw))
        else:
            found.skip(f"rows of {heap.name}", "no such table was created, and no columns are named", heap.source)
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
        names[key] = fresh(table.name.own if alone else f"{table.name.schema}_{table.name.own}", taken)
        taken.add(names[key])
    return names


def _by_table(found: Catalogue) -> dict[Key, Heap]:
    """The rows of each table, whatever names they came under, and those of no table."""
    out: dict[Key, Heap] = {}
    for name, heap in found.heaps.items():
        there = out.setdefault(found.key_of(heap.name) or name, heap)
        if there is not heap:
            for columns, rows in heap.batches:
                there.add(columns, rows, 0)
            there.total += heap.total
    return out


def _laid_out(heap: Heap, table: Table, found: Catalogue) -> Raw:
    """By column of a table, the values of its rows as they came."""
    raw, wrong = laid_out(heap, [column.name for column in table.columns.values()])
    if wrong:
        says = (
            f"{wrong:,} rows of {heap.name} have another number of values than the table has columns; they are left out"
        )
        found.warn(says, heap.source)
    if heap.unread:
        found.warn(f"{heap.unread:,} statements with rows of {heap.name} were read in part", heap.source)
    return raw


def _rows(heap: Heap, resource: Resource, raw: Raw) -> Rows:
    shapes = {field.name: field.shape for field in resource.fields}
    values = zip(*(converted(column, shapes.get(at)) for at, column in raw.items()), strict=True)
    return Rows(resource.name, tuple(raw), tuple(values), heap.total, heap.source)


def _thing(table: Table, names: Mapping[Key, str], found: Catalogue, raw: Raw) -> Resource:
    """A table as a thing, in which its columns get their own types and what conditions say of them."""
    columns = table.columns
    texts = [text for column in columns.values() for text in _settle_type(column, found)]
    texts += [text for check in table.checks for text in _apply(check, columns)]
    counted = tuple(column.name for column in columns.values() if column.counts)
    key = _names_in(table.key, columns) or (counted if len(counted) == 1 else ())
    unique = tuple(dict.fromkeys(u for group in table.unique if (u := _names_in(group, columns)) and u != key))
    links = _links(table, names, found)
    fields = []
    for at, column in columns.items():
        name = column.name
        must = name in key or column.empty is False or (column.counts and column.empty is None)
        shape = seen_in(column.shape, raw.get(name, ()))
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


def _settle_type(column: Column, found: Catalogue) -> list[str]:
    """Give a column what its own types say, as far as shapes can; the conditions that stay text come back."""
    name, shape, checks = column.type, None, list[Check]()
    for _ in range(MAX_TYPE_DEPTH):
        own = found.type_of(name) if name else None
        if own is None:
            break
        checks += own.checks
        column.empty = own.empty if column.empty is None else column.empty
        shape, name = own.shape, own.type
    if shape is None:
        return []
    if column.many:
        column.shape = replace(column.shape, items=shape)
        return []
    column.shape = replace(shape, default=shape.default if column.shape.default is None else column.shape.default)
    return [text for check in checks for text in _apply(check, {VALUE: column})]


def _apply(check: Check, columns: Mapping[str, Column]) -> list[str]:
    """Return what a condition says goes into the shapes; its text comes back where they cannot say it all."""
    facts, whole = facts_of(check)
    for fact in facts:
        column = columns.get(fact.column.casefold())
        if column is None:
            whole = False
            continue
        column.empty = False if fact.what == "full" else column.empty
        column.shape, exact = with_fact(column.shape, fact)
        whole = whole and exact
    return [] if whole else [check.text]


def _links(table: Table, names: Mapping[Key, str], found: Catalogue) -> dict[str, tuple[str, str]]:
    """Return where each column refers to: the table, and the column there. A key of one column comes before one of several."""
    out: dict[str, tuple[str, str]] = {}
    for link in sorted(table.links, key=lambda link: len(link.columns)):
        key = found.key_of(link.table, near=table.name.schema)
        there = found.tables[key] if key else None
        to = link.to or (there.key if there and len(link.columns) > 1 else ())
        by = [there.columns[n.casefold()].name if there and n.casefold() in there.columns else n for n in to]
        for at, name in enumerate(link.columns):
            other = by[at] if len(by) == len(link.columns) else ""
            out.setdefault(name.casefold(), (names[key] if key else link.table.own, other))
    return out


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
