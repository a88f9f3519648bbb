"""Schemas with names as things, which of their properties refer to others, and examples as records of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from worldwright.anchor.evidence import Field, Resource, Rows, Shape, Source
from worldwright.anchor.names import noun, parts
from worldwright.anchor.readers.openapi.api import parts_of
from worldwright.anchor.readers.openapi.context import ApiContext, parsed
from worldwright.anchor.readers.openapi.documents import Node
from worldwright.english.nouns import singular

MAX_ROWS = 200
"""Of one thing."""
MAX_DEPTH = 6
MAX_STEPS = 2_000
"""Values looked at for one example."""
_SCALAR = frozenset({"string", "integer", "number", "any"})

Things = Mapping[str, tuple[Node, Shape]]
"""Objects with names, by where they stand."""


def find_named_objects(bench: ApiContext) -> dict[str, tuple[Node, Shape]]:
    """Every object that has a name, in the document and in the files that it refers to, by where it stands."""
    api = bench.api
    out: dict[str, tuple[Node, Shape]] = {}
    tried: set[str] = set()
    waiting = list(api.schemas())
    while waiting:
        for spot in waiting:
            end = api.follow(spot)
            tried |= {spot.key, end.key}
            if end.key in out or not isinstance(end.value, Mapping):
                continue
            named = replace(end, name=api.names.get(end.key, spot.name))
            shape = bench.shapes.of_thing(named)
            if shape.kind == "object" and (shape.fields or not api.members(named).is_choice):
                out[end.key] = (named, shape)
        waiting = [spot for key, spot in api.elsewhere.items() if key not in tried]
    return out


def read_resources(bench: ApiContext, things: Things) -> Iterator[Resource]:
    """Every object with a name as a thing that is kept."""
    names = [spot.name for spot, _ in things.values()]
    by_noun = {noun(name): name for name in reversed(names) if noun(name)}
    for spot, shape in things.values():
        held = bench.api.members(spot).properties
        fields = []
        for name, known in shape.fields.items():
            if name in held:
                end = bench.api.follow(held[name]).facts
                reads, writes = (end.get(word) is True for word in ("readOnly", "writeOnly"))
                known = replace(known, refers_to=_refers_to(bench, things, held[name]), source=held[name].source)
                known = replace(known, read_only=known.read_only or reads, write_only=known.write_only or writes)
            other = by_noun.get(_named_thing(known), "") if not known.refers_to else known.refers_to
            fields.append(replace(known, refers_to=other if known.refers_to or other != spot.name else ""))
        yield Resource(spot.name, tuple(fields), says=shape.says, origin="schema", source=spot.source)


def _refers_to(bench: ApiContext, things: Things, spot: Node) -> str:
    """The object that a property is, or is a list of; empty where it is none with a name, or one of several."""
    for _ in range(6):
        end = bench.api.follow(spot)
        if end.key in things:
            return things[end.key][0].name
        if isinstance(end.facts.get("items"), Mapping):
            spot = end.down("items")
            continue
        real = [s for s in parts_of(end, "allOf", "oneOf", "anyOf") if s.facts and s.facts.get("type") != "null"]
        if len(real) != 1 or "properties" in end.facts:
            return ""
        spot = real[0]
    return ""


def _named_thing(known: Field) -> tuple[str, ...]:
    """The words of the object that an id is named after: `customer_id`, `customerId` and `customer_ids` of `Customer`."""
    words, inner = parts(known.name), known.shape.items
    scalar = known.shape.kind in _SCALAR or (inner is not None and inner.kind in _SCALAR)
    return (*words[:-2], singular(words[-2])) if len(words) > 1 and words[-1] in ("id", "ids") and scalar else ()


class Records:
    """Gathers the records of things from examples, each only once."""

    def __init__(self, bench: ApiContext, things: Things) -> None:
        self.bench = bench
        self.things = things
        self._rows: dict[str, tuple[list[Mapping[str, Any]], Source]] = {}
        self._taken: set[tuple[str, str]] = set()

    def take(self, schema: Node, example: Node) -> None:
        """Take every record from an example of a schema, also from inside of others."""
        pair = (self.bench.api.follow(schema).key, example.key)
        waiting = [(schema, parsed(example.value), 0)] if pair not in self._taken else []
        self._taken.add(pair)
        for _ in range(MAX_STEPS):
            if not waiting:
                return
            spot, value, depth = waiting.pop()
            end = self.bench.api.follow(spot)
            if depth > MAX_DEPTH or not end.facts:
                continue
            inner: list[tuple[Node, Any, int]] = []
            if isinstance(value, list):
                inner = [(end.down("items"), v, depth) for v in value[:MAX_ROWS]]
            elif isinstance(value, Mapping):
                if end.key in self.things:
                    self._add(self.things[end.key][0].name, value, example.source)
                held = self.bench.api.members(spot).properties
                inner = [(held[k], v, depth + 1) for k, v in value.items() if k in held]
            waiting.extend(one for one in reversed(inner) if isinstance(one[1], (Mapping, list)))

    def _add(self, resource: str, row: Mapping[str, Any], source: Source) -> None:
        rows, _ = self._rows.setdefault(resource, ([], source)) if row else ([], source)
        if row and row not in rows and len(rows) < MAX_ROWS:
            rows.append(row)

    def rows(self) -> Iterator[Rows]:
        """The records of each thing as a table."""
        for resource, (rows, source) in self._rows.items():
            columns = tuple(dict.fromkeys(column for row in rows for column in row))
            table = tuple(tuple(row.get(column) for column in columns) for row in rows)
            yield Rows(resource, columns, table, len(table), source)
