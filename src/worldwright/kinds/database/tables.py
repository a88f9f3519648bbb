"""The tables of a world: DDL, column positions, and values as people and programs see them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from worldwright.blueprint.schema import Column, Entity, Schema

Show = Callable[[Any], Any]


def quote_name(name: str) -> str:
    """Quote a name for SQL. Names are checked identifiers, so there is nothing to escape."""
    return f'"{name}"'


def column_sql(column: Column) -> str:
    kind = column.type.kind
    numeric = column.type.numeric or kind == "bool"
    out = f"{quote_name(column.name)} {'INTEGER' if numeric else 'TEXT'}"
    if not column.optional:
        out += " NOT NULL"
    if kind == "ref":
        out += f" REFERENCES {quote_name(column.type.entity)} (id)"
    if kind == "enum":
        out += f" CHECK ({quote_name(column.name)} IN ({', '.join(repr(v) for v in column.type.values)}))"
    if kind == "bool":
        out += f" CHECK ({quote_name(column.name)} IN (0, 1))"
    return out


def table_sql(entity: Entity) -> str:
    columns = ",\n  ".join(["id TEXT NOT NULL PRIMARY KEY", *map(column_sql, entity.stored)])
    return f"CREATE TABLE {quote_name(entity.name)} (\n  {columns}\n) STRICT, WITHOUT ROWID"


def write_schema(schema: Schema) -> list[str]:
    """Write every statement that makes the empty database, in order. Nothing else may be in a state.db."""
    out = [table_sql(e) for e in schema.entities.values()]
    return out + [
        f"CREATE INDEX {quote_name(f'{e.name}__{c.name}')} ON {quote_name(e.name)} ({_write_index_columns(schema, e, c)})"
        for e in schema.entities.values()
        for c in e.refs
    ]


def _write_index_columns(schema: Schema, entity: Entity, column: Column) -> str:
    return ", ".join(map(quote_name, (column.name, *schema.beside.get((entity.name, column.name), ()))))


def make_show(column: Column) -> Show | None:
    """Make the function by which a stored value becomes JSON; None where it is the same."""
    if column.type.kind == "bool":
        return lambda v: None if v is None else bool(v)
    if column.type.numeric and column.type.places:
        divisor = 10**column.type.places
        return lambda v: None if v is None else v / divisor
    return None


@dataclass(frozen=True, slots=True)
class Table:
    """What the runtime needs to know of one table, worked out once."""

    entity: Entity
    names: tuple[str, ...]
    """id and the stored columns, by position."""
    position: Mapping[str, int]
    select: str
    insert: str
    replace: str
    delete: str
    shows: tuple[tuple[str, int, Show | None], ...]
    words: tuple[tuple[str, tuple[str, ...]], ...]
    """The columns that hold one of a list of words, each with these."""

    def record(self, values: Any) -> dict[str, Any]:
        """Stored values as plain JSON data."""
        return {name: values[i] if show is None else show(values[i]) for name, i, show in self.shows}


def make_table(entity: Entity) -> Table:
    names = ("id", *(c.name for c in entity.stored))
    columns = ", ".join(map(quote_name, names))
    shows = (("id", 0, None), *((c.name, i + 1, make_show(c)) for i, c in enumerate(entity.stored)))
    values = f"INTO {quote_name(entity.name)} ({columns}) VALUES ({', '.join('?' * len(names))})"
    return Table(
        entity,
        names,
        {name: i for i, name in enumerate(names)},
        f"SELECT {columns} FROM {quote_name(entity.name)}",
        f"INSERT {values}",
        f"INSERT OR REPLACE {values}",
        f"DELETE FROM {quote_name(entity.name)} WHERE id = ?",
        shows,
        tuple((c.name, c.type.values) for c in entity.stored if c.type.values),
    )
