"""What a walker has seen: rows and values out of results, and which calls showed them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, TypeAlias

from worldwright.blueprint.toolgraph import Shape
from worldwright.core.ids import prefix_of
from worldwright.kinds.database.compile.graph.plan import Plan

MAX_VALUES = 8
"""Values remembered under one name."""
MAX_CONSIDERED = 32
"""Rows of one entity that are thought of for an input."""

Words: TypeAlias = tuple[tuple[str, tuple[str, ...]], ...]
"""Columns with the words that will do."""


@dataclass(slots=True)
class SeenRow:
    """One row."""

    id: str
    record: dict[str, Any] = field(default_factory=dict)
    """Its columns as last shown."""
    told: dict[str, int] = field(default_factory=dict)
    """By column, the call that showed it."""
    shown: dict[str, int] = field(default_factory=dict)
    """Tools that showed its id to somebody who had not sent it, with the number of the latest such call."""
    latest: int = 0
    """The number of the call that last had to do with it."""
    ours: bool = False
    """Whether this walk made it or changed it."""


News: TypeAlias = Callable[[SeenRow], bool]
"""Whether giving a row would prove something that is not proven yet."""


class Pool:
    """Everything seen in a walk. Rows are in the order in which calls last had to do with them."""

    def __init__(self, plan: Plan) -> None:
        self._prefixes = plan.prefixes
        self.rows: dict[str, dict[str, SeenRow]] = {}
        self.links: dict[str, dict[str, None]] = {}
        """Ids that stand in one record with an id, as the record's own or as a reference."""
        self.values: dict[str, dict[Any, int]] = {}
        """By field name, plain values with the call that showed them, the newest last."""
        self.latest: dict[str, int] = {}
        """By entity, the latest call that showed an id."""
        self.newest: dict[str, int] = {}
        """By field name, the latest call that showed a value."""
        self.now = ""
        self._nothing: Mapping[str, Any] = {}

    # what conditions ask

    @property
    def today(self) -> str:
        return self.now[:10]

    def record(self, entity: str, key: str) -> Mapping[str, Any]:
        found = self.rows.get(entity, {}).get(key)
        return self._nothing if found is None else found.record

    def children(self, entity: str, column: str, key: str) -> Iterator[str]:
        rows = self.rows.get(entity, {})
        return (other for other in self.links.get(key, ()) if other in rows and rows[other].record.get(column) == key)

    # learning

    def expect(self, entity: str, key: str, **known: Any) -> None:
        """Note something known beforehand of a row whose id nobody has shown yet."""
        self._row(entity, key).record.update(known)

    def _row(self, entity: str, key: str) -> SeenRow:
        rows = self.rows.setdefault(entity, {})
        found = rows.get(key)
        if found is None:
            found = rows[key] = SeenRow(key)
        return found

    def forget_changed(self, key: str, sets: Mapping[str, tuple[str, ...]]) -> None:
        """Forget what a write that was given a row may have changed there, and in rows that belong to it."""
        for entity, columns in sets.items():
            rows = self.rows.get(entity, {})
            if key in rows:
                rows[key].ours = True
            for other in (key, *self.links.get(key, ())):
                if other in rows:
                    for column in columns:
                        rows[other].record.pop(column, None)

    def learn(self, shape: Shape, data: Any, tool: str, call: int, sent: Collection[str], write: bool) -> None:
        """Take in a result. What the caller sent was not shown to it."""
        for part, found in _objects(shape, data):
            key = found.get("id") if part.entity else None
            for name, entities in part.refs:
                value = found.get(name)
                if isinstance(value, str):
                    entity = entities[0] if len(entities) == 1 else self._entity(value, entities)
                    if entity:
                        self._note(entity, value, tool, call, sent, write and value == key)
                        if key is not None and value != key:
                            self._link(key, value)
            if key is not None:
                seen = self.rows[part.entity][key]
                seen.record.update((name, found[name]) for name in part.own if name in found)
                seen.told.update(dict.fromkeys(part.own, call))
                self._learn_embedded(part, found, key, call)
            for name in part.plain:
                value = found.get(name)
                if value is not None:
                    self._keep(name, value, call)

    def _learn_embedded(self, part: Shape, found: Mapping[str, Any], key: str, call: int) -> None:
        """Learn a record that stands where its id would: the id is known all the same."""
        for name, inner in part.parts:
            value = found.get(name)
            if inner.entity and isinstance(value, Mapping):
                seen = self.rows[part.entity][key]
                seen.record[name], seen.told[name] = value["id"], call
                self._link(key, value["id"])

    def _link(self, one: str, other: str) -> None:
        self.links.setdefault(one, {})[other] = None
        self.links.setdefault(other, {})[one] = None

    def _entity(self, value: str, entities: tuple[str, ...]) -> str:
        """The entity of a value that may be an id of several, or no id at all."""
        found = self._prefixes.get(prefix_of(value), "")
        return found if found in entities else ""

    def _note(self, entity: str, key: str, tool: str, call: int, sent: Collection[str], made: bool) -> None:
        rows = self.rows.setdefault(entity, {})
        seen = rows[key] = rows.pop(key) if key in rows else SeenRow(key)
        if key not in sent:
            seen.ours = seen.ours or (made and not seen.shown)
            seen.shown[tool] = self.latest[entity] = call
        seen.latest = call

    def _keep(self, name: str, value: Any, call: int) -> None:
        kept = self.values.setdefault(name, {})
        kept.pop(value, None)
        kept[value] = self.newest[name] = call
        if len(kept) > MAX_VALUES:
            del kept[next(iter(kept))]

    # asking

    def candidates(self, entity: str, most: int, words: Words = (), news: News | None = None) -> list[SeenRow]:
        """Rows whose ids were shown, of the latest. Where there are too many, those in a state that will do come first, those
        of which there is news, and those that this walk made or changed."""
        rows = list(islice((s for s in reversed(self.rows.get(entity, {}).values()) if s.shown), MAX_CONSIDERED))
        if len(rows) <= most:
            return rows

        def worth(s: SeenRow) -> int:
            return (
                (4 if all(s.record.get(column) in good for column, good in words) else 0)
                + (2 if news is not None and news(s) else 0)
                + s.ours
            )

        rows.sort(key=worth, reverse=True)
        return rows[:most]

    def measure_nearness(self, key: str, others: Collection[str]) -> int:
        """Measure how near a row is to those already chosen: 2 in one record with one, 1 by way of a third row, 0 otherwise."""
        links = self.links.get(key)
        if links is None:
            return 0
        if any(other in links for other in others):
            return 2
        return int(any(not links.keys().isdisjoint(self.links.get(other, ())) for other in others))


def _objects(shape: Shape, data: Any) -> Iterator[tuple[Shape, Mapping[str, Any]]]:
    """The objects of a result with what is known of each."""
    if isinstance(data, list):
        for item in data:
            yield from _objects(shape, item)
    elif isinstance(data, Mapping):
        yield shape, data
        for name, part in shape.parts:
            yield from _objects(part, data.get(name))
