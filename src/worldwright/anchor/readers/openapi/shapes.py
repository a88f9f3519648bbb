"""Schemas of an API as shapes, looked into only so far that the whole stays of a sensible size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from worldwright.anchor.evidence import Shape
from worldwright.anchor.readers.openapi.api import VALUES, Api, measure
from worldwright.anchor.readers.openapi.documents import Node, map_references, texts
from worldwright.anchor.schema.shapes import kind_of_value, shape_of

MAX_NODES = 600
"""Of one shape, roughly. References are followed level by level as long as all of them together stay below it."""
MAX_LEVELS = 5
LEVELS_OF_THINGS = 2
MAX_NODES_IN_ALL = 400_000
"""Nodes that references show to all shapes; after that, none are followed."""
MAX_VALUES = 20
MAX_VALUE_DEPTH = 8


class _Reference(str):
    """A reference that knows how many others had to be followed to come to it."""

    level = 1


def _mark(text: str, level: int) -> _Reference:
    made = _Reference(text)
    made.level = level
    return made


class Shapes:
    """Shapes of schemas; those that are only a reference are made once."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self._made: dict[str, Shape] = {}
        self._marked: dict[tuple[str, int], Any] = {}
        self._sizes: dict[tuple[str, int], int] = {}
        self._left = MAX_NODES_IN_ALL

    def of(self, spot: Node, examples: Sequence[Any] = ()) -> Shape:
        """The shape of a schema, with what is given as examples of it."""
        reference = spot.facts.get("$ref")
        if not isinstance(reference, str) or len(spot.facts) > 1:
            shape = self._shape(spot, MAX_LEVELS)
        else:
            shape = self._made[reference] = self._made.get(reference) or self._shape(spot, MAX_LEVELS)
        more = [e for e in examples if e not in shape.examples]
        return replace(shape, examples=(*shape.examples, *more)[:5]) if more else shape

    def of_thing(self, spot: Node) -> Shape:
        """The shape of what has a name: what it refers to has a name too, and need not be looked into far."""
        return self._shape(spot, LEVELS_OF_THINGS)

    def _shape(self, spot: Node, most_levels: int) -> Shape:
        own = measure(spot.value, VALUES)
        deep = range(most_levels, 1, -1)
        levels = next((n for n in deep if self._size(own.references, spot, n) <= MAX_NODES), 1)
        self._left -= own.nodes

        def resolve(reference: str) -> tuple[str, Any] | None:
            level = reference.level if isinstance(reference, _Reference) else 1
            end = self.api.target(reference, spot)
            if end is None:
                return None
            nodes = self.api.own(end).nodes
            if (level > levels or self._left < 0) and nodes > 1:  # that is where a shape is cut
                kind = next(iter(texts(end.facts.get("type"))), "array" if "items" in end.facts else "object")
                return end.name, {"$ref": reference, "type": kind}
            self._left -= nodes
            return end.name, self._with_levels(end, level + 1)

        return shape_of(spot.value, resolve, spot.name)

    def _size(self, references: tuple[str, ...], near: Node, levels: int) -> int:
        """Nodes that these references add when they are followed so many levels down; at most a little over the limit."""
        total = 0
        for reference in references if levels else ():
            end = self.api.target(reference, near)
            if end is None:
                continue
            if (end.key, levels) not in self._sizes:
                own = self.api.own(end)
                self._sizes[end.key, levels] = own.nodes + self._size(own.references, end, levels - 1)
            total += self._sizes[end.key, levels]
            if total > MAX_NODES:
                break
        return total

    def _with_levels(self, end: Node, level: int) -> Any:
        """A schema whose references know their level. What is laid together with it by `allOf` is on the level above."""
        if (end.key, level) not in self._marked:
            self._marked[end.key, level] = map_references(end.value, lambda ref, laid: _mark(ref, level - laid))
        return self._marked[end.key, level]


def shape_of_values(values: Sequence[Any]) -> Shape:
    """One shape that all of these values have. Nothing in it is required: a few examples do not tell."""
    return replace(shape_of(schema_of_values(values)), examples=tuple(values[:5]))


def schema_of_values(values: Sequence[Any], depth: int = 0) -> dict[str, Any]:
    """The schema that some values show: nothing where they are of several kinds."""
    some = [v for v in values[:MAX_VALUES] if v is not None]
    kinds = {kind_of_value(v) for v in some}
    kinds = {"number"} if kinds == {"integer", "number"} else kinds
    if len(kinds) != 1 or depth > MAX_VALUE_DEPTH:
        return {}
    [kind] = kinds
    out: dict[str, Any] = {"type": kind if len(some) == len(values[:MAX_VALUES]) else [kind, "null"]}
    if kind == "object":
        names = dict.fromkeys(name for v in some for name in v)
        out["properties"] = {n: schema_of_values([v[n] for v in some if n in v], depth + 1) for n in names}
    elif kind == "array":
        out["items"] = schema_of_values([item for v in some for item in v[:MAX_VALUES]], depth + 1)
    elif kind != "boolean":
        out["examples"] = some[:3]
    return out
