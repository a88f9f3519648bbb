"""The graph pass: `graph.json`, the tool graph proven by walks over the state that was just grown.

Evidence cites executions on this state, so the graph is made anew for every seed; what is proposed follows from the Blueprint
and is worked out once. The walks are taken under the default rules: what feeds what is the same in all policy variants of a state.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from worldwright.core.errors import BuildError
from worldwright.kinds.database.compile.before import before
from worldwright.kinds.database.compile.draft import Draft
from worldwright.kinds.database.compile.graph.communities import SubDomain, sub_domains
from worldwright.kinds.database.compile.graph.file import GRAPH, figures, graph_data, graph_text
from worldwright.kinds.database.compile.graph.ground import ground
from worldwright.kinds.database.compile.graph.plan import plan_of
from worldwright.kinds.database.compiled_world import CompiledWorld
from worldwright.kinds.database.runtime import Runtime


def graph(draft: Draft) -> Draft:
    if draft.grown is None:
        raise BuildError("the graph is proven on a state; run the state pass first")
    compiled = before(draft.compiled)
    found = ground(Runtime(compiled, draft.grown.data, ""), draft.seed)
    domains = domains_of(compiled)
    counted = figures(compiled, found, domains)
    shown = (
        f"{counted['nodes']} nodes, {counted['strong']} strong, {counted['weak']} weak, {counted['unproven']} unproven, "
        f"{counted['sub_domains']} sub-domains"
    )
    files = {GRAPH: graph_text(graph_data(compiled, draft.seed, found, domains)).encode()}
    counts = {f"graph_{key}": counted[key] for key in ("strong", "weak", "unproven", "sub_domains")}
    weights: dict[tuple[str, str], int] = {}
    for proven in found.proven:
        pair = (proven.edge.source, proven.edge.target)
        weights[pair] = max(weights.get(pair, 0), proven.edge.weight)
    return replace(draft.adding("graph", shown, files, counts), weights=weights)


@lru_cache(maxsize=16)
def domains_of(compiled: CompiledWorld) -> tuple[SubDomain, ...]:
    return sub_domains(compiled.blueprint, plan_of(compiled).edges)
