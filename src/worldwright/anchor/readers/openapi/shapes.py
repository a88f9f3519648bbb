"""Schemas of an API as shapes, looked into only so far that the whole stays of a sensible size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from worldwright.anchor.evidence import Shape
from worldwright.anchor.readers.openapi.documents import Node, texts
from worldwright.anchor.readers.openapi.inlining import Plan, measure
from worldwright.anchor.schema.shapes import shape_of

MAX_NODES = 600
"""Of one shape, roughly. References are followed level by level as long as all of them together stay below it."""
MAX_LEVELS = 5
LEVELS_OF_THINGS = 2
MAX_NODES_LOOKED_AT = 5_000
"""Nodes that references show to one shape, whatever its size was thought to be."""
MAX_NODES_IN_ALL = 400_000
"""Nodes that references show to all shapes; after that, each is looked into one level deep."""
MIN_NODES_LOOKED_AT = 500


class _Reference(str):
    """A reference that knows how many others had to be followed to come to it."""

    level: int

    def __new__(cls, text: str, level: int) -> _Reference:
        made = super().__new__(cls, text)
        made.level = level
        return made


class Shapes:
    """Shapes of schemas; those that are only a reference are made once."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._made: dict[str, Shape] = {}
        self._marked: dict[tuple[str, int], Any] = {}
        self._sizes: dict[tuple[str, int], int] = {}
        self._left = MAX_NODES_IN_ALL

    def of(self, spot: Node) -> Shape:
        reference = spot.facts.get("$ref")
        if not isinstance(reference, str) or len(spot.facts) > 1:
            return self._shape(spot)
        if reference not in self._made:
            self._made[reference] = self._shape(spot)
        return self._made[reference]

    def with_examples(self, spot: Node, examples: list[Any]) -> Shape:
        shape = self.of(spot)
        more = [e for e in examples if e not in shape.examples]
        return replace(shape, examples=(*shape.examples, *more)[:5]) if more else shape

    def of_thing(self, spot: Node) -> Shape:
        """The shape of what has a name: what it refers to has a name too, and need not be looked into far."""
        return self._shape(spot, LEVELS_OF_THINGS)

    def _shape(self, spot: Node, most_levels: int = MAX_LEVELS) -> Shape:
        own = measure(spot.value)
        deep = range(most_levels, 1, -1) if self._left > 0 else ()
        levels = next((n for n in deep if self._size(own.references, spot, n) <= MAX_NODES), 1)
        left = max(MIN_NODES_LOOKED_AT, min(MAX_NODES_LOOKED_AT, self._left))
        self._left -= own.nodes

        def resolve(reference: str) -> tuple[str, Any] | None:
            nonlocal left
            level = reference.level if isinstance(reference, _Reference) else 1
            end = self.plan.target(reference, spot)
            if end is None:
                return None
            nodes = self.plan.own(end).nodes
            if (level > levels or left < 0) and nodes > 1:
                itself = {"$ref": reference, "type": _kind(end)}
                return end.name, itself  # that is where a shape is cut
            left -= nodes
            self._left -= nodes
            return end.name, self._mark(end, level + 1)

        return shape_of(spot.value, resolve, spot.name)

    def _size(self, references: tuple[str, ...], near: Node, levels: int) -> int:
        """Nodes that these references add when they are followed so many levels down; at most a little over the limit."""
        if levels == 0:
            return 0
        total = 0
        for reference in references:
            end = self.plan.target(reference, near)
            if end is None:
                continue
            known = self._sizes.get((end.key, levels))
            if known is None:
                own = self.plan.own(end)
                known = self._sizes[end.key, levels] = own.nodes + self._size(own.references, end, levels - 1)
            total += known
            if total > MAX_NODES:
                break
        return total

    def _mark(self, end: Node, level: int) -> Any:
        key = (end.key, level)
        if key not in self._marked:
            self._marked[key] = _marked(end.value, level)
        return self._marked[key]


def _marked(schema: Any, level: int) -> Any:
    """A schema whose references know their level. What is laid together with it by `allOf` is on the level above."""
    if isinstance(schema, list):
        items = []
        for item in schema:
            items.append(_marked(item, level))  # noqa: PERF401 - a comprehension is one more frame on a deep document
        return items
    if not isinstance(schema, Mapping):
        return schema
    out: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "$ref" and isinstance(value, str):
            out[key] = _Reference(value, level)
        elif key == "allOf" and isinstance(value, list):
            out[key] = [
                {**part, "$ref": _Reference(part["$ref"], level - 1)}
                if isinstance(part, Mapping) and isinstance(part.get("$ref"), str)
                else _marked(part, level)
                for part in value
            ]
        else:
            out[key] = _marked(value, level)
    return out


def _kind(end: Node) -> str:
    """Return what a schema most likely is, told from its own keywords."""
    said = texts(end.facts.get("type"))
    if said:
        return said[0]
    return "array" if "items" in end.facts else "object"


# The shape of values that no schema describes.


MAX_VALUES = 20
MAX_DEPTH = 8


def shape_of_values(values: Sequence[Any]) -> Shape:
    """One shape that all of these values have. Nothing in it is required: a few examples do not tell."""
    return replace(shape_of(_schema(list(values), 0)), examples=tuple(values[:5]))


def _schema(values: list[Any], depth: int) -> dict[str, Any]:
    some = [v for v in values[:MAX_VALUES] if v is not None]
    kinds = {_kind_of_value(v) for v in some}
    if kinds == {"integer", "number"}:
        kinds = {"number"}
    if len(kinds) != 1 or depth > MAX_DEPTH:
        return {}
    [kind] = kinds
    out: dict[str, Any] = {"type": kind if len(some) == len(values[:MAX_VALUES]) else [kind, "null"]}
    if kind == "object":
        names = dict.fromkeys(name for v in some for name in v)
        out["properties"] = {n: _schema([v[n] for v in some if n in v], depth + 1) for n in names}
    elif kind == "array":
        out["items"] = _schema([item for v in some for item in v[:MAX_VALUES]], depth + 1)
    elif kind == "string" or kind in ("integer", "number"):
        out["examples"] = some[:3]
    return out


def _kind_of_value(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, Mapping):
        return "object"
    kinds = {int: "integer", float: "number", str: "string", list: "array"}
    return kinds.get(type(value), "string")
