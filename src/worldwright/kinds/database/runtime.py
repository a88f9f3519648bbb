"""A compiled world with an opening state: what sessions run on."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from worldwright.blueprint.expr.evaluate import Frame
from worldwright.core.days import parse_moment
from worldwright.core.errors import UsageError
from worldwright.core.names import nearest
from worldwright.kinds.database.compiled_world import CompiledWorld
from worldwright.kinds.database.invariants import Watch, broken_rows
from worldwright.kinds.database.remembered import Remembered
from worldwright.kinds.database.session import Session
from worldwright.kinds.database.state import connect, state_digest
from worldwright.kinds.database.unit_of_work import UnitOfWork
from worldwright.kinds.database.verify.judge import SessionJudge
from worldwright.world.records import ToolSpec
from worldwright.world.service import Service

Perform = Callable[[UnitOfWork, Frame], Any]


class Runtime:
    """A compiled world with an opening state."""

    def __init__(
        self,
        compiled: CompiledWorld,
        state: bytes,
        handbook: str,
        services: Mapping[str, tuple[Service, ...]] = MappingProxyType({}),
    ) -> None:
        self.compiled = compiled
        self.services = services
        """What callers of an episode meet. Whoever builds or proves a world does without."""
        self.state = state
        opening = parse_moment(compiled.blueprint.schema.now)
        assert opening is not None
        self.opening = opening.replace(tzinfo=None)
        self._handbook = handbook
        self.remembered = Remembered(compiled.tables)
        self._excused: dict[str, frozenset[str]] = {}
        self._judges: dict[int, tuple[Mapping[str, Any], SessionJudge]] = {}
        schema = compiled.blueprint.schema
        conn = connect(state)
        self.counters = {name: self._highest(conn, name) for name in schema.entities}
        self.actors = {role: self._actor(conn, role) for role in schema.roles}
        conn.close()

    def _highest(self, conn: sqlite3.Connection, entity: str) -> int:
        """The largest number among the ids of a table: new ids follow it."""
        key = self.compiled.blueprint.schema.entities[entity].key
        rows = conn.execute(f'SELECT id FROM "{entity}"').fetchall()
        return max((key.number(r[0]) or 0 for r in rows), default=0)

    def _actor(self, conn: sqlite3.Connection, role: str) -> str | None:
        """Who acts in a role when nothing else is said: the first row that has it."""
        schema = self.compiled.blueprint.schema
        sql = f'SELECT id FROM "{schema.actor}" WHERE "{schema.role_field}" = ? ORDER BY id LIMIT 1'
        found = conn.execute(sql, (role,)).fetchall()
        return str(found[0][0]) if found else None

    def excused(self, watch: Watch) -> frozenset[str]:
        """The rows that break an invariant in the opening state already: nobody is refused for those."""
        found = self._excused.get(watch.name)
        if found is None:
            conn = self.compiled.connect(self.state)
            uow = self.compiled.unit_of_work(conn)
            uow.now, uow.today = self.opening_clock, self.opening_clock[:10]
            found = self._excused[watch.name] = frozenset(broken_rows(watch, uow))
            conn.close()
        return found

    @property
    def tools(self) -> Mapping[str, ToolSpec]:
        return self.compiled.specs

    @property
    def roles(self) -> tuple[str, ...]:
        return self.compiled.blueprint.schema.roles

    @property
    def handbook(self) -> str:
        return self._handbook

    @property
    def opening_clock(self) -> str:
        return self.compiled.blueprint.schema.now

    def session(self, role: str, actor: str = "") -> Session:
        if role and role not in self.actors:
            raise UsageError(f"no role is called `{role}`; {nearest(role, self.actors)}")
        return Session(self, self.compiled.connect(self.state), role, actor)

    def judge(self, expects: Mapping[str, Any]) -> SessionJudge:
        """A key's verifier; made once for the same key."""
        held = self._judges.get(id(expects))
        if held is None or held[0] is not expects:
            held = self._judges[id(expects)] = (expects, SessionJudge(self.compiled, expects))
        return held[1]

    def state_digest(self) -> str:
        conn = connect(self.state)
        try:
            return state_digest(conn, self.compiled.blueprint.schema)
        finally:
            conn.close()
