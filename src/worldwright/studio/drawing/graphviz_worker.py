"""The process that lays out: diagrams as JSON on standard input, layouts as JSON on standard output."""

from __future__ import annotations

import json
import sys
from itertools import pairwise
from typing import Any

import pygraphviz

POINTS_PER_INCH = 72
MARGIN = 8


def lay_out(diagram: dict[str, Any]) -> dict[str, Any]:
    """Lay out one diagram with `dot`: groups are boxes around their members, and lines run around what is in their way."""
    graph = pygraphviz.AGraph(directed=True, strict=False)
    graph.graph_attr.update(rankdir="LR", nodesep="0.14", ranksep="0.5", margin="0", pad="0")
    graph.node_attr.update(shape="box", fixedsize="true", label="")
    graph.edge_attr.update(label="", arrowsize="0.6")
    for number, box in enumerate(diagram["boxes"]):
        size = {side: f"{box[side] / POINTS_PER_INCH:.4f}" for side in ("width", "height")}
        graph.add_node(f"n{number}", **size)
    for group in range(diagram["groups"]):
        members = [f"n{number}" for number, box in enumerate(diagram["boxes"]) if box["group"] == group]
        if members:
            graph.add_subgraph(members, name=f"cluster_{group}", margin="16", label="")
    for number, (source, target) in enumerate(diagram["lines"]):
        graph.add_edge(f"n{source}", f"n{target}", key=str(number))
    for row in diagram["rows"]:
        for left, right in pairwise(row):
            graph.add_edge(f"n{left}", f"n{right}", key=f"row {left}", style="invis", weight="9", minlen="1")
    graph.layout(prog="dot")
    _, _, wide, high = map(float, graph.graph_attr["bb"].split(","))

    def place(x: str, y: str) -> list[int]:
        return [round(float(x)) + MARGIN, round(high - float(y)) + MARGIN]

    lines = []
    for number, (source, target) in enumerate(diagram["lines"]):
        text = graph.get_edge(f"n{source}", f"n{target}", key=str(number)).attr["pos"] or ""
        parts = [part for part in text.split() if not part.startswith(("e,", "s,"))]
        end = next((part for part in text.split() if part.startswith("e,")), "")
        points = [place(*part.split(",")) for part in parts]
        lines.append(_reach(points, place(*end.split(",")[1:])) if end and points else points)
    groups = {}
    for sub in graph.subgraphs():
        left, low, right, top = map(float, sub.graph_attr["bb"].split(","))
        groups[sub.name.removeprefix("cluster_")] = [*place(str(left), str(top)), *place(str(right), str(low))]
    boxes = [place(*graph.get_node(f"n{n}").attr["pos"].split(",")) for n in range(len(diagram["boxes"]))]
    return {
        "width": round(wide) + 2 * MARGIN, "height": round(high) + 2 * MARGIN, "boxes": boxes, "lines": lines, "groups": groups,
    }  # fmt: skip


def _reach(points: list[list[int]], end: list[int]) -> list[list[int]]:
    """Let the last curve end where its arrow ends."""
    return [*points[:-1], end]


def main() -> None:
    json.dump([lay_out(diagram) for diagram in json.load(sys.stdin)], sys.stdout)


if __name__ == "__main__":
    main()
