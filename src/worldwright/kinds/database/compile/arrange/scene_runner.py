"""A stage: a tiny world made of given rows, on which one operation is tried and watched."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from worldwright.blueprint import checked as c
from worldwright.blueprint.expr.evaluate import Frame
from worldwright.kinds.database.compiled_world import CompiledWorld
from worldwright.kinds.database.harness import insert_row, make_blank_state, settle
from worldwright.kinds.database.operate import Act, Operator
from worldwright.kinds.database.unit_of_work import Refusal, Row, UnitOfWork


@dataclass(frozen=True, slots=True)
class SceneRow:
    """One row of a scene: its entity and the fields that the scene says (in storage form; references by id)."""

    entity: str
    id: str
    values: tuple[tuple[str, Any], ...] = ()

    def with_value(self, name: str, value: Any) -> SceneRow:
        return replace(self, values=(*(v for v in self.values if v[0] != name), (name, value)))


@dataclass(frozen=True, slots=True)
class Scene:
    """Rows that are there, who acts, and the arguments (rows by id, lists as tuples of part maps)."""

    rows: tuple[SceneRow, ...]
    actor: str
    args: tuple[tuple[str, Any], ...]
    now: str = ""
    """What time it is; empty for the time at which the world opens."""

    def row(self, entity: str, key: str) -> SceneRow | None:
        return next((r for r in self.rows if r.entity == entity and r.id == key), None)

    def with_row(self, row: SceneRow) -> Scene:
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
    """Handbook rules that were broken."""
    broken_at: set[int] = field(default_factory=set)
    """The statements at which they were, by identity."""
    seen: set[int] = field(default_factory=set)
    """The guards, branches and loops that were reached, by identity: two that read the same are still two."""
    details: Any = None


class _StatementReached(Exception):
    """A run has come to the statement that somebody wants to look at."""

    def __init__(self, frame: Frame) -> None:
        super().__init__()
        self.frame = frame


class RecordingOperator(Operator):
    """An operator that notes which statements are reached and which one refuses."""

    def __init__(self, compiled: CompiledWorld) -> None:
        super().__init__(compiled.blueprint, compiled.evaluator)
        self.trial = Trial(False)
        self.stop: c.Statement | None = None
        """Where to stop, before the statement does anything."""

    def block(self, statements: tuple[c.Statement, ...]) -> tuple[Act, ...]:
        return tuple(self._record(s, act) for s, act in zip(statements, super().block(statements), strict=True))

    def _record(self, statement: c.Statement, act: Act) -> Act:
        noted = isinstance(statement, (c.Require, c.Obey, c.Find, c.Set, c.When, c.Each, c.Remove))
        obey = isinstance(statement, c.Obey)

        def watch(d: UnitOfWork, f: Frame) -> None:
            trial = self.trial
            trial.steps += 1
            if noted:
                trial.seen.add(id(statement))
                if self.stop is statement:
                    raise _StatementReached(f)
            before = len(d.broken)
            try:
                act(d, f)
            except Refusal:
                if trial.at is None:
                    trial.at, trial.frame = statement, f
                raise
            if obey and len(d.broken) > before:
                trial.broken_at.add(id(statement))

        return watch


class SceneRunner:
    """Runs scenes of one compiled world."""

    def __init__(self, compiled: CompiledWorld) -> None:
        self.compiled = compiled
        self.watcher = RecordingOperator(compiled)
        self.conn = compiled.connect(compiled.derive(make_blank_state))
        self.uow = compiled.unit_of_work(self.conn)
        schema = compiled.blueprint.schema
        self._role = compiled.tables[schema.actor].position[schema.role_field] if schema.actor else 0
        self._rows: tuple[SceneRow, ...] | None = None
        self._counters: dict[str, int] = {}
        self._last: tuple[Scene, Trial] | None = None
        self.runs = 0

    def set_up(self, scene: Scene) -> None:
        """Put a scene on the stage."""
        uow, schema = self.uow, self.compiled.blueprint.schema
        self._last = None
        uow.now = scene.now or schema.now
        uow.today = uow.now[:10]
        # The rows of the last scene are still there; only what was done to them has to be undone.
        if scene.rows == self._rows:
            self.conn.execute("ROLLBACK TO scene")
            uow.begin()
        else:
            self._put(scene.rows)
        uow.counters, uow.touched, uow.broken = dict(self._counters), {}, []
        uow.actor = uow.row(schema.actor, scene.actor) if scene.actor else None

    def _put(self, rows: tuple[SceneRow, ...]) -> None:
        uow = self.uow
        if self.conn.in_transaction:
            self.conn.execute("ROLLBACK")
        self.conn.execute("BEGIN")
        uow.begin()
        uow.counters, self._rows = {}, None
        for row in rows:
            key = insert_row(self.compiled, uow, row.entity, dict(row.values))
            assert key == row.id, (key, row.id)
        settle(self.compiled, uow)
        self.conn.execute("SAVEPOINT scene")
        self._rows, self._counters = rows, uow.counters

    def run(self, operation: c.Operation, scene: Scene) -> Trial:
        """Try the operation. What it did stays on the stage."""
        self.runs += 1
        uow, trial = self.uow, Trial(False)
        self.watcher.trial = trial
        frame: Frame = {}
        try:
            self.set_up(scene)
            frame = self._frame(operation, scene)
            self.watcher.perform(operation.name, uow, frame)
            for watch in self.compiled.tools[operation.name].watches:
                watch.check(uow, uow.touched)
            trial.ok = True
        except Refusal as e:
            trial.code, trial.policy, trial.details = e.error.code, e.error.policy, e.error.details
            trial.frame = trial.frame or frame
        except OverflowError:
            trial.code = "OUT_OF_RANGE"
        trial.broken = tuple(uow.broken)
        self._last = scene, trial
        return trial

    def run_again(self, operation: c.Operation, scene: Scene) -> Trial:
        """Return the trial, with nothing done where this was tried last: the world is as the operation left it."""
        return self._last[1] if self._last is not None and self._last[0] is scene else self.run(operation, scene)

    def views(self, operation: c.Operation, scene: Scene, statement: c.Statement) -> Iterator[Frame]:
        """The names in scope when a run first comes to a statement, which it is known to do.

        The stage is as it is then; and once more, where the operation has written something by then, as it was before. What
        an edit has to reach is seen in the first view, what it starts from in the second.
        """
        frame = self._run_until(operation, scene, statement)
        wrote = self.uow.wrote
        yield frame
        if wrote:
            self.set_up(scene)
            yield {name: self._reload(value) for name, value in frame.items()}

    def _run_until(self, operation: c.Operation, scene: Scene, statement: c.Statement) -> Frame:
        self.set_up(scene)
        self.watcher.trial, self.watcher.stop = Trial(False), statement
        try:
            self.watcher.perform(operation.name, self.uow, self._frame(operation, scene))
        except _StatementReached as e:
            return e.frame
        finally:
            self.watcher.stop = None
        raise AssertionError("the statement is not reached in this scene")

    def _reload(self, value: Any) -> Any:
        if isinstance(value, Row):
            return self.uow.row(value.entity, value.id) or value
        if isinstance(value, dict):
            return {k: self._reload(v) for k, v in value.items()}
        return [self._reload(v) for v in value] if isinstance(value, list) else value

    def _frame(self, operation: c.Operation, scene: Scene) -> Frame:
        """The arguments as the engine reads them, from what a caller would send."""
        sent = {}
        for name, value in scene.args:
            i = operation.input(name)
            assert i is not None
            if value is not None:
                sent[name] = [_to_element(i, v) for v in value] if i.parts else _to_argument(i, value)
        role = self.uow.actor.values[self._role] if self.uow.actor is not None else ""
        if operation.roles and role not in operation.roles:
            raise Refusal("FORBIDDEN", "not in this role")
        return self.compiled.tools[operation.name].reader.read(self.uow, sent)


def _to_argument(i: c.Input, value: Any) -> Any:
    """Convert a stored value to what a caller sends."""
    if i.type.numeric and i.type.places:
        return Decimal(value).scaleb(-i.type.places)
    return bool(value) if i.type.kind == "bool" else value


def _to_element(i: c.Input, value: Any) -> Any:
    if i.parts[0].name == "":
        return _to_argument(i.parts[0], value)
    parts = {p.name: p for p in i.parts}
    return {k: _to_argument(parts[k], v) for k, v in value if v is not None}
