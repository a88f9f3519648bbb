"""A world looked at: all of it in sections, or the parts that were asked for, on the screen or as one document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from worldwright.blueprint.effects import effects
from worldwright.cli.inputs.options import WHOLE_GRAPH
from worldwright.cli.terminal.console import Screen
from worldwright.cli.terminal.messages import print_json
from worldwright.cli.views.graph import show_graph, show_tool_graph
from worldwright.cli.views.part import show_table, show_tool
from worldwright.cli.views.task import show_tasks
from worldwright.cli.views.world import (
    show_header,
    show_lifecycles,
    show_mess,
    show_policies,
    show_samples,
    show_tables,
    show_tools,
)
from worldwright.core.errors import UsageError
from worldwright.core.names import suggest
from worldwright.facts.datasheet import read_datasheet
from worldwright.facts.graph import graph_document, graph_of, select_around
from worldwright.facts.opened import OpenedPack, open_named
from worldwright.facts.rows import count_rows, sample_rows
from worldwright.facts.task import task_facts
from worldwright.facts.world import TableFacts, mess_facts, policy_facts, table_facts, world_facts
from worldwright.world.records import ToolSpec

SAMPLED_TABLES = 4


def run_inspect(
    pack: str,
    table: str | None,
    tool: str | None,
    policies: bool,
    graph: str | None,
    rows: int | None,
    as_json: bool,
) -> None:
    """Show a world, or the parts of it that were asked for."""
    opened = open_named(pack)
    tables = {t.name: t for t in table_facts(opened.checked, count_rows(opened.world))}
    tools = {t.name: t for t in opened.world.tools}
    centre = None if graph in (None, WHOLE_GRAPH) else opened.operation(str(graph))
    operations = opened.checked.operations
    for word, name, known in (("table", table, tables), ("tool", tool, tools), ("tool", centre, operations)):
        if name is not None and name not in known:
            raise UsageError(f"this world has no {word} `{name}`; {suggest(name, known)}")
    if as_json:
        print_json(_document(opened, tables, tools, table, tool, policies, graph, rows))
        return
    screen = Screen()
    world = world_facts(opened)
    drawn = graph_of(opened.pack) if graph is not None else None
    parts = table is not None or tool is not None or policies or drawn is not None
    show_header(screen, world, short=parts)
    if table is not None:
        show_table(screen, tables[table], sample_rows(opened.world, table, 5 if rows is None else rows))
    if tool is not None:
        show_tool(screen, opened.checked, tools[tool], opened.operation(tool), _source(opened, tool))
    if policies:
        show_policies(screen, policy_facts(opened.checked), full=True)
    if drawn is not None and centre is not None:
        show_tool_graph(screen, select_around(drawn, centre), centre)
    elif drawn is not None:
        show_graph(screen, drawn)
    if not parts:
        show_tables(screen, list(tables.values()), world.systems)
        show_lifecycles(screen, list(tables.values()))
        show_tools(screen, opened.checked, list(tools.values()), world.systems, {t: opened.operation(t) for t in tools})
        show_policies(screen, policy_facts(opened.checked))
        show_tasks(screen, task_facts(opened), read_datasheet(opened.pack))
        show_mess(screen, mess_facts(opened.pack))
        samples = _samples(opened, tables, 2 if rows is None else rows)
        if samples:
            show_samples(screen, samples)


def _source(opened: OpenedPack, tool: str) -> str:
    return opened.pack.files.get(f"tools/{opened.operation(tool)}.py", b"").decode(errors="backslashreplace")


def _samples(opened: OpenedPack, tables: Mapping[str, TableFacts], rows: int) -> dict[str, list[dict[str, Any]]]:
    """Rows of the tables that tell most: those whose rows live through states, the fullest first."""
    chosen = sorted(tables.values(), key=lambda t: (not t.lifecycle, -t.rows))[:SAMPLED_TABLES]
    return {t.name: sample_rows(opened.world, t.name, rows) for t in chosen} if rows else {}


def _document(
    opened: OpenedPack,
    tables: Mapping[str, TableFacts],
    tools: Mapping[str, ToolSpec],
    table: str | None,
    tool: str | None,
    policies: bool,
    graph: str | None,
    rows: int | None,
) -> dict[str, Any]:
    out: dict[str, Any] = {"world": asdict(world_facts(opened))}
    if table is not None:
        out["table"] = asdict(tables[table]) | {"sample": sample_rows(opened.world, table, 5 if rows is None else rows)}
    if tool is not None:
        out["tool"] = _tool(opened, tools[tool]) | {"source": _source(opened, tool)}
    if policies:
        out["policies"] = [asdict(p) for p in policy_facts(opened.checked)]
    if graph is not None:
        found = graph_of(opened.pack)
        out["graph"] = graph_document(found if graph == WHOLE_GRAPH else select_around(found, opened.operation(graph)))
    if len(out) > 1:
        return out
    return out | {
        "tables": [asdict(t) for t in tables.values()],
        "tools": [_tool(opened, t) for t in tools.values()],
        "policies": [asdict(p) for p in policy_facts(opened.checked)],
        "tasks": [asdict(t) for t in task_facts(opened)],
        "mess": [asdict(m) for m in mess_facts(opened.pack)],
        "samples": _samples(opened, tables, 2 if rows is None else rows),
    }


def _tool(opened: OpenedPack, spec: ToolSpec) -> dict[str, Any]:
    found = effects(opened.checked, opened.operation(spec.name))
    return {
        "name": spec.name,
        "description": spec.description,
        "system": spec.system,
        "roles": list(spec.roles),
        "mutates": spec.mutates,
        "input_schema": spec.input_schema,
        "output_schema": spec.output_schema,
        "codes": list(found.codes),
        "policies": list(found.policies),
        "guards": [asdict(g) for g in found.guards],
        "writes": [asdict(w) for w in found.writes],
        "reads": [{"table": e, "column": c} for e, c in found.reads],
    }
