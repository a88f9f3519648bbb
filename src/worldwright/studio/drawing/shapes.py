"""The shapes that pictures of graphs are made of."""

from __future__ import annotations

from collections.abc import Sequence

from worldwright.core.names import to_words
from worldwright.rollout.report.markup import Markup, tag
from worldwright.studio.drawing.layout import Layout, Point

LETTER, HEIGHT, PADDING = 6.7, 24, 18
MAX_NAME_CHARS = 34


def measure_name(name: str) -> int:
    """The width of a box for a name."""
    return round(min(len(name), MAX_NAME_CHARS) * LETTER) + PADDING


def draw_group(layout: Layout, at: int, name: str) -> Markup:
    """Draw the box of a group with its name."""
    left, top, right, bottom = layout.groups[at]
    box = tag("rect", x=left, y=top, width=right - left, height=bottom - top, rx=8)
    return tag("g", box, tag("text", to_words(name), x=left + 8, y=top + 12), class_="group", data_group=name)


def draw_arrow(picture: str) -> Markup:
    """Define the head of arrows, under a name of the picture's own."""
    shape = tag("path", d="M0 0L8 4L0 8Z")
    place = {"viewBox": "0 0 8 8", "refX": 7, "refY": 4, "markerWidth": 7, "markerHeight": 7, "orient": "auto"}
    return tag("defs", tag("marker", shape, id=f"{picture}-arrow", class_="arrow", **place))


def point_with(picture: str) -> str:
    """What a line names as its arrow."""
    return f"url(#{picture}-arrow)"


def write_path(points: Sequence[Point]) -> str:
    """Write a run of Bezier curves as an SVG path."""
    start, *rest = points
    curves = [rest[at : at + 3] for at in range(0, len(rest) - 2, 3)]
    return f"M{start[0]} {start[1]}" + "".join("C" + " ".join(f"{x} {y}" for x, y in curve) for curve in curves)
