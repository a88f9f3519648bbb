"""The tool graph as a picture: sub-domains as boxes, tools in them, and the links that runs have shown.

The layout goes by the links between tools that change something: what follows what. Links of searches are drawn too, and shown when
one points at a tool or asks for all.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from worldwright.core.names import to_words
from worldwright.english.nouns import count_noun
from worldwright.facts.graph import Edge, Graph
from worldwright.rollout.report.charts import draw_svg
from worldwright.rollout.report.markup import Markup, tag, truncate
from worldwright.studio.drawing.layout import Box, Diagram, Layout, lay_out
from worldwright.studio.drawing.shapes import (
    HEIGHT,
    MAX_NAME_CHARS,
    draw_arrow,
    draw_group,
    measure_name,
    point_with,
    write_path,
)

PICTURE = "tool-graph"
MAX_IN_ROW = 5


@dataclass(frozen=True, slots=True)
class ToolLink:
    """Everything that passes from one tool to another."""

    source: str
    target: str
    edges: tuple[Edge, ...]
    follows: bool
    """Whether both change something."""

    @property
    def says(self) -> str:
        inputs = ", ".join(
            dict.fromkeys(
                f"{e.input} ({e.entity})" if e.kind == "value" else f"{e.entity}.{e.column}" for e in self.edges
            )
        )
        return f"{self.source} feeds {self.target}: {inputs}"


def group_links(graph: Graph) -> tuple[ToolLink, ...]:
    """The links of a graph, pair by pair."""
    changing = {node.tool for node in graph.nodes if node.mutates}
    pairs: dict[tuple[str, str], list[Edge]] = {}
    for edge in graph.edges:
        pairs.setdefault((edge.source, edge.target), []).append(edge)
    return tuple(
        ToolLink(a, b, tuple(edges), a in changing and b in changing) for (a, b), edges in pairs.items() if a != b
    )


def draw_tool_graph(graph: Graph, url_of: Callable[[str], str]) -> Markup:
    """Draw a graph; each tool is a link to its page."""
    systems = {node.tool: node.system for node in graph.nodes}
    tools = {node.tool: node.sub_domain for node in graph.nodes}
    changing = {node.tool for node in graph.nodes if node.mutates}
    links = [(link.source, link.target, link.follows, link.says) for link in group_links(graph)]
    words = f"{count_noun(len(tools), 'tool')} and {count_noun(len(links), 'link')}; the list below says each of them"
    return draw_links(tools, changing, links, url_of, words, systems)


def draw_links(
    tools: Mapping[str, str],
    changing: Collection[str],
    links: Sequence[tuple[str, str, bool, str]],
    url_of: Callable[[str], str],
    words: str,
    systems: Mapping[str, str] | None = None,
    proven: Collection[tuple[str, str]] | None = None,
) -> Markup:
    """Draw tools by sub-domain and links between them. With `proven`, the others are drawn as not shown yet."""
    names, groups = list(tools), list(dict.fromkeys(tools.values()))
    number = {name: at for at, name in enumerate(names)}
    boxes = tuple(Box(measure_name(name), HEIGHT, groups.index(tools[name])) for name in names)
    known = [link for link in links if link[0] in number and link[1] in number]
    follows = [(number[a], number[b]) for a, b, follow, _ in known if follow]
    [layout] = lay_out([Diagram(boxes, tuple(follows), len(groups), _make_rows(boxes, follows, len(groups)))])
    routed = dict(zip(follows, layout.lines, strict=True))
    parts = [draw_group(layout, at, group) for at, group in enumerate(groups) if at in layout.groups]
    for source, target, follow, says in known:
        a, b = number[source], number[target]
        points = routed.get((a, b)) if follow else None
        path = write_path(points) if points else _reach(boxes, layout, a, b)
        shown = "link follows" if follow else "link lookup"
        state = "" if proven is None else " proven" if (source, target) in proven else " open"
        parts.append(
            tag("path", tag("title", says), d=path, class_=shown + state, data_from=source, data_to=target,
                marker_end=point_with(PICTURE))
        )  # fmt: skip
    for name, box, (x, y) in zip(names, boxes, layout.boxes, strict=True):
        kind = "tool writes" if name in changing else "tool reads"
        inner = [
            tag("rect", x=x - box.width / 2, y=y - HEIGHT / 2, width=box.width, height=HEIGHT, rx=4 if name in changing else 12),
            tag("text", truncate(name, MAX_NAME_CHARS), x=x, y=y + 4, text_anchor="middle"),
        ]  # fmt: skip
        told = f"{to_words(name)}, {'changes something' if name in changing else 'reads'}, {tools[name]}"
        parts.append(
            tag("a", tag("title", told), *inner, href=url_of(name), class_=kind, data_tool=name, data_group=tools[name],
                data_system=(systems or {}).get(name, ""))
        )  # fmt: skip
    drawing = [draw_arrow(PICTURE), tag("g", *parts, class_="stage")]
    return draw_svg("Which tool feeds which", words, PICTURE, layout.width, layout.height, drawing)


def _make_rows(boxes: Sequence[Box], lines: Sequence[tuple[int, int]], groups: int) -> tuple[tuple[int, ...], ...]:
    """Set the boxes of each group that no line ties to others in rows, about as wide as they are high."""
    tied = {end for line in lines for end in line}
    out: list[tuple[int, ...]] = []
    for group in range(groups):
        loose = [at for at, box in enumerate(boxes) if box.group == group and at not in tied]
        long = max(1, min(MAX_IN_ROW, round((1.5 * len(loose)) ** 0.5)))
        out += [tuple(loose[at : at + long]) for at in range(0, len(loose), long)]
    return tuple(out)


def _reach(boxes: Sequence[Box], layout: Layout, a: int, b: int) -> str:
    """A curve from the side of one box to the side of another, for what the layout did not route."""
    (ax, ay), (bx, by) = layout.boxes[a], layout.boxes[b]
    right = bx >= ax
    start = ax + (boxes[a].width // 2) * (1 if right else -1)
    end = bx - (boxes[b].width // 2) * (1 if right else -1)
    bend = max(30, abs(end - start) // 2) * (1 if right else -1)
    return f"M{start} {ay}C{start + bend} {ay} {end - bend} {by} {end} {by}"
