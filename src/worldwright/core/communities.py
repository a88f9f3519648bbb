"""Communities of a graph: the nodes that belong together, so that hundreds of them fall into parts of a workable size.

By the Louvain method (Blondel and others, 2008): every node starts alone and moves to the neighbouring community that gains most
modularity, communities become the nodes of a smaller graph, and so on until nothing moves. A community that is still too large is
divided again by itself. All in whole numbers and in a fixed order: no chance, no rounding.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

MAX_COMMUNITY = 30
"""Nodes in one community, unless they cannot be told apart."""

Links: TypeAlias = Mapping[tuple[str, str], int]
"""How strongly two nodes belong together, each pair once, in either order."""


def partition(nodes: Sequence[str], links: Links, largest: int = MAX_COMMUNITY) -> tuple[tuple[str, ...], ...]:
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
