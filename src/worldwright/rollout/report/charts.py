"""Small charts as SVG: bars with intervals, curves with bands, panels, heat maps, shares. Colours come from the page's style.

Each chart has a title and a description for those who cannot see it, and every mark says its numbers when it is pointed at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from worldwright.rollout.report.links import link_drawn
from worldwright.rollout.report.markup import Markup, join_markup, tag, truncate
from worldwright.rollout.stats import Group, PassPoint, Rate

WIDTH = 960.0
ROW = 28.0
LETTER = 7.8
"""The width of a letter, about: names are aligned by it."""
SMALL = 6.8
"""The same of the letters below an axis."""
MAX_NAME_CHARS = 30
"""Letters of a name that are shown."""


_Place = Callable[[float], float]
UrlOf = Callable[[str], str]
"""Where a bar leads, by its name; empty for nowhere."""


class Curve(NamedTuple):
    name: str
    points: Sequence[PassPoint]
    colour: int


def format_percent(value: float | None) -> str:
    """Format `57%`; a rate that is not all is never shown as 100, and one that is not nothing never as 0."""
    if value is None:
        return "–"
    if 0 < value < 0.005:
        return "<1%"
    return ">99%" if 0.995 <= value < 1 else f"{value * 100:.0f}%"


def format_interval(found: Rate | PassPoint) -> str:
    """Format `53 to 60%`."""
    return f"{found.low * 100:.0f} to {found.high * 100:.0f}%"


def describe_rate(name: str, found: Rate) -> str:
    """A rate in words, for those who point at it."""
    if not found.judged:
        return f"{name}: no episode was judged"
    more = f", {found.errors:,} more without a verdict" if found.errors else ""
    of = f"{found.passed:,} of {found.judged:,} episodes of {found.tasks:,} tasks"
    return f"{name}: {format_percent(found.value)} ({format_interval(found)}), {of}{more}"


def draw_bars(
    title: str, groups: Sequence[Group], name: str, most: float = 1.0, url_of: UrlOf = lambda label: ""
) -> Markup:
    """A bar for each rate, with its interval, its value and how many episodes it rests on. The axis ends at `most`, and a bar
    leads where `url_of` says."""
    left = _measure_margin(g.name for g in groups)
    right = WIDTH - 190
    height = ROW * len(groups) + 26
    parts = [_scale(left, right, ROW * len(groups) + 4, most)]
    for at, group in enumerate(groups):
        parts.append(link_drawn(_bar(group, ROW * at + 4, left, right, most), url_of(group.name)))
    words = "; ".join(describe_rate(g.name, g.rate) for g in groups)
    return draw_svg(title, words, name, WIDTH, height, parts)


def _bar(group: Group, y: float, left: float, right: float, most: float) -> Markup:
    found, width, middle = group.rate, (right - left) / most, y + ROW / 2 - 2
    parts = [tag("title", describe_rate(group.name, found)), _name(group.name, left - 12, middle + 4)]
    if found.value is None:
        parts.append(tag("text", "none judged", x=left + 6, y=middle + 4, class_="quiet"))
    else:
        parts += [
            tag("rect", x=left, y=middle - 7, width=width * found.value, height=14, class_="bar", rx=1),
            _draw_whisker(left + width * found.low, min(left + width * found.high, right), middle),
            tag("text", format_percent(found.value), x=right + 48, y=middle + 4, class_="value", text_anchor="end"),
            tag("text", f"{found.passed:,} of {found.judged:,}", x=right + 60, y=middle + 4, class_="quiet"),
        ]
    return tag("g", *parts)


def draw_dots(title: str, names: Sequence[str], series: Sequence[tuple[str, Mapping[str, Rate]]], name: str) -> Markup:
    """The same groups of several runs: a point with its interval for each, one below the other."""
    left, right = _measure_margin(names), WIDTH - 190
    step = 18.0
    block = step * len(series) + 14
    parts = [_scale(left, right, block * len(names) + 4)]
    words = []
    for at, group in enumerate(names):
        top = block * at + 8
        parts.append(_name(group, left - 12, top + step * len(series) / 2 + 4))
        for number, (run, rates) in enumerate(series):
            found = rates.get(group)
            if found is None or found.value is None:
                continue
            words.append(describe_rate(f"{group}, {run}", found))
            y, width = top + step * number + step / 2, right - left
            parts.append(
                tag(
                    "g",
                    tag("title", words[-1]),
                    _draw_whisker(left + width * found.low, left + width * found.high, y),
                    tag("circle", cx=left + width * found.value, cy=y, r=4.5, class_="dot"),
                    tag("text", format_percent(found.value), x=right + 48, y=y + 4, class_="value", text_anchor="end"),
                    tag("text", truncate(run, 17), x=right + 60, y=y + 4, class_="named"),
                    class_=f"c{number % 6}",
                )
            )
    return draw_svg(title, "; ".join(words), name, WIDTH, block * len(names) + 30, parts)


def draw_curves(
    title: str, found: Sequence[Curve], name: str, width: float = WIDTH, height: float = 300, axis: str = "k attempts"
) -> Markup:
    """Curves over k with their bands, each named where it ends."""
    most = max(len(c.points) for c in found)
    longest = max(min(len(c.name), 22) for c in found)
    left, right, top, bottom = 44.0, width - 24 - (longest + 5) * LETTER, 12.0, height - 34

    def x(k: float) -> float:
        return left + (right - left) * (k - 1) / max(1, most - 1)

    def y(value: float) -> float:
        return bottom - (bottom - top) * value

    parts = [_levels(left, right, y)]
    parts += [
        tag("text", str(k), x=x(k), y=bottom + 18, class_="tick", text_anchor="middle") for k in _choose_ticks(most)
    ]
    parts.append(tag("text", axis, x=(left + right) / 2, y=height - 2, class_="tick", text_anchor="middle"))
    ends = _spread_labels([(c.points[-1].k, y(c.points[-1].value)) for c in found], 17)
    words = []
    for curve, end in zip(found, ends, strict=True):
        parts.append(_curve(curve, x, y, end))
        words.append(f"{curve.name}: " + ", ".join(f"k={p.k} {format_percent(p.value)}" for p in curve.points))
    return draw_svg(title, "; ".join(words), name, width, height + 4, parts)


def _curve(curve: Curve, x: _Place, y: _Place, end: float) -> Markup:
    upper = [f"{x(p.k):.1f},{y(p.high):.1f}" for p in curve.points]
    lower = [f"{x(p.k):.1f},{y(p.low):.1f}" for p in reversed(curve.points)]
    last = curve.points[-1]
    parts = [
        tag("polygon", points=" ".join([*upper, *lower]), class_="band"),
        tag("polyline", points=" ".join(f"{x(p.k):.1f},{y(p.value):.1f}" for p in curve.points), class_="line"),
    ]
    for p in curve.points:
        says = f"{curve.name}, k={p.k}: {format_percent(p.value)} ({format_interval(p)}), {p.tasks:,} tasks"
        parts.append(tag("circle", tag("title", says), cx=x(p.k), cy=y(p.value), r=3.5, class_="dot"))
    label = [tag("tspan", format_percent(last.value), class_="value"), f" {truncate(curve.name, 22)}"]
    parts.append(tag("text", *label, x=x(last.k) + 10, y=end + 4, class_="named"))
    return tag("g", *parts, class_=f"c{curve.colour % 6}")


def draw_panel(title: str, groups: Sequence[Group], name: str) -> Markup:
    """A small one: the rate from bucket to bucket, with intervals."""
    width, height = 232.0, 150.0
    left, right, top, bottom = 40.0, width - 4, 10.0, height - 24

    def y(value: float) -> float:
        return bottom - (bottom - top) * value

    step = (right - left) / len(groups)
    parts = [_levels(left, right, y, (0, 0.5, 1))]
    judged = [(left + step * (at + 0.5), g) for at, g in enumerate(groups)]
    path = " ".join(f"{x:.1f},{y(g.rate.value):.1f}" for x, g in judged if g.rate.value is not None)
    parts.append(tag("polyline", points=path, class_="line thin"))
    for (x, group), label in zip(judged, _shorten_labels([g.name for g in groups], step), strict=True):
        inner = [tag("title", describe_rate(f"{title} {group.name}", group.rate))]
        inner.append(tag("rect", x=x - step / 2, y=top, width=step, height=bottom - top, class_="touch"))
        if group.rate.value is not None:
            inner.append(tag("line", x1=x, x2=x, y1=y(group.rate.low), y2=y(group.rate.high), class_="whisker"))
            inner.append(tag("circle", cx=x, cy=y(group.rate.value), r=4, class_="dot"))
        inner.append(tag("text", label, x=x, y=bottom + 17, class_="tick", text_anchor="middle"))
        parts.append(tag("g", *inner))
    words = "; ".join(describe_rate(g.name, g.rate) for g in groups)
    return draw_svg(f"Pass rate by {title}", words, name, width, height, [tag("g", *parts, class_="c0")])


def _shorten_labels(names: Sequence[str], step: float) -> list[str]:
    """Shorten labels to what there is room for: every name, or every other one where all are short, or their beginnings."""
    wide = max(map(len, names)) * SMALL
    if wide <= step:
        return list(names)
    if wide <= 6 * SMALL:
        each = int(wide // step) + 1
        return [name if at % each == 0 else "" for at, name in enumerate(names)]
    return [truncate(name, max(3, int(step / SMALL))) for name in names]


def draw_heatmap(
    title: str, rows: Sequence[str], columns: Sequence[str], cells: Mapping[tuple[str, str], Rate], name: str
) -> Markup:
    """A cell for each pair, the darker the higher its rate."""
    left, top, tall = _measure_margin(rows), 26.0, 40.0
    wide = min(150.0, (WIDTH - left) / max(1, len(columns)))
    parts = [
        tag("text", column, x=left + wide * (at + 0.5), y=16, class_="tick", text_anchor="middle")
        for at, column in enumerate(columns)
    ]
    words = []
    for down, row in enumerate(rows):
        y = top + tall * down
        parts.append(_name(row, left - 12, y + tall / 2 + 4))
        for over, column in enumerate(columns):
            found = cells.get((row, column))
            parts.append(_cell(f"{row}, {column}", found, left + wide * over, y, wide, tall))
            if found is not None:
                words.append(describe_rate(f"{row}, {column}", found))
    return draw_svg(title, "; ".join(words), name, WIDTH, top + tall * len(rows) + 4, parts)


def _cell(name: str, found: Rate | None, x: float, y: float, wide: float, tall: float) -> Markup:
    if found is None or found.value is None:
        empty = tag("text", "–", x=x + wide / 2, y=y + tall / 2 + 4, class_="quiet", text_anchor="middle")
        return tag("g", tag("title", f"{name}: nothing was judged"), empty)
    return tag(
        "g",
        tag("title", describe_rate(name, found)),
        tag(
            "rect",
            x=x + 1,
            y=y + 1,
            width=wide - 2,
            height=tall - 2,
            class_="cell",
            fill_opacity=0.05 + 0.6 * found.value,
        ),
        tag(
            "text",
            format_percent(found.value),
            x=x + wide / 2,
            y=y + tall / 2 + 1,
            class_="value",
            text_anchor="middle",
        ),
        tag(
            "text",
            f"n={found.judged:,}",
            x=x + wide / 2,
            y=y + tall / 2 + 14,
            class_="tiny",
            text_anchor="middle",
        ),
    )


def draw_shares(title: str, parts: Mapping[str, float], name: str) -> Markup:
    """Draw one bar in pieces, each named below its beginning."""
    x, out = 0.0, []
    legend = 0.0
    for number, (part, share) in enumerate(parts.items()):
        width = WIDTH * share
        says = f"{part} {share * 100:.1f}%"
        out.append(
            tag(
                "g",
                tag("title", says),
                tag("rect", x=x, y=2, width=max(0.0, width - 1), height=22, class_="piece"),
                tag("rect", x=legend, y=38, width=11, height=11, class_="piece"),
                tag("text", says, x=legend + 17, y=48, class_="named"),
                class_=f"c{number % 6}",
            )
        )
        x += width
        legend += 17 + (len(says) + 4) * LETTER
    words = "; ".join(f"{part} {share * 100:.1f}%" for part, share in parts.items())
    return draw_svg(title, words, name, WIDTH, 56, out)


def draw_counts(
    title: str, found: Sequence[tuple[str, int, str]], name: str, url_of: UrlOf = lambda label: ""
) -> Markup:
    """Bars of how often something happened, with a remark on each; a bar leads where `url_of` says."""
    left, right = _measure_margin((n for n, _, _ in found), 44), WIDTH - 190
    most = max((n for _, n, _ in found), default=1) or 1
    parts = []
    for at, (label, number, remark) in enumerate(found):
        middle = ROW * at + ROW / 2
        drawn = tag(
            "g",
            tag("title", f"{label}: {number:,} episodes, {remark}"),
            _name(label, left - 12, middle + 4, 44),
            tag("rect", x=left, y=middle - 7, width=(right - left) * number / most, height=14, class_="bar", rx=1),
            tag("text", f"{number:,}", x=right + 48, y=middle + 4, class_="value", text_anchor="end"),
            tag("text", truncate(remark, 19), x=right + 60, y=middle + 4, class_="quiet"),
        )
        parts.append(link_drawn(drawn, url_of(label)))
    words = "; ".join(f"{label}: {number:,}, {remark}" for label, number, remark in found)
    return draw_svg(title, words, name, WIDTH, ROW * len(found) + 4, parts)


def draw_svg(
    title: str, words: str, name: str, width: float, height: float, parts: Sequence[Markup], sized: bool = False
) -> Markup:
    """A whole drawing, as wide as its place, or `sized`: as wide as it is. `name` is its own in the page."""
    return tag(
        "svg",
        tag("title", title, id=f"{name}-title"),
        tag("desc", words, id=f"{name}-desc"),
        *parts,
        viewBox=f"0 0 {width:.0f} {height:.0f}",
        width=f"{width:.0f}" if sized else None,
        height=f"{height:.0f}" if sized else None,
        role="group" if any("<a " in part for part in parts) else "img",
        aria_labelledby=f"{name}-title {name}-desc",
    )


def _measure_margin(names: Iterable[str], most: int = MAX_NAME_CHARS) -> float:
    return max((min(len(name), most) for name in names), default=0) * LETTER + 20


def _name(name: str, x: float, y: float, most: int = MAX_NAME_CHARS) -> Markup:
    return tag("text", truncate(name, most), x=x, y=y, class_="name", text_anchor="end")


def _draw_whisker(low: float, high: float, y: float) -> Markup:
    return tag(
        "path", d=f"M{low:.1f} {y - 3:.1f}v6M{low:.1f} {y:.1f}H{high:.1f}M{high:.1f} {y - 3:.1f}v6", class_="whisker"
    )


def _scale(left: float, right: float, bottom: float, most: float = 1.0) -> Markup:
    """Upright lines at each quarter of the axis, named below."""
    parts = []
    for quarter in (0, 0.25, 0.5, 0.75, 1):
        x = left + (right - left) * quarter
        parts.append(tag("line", x1=x, x2=x, y1=0.0, y2=bottom, class_="grid"))
        named = f"{quarter * most * 100:g}%"
        parts.append(tag("text", named, x=x, y=bottom + 16, class_="tick", text_anchor="middle"))
    return join_markup(parts)


def _levels(left: float, right: float, y: _Place, at: Sequence[float] = (0, 0.25, 0.5, 0.75, 1)) -> Markup:
    """Level lines, named on the left."""
    parts = []
    for value in at:
        parts.append(tag("line", x1=left, x2=right, y1=y(value), y2=y(value), class_="grid"))
        parts.append(tag("text", f"{value * 100:.0f}%", x=left - 6, y=y(value) + 4, class_="tick", text_anchor="end"))
    return join_markup(parts)


def _choose_ticks(most: int) -> list[int]:
    step = max(1, -(-most // 10))
    return sorted({1, *range(step, most + 1, step), most})


def _spread_labels(ends: Sequence[tuple[int, float]], least: float) -> list[float]:
    """Move names down where two that stand in one column would stand on each other."""
    out = [height for _, height in ends]
    last: dict[int, float] = {}
    for at in sorted(range(len(ends)), key=lambda i: (out[i], i)):
        column = ends[at][0]
        out[at] = last[column] = max(out[at], last.get(column, float("-inf")) + least)
    return out
