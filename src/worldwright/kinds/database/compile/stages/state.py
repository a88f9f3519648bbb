"""The stages of the state: what is planted, what has lived, requests that lie in it, and the tool graph proven by walks over it.

Evidence of `graph.json` cites executions on this state, so the graph is made anew for every seed; what is proposed follows from
the Blueprint and is worked out once. The walks are taken under the default rules: what feeds what is the same in all policy
variants of a state.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from worldwright.blueprint.toolgraph import EFFECT, INDEPENDENT, STRONG, WEAK, Edge, list_brought, list_consumed
from worldwright.core.canonical import pretty_json
from worldwright.kinds.database.compile.draft import Draft
from worldwright.kinds.database.compile.graph.communities import SubDomain, sub_domains
from worldwright.kinds.database.compile.graph.plan import plan_of
from worldwright.kinds.database.compile.graph.prove import CitedCall, Proven, ProvenGraph, prove_edges
from worldwright.kinds.database.compile.situations import find_situations
from worldwright.kinds.database.compile.state.build import GrownState, grow_state
from worldwright.kinds.database.compile.tasks.filing import file_requests
from worldwright.kinds.database.compiled_world import CompiledWorld


def plan_situations(draft: Draft) -> Draft:
    """Add the situations that guards and flows call for."""
    found = draft.compiled.derive(find_situations)
    figures = f"{len(found.edges)} values at the edge of a rule and {len(found.ready)} unfinished processes to plant"
    return replace(draft.add("situations", figures), situations=found)


def build_state(draft: Draft) -> Draft:
    """Add the state that its own past has made, with situations and mess."""
    grown = grow_state(draft.compiled, draft.seed, draft.situations)
    rows = sum(grown.rows.values())
    calls = sum(grown.past.calls.values())
    layers = len({b.label for b in grown.blemishes} | {h[0] for h in grown.past.half_done})
    waiting = len({(r[0].flow, r[0].step) for r in grown.past.ready})
    figures = (
        f"{len(grown.rows)} tables, {rows:,} rows, {calls:,} past operations, "
        f"{len(grown.edges)} values at the edge of a rule and {waiting} unfinished processes planted, {layers} layers of mess"
    )
    counts = {"tables": len(grown.rows), "rows": rows, "past_operations": calls, "blemishes": len(grown.blemishes)}
    files = {"state.db": grown.data, "mess.json": make_mess_file(grown), "situations.json": make_situations_file(grown)}
    return replace(draft.add("state", figures, files, counts), grown=grown)


def make_situations_file(grown: GrownState) -> bytes:
    """Make the file of every situation that was planted, with the rows to find it by."""
    edges = [{**asdict(edge), "id": key} for edge, key in grown.edges.items()]
    ready = [
        {"flow": r.flow, "step": r.step, "operation": r.operation, "name": name, "entity": entity, "id": key}
        for r, name, entity, key in grown.past.ready
    ]
    return pretty_json({"edges": edges, "ready": ready}).encode()


def make_mess_file(grown: GrownState) -> bytes:
    """Make the file of every cell that a mess layer touched, and every row that a half-done process left."""
    cells = [b._asdict() for b in grown.blemishes]
    half = [
        {"label": label, "layer": "half_done", "entity": entity, "id": key}
        for label, entity, key in grown.past.half_done
    ]
    return pretty_json({"blemishes": cells, "half_done": half}).encode()


def file_requests_in_state(draft: Draft) -> Draft:
    """Add the filed requests, and the state that has them."""
    filed = file_requests(draft.open_runtime(), draft.seed, draft.state.messed_rows)
    if filed is None:
        return draft.add("requests", "none filed", counts={"filed_requests": 0})
    figures = f"{len(filed.requests)} requests filed in the world itself"
    counts = {"filed_requests": len(filed.requests), "rows": filed.rows}
    grown = replace(draft.state, data=filed.state, digest=filed.digest)
    return replace(draft.add("requests", figures, {"state.db": filed.state}, counts), grown=grown, filed=filed.requests)


def prove_graph(draft: Draft) -> Draft:
    """Add the tool graph, each edge with what a run showed of it."""
    compiled = draft.compiled
    found = prove_edges(draft.open_runtime(), draft.seed)
    domains = compiled.derive(domains_of)
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
        "calls": [_call(made) for made in found.calls],
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
    evidence: dict[str, Any] = {
        "walk": e.walk,
        "produced": e.produced,
        "produced_by": roles[e.walk, e.produced],
        "consumed": e.consumed,
        "consumed_by": roles[e.walk, e.consumed],
        "at": e.at,
        "value": e.value,
    }
    if p.edge.kind == EFFECT:
        evidence["row"] = e.row
    return {**_edge(p.edge), "evidence": evidence}


def _call(made: CitedCall) -> dict[str, Any]:
    return {
        "walk": made.walk,
        "number": made.number,
        "role": made.role,
        "tool": made.tool,
        "arguments": dict(made.arguments),
    }


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
