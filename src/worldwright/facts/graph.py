"""`graph.json` as records, read with suspicion: a pack may hold anything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from worldwright.core.errors import PackError, UsageError
from worldwright.pack.open import Pack

GRAPH = "graph.json"


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Evidence(_Record):
    walk: int
    produced: int
    produced_by: str
    consumed: int
    consumed_by: str
    at: str
    value: Any
    row: str = ""


class Edge(_Record):
    source: str
    target: str
    input: str
    entity: str
    weight: int
    kind: str
    column: str = ""
    evidence: Evidence | None = None


class Node(_Record):
    tool: str
    system: str
    roles: tuple[str, ...]
    mutates: bool
    sub_domain: str
    takes: tuple[Mapping[str, Any], ...]
    brings: tuple[str, ...]


class Domain(_Record):
    name: str
    tools: tuple[str, ...]
    entities: tuple[str, ...]


class CitedCall(_Record):
    walk: int
    number: int
    role: str
    tool: str
    arguments: Mapping[str, Any]


class Graph(_Record):
    weights: Mapping[str, int]
    seed: int
    figures: Mapping[str, int]
    sub_domains: tuple[Domain, ...]
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    unproven: tuple[Edge, ...]
    calls: tuple[CitedCall, ...]


def graph_of(pack: Pack) -> Graph:
    raw = pack.files.get(GRAPH)
    if raw is None:
        raise UsageError(f"this pack has no {GRAPH}: it was built before there was one; rebuild it")
    try:
        return Graph.model_validate_json(raw)
    except ValidationError as e:
        raise PackError(f"{GRAPH} cannot be read: {e.errors()[0]['msg']}") from None


def select_around(graph: Graph, tool: str) -> Graph:
    """Select what the graph says of one tool: its edges, and the calls that they cite."""
    edges = tuple(e for e in graph.edges if tool in (e.source, e.target))
    cited = {(e.evidence.walk, n) for e in edges if e.evidence for n in (e.evidence.produced, e.evidence.consumed)}
    return graph.model_copy(
        update={
            "sub_domains": tuple(d for d in graph.sub_domains if tool in d.tools),
            "nodes": tuple(n for n in graph.nodes if n.tool == tool),
            "edges": edges,
            "unproven": tuple(e for e in graph.unproven if tool in (e.source, e.target)),
            "calls": tuple(c for c in graph.calls if (c.walk, c.number) in cited),
        }
    )


def graph_document(graph: Graph) -> dict[str, Any]:
    """Return the graph as it stands in the file."""
    return graph.model_dump(mode="json", exclude_defaults=True)
