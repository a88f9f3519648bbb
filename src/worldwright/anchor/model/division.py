"""A large set of operations divided into worlds: each grows from a central thing along references, the core of the API first.

Central is what much is done with, what others hang under and refer to, and what the API is called after. What a world refers
to and does not hold comes along with its list and one record, where records cannot do without; else it is a plain value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from worldwright.anchor.model.records import Entity
from worldwright.anchor.names import noun, parts
from worldwright.core.names import to_words

LARGEST = 100
"""Operations of one world: what models take as tools of one request (most at 128), less what comes along. Measured to build."""
SMALLEST = 20
"""Operations that a world should have at least, where there is something to put it together with."""
PARENT, NEEDED, REFERENCE = 6, 3, 2
"""How strongly a thing belongs to what it hangs under, to what it cannot be without, and to what else it refers to."""
WORTH: Mapping[str, int] = {"move": 4, "create": 3, "update": 2, "delete": 1, "list": 2, "get": 1, "other": 0}
"""How much there is to do: writes count more than reads, moves most of all."""
NAMED = 12
"""What it is worth that the API is called after a thing."""
TENANTS, TENANT_SHARE = 5, 0.4
"""How many things, and which share of all, hang under what whoever calls works in."""
MAX_GUESTS = 8
"""Things of other worlds that come along."""


@dataclass(frozen=True, slots=True)
class Part:
    """Things that make a world together, the most central first."""

    name: str
    entities: tuple[Entity, ...]


def divide(entities: Sequence[Entity], called: str = "") -> tuple[Part, ...]:
    """The worlds, the core of the API first. `called` is what the API is called."""
    entities = _with_tenants(entities)
    links = _links(entities)
    score = _scores(entities, links, noun(called))
    if _size(entities) <= LARGEST:
        return (Part(to_words(max(entities, key=lambda r: score[r.name]).name), tuple(entities)),) if entities else ()
    left = sorted(entities, key=lambda r: (-score[r.name], r.name))
    groups: list[list[Entity]] = []
    while left:
        group = _grow(left, links, score)
        names = {r.name for r in group}
        left = [r for r in left if r.name not in names]
        small = next((g for g in groups if _size(g) < SMALLEST and _size(g) + _size(group) <= LARGEST), None)
        if small is not None:
            small += group
        else:
            groups.append(group)
    by_name = {r.name: r for r in entities}
    return tuple(Part(to_words(group[0].name), (*group, *_guests(group, by_name))) for group in groups)


def _with_tenants(entities: Sequence[Entity]) -> list[Entity]:
    """With the things marked that most others hang under and that nobody lists: whoever calls works in one of each."""
    under = Counter(parent for r in entities for parent in r.parents)
    most = max(TENANTS, TENANT_SHARE * len(entities))
    return [replace(r, single=under[r.name] >= most and all(i.kind != "list" for i in r.intents)) for r in entities]


def _size(group: Sequence[Entity]) -> int:
    return sum(len(r.intents) for r in group)


def _links(entities: Sequence[Entity]) -> Counter[tuple[str, str]]:
    """By two things, how strongly the first belongs to the second."""
    known = {r.name for r in entities}
    out: Counter[tuple[str, str]] = Counter()
    for r in entities:
        for parent in r.parents:
            out[r.name, parent] += PARENT
        for a in r.attributes:
            if a.refers_to:
                out[r.name, a.refers_to] += REFERENCE if a.optional else NEEDED
    return Counter({(a, b): n for (a, b), n in out.items() if a != b and {a, b} <= known})


def _scores(
    entities: Sequence[Entity], links: Mapping[tuple[str, str], int], called: Collection[str]
) -> dict[str, int]:
    worth = {r.name: sum(WORTH[d.kind] for d in r.intents) for r in entities}
    out = {r.name: 2 * worth[r.name] + (NAMED if r.noun and r.noun[-1] in called else 0) for r in entities}
    for (own, other), strength in links.items():
        out[other] += min(strength, PARENT) + (worth[own] // 2 if strength >= PARENT else 0)
    return out


def _grow(left: Sequence[Entity], links: Mapping[tuple[str, str], int], score: Mapping[str, int]) -> list[Entity]:
    """The most central thing that is left, with what belongs to it, as far as there is room."""
    group, rest = [left[0]], list(left[1:])
    near: Counter[str] = Counter()
    while rest:
        near.update({b if a == group[-1].name else a: n for (a, b), n in links.items() if group[-1].name in (a, b)})
        room = LARGEST - _size(group)
        fitting = [r for r in rest if near[r.name] and len(r.intents) <= room]
        if not fitting:
            break
        best = max(fitting, key=lambda r: (near[r.name], score[r.name], r.name))
        group.append(best)
        rest = [r for r in rest if r is not best]
    return group


def _guests(group: Sequence[Entity], entities: Mapping[str, Entity]) -> Iterator[Entity]:
    """Things of other worlds that records of this one hang under or cannot be without, each to be looked at only.

    Of each comes the list and the one record that show most without asking for anything else."""
    inside = {r.name for r in group}
    wanted = Counter(p for r in group for p in r.parents)
    wanted.update(a.refers_to for r in group for a in r.attributes if a.refers_to and (a.given or not a.optional))
    outside = [name for name in wanted if name not in inside and name in entities]
    for name in sorted(outside, key=lambda n: (-wanted[n], n))[:MAX_GUESTS]:
        plain = sorted((i for i in entities[name].intents if not i.part), key=lambda i: len(i.under))
        lists, gets = [i for i in plain if i.kind == "list"], [i for i in plain if i.kind == "get" and i.by]
        yield replace(entities[name], intents=(*lists[:1], *gets[:1]), parents=())


# a part that somebody asks for


def focus_on(entities: Sequence[Entity], focus: Sequence[str]) -> tuple[Entity, ...]:
    """The things that are asked for by a word of their name, a tag or the beginning of a path, and what they stand on."""
    wanted = {r.name for r in entities if any(_is_named(r, word) for word in focus)}
    by_name = {r.name: r for r in entities}
    for name in tuple(wanted):
        r = by_name[name]
        wanted |= {*r.parents, *(a.refers_to for a in r.attributes if a.refers_to and not a.optional)}
    return tuple(r for r in entities if r.name in wanted)


def _is_named(r: Entity, word: str) -> bool:
    if word.startswith("/"):
        return any(d.operation.path.startswith(word) for d in r.intents)
    own = {tuple(parts(word)), noun(word)}
    tags = {noun(tag) for d in r.intents for tag in d.operation.tags}
    return bool(own & {r.noun, r.noun[-1:], *tags}) or any(d.operation.name == word for d in r.intents)
