"""The graph stage: `graph.json`, the tool graph proven by walks over the state that was just grown.

Evidence cites executions on this state, so the graph is made anew for every seed; what is proposed follows from the Blueprint
and is worked out once. The walks are taken under the default rules: what feeds what is the same in all policy variants of a state.
"""

from __future__ import annotations

from dataclasses import replace

from worldwright.kinds.database.compile.draft import Draft
from worldwright.kinds.database.compile.graph.communities import SubDomain, sub_domains
from worldwright.kinds.database.compile.graph.file import GRAPH, figures, graph_data, graph_text
from worldwright.kinds.database.compile.graph.ground import ground
from worldwright.kinds.database.compile.graph.plan import plan_of
from worldwright.kinds.database.compiled_world import CompiledWorld


def prove_graph(draft: Draft) -> Draft:
    """Add the tool graph, each edge with what a run showed of it."""
    compiled = draft.compiled
    found = ground(draft.open_runtime(), draft.seed)
    domains = compiled.derive(domains_of)
    counted = figures(compiled, found, domains)
    shown = (
        f"{counted['nodes']} tools, {counted['strong']} strong and {counted['weak']} weak edges, "
        f"{counted['unproven']} edges that no run could show, {counted['sub_domains']} sub-domains"
    )
    files = {GRAPH: graph_text(graph_data(compiled, draft.seed, found, domains)).encode()}
    counts = {f"graph_{key}": counted[key] for key in ("strong", "weak", "unproven", "sub_domains")}
    weights: dict[tuple[str, str], int] = {}
    for proven in found.proven:
        pair = (proven.edge.source, proven.edge.target)
        weights[pair] = max(weights.get(pair, 0), proven.edge.weight)
    return replace(draft.add("graph", shown, files, counts), weights=weights)


def domains_of(compiled: CompiledWorld) -> tuple[SubDomain, ...]:
    """The groups of tools that belong together."""
    return sub_domains(compiled.blueprint, compiled.derive(plan_of).edges)
