"""Referring to rows the way people do: by the smallest description that means one row and no other."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.expr.evaluate import Frame, format_value
from worldwright.blueprint.types import Type
from worldwright.core import days
from worldwright.core.names import to_words
from worldwright.kinds.database.compile.tasks.sandbox import Sandbox

_WORDS = re.compile(r"\w+")

NOT_UNIQUE = "not unique"
UNSHOWN = "no tool shows by what the request tells a record from the others"
"""Why something is no task: what it is about cannot be called so that it alone is meant, or so that somebody finds it."""

Asked = tuple[str, str]
"""The role and the person who is asked for something."""
TellsApart = Callable[[Asked, str, str, n.Format], bool]
Fact = tuple[tuple[str, ...], Any]
"""A path of fields from the row, and what is there, in storage form."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A row as an instruction speaks of it."""

    entity: str
    id: str
    text: str
    facts: tuple[Fact, ...]
    form: int
    """Which of the entity's ways of being called it is."""
    joins: int
    """Other tables one has to look into to find it."""
    alike: int
    """Rows of the table that share at least one of the facts: what it could be taken for."""
    kind: str
    """id, name, description or relation"""


class Describer:
    """Knows how each row is called, and which calls are unique."""

    def __init__(
        self,
        sandbox: Sandbox,
        style: str = "any",
        phrases: str = "any",
        tells_apart: TellsApart | None = None,
    ) -> None:
        self.sandbox = sandbox
        self._tells_apart = tells_apart
        """Whether who is asked, with only the tools, can tell a row of an entity by a way of calling it; None where all can."""
        self.style = style
        """How things are to be referred to, where there is a choice."""
        self.phrases = phrases
        """Which ways to ask may be used: any, seen or held_out."""
        self.unnamed = NOT_UNIQUE
        """Why the row that was asked for last has no name, where it has none."""
        self.blueprint = sandbox.compiled.blueprint
        goals = self.blueprint.goals.values()
        several = [asks for g in goals for asks in (g.asks, g.then, g.each, g.files.asks if g.files else ())]
        self._held_out = {id(asks[-1]) for asks in several if len(asks) > 1}
        self._texts: dict[tuple[str, int], dict[str, str]] = {}
        self._counts: dict[tuple[str, int], Counter[str]] = {}

    def list_ways(self, asks: Sequence[n.Format]) -> Sequence[n.Format]:
        """List the ways to ask for one thing that may be used: the last of several is held out for evaluation."""
        if self.phrases == "any" or len(asks) < 2:
            return asks
        return asks[-1:] if self.phrases == "held_out" else asks[:-1]

    def is_held_out(self, ask: n.Format) -> bool:
        return id(ask) in self._held_out

    def _name_rows(self, entity: str, form: int) -> dict[str, str]:
        """Map every row of a table to what it is called in one way."""
        key = (entity, form)
        if key not in self._texts:
            rows = self.sandbox.list_live(entity)
            evaluator, uow = self.sandbox.compiled.evaluator, self.sandbox.first_uow()
            parts = [
                p if isinstance(p, str) else (evaluator.value(p[0]), p[0].type, p[1])
                for p in self.blueprint.called[entity][form].parts
            ]
            self._texts[key] = {
                row.id: "".join(p if isinstance(p, str) else speak(p[0](uow, {"self": row}), p[1], p[2]) for p in parts)
                for row in rows
            }
            self._counts[key] = Counter(map(_fold, self._texts[key].values()))
        return self._texts[key]

    def list_names(self, entity: str, key: str) -> Iterator[tuple[n.Format, str]]:
        """Yield every way of calling a row that still counts, and what it is called so."""
        for form, way in enumerate(self.blueprint.called.get(entity, ())):
            text = self._name_rows(entity, form).get(key)
            if text is not None and UNKNOWN not in text:
                yield way, text

    def refer(self, entity: str, key: str, prefer: int = 0) -> Reference | None:
        """Return how to speak of a row so that nothing else is meant; None where no way of calling it is unique."""
        if self.style == "id":
            return Reference(entity, key, f"{name_kind(self.sandbox, entity)} {key}", (), -1, 0, 0, "id")
        forms = self.blueprint.called.get(entity, ())
        self.unnamed = NOT_UNIQUE
        found = []
        for k in range(len(forms)):
            form = (k + prefer) % len(forms)
            text = self._name_rows(entity, form).get(key)
            if text is None or self._counts[entity, form][_fold(text)] != 1 or UNKNOWN in text:
                continue
            if self._tells_apart is not None and not self._tells_apart(self._find_asked(), entity, key, forms[form]):
                self.unnamed = UNSHOWN
            else:
                found.append(self._make_reference(entity, key, form, text))
        fitting = [r for r in found if r.kind == self.style]
        return next(iter((*fitting, *sorted(found, key=lambda r: r.kind == "id"))), None)

    def _find_asked(self) -> Asked:
        """Who is asked: whoever works in the sandbox just now."""
        return self.sandbox.session.role, self.sandbox.session.actor

    def _make_reference(self, entity: str, key: str, form: int, text: str) -> Reference:
        rows = self.sandbox.opening(entity)
        mine = next(r for r in rows if r.id == key)
        uow = self.sandbox.first_uow()
        facts = []
        for part in self.blueprint.called[entity][form].parts:
            if not isinstance(part, str) and path_of(part[0]):
                frame: Frame = {"self": mine}
                facts.append((path_of(part[0]), self.sandbox.compiled.evaluator.value(part[0])(uow, frame)))
        alike = 0
        own = [(path[0], value) for path, value in facts if len(path) == 1]
        table = self.sandbox.compiled.tables[entity]
        for other in rows:
            alike += other is not mine and any(
                name in table.position and other.values[table.position[name]] == value for name, value in own
            )
        joins = len({path[:-1] for path, _ in facts if len(path) > 1})
        by_id = any(path == ("id",) for path, _ in facts)
        kind = "id" if by_id else "relation" if joins else "name" if len(facts) == 1 else "description"
        return Reference(entity, key, text, tuple(facts), form, joins, alike, kind)


def _fold(text: str) -> str:
    """A text without what readers pass over: `Rivera, Noah` is Noah Rivera."""
    return " ".join(sorted(_WORDS.findall(text.casefold())))


def name_kind(sandbox: Sandbox, entity: str) -> str:
    """Return what people call a thing of this kind."""
    return sandbox.compiled.blueprint.blueprint.entities[entity].noun or to_words(entity)


UNKNOWN = "\x00"
"""Stands where nothing is known: such a text names nothing."""


def speak(value: Any, kind: Type, spec: str) -> str:
    """Say a value as people do: dates by the name of the month."""
    if value is None:
        return UNKNOWN
    if kind.kind in ("date", "time"):
        day = days.parse_day(str(value)[:10])
        return str(value) if day is None else f"{day.day} {day:%B} {day.year}"
    if kind.kind == "enum":
        return to_words(str(value))
    return format_value(value, kind.places, kind.kind, spec)


def path_of(node: n.Node) -> tuple[str, ...]:
    """The path of fields that an expression reads from its row; empty where it is something else."""
    names: list[str] = []
    while isinstance(node, n.Field):
        names.append(node.name)
        node = node.base
    return tuple(reversed(names)) if isinstance(node, n.Var) and node.name == "self" else ()
