"""What is certain at one point of an operation: what names stand for, and what fields of rows hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from worldwright.blueprint.expr import nodes as n

Words: TypeAlias = frozenset[str | int | bool | None]
Hop: TypeAlias = tuple[str, str]
"""An entity and one of its fields; no entity for a part of a list input's element."""

ALL = "*"
"""In place of a field: every field of the entity, because the row may be gone."""


@dataclass(frozen=True, slots=True)
class AccessPath:
    """Something that a value can be read from: what a name was bound to, and the fields followed from there."""

    root: str
    hops: tuple[Hop, ...] = ()

    def follow(self, entity: str, name: str) -> AccessPath:
        return AccessPath(self.root, (*self.hops, (entity, name)))


@dataclass(frozen=True, slots=True)
class Known:
    """What is certain at one point of an operation."""

    names: Mapping[str, AccessPath] = field(default_factory=dict)
    facts: Mapping[AccessPath, Words] = field(default_factory=dict)
    """The words that a place can hold; none among them where there may be no row or no value."""
    there: frozenset[AccessPath] = frozenset()
    """Places that certainly hold something."""
    absent: frozenset[AccessPath] = frozenset()
    """Places that certainly hold nothing."""
    looked_up: Mapping[n.Node, AccessPath] = field(default_factory=dict)
    """Rows that were looked up, by the expression that did. Any write may make it another row, so none outlives one."""

    def list_words(self, place: AccessPath) -> Words | None:
        """List what a place can hold, where something is known: a field of a row that is not there is none."""
        found = self.facts.get(place)
        if found is None and any(
            AccessPath(place.root, place.hops[:i]) in self.absent for i in range(len(place.hops) + 1)
        ):
            return frozenset([None])
        return found

    def bind(self, name: str, place: AccessPath) -> Known:
        known = self.unbind((name,))
        return replace(known, names={**known.names, name: place})

    def unbind(self, names: Iterable[str]) -> Known:
        gone = frozenset(names)
        return replace(
            self,
            names={k: v for k, v in self.names.items() if k not in gone},
            looked_up={k: v for k, v in self.looked_up.items() if not gone & n.free_names(k)},
        )

    def with_fact(self, place: AccessPath, words: Words) -> Known:
        return replace(self, facts={**self.facts, place: words})

    def forget_written(self, written: frozenset[Hop]) -> Known:
        """Forget what these fields of any rows held, once they may have changed. A name read through one keeps the old value."""

        def stands(place: AccessPath) -> bool:
            return not any(hop in written or (hop[0], ALL) in written for hop in place.hops)

        return Known(
            {k: v for k, v in self.names.items() if stands(v)},
            {k: v for k, v in self.facts.items() if stands(k)},
            frozenset(p for p in self.there if stands(p)),
            frozenset(p for p in self.absent if stands(p)),
        )


def join_known(ways: Iterable[Known | None]) -> Known | None:
    """Return what is certain whichever way was taken; None where no way can be."""
    possible = [w for w in ways if w is not None]
    if not possible:
        return None
    first, *others = possible
    facts: dict[AccessPath, Words] = {}
    for place in dict.fromkeys(p for w in possible for p in w.facts):
        held = [w.list_words(place) for w in possible]
        words = [h for h in held if h is not None]
        if len(words) == len(held):
            facts[place] = words[0].union(*words[1:])
    return Known(
        {k: v for k, v in first.names.items() if all(o.names.get(k) == v for o in others)},
        facts,
        first.there.intersection(*(o.there for o in others)),
        first.absent.intersection(*(o.absent for o in others)),
        {k: v for k, v in first.looked_up.items() if all(o.looked_up.get(k) == v for o in others)},
    )
