"""Examples in answers as records of the objects that they are examples of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from worldwright.anchor.evidence import Rows, Source
from worldwright.anchor.readers.openapi.context import ApiContext
from worldwright.anchor.readers.openapi.media import parsed
from worldwright.anchor.readers.openapi.nodes import Node, as_mapping

MAX_ROWS = 200
"""Of one thing."""
MAX_DEPTH = 6
MAX_STEPS = 2_000
"""Values looked at for one example."""


class Records:
    """Gathers the records of things, each only once."""

    def __init__(self, bench: ApiContext, names: Mapping[str, str]) -> None:
        self.bench = bench
        self.names = names
        """Of objects, by where they stand."""
        self._rows: dict[str, list[Mapping[str, Any]]] = {}
        self._sources: dict[str, Source] = {}
        self._taken: set[tuple[str, str]] = set()

    def take(self, schema: Node, example: Node) -> None:
        """Take every record from an example of a schema, also from inside of others."""
        pair = (self.bench.api.follow(schema).key, example.key)
        if pair in self._taken:
            return
        self._taken.add(pair)
        steps = MAX_STEPS
        waiting = [(schema, parsed(example.value), 0)]
        while waiting and steps > 0:
            steps -= 1
            spot, value, depth = waiting.pop()
            end = self.bench.api.follow(spot)
            if depth > MAX_DEPTH or not end.facts:
                continue
            if isinstance(value, list):
                inside = end.down("items")
                waiting.extend((inside, v, depth) for v in reversed(value[:MAX_ROWS]) if isinstance(v, (Mapping, list)))
            elif isinstance(value, Mapping):
                if end.key in self.names:
                    self._add(self.names[end.key], value, example.source)
                held = self.bench.objects.of(spot).properties
                inner = [
                    (held[k], v, depth + 1) for k, v in value.items() if k in held and isinstance(v, (Mapping, list))
                ]
                waiting.extend(reversed(inner))

    def _add(self, resource: str, row: Mapping[str, Any], source: Source) -> None:
        rows = self._rows.setdefault(resource, [])
        if row and row not in rows and len(rows) < MAX_ROWS:
            rows.append(row)
            self._sources.setdefault(resource, source)

    def rows(self) -> tuple[Rows, ...]:
        return tuple(_table(resource, rows, self._sources[resource]) for resource, rows in self._rows.items() if rows)


def _table(resource: str, rows: Iterable[Mapping[str, Any]], source: Source) -> Rows:
    held = list(rows)
    columns = tuple(dict.fromkeys(column for row in held for column in row))
    table = tuple(tuple(as_mapping(row).get(column) for column in columns) for row in held)
    return Rows(resource, columns, table, len(table), source)
