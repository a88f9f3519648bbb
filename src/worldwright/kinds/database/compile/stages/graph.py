"""The graph stage: `graph.json`, the tool graph proven by walks over the state that was just grown.

Evidence cites executions on this state, so the graph is made anew for every seed; what is proposed follows from the Blueprint
and is worked out once. The walks are taken under the default rules: what feeds what is the same in all policy variants of a state.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from worldwright.blueprint.toolgraph import EFFECT, INDEPENDENT, STRONG, WEAK, Edge, list_brought, list_consumed
from worldwright.kinds.build_events import GraphProposed
from worldwright.kinds.database.compile.draft import Draft
from worldwright.kinds.database.compile.graph.communities import SubDomain, sub_domains
from worldwright.kinds.database.compile.graph.plan import plan_of
from worldwright.kinds.database.compile.graph.prove import Proven, ProvenGraph, prove_edges
from worldwright.kinds.database.compiled_world import CompiledWorld


def prove_graph(draft: Draft) -> Draft:
    """Add the tool graph, each edge with what a run showed of it."""
    compiled = draft.compiled
    domains = compiled.derive(domains_of)
    links = dict.fromkeys((edge.source, edge.target) for edge in compiled.derive(plan_of).edges)
    changing = [name for name, spec in compiled.specs.items() if spec.mutates]
    draft.watch(GraphProposed({tool: d.name for d in domains for tool in d.tools}, changing, list(links)))
    found = prove_edges(draft.open_runtime(), draft.seed, draft.watch)
    counted = figures(compiled, found, domains)
    shown = (
        f"{counted['nodes']} tools in {counted['sub_domains']} sub-domains, {counted['strong'] + counted['weak']} links between "
        f"them that runs have shown, {counted['unproven']} that none has"
    )
    files = {GRAPH: render_graph(graph_data(compiled, draft.seed, found, domains)).encode()}
    counts = {f"graph_{key}": counted[key] for key in ("strong", "weak", "unproven", "sub_domains")}
    weights: dict[tuple[str, str], int] = {}
    for proven in found.proven:
        pair = (proven.edge.source, proven.edge.target)
        weights[pair] = max(weights.get(pair, 0), proven.edge.weight)
    return replace(draft.add("graph", shown, files, counts), weights=weights)


def domains_of(compiled: CompiledWorld) -> tuple[SubDomain, ...]:
    """The groups of tools that belong together."""
    return sub_domains(compiled.blueprint, compiled.derive(plan_of).edges)


GRAPH = "graph.json"


def graph_data(compiled: CompiledWorld, seed: int, found: ProvenGraph, domains: Sequence[SubDomain]) -> dict[str, Any]:
    roles = {(made.walk, made.number): made.role for made in found.calls}
    return {
        "weights": {"strong": STRONG, "weak": WEAK, "independent": INDEPENDENT},
        "seed": seed,
        "figures": figures(compiled, found, domains),
        "sub_domains": [asdict(d) for d in domains],
        "nodes": [_node(compiled, name, domains) for name in compiled.specs],
        "edges": [_edge_data(p, roles) for p in found.proven],
        "unproven": [_edge(e) for e in found.unproven],
        "calls": [asdict(made) for made in found.calls],
    }


def figures(compiled: CompiledWorld, found: ProvenGraph, domains: Sequence[SubDomain]) -> dict[str, int]:
    weights = [p.edge.weight for p in found.proven]
    return {
        "nodes": len(compiled.specs),
        "strong": weights.count(STRONG),
        "weak": weights.count(WEAK),
        "effects": sum(p.edge.kind == EFFECT for p in found.proven),
        "unproven": len(found.unproven),
        "sub_domains": len(domains),
        "writes": found.writes,
        "writes_succeeded": found.succeeded,
    }


def _node(compiled: CompiledWorld, name: str, domains: Sequence[SubDomain]) -> dict[str, Any]:
    spec, blueprint = compiled.specs[name], compiled.blueprint
    taken = list_consumed(blueprint.operations[name])
    return {
        "tool": name,
        "system": spec.system,
        "roles": list(spec.roles),
        "mutates": spec.mutates,
        "sub_domain": next(d.name for d in domains if name in d.tools),
        "takes": [{"input": i, "entity": entity, "required": required} for i, entity, required in taken],
        "brings": sorted(list_brought(blueprint, name)),
    }


def _edge(edge: Edge) -> dict[str, Any]:
    out = asdict(edge)
    if edge.kind != EFFECT:
        del out["column"]
    return out


def _edge_data(p: Proven, roles: Mapping[tuple[int, int], str]) -> dict[str, Any]:
    e = p.evidence
    by = {"produced_by": roles[e.walk, e.produced], "consumed_by": roles[e.walk, e.consumed]}
    evidence = {k: v for k, v in asdict(e).items() if k != "row" or p.edge.kind == EFFECT}
    return {**_edge(p.edge), "evidence": evidence | by}


def render_graph(data: Mapping[str, Any]) -> str:
    """Render sorted keys like every other file of a pack, but lists of records with one record on a line."""
    parts = [f"{json.dumps(key)}: {_lines(value)}" for key, value in sorted(data.items())]
    return "{\n  " + ",\n  ".join(parts) + "\n}\n"


def _lines(value: Any) -> str:
    if not isinstance(value, list):
        return _line(value)
    return "[\n    " + ",\n    ".join(map(_line, value)) + "\n  ]" if value else "[]"


def _line(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, allow_nan=False)
