"""Cells: values of an answer as they are drawn, from what they are and what stands beside them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, Literal

from worldwright.app.pages.links import Links
from worldwright.app.screens.labels import capitalise, to_choice
from worldwright.app.screens.records import Path, Shape, Title
from worldwright.app.screens.states import Tone, find_tone
from worldwright.app.screens.titles import NAMING

CellKind = Literal[
    "none", "text", "prose", "number", "money", "flag", "day", "moment", "word", "state", "reference", "count", "json"
]
MIN_GROUPED = 10_000
"""Whole numbers from here on are written with commas between thousands: years are smaller."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One value, as text with what it is."""

    kind: CellKind
    text: str = ""
    unit: str = ""
    href: str = ""
    code: str = ""
    """The id beside the name of what is referred to."""
    tone: Tone = "plain"
    raw: str = ""
    """For machines: a day, a number."""

    @property
    def right(self) -> bool:
        return self.kind in ("number", "money", "count")


_ARTICLE = re.compile(r"(?:the|an?)\s+")
NONE = Cell("none")


def make_cell(value: Any, shape: Shape, row: Any, links: Links, titles: Sequence[Title] = ()) -> Cell:
    """Make the cell of a value that stands in a row."""
    if value is None:
        return NONE
    value = read_written(value, shape)
    if isinstance(value, Mapping):
        return _make_record_cell(value, shape, links)
    if isinstance(value, (list, tuple)):
        return Cell("count", str(len(value))) if shape.kind == "rows" else Cell("json", write_json(value))
    match shape.kind:
        case "reference":
            name = fill_titles(titles, row) or links.name_of(shape.entity, shape.codec, value)
            key = str(value)
            href = links.to_record(shape.entity, shape.codec, value)
            return Cell("reference", name or key, href=href, code=key if name else "")
        case "flag" if isinstance(value, bool):
            return Cell("flag", "Yes" if value else "No")
        case "money" | "number" if isinstance(value, (int, float)) and not isinstance(value, bool):
            return _make_number_cell(value, shape, row)
        case "state" | "word":
            text = str(value)
            tone = links.screens.states.get((shape.entity, text)) if shape.kind == "state" else None
            return Cell(shape.kind, to_choice(text), tone=tone or find_tone(text), raw=text)
        case "day" | "moment" if isinstance(value, str):
            return Cell(shape.kind, _write_moment(value), raw=value)
        case "prose":
            return Cell("prose", str(value))
    if isinstance(value, bool):
        return Cell("flag", "Yes" if value else "No")
    if isinstance(value, (int, float)) and shape.kind not in ("id", "text"):
        return Cell("number", write_number(value, None))
    return Cell("text", str(value))


def _make_number_cell(value: int | float, shape: Shape, row: Any) -> Cell:
    unit = shape.currency
    if shape.currency_at:
        found = find_value(row, shape.currency_at)
        unit = found if isinstance(found, str) else ""
    places = shape.places if shape.places or shape.kind == "money" else None
    return Cell("money" if shape.kind == "money" else "number", write_number(value, places), unit, raw=str(value))


def _make_record_cell(value: Mapping[str, Any], shape: Shape, links: Links) -> Cell:
    """A record inside a row, by its name."""
    own = next((part for part in shape.parts if part.kind == "id"), None)
    key = value.get(own.at[-1]) if own is not None else None
    name = name_record(value, shape)
    if key is None and not name:
        return Cell("json", write_json(value))
    href = links.to_record(own.entity, own.codec, key) if own is not None and key is not None else ""
    return Cell("reference", name or str(key), href=href, code=str(key) if name and key is not None else "")


def name_record(value: Mapping[str, Any], shape: Shape) -> str:
    """The name of a record by one of its own values, where it has one."""
    for name in NAMING:
        part = next((p for p in shape.parts if p.origin[-1:] == (name,) and p.kind in ("text", "prose")), None)
        found = find_value(value, part.at) if part is not None else None
        if isinstance(found, str) and found.strip():
            return found
    return ""


def write_number(value: int | float | Decimal, places: int | None) -> str:
    """A number as people read it: exact, with its decimal places, large ones in groups."""
    try:
        exact = Decimal(str(value))
    except InvalidOperation:
        return str(value)
    if places is not None:
        return f"{exact:,.{places}f}" if -exact.normalize().as_tuple().exponent <= places else f"{exact:,f}"  # type: ignore[operator]
    whole = exact == exact.to_integral_value()
    text = f"{int(exact)}" if whole else f"{exact.normalize():f}"
    return f"{int(exact):,}" if whole and abs(exact) >= MIN_GROUPED else text


def _write_moment(value: str) -> str:
    """A day as it is; a moment without what says nothing: `2025-06-12 09:30`."""
    if len(value) == 20 and value[10] == "T" and value.endswith("Z"):
        return f"{value[:10]} {value[11:16] if value[17:19] == '00' else value[11:19]}"
    return value


def write_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def read_written(value: Any, shape: Shape) -> Any:
    """A value that stands there as a text of JSON, read; as it is where it is none."""
    if not shape.written or not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def find_value(data: Any, path: Path) -> Any:
    """The value at a path of keys; none where there is nothing."""
    for step in path:
        if isinstance(data, Mapping):
            data = data.get(step)
        elif isinstance(data, (list, tuple)) and step.isdigit() and int(step) < len(data):
            data = data[int(step)]
        else:
            return None
    return data


# names


def fill_titles(titles: Sequence[Title], row: Any) -> str:
    """The first way to call a row for which everything is there; empty where there is none."""
    for title in titles:
        text = _fill_title(title, row)
        if text:
            return text
    return ""


def _fill_title(title: Title, row: Any) -> str:
    out: list[str] = []
    for piece in title.pieces:
        if isinstance(piece, str):
            out.append(piece)
            continue
        value = find_value(row, piece.at)
        if value is None or isinstance(value, (dict, list)) or (isinstance(value, str) and not value.strip()):
            return ""
        out.append(_write_piece(value, piece.shape, piece.spec, row))
    text = "".join(out).strip()
    return (
        capitalise(_ARTICLE.sub("", text, count=1) if _ARTICLE.match(text) else text)
        if isinstance(title.pieces[0], str)
        else text
    )


def _write_piece(value: Any, shape: Shape, spec: str, row: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)) and shape.kind in ("money", "number"):
        return _make_number_cell(value, shape, row).text
    if spec == "day":
        return str(value)[:10]
    if shape.kind in ("state", "word"):
        return to_choice(str(value)).lower() if str(value).islower() else str(value)
    return str(value)
