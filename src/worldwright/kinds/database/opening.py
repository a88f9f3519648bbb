"""The state in which every session of a world begins, and what is known of it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import timedelta
from functools import cached_property

from worldwright.core.days import parse_moment
from worldwright.core.errors import UsageError
from worldwright.core.names import suggest
from worldwright.kinds.database.agenda import NOTHING, Agenda
from worldwright.kinds.database.compiled_world import CompiledWorld
from worldwright.kinds.database.invariants import InvariantCheck, find_broken_rows
from worldwright.kinds.database.known_names import NameIndex, index_names
from worldwright.kinds.database.remembered import ReadCache
from worldwright.kinds.database.state import connect

MAX_AHEAD = 366
"""Days that one can wait in a world in which nothing happens."""


class Opening:
    """A compiled world with the bytes of its first state, shared by all of its sessions."""

    def __init__(self, compiled: CompiledWorld, state: bytes, agenda: Agenda = NOTHING) -> None:
        self.compiled = compiled
        self.state = state
        schema = compiled.blueprint.schema
        self.clock = schema.now
        moment = parse_moment(schema.now)
        assert moment is not None
        self.moment = moment.replace(tzinfo=None)
        self.events = tuple((event.moment, event) for event in agenda.events)
        self.last = self.moment + timedelta(days=compiled.blueprint.ahead_days or MAX_AHEAD)
        """How long one can wait."""
        self.remembered = ReadCache(compiled.tables)
        self._excused: dict[str, frozenset[str]] = {}
        with closing(connect(state)) as conn:
            found = {name: self._find_highest_number(conn, name) for name in schema.entities}
            self.counters = {name: max(number, agenda.reserved.get(name, 0)) for name, number in found.items()}
            self.actors = {role: self._find_first_actor(conn, role) for role in schema.roles}

    @cached_property
    def names(self) -> NameIndex:
        """The names that everybody in this world can know."""
        with closing(connect(self.state)) as conn:
            return index_names(conn, self.compiled.blueprint.schema)

    def _find_highest_number(self, conn: sqlite3.Connection, entity: str) -> int:
        """Find the largest number among the ids of a table: new ids follow it."""
        key = self.compiled.blueprint.schema.entities[entity].key
        rows = conn.execute(f'SELECT id FROM "{entity}"').fetchall()
        return max((key.number(r[0]) or 0 for r in rows), default=0)

    def _find_first_actor(self, conn: sqlite3.Connection, role: str) -> str | None:
        """Find who acts in a role when nothing else is said: the first row that has it."""
        schema = self.compiled.blueprint.schema
        sql = f'SELECT id FROM "{schema.actor}" WHERE "{schema.role_field}" = ? ORDER BY id LIMIT 1'
        found = conn.execute(sql, (role,)).fetchall()
        return str(found[0][0]) if found else None

    def check_role(self, role: str) -> None:
        """Raise where a world has no such role."""
        if role and role not in self.actors:
            raise UsageError(f"no role is called `{role}`; {suggest(role, self.actors)}")

    def find_excused(self, watch: InvariantCheck) -> frozenset[str]:
        """Find the rows that break an invariant in the opening state already: nobody is refused for those."""
        found = self._excused.get(watch.name)
        if found is None:
            with closing(self.compiled.connect(self.state)) as conn:
                uow = self.compiled.unit_of_work(conn)
                uow.now, uow.today = self.clock, self.clock[:10]
                found = self._excused[watch.name] = frozenset(find_broken_rows(watch, uow))
        return found
