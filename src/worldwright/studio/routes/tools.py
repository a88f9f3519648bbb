"""The tools of a world: a list, each with its effects and guards, and which feeds which."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, Request
from starlette.responses import Response

from worldwright.blueprint.effects import effects
from worldwright.core.errors import StoreError
from worldwright.core.names import suggest
from worldwright.facts.graph import CitedCall, Edge
from worldwright.facts.tool import example_call, format_signature, list_arguments
from worldwright.studio.context import Studio
from worldwright.studio.drawing.tool_graph import draw_tool_graph, group_links
from worldwright.studio.opened import OpenWorld
from worldwright.studio.pages import Crumb, link
from worldwright.studio.routes.world_frame import (
    known_graph,
    known_policies,
    known_tools,
    render_world,
    tool_url,
)


def add_routes(app: FastAPI, studio: Studio) -> None:
    @app.get("/world/{digest}/tools")
    def show_tools(request: Request, digest: str) -> Response:
        world = studio.worlds.open(digest)
        return render_world(
            studio, request, world, "Tools", "tools.html", tools=world.get("tool rows", lambda: _list_tools(world)),
            systems=world.pack.checked.blueprint.systems,
        )  # fmt: skip

    @app.get("/world/{digest}/tools/{name}")
    def show_tool(request: Request, digest: str, name: str) -> Response:
        world = studio.worlds.open(digest)
        tools = known_tools(world)
        if name not in tools:
            raise StoreError(f"this world has no tool {name[:60]!r}; {suggest(name[:60], tools)}")
        spec, operation = tools[name], world.pack.operation(name)
        source = world.pack.pack.files.get(f"tools/{operation}.py", b"").decode(errors="backslashreplace")
        return render_world(
            studio,
            request,
            world,
            "Tools",
            "tool.html",
            Crumb(name),
            tool=spec,
            operation=world.pack.checked.operations[operation],
            found=effects(world.pack.checked, operation),
            arguments=list_arguments(spec.input_schema),
            example=example_call(spec),
            source=source,
            policies=known_policies(world),
            fed=_list_neighbours(world, operation),
            url_of=tool_url(world),
        )

    @app.get("/world/{digest}/graph")
    def show_graph(request: Request, digest: str) -> Response:
        world = studio.worlds.open(digest)
        graph = known_graph(world)
        if graph is None:
            return render_world(studio, request, world, "Graph", "graph.html", graph=None)
        url_of = tool_url(world)
        return render_world(
            studio,
            request,
            world,
            "Graph",
            "graph.html",
            graph=graph,
            picture=world.get("tool graph", lambda: draw_tool_graph(graph, url_of)),
            links=world.get("links", lambda: group_links(graph)),
            url_of=url_of,
            systems=sorted({node.system for node in graph.nodes}),
        )


def _list_tools(world: OpenWorld) -> list[dict[str, Any]]:
    graph = known_graph(world)
    feeds: dict[str, int] = {}
    fed: dict[str, int] = {}
    for one in group_links(graph) if graph is not None else ():
        feeds[one.source] = feeds.get(one.source, 0) + 1
        fed[one.target] = fed.get(one.target, 0) + 1
    sub_domains = {} if graph is None else {node.tool: node.sub_domain for node in graph.nodes}
    out = []
    for name, spec in known_tools(world).items():
        operation = world.pack.operation(name)
        found = effects(world.pack.checked, operation)
        out.append({
            "name": name, "url": link("world", world.digest, "tools", name), "spec": spec,
            "says": world.pack.checked.operations[operation].says, "takes": format_signature(spec),
            "changes": list(dict.fromkeys(w.entity for w in found.writes if not w.derived)), "guards": len(found.guards),
            "policies": len(found.policies), "feeds": feeds.get(operation, 0), "fed": fed.get(operation, 0),
            "sub_domain": sub_domains.get(operation, ""),
        })  # fmt: skip
    return out


def _list_neighbours(world: OpenWorld, operation: str) -> Mapping[str, list[tuple[Edge, str]]]:
    """What a tool is fed by and feeds, each with the execution that proves it."""
    graph = known_graph(world)
    if graph is None:
        return {}
    calls = {(call.walk, call.number): call for call in graph.calls}
    sides = {
        "fed by": [e for e in graph.edges if e.target == operation],
        "feeds": [e for e in graph.edges if e.source == operation],
        "never seen": [e for e in graph.unproven if operation in (e.source, e.target)],
    }
    return {side: [(edge, _cite(edge, calls)) for edge in edges] for side, edges in sides.items()}


def _cite(edge: Edge, calls: Mapping[tuple[int, int], CitedCall]) -> str:
    found = edge.evidence
    if found is None:
        return ""
    made, used = calls.get((found.walk, found.produced)), calls.get((found.walk, found.consumed))
    roles = " and ".join(dict.fromkeys(call.role for call in (made, used) if call is not None and call.role))
    by = f" by {roles}" if roles else ""
    return f"call {found.produced} showed {found.value!r}, and call {found.consumed} took it as {found.at}{by}"
