"""A Blueprint compiled: tables, expressions as closures, tools and their specifications."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from datetime import timedelta
from typing import Any, TypeVar, cast

from worldwright.blueprint import checked as c
from worldwright.blueprint.effects import Effects, effects
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.expr.evaluate import Evaluator, Frame, Run
from worldwright.kinds.database.arguments import ArgumentReader
from worldwright.kinds.database.invariants import InvariantCheck, compile_checks
from worldwright.kinds.database.operate import Operator
from worldwright.kinds.database.reactions import compile_reactions
from worldwright.kinds.database.reads import Searcher, make_getter
from worldwright.kinds.database.records import Recorder
from worldwright.kinds.database.sql import query, register_functions
from worldwright.kinds.database.state import connect
from worldwright.kinds.database.tables import make_table
from worldwright.kinds.database.toolspec import tool_specs
from worldwright.kinds.database.unit_of_work import KeptField, UnitOfWork

Perform = Callable[[UnitOfWork, Frame], Any]
T = TypeVar("T")


class Tool:
    """One compiled tool."""

    __slots__ = ("effects", "lasts", "mutates", "name", "perform", "reader", "roles", "waits", "wakes", "watches")

    def __init__(
        self,
        operation: c.Operation,
        found: Effects,
        perform: Perform,
        watching: tuple[InvariantCheck, ...],
        waits: Run | None,
        wakes: Run | None,
    ) -> None:
        self.name = operation.name
        self.roles = frozenset(operation.roles)
        self.reader = ArgumentReader(operation)
        self.effects = found
        self.mutates = found.mutates
        self.perform = perform
        self.watches = watching
        minutes = operation.lasts if operation.lasts is not None else int(bool(found.writes))
        self.lasts = timedelta(minutes=minutes)
        """How far a successful call moves the clock."""
        self.waits = waits
        """Until which moment it waits."""
        self.wakes = wakes
        """What ends the wait as soon as it holds."""


class CompiledWorld:
    """Everything compiled from a Blueprint, and nothing of any state: shared by every seed of a variant."""

    def __init__(self, blueprint: c.Checked) -> None:
        self.blueprint = blueprint
        self.tables = {name: make_table(e) for name, e in blueprint.schema.entities.items()}
        self.evaluator = Evaluator(
            blueprint.schema,
            lambda entity, field: blueprint.computed[entity, field],
            lambda term: (tuple(blueprint.terms[term].takes), blueprint.terms[term].body),
            lambda policy: (tuple(blueprint.policies[policy].takes), blueprint.policies[policy].binding),
            lambda evaluator, node: query(evaluator, blueprint, node),
        )
        self.operator = Operator(blueprint, self.evaluator)
        self.recorder = Recorder(blueprint, self.evaluator, self.tables)
        self.keepers = {key: self.evaluator.value(node) for key, node in blueprint.kept.items()}
        self.kept = _find_kept_fields(self)
        self.watches = compile_checks(blueprint, self.evaluator)
        self.specs = tool_specs(blueprint)
        self.tools = {name: self._tool(op) for name, op in blueprint.operations.items()}
        self.reactions = compile_reactions(self.evaluator, blueprint.reactions)
        """By operation, what others do when it was called."""
        self._derived: dict[Callable[[CompiledWorld], Any], Any] = {}

    def derive(self, work: Callable[[CompiledWorld], T]) -> T:
        """The result of a pure function of this world, worked out once and kept as long as the world is."""
        if work not in self._derived:
            self._derived[work] = work(self)
        return cast("T", self._derived[work])

    def _tool(self, operation: c.Operation) -> Tool:
        found = effects(self.blueprint, operation.name)
        written = {w.entity for w in found.writes}
        watching = tuple(w for w in self.watches if written & w.entities)
        waits = None if operation.waits is None else self.evaluator.value(operation.waits)
        wakes = None if operation.wakes is None else self.evaluator.truth(operation.wakes)
        return Tool(operation, found, self._perform(operation), watching, waits, wakes)

    def _perform(self, operation: c.Operation) -> Perform:
        if isinstance(operation.read, c.Search):
            return Searcher(operation, self.evaluator, self.blueprint, self.recorder)
        if isinstance(operation.read, c.Get):
            return make_getter(operation, self.evaluator, self.blueprint, self.recorder)
        return _performer(operation, self.operator, self.recorder)

    def unit_of_work(self, conn: sqlite3.Connection) -> UnitOfWork:
        return UnitOfWork(conn, self.tables, self.kept)

    def connect(self, state: bytes | None = None) -> sqlite3.Connection:
        """A connection to a private in-memory copy of a state (or to nothing yet)."""
        conn = connect(state)
        register_functions(conn, self.blueprint.schema)
        return conn


def _performer(operation: c.Operation, operator: Operator, recorder: Recorder) -> Perform:
    gives, perform = operation.gives, operator.make_performer(operation.name)
    if isinstance(gives, n.Node):
        row = operator.make_given_row(operation.name)
        assert row is not None

        def give_row(d: UnitOfWork, f: Frame) -> Any:
            found = row(d, f) if perform(d, f) else f["$once"]
            return None if found is None else recorder.record(d, found)

        return give_row
    values = tuple((key, recorder.make_value(node)) for key, node in gives or ())

    def give_values(d: UnitOfWork, f: Frame) -> Any:
        if not perform(d, f):
            return recorder.record(d, f["$once"])
        return {key: run(d, f) for key, run in values}

    return give_values


def _find_kept_fields(compiled: CompiledWorld) -> dict[str, tuple[KeptField, ...]]:
    blueprint, tables = compiled.blueprint, compiled.tables
    out: dict[str, tuple[KeptField, ...]] = {}
    for entity, entries in blueprint.dependents.items():
        found = []
        for owner, field, via in entries:
            node = blueprint.kept[owner, field]
            reads = {via} if via else set()
            for part in n.walk(node):
                if isinstance(part, n.Field) and part.base.type.kind == "ref" and part.base.type.entity == entity:
                    reads.add(part.name)
                elif isinstance(part, n.Aggregate) and part.rows.entity == entity:
                    reads.add(part.rows.column)
            position = tables[entity].position[via] if via else 0
            found.append(
                KeptField(
                    owner,
                    field,
                    tables[owner].position[field],
                    position,
                    frozenset(reads),
                    compiled.keepers[owner, field],
                )
            )
        out[entity] = tuple(found)
    return out
