"""The graph pass: `graph.json`, the tool graph proven by walks over the state that was just grown.

Evidence cites executions on this state, so the graph is made anew for every seed; what is proposed follows from the Blueprint
and is worked out once. The walks are taken under the default rules: what feeds what is the same in all policy variants of a state.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from worldwright.compiler.before import before
from worldwright.compiler.draft import Draft
from worldwright.compiler.graph.communities import SubDomain, sub_domains
from worldwright.compiler.graph.file import GRAPH, figures, graph_data, graph_text
from worldwright.compiler.graph.ground import ground
from worldwright.compiler.graph.plan import plan_of
from worldwright.core.errors import BuildError
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
