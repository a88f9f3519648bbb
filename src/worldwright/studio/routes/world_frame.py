"""The frame of every page of one world: the way to it, its tabs, its marks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastapi import Request
from starlette.responses import Response

from worldwright.facts.graph import GRAPH, Graph, graph_of
from worldwright.facts.rows import count_rows
from worldwright.facts.task import TaskFacts, task_facts
from worldwright.facts.world import PolicyFacts, TableFacts, policy_facts, table_facts
from worldwright.studio.context import Studio
from worldwright.studio.opened import OpenWorld
from worldwright.studio.pages import Crumb, link
from worldwright.world.records import ToolSpec

TABS = (
    ("Overview", ""), ("Data", "tables"), ("Entities", "entities"), ("Tools", "tools"), ("Graph", "graph"), ("Rules", "rules"),
    ("Tasks", "tasks"), ("Proof", "proof"), ("Handbook", "handbook"), ("Files", "files"),
)  # fmt: skip


def known_tables(world: OpenWorld) -> dict[str, TableFacts]:
    """The tables by name."""
    pack = world.pack
    return world.get("tables", lambda: {t.name: t for t in table_facts(pack.checked, count_rows(pack.world))})


def known_tools(world: OpenWorld) -> dict[str, ToolSpec]:
    """The tools by name, as agents see them."""
    return world.get("tools", lambda: {t.name: t for t in world.pack.world.tools})


def known_policies(world: OpenWorld) -> dict[str, PolicyFacts]:
    """The policies by name."""
    return world.get("policies", lambda: {p.name: p for p in policy_facts(world.pack.checked)})


def known_tasks(world: OpenWorld) -> dict[str, TaskFacts]:
    """The tasks by id."""
    return world.get("tasks", lambda: {t.id: t for t in task_facts(world.pack)})


def known_graph(world: OpenWorld) -> Graph | None:
    """The tool graph; None where the pack has none."""
    return world.get("graph", lambda: graph_of(world.pack.pack) if GRAPH in world.pack.pack.files else None)


def known_operations(world: OpenWorld) -> dict[str, list[str]]:
    """By operation, the tools that stand for it."""

    def gather() -> dict[str, list[str]]:
        out: dict[str, list[str]] = {}
        for tool in known_tools(world):
            out.setdefault(world.pack.operation(tool), []).append(tool)
        return out

    return world.get("operations", gather)


def tool_url(world: OpenWorld) -> Callable[[str], str]:
    """The page of the tool that stands for an operation."""
    tools = known_operations(world)
    return lambda operation: link("world", world.digest, "tools", tools.get(operation, [operation])[0])


def render_world(
    studio: Studio, request: Request, world: OpenWorld, tab: str, template: str, *beyond: Crumb, **values: Any
) -> Response:
    """A page of a world: under one of its tabs, and perhaps one thing further in."""
    manifest, blueprint = world.pack.pack.manifest, world.pack.checked.blueprint
    numbers = {
        "Data": len(known_tables(world)), "Tools": len(known_tools(world)), "Rules": len(known_policies(world)),
        "Tasks": len(world.pack.world.book.ids),
    }  # fmt: skip
    tabs = [(name, link("world", world.digest, *([part] if part else [])), numbers.get(name)) for name, part in TABS]
    here = next(url for name, url, _ in tabs if name == tab)
    own = Crumb(blueprint.title, link("world", world.digest))
    crumbs = [Crumb("Shelf", "/"), own]
    crumbs += [Crumb(tab, here)] if beyond or tab != "Overview" else []
    crumbs += beyond
    values.setdefault("title", crumbs[-1].name if beyond else blueprint.title)
    return studio.pages.render(
        request,
        template,
        crumbs,
        world=world,
        manifest=manifest,
        digest=world.digest,
        blueprint=blueprint,
        tabs=tabs,
        tab=tab,
        **values,
    )
