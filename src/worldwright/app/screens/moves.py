"""Moves: which operation takes a record out of which states, read from its statements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from worldwright.app.screens.records import Path
from worldwright.app.screens.shapes import path_of
from worldwright.blueprint import checked as c
from worldwright.blueprint.expr import nodes as n


@dataclass(frozen=True, slots=True)
class Move:
    """An operation that changes the state of a record which one of its inputs leads to."""

    input: str
    path: Path
    """The references that lead from that input to the record; none where it is the record."""
    entity: str
    out_of: tuple[str, ...]
    into: tuple[str, ...]


@c.once_per_blueprint
def find_moves(blueprint: c.Checked, name: str) -> tuple[Move, ...]:
    """Find the moves that an operation may make."""
    operation = blueprint.operations[name]
    inputs = {i.name: n.Var(i.type, i.name) for i in operation.inputs if i.type.kind == "ref"}
    found = _walk(blueprint, operation.body, dict(inputs))
    return tuple(dict.fromkeys(move for move in found if move.input in inputs))


def _walk(bp: c.Checked, body: tuple[c.Statement, ...], names: Mapping[str, n.Node]) -> Iterator[Move]:
    known = dict(names)
    for s in body:
        match s:
            case c.Let() if s.value.type.kind == "ref":
                known[s.name] = n.substitute(s.value, known)
            case c.Set():
                yield from _read_set(bp, s, known)
            case c.When():
                yield from _walk(bp, s.do, known)
                yield from _walk(bp, s.otherwise, known)
            case c.Each():
                yield from _walk(bp, s.do, known)
            case c.Run():
                yield from _walk_run(bp, s, known)


def _walk_run(bp: c.Checked, s: c.Run, known: Mapping[str, n.Node]) -> Iterator[Move]:
    """The moves of an operation that this one runs, in terms of this one's inputs."""
    given = {name: n.substitute(node, dict(known)) for name, node in s.args}
    for move in find_moves(bp, s.operation):
        start = _start_of(given.get(move.input))
        if start is not None:
            yield Move(start[0], (*start[1], *move.path), move.entity, move.out_of, move.into)


def _read_set(bp: c.Checked, s: c.Set, known: Mapping[str, n.Node]) -> Iterator[Move]:
    entity = bp.schema.entities[s.row.type.entity]
    value = dict(s.values).get(entity.state_field)
    start = _start_of(n.substitute(s.row, dict(known)))
    if value is None or start is None:
        return
    words = (part.value for part in n.walk(value) if isinstance(part, n.Const))
    into = tuple(dict.fromkeys(str(word) for word in words if word in entity.lifecycle))
    out_of = tuple(state for state, to in entity.lifecycle.items() if set(to) & set(into))
    yield Move(*start, entity.name, out_of, into)


def _start_of(node: n.Node | None) -> tuple[str, Path] | None:
    """The input that a row is reached from, and the references that lead there."""
    inner = node
    while isinstance(inner, n.Field):
        inner = inner.base
    if node is None or not isinstance(inner, n.Var):
        return None
    return inner.name, path_of(n.substitute(node, {inner.name: n.Var(inner.type, "self")}))
