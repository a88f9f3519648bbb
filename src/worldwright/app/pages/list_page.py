"""The page of a search: its filters, its rows, and how to go on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

from worldwright.app.forms.controls import Control
from worldwright.app.forms.names import AS, FOR, is_own
from worldwright.app.forms.reading import Sent
from worldwright.app.looks.themes import Look
from worldwright.app.pages.cells import Cell, find_value, read_written
from worldwright.app.pages.frame import Item
from worldwright.app.pages.links import Links
from worldwright.app.pages.record_view import RowView, view_row
from worldwright.app.screens.labels import capitalise
from worldwright.app.screens.records import Column, Form, ListScreen, Screens
from worldwright.english.nouns import count_noun

MAX_OPEN_FILTERS = 5
"""Filters that stand there at first; the others are behind `More filters`."""


@dataclass(frozen=True, slots=True)
class Filter:
    """One filter as it is drawn: a field, or both ends of a range."""

    label: str
    controls: tuple[Control, ...]

    @property
    def used(self) -> bool:
        return any(control.value or control.error for control in self.controls)


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a column."""

    column: Column
    label: str
    href: str = ""
    """What sorts by it."""
    sorted: str = ""
    """ascending or descending, where the list is sorted by it"""


@dataclass(frozen=True, slots=True)
class Found:
    """What a search gave."""

    rows: tuple[RowView, ...]
    heads: tuple[Head, ...]
    count: str
    """`1 to 10 of 37 orders`."""
    first: int
    previous: str = ""
    following: str = ""
    hidden: int = 0
    """Columns that are not shown at first."""
    items: tuple[Mapping[str, Any], ...] = ()
    """The rows as they came, for views."""
    complete: bool = False
    """Whether these are all there are."""
    total: int = -1


@dataclass(frozen=True, slots=True)
class ListPage:
    screen: ListScreen
    open_filters: tuple[Filter, ...]
    more_filters: tuple[Filter, ...]
    kept: tuple[tuple[str, str], ...]
    """Parameters of the page itself that the filter form carries along."""
    found: Found | None
    tabs: tuple[Item, ...]
    """The states, each as a filter by one click."""
    views: tuple[Item, ...]
    forms: tuple[Item, ...]
    """What can be done that needs no record."""
    openers: tuple[Form, ...]
    """Gets of such records, each a box for an id."""
    choosing: str = ""
    """What a row is chosen for."""
    back: str = ""
    """The form that asked for it."""
    cards: bool = False
    opened: bool = False
    """Whether one of the filters behind `More filters` is set."""
    name_head: str = ""


def group_filters(
    screen: ListScreen, controls: Sequence[Control], tabs: Sequence[Item]
) -> tuple[tuple[Filter, ...], tuple[Filter, ...]]:
    """The filters that stand there at first, and the others. Ends of a range belong together; states have links of their own."""
    filters: list[Filter] = []
    turning = {screen.paging.limit, screen.paging.offset, screen.paging.sort}
    for control in controls:
        if control.field.name in turning:
            continue
        last = filters[-1] if filters else None
        if control.field.range and last is not None and last.controls[0].field.about == control.field.about:
            filters[-1] = Filter(last.label, (*last.controls, control))
        else:
            filters.append(Filter(control.field.about or control.field.label, (control,)))
    state = find_state_filter(screen) if tabs else ""
    ranked = sorted(
        filters, key=lambda f: (not _is_needed(f, screen), f.controls[0].field.name == state, _rank_filter(f))
    )
    first = [f for f in filters if f in ranked[:MAX_OPEN_FILTERS]]
    turners = [Filter(c.field.label, (c,)) for c in controls if c.field.name in turning]
    return tuple(first), (*(f for f in filters if f not in first), *turners)


def _is_needed(found: Filter, screen: ListScreen) -> bool:
    return any(control.field.name in screen.needs for control in found.controls)


def _rank_filter(found: Filter) -> int:
    kinds = {
        "text": 0,
        "area": 0,
        "choice": 1,
        "reference": 2,
        "day": 3,
        "moment": 3,
        "flag": 4,
        "number": 5,
        "integer": 5,
    }
    return kinds.get(found.controls[0].field.kind, 6)


def order_columns(columns: Sequence[Column], look: Look) -> tuple[Column, ...]:
    """The columns in the order of a look."""
    if look.order == "state_first":
        return tuple(sorted(columns, key=lambda c: c.shape.kind != "state"))
    if look.order == "days_last":
        return tuple(sorted(columns, key=lambda c: c.shape.kind in ("day", "moment")))
    return tuple(columns)


def view_found(
    screen: ListScreen, data: Any, sent: Sent, links: Links, number: int, look: Look, choose: str = ""
) -> Found:
    """What a search gave, as a table with the links that sort and turn it. `choose` is a link that ends in a row's id."""
    data = read_written(data, screen.form.gives)
    rows = find_value(data, screen.rows_at) if screen.rows_at else data
    rows = [row for row in rows if isinstance(row, Mapping)] if isinstance(rows, (list, tuple)) else []
    columns = order_columns(screen.columns, look)
    views = tuple(
        _with_choice(
            view_row(row, screen.row, columns, links, number, (*screen.rows_at, str(at)), screen.titles),
            row,
            screen,
            choose,
        )
        for at, row in enumerate(rows)
    )
    heads = tuple(_make_head(column, screen, sent, links) for column in columns)
    start, limit = _find_start(screen, sent), _read_count(sent, screen.paging.limit, screen.paging.size)
    total = find_value(data, screen.paging.total_at) if screen.paging.total_at else None
    total = total if isinstance(total, int) and not isinstance(total, bool) else -1
    further = find_value(data, screen.paging.next_at) if screen.paging.next_at else None
    more = (
        start + len(rows) < total
        if total >= 0
        else bool(further) or (bool(screen.paging.offset) and len(rows) >= limit > 0)
    )
    return Found(
        views, heads, _count_rows(len(rows), start, total, screen.noun, more), start,
        _turn(screen, sent, links, max(0, start - limit), None) if start > 0 and screen.paging.turned != "cursor" else "",
        _turn(screen, sent, links, start + len(rows), further) if more and rows else "",
        sum(not column.main for column in columns), tuple(rows), start == 0 and not more, total,
    )  # fmt: skip


def _with_choice(view: RowView, row: Mapping[str, Any], screen: ListScreen, choose: str) -> RowView:
    own = next((part for part in screen.row.parts if part.kind == "id"), None)
    key = find_value(row, own.at) if own is not None else None
    if not choose or key is None:
        return view
    return replace(view, choose=f"{choose}{quote(str(key), safe='')}")


def _make_head(column: Column, screen: ListScreen, sent: Sent, links: Links) -> Head:
    up, down = column.sorts
    now = (sent.get(screen.paging.sort) or ("",))[-1] if screen.paging.sort else ""
    label = column.shape.label
    if not up:
        return Head(column, label)
    order = "ascending" if now == up else "descending" if now and now == down else ""
    wanted = down if now == up and down else up
    return Head(
        column, label, _link(screen, sent, links, {screen.paging.sort: wanted, screen.paging.offset: ""}), order
    )


def _link(screen: ListScreen, sent: Sent, links: Links, changed: Mapping[str, str]) -> str:
    """The same list with some parameters changed; an empty one is left out."""
    query = [(name, values[-1]) for name, values in sent.items() if name not in changed and values and values[-1]]
    query += [(name, value) for name, value in changed.items() if name and value]
    return links.to("list", screen.form.tool, query=query)


def _find_start(screen: ListScreen, sent: Sent) -> int:
    """How many rows come before the first one."""
    paging = screen.paging
    if paging.turned == "page":
        page = _read_count(sent, paging.offset, 1)
        return max(0, page - 1) * _read_count(sent, paging.limit, paging.size)
    return _read_count(sent, paging.offset, 0) if not paging.turned else 0


def _read_count(sent: Sent, name: str, default: int) -> int:
    text = (sent.get(name) or ("",))[-1].strip() if name else ""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else default


def _turn(screen: ListScreen, sent: Sent, links: Links, start: int, further: Any) -> str:
    """The link to another page of the same list; empty where the search cannot be turned."""
    paging = screen.paging
    if not paging.offset:
        return ""
    limit = max(1, _read_count(sent, paging.limit, paging.size))
    value = {"page": str(start // limit + 1), "cursor": str(further or "")}.get(
        paging.turned, str(start) if start else ""
    )
    return _link(screen, sent, links, {paging.offset: value})


def _count_rows(shown: int, start: int, total: int, noun: str, more: bool) -> str:
    if total < 0:
        text = count_noun(shown, noun)
        return f"{text} from {start + 1:,} on" if start else f"the first {text}" if more else text
    if shown == total:
        return count_noun(total, noun)
    if not shown:
        return f"none of {count_noun(total, noun)} here"
    return f"{start + 1:,} to {start + shown:,} of {count_noun(total, noun)}"


def find_state_filter(screen: ListScreen) -> str:
    """The filter of a list that takes a state; empty where there is none."""
    states = {part.origin[0] for part in screen.row.parts if part.kind == "state" and len(part.origin) == 1}
    return next((n for n, (column, op) in screen.filters.items() if column in states and op == "=="), "")


def list_state_tabs(screen: ListScreen, sent: Sent, links: Links) -> tuple[Item, ...]:
    """A list's states, each as a filter by one click; nothing where it cannot be filtered by state."""
    name = find_state_filter(screen)
    field = screen.form.field(name) if name else None
    if field is None or field.kind != "choice" or screen.needs:
        return ()
    now = (sent.get(name) or ("",))[-1]
    first = {screen.paging.offset: ""}
    every = Item("All", _link(screen, sent, links, {name: "", **first}), not now)
    return (
        every,
        *(Item(c.label, _link(screen, sent, links, {name: c.value, **first}), c.value == now) for c in field.choices),
    )


def list_kept(sent: Sent) -> tuple[tuple[str, str], ...]:
    return tuple((name, values[-1]) for name, values in sent.items() if name in (AS, FOR) and values)


def list_forms(screens: Screens, screen: ListScreen, links: Links) -> tuple[Item, ...]:
    """What can be done in a list without a record of it: forms of its system that make such a record."""
    return tuple(
        Item(form.title, links.to("do", form.tool), says=form.says)
        for form in screens.forms.values()
        if form.method == "do" and form.mutates and form.gives.entity == screen.entity and _makes(form, screen.entity)
    )


def _makes(form: Form, entity: str) -> bool:
    """Whether a form takes no record of the kind that it gives."""
    return all(field.entity != entity for field in form.fields)


def list_openers(screens: Screens, screen: ListScreen) -> tuple[Form, ...]:
    return tuple(record.form for record in screens.records.values() if record.entity == screen.entity)


def is_filtered(screen: ListScreen, sent: Sent) -> bool:
    return any(values and values[-1] for name, values in sent.items() if not is_own(name))


def name_of_rows(screen: ListScreen) -> str:
    """What the first column is called: as the value that names a row, or as what a row is."""
    holes = [hole for title in screen.titles for hole in title.pieces if not isinstance(hole, str)]
    return holes[0].shape.label if holes else capitalise(screen.noun)


def pick(cells: Sequence[Cell], heads: Sequence[Head], at: str) -> Cell | None:
    """The cell of a column, by the name of its value."""
    return next((c for c, head in zip(cells, heads, strict=True) if head.column.shape.origin == (at,)), None)
