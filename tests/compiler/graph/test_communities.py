"""Sub-domains: planted ones are found, however large the tool set, and named after what they are about."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.compiler.graph.drafts import NAMES, blueprint_text
from tests.effort import examples

from worldwright.blueprint.siblings import load_cached
from worldwright.blueprint.toolgraph import STRONG, WEAK, Edge, derive_graph
from worldwright.core.communities import MAX_COMMUNITY, partition
from worldwright.core.rng import Stream
from worldwright.kinds.database.compile.graph.communities import links_of, name_communities, sub_domains


def planted(groups: int, size: int, stream: Stream, noise: int) -> tuple[list[str], dict[tuple[str, str], int]]:
    """Groups of nodes with many links inside, and some between."""
    nodes = [f"n{at:04d}" for at in range(groups * size)]
    links: dict[tuple[str, str], int] = {}
    for at, node in enumerate(nodes):
        first = at // size * size
        inside = [nodes[first + (at - first + step) % size] for step in (1, 2, 3)]
        outside = [stream.pick(nodes) for _ in range(noise)]
        for other, strength in (*((x, 100) for x in inside), *((x, 20) for x in outside)):
            if other != node:
                links[min(node, other), max(node, other)] = strength
    return stream.shuffled(nodes), links


@settings(deadline=None, max_examples=examples(30))
@given(st.integers(3, 8), st.integers(6, 12), st.integers(0, 2**32), st.integers(0, 1))
def test_planted_groups_are_found(groups: int, size: int, seed: int, noise: int) -> None:
    nodes, links = planted(groups, size, Stream("planted", seed), noise)
    found = {frozenset(part) for part in partition(nodes, links, size)}
    wanted = {frozenset(f"n{at:04d}" for at in range(g * size, (g + 1) * size)) for g in range(groups)}
    assert found == wanted if noise == 0 else len(found & wanted) >= groups / 2


@settings(deadline=None, max_examples=examples(20))
@given(st.integers(0, 2**32))
def test_the_order_of_links_does_not_matter(seed: int) -> None:
    stream = Stream("order", seed)
    nodes, links = planted(5, 8, stream, 2)
    again = dict(stream.shuffled(list(links.items())))
    assert partition(nodes, links) == partition(nodes, again)


def test_a_thousand_tools_fall_into_workable_worlds() -> None:
    """Forty businesses of twenty-five tools, all of which know the same staff, and some of which know each other."""
    stream = Stream("thousand")
    edges: list[Edge] = []
    for at in range(1000):
        group = at // 25 * 25
        beside = [f"t{group + (at - group + step) % 25}" for step in range(1, 9)]
        edges += [Edge(source, f"t{at}", "thing", f"e{group}_{at % 3}", WEAK) for source in beside]
        edges += [Edge(f"t{stream.below(1000)}", f"t{at}", "who", "staff", WEAK) for _ in range(100)]
        edges.append(Edge(f"t{group}", f"t{at}", "root", f"root{group}", STRONG))
    nodes = [f"t{at}" for at in range(1000)]
    found = partition(nodes, links_of(edges))
    assert sorted(node for part in found for node in part) == sorted(nodes)
    assert {frozenset(part) for part in found} == {
        frozenset(f"t{at}" for at in range(g * 25, (g + 1) * 25)) for g in range(40)
    }


def test_what_is_too_large_is_divided_again() -> None:
    """A long ring of cliques, each tied to the next: modularity alone joins neighbours, because the whole is so large."""
    nodes = [f"n{at:03d}" for at in range(300)]
    links = {(a, b): 1 for at, a in enumerate(nodes) for b in nodes[at + 1 : at // 5 * 5 + 5]}
    links |= {(nodes[at], nodes[(at + 5) % 300]): 1 for at in range(0, 300, 5)}
    assert max(map(len, partition(nodes, links, 300))) > 5
    assert {frozenset(part) for part in partition(nodes, links, 5)} == {
        frozenset(nodes[at : at + 5]) for at in range(0, 300, 5)
    }


def test_tools_that_nothing_tells_apart_stay_together_or_alone() -> None:
    nodes = [f"n{at}" for at in range(6)]
    every = {(a, b): 1 for at, a in enumerate(nodes) for b in nodes[at + 1 :]}
    assert partition(nodes, every, 3) == (tuple(nodes),)
    assert partition(nodes, {}) == tuple((node,) for node in nodes)


def test_an_input_has_the_same_say_however_many_can_feed_it() -> None:
    one = links_of([Edge("a", "t", "x", "e", WEAK)])
    four = links_of([Edge(source, "t", "x", "e", WEAK) for source in "abcd"])
    assert sum(one.values()) == sum(four.values())
    assert links_of([Edge("a", "t", "x", "e", STRONG)])["a", "t"] * 2 == one["a", "t"] * 3


def test_a_name_is_what_a_community_is_most_about() -> None:
    about: Mapping[str, Mapping[str, int]] = {
        "find_order": {"order": 6, "staff": 1},
        "place_order": {"order": 6, "staff": 3},
        "find_ticket": {"ticket": 6, "staff": 3},
        "close_ticket": {"ticket": 3, "staff": 3},
    }
    found = name_communities([("find_order", "place_order"), ("find_ticket", "close_ticket")], about)
    assert [d.name for d in found] == ["order", "ticket"]
    assert [d.entities for d in found] == [("order",), ("ticket", "staff")]


@pytest.mark.parametrize("name", NAMES)
def test_every_tool_is_in_one_sub_domain(name: str) -> None:
    blueprint = load_cached(blueprint_text(name), f"{name}.yaml")
    found = sub_domains(blueprint, derive_graph(blueprint))
    assert sorted(t for d in found for t in d.tools) == sorted(blueprint.operations)
    assert len({d.name for d in found}) == len(found)
    assert all(len(d.tools) <= MAX_COMMUNITY for d in found)
    for d in found:
        assert d.name == (d.entities[0] if d.entities else d.tools[0])
        assert set(d.entities) <= set(blueprint.schema.entities)
