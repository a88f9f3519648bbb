"""The static tool graph: what can pass from one tool to another, from types and effects alone.

Two kinds of edges. A *value* edge: the source shows an id that the target takes. An *effect* edge: the source changes a column
that a guard of the target reads, of a row that the target is given. Strong (3): a required input can come only from that tool.
Weak (2): it can, and from elsewhere too. Tools without an edge are independent (1). Executions ground it later.

An id that a call only gives back, because the caller sent it, does not come from that call.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from worldwright.blueprint import checked as c
from worldwright.blueprint.conditions import list_conditions, list_guard_reads, map_written_words
from worldwright.blueprint.effects import effects
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.expr.partial import UNKNOWN, guess
from worldwright.blueprint.schema import Entity, Schema
from worldwright.blueprint.types import Type

STRONG, WEAK, INDEPENDENT = 3, 2, 1
VALUE, EFFECT = "value", "effect"


@dataclass(frozen=True, slots=True)
class Edge:
    source: str
    target: str
    input: str
    entity: str
    weight: int
    kind: str = VALUE
    """value or effect"""
    column: str = ""
    """Of an effect: what the source changes and a guard of the target reads."""


@dataclass(frozen=True, slots=True)
class Shape:
    """One object of a result: where ids stand in it, and what else it holds."""

    entity: str = ""
    """Whose record it is; empty for a mere list of values."""
    refs: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Fields with the entities that they can be ids of; `id` itself is among them where it is a record."""
    plain: tuple[str, ...] = ()
    """Fields with anything else."""
    own: tuple[str, ...] = ()
    """Fields that are columns of the record under their own names."""
    parts: tuple[tuple[str, Shape], ...] = ()
    """Fields that hold an object or a list of objects."""
    echoes: frozenset[str] = frozenset()
    """Fields that only give back what the caller sent."""


# what comes out


@c.once_per_blueprint
def derive_shape(blueprint: c.Checked, name: str) -> Shape:
    """Derive what a successful call of an operation gives."""
    operation = blueprint.operations[name]
    schema = blueprint.schema
    match operation.read:
        case c.Search() as search:
            item = _values((("id", n.Var(Type("ref", entity=search.entity), "self")), *search.shows), search.entity)
            whole = _embedding(schema, search, frozenset())
            return Shape(parts=(("items", item if search.shows else whole),))
        case c.Get() as get:
            return _embedding(schema, get, frozenset({"id"}))
    if isinstance(operation.gives, n.Node):
        entity = schema.entities[operation.gives.type.entity]
        return _record(entity, _list_echoed(operation, operation.gives))
    values = operation.gives or ()
    found = _values(values)
    if operation.once is not None:
        return _unite(found, _record(schema.entities[operation.once.type.entity]))
    inputs = {i.name for i in operation.inputs}
    return replace(found, echoes=frozenset(key for key, node in values if _row_of(node) in inputs))


def _unite(one: Shape, other: Shape) -> Shape:
    """Unite two shapes: what is either the one or the other."""
    named = {*(name for name, _ in one.refs), *one.plain}
    return replace(
        other,
        refs=(*one.refs, *((name, entities) for name, entities in other.refs if name not in named)),
        plain=tuple(dict.fromkeys((*one.plain, *other.plain))),
    )


def _record(entity: Entity, echoes: frozenset[str] = frozenset()) -> Shape:
    refs = tuple((col.name, (col.type.entity,)) for col in entity.columns.values() if col.type.kind == "ref")
    plain = tuple(col.name for col in entity.columns.values() if col.type.kind != "ref")
    return Shape(entity.name, (("id", (entity.name,)), *refs), plain, tuple(entity.columns), (), echoes)


def _embedding(schema: Schema, read: c.Get | c.Search, echoes: frozenset[str]) -> Shape:
    """A record with the records that are shown with it."""
    own = schema.entities[read.entity]
    if not read.embeds:
        return _record(own, echoes)
    parts = []
    for e in read.embeds:
        if e.ref is not None:
            parts.append((e.name, _record(schema.entities[e.ref.type.entity])))
        else:
            way = own.ways[e.way]
            parts.append((e.name, _record(schema.entities[way.entity], frozenset({way.column}))))
    named = {name for name, _ in parts}
    found = _record(own, echoes)
    return replace(
        found,
        refs=tuple((name, entities) for name, entities in found.refs if name not in named),
        plain=tuple(name for name in found.plain if name not in named),
        own=tuple(name for name in found.own if name not in named),
        parts=tuple(parts),
    )


def _values(values: tuple[tuple[str, n.Node], ...], entity: str = "") -> Shape:
    refs = tuple((key, shown) for key, node in values if (shown := _find_shown_entities(node)))
    named = {key for key, _ in refs}
    own = [key for key, v in values if isinstance(v, n.Field) and v.name == key and _row_of(v.base) == "self"]
    return Shape(entity, refs, tuple(key for key, _ in values if key not in named), tuple(own))


def _find_shown_entities(node: n.Node) -> tuple[str, ...]:
    """The entities whose ids a given value can be."""
    if node.type.kind == "ref":
        return (node.type.entity,)
    ids = [p for p in n.walk(node) if isinstance(p, n.Field) and p.name == "id"] if node.type.kind == "text" else []
    return tuple(dict.fromkeys(p.base.type.entity for p in ids))


def _row_of(node: n.Node) -> str:
    """The name that a row or its id is read from."""
    if isinstance(node, n.Field) and node.name == "id":
        node = node.base
    return node.name if isinstance(node, n.Var) else ""


def _list_echoed(operation: c.Operation, given: n.Node) -> frozenset[str]:
    """List the fields of a given row that certainly hold what the caller sent: itself, or columns set to an input.

    An operation that is done once may give the row of another call.
    """
    if operation.once is not None:
        return frozenset()
    inputs = {i.name for i in operation.inputs}
    same = {s.name: s.value.name for s in operation.body if isinstance(s, c.Let) and isinstance(s.value, n.Var)}
    row = _row_of(given)
    back = {"id"} if same.get(row, row) in inputs else set()
    for s in operation.body:
        values: tuple[tuple[str, n.Node], ...] = ()
        if (isinstance(s, c.Add) and s.name == row != "") or (isinstance(s, c.Set) and _row_of(s.row) == row != ""):
            values = s.values
        for column, value in values:
            sent = isinstance(value, n.Var) and value.type.kind == "ref" and value.name in inputs
            back = back | {column} if sent else back - {column}
    return frozenset(back)


def _entities(found: Shape, echoed: bool) -> Iterator[str]:
    for field, entities in found.refs:
        if echoed or field not in found.echoes:
            yield from entities
    for _, part in found.parts:
        yield from _entities(part, echoed)


def list_produced(blueprint: c.Checked, name: str) -> frozenset[str]:
    """List the entities whose ids a call of this operation shows."""
    return frozenset(_entities(derive_shape(blueprint, name), echoed=True))


def list_brought(blueprint: c.Checked, name: str) -> frozenset[str]:
    """List the entities whose ids a call can show that the caller did not have to know."""
    return frozenset(_entities(derive_shape(blueprint, name), echoed=False))


# what goes in


def list_consumed(operation: c.Operation) -> tuple[tuple[str, str, bool], ...]:
    """List (input, entity, required) for every reference a call takes."""
    out: list[tuple[str, str, bool]] = []
    for i in operation.inputs:
        kinds: list[Type] = [i.type, *(p.type for p in i.parts)]
        required = not i.optional and i.default is None
        out.extend((i.name, k.entity, required) for k in kinds if k.kind == "ref")
    return tuple(out)


# edges


def derive_graph(blueprint: c.Checked) -> tuple[Edge, ...]:
    """Derive every edge that types and effects allow."""
    return (*_value_edges(blueprint), *_effect_edges(blueprint))


def _value_edges(blueprint: c.Checked) -> Iterator[Edge]:
    sources: dict[str, list[str]] = {}
    for name in sorted(blueprint.operations):
        for entity in sorted(list_brought(blueprint, name)):
            sources.setdefault(entity, []).append(name)
    for target, operation in blueprint.operations.items():
        for name, entity, required in list_consumed(operation):
            found = [s for s in sources.get(entity, ()) if s != target]
            weight = STRONG if required and len(found) == 1 else WEAK
            yield from (Edge(s, target, name, entity, weight) for s in found)


def _effect_edges(blueprint: c.Checked) -> Iterator[Edge]:
    setters: dict[tuple[str, str], list[str]] = {}
    for name in sorted(blueprint.operations):
        for write in effects(blueprint, name).writes:
            for column in write.columns if write.verb == "set" else ():
                known = setters.setdefault((write.entity, column), [])
                if name not in known:
                    known.append(name)
    for target in blueprint.operations:
        for name, entity, column in list_guard_reads(blueprint, target):
            for source in setters.get((entity, column), ()):
                words = map_written_words(blueprint, source).get((entity, column))
                if source != target and (
                    words is None or list_accepted(blueprint, target, name, entity, column, words)
                ):
                    yield Edge(source, target, name, entity, WEAK, EFFECT, column)


def list_accepted(
    blueprint: c.Checked, name: str, given: str, entity: str, column: str, words: Iterable[Any]
) -> tuple[Any, ...]:
    """List the values of a column that no guard of an operation turns down, whatever else is the case."""
    tests = [guess(node, blueprint) for node in list_conditions(blueprint, name)]
    parts = {
        p.name: "it"
        for i in blueprint.operations[name].inputs
        if i.name == given
        for p in i.parts
        if p.type.entity == entity
    }
    frame = {given: ["it" if "" in parts else parts] if parts else "it"}
    return tuple(
        word
        for word in sorted(words, key=repr)
        if all(test(_Cell(entity, {column: word}), frame) is not False for test in tests)
    )


@dataclass(frozen=True, slots=True)
class _Cell:
    """Somebody who has seen one column of one row and nothing else."""

    entity: str
    known: Mapping[str, Any]
    today = now = UNKNOWN

    def record(self, entity: str, key: str) -> Mapping[str, Any]:
        return self.known if (entity, key) == (self.entity, "it") else {}

    def children(self, entity: str, column: str, key: str) -> tuple[str, ...]:
        return ()
