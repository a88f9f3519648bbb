"""Small pictures of how much there is by now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from worldwright.rollout.report.charts import draw_svg
from worldwright.rollout.report.markup import Markup, tag, truncate

WIDTH, HEIGHT = 520, 120
ROW, NAME, VALUE = 17, 150, 52


def draw_growth(points: Sequence[tuple[str, int]], name: str) -> Markup:
    """Draw how many rows there were as history went on, month by month."""
    most = max((rows for _, rows in points), default=1) or 1
    left, right, top, bottom = 44, WIDTH - 8, 8, HEIGHT - 20
    step = (right - left) / max(1, len(points) - 1)
    at = [(left + step * n, bottom - (bottom - top) * rows / most) for n, (_, rows) in enumerate(points)]
    area = (
        f"{left},{bottom} " + " ".join(f"{x:.1f},{y:.1f}" for x, y in at) + f" {at[-1][0] if at else left:.1f},{bottom}"
    )
    parts = [
        tag("line", x1=left, x2=right, y1=bottom, y2=bottom, class_="grid"),
        tag("text", f"{most:,}", x=left - 6, y=top + 4, class_="tick", text_anchor="end"),
        tag("text", "0", x=left - 6, y=bottom + 4, class_="tick", text_anchor="end"),
        tag("polygon", points=area, class_="band"),
        tag("polyline", points=" ".join(f"{x:.1f},{y:.1f}" for x, y in at), class_="line"),
    ]
    for (reached, rows), (x, y) in zip(points, at, strict=True):
        parts.append(tag("circle", tag("title", f"{reached}: {rows:,} rows"), cx=x, cy=y, r=2.5, class_="dot"))
    if points:
        parts.append(tag("text", points[0][0], x=left, y=HEIGHT - 4, class_="tick"))
        parts.append(tag("text", points[-1][0], x=right, y=HEIGHT - 4, class_="tick", text_anchor="end"))
    words = "; ".join(f"{reached}: {rows:,}" for reached, rows in points)
    return draw_svg("Rows as history goes on", words, name, WIDTH, HEIGHT, [tag("g", *parts, class_="c0")], True)


def draw_amounts(amounts: Mapping[str, int], name: str, title: str) -> Markup:
    """Draw a bar for each of some amounts, the largest first."""
    ordered = sorted(amounts.items(), key=lambda pair: (-pair[1], pair[0]))
    most = max(amounts.values(), default=1) or 1
    parts = []
    for at, (label, value) in enumerate(ordered):
        y, wide = at * ROW, (WIDTH - NAME - VALUE) * value / most
        bar = tag("rect", x=NAME, y=y + 3, width=max(1.0, wide), height=ROW - 6, class_="bar", rx=1)
        parts.append(
            tag(
                "g",
                tag("title", f"{label}: {value:,}"),
                tag("text", truncate(label, 22), x=NAME - 8, y=y + 12, text_anchor="end", class_="tick"),
                bar,
                tag("text", f"{value:,}", x=NAME + wide + 6, y=y + 12, class_="tick"),
            )
        )
    words = "; ".join(f"{label}: {value:,}" for label, value in ordered)
    return draw_svg(title, words, name, WIDTH, max(1, ROW * len(ordered)), parts, True)
