"""A world opened once: tables, compiled tools and the opening state. Sessions are copies of it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from worldwright.blueprint import checked as c
from worldwright.blueprint.effects import Effects, effects
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.expr.evaluate import Evaluator, Frame
from worldwright.core.days import parse_moment
from worldwright.core.errors import UsageError
from worldwright.core.names import nearest
from worldwright.kinds.database.arguments import ArgumentReader
from worldwright.kinds.database.desk import Desk, Kept
from worldwright.kinds.database.invariants import Watch, broken_rows, watches
from worldwright.kinds.database.operate import Operator
from worldwright.kinds.database.reads import Searcher, getter
from worldwright.kinds.database.records import Recorder
from worldwright.kinds.database.remembered import Remembered
from worldwright.kinds.database.session import Session
from worldwright.kinds.database.sql import query, register_functions
from worldwright.kinds.database.state import connect, state_digest
from worldwright.kinds.database.tables import make_table
from worldwright.kinds.database.toolspec import tool_spec
from worldwright.kinds.database.verify.judge import SessionJudge
from worldwright.world.records import ToolSpec
from worldwright.world.service import Service

Perform = Callable[[Desk, Frame], Any]


class Tool:
    """One compiled tool."""

    __slots__ = ("effects", "mutates", "name", "perform", "reader", "roles", "watches")

    def __init__(self, operation: c.Operation, found: Effects, perform: Perform, watching: tuple[Watch, ...]) -> None:
        self.name = operation.name
        self.roles = frozenset(operation.roles)
        self.reader = ArgumentReader(operation)
        self.effects = found
        self.mutates = found.mutates
        self.perform = perform
        self.watches = watching


class Machine:
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
        self.kept = _kept(self)
        self.watches = watches(blueprint, self.evaluator)
        self.specs = {name: tool_spec(blueprint, name) for name in blueprint.operations}
        self.tools = {name: self._tool(op) for name, op in blueprint.operations.items()}

    def _tool(self, operation: c.Operation) -> Tool:
        found = effects(self.blueprint, operation.name)
        written = {w.entity for w in found.writes}
        watching = tuple(w for w in self.watches if written & w.entities)
        return Tool(operation, found, self._perform(operation), watching)

    def _perform(self, operation: c.Operation) -> Perform:
        if isinstance(operation.read, c.Search):
            return Searcher(operation, self.evaluator, self.blueprint, self.recorder)
        if isinstance(operation.read, c.Get):
            return getter(operation, self.evaluator, self.blueprint, self.recorder)
        return _performer(operation, self.operator, self.recorder)

    def desk(self, conn: sqlite3.Connection) -> Desk:
        return Desk(conn, self.tables, self.kept)

    def connect(self, state: bytes | None = None) -> sqlite3.Connection:
        """A connection to a private in-memory copy of a state (or to nothing yet)."""
        conn = connect(state)
        register_functions(conn, self.blueprint.schema)
        return conn


def _performer(operation: c.Operation, operator: Operator, recorder: Recorder) -> Perform:
    gives, perform = operation.gives, operator.performer(operation.name)
    if isinstance(gives, n.Node):
        row = operator.given_row(operation.name)
        assert row is not None

        def give_row(d: Desk, f: Frame) -> Any:
            found = row(d, f) if perform(d, f) else f["$once"]
            return None if found is None else recorder.record(d, found)

        return give_row
    values = tuple((key, recorder.valued(node)) for key, node in gives or ())

    def give_values(d: Desk, f: Frame) -> Any:
        if not perform(d, f):
            return recorder.record(d, f["$once"])
        return {key: run(d, f) for key, run in values}

    return give_values


def _kept(machine: Machine) -> dict[str, tuple[Kept, ...]]:
    blueprint, tables = machine.blueprint, machine.tables
    out: dict[str, tuple[Kept, ...]] = {}
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
                Kept(
                    owner,
                    field,
                    tables[owner].position[field],
                    position,
                    frozenset(reads),
                    machine.keepers[owner, field],
                )
            )
        out[entity] = tuple(found)
    return out


class Runtime:
    """A machine with an opening state."""

    def __init__(
        self,
        machine: Machine,
        state: bytes,
        handbook: str,
        services: Mapping[str, tuple[Service, ...]] = MappingProxyType({}),
    ) -> None:
        self.machine = machine
        self.services = services
        """What callers of an episode meet. Whoever builds or proves a world does without."""
        self.state = state
        opening = parse_moment(machine.blueprint.schema.now)
        assert opening is not None
        self.opening = opening.replace(tzinfo=None)
        self._handbook = handbook
        self.remembered = Remembered(machine.tables)
        self._excused: dict[str, frozenset[str]] = {}
        self._judges: dict[int, tuple[Mapping[str, Any], SessionJudge]] = {}
        schema = machine.blueprint.schema
        conn = connect(state)
        self.counters = {name: self._highest(conn, name) for name in schema.entities}
        self.actors = {role: self._actor(conn, role) for role in schema.roles}
        conn.close()

    def _highest(self, conn: sqlite3.Connection, entity: str) -> int:
        """The largest number among the ids of a table: new ids follow it."""
        key = self.machine.blueprint.schema.entities[entity].key
        rows = conn.execute(f'SELECT id FROM "{entity}"').fetchall()
        return max((key.number(r[0]) or 0 for r in rows), default=0)

    def _actor(self, conn: sqlite3.Connection, role: str) -> str | None:
        """Who acts in a role when nothing else is said: the first row that has it."""
        schema = self.machine.blueprint.schema
        sql = f'SELECT id FROM "{schema.actor}" WHERE "{schema.role_field}" = ? ORDER BY id LIMIT 1'
        found = conn.execute(sql, (role,)).fetchall()
        return str(found[0][0]) if found else None

    def excused(self, watch: Watch) -> frozenset[str]:
        """The rows that break an invariant in the opening state already: nobody is refused for those."""
        found = self._excused.get(watch.name)
        if found is None:
            conn = self.machine.connect(self.state)
            desk = self.machine.desk(conn)
            desk.now, desk.today = self.opening_clock, self.opening_clock[:10]
            found = self._excused[watch.name] = frozenset(broken_rows(watch, desk))
            conn.close()
        return found

    @property
    def tools(self) -> Mapping[str, ToolSpec]:
        return self.machine.specs

    @property
    def roles(self) -> tuple[str, ...]:
        return self.machine.blueprint.schema.roles

    @property
    def handbook(self) -> str:
        return self._handbook

    @property
    def opening_clock(self) -> str:
        return self.machine.blueprint.schema.now

    def session(self, role: str, actor: str = "") -> Session:
        if role and role not in self.actors:
            raise UsageError(f"no role is called `{role}`; {nearest(role, self.actors)}")
        return Session(self, self.machine.connect(self.state), role, actor)

    def judge(self, expects: Mapping[str, Any]) -> SessionJudge:
        """A key's verifier; made once for the same key."""
        held = self._judges.get(id(expects))
        if held is None or held[0] is not expects:
            held = self._judges[id(expects)] = (expects, SessionJudge(self.machine, expects))
        return held[1]

    def state_digest(self) -> str:
        conn = connect(self.state)
        try:
            return state_digest(conn, self.machine.blueprint.schema)
        finally:
            conn.close()
