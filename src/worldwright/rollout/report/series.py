"""A measure over the steps of something, as a small chart: one line for each series, with the mean of neighbours over it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from worldwright.rollout.report.charts import draw_svg
from worldwright.rollout.report.facts import format_amount
from worldwright.rollout.report.markup import Markup, join_markup, tag

WIDTH, HEIGHT = 320.0, 170.0
LEFT, RIGHT, TOP, BOTTOM = 62.0, WIDTH - 8, 10.0, HEIGHT - 22
MAX_POINTS = 400
"""Of a longer series neighbours are taken together."""
SMOOTHED = 30
"""A series with more points gets a line through the means of neighbours."""

Series = Sequence[tuple[float, float]]


def draw_series(title: str, series: Mapping[str, Series], name: str) -> Markup:
    """Draw some series over the same steps; the axis holds all of their values."""
    drawn = {label: thin_out(points) for label, points in series.items() if points}
    values = [value for points in drawn.values() for _, value in points]
    steps = [step for points in drawn.values() for step, _ in points]
    if not values:
        return Markup("")
    low, high = _choose_bounds(min(values), max(values))
    first, last = min(steps), max(max(steps), min(steps) + 1)

    def x(step: float) -> float:
        return LEFT + (RIGHT - LEFT) * (step - first) / (last - first)

    def y(value: float) -> float:
        return BOTTOM - (BOTTOM - TOP) * (value - low) / (high - low)

    parts = [_draw_level(value, y(value)) for value in (low, (low + high) / 2, high)]
    parts += [tag("text", f"{first:,.0f}", x=LEFT, y=HEIGHT - 6, class_="tick")]
    parts += [tag("text", f"{max(steps):,.0f}", x=RIGHT, y=HEIGHT - 6, class_="tick", text_anchor="end")]
    words = []
    for number, (label, points) in enumerate(drawn.items()):
        line = " ".join(f"{x(step):.1f},{y(value):.1f}" for step, value in points)
        inner = [tag("polyline", points=line, class_="line faint" if len(points) > SMOOTHED else "line")]
        if len(points) > SMOOTHED:
            means = " ".join(f"{x(step):.1f},{y(value):.1f}" for step, value in smooth(points))
            inner.append(tag("polyline", points=means, class_="line"))
        step, value = points[-1]
        inner.append(
            tag(
                "circle",
                tag("title", f"{label}, step {step:,.0f}: {format_amount(value)}"),
                cx=x(step),
                cy=y(value),
                r=3,
                class_="dot",
            )
        )
        parts.append(tag("g", *inner, class_=f"c{number % 6}"))
        words.append(f"{label}: from {format_amount(points[0][1])} to {format_amount(value)} in {len(points):,} points")
    return draw_svg(title, "; ".join(words), name, WIDTH, HEIGHT, [join_markup(parts)])


def _draw_level(value: float, y: float) -> Markup:
    line = tag("line", x1=LEFT, x2=RIGHT, y1=y, y2=y, class_="grid")
    return join_markup([line, tag("text", format_amount(value), x=LEFT - 6, y=y + 4, class_="tick", text_anchor="end")])


def _choose_bounds(low: float, high: float) -> tuple[float, float]:
    """An axis that holds all values: shares from 0 to 1, others with a little room, from 0 where that is near."""
    if low >= 0 and high <= 1 and high > 0.05:
        return 0.0, 1.0
    room = (high - low) * 0.06 or abs(high) * 0.1 or 1.0
    return (0.0 if 0 <= low <= high / 3 else low - room), high + room


def thin_out(points: Series) -> list[tuple[float, float]]:
    """Take neighbours together where there are more than can be drawn."""
    size = -(-len(points) // MAX_POINTS)
    groups = (points[at : at + size] for at in range(0, len(points), size)) if size > 1 else ([one] for one in points)
    return [(group[-1][0], sum(value for _, value in group) / len(group)) for group in groups]


def smooth(points: Series) -> list[tuple[float, float]]:
    """The mean of each point and its neighbours."""
    reach = max(1, len(points) // 20)
    out = []
    for at, (step, _) in enumerate(points):
        near = points[max(0, at - reach) : at + reach + 1]
        out.append((step, sum(value for _, value in near) / len(near)))
    return out
