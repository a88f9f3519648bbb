"""Entities and their lifecycles as pictures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from worldwright.core.names import to_words
from worldwright.english.nouns import count_noun
from worldwright.facts.world import TableFacts
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

PICTURE = "entities"


def draw_entities(
    tables: Sequence[TableFacts], references: Sequence[tuple[str, str, str]], url_of: Callable[[str], str]
) -> Markup:
    """Draw which entity refers to which: (from, to, the column), systems as boxes around them."""
    names, systems = [t.name for t in tables], list(dict.fromkeys(t.system for t in tables))
    number = {name: at for at, name in enumerate(names)}
    boxes = tuple(Box(measure_name(t.name) + 42, HEIGHT + 4, systems.index(t.system)) for t in tables)
    by_pair: dict[tuple[str, str], list[str]] = {}
    for source, target, column in references:
        if source != target and target in number:
            by_pair.setdefault((source, target), []).append(column)
    lines = tuple((number[a], number[b]) for a, b in by_pair)
    [layout] = lay_out([Diagram(boxes, lines, len(systems))])
    parts = [draw_group(layout, at, name) for at, name in enumerate(systems) if at in layout.groups]
    for (pair, columns), points in zip(by_pair.items(), layout.lines, strict=True):
        if points:
            says = f"{pair[0]} refers to {pair[1]}: {', '.join(columns)}"
            parts.append(
                tag("path", tag("title", says), d=write_path(points), class_="link follows", data_from=pair[0], data_to=pair[1],
                    marker_end=point_with(PICTURE))
            )  # fmt: skip
    for table, box, (x, y) in zip(tables, boxes, layout.boxes, strict=True):
        left = x - box.width / 2
        inner = [
            tag("rect", x=left, y=y - box.height / 2, width=box.width, height=box.height, rx=4),
            tag("text", truncate(table.name, MAX_NAME_CHARS), x=left + 9, y=y + 4),
            tag("text", f"{table.rows:,}", x=left + box.width - 8, y=y + 4, text_anchor="end", class_="tick"),
        ]
        told = f"{to_words(table.name)}: {count_noun(table.rows, 'row')} in {table.system}"
        parts.append(
            tag("a", tag("title", told), *inner, href=url_of(table.name), class_="tool reads", data_tool=table.name,
                data_group=table.system, data_system=table.system)
        )  # fmt: skip
    words = f"{count_noun(len(tables), 'table')}; the list below says what each refers to"
    drawing = [draw_arrow(PICTURE), tag("g", *parts, class_="stage")]
    return draw_svg("Which table refers to which", words, PICTURE, layout.width, layout.height, drawing)


def draw_lifecycles(
    lifecycles: Mapping[str, Mapping[str, Sequence[str]]], counts: Mapping[str, Mapping[str, int]]
) -> dict[str, Markup]:
    """Draw lifecycles by the entity that has each, with how many rows are in each state."""
    chosen = {name: way for name, way in lifecycles.items() if way}
    diagrams = []
    for way in chosen.values():
        states = list(way)
        lines = tuple((states.index(a), states.index(b)) for a, following in way.items() for b in following if b in way)
        diagrams.append(Diagram(tuple(Box(measure_name(s) + 34, HEIGHT + 2) for s in states), lines))
    layouts = lay_out(diagrams) if diagrams else ()
    return {
        name: _draw_lifecycle(name, way, diagram, layout, counts.get(name, {}))
        for (name, way), diagram, layout in zip(chosen.items(), diagrams, layouts, strict=True)
    }


def _draw_lifecycle(
    entity: str, way: Mapping[str, Sequence[str]], diagram: Diagram, layout: Layout, counts: Mapping[str, int]
) -> Markup:
    states, picture = list(way), f"life-{entity}"
    parts = []
    for (a, b), points in zip(diagram.lines, layout.lines, strict=True):
        if points:
            says, end = tag("title", f"{states[a]} to {states[b]}"), point_with(picture)
            parts.append(tag("path", says, d=write_path(points), class_="link follows", marker_end=end))
    for at, (state, box, (x, y)) in enumerate(zip(states, diagram.boxes, layout.boxes, strict=True)):
        left, kind = x - box.width / 2, "state first" if at == 0 else "state last" if not way[state] else "state"
        inner = [
            tag("title", f"{to_words(state)}: {count_noun(counts.get(state, 0), 'row')}"),
            tag("rect", x=left, y=y - box.height / 2, width=box.width, height=box.height, rx=box.height / 2),
            tag("text", truncate(state, MAX_NAME_CHARS), x=left + 11, y=y + 4),
            tag(
                "text", f"{counts.get(state, 0):,}", x=left + box.width - 10, y=y + 4, text_anchor="end", class_="tick"
            ),
        ]
        parts.append(tag("g", *inner, class_=kind))
    words = "; ".join(f"{state} to {', '.join(after) or 'nothing, it ends there'}" for state, after in way.items())
    return draw_svg(
        f"Lifecycle of {to_words(entity)}",
        words,
        picture,
        layout.width,
        layout.height,
        [draw_arrow(picture), *parts],
        True,
    )
