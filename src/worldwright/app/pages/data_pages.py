"""Pages that show data of the world: lists, records, and rows that were seen before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from worldwright.app.forms.controls import walk_controls
from worldwright.app.forms.names import AS, FOR
from worldwright.app.forms.reading import Sent
from worldwright.app.pages.cells import find_value, read_written
from worldwright.app.pages.form_pages import make_opener
from worldwright.app.pages.frame import Item, link_queue, link_view
from worldwright.app.pages.links import Links
from worldwright.app.pages.list_page import (
    Filter,
    Found,
    ListPage,
    group_filters,
    is_filtered,
    list_forms,
    list_kept,
    list_openers,
    list_state_tabs,
    name_of_rows,
    view_found,
)
from worldwright.app.pages.page import Page, PageMaker, get_status
from worldwright.app.pages.record_view import view_record
from worldwright.app.pages.view_page import make_calendar, make_inbox, make_ledger
from worldwright.app.screens.labels import capitalise
from worldwright.app.screens.records import ListScreen, Path, Screens, Shape, View
from worldwright.app.sessions import Seen


def make_list(maker: PageMaker, screen: ListScreen, sent: Sent, seen: Seen | None) -> Page:
    """The page of a search: with its rows where the call was made, else with its filters alone."""
    form, links = screen.form, maker.links(2)
    view = find_view(maker.screens, form.tool, (sent.get(AS) or ("",))[-1])
    turned = screen.paging.offset if seen is None or seen.result.ok else ""
    filtered = {
        name: values for name, values in sent.items() if not turned or name != turned
    }  # a new search starts anew
    controls, refusal = maker.refuse(form.fields, filtered, seen)
    choosing, choose, back = _read_choice(maker, sent, links)
    frame = maker.frame(2, screen.title, form.system, _find_entry(maker.screens, links, screen, view, sent))
    found = None
    if seen is not None and seen.result.ok:
        found = view_found(screen, seen.result.data, sent, links, seen.number, frame.look, choose)
    tabs = list_state_tabs(screen, sent, links)
    first, more = group_filters(screen, controls, tabs)
    page = ListPage(
        screen, first, more, list_kept(sent), found, tabs, _list_views(maker.screens, links, screen, sent, view),
        list_forms(maker.screens, screen, links), list_openers(maker.screens, screen), choosing, back,
        frame.look.lists == "cards", _is_opened(more, screen, view), name_of_rows(screen),
    )  # fmt: skip
    shown = _make_view(maker, view, screen, found, sent, links) if view is not None and found is not None else None
    values = {
        "page": page, "refusal": refusal, "view": view, "shown": shown, "filtered": is_filtered(screen, sent),
        "tool": form.tool,
    }  # fmt: skip
    return Page("list.html", frame, values, get_status(refusal))


def find_view(screens: Screens, tool: str, kind: str) -> View | None:
    """The view of a search that a page asks for."""
    return next((v for s in screens.systems for v in s.views if v.tool == tool and v.kind == kind), None)


def _make_view(maker: PageMaker, view: View, screen: ListScreen, found: Found, sent: Sent, links: Links) -> Any:
    match view.kind:
        case "calendar":
            return make_calendar(view, screen, found, sent, links, maker.session.episode.clock)
        case "ledger":
            return make_ledger(view, screen, found)
        case "inbox":
            return make_inbox(view, screen, found)


def _find_entry(screens: Screens, links: Links, screen: ListScreen, view: View | None, sent: Sent) -> str:
    """The entry of the navigation that a list belongs to: its view, its queue, or itself."""
    if view is not None:
        return link_view(links, view)
    given = {name: values[-1] for name, values in sent.items() if values and values[-1]}
    for system in screens.systems:
        for queue in system.queues:
            if queue.tool == screen.form.tool and given == {queue.filter: queue.value}:
                return link_queue(links, queue)
    return links.to("list", screen.form.tool)


def _list_views(screens: Screens, links: Links, screen: ListScreen, sent: Sent, now: View | None) -> tuple[Item, ...]:
    """The ways in which a list can be looked at, with its filters kept; what bounds and turns a view is not."""
    views = [v for s in screens.systems for v in s.views if v.tool == screen.form.tool]
    if not views:
        return ()
    turning = {AS, screen.paging.offset, screen.paging.limit, screen.paging.sort}
    bounds = turning.union(*((v.since, v.up_to) for v in views))
    kept = [(name, values[-1]) for name, values in sent.items() if values and values[-1] and name not in bounds]
    items = [Item("Table", links.to("list", screen.form.tool, query=kept), now is None)]
    for view in views:
        query = [(AS, view.kind), *kept]
        items.append(Item(capitalise(view.kind), links.to("list", screen.form.tool, query=query), now == view))
    return tuple(items)


def _read_choice(maker: PageMaker, sent: Sent, links: Links) -> tuple[str, str, str]:
    """What a row is chosen for, the link that its id is put behind, and the one back to the form."""
    number, _, name = (sent.get(FOR) or ("",))[-1].partition(".")
    draft = maker.session.find_draft(number)
    if draft is None or not name:
        return "", "", ""
    form = maker.screens.forms[draft.tool]
    every = walk_controls(maker.controls(form.fields, draft.sent, {}, False))
    label = next((c.field.label for c in every if c.name == name), name)
    chosen = links.to("pick", number, query=[("field", name), ("id", "")])
    return f"{form.title}: {label}", chosen, links.to("pick", number)


def _is_opened(filters: Sequence[Filter], screen: ListScreen, view: View | None) -> bool:
    """Whether one of these filters is set by hand: a view sets its own range, order and number of rows."""
    paging = screen.paging
    own = {paging.limit, paging.sort, paging.offset}.union((view.since, view.up_to) if view is not None else ())
    return any(f.used and not any(c.field.name in own for c in f.controls) for f in filters)


def make_record(maker: PageMaker, tool: str, seen: Seen) -> Page:
    """The page of a get."""
    screen = maker.screens.records[tool]
    if not seen.result.ok:
        return make_opener(maker, screen.form, seen)
    links = maker.links(2)
    view = view_record(seen.result.data, screen.record, links, seen.number, titles=screen.titles)
    crumbs = maker.crumbs(2, tool)
    here = crumbs[0].href if crumbs else links.to("form", tool)
    frame = maker.frame(2, view.title, screen.form.system, here, crumbs)
    return Page("record.html", frame, {"record": view, "seen": seen, "fresh": True, "form": screen.form})


def make_row(maker: PageMaker, seen: Seen, at: Path) -> Page | None:
    """The page of a row that an earlier answer held, as it was then; None where there is none."""
    form = maker.screens.forms.get(seen.tool)
    found = _follow(seen.result.data, form.gives, at) if form is not None and seen.result.ok else None
    if form is None or found is None:
        return None
    value, shape = found
    screen = maker.screens.lists.get(seen.tool)
    links = maker.links(2)
    titles = screen.titles if screen is not None else ()
    view = view_record(value, replace(shape, kind="record"), links, seen.number, at, titles)
    listed = [Item(screen.title, links.to("list", seen.tool))] if screen is not None else []
    crumbs = listed or maker.crumbs(2, seen.tool)
    frame = maker.frame(2, view.title, form.system, crumbs[0].href if crumbs else "", crumbs)
    return Page("record.html", frame, {"record": view, "seen": seen, "fresh": False, "form": form})


def _follow(data: Any, shape: Shape, at: Path) -> tuple[Any, Shape] | None:
    """The record at a path of an answer, with what it is: keys lead into records, numbers into rows."""
    left = list(at)
    while left:
        data = read_written(data, shape)
        if shape.kind == "rows" and left[0].isdigit():
            data, shape = find_value(data, (left.pop(0),)), replace(shape, kind="record", written=False)
            continue
        part = next((p for p in shape.parts if p.at and tuple(left[: len(p.at)]) == p.at), None)
        if part is None:
            return None
        data, shape, left = find_value(data, part.at), part, left[len(part.at) :]
    return (data, shape) if isinstance(data, Mapping) else None
