"""Schemas with names as things, and which of their properties refer to others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from worldwright.anchor.evidence import Field, Resource, Rows, Shape, Source
from worldwright.anchor.names import noun, parts
from worldwright.anchor.readers.openapi.api import members
from worldwright.anchor.readers.openapi.context import ApiContext
from worldwright.anchor.readers.openapi.documents import Node, as_mapping
from worldwright.anchor.readers.openapi.media import parsed
from worldwright.english.nouns import singular

_IDS = frozenset({"id", "ids"})
_WRAPPERS = ("allOf", "oneOf", "anyOf")
_SCALAR = frozenset({"string", "integer", "number", "any"})


class Names:
    """The objects of an API by where they stand and by what they are called."""

    def __init__(self, objects: Mapping[str, str]) -> None:
        self.by_key = objects
        self.by_noun: dict[tuple[str, ...], str] = {}
        for name in objects.values():
            self.by_noun.setdefault(noun(name), name)
        self.by_noun.pop((), None)


def find_named_objects(bench: ApiContext) -> dict[str, tuple[Node, Shape]]:
    """Every object that has a name, in the document and in the files that it refers to, by where it stands."""
    out: dict[str, tuple[Node, Shape]] = {}
    tried: set[str] = set()
    waiting = list(bench.api.schemas())
    while waiting:
        for spot in waiting:
            end = bench.api.follow(spot)
            tried |= {spot.key, end.key}
            if end.key in out or not isinstance(end.value, Mapping):
                continue
            named = replace(end, name=bench.plan.names.get(end.key, spot.name))
            shape = bench.shapes.of_thing(named)
            if shape.kind == "object" and (shape.fields or not members(bench.api, named).is_choice):
                out[end.key] = (named, shape)
        waiting = [spot for key, spot in bench.plan.elsewhere.items() if key not in tried]
    return out


def read_resources(bench: ApiContext, found: Mapping[str, tuple[Node, Shape]]) -> Iterator[Resource]:
    names = Names({key: spot.name for key, (spot, _) in found.items()})
    for spot, shape in found.values():
        held = members(bench.api, spot).properties
        fields = tuple(_field(bench, names, spot.name, f, held.get(n)) for n, f in shape.fields.items())
        yield Resource(spot.name, fields, says=shape.says, origin="schema", source=spot.source)


def _field(bench: ApiContext, names: Names, resource: str, known: Field, spot: Node | None) -> Field:
    refers_to = _refers_to(bench, names, spot) if spot else ""
    refers_to = refers_to or _by_its_name(names, resource, known)
    read_only = known.read_only or (spot is not None and _is(bench, spot, "readOnly"))
    write_only = known.write_only or (spot is not None and _is(bench, spot, "writeOnly"))
    source = spot.source if spot else None
    return replace(known, refers_to=refers_to, read_only=read_only, write_only=write_only, source=source)


def _is(bench: ApiContext, spot: Node, keyword: str) -> bool:
    return bench.api.follow(spot).facts.get(keyword) is True


def _refers_to(bench: ApiContext, names: Names, spot: Node) -> str:
    """The object that a property is, or is a list of; empty where it is none with a name, or one of several."""
    for _ in range(6):
        end = bench.api.follow(spot)
        if end.key in names.by_key:
            return names.by_key[end.key]
        if isinstance(end.facts.get("items"), Mapping):
            spot = end.down("items")
            continue
        held = [s for key in _WRAPPERS if isinstance(end.facts.get(key), list) for _, s in end.down(key).each()]
        real = [s for s in held if s.facts and s.facts.get("type") != "null"]
        if len(real) != 1 or "properties" in end.facts:
            return ""
        spot = real[0]
    return ""


def _by_its_name(names: Names, resource: str, known: Field) -> str:
    """`customer_id`, `customerId` and `customer_ids` refer to the object `Customer`, where there is one."""
    words = parts(known.name)
    scalar = known.shape.kind in _SCALAR or (known.shape.items is not None and known.shape.items.kind in _SCALAR)
    if len(words) < 2 or words[-1] not in _IDS or not scalar:
        return ""
    about = (*words[:-2], singular(words[-2]))
    other = names.by_noun.get(about, "")
    return "" if other == resource else other


# Examples in answers as records of the objects that they are examples of.


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
