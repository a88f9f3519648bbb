"""The guards of an operation: what can refuse, what it is called, what it asks for, and what it stands inside."""

from __future__ import annotations

from worldwright.blueprint import checked as c
from worldwright.blueprint.certainty import certain
from worldwright.blueprint.check.safety import walk_statements
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.schema import Schema
from worldwright.blueprint.types import BOOL


def guards(blueprint: c.Checked, operation: c.Operation) -> list[c.Statement]:
    """What can refuse, in order. A guard that earlier conditions leave no choice is none."""
    sure = certain(blueprint, operation)
    statements = enumerate(walk_statements(operation.body))
    return [s for i, s in statements if i not in sure and _is_guard(blueprint.schema, s)]


def _is_guard(schema: Schema, s: c.Statement) -> bool:
    if isinstance(s, c.Set):
        return any(name == schema.entities[s.row.type.entity].state_field for name, _ in s.values)
    return isinstance(s, (c.Require, c.Obey)) or (isinstance(s, c.Find) and bool(s.code))


def name(s: c.Statement) -> str:
    match s:
        case c.Require():
            return f"{s.code}: {s.text}"
        case c.Obey():
            return f"policy {s.policy}"
        case c.Find():
            return f"{s.code}: find {s.name}"
        case c.Set():
            return f"INVALID_STATE: {s.row.type.entity} moves"
    return type(s).__name__


def condition(guard: c.Statement) -> n.Node | None:
    """What a guard wants to hold; none for a move, which asks the lifecycle."""
    match guard:
        case c.Require():
            return guard.test
        case c.Obey():
            return n.Obeys(BOOL, guard.policy, guard.args)
        case c.Find() | c.Each():
            return n.Aggregate(BOOL, "exists", _variable(guard), guard.rows, guard.where, n.TRUE)
    return None


def _variable(s: c.Find | c.Each) -> str:
    return s.name if isinstance(s, c.Find) else s.var


def entrances(body: tuple[c.Statement, ...], guard: c.Statement) -> tuple[tuple[c.When | c.Each, n.Node, bool], ...]:
    """The branches and loops around a guard from the outside in, each with the condition to get inside and how it must be."""
    for s in body:
        if s is guard:
            return ()
        blocks: list[tuple[tuple[c.Statement, ...], bool]] = []
        if isinstance(s, c.When):
            blocks = [(s.do, True), (s.otherwise, False)]
        elif isinstance(s, c.Each):
            blocks = [(s.do, True)]
        for block, want in blocks:
            if any(inner is guard for inner in walk_statements(block)):
                assert isinstance(s, (c.When, c.Each))
                test = s.test if isinstance(s, c.When) else condition(s)
                assert test is not None
                return ((s, test, want), *entrances(block, guard))
    return ()
