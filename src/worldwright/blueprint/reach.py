"""Reach: which rows an expression about one row can see, as paths of references from that row.

Used backwards: a row that was written to is at the end of some paths, and the rows at their beginning are all that the write
can concern. What is seen by looking over a whole table has no path; then every row can be concerned.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from worldwright.blueprint import checked as c
from worldwright.blueprint.definitions import find_definition
from worldwright.blueprint.expr import nodes as n

MAX_STEPS = 6


@dataclass(frozen=True, slots=True)
class Up:
    """From a row of `source` to the one that its `column` refers to."""

    source: str
    column: str
    target: str


@dataclass(frozen=True, slots=True)
class Down:
    """From a row of `source` to the rows of `target` whose `column` refers to it."""

    source: str
    column: str
    target: str


Path: TypeAlias = tuple[Up | Down, ...]


@dataclass(slots=True)
class Reach:
    """What was found."""

    paths: dict[Path, dict[str, None]] = field(default_factory=dict)
    """By path, the columns that are read of the rows at its end; the empty path is the row itself."""
    wide: dict[str, None] = field(default_factory=dict)
    """Entities that are read without a path."""


def find_reach(blueprint: c.Checked, node: n.Node, entity: str) -> Reach:
    """Find everything that an expression about `self`, a row of `entity`, reads of other rows."""
    out = Reach()
    _visit(blueprint, node, {"self": ()} if entity else {}, out)
    return out


def map_sibling_reads(blueprint: c.Checked) -> dict[tuple[str, str], tuple[str, ...]]:
    """Map each reference to what invariants read of all rows that share it with the one they are about.

    After a write each of those rows is looked at, and each looks at all of them: worth an index that holds what is read.
    """
    found: dict[tuple[str, str], dict[str, None]] = {}
    for invariant in blueprint.always.values():
        for path, columns in find_reach(blueprint, invariant.holds, invariant.each).paths.items():
            if len(path) < 2 or not isinstance(path[-2], Up) or not isinstance(path[-1], Down):
                continue
            up, down = path[-2:]
            if (up.source, up.column) == (down.target, down.column):
                found.setdefault((up.source, up.column), {}).update(columns)
    stored = {(name, col.name) for name, entity in blueprint.schema.entities.items() for col in entity.stored}
    return {
        (entity, ref): tuple(col for col in columns if col != ref and (entity, col) in stored)
        for (entity, ref), columns in found.items()
    }


Names: TypeAlias = Mapping[str, "Path | None"]
"""By name, the path to its row; None where there is no path."""


def _visit(blueprint: c.Checked, node: n.Node, names: Names, out: Reach) -> None:
    match node:
        case n.Aggregate() if node.rows.entity:
            _aggregate(blueprint, node, names, out)
            return
        case n.Field() if node.base.type.kind == "ref":
            _visit(blueprint, node.base, names, out)
            _note(out, _path(node.base, names), node.base.type.entity, node.name)
        case _:
            for child in n.children(node):
                _visit(blueprint, child, names, out)
    found = find_definition(blueprint, node)
    if found is not None:
        _visit(blueprint, found.body, {name: _path(arg, names) for name, arg in found.names.items()}, out)


def _aggregate(blueprint: c.Checked, node: n.Aggregate, names: Names, out: Reach) -> None:
    rows = node.rows
    at: Path | None = None
    if rows.base is not None:
        _visit(blueprint, rows.base, names, out)
        before = _path(rows.base, names)
        if before is not None and len(before) < MAX_STEPS:
            at = (*before, Down(rows.base.type.entity, rows.column, rows.entity))
    _note(out, at, rows.entity, rows.column)
    inner = {**names, node.var: at}
    for part in (node.where, node.value, node.by):
        if part is not None:
            _visit(blueprint, part, inner, out)


def _note(out: Reach, at: Path | None, entity: str, column: str) -> None:
    if at is None:
        out.wide[entity] = None
    else:
        out.paths.setdefault(at, {})[column] = None


def _path(node: n.Node, names: Names) -> Path | None:
    """The path to the row that an expression is; None where it cannot be said."""
    if isinstance(node, n.Var):
        return names.get(node.name)
    if isinstance(node, n.Field) and node.base.type.kind == "ref" and node.type.kind == "ref":
        before = _path(node.base, names)
        if before is not None and len(before) < MAX_STEPS:
            return (*before, Up(node.base.type.entity, node.name, node.type.entity))
    return None
