"""The unit of work: where a tool reads and writes rows.

One per session. Reading goes to SQLite; the three write verbs (`set`, `add`, `remove`) keep lifecycles, uniqueness and kept
fields right, and note what they touched, so that a diff never needs two dumps. Inside a call a row is one object, however
it was reached.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import Enum
from typing import Any, NamedTuple

from worldwright.blueprint.expr.nodes import Draw
from worldwright.blueprint.schema import Entity
from worldwright.core.fixed import INT64
from worldwright.core.names import to_words
from worldwright.kinds.database.remembered import ReadCache
from worldwright.kinds.database.tables import Table, quote_name
from worldwright.world.records import ToolError


class Refusal(Exception):
    """A tool says no. It never leaves the kind: the session turns it into a result."""

    def __init__(
        self, code: str, message: str, policy: str | None = None, details: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(message)
        self.error = ToolError(code, message, policy, details)


class Row:
    """One row as the unit of work sees it now."""

    __slots__ = ("entity", "id", "values")

    def __init__(self, entity: str, values: list[Any]) -> None:
        self.entity = entity
        self.id: str = values[0]
        self.values = values


class Change(NamedTuple):
    """A row that differs from the opening state, in storage form; None where it is not there."""

    entity: str
    id: str
    before: Sequence[Any] | None
    after: Sequence[Any] | None


class KeptField:
    """A kept field to recompute when rows of some entity change."""

    __slots__ = ("column", "compute", "owner", "position", "reads", "via")

    def __init__(
        self,
        owner: str,
        column: str,
        position: int,
        via: int,
        reads: frozenset[str],
        compute: Callable[[Any, Any], Any],
    ) -> None:
        self.owner = owner
        self.column = column
        self.position = position
        self.via = via
        """Where the changed row holds the owner's id; 0 where it is the owner itself."""
        self.reads = reads
        self.compute = compute


class Enforcement(Enum):
    """Which rules refuse a call that breaks them. The others are noted."""

    DECLARED = "declared"
    """Those that the tools enforce: so for agents."""
    ALL = "all"
    """Those that only the handbook enforces too: so when history is made."""
    NONE = "none"
    """None: so when it is asked which rules a call would break."""


class UnitOfWork:
    """Rows, the clock and the caller of one session."""

    __slots__ = (
        "_answers", "_cache", "_kept", "_tables", "_updates", "actor", "broken", "changes", "conn", "consulted", "counters",
        "enforcement", "now", "opening", "standing", "today", "touched", "written", "wrote",
    )  # fmt: skip

    def __init__(
        self, conn: sqlite3.Connection, tables: Mapping[str, Table], kept: Mapping[str, Sequence[KeptField]]
    ) -> None:
        self.conn = conn
        self._tables = tables
        self._kept = kept
        self._cache: dict[tuple[str, str], Row | None] = {}
        self._answers: dict[tuple[str, tuple[Any, ...]], list[Any]] | None = None
        self._updates: dict[tuple[str, tuple[str, ...]], str] = {}
        self.now = ""
        self.today = ""
        self.actor: Row | None = None
        self.enforcement = Enforcement.DECLARED
        self.broken: list[str] = []
        """Handbook rules that the current call broke."""
        self.touched: dict[tuple[str, str], list[Any] | None] = {}
        """Rows that were written to, each with what it held before; None for rows that were not there."""
        self.counters: dict[str, int] = {}
        self.changes = 0
        """Rows that the write verbs changed, to be held against what SQLite counted."""
        self.opening: ReadCache | None = None
        """What is known of the opening state, where this unit of work began with one."""
        self.standing: dict[tuple[str, str], list[Any] | None] = {}
        """Rows that were written to since the opening, as they are now; None for those that are gone. Only one with an
        opening looks here: what makes worlds also writes past the verbs."""
        self.written: set[str] = set()
        """Entities whose rows are no longer those of the opening state."""
        self.consulted: set[str] = set()
        """Entities that the current call has read from."""
        self.wrote = False

    def begin(self) -> None:
        """Forget what the last call had in its hands."""
        self._cache.clear()
        self.consulted.clear()
        self.wrote = False

    def keep(self, row: Row) -> None:
        """Take a row from the last call into this one: it is as good as read again, because nothing else writes."""
        self._cache[row.entity, row.id] = row

    def position(self, entity: str, column: str) -> int:
        return self._tables[entity].position[column]

    def find_position(self, entity: str, column: str) -> int | None:
        """Return where a column stands in a row; None for one that is computed."""
        return self._tables[entity].position.get(column)

    # reading

    def fetch(self, sql: str, parameters: Sequence[Any]) -> list[Any]:
        """Fetch every row of a query. Numbers that do not fit 64 bits are refused: there is no right answer to give."""
        known = self.opening
        if known is not None:
            tables = known.list_tables(sql)
            self.consulted |= tables
            if tables.isdisjoint(self.written):
                at = (sql, tuple(parameters))
                found = known.answers.get(at)
                if found is None:
                    found = self._fetch(sql, parameters)
                    known.answer(at, found)
                return found
        if self._answers is not None:
            return self._fetch_known(self._answers, sql, parameters)
        return self._fetch(sql, parameters)

    def _fetch_known(
        self, known: dict[tuple[str, tuple[Any, ...]], list[Any]], sql: str, parameters: Sequence[Any]
    ) -> list[Any]:
        at = (sql, tuple(parameters))
        found = known.get(at)
        if found is None:
            found = known[at] = self._fetch(sql, parameters)
        return found

    def _fetch(self, sql: str, parameters: Sequence[Any]) -> list[Any]:
        try:
            return self.conn.execute(sql, parameters).fetchall()
        except OverflowError:
            raise _make_too_large() from None
        except sqlite3.OperationalError as e:
            if "overflow" in str(e) or "user-defined function" in str(e):
                raise _make_too_large() from None
            raise

    @contextmanager
    def read_only(self) -> Iterator[None]:
        """Ask what was asked once not again, while nothing is written."""
        self._answers = {}
        try:
            yield
        finally:
            self._answers = None

    def row(self, entity: str, key: str) -> Row | None:
        """The row with this id, or none."""
        at = (entity, key)
        self.consulted.add(entity)
        if at in self._cache:
            return self._cache[at]
        values = self._values(at)
        row = self._cache[at] = None if values is None else Row(entity, values)
        return row

    def _values(self, at: tuple[str, str]) -> list[Any] | None:
        known = self.opening
        if known is not None:
            if at in self.standing:
                return self.standing[at]
            if at in known.rows:
                return known.rows[at]
        found = self.conn.execute(self._tables[at[0]].select + " WHERE id = ?", (at[1],)).fetchall()
        values = list(found[0]) if found else None
        if known is not None:
            known.row(at, values)
        return values

    def rows(self, entity: str) -> Iterable[Row]:
        return self._load_rows(entity, self.fetch(self._tables[entity].select + " ORDER BY id", ()))

    def children(self, entity: str, column: str, key: str) -> Iterable[Row]:
        sql = f"{self._tables[entity].select} WHERE {quote_name(column)} = ? ORDER BY id"
        return self._load_rows(entity, self.fetch(sql, (key,)))

    def _load_rows(self, entity: str, found: Iterable[Sequence[Any]]) -> list[Row]:
        """Load rows as objects, the ones already in hand where there are any."""
        out = []
        for values in found:
            at = (entity, values[0])
            row = self._cache.get(at)
            if row is None:
                row = self._cache[at] = Row(entity, list(values))
            out.append(row)
        return out

    def draw(self, node: Draw, args: Sequence[Any]) -> Any:
        raise AssertionError("a tool never draws")

    def choose(self, kind: str, rows: Sequence[Any]) -> Any:
        raise AssertionError("a tool never draws")

    # writing

    def set(self, row: Row, values: Mapping[str, Any]) -> None:
        """Change fields of a row."""
        table = self._tables[row.entity]
        position, entity = table.position, table.entity
        changes = {k: v for k, v in values.items() if row.values[position[k]] != v}
        state = entity.state_field
        if state and state in values:
            self._move(row, entity, row.values[position[state]], values[state])
        if not changes:
            return
        self.check_values(entity, changes)
        if entity.unique:
            merged = {name: changes.get(name, row.values[i]) for name, i in position.items()}
            self._unique(entity, merged, changes)
        names = tuple(changes)
        sql = self._updates.get((row.entity, names))
        if sql is None:
            assignments = ", ".join(f"{quote_name(n)} = ?" for n in names)
            sql = self._updates[row.entity, names] = f"UPDATE {quote_name(row.entity)} SET {assignments} WHERE id = ?"
        self.conn.execute(sql, (*changes.values(), row.id))
        before = row.values
        row.values = list(before)
        for name, value in changes.items():
            row.values[position[name]] = value
        self._note_write(row, before, row.values)
        if row.entity in self._kept:
            self._keep(row, before, changes.keys())

    def add(self, name: str, values: Mapping[str, Any]) -> Row:
        """A new row, with the next id."""
        table = self._tables[name]
        entity = table.entity
        number = self.counters[name] = self.counters.get(name, 0) + 1
        full: list[Any] = [entity.key.make(number)]
        for column in entity.stored:
            value = values.get(column.name)
            if value is None and not column.optional and column.source == "given":
                value = _choose_default(entity, column.name)
            full.append(value)
        row = Row(name, full)
        kept = self._kept.get(name, ())
        for own in kept:
            if not own.via:
                full[own.position] = own.compute(self, {"self": row})
                if full[own.position] is None:
                    self._check_required(entity, {own.column: None})
        if entity.unique:
            self._unique(entity, dict(zip(table.names, full, strict=True)), values)
        self._check_required(entity, {n: v for n, v in zip(table.names, full, strict=True) if n in values})
        whole = dict(zip(table.names, full, strict=True))
        self._check_range(entity, whole)
        self._check_words(entity, whole)
        self.conn.execute(table.insert, full)
        self._cache[name, row.id] = row
        self._note_write(row, None, full)
        for other in kept:
            if other.via:
                self._recompute(other, full[other.via])
        return row

    def remove(self, row: Row) -> None:
        """Delete a row that nothing refers to."""
        entity = self._tables[row.entity].entity
        for way in entity.ways.values():
            sql = f"SELECT id FROM {quote_name(way.entity)} WHERE {quote_name(way.column)} = ? LIMIT 1"
            held = self.fetch(sql, (row.id,))
            if held:
                message = f"{row.id} is still referred to by {to_words(way.entity)} {held[0][0]}."
                raise Refusal("IN_USE", message, None, {"referred_to_by": held[0][0]})
        self.conn.execute(self._tables[row.entity].delete, (row.id,))
        self._cache[row.entity, row.id] = None
        self._note_write(row, row.values, None)
        for kept in self._kept.get(row.entity, ()):
            if kept.via:
                self._recompute(kept, row.values[kept.via])

    def _note_write(self, row: Row, before: list[Any] | None, after: list[Any] | None) -> None:
        at = (row.entity, row.id)
        self.changes += 1
        self.wrote = True
        self.written.add(row.entity)
        self.touched.setdefault(at, before)
        self.standing[at] = after

    # what every write keeps

    def _move(self, row: Row, entity: Entity, before: str, after: str) -> None:
        allowed = entity.lifecycle.get(before, ())
        if after not in allowed:
            ways = ", ".join(allowed) or "nothing: it is an end state"
            message = f"{to_words(entity.name)} {row.id} is {before} and cannot become {after}; from there it can become {ways}."
            raise Refusal(
                "INVALID_STATE", message[0].upper() + message[1:], None, {"state": before, "allowed": list(allowed)}
            )

    def check_values(self, entity: Entity, values: Mapping[str, Any]) -> None:
        """Refuse what the columns of a table cannot hold."""
        self._check_required(entity, values)
        self._check_range(entity, values)
        self._check_words(entity, values)

    def _check_required(self, entity: Entity, values: Mapping[str, Any]) -> None:
        for name, value in values.items():
            if value is None and name != "id" and not entity.columns[name].optional:
                raise Refusal(
                    "MISSING_VALUE",
                    f"{to_words(entity.name).capitalize()} needs a {to_words(name)}.",
                    None,
                    {"field": name},
                )

    def _check_range(self, entity: Entity, values: Mapping[str, Any]) -> None:
        for name, value in values.items():
            if type(value) is int and not -INT64 <= value <= INT64:
                raise Refusal(
                    "OUT_OF_RANGE",
                    f"The {to_words(name)} of {to_words(entity.name)} would be too large.",
                    None,
                    {"field": name},
                )

    def _check_words(self, entity: Entity, values: Mapping[str, Any]) -> None:
        for name, words in self._tables[entity.name].words:
            value = values.get(name)
            if value is not None and value not in words:
                said = f"cannot be {value[:80]!r}; it is one of {', '.join(words)}."
                message = f"The {to_words(name)} of {to_words(entity.name)} {said}"
                raise Refusal("OUT_OF_RANGE", message, None, {"field": name, "allowed": list(words)})

    def _unique(self, entity: Entity, values: Mapping[str, Any], changed: Iterable[str]) -> None:
        names = set(changed)
        for group in entity.unique:
            if not names & set(group) or any(values[g] is None for g in group):
                continue
            test = " AND ".join(f"{quote_name(g)} = ?" for g in group)
            sql = f"SELECT id FROM {quote_name(entity.name)} WHERE {test} AND id <> ? LIMIT 1"
            found = self.fetch(sql, (*(values[g] for g in group), values["id"]))
            if found:
                said = " and ".join(to_words(g) for g in group)
                message = f"There is already {to_words(entity.name)} {found[0][0]} with the same {said}."
                raise Refusal("DUPLICATE", message, None, {"existing": found[0][0], "fields": list(group)})

    def _keep(self, row: Row, before: Sequence[Any], changed: Iterable[str]) -> None:
        """Recompute the kept fields that read what changed."""
        names = set(changed)
        for kept in self._kept[row.entity]:
            if not names & kept.reads:
                continue
            if not kept.via:
                self._recompute(kept, row.id)
                continue
            self._recompute(kept, row.values[kept.via])
            if before[kept.via] != row.values[kept.via]:
                self._recompute(kept, before[kept.via])

    def _recompute(self, kept: KeptField, key: str | None) -> None:
        owner = self.row(kept.owner, key) if key is not None else None
        if owner is None:
            return
        value = kept.compute(self, {"self": owner})
        if value != owner.values[kept.position]:
            self.set(owner, {kept.column: value})


def _make_too_large() -> Refusal:
    return Refusal("OUT_OF_RANGE", "A number in this would be too large.")


def _choose_default(entity: Entity, name: str) -> Any:
    """Choose what a required field of a new row is when nothing is said."""
    column = entity.columns[name]
    if column.state:
        return next(iter(entity.lifecycle))
    if column.type.numeric or column.type.kind == "bool":
        return 0
    return "" if column.type.kind == "text" else None
