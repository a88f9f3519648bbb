"""Tables, types and rows put together as evidence."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from worldwright.anchor.evidence import Evidence, Field, Note, Resource, Rows, Shape, Skipped, States
from worldwright.anchor.readers.sql.checks import VALUE, facts_of, with_fact
from worldwright.anchor.readers.sql.inserts import MAX_EXPRESSIONS, Heap, Heaps
from worldwright.anchor.readers.sql.lexical import closing
from worldwright.anchor.readers.sql.records import Catalogue, Check, Column, Link, Name, Table, Type
from worldwright.anchor.readers.sql.rows import constant_for, seen_in, table_rows
from worldwright.english.words import wordset

MAX_TYPE_DEPTH = 8
"""Types that rest on types."""

Key = tuple[str, str]


def evidence(found: Catalogue, heaps: Heaps) -> Evidence:
    """All that was found."""
    names = thing_names(found)
    for key, source in found.dropped.items():
        if key in names:
            found.note(Note("warning", f"table {names[key]} is dropped here and not created again; it is kept", source))
    by_table = _by_table(found, heaps)
    if heaps.expressions > MAX_EXPRESSIONS:
        first = next(iter(heaps.by_name.values()))
        found.warn(f"more than {MAX_EXPRESSIONS:,} values are expressions; the others are left empty", first.source)
    resources: list[Resource] = []
    rows: list[Rows] = []
    states: list[States] = []
    for key, table in found.tables.items():
        heap = by_table.get(key)
        resource = _thing(table, names, found, heap)
        data = _rows(heap, resource, found) if heap else None
        resources.append(resource)
        rows += [data] if data else []
        states += states_of(resource, data)
    for heap in heaps.by_name.values():
        if found.key_of(heap.name) is None:
            rows += _rows_without_table(heap, found)
    return Evidence(
        title=found.database,
        resources=tuple(resources),
        states=tuple(states),
        rows=tuple(rows),
        notes=tuple(found.notes),
        skipped=tuple(_skipped(found)),
    )


def _skipped(found: Catalogue) -> Iterator[Skipped]:
    for first, count in found.skipped.values():
        yield replace(first, why=f"{first.why} (and {count - 1:,} more like it)") if count > 1 else first


def thing_names(found: Catalogue) -> dict[Key, str]:
    """Return what each table is called: without its schema, unless two of them would have the same name."""
    alike: dict[str, int] = {}
    for table in found.tables.values():
        alike[table.name.own.casefold()] = alike.get(table.name.own.casefold(), 0) + 1
    names: dict[Key, str] = {}
    taken: set[str] = set()
    for key, table in found.tables.items():
        alone = alike[table.name.own.casefold()] == 1 or not table.name.schema
        name = wanted = table.name.own if alone else f"{table.name.schema}_{table.name.own}"
        count = 1
        while name.casefold() in taken:
            count += 1
            name = f"{wanted}_{count}"
        taken.add(name.casefold())
        names[key] = name
    return names


def _by_table(found: Catalogue, heaps: Heaps) -> dict[Key, Heap]:
    """The rows of each table, whatever names they came under."""
    out: dict[Key, Heap] = {}
    for heap in heaps.by_name.values():
        key = found.key_of(heap.name)
        if key is None:
            continue
        if key in out:
            for batch in heap.batches:
                out[key].add(batch.columns, batch.rows[: max(out[key].room(), 0)], 0)
            out[key].total += heap.total
        else:
            out[key] = heap
    return out


def _thing(table: Table, names: Mapping[Key, str], found: Catalogue, heap: Heap | None) -> Resource:
    columns = {column.name.casefold(): column for column in table.columns}
    shapes, required, texts = _conditions(table, found)
    key = _names_in(table.key, columns) or _numbered(table)
    unique = tuple(group for names_in in table.unique if (group := _names_in(names_in, columns)) and group != key)
    links = _links(table, columns, names, found)
    alone = {group[0] for group in unique if len(group) == 1}
    fields = []
    for column in table.columns:
        must = column.name in key or required[column.name] or (column.counts and column.empty is None)
        shape = seen_in(shapes[column.name], _raw(heap, table, column.name))
        if column.counts and shape.kind == "number":
            shape = replace(shape, kind="integer", format="")
        shape = replace(shape, default=constant_for(shape, shape.default), nullable=not must)
        to, by = links.get(column.name.casefold(), ("", ""))
        fields.append(
            Field(
                column.name,
                shape,
                must,
                column.name in key,
                column.name in alone,
                to,
                by,
                read_only=column.counts or column.filled or bool(column.computed),
                says=column.says,
                source=column.source,
            )
        )
    computed = tuple(f"{c.name} = {c.computed}" for c in table.columns if c.computed)
    checks = tuple(dict.fromkeys((*texts, *table.rules, *computed)))
    return Resource(
        names[table.name.key],
        tuple(fields),
        key,
        tuple(dict.fromkeys(unique)),
        checks,
        table.says,
        "table",
        table.source,
    )


def _names_in(names: tuple[str, ...], columns: Mapping[str, Column]) -> tuple[str, ...]:
    """Names as the columns are written; nothing where one of them is no column."""
    found = tuple(columns[name.casefold()].name for name in names if name.casefold() in columns)
    return found if len(found) == len(names) else ()


def _numbered(table: Table) -> tuple[str, ...]:
    """The column that the database numbers, where it is the only one: the key of a table that declares none."""
    numbered = tuple(column.name for column in table.columns if column.counts)
    return numbered if len(numbered) == 1 else ()


def _conditions(table: Table, found: Catalogue) -> tuple[dict[str, Shape], dict[str, bool], list[str]]:
    """The shape of each column, whether it is never empty, and the conditions that stay text."""
    shapes: dict[str, Shape] = {}
    required: dict[str, bool] = {}
    texts: list[str] = []
    for column in table.columns:
        shape, empty, conditions = _typed(column, found)
        shapes[column.name] = shape
        required[column.name] = empty is False
        for check in conditions:
            texts += _apply(check, {VALUE: column.name}, shapes, required)
    own = {column.name.casefold(): column.name for column in table.columns}
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
        if fact.what == "full":
            required[name] = True
        shapes[name], exact = with_fact(_counted(shapes[name], fact.what), fact)
        whole = whole and exact
    return [] if whole else [_bare(check.text)]


def _bare(text: str) -> str:
    """A condition without the parentheses around all of it."""
    while text.startswith("(") and closing(text, 0) == len(text) - 1:
        text = text[1:-1].strip()
    return text


def _counted(shape: Shape, what: str) -> Shape:
    """A number with bounds is no boolean."""
    bounds = ("minimum", "maximum", "above", "below")
    return replace(shape, kind="integer") if shape.kind == "boolean" and what in bounds else shape


def _typed(column: Column, found: Catalogue) -> tuple[Shape, bool | None, tuple[Check, ...]]:
    """The shape of a column, its own types looked up."""
    name, empty = column.type, column.empty
    checks: list[Check] = []
    shape: Shape | None = None
    for _ in range(MAX_TYPE_DEPTH):
        own = _type(name, found) if name else None
        if own is None:
            break
        checks += own.checks
        empty = own.empty if empty is None else empty
        shape, name = own.shape, own.base
    if shape is None:
        return column.shape, empty, ()
    if column.many:
        return replace(column.shape, items=shape), empty, ()
    default = shape.default if column.shape.default is None else column.shape.default
    return replace(shape, default=default), empty, tuple(checks)


def _type(name: Name, found: Catalogue) -> Type | None:
    return found.types.get(name.key) or found.types.get(("", name.key[1]))


def _links(
    table: Table, columns: Mapping[str, Column], names: Mapping[Key, str], found: Catalogue
) -> dict[str, tuple[str, str]]:
    """Return where each column refers to. A key of one column comes before one of several."""
    out: dict[str, tuple[str, str]] = {}
    for link in sorted(table.links, key=lambda link: len(link.columns)):
        if any(name.casefold() not in columns for name in link.columns):
            continue
        to, by = _target(table, link, names, found)
        for name, other in zip(link.columns, by, strict=True):
            there = out.setdefault(name.casefold(), (to, other))
            if there[0] != to:
                says = (
                    f"column {name} of {names[table.name.key]} refers to {there[0]} and to {to}; only the first is kept"
                )
                found.note(Note("info", says, table.source))
    return out


def _target(table: Table, link: Link, names: Mapping[Key, str], found: Catalogue) -> tuple[str, tuple[str, ...]]:
    key = found.key_of(link.table, near=table.name.schema)
    if key is None:
        return link.table.own, _paired(link, link.to)
    there = {column.name.casefold(): column.name for column in found.tables[key].columns}
    to = link.to or (found.tables[key].key if len(link.columns) > 1 else ())
    return names[key], _paired(link, tuple(there.get(name.casefold(), name) for name in to))


def _paired(link: Link, to: tuple[str, ...]) -> tuple[str, ...]:
    return to if len(to) == len(link.columns) else ("",) * len(link.columns)


def _raw(heap: Heap | None, table: Table, name: str) -> list[Any]:
    """The values of a column as they came."""
    if heap is None:
        return []
    order = [column.name.casefold() for column in table.columns]
    out: list[Any] = []
    for batch in heap.batches:
        columns = [c.casefold() for c in batch.columns] if batch.columns is not None else order
        if name.casefold() in columns:
            at = columns.index(name.casefold())
            out += [row[at] for row in batch.rows if at < len(row)]
    return out


def _rows(heap: Heap, resource: Resource, found: Catalogue) -> Rows | None:
    rows, wrong = table_rows(heap, resource.name, {field.name: field.shape for field in resource.fields})
    if wrong:
        says = f"{wrong:,} rows of {resource.name} have another number of values than the table has columns; they are left out"
        found.note(Note("warning", says, heap.source))
    if heap.unread:
        says = f"{heap.unread:,} statements with rows of {resource.name} were read in part"
        found.note(Note("warning", says, heap.source))
    return rows


def _rows_without_table(heap: Heap, found: Catalogue) -> list[Rows]:
    rows, _ = table_rows(heap, heap.name.own, {})
    if rows is None:
        found.skip(f"rows of {heap.name}", "no such table was created, and no columns are named", heap.source)
        return []
    says = f"there are rows of {heap.name}, but no CREATE TABLE: give the schema as well"
    found.note(Note("warning", says, heap.source))
    return [rows]


# Columns that hold the state of a thing.


MAX_STATES = 12
"""Different values in the rows that may still be states."""
MAX_WORDS = 40
"""Words of a declared list."""
ENGLISH = frozenset(("status", "state", "stage", "phase"))
OTHERS = wordset("statut etat état estado estatus stato fase zustand situação stav 状態 状态")
WORDS = ENGLISH | OTHERS
PLACES = frozenset(("city", "town", "zip", "zipcode", "postcode", "postal", "country", "province", "street", "address"))
"""Beside these, a state is a place."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+")
_STATE = re.compile(r"[^\W\d][\w .&/-]{0,59}$")
_ENDINGS = frozenset({"code", "cd", "name", "type", "flag", "enum", "value", "text"})


def words_of(name: str) -> list[str]:
    """`OrderStatus`, `order_status`: order, status."""
    return [word.casefold() for word in _WORD.findall(name)]


def states_of(resource: Resource, rows: Rows | None) -> Iterator[States]:
    """The states of a thing, from what its columns declare or from what its rows hold."""
    for field in resource.fields:
        if not names_state(field.name) or field.refers_to:
            continue
        declared = tuple(word for word in field.shape.enum if isinstance(word, str))
        if 1 < len(declared) <= MAX_WORDS:
            yield States(resource.name, field.name, declared, source=field.source)
        elif rows is not None and not field.shape.enum and _may_hold_states(field, resource):
            seen = _list_recurring_values(field.name, rows)
            if seen:
                yield States(resource.name, field.name, seen, source=rows.source)


def names_state(name: str) -> bool:
    words = words_of(name)
    while len(words) > 1 and words[-1] in _ENDINGS:
        words = words[:-1]
    return bool(words) and words[-1] in WORDS


def _may_hold_states(field: Field, resource: Resource) -> bool:
    beside = {word for other in resource.fields for word in words_of(other.name)}
    return field.shape.kind == "string" and not (words_of(field.name)[-1] == "state" and beside & PLACES)


def _list_recurring_values(name: str, rows: Rows) -> tuple[str, ...]:
    """The few values that a column takes again and again, in the order in which they first come."""
    at = rows.columns.index(name) if name in rows.columns else -1
    values = [row[at] for row in rows.rows if row[at] is not None] if at >= 0 else []
    counts = Counter(value for value in values if isinstance(value, str))
    words = all(_STATE.match(value) for value in counts) and len(counts) > 1
    return tuple(counts) if words and len(counts) <= MAX_STATES and len(counts) < len(values) else ()
