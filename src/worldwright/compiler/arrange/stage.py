"""A stage: a tiny world made of given rows, on which one operation is tried and watched."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from worldwright.blueprint import checked as c
from worldwright.blueprint.expr.evaluate import Frame
from worldwright.kinds.database.desk import Desk, Refusal
from worldwright.kinds.database.operate import Act, Operator
from worldwright.kinds.database.rig import blank, insert_row, settle
from worldwright.kinds.database.runtime import Machine


@dataclass(frozen=True, slots=True)
class Given:
    """One row of a scene: its entity and the fields that the scene says (in storage form; references by id)."""

    entity: str
    id: str
    values: tuple[tuple[str, Any], ...] = ()

    def but(self, name: str, value: Any) -> Given:
        return replace(self, values=(*(v for v in self.values if v[0] != name), (name, value)))


@dataclass(frozen=True, slots=True)
class Scene:
    """Rows that are there, who acts, and the arguments (rows by id, lists as tuples of part maps)."""

    rows: tuple[Given, ...]
    actor: str
    args: tuple[tuple[str, Any], ...]

    def row(self, entity: str, key: str) -> Given | None:
        return next((r for r in self.rows if r.entity == entity and r.id == key), None)

    def with_row(self, row: Given) -> Scene:
        rows = tuple(row if (r.entity, r.id) == (row.entity, row.id) else r for r in self.rows)
        return replace(self, rows=rows)

    def with_arg(self, name: str, value: Any) -> Scene:
        return replace(self, args=(*(a for a in self.args if a[0] != name), (name, value)))


@dataclass(slots=True)
class Trial:
    """What came of running a scene."""

    ok: bool
    code: str = ""
    policy: str | None = None
    at: c.Statement | None = None
    """The statement that refused."""
    frame: Frame = field(default_factory=dict)
    """The names in scope there."""
    steps: int = 0
    """How many statements ran: a measure of progress."""
    broken: tuple[str, ...] = ()
    seen: dict[int, tuple[c.Statement, Frame]] = field(default_factory=dict)
    """Every guard and branch that was reached, with the names in scope there."""
    details: Any = None


class Watcher(Operator):
    """An operator that notes which statements are reached and which one refuses."""

    def __init__(self, machine: Machine) -> None:
        super().__init__(machine.blueprint, machine.evaluator)
        self.trial = Trial(False)

    def block(self, statements: tuple[c.Statement, ...]) -> tuple[Act, ...]:
        return tuple(self._watched(s, act) for s, act in zip(statements, super().block(statements), strict=True))

    def _watched(self, statement: c.Statement, act: Act) -> Act:
        guard = isinstance(statement, (c.Require, c.Obey, c.Find, c.Set, c.When, c.Remove))

        def watch(d: Desk, f: Frame) -> None:
            trial = self.trial
            trial.steps += 1
            if guard:
                trial.seen.setdefault(id(statement), (statement, dict(f)))
            try:
                act(d, f)
            except Refusal:
                if trial.at is None:
                    trial.at, trial.frame = statement, dict(f)
                raise

        return watch


class Stage:
    """Runs scenes of one machine."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.watcher = Watcher(machine)
        self.conn = machine.connect(blank(machine))
        self.desk = machine.desk(self.conn)
        schema = machine.blueprint.schema
        self._role = machine.tables[schema.actor].position[schema.role_field] if schema.actor else 0
        self.runs = 0

    def set_up(self, scene: Scene) -> None:
        """Put the rows of a scene on the stage."""
        schema = self.machine.blueprint.schema
        if self.conn.in_transaction:
            self.conn.execute("ROLLBACK")
        self.conn.execute("BEGIN")
        desk = self.desk
        desk.begin()
        desk.now, desk.today = schema.now, schema.now[:10]
        desk.counters, desk.touched, desk.broken = {}, {}, []
        for row in scene.rows:
            key = insert_row(self.machine, desk, row.entity, dict(row.values))
            assert key == row.id, (key, row.id)
        settle(self.machine, desk)
        desk.begin()
        desk.actor = desk.row(schema.actor, scene.actor) if scene.actor else None

    def run(self, operation: c.Operation, scene: Scene) -> Trial:
        """Try the operation."""
        self.runs += 1
        self.set_up(scene)
        desk, trial = self.desk, Trial(False)
        self.watcher.trial = trial
        frame: Frame = {}
        try:
            frame = self._frame(operation, scene)
            self.watcher.perform(operation.name, desk, frame)
            for watch in self.machine.tools[operation.name].watches:
                watch.check(desk, desk.touched)
            trial.ok = True
        except Refusal as e:
            trial.code, trial.policy, trial.details = e.error.code, e.error.policy, e.error.details
            trial.frame = trial.frame or frame
        trial.broken = tuple(desk.broken)
        return trial

    def _frame(self, operation: c.Operation, scene: Scene) -> Frame:
        """The arguments as the engine reads them, from what a caller would send."""
        sent = {}
        for name, value in scene.args:
            i = operation.input(name)
            assert i is not None
            if value is not None:
                sent[name] = [_sent_element(i, v) for v in value] if i.parts else _sent(i, value)
        role = self.desk.actor.values[self._role] if self.desk.actor is not None else ""
        if operation.roles and role not in operation.roles:
            raise Refusal("FORBIDDEN", "not in this role")
        return self.machine.tools[operation.name].reader.read(self.desk, sent)


def _sent(i: c.Input, value: Any) -> Any:
    """A stored value as a caller sends it."""
    if i.type.numeric and i.type.places:
        return Decimal(value).scaleb(-i.type.places)
    return bool(value) if i.type.kind == "bool" else value


def _sent_element(i: c.Input, value: Any) -> Any:
    if i.parts[0].name == "":
        return _sent(i.parts[0], value)
    parts = {p.name: p for p in i.parts}
    return {k: _sent(parts[k], v) for k, v in value if v is not None}
