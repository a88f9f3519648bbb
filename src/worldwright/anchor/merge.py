"""Several inputs as one body of evidence: the same thing under two names is one, and what contradicts is settled and told.

Who is believed follows from what was read: a contract says how tools look, a schema what is kept, a document what is meant.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from worldwright.anchor.evidence import Evidence, Field, Operation, Resource, Shape, Skipped, Source, join_evidence
from worldwright.anchor.intake.dispatch import ReadInput
from worldwright.anchor.names import count_common, noun, parts
from worldwright.english.nouns import singular
from worldwright.english.words import wordmap, wordset

SAYING = ("documents", "openapi", "mcp", "code", "sql", "data")
"""Whose title and words are taken first."""


@dataclass(frozen=True, slots=True)
class Decision:
    """One choice where inputs could be understood in more than one way, and why it was made."""

    about: str
    """`thing vendor`, `field order.total`, `operation create_order`"""
    chose: str
    why: str
    over: str = ""
    """What was not chosen; empty where nothing stood against it."""
    sources: tuple[Source, ...] = ()
    """Of what was chosen, then of the rest."""


@dataclass(frozen=True, slots=True)
class Merged:
    """One body of evidence, and what was decided on the way."""

    evidence: Evidence
    decisions: tuple[Decision, ...]


def merge_reads(reads: Sequence[ReadInput]) -> Merged:
    """All that was read, as one."""
    if len(reads) == 1:
        return Merged(reads[0].evidence, ())
    resources, names, of_things = merge_resources(reads)
    operations, of_actions, left = merge_operations(reads)
    spoken = [r.evidence for r in sorted(reads, key=lambda r: SAYING.index(r.kind))]
    contract = [r.evidence for r in reads if r.kind in ("openapi", "mcp")]
    every = [r.evidence for r in reads]

    def renamed(name: str) -> tuple[Any, ...]:
        found = [(i, x) for i, e in enumerate(every) for x in getattr(e, name)]
        return tuple(replace(x, resource=names.get((i, x.resource), x.resource)) for i, x in found)

    joined = join_evidence(every)
    evidence = replace(
        joined,
        title=next((e.title for e in (*contract, *spoken) if e.title), ""),
        says=next((e.says for e in spoken if e.says), ""),
        language="",
        resources=resources,
        operations=operations,
        states=renamed("states"),
        rows=renamed("rows"),
        skipped=(*joined.skipped, *left),
    )
    return Merged(evidence, (*of_things, *of_actions))


# Operations that several inputs describe. Each is kept once, and what one description lacks comes from the other.


CONTRACTS = ("mcp", "openapi")
"""What offers tools by itself; routes in code and endpoints in documents count only where there is none of these."""
RANK = ("mcp", "openapi", "code", "documents", "sql", "data")
_PARAMETER = re.compile(r"\{[^}]*\}")


def merge_operations(
    reads: Sequence[ReadInput],
) -> tuple[tuple[Operation, ...], tuple[Decision, ...], tuple[Skipped, ...]]:
    """The operations, what was decided about those described twice, and those that were left out."""
    found = sorted((r for r in reads if r.evidence.operations), key=lambda r: RANK.index(r.kind))
    if not found:
        return (), (), ()
    kept: list[Operation] = []
    names: dict[tuple[str, ...], tuple[int, ReadInput]] = {}
    routes: dict[tuple[str, str], int] = {}
    decisions: list[Decision] = []
    left: list[Skipped] = []
    for read in found:
        offers = read.kind in CONTRACTS or found[0].kind not in CONTRACTS
        for operation in read.evidence.operations:
            at = routes.get(_route(operation)) if operation.path else None
            same, whose = names.get(_called(operation), (0, read))
            if at is None and whose is not read and not (operation.path and kept[same].path):
                at = same
            if at is not None:
                kept[at], decision = _one(kept[at], operation)
                decisions += decision
            elif offers:
                names.setdefault(_called(operation), (len(kept), read))
                if operation.path:
                    routes[_route(operation)] = len(kept)
                kept.append(operation)
            else:
                why = f"the contract ({found[0].label}) does not have it, and no tool is added to a contract"
                left.append(Skipped(f"operation {operation.name}", why, operation.source or Source(read.label)))
    return tuple(kept), tuple(decisions), tuple(left)


def _called(operation: Operation) -> tuple[str, ...]:
    *words, last = parts(operation.name) or [operation.name]
    return (*words, singular(last))


def _route(operation: Operation) -> tuple[str, str]:
    path = _PARAMETER.sub("{}", operation.path.split("?")[0]).rstrip("/").lower()
    return operation.method.upper(), path


def _one(first: Operation, second: Operation) -> tuple[Operation, list[Decision]]:
    """The first description, with what only the second has."""
    mine, theirs = ({p.name: p for p in o.parameters} for o in (first, second))
    fill = ["says", "tags", "scopes"]
    fill += ["method", "path"] if first.path or not second.path or mine.keys() == theirs.keys() else []
    gaps: dict[str, Any] = {name: getattr(first, name) or getattr(second, name) for name in fill}
    if first.answer is None and first.output_schema is None:
        gaps |= {"answer": second.answer, "output_schema": second.output_schema, "status": second.status}
    sources = tuple(s for s in (first.source, second.source) if s is not None)
    why = "described twice: the first counts, the second fills gaps"
    out = [Decision(f"operation {first.name}", str(first.source), why, str(second.source), sources)]
    for name in mine:
        if name in theirs and mine[name].required != theirs[name].required:
            kept, other = ("required", "optional") if mine[name].required else ("optional", "required")
            out.append(Decision(f"parameter {first.name}.{name}", kept, "the first description counts", other, sources))
    return replace(first, **gaps, errors={**second.errors, **first.errors}), out


# Things: which of different inputs are one, by their names, else by what is kept of them.


SHAPING = ("openapi", "mcp", "sql", "code", "data", "documents")
"""Whose word counts on how a value looks. Keys and references are believed of whoever states them."""
FORMS = wordset(
    "dto model schema response request resource entity record object vo view details detail summary base in out read "
    "write create update tbl table dim fact master mst info"
)
"""Words of a name that say in which form a thing is meant."""
UNITS: Mapping[str, str] = wordmap(
    "cents=cents cent=cents minor=cents pence=cents minutes=minutes mins=minutes min=minutes hours=hours hrs=hours "
    "seconds=seconds secs=seconds ms=seconds millis=seconds days=days percent=percent pct=percent percentage=percent "
    "kg=weight grams=weight lbs=weight lb=weight oz=weight"
)
"""Last words of a name that say in what it is measured."""
ALIKE, FEWEST = 0.6, 4
"""Share of fields, and how many, that two things under different names must have in common to be one."""
EVERYWHERE = frozenset({"id", "name", "created", "updated", "at", "date", "status", "type", "description", "notes"})

Place = tuple[int, str]
"""The number of an input, and the name of a thing in it."""


_Member = tuple[int, str, Resource]
"""The number and the label of an input, and a thing in it."""


def merge_resources(reads: Sequence[ReadInput]) -> tuple[tuple[Resource, ...], dict[Place, str], tuple[Decision, ...]]:
    """The things, the name that each has now, and what was decided."""
    groups: list[list[_Member]] = []
    index: dict[tuple[str, ...], int] = {}
    decisions: list[Decision] = []
    for number, read in sorted(enumerate(reads), key=lambda pair: SHAPING.index(pair[1].kind)):
        prefix = count_common([parts(t.name) for t in read.evidence.resources])
        own: set[int] = set()
        for resource in read.evidence.resources:
            name, exact = called(resource.name, prefix), noun(resource.name)
            at = index.get(exact, index.get(name))
            why = "the names are the same words" if name in index else ""
            if at is None or at in own:
                at, why = _by_fields(resource, groups, own)
            if at is None:
                at = len(groups)
                groups.append([])
            elif why and groups[at][0][2].name != resource.name:
                first = groups[at][0][2]
                sources = tuple(s for s in (first.source, resource.source) if s is not None)
                why = f"one thing: {why}"
                decisions.append(Decision(f"thing {first.name}", first.name, why, resource.name, sources))
            index.setdefault(exact, at)
            index.setdefault(name, at)
            groups[at].append((number, read.label, resource))
            own.add(at)
    names = {(number, one.name): group[0][2].name for group in groups for number, _, one in group}
    return tuple(_merged(group, names, decisions) for group in groups), names, tuple(decisions)


def called(name: str, prefix: int = 0) -> tuple[str, ...]:
    """Return what a thing is called, whatever form of it a name means."""
    words = noun(name)[prefix:] or (name,)
    plain = tuple(w for w in words if w not in FORMS) or words
    return (*plain[:-1], singular(plain[-1]))


def _by_fields(resource: Resource, groups: Sequence[Sequence[_Member]], own: set[int]) -> tuple[int | None, str]:
    """The group that keeps the same of its things, if one clearly does."""
    mine = {parts(f.name) for f in resource.fields}
    telling = {f for f in mine if not set(f) <= EVERYWHERE}
    best, at, why = 0.0, None, ""
    for number, group in enumerate(groups):
        theirs = {parts(f.name) for f in group[0][2].fields}
        fewer = max(1, min(len(mine), len(theirs)))
        share = len(mine & theirs) / fewer
        if number not in own and len(telling & theirs) >= FEWEST and share >= ALIKE and share > best:
            best, at, why = share, number, f"{len(mine & theirs)} of {fewer} fields are the same"
    return at, why


def _merged(group: Sequence[_Member], names: Mapping[Place, str], decisions: list[Decision]) -> Resource:
    things = [one for _, _, one in group]
    fields: dict[tuple[str, ...], tuple[Field, str]] = {}
    for number, label, thing in group:
        alike = Counter(_measure(f.name)[0] for f in thing.fields)
        for found in thing.fields:
            one = replace(found, refers_to=names.get((number, found.refers_to), found.refers_to))
            plain = _measure(found.name)[0]
            key = plain if alike[plain] == 1 else parts(found.name) or (found.name,)
            mine, whose = fields.get(key, (None, label))
            fields[key] = (_field(things[0].name, mine, whose, one, label, decisions) if mine else one), whose
    return replace(
        things[0],
        fields=tuple(f for f, _ in fields.values()),
        key=next((t.key for t in things if t.key), ()),
        unique=tuple(dict.fromkeys(u for t in things for u in t.unique)),
        checks=tuple(dict.fromkeys(c for t in things for c in t.checks)),
        says=next((t.says for t in things if t.says), ""),
    )


def _measure(name: str) -> tuple[tuple[str, ...], str]:
    """The words of a field without its unit, and that."""
    words = parts(name) or (name,)
    unit = UNITS.get(words[-1], "") if len(words) > 1 else ""
    return words[:-1] if unit else words, unit


def _field(resource: str, mine: Field, whose: str, theirs: Field, label: str, decisions: list[Decision]) -> Field:
    """The first field, with what only the second knows; where they contradict, that is told."""
    sources = tuple(s for s in (mine.source, theirs.source) if isinstance(s, Source))

    def decide(chose: str, over: str, why: str) -> None:
        decisions.append(Decision(f"field {resource}.{mine.name}", chose, why, over, sources))

    one, other = mine.shape, theirs.shape
    if _measure(mine.name)[1] != _measure(theirs.name)[1]:
        decide(mine.name, theirs.name, f"measured in different units; {whose} says how tools write it")
    elif one.kind != other.kind and "any" not in (one.kind, other.kind):
        decide(one.kind, other.kind, f"{whose} says how tools write it")
    if one.enum and other.enum and set(one.enum) != set(other.enum):
        decide(", ".join(map(str, one.enum)), ", ".join(map(str, other.enum)), f"the words of {whose} count")
    if mine.refers_to and theirs.refers_to and mine.refers_to != theirs.refers_to:
        decide(mine.refers_to, theirs.refers_to, f"{whose} is the nearer source than {label}")
    known = ("key", "unique", "says", *(() if mine.refers_to else ("refers_to", "refers_by")))
    return replace(mine, shape=_shape(one, other), **{n: getattr(mine, n) or getattr(theirs, n) for n in known})


def _shape(mine: Shape, theirs: Shape) -> Shape:
    """The first shape, with what only the second knows."""
    if mine.kind != theirs.kind:
        return mine if mine.kind != "any" else theirs
    known = ("enum", "format", "minimum", "maximum", "longest", "examples")
    return replace(mine, **{n: getattr(theirs, n) for n in known if getattr(mine, n) in (None, "", ())})
