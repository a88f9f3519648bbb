"""The ground: a private copy of the world on which goals are bound, witnesses run and alternatives tried."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from worldwright.blueprint import checked as c
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.expr.evaluate import Frame
from worldwright.blueprint.types import Type, ref
from worldwright.compiler.state.grow import GrowingDesk
from worldwright.core.rng import Stream
from worldwright.kinds.database.desk import Row
from worldwright.kinds.database.records import show_value
from worldwright.kinds.database.runtime import Machine, Runtime
from worldwright.kinds.database.session import Session


class CompiledGoal:
    """A goal's expressions, ready to run."""

    def __init__(self, machine: Machine, goal: c.Goal) -> None:
        e = machine.evaluator
        self.goal = goal
        self.where = {name: e.truth(node) for name, node in goal.where.items()}
        self.drawn = {name: e.bound(node) for name, node in goal.drawn.items()}
        self.wants = e.truth(goal.wants)
        self.actor = e.row(goal.actor) if goal.actor is not None else None
        self.how = tuple(
            (
                step,
                tuple((name, e.bound(node)) for name, node in step.args),
                e.truth(step.test) if step.test is not None else None,
            )
            for step in goal.how
        )
        self.tells = {name: (e.value(node), node.type) for name, node in goal.tells.items()}
        self.mentions = tuple(
            (e.value(field), tuple((e.value(f), f.type) for f in facts)) for field, facts in goal.mentions
        )


@lru_cache(maxsize=16)
def compiled_goals(machine: Machine) -> dict[str, CompiledGoal]:
    """Every goal of a Blueprint, compiled once for all seeds."""
    return {name: CompiledGoal(machine, goal) for name, goal in machine.blueprint.goals.items()}


class Ground:
    """One session over the opening state, and a desk that can draw from it."""

    def __init__(
        self, runtime: Runtime, damaged: Mapping[str, Sequence[tuple[str, str]]] = MappingProxyType({})
    ) -> None:
        self.runtime = runtime
        self.damaged = frozenset(at for rows in damaged.values() for at in rows)
        """(entity, id) of the rows that mess has touched."""
        self.machine = runtime.machine
        self.schema = runtime.machine.blueprint.schema
        self.goals = compiled_goals(runtime.machine)
        self.session: Session = runtime.session(self.schema.roles[0] if self.schema.roles else "")
        self.actors = {role: self._having(role) for role in self.schema.roles}
        self._rows: dict[str, tuple[Row, ...]] = {}
        self._gone = {name: self._left_over(name, node) for name, node in self.machine.blueprint.live.items()}

    def _having(self, role: str) -> tuple[str, ...]:
        """Everybody who has a role."""
        desk = self.session.look()
        sql = f'SELECT id FROM "{self.schema.actor}" WHERE "{self.schema.role_field}" = ? ORDER BY id'
        return tuple(r[0] for r in desk.fetch(sql, (role,))) if self.schema.actor else ()

    def field(self, entity: str, name: str) -> n.Field:
        """A field of the row called `self`."""
        return n.Field(self.schema.entities[entity].columns[name].type, n.Var(ref(entity), "self"), name)

    def opening(self, entity: str) -> tuple[Row, ...]:
        """The rows of a table in the opening state."""
        if entity not in self._rows:
            self.session.reset(self.session.role)
            self._rows[entity] = tuple(self.session.look().rows(entity))
        return self._rows[entity]

    def live(self, entity: str) -> tuple[Row, ...]:
        """The rows of a table in the opening state that still count: requests are about no others."""
        gone = self.gone(entity)
        return tuple(row for row in self.opening(entity) if row.id not in gone)

    def gone(self, entity: str) -> frozenset[str]:
        """Rows of the opening state that only lie there still."""
        return self._gone.get(entity, frozenset())

    def _left_over(self, entity: str, live: n.Node) -> frozenset[str]:
        test, rows = self.machine.evaluator.truth(live), self.opening(entity)
        desk = self.session.look()
        return frozenset(row.id for row in rows if not test(desk, {"self": row}))

    def start(self, role: str, actor: str) -> Session:
        """Back to the opening state, as somebody."""
        self.session.reset(role, actor)
        return self.session

    def desk(self, *path: Any) -> GrowingDesk:
        """Rows as they are now, with randomness of its own for what `path` names."""
        seen = self.session.look()
        desk = GrowingDesk(self.machine, seen.conn)
        desk.at(seen.now)
        desk.actor = seen.actor
        desk.stream = Stream(*path)
        return desk

    def frame(self, desk: GrowingDesk, rows: Mapping[str, tuple[str, str]], said: Mapping[str, Any]) -> Frame:
        """The names of a goal: its rows as they are now, and what was said."""
        return {**{name: desk.row(*at) for name, at in rows.items()}, **said}


def argument(value: Any, kind: c.Input) -> Any:
    """A value of an expression as the JSON that a caller sends."""
    if value is None:
        return None
    if kind.parts:
        if kind.parts[0].name == "":
            return [plain(v, kind.parts[0].type) for v in value]
        parts = {p.name: p for p in kind.parts}
        return [
            {k: argument(v, parts[k]) for k, v in element.items() if v is not None or not parts[k].optional}
            for element in value
        ]
    return plain(value, kind.type)


def plain(value: Any, kind: Type) -> Any:
    """A value in storage form, or a row, as JSON."""
    if isinstance(value, Row):
        return value.id
    show = show_value(kind)
    return value if value is None or show is None else show(value)


def arguments(operation: c.Operation, values: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call, as JSON; what is left out stays out."""
    out = {}
    for i in operation.inputs:
        if values.get(i.name) is not None:
            out[i.name] = argument(values[i.name], i)
    return out
