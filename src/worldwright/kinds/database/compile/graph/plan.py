"""What a walker knows of every tool before it takes a step: inputs, conditions, where values stand in results.

All of it follows from the Blueprint; it is worked out once per compiled world.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from worldwright.blueprint import checked as c
from worldwright.blueprint.conditions import list_conditions, list_guard_reads
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.expr.partial import Guess, guess
from worldwright.blueprint.toolgraph import Edge, Shape, derive_graph, derive_shape, list_accepted, list_consumed
from worldwright.kinds.database.compiled_world import CompiledWorld
from worldwright.kinds.database.records import make_type_show


@dataclass(frozen=True, slots=True)
class ToolPlan:
    """One tool."""

    name: str
    mutates: bool
    search: bool
    waits: bool
    """Whether it only lets time pass."""
    roles: tuple[str, ...]
    inputs: tuple[c.Input, ...]
    """In the order in which they are chosen: rows (those of which more is asked first), words, lists, other values."""
    tests: tuple[tuple[Guess, ...], ...]
    """For each input, the conditions that can be asked once it and those before it are chosen."""
    looks: Mapping[str, tuple[str, ...]]
    """By input, the columns whose words decide whether a row will do: better seen before it is given."""
    words: Mapping[str, tuple[tuple[str, tuple[str, ...]], ...]]
    """By input, the columns of which its guards accept only some words, with these."""
    belongs: frozenset[tuple[str, str]]
    """(entity, owner): which of the rows it takes refer to which."""
    needs: tuple[str, ...]
    """The entities that it must be given ids of."""
    plain: tuple[str, ...]
    """Of a tool that is no search: its inputs that take other values than ids."""
    shape: Shape
    sets: Mapping[str, tuple[str, ...]]
    """By entity, the columns that a call may change: what was known of them is stale afterwards."""
    wanted: Mapping[str, tuple[str, ...]]
    """Of a search: for its enum filters, the words that some guard asks for."""


@dataclass(frozen=True, slots=True)
class Plan:
    tools: Mapping[str, ToolPlan]
    offered: Mapping[str, tuple[ToolPlan, ...]]
    """By role; somebody without a role, '', has the tools that are for anyone."""
    edges: tuple[Edge, ...]
    weights: Mapping[tuple[str, str], int]
    """The heaviest edge between two tools into something that the second one needs."""
    between: Mapping[tuple[str, str], tuple[str, ...]]
    """For two tools, the inputs of the second that the first can feed."""
    prefixes: Mapping[str, str]
    """The entity of an id, by how it starts."""
    shown: Mapping[tuple[str, str], Callable[[Any], Any] | None]
    """By (entity, column), how a stored value becomes plain data."""
    actor: str
    role_field: str


def plan_of(compiled: CompiledWorld) -> Plan:
    blueprint = compiled.blueprint
    edges = derive_graph(blueprint)
    taken = _list_input_names(blueprint)
    wanted = _list_wanted_words(blueprint)
    shown = frozenset(cell for name in blueprint.operations for cell in _columns(derive_shape(blueprint, name)))
    weights: dict[tuple[str, str], int] = {}
    between: dict[tuple[str, str], tuple[str, ...]] = {}
    for e in edges:
        between[e.source, e.target] = tuple(dict.fromkeys((*between.get((e.source, e.target), ()), e.input)))
        if e.entity in list_needs(blueprint.operations[e.target]):
            weights[e.source, e.target] = max(e.weight, weights.get((e.source, e.target), 0))
    tools = {name: _tool(compiled, op, taken, shown, wanted) for name, op in blueprint.operations.items()}
    roles = ("", *blueprint.schema.roles)
    return Plan(
        tools,
        {role: tuple(t for t in tools.values() if not t.roles or role in t.roles) for role in roles},
        edges,
        weights,
        between,
        {e.key.prefix: e.name for e in blueprint.schema.entities.values()},
        {(e.name, col.name): make_type_show(col.type) for e in blueprint.schema.entities.values() for col in e.stored},
        blueprint.schema.actor,
        blueprint.schema.role_field,
    )


def _tool(
    compiled: CompiledWorld,
    operation: c.Operation,
    taken: frozenset[str],
    shown: frozenset[tuple[str, str]],
    wanted: Mapping[tuple[str, str], tuple[str, ...]],
) -> ToolPlan:
    blueprint, name = compiled.blueprint, operation.name
    asked = [(guess(node, blueprint), n.free_names(node)) for node in list_conditions(blueprint, name)]
    names = frozenset(i.name for i in operation.inputs)
    alone = [next(iter(free & names)) for _, free in asked if len(free & names) == 1]
    inputs = tuple(sorted(operation.inputs, key=lambda i: (_turn(i), -alone.count(i.name))))
    position = {i.name: at for at, i in enumerate(inputs)}
    ready: list[list[Guess]] = [[] for _ in inputs]
    for test, free in asked:
        if free & names:
            ready[max(position[x] for x in free & names)].append(test)
    looks: dict[str, list[str]] = {}
    for given, entity, column in list_guard_reads(blueprint, name):
        if (entity, column) in shown:
            looks.setdefault(given, []).append(column)
    sets: dict[str, list[str]] = {}
    for write in compiled.tools[name].effects.writes:
        sets.setdefault(write.entity, []).extend(write.columns if write.verb == "set" else ())
    read = operation.read
    filters = {f.name: f.column for f in read.filters if f.op == "=="} if isinstance(read, c.Search) else {}
    entity = read.entity if isinstance(read, c.Search) else ""
    return ToolPlan(
        name,
        compiled.tools[name].mutates,
        isinstance(read, c.Search),
        operation.waits is not None,
        operation.roles,
        inputs,
        tuple(map(tuple, ready)),
        {given: tuple(columns) for given, columns in looks.items()},
        _list_accepted_words(blueprint, name),
        _list_owned_pairs(blueprint, operation),
        list_needs(operation),
        () if read is not None else tuple(i.name for i in inputs if i.type.kind != "ref" and not i.parts),
        _worth_keeping(derive_shape(blueprint, name), taken),
        {e: tuple(dict.fromkeys(columns)) for e, columns in sets.items() if columns},
        {f: wanted[entity, column] for f, column in filters.items() if (entity, column) in wanted},
    )


def list_needs(operation: c.Operation) -> tuple[str, ...]:
    """List the entities that a call has to be given ids of."""
    scalar = [i.type.entity for i in operation.inputs if i.type.kind == "ref" and not i.optional and i.default is None]
    parts = [p for i in operation.inputs if i.parts and not i.optional and (i.low or 0) > 0 for p in i.parts]
    return tuple(dict.fromkeys((*scalar, *(p.type.entity for p in parts if p.type.kind == "ref" and not p.optional))))


def _list_owned_pairs(blueprint: c.Checked, operation: c.Operation) -> frozenset[tuple[str, str]]:
    taken = {entity for _, entity, _ in list_consumed(operation)}
    return frozenset(
        (e, col.type.entity) for e in taken for col in blueprint.schema.entities[e].refs if col.type.entity in taken
    )


def _turn(i: c.Input) -> int:
    """When an input is chosen: required rows, other rows, words, lists, values that need not be given, the rest."""
    if i.type.kind == "ref":
        return 1 if i.optional else 0
    if i.type.kind in ("enum", "bool"):
        return 2
    return 3 if i.parts else 4 if i.optional or i.default is not None else 5


def _list_input_names(blueprint: c.Checked) -> frozenset[str]:
    """Collect the names of plain inputs: values under other names are of no use to a caller."""
    inputs = [i for op in blueprint.operations.values() for i in op.inputs]
    return frozenset(x.name for i in inputs for x in (i, *i.parts) if x.type.kind not in ("ref", "list"))


def _worth_keeping(found: Shape, taken: frozenset[str]) -> Shape:
    return replace(
        found,
        plain=tuple(name for name in found.plain if name in taken),
        parts=tuple((name, _worth_keeping(part, taken)) for name, part in found.parts),
    )


def _columns(found: Shape) -> Iterator[tuple[str, str]]:
    yield from ((found.entity, column) for column in found.own)
    for _, part in found.parts:
        yield from _columns(part)


def _list_accepted_words(blueprint: c.Checked, name: str) -> dict[str, tuple[tuple[str, tuple[str, ...]], ...]]:
    out: dict[str, tuple[tuple[str, tuple[str, ...]], ...]] = {}
    for given, entity, column in list_guard_reads(blueprint, name):
        kind = blueprint.schema.entities[entity].columns[column].type
        words = kind.values if kind.kind == "enum" else ()
        good = list_accepted(blueprint, name, given, entity, column, words)
        if good and len(good) < len(words):
            out[given] = (*out.get(given, ()), (column, good))
    return out


def _list_wanted_words(blueprint: c.Checked) -> dict[tuple[str, str], tuple[str, ...]]:
    """Map (entity, column) to the words that guards ask for, where they do not accept them all."""
    out: dict[tuple[str, str], dict[str, None]] = {}
    for name, operation in blueprint.operations.items():
        taken = {given: entity for given, entity, _ in list_consumed(operation)}
        for given, columns in _list_accepted_words(blueprint, name).items():
            for column, words in columns:
                out.setdefault((taken[given], column), {}).update(dict.fromkeys(words))
    return {cell: tuple(words) for cell, words in out.items()}
