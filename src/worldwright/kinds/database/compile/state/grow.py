"""The unit of work in which a state is grown: it can draw."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from datetime import timedelta
from types import MappingProxyType
from typing import Any

from worldwright.blueprint.expr.nodes import Draw
from worldwright.core import days
from worldwright.core.regex import sample_match
from worldwright.core.rng import Stream
from worldwright.kinds.database.compile import values
from worldwright.kinds.database.compile.values.row import DrawContext
from worldwright.kinds.database.compiled_world import CompiledWorld
from worldwright.kinds.database.unit_of_work import Enforcement, Row, UnitOfWork

_LETTERS = "ABCDEFGHJKLMNPRSTUVWXYZ"


class SeededUnitOfWork(UnitOfWork):
    """A unit of work with a stream of randomness, named by what is being made."""

    __slots__ = ("_ids", "about", "stream")

    def __init__(self, compiled: CompiledWorld, conn: sqlite3.Connection) -> None:
        super().__init__(conn, compiled.tables, compiled.kept)
        self.stream = Stream("unused")
        self.enforcement = Enforcement.ALL
        self._ids: dict[str, list[str]] = {}
        blueprint = compiled.blueprint.blueprint
        self.about = DrawContext(
            self.stream, values.find_locale(blueprint.locale), {}, "", 0, "", currency=blueprint.currency
        )

    def begin(self) -> None:
        """Rows in hand stay in hand from one event to the next: nobody else writes here."""
        self.wrote = False

    def forget(self) -> None:
        """Forget everything in hand: after a rollback, or a write that went past the verbs, nothing of it can be believed."""
        self._cache.clear()
        self._ids.clear()
        self.wrote = False

    def list_ids(self, entity: str) -> list[str]:
        """List every id of a table, in order."""
        found = self._ids.get(entity)
        if found is None:
            found = self._ids[entity] = [r[0] for r in self.fetch(f'SELECT id FROM "{entity}" ORDER BY id', ())]
        return found

    def add(self, name: str, values: Mapping[str, Any]) -> Row:
        self._ids.pop(name, None)
        return super().add(name, values)

    def remove(self, row: Row) -> None:
        self._ids.pop(row.entity, None)
        super().remove(row)

    def set_time(self, moment: str) -> None:
        self.now, self.today = moment, moment[:10]

    def tell(
        self, so_far: Mapping[str, str] = MappingProxyType({}), field: str = "", serial: int = 0, topic: str = ""
    ) -> None:
        """Tell what texts are drawn for from now on: a field of a base row, with what the row has already; or nothing."""
        self.about = self.about._replace(so_far=so_far, field=field, serial=serial, topic=topic)

    def draw(self, node: Draw, args: Sequence[Any]) -> Any:
        if node.name == "text_of":
            return values.sample(args[0], self.about._replace(stream=self.stream), *args[1:])
        return draw(self.stream, node, args)

    def choose(self, kind: str, rows: Sequence[Any]) -> Any:
        if not rows:
            return None
        return self.stream.favourite(rows) if kind == "favourite" else self.stream.pick(rows)


def draw(stream: Stream, node: Draw, args: Sequence[Any]) -> Any:
    """A random value of the node's type."""
    if any(a is None for a in args):
        return None
    match node.name:
        case "pick":
            return stream.below(args[0])
        case "chance":
            return stream.uniform() < args[0] / 1_000_000
        case "digits":
            return "".join(str(stream.below(10)) for _ in range(min(args[0], 30)))
        case "letters":
            return "".join(stream.pick(_LETTERS) for _ in range(min(args[0], 30)))
        case "text_like":
            return sample_match(args[0], stream)
        case "lognormal":
            return _tidy(int(stream.lognormal(args[0], args[1] / 1_000_000) + 0.5), node)
        case "normal":
            return _tidy(int(args[0] + args[1] * stream.normal() + 0.5), node)
        case _:
            return _draw_within(stream, node, args[0], args[1])


def _tidy(value: int, node: Draw) -> int:
    """Amounts of money above a hundred end in round cents more often than not."""
    return value - value % 5 if node.type.kind == "money" and value > 10_000 else value


def _draw_within(stream: Stream, node: Draw, low: Any, high: Any) -> Any:
    choose = stream.skewed if node.name == "skewed" else stream.between
    match node.type.kind:
        case "date":
            start, span = days.parse_day(low), days.days_between(low, high)
            return None if start is None or span is None else (start + timedelta(days=choose(0, span))).isoformat()
        case "time":
            first, last = days.parse_moment(low), days.parse_moment(high)
            if first is None or last is None:
                return None
            return days.moment(first + timedelta(seconds=choose(0, int((last - first).total_seconds()))))
    return choose(low, high)
