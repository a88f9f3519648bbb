"""Sub-domains: the tools that belong together, so that hundreds of tools fall into worlds of a workable size.

Communities of the static graph (`core/communities`), each named after what it is about.

An input that twenty tools can feed says less about what belongs together than one that a single tool can feed, so each input
has the same say, divided among its sources.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from worldwright.blueprint import checked as c
from worldwright.blueprint.effects import effects
from worldwright.blueprint.toolgraph import Edge, list_brought, list_consumed
from worldwright.core.communities import MAX_COMMUNITY, partition

_WHOLE = 5040
"""What one unit of weight is divided from: most numbers of sources divide it."""


@dataclass(frozen=True, slots=True)
class SubDomain:
    name: str
    """Of the entity at its centre; of its first tool where there is none."""
    tools: tuple[str, ...]
    entities: tuple[str, ...]
    """What it is about, the most central first."""


def sub_domains(blueprint: c.Checked, edges: Sequence[Edge], largest: int = MAX_COMMUNITY) -> tuple[SubDomain, ...]:
    """The communities of a Blueprint's tools, each with a name, in the order of their first tools."""
    tools = tuple(blueprint.operations)
    found = partition(tools, links_of(edges), largest)
    about = {tool: weigh_subjects(blueprint, tool) for tool in tools}
    return name_communities(found, about)


def links_of(edges: Iterable[Edge]) -> dict[tuple[str, str], int]:
    """Edges as undirected links: the weight of an input, shared among those that can feed it."""
    fed: dict[tuple[str, str, str], list[Edge]] = {}
    for e in edges:
        fed.setdefault((e.target, e.input, e.entity), []).append(e)
    out: dict[tuple[str, str], int] = {}
    for group in fed.values():
        for e in group:
            pair = (min(e.source, e.target), max(e.source, e.target))
            out[pair] = out.get(pair, 0) + e.weight * _WHOLE // len(group)
    return out


# naming


def weigh_subjects(blueprint: c.Checked, tool: str) -> dict[str, int]:
    """Weigh the entities that a tool is about: what it searches, gets, adds or changes; then what it takes or shows.

    What is only written to keep a log says nothing.
    """
    operation = blueprint.operations[tool]
    out: dict[str, int] = {}
    for entity in sorted(list_brought(blueprint, tool)):
        out[entity] = 1
    for _, entity, required in list_consumed(operation):
        out[entity] = max(out.get(entity, 0), 3 if required else 1)
    for write in effects(blueprint, tool).writes:
        if not write.derived and not blueprint.schema.entities[write.entity].log:
            out[write.entity] = max(out.get(write.entity, 0), 6 if write.must else 3)
    if operation.read is not None:
        out[operation.read.entity] = 6
    return out


def name_communities(parts: Sequence[tuple[str, ...]], about: Mapping[str, Mapping[str, int]]) -> tuple[SubDomain, ...]:
    """Name communities after what most of each is about. An entity belongs to the community that is most about it."""
    shares = [_weigh_community(part, about) for part in parts]
    owner = {
        entity: max(range(len(parts)), key=lambda at: (shares[at].get(entity, 0), -at))
        for entity in dict.fromkeys(entity for share in shares for entity in share)
    }
    out = []
    for at, (part, share) in enumerate(zip(parts, shares, strict=True)):
        own = sorted((e for e in share if owner[e] == at), key=lambda e: (-share[e], e))
        out.append(SubDomain(own[0] if own else part[0], part, tuple(own)))
    return tuple(out)


def _weigh_community(part: tuple[str, ...], about: Mapping[str, Mapping[str, int]]) -> dict[str, int]:
    """Weigh how much a community is about each entity."""
    out: dict[str, int] = {}
    for tool in part:
        for entity, score in about[tool].items():
            out[entity] = out.get(entity, 0) + score
    return out
