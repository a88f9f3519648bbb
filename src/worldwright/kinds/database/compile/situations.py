"""Situations: what tasks will need to find in the state, worked out from guards and flows before the state is grown.

Two kinds. An *edge* is a base row whose field sits exactly on the boundary of a rule, or one smallest unit beyond it. *Ready* is a
process that stands just before one of its steps, so that every operation has something waiting for it. Edges go into the base
rows, before any history is made on them; what is ready is made by running the flow up to that step. Both are true to the
world's own rules, and both are listed in the pack.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from worldwright.blueprint import checked as c
from worldwright.blueprint.check.safety import walk_statements
from worldwright.blueprint.expr import nodes as n
from worldwright.kinds.database.compile.arrange.edits import shift_value
from worldwright.kinds.database.compile.moments import is_past
from worldwright.kinds.database.compiled_world import CompiledWorld
from worldwright.kinds.database.sql import SqlCompiler

READY_RUNS = 2
MAX_EDGES = 80


@dataclass(frozen=True, slots=True)
class Edge:
    """A value of a base row's field at the boundary of a rule."""

    operation: str
    rule: str
    """The policy, or the condition as the author wrote it."""
    entity: str
    field: str
    value: Any
    side: str
    """inside or outside"""


@dataclass(frozen=True, slots=True)
class UnfinishedFlow:
    """A flow that stands just before a step."""

    flow: str
    step: int
    operation: str


@dataclass(frozen=True, slots=True)
class Situations:
    edges: tuple[Edge, ...]
    ready: tuple[UnfinishedFlow, ...]


def find_situations(compiled: CompiledWorld) -> Situations:
    """Find everything to plant; it depends on the Blueprint alone."""
    edges = tuple(dict.fromkeys(_edges(compiled)))[:MAX_EDGES]
    ready = tuple(
        UnfinishedFlow(flow.name, i, step.operation)
        for flow in compiled.blueprint.flows.values()
        for i, step in enumerate(flow.steps)
        if i > 0 and compiled.tools[step.operation].mutates
    )
    return Situations(edges, ready)


def _edges(compiled: CompiledWorld) -> Iterator[Edge]:
    blueprint = compiled.blueprint
    for name, operation in blueprint.operations.items():
        for s in walk_statements(operation.body):
            if isinstance(s, c.Require):
                yield from _find_edges(compiled, name, s.text, s.test)
            elif isinstance(s, c.Obey):
                yield from _find_edges(compiled, name, s.policy, n.Obeys(n.TRUE.type, s.policy, s.args))


def _find_edges(compiled: CompiledWorld, operation: str, rule: str, node: n.Node) -> Iterator[Edge]:
    """Yield comparisons of a base row's field with something that is known before any row is."""
    renamer = SqlCompiler(compiled.evaluator, compiled.blueprint)
    for part in _list_parts(renamer, node):
        if not isinstance(part, n.Compare) or part.op in ("==", "!="):
            continue
        for side, other, op in ((part.left, part.right, part.op), (part.right, part.left, _MIRROR[part.op])):
            column = _base_column(compiled.blueprint, side)
            if column is None or not _is_known(other):
                continue
            boundary = compiled.evaluator.value(other)(_Clock(compiled.blueprint.schema.now), {})
            if boundary is None:
                continue
            inside, outside = _OFFSETS[op]
            for label, offset in (("inside", inside), ("outside", outside)):
                value = shift_value(boundary, offset, side.type)
                if value is not None and side.type.kind != "text" and not _lies_ahead(compiled, column, value):
                    yield Edge(operation, rule, column[0], column[1], value, label)


def _lies_ahead(compiled: CompiledWorld, column: tuple[str, str], value: Any) -> bool:
    """Return whether a moment that is over by its name would lie after now: nothing was received tomorrow."""
    schema = compiled.blueprint.schema
    return is_past(schema.entities[column[0]].columns[column[1]]) and str(value) > schema.now[: len(str(value))]


_MIRROR = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_OFFSETS = {"<": (-1, 0), "<=": (0, 1), ">": (1, 0), ">=": (0, -1)}
"""How far from the boundary the last value inside and the first outside are."""


@dataclass(frozen=True, slots=True)
class _Clock:
    """A source of rows that knows the time and nothing else."""

    now: str

    @property
    def today(self) -> str:
        return self.now[:10]


def _list_parts(renamer: SqlCompiler, node: n.Node, depth: int = 0) -> Iterator[n.Node]:
    """Yield every part of a condition, through terms, policies and computed fields."""
    for part in n.walk(node):
        yield part
        body = renamer.resolve(part) if depth <= 6 else None
        if body is not None:
            yield from _list_parts(renamer, body, depth + 1)


def _base_column(blueprint: c.Checked, node: n.Node) -> tuple[str, str] | None:
    """The (entity, field) of a given field of an entity with base rows."""
    if not isinstance(node, n.Field) or node.base.type.kind != "ref" or node.name == "id":
        return None
    entity = blueprint.schema.entities[node.base.type.entity]
    column = entity.columns[node.name]
    if not entity.rows or column.source != "given" or column.state:
        return None
    return entity.name, node.name


def _is_known(node: n.Node) -> bool:
    """Return whether the value follows from constants and the clock."""
    for part in n.walk(node):
        if isinstance(part, n.Var) and part.name not in ("now", "today"):
            return False
        if isinstance(part, (n.Aggregate, n.TermCall, n.Obeys, n.Field)):
            return False
    return True
