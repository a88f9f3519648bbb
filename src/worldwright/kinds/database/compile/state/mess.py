"""Mess: what real systems have and clean mocks do not. Every touched cell is listed under its layer's label."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from worldwright.blueprint.checked import Mess
from worldwright.blueprint.schema import Column, Way
from worldwright.core.days import add_days
from worldwright.core.rng import Stream
from worldwright.kinds.database.compile import values
from worldwright.kinds.database.compile.state.grow import SeededUnitOfWork
from worldwright.kinds.database.compiled_world import CompiledWorld
from worldwright.kinds.database.tables import quote_name
from worldwright.kinds.database.unit_of_work import Row

EARLIER_SHARE = 0.6
"""Of copies with `onto`, how many come before what counts."""
NAMESAKE_SHARE = 1 / 3
"""Of look-alikes, how many have the very same name."""


class MessedCell(NamedTuple):
    """One cell (or row) that a layer touched."""

    label: str
    layer: str
    entity: str
    id: str
    column: str
    """Empty for a whole row."""
    before: Any
    after: Any


class MessWriter:
    """Writes the mess layers of a Blueprint, in its order."""

    def __init__(self, compiled: CompiledWorld, uow: SeededUnitOfWork, seed: int) -> None:
        self.compiled = compiled
        self.schema = compiled.blueprint.schema
        self.uow = uow
        self.seed = seed
        self.blemishes: list[MessedCell] = []
        self._originals: frozenset[str] = frozenset()
        """Rows that the layer at work copies: none of them is written over."""

    def lay(self) -> tuple[MessedCell, ...]:
        self.uow.set_time(self.schema.now)
        self.uow.conn.execute("BEGIN")
        for mess in self.compiled.blueprint.mess:
            if mess.spec.layer != "half_done":
                getattr(self, f"_{mess.spec.layer}")(mess)
        self.uow.conn.execute("COMMIT")
        return tuple(self.blemishes)

    def _choose_rows(self, mess: Mess, condition: str = "1") -> list[str]:
        """Choose the ids a layer falls on: each row by its own stream, at least one where there is any."""
        found = self.uow.fetch(f"SELECT id FROM {quote_name(mess.entity)} WHERE {condition} ORDER BY id", ())
        ids = [r[0] for r in found]
        out = [key for key in ids if Stream(self.seed, "mess", mess.spec.label, key).chance(mess.spec.share)]
        return out or (ids[:1] if mess.spec.share > 0 else [])

    def _write(self, mess: Mess, key: str, column: str, after: Any) -> None:
        table = self.compiled.tables[mess.entity]
        row = self.uow.row(mess.entity, key)
        if row is None:
            return
        before = row.values[table.position[column]]
        if before == after:
            return
        if column == table.entity.state_field:
            self.uow.conn.execute(
                f"UPDATE {quote_name(mess.entity)} SET {quote_name(column)} = ? WHERE id = ?", (after, key)
            )
            self.uow.forget()
        else:
            self.uow.set(row, {column: after})
        self.uow.begin()
        self.blemishes.append(MessedCell(mess.spec.label, mess.spec.layer, mess.entity, key, column, before, after))

    def _texts(self, mess: Mess) -> list[tuple[str, str]]:
        """(id, text) of the chosen rows that have a text to spoil."""
        position = self.compiled.tables[mess.entity].position[mess.column]
        out = []
        for key in self._choose_rows(
            mess, f"{quote_name(mess.column)} IS NOT NULL AND {quote_name(mess.column)} <> ''"
        ):
            row = self.uow.row(mess.entity, key)
            assert row is not None
            out.append((key, row.values[position]))
        return out

    def _typo(self, mess: Mess) -> None:
        for key, text in self._texts(mess):
            self._write(mess, key, mess.column, values.typo(text, Stream(self.seed, "typo", mess.spec.label, key)))

    def _legacy_format(self, mess: Mess) -> None:
        for key, text in self._texts(mess):
            self._write(mess, key, mess.column, values.legacy(text, mess.spec.style))

    def _missing(self, mess: Mess) -> None:
        for key in self._choose_rows(mess, f"{quote_name(mess.column)} IS NOT NULL"):
            self._write(mess, key, mess.column, None)

    def _stale(self, mess: Mess) -> None:
        compute = [(name, self.compiled.evaluator.value(node)) for name, node in mess.values]
        for key in self._choose_rows(mess):
            for name, run in compute:
                self.uow.begin()
                self.uow.stream = Stream(self.seed, "stale", mess.spec.label, key, name)
                self._write(mess, key, name, run(self.uow, {"self": self.uow.row(mess.entity, key)}))

    def _duplicate(self, mess: Mess) -> None:
        entity, table = self.schema.entities[mess.entity], self.compiled.tables[mess.entity]
        chosen = self._choose_rows(mess, f"id <= '{entity.key.make(entity.rows)}'")
        self._originals = frozenset(chosen)
        taken = {b.id for b in self.blemishes if b.entity == mess.entity} if mess.spec.onto else set()
        for key in (k for k in chosen if k not in taken):
            row = self.uow.row(mess.entity, key)
            assert row is not None
            copy = {
                name: row.values[i]
                for name, i in table.position.items()
                if name != "id" and (entity.columns[name].source == "given")
            }
            for name in mess.spec.vary:
                if copy.get(name):
                    copy[name] = values.vary(copy[name], Stream(self.seed, "vary", mess.spec.label, key, name))
            for name in mess.spec.alike:
                own = Stream(self.seed, "alike", mess.spec.label, key, name)
                if copy.get(name) and not own.chance(NAMESAKE_SHARE):
                    copy[name] = values.make_look_alike(copy[name], own)
            for group in entity.unique:
                if (
                    group[-1] in copy
                    and entity.columns[group[-1]].type.kind == "text"
                    and group[-1] not in mess.spec.vary
                ):
                    copy[group[-1]] = f"{copy[group[-1]]}-2"
            place = self._find_unused(mess, key) if mess.spec.onto else None
            twin = self.uow.add(mess.entity, copy) if place is None else self._overwrite(place, copy)
            self.uow.begin()
            self.blemishes.append(MessedCell(mess.spec.label, "duplicate", mess.entity, twin.id, "", key, None))
            if mess.spec.onto:  # whoever speaks of the original has to tell it from its copy
                self.blemishes.append(MessedCell(mess.spec.label, "duplicate", mess.entity, key, "", None, twin.id))
            self._set(mess, key if self._is_entered_anew(mess, key, place) else twin.id)

    def _is_entered_anew(self, mess: Mess, key: str, place: Row | None) -> bool:
        """Return whether the copy counts, and the original is marked: entered anew, where no earlier row is free."""
        wanted = mess.spec.onto and Stream(self.seed, "onto", mess.spec.label, key).chance(EARLIER_SHARE)
        return bool(wanted) and place is None and not mess.spec.alike

    def _set(self, mess: Mess, key: str) -> None:
        """The fields that a layer says, in one row."""
        for name, node in mess.values:
            self.uow.begin()
            self.uow.stream = Stream(self.seed, mess.spec.layer, mess.spec.label, key, name)
            value = self.compiled.evaluator.value(node)(self.uow, {"self": self.uow.row(mess.entity, key)})
            self._write(mess, key, name, value)

    def _overwrite(self, row: Row, copy: Mapping[str, Any]) -> Row:
        """Write a copy in the place of another row."""
        state = self.schema.entities[row.entity].state_field
        if state:
            sql = f"UPDATE {quote_name(row.entity)} SET {quote_name(state)} = ? WHERE id = ?"
            self.uow.conn.execute(sql, (copy[state], row.id))
            self.uow.forget()
        found = self.uow.row(row.entity, row.id)
        assert found is not None
        self.uow.set(found, {name: value for name, value in copy.items() if name != state})
        return found

    def _find_unused(self, mess: Mess, key: str) -> Row | None:
        """Find an earlier row that nothing refers to and no layer has touched; some copies are new rows all the same."""
        if not Stream(self.seed, "onto", mess.spec.label, key).chance(EARLIER_SHARE):
            return None
        entity = self.schema.entities[mess.entity]
        taken = {b.id for b in self.blemishes if b.entity == mess.entity}
        for number in range(len(entity.seeds) + 1, entity.rows + 1):
            other = entity.key.make(number)
            if other >= key:
                return None
            row = self.uow.row(mess.entity, other)
            if row is None or other in taken or other in self._originals:
                continue
            if not any(self._is_referred_to(way, other) for way in entity.ways.values()):
                return row
        return None

    def _is_referred_to(self, way: Way, key: str) -> bool:
        sql = f"SELECT 1 FROM {quote_name(way.entity)} WHERE {quote_name(way.column)} = ? LIMIT 1"
        return bool(self.uow.fetch(sql, (key,)))

    def _drift(self, mess: Mess) -> None:
        """The copy goes its own way."""
        column = self.schema.entities[mess.entity].columns[mess.column]
        position = self.compiled.tables[mess.entity].position[mess.column]
        for key in self._choose_rows(mess, f"{quote_name(mess.spec.via)} IS NOT NULL"):
            row = self.uow.row(mess.entity, key)
            assert row is not None
            stream = Stream(self.seed, "drift", mess.spec.label, key)
            self._write(mess, key, mess.column, _draw_other(column, row.values[position], stream))


def _draw_other(column: Column, value: Any, stream: Stream) -> Any:
    """Draw a value that differs from the right one as copies do: older, misspelt, another choice."""
    kind = column.type
    if value is None or value == "":
        return value
    match kind.kind:
        case "text":
            exact = column.flavour in ("email", "postcode", "phone")
            return values.typo(value, stream) if exact else values.vary(value, stream)
        case "date":
            return add_days(value, -stream.between(5, 200))
        case "enum":
            return stream.pick([v for v in kind.values if v != value] or [value])
        case "bool":
            return int(not value)
        case "int" | "decimal" | "money" | "foreign":
            return value + stream.pick((-1, 1)) * max(1, abs(value) * stream.between(2, 20) // 100)
    return value
