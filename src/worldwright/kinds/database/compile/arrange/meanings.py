"""What a name in an operation stands for, so that a condition can be followed to the rows and arguments behind it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from worldwright.blueprint import checked as c
from worldwright.blueprint.check.safety import walk_statements
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.types import ref
from worldwright.kinds.database.compiled_world import CompiledWorld
from worldwright.kinds.database.sql import SqlCompiler

Named: TypeAlias = tuple[str, str]
"""A name and, for a row that the operation adds, one of its fields."""


class Meanings:
    """Writes out names of one operation."""

    def __init__(self, compiled: CompiledWorld, operation: c.Operation) -> None:
        self.blueprint = compiled.blueprint
        self._renamer = SqlCompiler(compiled.evaluator, compiled.blueprint)
        self._local = _definitions(operation)
        self._known: dict[int, tuple[n.Node, n.Node | None]] = {}

    def inlined(self, node: n.Node) -> n.Node | None:
        """The body behind a name, or none where the node is not a name of something."""
        # By identity: the same part is met again and again, and comparing whole expressions costs more than writing one out.
        known = self._known.get(id(node))
        if known is None:
            body = self._body(node)
            known = self._known[id(node)] = node, body
        return known[1]

    def _body(self, node: n.Node) -> n.Node | None:
        match node:
            case n.Var() if (node.name, "") in self._local:
                return self._renamer.renamed(self._local[node.name, ""])
            case n.TermCall():
                term = self.blueprint.terms[node.name]
                return n.substitute(self._renamer.renamed(term.body), dict(zip(term.takes, node.args, strict=True)))
            case n.Obeys():
                policy = self.blueprint.policies[node.policy]
                bound = dict(zip(policy.takes, node.args, strict=True))
                return n.substitute(self._renamer.renamed(policy.binding), bound)
            case n.Field(base=n.Var() as base) if (base.name, node.name) in self._local:
                return self._renamer.renamed(self._local[base.name, node.name])
            case n.Field() if node.base.type.kind == "ref":
                key = (node.base.type.entity, node.name)
                body = self.blueprint.computed.get(key) or self.blueprint.kept.get(key)
                return n.substitute(self._renamer.renamed(body), {"self": node.base}) if body is not None else None
        return None

    def tells_time(self, node: n.Node) -> bool:
        """Whether an expression depends on what time it is."""
        for part in n.walk(node):
            if isinstance(part, n.Var) and part.name in ("now", "today"):
                return True
            body = self.inlined(part)
            if body is not None and self.tells_time(body):
                return True
        return False


def _definitions(operation: c.Operation) -> dict[Named, n.Node]:
    """What local names stand for, where that is one expression: `let` once, `find`, and fields of rows that are added."""
    out: dict[Named, n.Node] = {}
    twice: set[str] = set()
    for s in walk_statements(operation.body):
        for named, node in _defined(s):
            twice |= {named[0]} if named in out else set()
            out[named] = node
        if isinstance(s, c.Each):
            twice |= {name for name, _ in s.carry}
    return {k: v for k, v in out.items() if k[0] not in twice}


def _defined(s: c.Statement) -> Iterator[tuple[Named, n.Node]]:
    match s:
        case c.Let():
            yield (s.name, ""), s.value
        case c.Find():
            kind, order = ref(s.rows.entity), "last" if s.descending else "first"
            yield (s.name, ""), n.Aggregate(kind, order, s.name, s.rows, s.where, n.Var(kind, s.name), s.by)
        case c.Add() if s.name:
            yield from (((s.name, name), node) for name, node in s.values)
