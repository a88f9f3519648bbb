"""What a verdict asks of an episode, whoever wrote it down: a key, or a file that a person reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from worldwright.blueprint.expr.evaluate import Run
from worldwright.blueprint.types import Type
from worldwright.kinds.database.known_names import NameIndex
from worldwright.kinds.database.unit_of_work import Change, UnitOfWork
from worldwright.kinds.database.verify.patterns import Accepted, Pattern

NO_NAMES = NameIndex()


@dataclass(frozen=True, slots=True)
class Episode:
    """What a verdict is about."""

    changes: Sequence[Change]
    uow: UnitOfWork
    """The state at the end."""
    span: tuple[str, str]
    """The first and the last moment."""
    broken: tuple[str, ...]
    """Handbook rules broken on the way."""
    answer: Any
    submitted: bool
    names: NameIndex = NO_NAMES
    """The names that the world knew at the start."""
    said: frozenset[str] | None = None
    """The texts that its calls gave. What the world wrote of itself is no claim of the agent; None where nobody kept them."""


@dataclass(frozen=True, slots=True)
class RowAt:
    """A row of the final state: a certain one, or whatever a pattern of this label was found to stand for."""

    table: str
    id: str = ""
    label: str = ""
    many: bool = False
    """One row or more."""


@dataclass(frozen=True, slots=True)
class Names:
    """What the names of an expression stand for."""

    rows: Mapping[str, RowAt] = field(default_factory=dict)
    said: Mapping[str, Any] = field(default_factory=dict)
    """In storage form."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A condition on the final state. Those of one name make one assertion."""

    name: str
    names: Names
    holds: Run


@dataclass(frozen=True, slots=True)
class Stated:
    """A fact that a text must state."""

    names: Names
    text: Run
    fact: Run
    """As people write it."""
    kind: Type
    role: tuple[str, ...] = ()
    """The words for what the fact is."""


@dataclass(frozen=True, slots=True)
class Reported:
    """One part of the answer."""

    name: str
    kind: Type | None
    """How it is compared; None for ids in any order."""
    value: Any = None
    """What it must say, as people write it."""
    names: Names | None = None
    works_out: Run | None = None
    """In place of `value`: what it must say follows from the final state."""


@dataclass(frozen=True, slots=True)
class Specification:
    """Goal, frame, rules and answer of one task."""

    goals: tuple[Wanted, ...] = ()
    texts: tuple[Stated, ...] = ()
    accepts: tuple[Accepted, ...] = ((),)
    """End states, tried in turn."""
    framed: bool = True
    """Whether nothing else may have changed."""
    rules: tuple[str, ...] = ()
    """Handbook rules that this task is about."""
    no_others: bool = True
    """Whether every other rule of the handbook must be kept too."""
    answers: tuple[Reported, ...] = ()
    request: str | None = None
    """What was said to the agent, where texts are open: they may say what is true, and what was said. None where texts are not
    looked at."""


def sort_patterns(patterns: Iterable[Pattern]) -> Accepted:
    """Sort an end state in the one order in which it is judged and told, however it was written down."""
    return tuple(sorted(patterns, key=lambda p: (p.table, p.op, p.id, p.label)))
