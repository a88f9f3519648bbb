"""Parts: a large set of actions divided into worlds of a workable size, each about things that belong together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from worldwright.anchor.model.records import Resource
from worldwright.anchor.names import noun, parts
from worldwright.core.communities import partition
from worldwright.core.names import words

LARGEST = 40
"""Actions of one world."""
WORTH = 20
"""Actions that a part should have at least, where there are others to put it together with."""
PARENT, REFERENCE = 6, 2
"""How strongly a thing belongs to what it hangs under, and to what it refers to."""


@dataclass(frozen=True, slots=True)
class Part:
    """Things that make a world together, the most central first."""

    name: str
    resources: tuple[Resource, ...]

    @property
    def actions(self) -> int:
        return sum(len(r.deeds) for r in self.resources)


def divided(resources: Sequence[Resource], largest: int = LARGEST) -> tuple[Part, ...]:
    """The parts, the one with most to do in it first."""
    if sum(len(r.deeds) for r in resources) <= largest:
        return (_part(resources),)
    by_name = {r.name: r for r in resources}
    links: dict[tuple[str, str], int] = {}
    for r in resources:
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


def focused(resources: Sequence[Resource], focus: Sequence[str]) -> tuple[Resource, ...]:
    """The things that are asked for by a word of their name, a tag or the beginning of a path, and what they stand on."""
    wanted = {r.name for r in resources if any(_asked(r, word) for word in focus)}
    by_name = {r.name: r for r in resources}
    for name in tuple(wanted):
        r = by_name[name]
        wanted |= {*r.parents, *(a.refers_to for a in r.attributes if a.refers_to and not a.optional)}
    return tuple(r for r in resources if r.name in wanted)


def _asked(r: Resource, word: str) -> bool:
    if word.startswith("/"):
        return any(d.action.path.startswith(word) for d in r.deeds)
    own = {tuple(parts(word)), noun(word)}
    tags = {noun(tag) for d in r.deeds for tag in d.action.tags}
    return bool(own & {r.noun, r.noun[-1:], *tags}) or any(d.action.name == word for d in r.deeds)


def _packed(groups: list[list[Resource]], largest: int) -> list[list[Resource]]:
    """Groups that are too small for a world of their own put together, in order; those that are too large cut."""
    out: list[list[Resource]] = []
    for group in sorted(groups, key=_size, reverse=True):
        rest = group
        while _size(rest) > largest:
            head: list[Resource] = []
            while rest and (not head or _size(head) + _size(rest[:1]) <= largest):
                head.append(rest[0])
                rest = rest[1:]
            out.append(head)
        if not rest:
            continue
        small = next((g for g in out if _size(g) < WORTH and _size(g) + _size(rest) <= largest), None)
        if small is not None:
            small += rest
        else:
            out.append(list(rest))
    return out


def _size(group: Sequence[Resource]) -> int:
    return sum(len(r.deeds) for r in group)


def _business(part: Part) -> int:
    """How much there is to do: writes count more than reads, moves most of all."""
    worth = {"move": 4, "create": 3, "update": 2, "delete": 1, "list": 2, "get": 1, "other": 0}
    return sum(worth[d.kind] for r in part.resources for d in r.deeds)


def _part(resources: Sequence[Resource]) -> Part:
    centre = max(resources, key=lambda r: (len(r.deeds), sum(r.name in o.parents for o in resources)), default=None)
    return Part(words(centre.name) if centre is not None else "", tuple(resources))
