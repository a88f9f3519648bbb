"""`inspect --graph` on the screen: the tools by sub-domain with what they feed, or one tool with the proof of each edge."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.text import Text

from worldwright.cli.terminal.console import escape, format_value, heading, print_folded, print_hanging
from worldwright.facts.graph import CitedCall, Domain, Edge, Graph, Node

ARROWS = {(3, "value"): "━━▶", (2, "value"): "──▶", (2, "effect"): "┄┄▶"}
STYLES = {3: "bold yellow", 2: "cyan"}


def show_graph(screen: Console, graph: Graph) -> None:
    f = graph.figures
    proven = f"{f.get('nodes', 0)} tools, {f.get('strong', 0)} strong and {f.get('weak', 0)} weak edges, each seen in an execution"
    heading(screen, "graph", proven)
    for weight, kind, says in (
        (3, "value", "strong: a required input that can come only from there"),
        (2, "value", "weak: an input that can come from there, and from elsewhere"),
        (2, "effect", "weak: changes a column that a guard of the other reads"),
    ):
        screen.print(Text.assemble("  ", _mark(weight, kind), (f"  {says}", "dim")))
    for domain in graph.sub_domains:
        _show_domain(screen, graph, domain)
    screen.print()
    left = f"{len(graph.unproven)} proposed edges were never seen and are no edges; `--graph TOOL` names them and shows the proofs"
    print_hanging(screen, Text(left, "dim"), 0)


def _show_domain(screen: Console, graph: Graph, domain: Domain) -> None:
    heading(screen, escape(domain.name.replace("_", " ")), f"{len(domain.tools)} tools")
    about = [escape(e) for e in domain.entities]
    if about:
        print_folded(screen, [f"about {about[0]}", *about[1:]], 2, "dim")
    for node in graph.nodes:
        if node.tool in domain.tools:
            _show_node(screen, node, [e for e in graph.edges if e.source == node.tool])


def _show_node(screen: Console, node: Node, edges: Sequence[Edge]) -> None:
    kind = ("write", "yellow") if node.mutates else ("read ", "green")
    who = escape(", ".join(node.roles)) or "anyone"
    screen.print(Text.assemble("  ", (f"{escape(node.tool):<22}  ", "bold"), kind, (f"  {who}", "dim")))
    for weight, how in dict.fromkeys(
        (e.weight, e.kind) for e in sorted(edges, key=lambda e: (-e.weight, e.kind == "effect"))
    ):
        fed = _list_fed([e for e in edges if (e.weight, e.kind) == (weight, how)])
        _arrow_list(screen, _mark(weight, how), fed, 6)


def _list_fed(edges: Sequence[Edge]) -> list[str]:
    """List what edges feed: `place_order prices`, the inputs of one tool together; of an effect, the columns."""
    out: dict[str, list[str]] = {}
    for e in edges:
        said = out.setdefault(e.target, [])
        if (e.column or e.input) not in said:
            said.append(e.column or e.input)
    return [escape(f"{target} ({', '.join(inputs)})") for target, inputs in out.items()]


def _arrow_list(screen: Console, mark: Text, parts: Sequence[str], indent: int) -> None:
    """A folded list whose first line starts with an arrow."""
    start = indent + mark.cell_len + 1
    text = ", ".join(p.replace(" ", "\xa0") for p in parts)
    for i, line in enumerate(textwrap.wrap(text, max(24, screen.width - start), break_on_hyphens=False)):
        lead = mark if i == 0 else Text(" " * mark.cell_len)
        screen.print(Text(" " * indent) + lead + Text(" " + line.replace("\xa0", " ")))


def _mark(weight: int, kind: str) -> Text:
    return Text(f"{weight} {ARROWS.get((weight, kind), '-->')}", STYLES.get(weight, ""))


# one tool


def show_tool_graph(screen: Console, graph: Graph, tool: str) -> None:
    """The edges into and out of a tool, each with the two calls that prove it."""
    for node in graph.nodes:
        kind = "writes" if node.mutates else "reads"
        who = ", ".join(node.roles) or "anyone"
        screen.print()
        facts = f"  {node.system}, {kind}, for {who}; sub-domain {node.sub_domain}"
        screen.print(Text.assemble((escape(tool), "bold"), (escape(facts), "dim")))
        takes = [f"{t.get('input')}: {t.get('entity')}{'' if t.get('required') else '?'}" for t in node.takes]
        _facts(screen, "takes ids", takes)
        _facts(screen, "brings ids of", node.brings)
    calls = {(c.walk, c.number): c for c in graph.calls}
    into = [e for e in graph.edges if e.target == tool]
    out = [e for e in graph.edges if e.source == tool]
    _show_edges(screen, "feeds it", into, calls, incoming=True)
    _show_edges(screen, "it feeds", out, calls, incoming=False)
    if graph.unproven:
        heading(screen, "unproven", "proposed by types and effects, never seen")
        for side, names in (
            ("from", _names(e.source for e in graph.unproven if e.target == tool)),
            ("to", _names(e.target for e in graph.unproven if e.source == tool)),
        ):
            if names:
                print_folded(screen, [f"{side} {names[0]}", *names[1:]], 2, "dim")


def _facts(screen: Console, title: str, parts: Sequence[str]) -> None:
    if parts:
        print_folded(screen, [escape(p) for p in (f"{title} {parts[0]}", *parts[1:])], 0)


def _names(names: Iterable[str]) -> list[str]:
    return [escape(name) for name in dict.fromkeys(names)]


def _show_edges(
    screen: Console, title: str, edges: Sequence[Edge], calls: dict[tuple[int, int], CitedCall], incoming: bool
) -> None:
    if not edges:
        return
    heading(screen, title, f"{len(edges)} edges")
    for e in sorted(edges, key=lambda e: (-e.weight, e.kind == "effect")):
        where = f"{e.entity}.{e.column}, read through {e.input}" if e.column else e.input
        mark, other = _mark(e.weight, e.kind), (escape(e.source if incoming else e.target), "bold")
        parts = (mark[:2], other, " ", mark[2:]) if incoming else (mark, " ", other, " ")
        screen.print(Text.assemble("  ", *parts, f" {escape(where)}"))
        v = e.evidence
        if v is not None:
            seen = (
                format_value(v.value) if not v.row else f"{escape(v.row)} {escape(e.column)} = {format_value(v.value)}"
            )
            _call_line(
                screen, calls.get((v.walk, v.produced)), v.produced, v.walk, f"{'sets' if v.row else 'shows'} {seen}"
            )
            _call_line(screen, calls.get((v.walk, v.consumed)), v.consumed, v.walk, f"takes it as {escape(v.at)}")


def _call_line(screen: Console, call: CitedCall | None, number: int, walk: int, says: str) -> None:
    if call is None:
        screen.print(Text(f"        walk {walk} call {number} is not in the file", "red"))
        return
    start = f"        walk {walk} call {number:>3}  {escape(call.role) or 'anyone'}: "
    room = max(20, screen.width - len(start) - len(says) - 2)
    text = escape(f"{call.tool} {json.dumps(call.arguments, ensure_ascii=False)}")
    cut = text if len(text) <= room else text[: room - 1] + "…"
    screen.print(Text.assemble((start, "dim"), cut, (f"  {says}", "green")), no_wrap=True, overflow="ellipsis")
