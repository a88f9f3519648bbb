"""The sandbox: a private copy of the world on which goals are bound, witnesses run and alternatives tried."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from worldwright.blueprint import checked as c
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.expr.evaluate import Frame
from worldwright.blueprint.types import ref
from worldwright.core.rng import Stream
from worldwright.engine.contract import Contract
from worldwright.engine.revealed import remember_revealed
from worldwright.kinds.database.compile.state.grow import SeededUnitOfWork
from worldwright.kinds.database.compile.through.reading import call_through, see_result
from worldwright.kinds.database.compiled_world import CompiledWorld
from worldwright.kinds.database.episode_state import Mark
from worldwright.kinds.database.runtime import Runtime
from worldwright.kinds.database.session import Session
from worldwright.kinds.database.unit_of_work import Row, UnitOfWork
from worldwright.kinds.database.verify.roles import list_role_words
from worldwright.world.records import Call, Result

Test = tuple[str, str, Any]
"""(field, comparison, value) that only a look at a record tells."""


class CompiledGoal:
    """A goal's expressions, ready to run."""

    def __init__(self, compiled: CompiledWorld, goal: c.Goal) -> None:
        e = compiled.evaluator
        self.goal = goal
        self.where = {name: e.truth(node) for name, node in goal.where.items()}
        self.drawn = {name: e.bind(node) for name, node in goal.drawn.items()}
        self.wants = e.truth(goal.wants)
        parts = goal.wants.items if isinstance(goal.wants, n.And) else (goal.wants,)
        self.records = tuple(e.truth(part) for part in parts if _is_said_record(part, goal))
        """Conditions that a record as the asker says it exists."""
        self.weighs_rules = _weighs_rules(goal.wants)
        """Whether the request says itself what becomes of it where a rule forbids it: `approved if obeys(...) else denied`."""
        self.actor = e.row(goal.actor) if goal.actor is not None else None
        self.how = tuple(
            (
                step,
                tuple((name, e.bind(node)) for name, node in step.args),
                e.truth(step.test) if step.test is not None else None,
            )
            for step in goal.how
        )
        self.tells = {name: (e.value(node), node.type) for name, node in goal.tells.items()}
        self.mentions = tuple(
            (e.value(field), tuple((e.value(f), f.type, list_role_words(f)) for f in facts))
            for field, facts in goal.mentions
        )


def _is_said_record(part: n.Node, goal: c.Goal) -> bool:
    """Return whether a part of what is wanted is that a record exists with values which the asker says."""
    return isinstance(part, n.Aggregate) and part.kind == "exists" and bool(n.free_names(part) & goal.states.keys())


def _weighs_rules(node: n.Node) -> bool:
    """Return whether a condition asks whether a rule is obeyed, other than to choose among rows."""
    if isinstance(node, n.Aggregate):
        return any(
            isinstance(part, n.If) and any(isinstance(one, n.Obeys) for one in n.walk(part.test))
            for part in n.walk(node)
        )
    return isinstance(node, n.Obeys) or any(map(_weighs_rules, n.children(node)))


def compile_goals(compiled: CompiledWorld) -> dict[str, CompiledGoal]:
    """Compile every goal of a Blueprint once for all seeds."""
    return {name: CompiledGoal(compiled, goal) for name, goal in compiled.blueprint.goals.items()}


MAX_LOOKED_THROUGH = 2_000
"""Rows of one table that are all looked through for every binding."""
AWAY = ("absent", "away", "leave", "sick")
"""Beginnings of the names of fields, `_from` and `_until`, between which somebody is not at work."""


class Sandbox:
    """One session over the opening state, and units of work that can draw from it."""

    def __init__(
        self,
        runtime: Runtime,
        damaged: Mapping[str, Sequence[tuple[str, str]]] = MappingProxyType({}),
        reserved: frozenset[tuple[str, str]] = frozenset(),
        copies: frozenset[tuple[str, str]] = frozenset(),
        contract: Contract | None = None,
    ) -> None:
        self.runtime = runtime
        self.contract = contract
        """The contract through which agents see the world, where there is one. The sandbox itself looks behind it."""
        self.damaged = frozenset(at for rows in damaged.values() for at in rows)
        """(entity, id) of the rows that mess has touched."""
        self.reserved = reserved
        """(entity, id) of rows that are somebody's request: no other task is about them."""
        self.copies = copies
        """(entity, id) of rows that say once more what another says: tasks are about them only to mend them, and for none."""
        self.closed: dict[tuple[str, ...], tuple[str, int]] = {}
        """By tool and place in its arguments, the code with which every other row was refused, and how often in a row."""
        self.compiled = runtime.compiled
        self.schema = runtime.compiled.blueprint.schema
        self.goals = runtime.compiled.derive(compile_goals)
        self.session: Session = runtime.session(self.schema.roles[0] if self.schema.roles else "")
        self.actors = {role: self._list_actors(role) for role in self.schema.roles}
        self._reveal = remember_revealed()
        self._apart: Session = runtime.session(self.session.role)
        self._late: dict[tuple[str, str, bool], tuple[Session, Mark]] = {}
        self._rows: dict[str, tuple[Row, ...]] = {}
        self._mixed: dict[str, list[Row]] = {}
        self._gone = {name: self._find_gone(name, node) for name, node in self.compiled.blueprint.live.items()}

    def _list_actors(self, role: str) -> tuple[str, ...]:
        """List everybody who has a role and is at work; everybody who has it, where nobody is."""
        if not self.schema.actor:
            return ()
        uow = self.session.unit_of_work()
        at = self.compiled.tables[self.schema.actor].position[self.schema.role_field]
        people = sorted((row for row in uow.rows(self.schema.actor) if row.values[at] == role), key=lambda row: row.id)
        people = [row for row in people if (row.entity, row.id) not in self.copies] or people
        return tuple(row.id for row in people if not self.is_away(row)) or tuple(row.id for row in people)

    def is_away(self, person: Row) -> bool:
        """Return whether somebody is not at work when the world opens, by the fields that say so: nobody is asked who is away."""
        position, today = self.compiled.tables[person.entity].position, self.schema.now[:10]

        def look(name: str) -> Any:
            return person.values[position[name]] if name in position else None

        left = look("left_on")
        if left is not None and left < today:
            return True
        return any(
            (until := look(f"{why}_until")) is not None and until >= today and (look(f"{why}_from") or "") <= today
            for why in AWAY
        )

    def field(self, entity: str, name: str) -> n.Field:
        """A field of the row called `self`."""
        return n.Field(self.schema.entities[entity].columns[name].type, n.Var(ref(entity), "self"), name)

    def opening(self, entity: str) -> tuple[Row, ...]:
        """The rows of a table in the opening state. The session stays where it is, and whose it is."""
        if entity not in self._rows:
            self._rows[entity] = tuple(self.first_uow().rows(entity))
        return self._rows[entity]

    def large(self, entity: str, stream: Stream) -> Sequence[Row]:
        """The rows of a table in the opening state from a drawn place on, if it is too large to be looked through again and again;
        none of any other."""
        rows = self.opening(entity)
        if len(rows) <= MAX_LOOKED_THROUGH:
            return ()
        if entity not in self._mixed:
            self._mixed[entity] = Stream("mixed", entity).shuffled(rows)
        at = stream.below(len(rows))
        return self._mixed[entity][at:] + self._mixed[entity][:at]

    def first_uow(self) -> UnitOfWork:
        """Rows as they are in the opening state, wherever the session stands: who writes a request has not seen more."""
        return self._apart.unit_of_work()

    def list_live(self, entity: str) -> tuple[Row, ...]:
        """List the rows of a table in the opening state that still count: requests are about no others."""
        gone = self.list_gone(entity)
        return tuple(row for row in self.opening(entity) if row.id not in gone)

    def list_gone(self, entity: str) -> frozenset[str]:
        """List rows of the opening state that only lie there still."""
        return self._gone.get(entity, frozenset())

    def _find_gone(self, entity: str, live: n.Node) -> frozenset[str]:
        test, rows = self.compiled.evaluator.truth(live), self.opening(entity)
        uow = self.session.unit_of_work()
        return frozenset(row.id for row in rows if not test(uow, {"self": row}))

    def start(self, role: str, actor: str) -> Session:
        """Back to the opening state, as somebody."""
        self.session.reset(role, actor)
        return self.session

    def start_late(self, role: str, actor: str, alone: bool = False) -> Session:
        """After everything that others do, as somebody who has done nothing yet; or at that time, had nobody done anything. The
        session of the sandbox stays where it is."""
        session, mark = self._late.get((role, actor, alone), (None, None))
        if session is None or mark is None or not session.go_back(mark):
            runtime = Runtime(self.compiled, self.runtime.state, "") if alone else self.runtime
            session = runtime.session(role, actor)
            session.pass_time_until(self.runtime.opening.last)
            self._late[role, actor, alone] = session, session.mark()
        return session

    def look(self, session: Session, call: Call) -> tuple[Call, Result] | None:
        """Make a read as an agent makes it, and see what an agent sees; None where the contract has no way to say it."""
        if self.contract is None:
            return call, session.call(call.tool, call.arguments)
        tool = self.contract.find_tool(call)
        seen = "" if tool is None else call_through(tool, session, call, self._reveal)
        if isinstance(seen, str) or not seen.is_meant(call):
            return None
        return seen.call, seen.result._replace(data=seen.told)

    def show(self, session: Session, call: Call, result: Result) -> Result:
        """Show what an agent sees of the result of a call."""
        tool = None if self.contract is None else self.contract.find_tool(call)
        return (
            result if tool is None else result._replace(data=see_result(tool, session, call, result, self._reveal).told)
        )

    def split_filters(self, search: c.Operation, filters: Mapping[str, Any]) -> tuple[dict[str, Any], list[Test]]:
        """Split filters into those that agents can search by, and what they have to look for in the records instead."""
        assert isinstance(search.read, c.Search)
        tool = None if self.contract is None else self.contract.find_tool(Call(search.name, filters))
        taken = dict(filters) if tool is None else {k: v for k, v in filters.items() if k in (*tool.takes, *tool.fixed)}
        rest = [(f.column, f.op, filters[f.name]) for f in search.read.filters if f.name in {*filters} - {*taken}]
        return taken, rest

    def uow(self, *path: Any) -> SeededUnitOfWork:
        """Rows as they are now, with randomness of its own for what `path` names."""
        seen = self.session.unit_of_work()
        uow = SeededUnitOfWork(self.compiled, seen.conn)
        uow.set_time(seen.now)
        uow.actor = seen.actor
        uow.stream = Stream(*path)
        return uow

    def frame(self, uow: SeededUnitOfWork, rows: Mapping[str, tuple[str, str]], said: Mapping[str, Any]) -> Frame:
        """The names of a goal: its rows as they are now, and what was said."""
        return {**{name: uow.row(*at) for name, at in rows.items()}, **said}
