"""The guards of an operation: what can refuse, what it is called, what it asks for, and what it stands inside."""

from __future__ import annotations

from worldwright.blueprint import checked as c
from worldwright.blueprint.certainty import find_certain_guards
from worldwright.blueprint.check.safety import walk_statements
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.schema import Schema
from worldwright.blueprint.types import BOOL


def list_guards(blueprint: c.Checked, operation: c.Operation) -> list[c.Statement]:
    """List what can refuse, in order. A guard that earlier conditions leave no choice is none."""
    sure = find_certain_guards(blueprint, operation)
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


def find_condition(guard: c.Statement) -> n.Node | None:
    """Return what a guard wants to hold; None for a move, which asks the lifecycle."""
    match guard:
        case c.Require():
            return guard.test
        case c.Obey():
            return n.Obeys(BOOL, guard.policy, guard.args)
        case c.Find() | c.Each():
            variable = guard.name if isinstance(guard, c.Find) else guard.var
            return n.Aggregate(BOOL, "exists", variable, guard.rows, guard.where, n.TRUE)
    return None


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
                test = s.test if isinstance(s, c.When) else find_condition(s)
                assert test is not None
                return ((s, test, want), *entrances(block, guard))
    return ()
