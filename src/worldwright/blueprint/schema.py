"""Entities with everything resolved: columns, references, ways back, lifecycles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from worldwright.blueprint.types import Type
from worldwright.core.ids import KeyFormat


@dataclass(frozen=True, slots=True)
class Shown:
    """How records show a value: in a way that another field of the row names, or as a code."""

    by: str = ""
    ways: Mapping[str, str] = field(default_factory=dict)
    codes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    type: Type
    optional: bool = False
    flavour: str = ""
    """The semantic text kind (`person`, `email`, ...) where there is one."""
    weights: tuple[float, ...] = ()
    """How often base rows have each word of an enum."""
    currency: str = ""
    """The field of the same row that names the currency."""
    source: str = "given"
    """given, kept or computed"""
    state: bool = False
    sort: str = "content"
    """How two states are compared on it: identity content time sequence derived log text."""
    says: str = ""
    shown: Shown | None = None
    """How records show it, where that is not how it is kept."""
    hidden: bool = False
    """Whether records leave it out."""

    @property
    def stored(self) -> bool:
        return self.source != "computed"


@dataclass(frozen=True, slots=True)
class Way:
    """A way back: `purchase_order.lines` are the rows of `line` whose `po` is this one."""

    entity: str
    column: str


@dataclass(frozen=True)
class Entity:
    name: str
    system: str
    key: KeyFormat
    rows: int
    columns: Mapping[str, Column]
    """Every field in order, without the id."""
    ways: Mapping[str, Way]
    lifecycle: Mapping[str, tuple[str, ...]]
    state_field: str = ""
    unique: tuple[tuple[str, ...], ...] = ()
    log: bool = False
    """Rows are only ever added to it."""
    trail: bool = False
    """A log whose rows only say what an operation did besides: states are not compared on them."""
    says: str = ""
    origin: str = ""
    seeds: tuple[Mapping[str, Any], ...] = ()
    """Its first base rows as far as they are given, in storage form."""

    @cached_property
    def stored(self) -> tuple[Column, ...]:
        return tuple(c for c in self.columns.values() if c.stored)

    @cached_property
    def refs(self) -> tuple[Column, ...]:
        return tuple(c for c in self.columns.values() if c.type.kind == "ref" and c.stored)


@dataclass(frozen=True, slots=True)
class Schema:
    entities: Mapping[str, Entity]
    actor: str = ""
    """The entity of callers."""
    role_field: str = ""
    roles: tuple[str, ...] = ()
    rounding: str = "half_up"
    currency: str = "USD"
    now: str = ""
    holidays: frozenset[str] = field(default_factory=frozenset)
    beside: Mapping[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    """By reference (entity, column), what invariants read of all rows that share it."""
