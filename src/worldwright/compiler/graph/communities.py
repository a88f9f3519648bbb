"""Sub-domains: the tools that belong together, so that hundreds of tools fall into worlds of a workable size.

Communities of the static graph by the Louvain method (Blondel and others, 2008): every tool starts alone and moves to the
neighbouring community that gains most modularity, communities become the nodes of a smaller graph, and so on until nothing moves.
A community that is still too large is divided again by itself. All in whole numbers and in a fixed order: no chance, no rounding.

An input that twenty tools can feed says less about what belongs together than one that a single tool can feed, so each input
has the same say, divided among its sources.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from worldwright.blueprint import checked as c
from worldwright.blueprint.effects import effects
from worldwright.blueprint.toolgraph import Edge, brings, consumes

LARGEST = 30
"""Tools in one sub-domain, unless its tools cannot be told apart."""
_WHOLE = 5040
"""What one unit of weight is divided from: most numbers of sources divide it."""

Links: TypeAlias = Mapping[tuple[str, str], int]
"""How strongly two tools belong together, each pair once, in either order."""


@dataclass(frozen=True, slots=True)
class SubDomain:
    name: str
    """Of the entity at its centre; of its first tool where there is none."""
    tools: tuple[str, ...]
    entities: tuple[str, ...]
    """What it is about, the most central first."""


def sub_domains(blueprint: c.Checked, edges: Sequence[Edge], largest: int = LARGEST) -> tuple[SubDomain, ...]:
    """The communities of a Blueprint's tools, each with a name, in the order of their first tools."""
    tools = tuple(blueprint.operations)
    found = partition(tools, links_of(edges), largest)
    about = {tool: subjects(blueprint, tool) for tool in tools}
    return named(found, about)


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


# dividing


def partition(nodes: Sequence[str], links: Links, largest: int = LARGEST) -> tuple[tuple[str, ...], ...]:
    """The nodes in communities, in the order given."""
    place = {node: at for at, node in enumerate(nodes)}
    todo = [tuple(nodes)]
    done: list[tuple[str, ...]] = []
    first = True
    while todo:
        part = todo.pop()
        found = _louvain(part, links) if first or len(part) > largest else [part]
        if len(found) == 1:
            done += found
        else:
            todo += found
        first = False
    return tuple(sorted(done, key=lambda part: place[part[0]]))


def _louvain(nodes: tuple[str, ...], links: Links) -> list[tuple[str, ...]]:
    """The communities of the graph between these nodes."""
    place = {node: at for at, node in enumerate(nodes)}
    near: list[dict[int, int]] = [{} for _ in nodes]
    for (a, b), strength in links.items():
        if a in place and b in place and a != b and strength > 0:
            i, j = place[a], place[b]
            near[i][j] = near[i].get(j, 0) + strength
            near[j][i] = near[j].get(i, 0) + strength
    groups = [[at] for at in range(len(nodes))]
    inner = [0] * len(nodes)
    while True:
        home = _settle(near, inner)
        if len(set(home)) == len(groups):
            return [tuple(nodes[at] for at in sorted(group)) for group in groups]
        groups, near, inner = _merged(groups, near, inner, home)


def _settle(near: list[dict[int, int]], inner: list[int]) -> list[int]:
    """Move nodes while that gains modularity; the community of each node in the end."""
    degree = [sum(links.values()) + own for links, own in zip(near, inner, strict=True)]
    total = sum(degree)
    home = list(range(len(near)))
    weight = list(degree)
    moved = True
    while moved:
        moved = False
        for node, links in enumerate(near):
            here = home[node]
            weight[here] -= degree[node]
            to: dict[int, int] = {here: 0}
            for other, strength in links.items():
                to[home[other]] = to.get(home[other], 0) + strength
            # The gain of a community is what ties the node to it, less what chance would: both sides times the total.
            gain = {com: strength * total - degree[node] * weight[com] for com, strength in to.items()}
            best = min(gain, key=lambda com: (-gain[com], com))
            if gain[best] > gain[here]:
                home[node], moved = best, True
            weight[home[node]] += degree[node]
    return home


def _merged(
    groups: list[list[int]], near: list[dict[int, int]], inner: list[int], home: list[int]
) -> tuple[list[list[int]], list[dict[int, int]], list[int]]:
    """The graph whose nodes are the communities."""
    number = {com: at for at, com in enumerate(dict.fromkeys(home))}
    new_groups: list[list[int]] = [[] for _ in number]
    new_near: list[dict[int, int]] = [{} for _ in number]
    new_inner = [0] * len(number)
    for node, links in enumerate(near):
        at = number[home[node]]
        new_groups[at] += groups[node]
        new_inner[at] += inner[node]
        for other, strength in links.items():
            there = number[home[other]]
            if there == at:
                new_inner[at] += strength
            else:
                new_near[at][there] = new_near[at].get(there, 0) + strength
    return new_groups, new_near, new_inner


# naming


def subjects(blueprint: c.Checked, tool: str) -> dict[str, int]:
    """The entities that a tool is about, and how much: what it searches, gets, adds or changes; then what it takes or shows.

    What is only written to keep a log says nothing.
    """
    operation = blueprint.operations[tool]
    out: dict[str, int] = {}
    for entity in sorted(brings(blueprint, tool)):
        out[entity] = 1
    for _, entity, required in consumes(operation):
        out[entity] = max(out.get(entity, 0), 3 if required else 1)
    for write in effects(blueprint, tool).writes:
        if not write.derived and not blueprint.schema.entities[write.entity].log:
            out[write.entity] = max(out.get(write.entity, 0), 6 if write.must else 3)
    if operation.read is not None:
        out[operation.read.entity] = 6
    return out


def named(parts: Sequence[tuple[str, ...]], about: Mapping[str, Mapping[str, int]]) -> tuple[SubDomain, ...]:
    """Communities called after what most of each is about. An entity belongs to the community that is most about it."""
    shares = [_share(part, about) for part in parts]
    owner = {
        entity: max(range(len(parts)), key=lambda at: (shares[at].get(entity, 0), -at))
        for entity in dict.fromkeys(entity for share in shares for entity in share)
    }
    out = []
    for at, (part, share) in enumerate(zip(parts, shares, strict=True)):
        own = sorted((e for e in share if owner[e] == at), key=lambda e: (-share[e], e))
        out.append(SubDomain(own[0] if own else part[0], part, tuple(own)))
    return tuple(out)


def _share(part: tuple[str, ...], about: Mapping[str, Mapping[str, int]]) -> dict[str, int]:
    """How much a community is about each entity."""
    out: dict[str, int] = {}
    for tool in part:
        for entity, score in about[tool].items():
            out[entity] = out.get(entity, 0) + score
    return out
