"""The static tool graph: which tool's output can feed which tool's input, from types alone.

Strong (3): a required input can come only from that tool. Weak (2): it can, and from elsewhere too. Tools without an edge are
independent (1). Executions ground it later.
"""

from __future__ import annotations

from dataclasses import dataclass

from worldwright.blueprint import checked as c
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.types import Type

STRONG, WEAK, INDEPENDENT = 3, 2, 1


@dataclass(frozen=True, slots=True)
class Edge:
    source: str
    target: str
    input: str
    entity: str
    weight: int


def produces(blueprint: c.Checked, name: str) -> frozenset[str]:
    """The entities whose ids a call of this operation shows."""
    operation = blueprint.operations[name]
    schema = blueprint.schema
    match operation.read:
        case c.Search() as search:
            shown = [node.type.entity for _, node in search.shows if node.type.kind == "ref"]
            refs = shown if search.shows else [col.type.entity for col in schema.entities[search.entity].refs]
            return frozenset((search.entity, *refs))
        case c.Get() as get:
            ways = schema.entities[get.entity].ways
            shown = [get.entity, *(e.ref.type.entity if e.ref is not None else ways[e.way].entity for e in get.embeds)]
            return frozenset(shown) | {col.type.entity for name in shown for col in schema.entities[name].refs}
    if isinstance(operation.gives, n.Node):
        entity = operation.gives.type.entity
        return frozenset((entity, *(col.type.entity for col in schema.entities[entity].refs)))
    return frozenset(entity for _, v in operation.gives or () for entity in _shown(v))


def _shown(node: n.Node) -> list[str]:
    """The entities whose ids a given value can be."""
    if node.type.kind == "ref":
        return [node.type.entity]
    ids = [p for p in n.walk(node) if isinstance(p, n.Field) and p.name == "id"] if node.type.kind == "text" else []
    return [p.base.type.entity for p in ids]


def consumes(operation: c.Operation) -> tuple[tuple[str, str, bool], ...]:
    """(input, entity, required) for every reference a call takes."""
    out: list[tuple[str, str, bool]] = []
    for i in operation.inputs:
        kinds: list[Type] = [i.type, *(p.type for p in i.parts)]
        required = not i.optional and i.default is None
        out.extend((i.name, k.entity, required) for k in kinds if k.kind == "ref")
    return tuple(out)


def static_graph(blueprint: c.Checked) -> tuple[Edge, ...]:
    made = {name: produces(blueprint, name) for name in blueprint.operations}
    edges = []
    for target, operation in blueprint.operations.items():
        for name, entity, required in consumes(operation):
            sources = sorted(s for s, entities in made.items() if entity in entities and s != target)
            weight = STRONG if required and len(sources) == 1 else WEAK
            edges += [Edge(s, target, name, entity, weight) for s in sources]
    return tuple(edges)
