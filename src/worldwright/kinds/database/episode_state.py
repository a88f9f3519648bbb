"""The state of one episode: what it holds, how it is written to and put back, and what the controller sees of it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from worldwright.core.errors import LostTransaction
from worldwright.kinds.database.compiled_world import Tool
from worldwright.kinds.database.deeds import Deeds
from worldwright.kinds.database.known_names import NameIndex
from worldwright.kinds.database.opening import Opening
from worldwright.kinds.database.state import compact, state_digest
from worldwright.kinds.database.timeline import Timeline
from worldwright.kinds.database.unit_of_work import Change, Enforcement, Refusal, UnitOfWork
from worldwright.world.records import Result, TableDiff

MAX_UNDO = 64
"""Rows put back one by one at a reset; for more, loading the whole state is faster."""


class Mark(NamedTuple):
    """A place in an episode that a session can go back to, once or often, until it is reset or marks another."""

    number: int
    calls: int
    moment: datetime
    now: str
    counters: dict[str, int]
    touched: dict[tuple[str, str], list[Any] | None]
    standing: dict[tuple[str, str], list[Any] | None]
    broken: tuple[tuple[str, str, int], ...]
    said: frozenset[str]
    others: Timeline
    deeds: Deeds | None


class EpisodeState:
    """State, clock, ids and caller of one episode: written to in transactions, gone back with, and looked at."""

    __slots__ = (
        "_actor",
        "_broken",
        "_calls",
        "_changes",
        "_conn",
        "_deeds",
        "_deeds_seen",
        "_fresh",
        "_lost",
        "_marked",
        "_moment",
        "_opening",
        "_others",
        "_role",
        "_said",
        "_since",
        "_touched",
        "_uow",
    )

    def __init__(self, opening: Opening, conn: sqlite3.Connection, role: str, actor: str = "") -> None:
        self._opening = opening
        self._conn = conn
        self._uow = opening.compiled.unit_of_work(conn)
        self._marked = 0
        self._begin(role, actor)

    def _begin(self, role: str, actor: str) -> None:
        uow, now = self._uow, self._opening.compiled.blueprint.schema.now
        uow.begin()
        uow.now, uow.today = now, now[:10]
        self._moment = self._opening.moment
        uow.counters = dict(self._opening.counters)
        uow.touched = {}
        uow.broken = []
        uow.actor = None
        uow.enforcement = Enforcement.DECLARED
        uow.opening, uow.written, uow.standing = self._opening.remembered, set(), {}
        self._touched: dict[tuple[str, str], list[Any] | None] = {}
        self._fresh: dict[tuple[str, str], list[Any] | None] = {}
        """The same since somebody last asked what moved."""
        self._marked += 1
        self._since: dict[tuple[str, str], list[Any] | None] = {}
        """The same since the last mark."""
        self._broken: list[tuple[str, str, int]] = []
        self._said: set[str] = set()
        self._others = Timeline(self._opening.events)
        self._deeds = Deeds() if self._opening.events or self._opening.compiled.reactions else None
        self._deeds_seen = Deeds()
        """The same when somebody last asked what the agent itself moved."""
        self._calls = 0
        self._role = role
        self._actor = actor or self._opening.actors.get(role)
        self._lost = False
        self._changes = self._conn.total_changes
        uow.changes = 0

    def reset(self, role: str, actor: str = "") -> None:
        """Back to the opening state, as `actor`, or as whoever first has the role.

        Rows that were touched are put back as they were: schema and prepared statements stay warm. Where that cannot be
        trusted (a lost transaction, a change that no write verb made, very many rows), a new connection gets the whole state.
        """
        self._opening.check_role(role)
        if not self._is_trusted() or len(self._touched) > MAX_UNDO:
            self._conn.close()
            self._conn = self._opening.compiled.connect(self._opening.state)
            self._uow = self._opening.compiled.unit_of_work(self._conn)
        elif self._touched:
            self._put_back(self._touched)
        self._begin(role, actor)

    def _is_trusted(self) -> bool:
        """Return whether everything that was written went through the write verbs, and nothing is left open."""
        try:
            counted = self._conn.total_changes - self._changes == self._uow.changes
            return counted and not self._lost and not self._conn.in_transaction
        except sqlite3.ProgrammingError:
            return False

    def _put_back(self, touched: Mapping[tuple[str, str], Sequence[Any] | None]) -> None:
        tables, conn = self._opening.compiled.tables, self._conn
        conn.execute("BEGIN")
        for (entity, key), before in touched.items():
            if before is None:
                conn.execute(tables[entity].delete, (key,))
            else:
                conn.execute(tables[entity].replace, before)
        conn.execute("COMMIT")

    @property
    def clock(self) -> str:
        return self._uow.now

    @property
    def names(self) -> NameIndex:
        """The names that the world knew at the start."""
        return self._opening.names

    @property
    def role(self) -> str:
        return self._role

    @property
    def actor(self) -> str:
        """Who works in it; empty where nobody does."""
        return self._actor or ""

    def violations(self) -> tuple[tuple[str, str, int], ...]:
        """Handbook rules broken so far: (policy, tool, number of the call)."""
        return tuple(self._broken)

    @property
    def said(self) -> frozenset[str]:
        """The texts that calls which write were given."""
        return frozenset(self._said)

    def suspend_rules(self) -> None:
        """Let through what rules forbid, until the next reset: every one that a call breaks is noted."""
        self._uow.enforcement = Enforcement.NONE

    def mark(self) -> Mark:
        """Mark the place that the episode has come to."""
        uow = self._uow
        self._marked += 1
        self._since = {}
        return Mark(
            self._marked, self._calls, self._moment, uow.now, dict(uow.counters), dict(self._touched), dict(uow.standing),
            tuple(self._broken), frozenset(self._said), self._others.copy(),
            None if self._deeds is None else self._deeds.copy(),
        )  # fmt: skip

    def go_back(self, mark: Mark) -> bool:
        """Go back to a mark, as if nothing had been called since; False where that cannot be done: it is not the last mark, or the
        session was reset since."""
        if mark.number != self._marked or not self._is_trusted():
            return False
        uow = self._uow
        changes = self._conn.total_changes
        if self._since:
            self._put_back(self._since)
        self._changes += self._conn.total_changes - changes
        self._since = {}
        uow.begin()
        uow.counters, uow.standing = dict(mark.counters), dict(mark.standing)
        uow.now, uow.today, uow.actor, uow.broken = mark.now, mark.now[:10], None, []
        uow.written = {entity for entity, _ in mark.touched}
        self._moment, self._calls = mark.moment, mark.calls
        self._touched, self._broken, self._said = dict(mark.touched), list(mark.broken), set(mark.said)
        self._others, self._deeds = mark.others.copy(), None if mark.deeds is None else mark.deeds.copy()
        return True

    def _keep_touched(self) -> None:
        for at, before in self._uow.touched.items():
            self._touched.setdefault(at, before)
            self._fresh.setdefault(at, before)
            self._since.setdefault(at, before)
        self._uow.touched = {}

    def _write(self, tool: Tool, work: Callable[[], Any], counters: dict[str, int]) -> Result:
        """Begin a transaction and write in it; where that fails, take it back."""
        uow, conn = self._uow, self._conn
        conn.execute("BEGIN")
        try:
            data = work()
            if uow.wrote and tool.watches:
                with uow.read_only():
                    for watch in tool.watches:
                        watch.check(uow, uow.touched, self._opening.find_excused)
        except (Refusal, OverflowError):
            self._undo(counters)
            raise
        if not conn.in_transaction:
            self._lost = True
            raise LostTransaction(f"{tool.name}: the transaction was ended from inside")
        return Result(True, data)

    def _note_broken(self, tool: Tool) -> None:
        """Keep which handbook rules the call broke."""
        if self._uow.broken:
            self._broken += [(policy, tool.name, self._calls) for policy in self._uow.broken]
            self._uow.broken = []

    def _undo(self, counters: dict[str, int]) -> None:
        uow = self._uow
        if not self._conn.in_transaction:
            self._lost = True
            raise LostTransaction("the transaction was ended from inside")
        self._conn.execute("ROLLBACK")
        uow.counters = counters
        for at, before in uow.touched.items():
            if at in self._touched:
                uow.standing[at] = before
            else:
                uow.standing.pop(at, None)
        uow.touched = {}
        uow.broken = []
        uow.actor = None
        uow.written = {entity for entity, _ in self._touched}

    # looking, for the controller

    def changes(self) -> tuple[Change, ...]:
        """The rows that differ from the opening state, from those that were touched and what they held before. Where others act
        too, only what was done here counts."""
        return self._list_changes(self._touched) if self._deeds is None else self._deeds.list_changes()

    def _list_changes(self, touched: Mapping[tuple[str, str], Sequence[Any] | None]) -> tuple[Change, ...]:
        out, standing = [], self._uow.standing
        for at in sorted(touched):
            before, after = touched[at], standing[at]
            if before != after:
                out.append(Change(*at, before, after))
        return tuple(out)

    def list_created(self) -> tuple[tuple[str, str], ...]:
        """List (entity, id) of the rows added since the opening, in the order they came."""
        if self._deeds is not None:
            return self._deeds.list_created()
        return tuple(at for at, before in self._touched.items() if before is None)

    def unit_of_work(self) -> UnitOfWork:
        """The unit of work, for the controller: rows as they are now, as the caller sees them."""
        if self._lost:
            raise LostTransaction("this session lost its transaction; reset it")
        uow = self._uow
        uow.begin()
        uow.actor = None
        if self._actor is not None:
            uow.actor = uow.row(self._opening.compiled.blueprint.schema.actor, self._actor)
        return uow

    def diff(self) -> Mapping[str, TableDiff]:
        """Return what differs from the opening state, as plain records."""
        return self._records(self._touched)

    def diff_since_last(self) -> Mapping[str, TableDiff]:
        """Return what differs from when this was last asked, or from the opening state."""
        if not self._fresh:
            return {}
        found = self._records(self._fresh)
        self._fresh = {}
        return found

    def own_diff_since_last(self) -> Mapping[str, TableDiff]:
        """Return what the agent itself changed since this was last asked, or since the opening state, whatever others did to it."""
        if self._deeds is None:
            return self.diff_since_last()
        found = self._deeds.list_changes_since(self._deeds_seen)
        self._deeds_seen = self._deeds.copy()
        return self._render_changes(found)

    def _records(self, touched: Mapping[tuple[str, str], Sequence[Any] | None]) -> Mapping[str, TableDiff]:
        return self._render_changes(self._list_changes(touched))

    def _render_changes(self, changes: Iterable[Change]) -> Mapping[str, TableDiff]:
        found: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = {}
        for entity, key, before, after in changes:
            table = self._opening.compiled.tables[entity]
            added, changed, removed = found.setdefault(entity, ({}, {}, {}))
            if before is None:
                added[key] = table.record(after)
            elif after is None:
                removed[key] = table.record(before)
            else:
                old, new = table.record(before), table.record(after)
                changed[key] = {name: (old[name], new[name]) for name in old if old[name] != new[name]}
        return {entity: TableDiff(*parts) for entity, parts in found.items()}

    def digest(self) -> str:
        try:
            return state_digest(self._conn, self._opening.compiled.blueprint.schema)
        except sqlite3.Error as e:
            raise self._make_lost(e) from e

    def _make_lost(self, error: sqlite3.Error) -> LostTransaction:
        self._lost = True
        return LostTransaction(f"the session's state cannot be read: {error}")

    def snapshot(self) -> bytes:
        """The whole state as an SQLite database; the same rows are the same bytes, however they came about."""
        try:
            return compact(self._conn)
        except sqlite3.Error as e:
            raise self._make_lost(e) from e

    def close(self) -> None:
        self._conn.close()
        self._lost = True
