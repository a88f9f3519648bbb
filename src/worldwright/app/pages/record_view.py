"""Records as they are drawn: facts, texts, what is shown with them, what can be done with them, and what belongs to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from worldwright.app.pages.cells import (
    NONE,
    Cell,
    fill_titles,
    find_value,
    make_cell,
    name_record,
    read_written,
    write_json,
)
from worldwright.app.pages.links import Links
from worldwright.app.screens.labels import capitalise, to_label, to_phrase
from worldwright.app.screens.lists import choose_main
from worldwright.app.screens.records import Column, Path, Screens, Shape, Title

LONG = ("prose", "json")
"""Kinds of cells that take the width of a page."""
MAX_BUTTONS = 4
"""Actions of a record that are buttons; the others are in a menu."""


@dataclass(frozen=True, slots=True)
class Fact:
    label: str
    cell: Cell
    says: str = ""


@dataclass(frozen=True, slots=True)
class RowView:
    """A row of a table."""

    name: str
    href: str
    code: str
    cells: tuple[Cell, ...]
    choose: str = ""
    """What chooses the row for a form that asked for one."""
    actions: tuple[Action, ...] = ()


@dataclass(frozen=True, slots=True)
class Table:
    heads: tuple[Column, ...]
    rows: tuple[RowView, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """What is shown with a record: another record, or rows."""

    title: str
    noun: str
    facts: tuple[Fact, ...] = ()
    texts: tuple[Fact, ...] = ()
    href: str = ""
    name: str = ""
    code: str = ""
    table: Table | None = None
    count: int = 0


@dataclass(frozen=True, slots=True)
class Action:
    label: str
    href: str
    says: str = ""


@dataclass(frozen=True, slots=True)
class RecordView:
    """A record with everything around it."""

    title: str
    noun: str
    code: str
    state: Cell
    facts: tuple[Fact, ...]
    texts: tuple[Fact, ...]
    sections: tuple[Section, ...]
    actions: tuple[Action, ...] = ()
    more: tuple[Action, ...] = ()
    related: tuple[Action, ...] = ()
    json: str = ""
    """An answer that is no record, as it came."""


def view_record(
    value: Any, shape: Shape, links: Links, number: int, at: Path = (), titles: Sequence[Title] = ()
) -> RecordView:
    """A record, or whatever else an answer is. `number` and `at` say where it was seen, for links to its rows."""
    value = read_written(value, shape)
    if not isinstance(value, Mapping):
        text = "" if value is None else write_json(value)
        return RecordView("", "", "", NONE, (), (), (), json=text)
    own = next((part for part in shape.parts if part.kind == "id"), None)
    key = find_value(value, own.at) if own is not None else None
    entity, codec = (own.entity, own.codec) if own is not None else ("", "")
    noun = links.screens.nouns.get(entity, "")
    state = next((part for part in shape.parts if part.kind == "state" and part.at[-1] in value), None)
    cell = make_cell(find_value(value, state.at), state, value, links) if state is not None else NONE
    code = "" if key is None else str(key)
    title = fill_titles(titles, value) or name_record(value, shape)
    named = capitalise(f"{to_phrase(noun)} {code}".strip()) if noun else ""
    actions, more = list_actions(links, entity, codec, key, cell.raw)
    facts = _list_facts(value, shape, links, state)
    return RecordView(
        title or named, noun, code, cell, tuple(f for f in facts if f.cell.kind not in LONG),
        tuple(f for f in facts if f.cell.kind in LONG), tuple(_list_sections(value, shape, links, number, at)), actions, more,
        list_related(links, entity, codec, key),
    )  # fmt: skip


def _list_facts(value: Mapping[str, Any], shape: Shape, links: Links, state: Shape | None) -> list[Fact]:
    """Every value of a record that is no record itself, whether or not anybody said what it is."""
    inner = ("id", "rows", "record")
    known = {part.at[0] for part in shape.parts}
    facts = [
        Fact(part.label, make_cell(value[part.at[0]], part, value, links), part.says)
        for part in shape.parts
        if part.at[0] in value and part is not state and not (part.kind in inner and _is_inner(value[part.at[0]], part))
    ]
    unknown = Shape("any")
    return facts + [Fact(to_label(n), make_cell(v, unknown, value, links)) for n, v in value.items() if n not in known]


def _is_inner(value: Any, shape: Shape) -> bool:
    """Whether a value has a place of its own on the page."""
    found = read_written(value, shape)
    return shape.kind == "id" or isinstance(found, (Mapping if shape.kind == "record" else (list, tuple)))


def _list_sections(value: Mapping[str, Any], shape: Shape, links: Links, number: int, at: Path) -> list[Section]:
    out = []
    own = next((part for part in shape.parts if part.kind == "id"), None)
    owner = str(find_value(value, own.at)) if own is not None else ""
    for part in shape.parts:
        found = read_written(value.get(part.at[0]), part) if part.kind in ("record", "rows") else None
        here = (*at, *part.at)
        if part.kind == "record" and isinstance(found, Mapping):
            out.append(_view_inner(found, part, links, number, here))
        elif part.kind == "rows" and isinstance(found, (list, tuple)):
            out.append(_view_rows(found, part, links, number, here, owner))
    return out


def _view_inner(value: Mapping[str, Any], shape: Shape, links: Links, number: int, at: Path) -> Section:
    inner = view_record(value, shape, links, number, at)
    own = next((part for part in shape.parts if part.kind == "id"), None)
    key = find_value(value, own.at) if own is not None else None
    href = (links.to_record(own.entity, own.codec, key) if own is not None else "") or links.to_row(number, at)
    facts = (Fact("State", inner.state), *inner.facts) if inner.state.kind != "none" else inner.facts
    return Section(shape.label, inner.noun, facts, inner.texts, href, inner.title, inner.code)


def _view_rows(rows: Sequence[Any], shape: Shape, links: Links, number: int, at: Path, owner: str) -> Section:
    noun = links.screens.nouns.get(shape.entity, "row")
    columns = choose_main([Column(p) for p in shape.parts if p.kind != "id" and not _repeats(p, rows, owner)])
    views = tuple(
        view_row(row, shape, columns, links, number, (*at, str(n)), with_actions=True) for n, row in enumerate(rows)
    )
    return Section(shape.label, noun, table=Table(columns, views), count=len(rows))


def _repeats(part: Shape, rows: Sequence[Any], owner: str) -> bool:
    """Whether a column only says again which record the rows belong to."""
    return part.kind == "reference" and all(str(find_value(row, part.at)) == owner for row in rows)


def view_row(
    row: Any,
    shape: Shape,
    columns: Sequence[Column],
    links: Links,
    number: int,
    at: Path,
    titles: Sequence[Title] = (),
    with_actions: bool = False,
) -> RowView:
    """A row of a table: how it is called and what opens it, then a cell for each column."""
    own = next((part for part in shape.parts if part.kind == "id"), None)
    key = find_value(row, own.at) if own is not None else None
    code = "" if key is None else str(key)
    cells = tuple(
        make_cell(find_value(row, column.shape.at) if column.shape.at else row, column.shape, row, links, column.title)
        for column in columns
    )
    href = links.to_record(own.entity, own.codec, key) if own is not None and key is not None else ""
    if not href and isinstance(row, Mapping):
        href = links.to_row(number, at)
    actions: tuple[Action, ...] = ()
    if with_actions and own is not None and key is not None:
        state = next((part for part in shape.parts if part.kind == "state"), None)
        found, more = list_actions(links, own.entity, own.codec, key, str(find_value(row, state.at)) if state else "")
        actions = (*found, *more)
    return RowView(fill_titles(titles, row), href, code, cells, actions=actions)


def list_actions(
    links: Links, entity: str, codec: str, key: Any, state: str
) -> tuple[tuple[Action, ...], tuple[Action, ...]]:
    """What can be done with a record: first what its state allows, and what is done to it; then what else takes it."""
    screens = links.screens
    first: list[Action] = []
    rest: list[Action] = []
    for tool, field in screens.actions.get((entity, codec), ()) if key is not None else ():
        form = screens.forms[tool]
        action = Action(form.title, links.to_form(form, {field: key}), form.says)
        fits = form.subject == field and (not form.moves or not state or state in form.moves)
        (first if fits else rest).append(action)
    return tuple(first[:MAX_BUTTONS]), (*first[MAX_BUTTONS:], *rest)


def list_related(links: Links, entity: str, codec: str, key: Any) -> tuple[Action, ...]:
    """Which lists show what belongs to a record."""
    screens: Screens = links.screens
    found = screens.related.get((entity, codec), ()) if key is not None else ()
    return tuple(Action(link.title, links.to_form(screens.lists[link.tool].form, {link.filter: key})) for link in found)
