"""Titles: how people call a row, as far as a page has what it takes."""

from __future__ import annotations

from worldwright.app.screens.records import Hole, Path, Shape, Title
from worldwright.app.screens.shapes import path_of, walk_row
from worldwright.blueprint.checked import Checked
from worldwright.blueprint.expr.nodes import Format

NAMING = ("name", "title", "subject", "full_name", "label", "summary", "code", "number", "reference", "street", "email")
"""Columns that a row is called by where nobody wrote down another way, the best first."""


def make_titles(blueprint: Checked, entity: str, row: Shape, prefix: Path = ()) -> tuple[Title, ...]:
    """Make the ways to call a row of an entity from the values of another one, where `prefix` leads from that one to it."""
    places: dict[Path, Hole] = {}
    for at, shape in walk_row(row):
        if shape.origin and shape.kind not in ("record", "rows"):
            places.setdefault(shape.origin, Hole(at, shape))
    found = [title for form in blueprint.called.get(entity, ()) if (title := _fill(form, places, prefix)) is not None]
    named = next((places[(*prefix, name)] for name in NAMING if (*prefix, name) in places), None)
    if named is not None:
        found.append(Title((named,)))
    return tuple(dict.fromkeys(found))


def _fill(form: Format, places: dict[Path, Hole], prefix: Path) -> Title | None:
    """A way to call a row with its holes filled; none where a value is not there."""
    pieces: list[str | Hole] = []
    for part in form.parts:
        if isinstance(part, str):
            pieces.append(part)
            continue
        node, spec = part
        path = path_of(node)
        hole = places.get((*prefix, *path)) if path else None
        if hole is None:
            return None
        pieces.append(Hole(hole.at, hole.shape, spec))
    return Title(tuple(pieces))
