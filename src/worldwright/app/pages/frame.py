"""The frame of a page: where it is, what is around it, and who looks at it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from worldwright.app.forms.names import AS
from worldwright.app.looks.themes import Look
from worldwright.app.pages.links import Links
from worldwright.app.screens.labels import capitalise, to_phrase
from worldwright.app.screens.records import Queue, Screens, SystemScreen, View

VIEW_TITLES = {"inbox": "Inbox", "calendar": "Calendar", "ledger": "Ledger"}


@dataclass(frozen=True, slots=True)
class Item:
    """An entry of a navigation."""

    label: str
    href: str
    here: bool = False
    says: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    title: str
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who looks at the pages of an episode, and how far it is."""

    role: str
    actor: str
    clock: str
    task: bool
    """Whether there is something to be done and an answer to be given."""
    asking: bool
    done: bool
    again: bool
    """Whether one may start again."""
    calls_left: int = -1


@dataclass(frozen=True, slots=True)
class Frame:
    """What every page has."""

    title: str
    links: Links
    look: Look
    visitor: Visitor
    systems: tuple[Item, ...]
    system: SystemScreen | None = None
    groups: tuple[Group, ...] = ()
    crumbs: tuple[Item, ...] = ()
    static: str = ""
    world: str = ""
    flash: str = ""
    errors: Sequence[str] = field(default=())


def make_frame(
    links: Links,
    looks: Mapping[str, Look],
    visitor: Visitor,
    static: str,
    title: str,
    system: str = "",
    here: str = "",
    crumbs: Sequence[Item] = (),
) -> Frame:
    """Make the frame of a page of a system, or of one that belongs to none. `here` is the link of its entry in the navigation."""
    screens = links.screens
    shown = next((s for s in screens.systems if s.name == system), None)
    systems = tuple(
        Item(s.title, links.to("system", s.name), s.name == system, describe_system(s)) for s in screens.systems
    )
    trail = [Item(shown.title, links.to("system", shown.name))] if shown is not None else []
    return Frame(
        title,
        links,
        looks[system if system in looks else ""],
        visitor,
        systems,
        shown,
        make_navigation(links, shown, here) if shown is not None else (),
        (*trail, *crumbs),
        static,
        screens.title,
    )


def make_navigation(links: Links, system: SystemScreen, here: str) -> tuple[Group, ...]:
    """The navigation of a system: what waits, what there is to look at, what can be done."""
    screens = links.screens
    records = [screens.lists[tool] for tool in system.lists]
    groups = (
        ("To do", [Item(q.title, link_queue(links, q)) for q in system.queues]),
        ("Records", [Item(s.title, links.to("list", s.form.tool)) for s in records]),
        ("Views", [Item(name_view(v), link_view(links, v)) for v in system.views]),
        ("Open by ID", [_to_form(links, tool) for tool in system.records]),
        ("Actions", [_to_form(links, tool) for tool in system.forms]),
    )
    return tuple(Group(title, tuple(_mark(item, here) for item in items)) for title, items in groups if items)


def describe_system(system: SystemScreen) -> str:
    """What a system is for, where that says more than its title."""
    said = capitalise(system.says.removeprefix("the ").removeprefix("our "))
    return "" if said.rstrip(".").lower() == system.title.lower() else said


def _mark(item: Item, here: str) -> Item:
    return Item(item.label, item.href, item.href == here, item.says)


def _to_form(links: Links, tool: str) -> Item:
    form = links.screens.forms[tool]
    return Item(form.title, links.to("form", tool) if form.method == "open" else links.to("do", tool), says=form.says)


def name_view(view: View) -> str:
    """Name a view: `Inbox`, or with what it shows where that is said by nothing else."""
    title = VIEW_TITLES[view.kind]
    return (
        title
        if view.title.lower() in (title.lower(), "mail", "mails", "messages")
        else f"{view.title}: {title.lower()}"
    )


def link_view(links: Links, view: View) -> str:
    return links.to("list", view.tool, query=[(AS, view.kind)])


def link_queue(links: Links, queue: Queue) -> str:
    return links.to("list", queue.tool, query=[(queue.filter, queue.value)])


def describe_visitor(visitor: Visitor) -> str:
    """Who somebody is, in a few words: `Buyer EMP-0010`."""
    return f"{capitalise(to_phrase(visitor.role))} {visitor.actor}".strip() if visitor.role else visitor.actor


def describe_queue(queue: Queue, screens: Screens) -> str:
    """What is done with what waits in a queue."""
    first, *others = (screens.forms[tool].title for tool in queue.forms[:3])
    return ", ".join([first, *(title.lower() for title in others)])
