"""Parts: a large set of actions divided into worlds of a workable size, each about things that belong together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from worldwright.anchor.model.records import Entity
from worldwright.anchor.names import noun, parts
from worldwright.core.communities import partition
from worldwright.core.names import words

MAX_PART_OPERATIONS = 40
"""Actions of one world."""
MIN_PART_OPERATIONS = 20
"""Actions that a part should have at least, where there are others to put it together with."""
PARENT, REFERENCE = 6, 2
"""How strongly a thing belongs to what it hangs under, and to what it refers to."""


@dataclass(frozen=True, slots=True)
class Part:
    """Things that make a world together, the most central first."""

    name: str
    entities: tuple[Entity, ...]

    @property
    def operations(self) -> int:
        return sum(len(r.intents) for r in self.entities)


def divide(entities: Sequence[Entity], largest: int = MAX_PART_OPERATIONS) -> tuple[Part, ...]:
    """The parts, the one with most to do in it first."""
    if sum(len(r.intents) for r in entities) <= largest:
        return (_part(entities),)
    by_name = {r.name: r for r in entities}
    links: dict[tuple[str, str], int] = {}
    for r in entities:
        for other, weight in (
            *((p, PARENT) for p in r.parents),
            *((a.refers_to, REFERENCE) for a in r.attributes if a.refers_to),
        ):
            if other in by_name and other != r.name:
                pair = (min(r.name, other), max(r.name, other))
                links[pair] = links.get(pair, 0) + weight
    groups = [list(group) for group in partition(tuple(by_name), links, max(2, largest // 3))]
    packed = _packed([[by_name[n] for n in group] for group in groups], largest)
    return tuple(sorted(map(_part, packed), key=lambda part: (-_business(part), part.name)))


def focus_on(entities: Sequence[Entity], focus: Sequence[str]) -> tuple[Entity, ...]:
    """The things that are asked for by a word of their name, a tag or the beginning of a path, and what they stand on."""
    wanted = {r.name for r in entities if any(_asked(r, word) for word in focus)}
    by_name = {r.name: r for r in entities}
    for name in tuple(wanted):
        r = by_name[name]
        wanted |= {*r.parents, *(a.refers_to for a in r.attributes if a.refers_to and not a.optional)}
    return tuple(r for r in entities if r.name in wanted)


def _asked(r: Entity, word: str) -> bool:
    if word.startswith("/"):
        return any(d.operation.path.startswith(word) for d in r.intents)
    own = {tuple(parts(word)), noun(word)}
    tags = {noun(tag) for d in r.intents for tag in d.operation.tags}
    return bool(own & {r.noun, r.noun[-1:], *tags}) or any(d.operation.name == word for d in r.intents)


def _packed(groups: list[list[Entity]], largest: int) -> list[list[Entity]]:
    """Groups that are too small for a world of their own put together, in order; those that are too large cut."""
    out: list[list[Entity]] = []
    for group in sorted(groups, key=_size, reverse=True):
        rest = group
        while _size(rest) > largest:
            head: list[Entity] = []
            while rest and (not head or _size(head) + _size(rest[:1]) <= largest):
                head.append(rest[0])
                rest = rest[1:]
            out.append(head)
        if not rest:
            continue
        small = next((g for g in out if _size(g) < MIN_PART_OPERATIONS and _size(g) + _size(rest) <= largest), None)
        if small is not None:
            small += rest
        else:
            out.append(list(rest))
    return out


def _size(group: Sequence[Entity]) -> int:
    return sum(len(r.intents) for r in group)


def _business(part: Part) -> int:
    """How much there is to do: writes count more than reads, moves most of all."""
    worth = {"move": 4, "create": 3, "update": 2, "delete": 1, "list": 2, "get": 1, "other": 0}
    return sum(worth[d.kind] for r in part.entities for d in r.intents)


def _part(entities: Sequence[Entity]) -> Part:
    centre = max(entities, key=lambda r: (len(r.intents), sum(r.name in o.parents for o in entities)), default=None)
    return Part(words(centre.name) if centre is not None else "", tuple(entities))
