"""Pages that show no data of the world: where one starts, the handbook, the request, the requester, the end."""

from __future__ import annotations

from dataclasses import replace

from worldwright.app.forms.reading import Sent
from worldwright.app.pages.frame import (
    Item,
    describe_queue,
    describe_system,
    link_queue,
    link_view,
    name_view,
)
from worldwright.app.pages.handbook import read_handbook
from worldwright.app.pages.links import Links
from worldwright.app.pages.page import Page, PageMaker, get_status
from worldwright.app.screens.fields import make_answer_fields
from worldwright.app.screens.records import Screens
from worldwright.app.sessions import Seen

VIEWS = {"inbox": "messages", "calendar": "a calendar", "ledger": "a ledger with sums"}


def make_home(maker: PageMaker) -> Page:
    frame = maker.frame(0, "Start")
    queues = [
        Item(queue.title, link_queue(frame.links, queue), says=describe_queue(queue, maker.screens))
        for system in maker.screens.systems
        for queue in system.queues
    ]
    return Page("home.html", frame, {"queues": queues, "request": maker.request()})


def make_system(maker: PageMaker, name: str) -> Page | None:
    """The first page of a system; None where there is none of this name."""
    screens = maker.screens
    system = next((s for s in screens.systems if s.name == name), None)
    if system is None:
        return None
    frame = maker.frame(2, system.title, system.name)
    links = frame.links
    sections = (
        ("To do", [Item(q.title, link_queue(links, q), says=describe_queue(q, screens)) for q in system.queues]),
        ("Records", [replace(_link(screens, links, t), label=screens.lists[t].title) for t in system.lists]),
        (
            "Views",
            [Item(name_view(v), link_view(links, v), says=f"{v.title} as {VIEWS[v.kind]}") for v in system.views],
        ),
        ("Open by ID", [_link(screens, links, tool) for tool in system.records]),
        ("Actions", [_link(screens, links, tool) for tool in system.forms]),
    )
    return Page("system.html", replace(frame, crumbs=()), {"sections": sections, "says": describe_system(system)})


def _link(screens: Screens, links: Links, tool: str) -> Item:
    form = screens.forms[tool]
    page = {"list": "list", "open": "form", "do": "do"}[form.method]
    return Item(form.title, links.to(page, tool), says=form.says)


def make_handbook(maker: PageMaker) -> Page:
    return Page("handbook.html", maker.frame(1, "Handbook"), {"blocks": read_handbook(maker.session.handbook)})


def make_request(maker: PageMaker) -> Page:
    return Page("request.html", maker.frame(1, "Request"), {"request": maker.request()})


def make_activity(maker: PageMaker) -> Page:
    """What was done so far, the newest first."""
    frame = maker.frame(1, "Activity")
    items = [
        (
            seen,
            _name_call(maker.screens, seen),
            frame.links.to("done", str(seen.number)) if _has_page(maker, seen) else "",
        )
        for seen in reversed(maker.session.seen)
    ]
    return Page("activity.html", frame, {"items": items})


def _name_call(screens: Screens, seen: Seen) -> str:
    if seen.tool in screens.lists:
        return f"Looked at {screens.lists[seen.tool].title}"
    if seen.tool in screens.forms:
        return screens.forms[seen.tool].title
    return "Wrote to the requester" if seen.tool == screens.asks else "Answer"


def _has_page(maker: PageMaker, seen: Seen) -> bool:
    form = maker.screens.forms.get(seen.tool)
    return form is not None and form.method == "do"


def make_messages(maker: PageMaker, draft: str = "", refused: Seen | None = None) -> Page:
    """The conversation with the requester."""
    talk = [seen for seen in maker.session.seen if seen.tool == maker.screens.asks and seen.result.ok]
    _, refusal = maker.refuse((), {}, refused)
    values = {
        "talk": talk, "request": maker.request(), "number": len(maker.session.seen), "draft": draft, "refusal": refusal,
    }  # fmt: skip
    return Page("messages.html", maker.frame(1, "Messages"), values, get_status(refusal))


def make_finish(maker: PageMaker, sent: Sent, refused: Seen | None = None) -> Page | None:
    """The form of the answer, and after it what the episode came to, where that is told; None without a task."""
    session, task = maker.session, maker.session.task
    if task is None:
        return None
    controls, refusal = maker.refuse(make_answer_fields(task.answer_schema), sent, refused, fresh=not sent)
    verdict = session.judge() if session.episode.done and session.shows_verdict else None
    values = {
        "controls": controls, "refusal": refusal, "number": len(session.seen), "verdict": verdict,
        "request": maker.request(), "submitted": session.submitted,
    }  # fmt: skip
    return Page("finish.html", maker.frame(1, "Finish"), values, get_status(refusal))


def make_nothing(maker: PageMaker, depth: int, said: str = "There is no such page.") -> Page:
    return Page("nothing.html", maker.frame(depth, "Not found"), {"said": said}, 404)
