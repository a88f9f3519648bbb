"""Every edge of `graph.json` is there because of an execution, and the execution can be repeated."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from tests.compiler.graph.drafts import NAMES, STRONG_LIBRARY, drafted, problems
from tests.worlds import LIBRARY

from worldwright.blueprint.toolgraph import STRONG, derive_graph, list_brought, list_consumed


def key(edge: dict[str, Any]) -> tuple[Any, ...]:
    return (*(edge[k] for k in ("source", "target", "input", "entity", "weight", "kind")), edge.get("column", ""))


@pytest.mark.parametrize("name", NAMES)
def test_evidence_can_be_repeated(name: str) -> None:
    runtime, graph = drafted(name)
    assert graph["edges"]
    assert problems(runtime, graph) == []


@pytest.mark.parametrize("name", NAMES)
def test_what_is_proposed_is_proven_or_listed_apart(name: str) -> None:
    runtime, graph = drafted(name)
    proposed = {
        (e.source, e.target, e.input, e.entity, e.weight, e.kind, e.column)
        for e in derive_graph(runtime.compiled.blueprint)
    }
    proven, unproven = [key(e) for e in graph["edges"]], [key(e) for e in graph["unproven"]]
    assert len(proven) + len(unproven) == len(proposed)
    assert {*proven, *unproven} == proposed
    assert all("evidence" not in e for e in graph["unproven"])
    assert graph["figures"]["unproven"] == len(unproven)
    assert graph["figures"]["strong"] + graph["figures"]["weak"] == len(proven)
    assert len(proven) > len(unproven) / 2


@pytest.mark.parametrize("name", [STRONG_LIBRARY, *NAMES])
def test_a_strong_edge_is_the_only_way(name: str) -> None:
    runtime, graph = drafted(name)
    blueprint = runtime.compiled.blueprint
    for edge in graph["edges"]:
        others = [
            s
            for s in blueprint.operations
            if edge["entity"] in list_brought(blueprint, s) and s not in (edge["source"], edge["target"])
        ]
        needed = (edge["input"], edge["entity"], True) in list_consumed(blueprint.operations[edge["target"]])
        assert (edge["weight"] == STRONG) == (edge["kind"] == "value" and needed and not others)


def test_a_strong_edge_is_proven() -> None:
    _, graph = drafted(STRONG_LIBRARY)
    strong = [(e["source"], e["target"]) for e in graph["edges"] if e["weight"] == STRONG]
    assert strong == [("find_copies", "drop_title")]


@pytest.mark.parametrize("name", NAMES)
def test_nodes_and_calls_are_whole(name: str) -> None:
    runtime, graph = drafted(name)
    tools = [n["tool"] for n in graph["nodes"]]
    assert tools == list(runtime.tools)
    assert sorted(t for d in graph["sub_domains"] for t in d["tools"]) == sorted(tools)
    numbers = [(c["walk"], c["number"]) for c in graph["calls"]]
    assert numbers == sorted(set(numbers))
    cited = {(e["evidence"]["walk"], e["evidence"][k]) for e in graph["edges"] for k in ("produced", "consumed")}
    assert cited <= set(numbers)
    for call in graph["calls"]:
        roles = runtime.tools[call["tool"]].roles
        assert not roles or call["role"] in roles


# the reader itself: each lie is found


def lie(name: str, **changes: Any) -> list[str]:
    runtime, graph = drafted(LIBRARY)
    told = copy.deepcopy(graph)
    edge = next(e for e in told["edges"] if e["kind"] == name and e["evidence"]["produced"] > 1)
    edge["evidence"].update(changes)
    return problems(runtime, told)


@pytest.mark.parametrize("kind", ["value", "effect"])
@pytest.mark.parametrize(
    "changes", [{"value": "LN-99999"}, {"produced_by": "nobody"}, {"consumed": 1}], ids=["value", "role", "order"]
)
def test_a_lie_is_found(kind: str, changes: dict[str, Any]) -> None:
    assert lie(kind, **changes)


def test_an_edge_between_other_tools_is_found() -> None:
    runtime, graph = drafted(LIBRARY)
    told = copy.deepcopy(graph)
    told["edges"][0]["source"] = told["edges"][0]["target"]
    assert problems(runtime, told)


def test_a_walk_with_a_call_left_out_is_found() -> None:
    """Without its first successful loan, later calls have other numbers to name."""
    runtime, graph = drafted(LIBRARY)
    cited = {(e["evidence"]["walk"], e["evidence"][k]) for e in graph["edges"] for k in ("produced", "consumed")}
    lends = [c for c in graph["calls"] if c["tool"] == "lend" and (c["walk"], c["number"]) in cited]
    told = copy.deepcopy(graph)
    first = lends[0]
    for call in told["calls"]:
        if (call["walk"], call["number"]) == (first["walk"], first["number"]):
            call["arguments"] = {}
    assert problems(runtime, told)
