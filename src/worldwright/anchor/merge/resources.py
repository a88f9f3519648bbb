"""Which things of different inputs are one: by their names, else by what is kept of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from worldwright.anchor.evidence import Field, Resource, Shape, Source
from worldwright.anchor.intake.dispatch import ReadInput
from worldwright.anchor.names import noun, parts
from worldwright.english.nouns import singular
from worldwright.english.words import wordset

RANK = ("openapi", "mcp", "sql", "code", "data", "documents")
"""Whose word counts on how a value looks. Keys and references are believed of whoever states them."""
FORMS = wordset(
    "dto model schema response request resource entity record object vo view details detail summary base in out read "
    "write create update tbl table dim fact master mst info"
)
"""Words of a name that say in which form a thing is meant."""
UNITS: Mapping[str, str] = {
    **dict.fromkeys(("cents", "cent", "minor", "pence"), "cents"),
    **dict.fromkeys(("minutes", "mins", "min"), "minutes"),
    **dict.fromkeys(("hours", "hrs"), "hours"),
    **dict.fromkeys(("seconds", "secs", "ms", "millis"), "seconds"),
    **dict.fromkeys(("days",), "days"),
    **dict.fromkeys(("percent", "pct", "percentage"), "percent"),
    **dict.fromkeys(("kg", "grams", "lbs", "lb", "oz"), "weight"),
}
"""Last words of a name that say in what it is measured."""
ALIKE, FEWEST = 0.6, 4
"""Share of fields, and how many, that two things under different names must have in common to be one."""
EVERYWHERE = frozenset({"id", "name", "created", "updated", "at", "date", "status", "type", "description", "notes"})

Place = tuple[int, str]
"""The number of an input, and the name of a thing in it."""


@dataclass(frozen=True, slots=True)
class _Member:
    place: Place
    resource: Resource
    kind: str
    label: str


def merge_resources(reads: Sequence[ReadInput]) -> tuple[tuple[Resource, ...], dict[Place, str], tuple[Decision, ...]]:
    """The things, the name that each has now, and what was decided."""
    groups: list[list[_Member]] = []
    index: dict[tuple[str, ...], int] = {}
    decisions: list[Decision] = []
    numbered = sorted(enumerate(reads), key=lambda pair: RANK.index(pair[1].kind))
    for number, read in numbered:
        prefix = _prefix(read.evidence.resources)
        own: set[int] = set()
        for resource in read.evidence.resources:
            member = _Member((number, resource.name), resource, read.kind, read.label)
            name = called(resource.name, prefix)
            exact = noun(resource.name)
            at = index.get(exact, index.get(name))
            if at is None or at in own:
                at, why = _by_fields(resource, groups, own)
                if why:
                    decisions.append(_merge_members(groups[at or 0][0], member, why))
            if at is None or at in own:
                at = len(groups)
                groups.append([])
            elif groups[at][0].resource.name != resource.name and name in index:
                decisions.append(_merge_members(groups[at][0], member, "the names are the same words"))
            index.setdefault(exact, at)
            index.setdefault(name, at)
            groups[at].append(member)
            own.add(at)
    names = {m.place: group[0].resource.name for group in groups for m in group}
    out = [_merged(group, names, decisions) for group in groups]
    return tuple(out), names, tuple(decisions)


def _merge_members(first: _Member, second: _Member, why: str) -> Decision:
    sources = tuple(s for s in (first.resource.source, second.resource.source) if s is not None)
    return Decision(
        f"thing {first.resource.name}", first.resource.name, f"one thing: {why}", second.resource.name, sources
    )


def _prefix(resources: Sequence[Resource]) -> int:
    """Words that nearly all names of an input begin with: `ps_`, `hr_`."""
    names = [parts(t.name) for t in resources]
    k = 0
    while len(names) >= 4:
        starts = Counter(n[k] for n in names if len(n) > k + 1)
        if not starts or starts.most_common(1)[0][1] < 0.8 * len(names):
            break
        k += 1
    return k


def called(name: str, prefix: int = 0) -> tuple[str, ...]:
    """Return what a thing is called, whatever form of it a name means."""
    words = noun(name)[prefix:] or noun(name)
    plain = tuple(w for w in words if w not in FORMS) or words
    return (*plain[:-1], singular(plain[-1])) if plain else (name,)


def _by_fields(resource: Resource, groups: Sequence[Sequence[_Member]], own: set[int]) -> tuple[int | None, str]:
    """The group that keeps the same of its things, if one clearly does."""
    mine = {parts(f.name) for f in resource.fields}
    telling = {f for f in mine if not set(f) <= EVERYWHERE}
    best: tuple[float, int] | None = None
    for at, group in enumerate(groups):
        if at in own:
            continue
        theirs = {parts(f.name) for f in group[0].resource.fields}
        both = telling & theirs
        share = len(mine & theirs) / max(1, min(len(mine), len(theirs)))
        if len(both) >= FEWEST and share >= ALIKE and (best is None or share > best[0]):
            best = (share, at)
    if best is None:
        return None, ""
    theirs = {parts(f.name) for f in groups[best[1]][0].resource.fields}
    return best[1], f"{len(mine & theirs)} of {min(len(mine), len(theirs))} fields are the same"


def _merged(group: Sequence[_Member], names: Mapping[Place, str], decisions: list[Decision]) -> Resource:
    first = group[0].resource
    fields: dict[tuple[str, ...], tuple[Field, str]] = {}
    for member in group:
        alike = Counter(_value(f.name) for f in member.resource.fields)
        for found in member.resource.fields:
            target = names.get((member.place[0], found.refers_to), found.refers_to)
            one = replace(found, refers_to=target)
            key = _value(found.name) if alike[_value(found.name)] == 1 else parts(found.name) or (found.name,)
            if key in fields:
                fields[key] = (_field(first.name, fields[key], (one, member.label), decisions), fields[key][1])
            else:
                fields[key] = (one, member.label)
    return replace(
        first,
        fields=tuple(f for f, _ in fields.values()),
        key=next((m.resource.key for m in group if m.resource.key), ()),
        unique=tuple(dict.fromkeys(u for m in group for u in m.resource.unique)),
        checks=tuple(dict.fromkeys(c for m in group for c in m.resource.checks)),
        says=next((m.resource.says for m in group if m.resource.says), ""),
    )


def _value(name: str) -> tuple[str, ...]:
    """The words of a field without its unit."""
    words = parts(name)
    return words[:-1] if len(words) > 1 and words[-1] in UNITS else words or (name,)


def _unit(name: str) -> str:
    words = parts(name)
    return UNITS.get(words[-1], "") if len(words) > 1 else ""


def _field(resource: str, kept: tuple[Field, str], other: tuple[Field, str], decisions: list[Decision]) -> Field:
    (mine, whose), (theirs, label) = kept, other
    about = f"field {resource}.{mine.name}"
    sources = tuple(s for s in (mine.source, theirs.source) if isinstance(s, Source))

    def decide(chose: Any, over: Any, why: str) -> None:
        decisions.append(Decision(about, str(chose), why, str(over), sources))

    if _unit(mine.name) != _unit(theirs.name):
        decide(mine.name, theirs.name, f"measured in different units; {whose} says how tools write it")
    elif mine.shape.kind != theirs.shape.kind and "any" not in (mine.shape.kind, theirs.shape.kind):
        decide(mine.shape.kind, theirs.shape.kind, f"{whose} says how tools write it")
    if mine.shape.enum and theirs.shape.enum and set(mine.shape.enum) != set(theirs.shape.enum):
        decide(
            ", ".join(map(str, mine.shape.enum)), ", ".join(map(str, theirs.shape.enum)), f"the words of {whose} count"
        )
    if mine.refers_to and theirs.refers_to and mine.refers_to != theirs.refers_to:
        decide(mine.refers_to, theirs.refers_to, f"{whose} is the nearer source than {label}")
    return replace(
        mine,
        shape=_shape(mine.shape, theirs.shape),
        key=mine.key or theirs.key,
        unique=mine.unique or theirs.unique,
        refers_to=mine.refers_to or theirs.refers_to,
        refers_by=mine.refers_by or (theirs.refers_by if not mine.refers_to else ""),
        says=mine.says or theirs.says,
    )


def _shape(mine: Shape, theirs: Shape) -> Shape:
    """The first shape, with what only the second knows."""
    if mine.kind != theirs.kind:
        return mine if mine.kind != "any" else theirs
    return replace(
        mine,
        enum=mine.enum or theirs.enum,
        format=mine.format or theirs.format,
        minimum=mine.minimum if mine.minimum is not None else theirs.minimum,
        maximum=mine.maximum if mine.maximum is not None else theirs.maximum,
        longest=mine.longest if mine.longest is not None else theirs.longest,
        examples=mine.examples or theirs.examples,
    )


# What was decided where inputs could be understood in more than one way. Records only.


@dataclass(frozen=True, slots=True)
class Decision:
    """One choice, and why it was made."""

    about: str
    """`thing vendor`, `field order.total`, `operation create_order`"""
    chose: str
    why: str
    over: str = ""
    """What was not chosen; empty where nothing stood against it."""
    sources: tuple[Source, ...] = ()
    """Of what was chosen, then of the rest."""
