"""The pages of a session: what each one says, ready to be drawn. None of them makes a call; what was seen is given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from worldwright.app.forms.controls import Control, fill_controls, write_form
from worldwright.app.forms.names import AS, FOR
from worldwright.app.forms.reading import Sent
from worldwright.app.pages.cells import find_value, read_written
from worldwright.app.pages.frame import (
    Frame,
    Item,
    Visitor,
    describe_queue,
    describe_system,
    link_queue,
    link_view,
    make_frame,
    name_view,
)
from worldwright.app.pages.handbook import read_handbook
from worldwright.app.pages.links import Links
from worldwright.app.pages.list_page import (
    Filter,
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
from worldwright.app.pages.record_view import view_record
from worldwright.app.pages.refusal import Refusal, read_refusal
from worldwright.app.pages.view_page import make_calendar, make_ledger, make_messages
from worldwright.app.screens.fields import make_answer_fields
from worldwright.app.screens.labels import capitalise
from worldwright.app.screens.records import Field, Form, ListScreen, Path, Shape, View
from worldwright.app.sessions import AppSession, Seen

NOTHING: Sent = {}


@dataclass(frozen=True, slots=True)
class Page:
    """A page: the template that draws it, and what it says."""

    template: str
    frame: Frame
    values: Mapping[str, Any] = field(default_factory=dict)
    status: int = 200


def climb(depth: int) -> str:
    """What leads to the first page from one whose path has so many steps."""
    return "../" * max(0, depth - 1)


class Pages:
    """Makes the pages of one session."""

    def __init__(self, session: AppSession, static: str) -> None:
        self.session = session
        self.screens = session.screens
        self._static = static

    # frames

    def visitor(self) -> Visitor:
        episode = self.session.episode
        task = self.session.task
        return Visitor(
            self.screens.role, task.actor if task is not None else "", episode.clock, task is not None,
            bool(self.screens.asks), episode.done, self.session.may_restart,
        )  # fmt: skip

    def frame(self, depth: int, title: str, system: str = "", here: str = "", crumbs: Sequence[Item] = ()) -> Frame:
        return make_frame(
            self.links(depth),
            self.session.looks,
            self.visitor(),
            climb(depth) + self._static,
            title,
            system,
            here,
            crumbs,
        )

    def links(self, depth: int) -> Links:
        """The links of a page whose path has so many steps."""
        return Links(self.screens, climb(depth), self.session.known)

    def _crumbs(self, depth: int, tool: str) -> list[Item]:
        """The list that leads to a record of a get, or to what a form gives."""
        links = self.links(depth)
        form = self.screens.forms[tool]
        entity = form.gives.entity
        found = next(
            (s for s in self.screens.lists.values() if s.entity == entity and s.form.system == form.system), None
        )
        return [Item(found.title, links.to("list", found.form.tool))] if found is not None else []

    # pages without data of the world

    def home(self) -> Page:
        frame = self.frame(0, "Start")
        links = frame.links
        queues = [
            (system, Item(queue.title, link_queue(links, queue), says=describe_queue(queue, self.screens)))
            for system in self.screens.systems
            for queue in system.queues
        ]
        return Page("home.html", frame, {"queues": queues, "request": self._request()})

    def system(self, name: str) -> Page | None:
        system = next((s for s in self.screens.systems if s.name == name), None)
        if system is None:
            return None
        frame = self.frame(2, system.title, system.name)
        links = frame.links
        queues = [Item(q.title, link_queue(links, q), says=describe_queue(q, self.screens)) for q in system.queues]
        lists = [
            Item(self.screens.lists[t].title, links.to("list", t), says=self.screens.forms[t].says)
            for t in system.lists
        ]
        views = [Item(name_view(v), link_view(links, v), says=f"{v.title} as {_article(v.kind)}") for v in system.views]
        forms = [
            Item(self.screens.forms[t].title, links.to("do", t), says=self.screens.forms[t].says) for t in system.forms
        ]
        records = [
            Item(self.screens.forms[t].title, links.to("form", t), says=self.screens.forms[t].says)
            for t in system.records
        ]
        values = {
            "queues": queues,
            "lists": lists,
            "views": views,
            "forms": forms,
            "records": records,
            "says": describe_system(system),
        }
        return Page("system.html", replace(frame, crumbs=()), values)

    def handbook(self) -> Page:
        blocks = read_handbook(self.session.handbook)
        return Page("handbook.html", self.frame(1, "Handbook"), {"blocks": blocks})

    def _request(self) -> str:
        task = self.session.task
        if task is None:
            return ""
        asking = self.screens.asks and task.turns
        return task.turns[0] if asking else task.instruction

    def request(self) -> Page:
        task = self.session.task
        return Page("request.html", self.frame(1, "Request"), {"request": self._request(), "task": task})

    def activity(self) -> Page:
        frame = self.frame(1, "Activity")
        items = [
            (seen, self._name_call(seen), frame.links.to("done", str(seen.number)) if self._has_page(seen) else "")
            for seen in reversed(self.session.seen)
        ]
        return Page("activity.html", frame, {"items": items})

    def _name_call(self, seen: Seen) -> str:
        if seen.tool in self.screens.lists:
            return f"Looked at {self.screens.lists[seen.tool].title}"
        form = self.screens.forms.get(seen.tool)
        return (
            form.title if form is not None else "Wrote to the requester" if seen.tool == self.screens.asks else "Answer"
        )

    def _has_page(self, seen: Seen) -> bool:
        form = self.screens.forms.get(seen.tool)
        return form is not None and form.method == "do"

    # forms

    def controls(
        self, fields: Sequence[Field], sent: Sent, errors: Mapping[str, str], fresh: bool
    ) -> tuple[Control, ...]:
        return fill_controls(fields, sent, errors, self.session.known.hints(), fresh)

    def form(self, tool: str, sent: Sent, refused: Seen | None = None, draft: int = 0) -> Page:
        """The form of an operation, with what was sent in it, and what was wrong with it."""
        form = self.screens.forms[tool]
        fresh = not sent or (not refused and not draft)
        controls = self.controls(form.fields, sent, {}, fresh)
        refusal: Refusal | None = None
        if refused is not None and refused.result.error is not None:
            refusal = read_refusal(refused.result.error, controls)
            controls = self.controls(
                form.fields, sent, {refusal.field: refusal.message} if refusal.field else {}, False
            )
        frame = self.frame(2, form.title, form.system, self.links(2).to("do", tool), self._crumbs(2, tool))
        values = {
            "form": form, "controls": controls, "refusal": refusal, "number": len(self.session.seen),
            "send": frame.look.send or form.title, "before": self._find_before(form, sent) if refused is None else None,
        }  # fmt: skip
        return Page("form.html", frame, values, 200 if refusal is None else 422)

    def _find_before(self, form: Form, sent: Sent) -> Seen | None:
        """The same call, made before with just this: whoever comes back to a form sees that it is done."""
        given = {
            name: values[-1] for name, values in sent.items() if values and values[-1] and not name.startswith("~")
        }
        for seen in reversed(self.session.seen):
            if seen.tool == form.tool and seen.result.ok and given and isinstance(seen.arguments, Mapping):
                made = write_form(form.fields, seen.arguments)
                if all(made.get(name, [""])[-1] == value for name, value in given.items()):
                    return seen
        return None

    def filter_form(self, tool: str, sent: Sent) -> Page:
        """The form of a search or a get, without its call."""
        form = self.screens.forms[tool]
        if form.method == "list":
            return self.list(tool, sent, None)
        controls = self.controls(form.fields, sent, {}, True)
        here = self.links(2).to("form", tool)
        return Page("open.html", self.frame(2, form.title, form.system, here), {"form": form, "controls": controls})

    # what calls gave

    def list(self, tool: str, sent: Sent, seen: Seen | None) -> Page:
        """The page of a search: with its rows where the call was made, else with its filters alone."""
        screen = self.screens.lists[tool]
        form = screen.form
        view = _find_view(self.screens.systems, tool, (sent.get(AS) or ("",))[-1])
        links = self.links(2)
        controls = self.controls(form.fields, sent, {}, False)
        refusal = (
            read_refusal(seen.result.error, controls) if seen is not None and seen.result.error is not None else None
        )
        if refusal is not None and refusal.field:
            controls = self.controls(form.fields, sent, {refusal.field: refusal.message}, False)
        choosing, choose = self._read_choice(sent, links)
        frame = self.frame(2, screen.title, form.system, self._here(links, screen, view, sent))
        found = None
        if seen is not None and seen.result.ok:
            found = view_found(screen, seen.result.data, sent, links, seen.number, frame.look, choose)
        first, more = group_filters(screen, controls)
        page = ListPage(
            screen, first, more, list_kept(sent), found, list_state_tabs(screen, sent, links),
            self._list_views(links, screen, sent, view), list_forms(self.screens, screen, links),
            list_openers(self.screens, screen), choosing, "", frame.look.lists == "cards",
            _is_open(more, screen, view), name_of_rows(screen),
        )  # fmt: skip
        values: dict[str, Any] = {
            "page": page,
            "refusal": refusal,
            "view": view,
            "filtered": is_filtered(screen, sent),
            "tool": tool,
        }
        if view is not None and found is not None:
            values[view.kind] = self._make_view(view, screen, found, sent, links)
        elif view is not None:
            values[view.kind] = None
        return Page("list.html", frame, values, 200 if refusal is None else 422)

    def _make_view(self, view: View, screen: ListScreen, found: Any, sent: Sent, links: Links) -> Any:
        if view.kind == "calendar":
            return make_calendar(view, screen, found, sent, links, self.session.episode.clock)
        return make_ledger(view, screen, found) if view.kind == "ledger" else make_messages(view, screen, found)

    def _here(self, links: Links, screen: ListScreen, view: View | None, sent: Sent) -> str:
        """The entry of the navigation that a list belongs to: its view, its queue, or itself."""
        if view is not None:
            return link_view(links, view)
        given = {name: values[-1] for name, values in sent.items() if values and values[-1]}
        for system in self.screens.systems:
            for queue in system.queues:
                if queue.tool == screen.form.tool and given == {queue.filter: queue.value}:
                    return link_queue(links, queue)
        return links.to("list", screen.form.tool)

    def _list_views(self, links: Links, screen: ListScreen, sent: Sent, now: View | None) -> tuple[Item, ...]:
        views = [v for s in self.screens.systems for v in s.views if v.tool == screen.form.tool]
        if not views:
            return ()
        bounds = {b for v in views for b in (v.since, v.up_to)} | {
            AS,
            screen.paging.offset,
            screen.paging.limit,
            screen.paging.sort,
        }
        kept = [(name, values[-1]) for name, values in sent.items() if values and values[-1] and name not in bounds]
        items = [Item("Table", links.to("list", screen.form.tool, query=kept), now is None)]
        for view in views:
            query = [(AS, view.kind), *kept]
            items.append(Item(capitalise(view.kind), links.to("list", screen.form.tool, query=query), now == view))
        return tuple(items)

    def _read_choice(self, sent: Sent, links: Links) -> tuple[str, str]:
        """What a row is chosen for, and the link that its id is put behind."""
        number, _, name = (sent.get(FOR) or ("",))[-1].partition(".")
        draft = self.session.drafts.get(int(number)) if number.isascii() and number.isdigit() else None
        if draft is None or not name:
            return "", ""
        form = self.screens.forms[draft.tool]
        label = next(
            (c.field.label for c in _walk(self.controls(form.fields, draft.sent, {}, False)) if c.name == name), name
        )
        return f"{form.title}: {label}", links.to("pick", str(number), query=[("field", name), ("id", "")])

    def record(self, tool: str, seen: Seen) -> Page:
        """The page of a get."""
        screen = self.screens.records[tool]
        if not seen.result.ok:
            return self._refused(screen.form, seen)
        links = self.links(2)
        view = view_record(seen.result.data, screen.record, links, seen.number, titles=screen.titles)
        crumbs = self._crumbs(2, tool)
        here = crumbs[0].href if crumbs else links.to("form", tool)
        frame = self.frame(2, view.title, screen.form.system, here, crumbs)
        return Page("record.html", frame, {"record": view, "seen": seen, "fresh": True, "form": screen.form})

    def _refused(self, form: Form, seen: Seen) -> Page:
        error = seen.result.error
        assert error is not None
        given = write_form(form.fields, seen.arguments) if isinstance(seen.arguments, Mapping) else {}
        controls = self.controls(form.fields, given, {}, False)
        refusal = read_refusal(error, controls)
        frame = self.frame(2, form.title, form.system, "", self._crumbs(2, form.tool))
        return Page(
            "open.html",
            frame,
            {"form": form, "controls": controls, "refusal": refusal},
            404 if error.code == "NOT_FOUND" else 422,
        )

    def row(self, seen: Seen, at: Path) -> Page | None:
        """The page of a row that an earlier answer held, as it was then."""
        form = self.screens.forms.get(seen.tool)
        found = _follow(seen.result.data, form.gives, at) if form is not None and seen.result.ok else None
        if form is None or found is None:
            return None
        value, shape = found
        links = self.links(2)
        titles = self.screens.lists[seen.tool].titles if seen.tool in self.screens.lists else ()
        view = view_record(value, replace(shape, kind="record"), links, seen.number, at, titles)
        screen = self.screens.lists.get(seen.tool)
        crumbs = [Item(screen.title, links.to("list", seen.tool))] if screen is not None else self._crumbs(2, seen.tool)
        frame = self.frame(2, view.title, form.system, crumbs[0].href if crumbs else "", crumbs)
        return Page("record.html", frame, {"record": view, "seen": seen, "fresh": False, "form": form})

    def done(self, seen: Seen, sent: Sent) -> Page | None:
        """What a form came to: its result, or the form again with what was wrong."""
        form = self.screens.forms.get(seen.tool)
        if form is None or form.method != "do":
            return None
        if not seen.result.ok:
            return self.form(form.tool, sent or write_form(form.fields, _as_mapping(seen.arguments)), seen)
        links = self.links(2)
        view = view_record(seen.result.data, form.gives, links, seen.number)
        frame = self.frame(2, form.title, form.system, links.to("do", form.tool), self._crumbs(2, form.tool))
        opened = self._link_result(links, form, seen.result.data)
        return Page("done.html", frame, {"record": view, "seen": seen, "form": form, "opened": opened})

    def _link_result(self, links: Links, form: Form, data: Any) -> str:
        own = next((part for part in form.gives.parts if part.kind == "id"), None)
        key = find_value(read_written(data, form.gives), own.at) if own is not None else None
        return links.to_record(own.entity, own.codec, key) if own is not None and key is not None else ""

    # the requester, and the end

    def messages(self, draft: str = "", refused: Seen | None = None) -> Page:
        talk = [seen for seen in self.session.seen if seen.tool == self.screens.asks and seen.result.ok]
        refusal = (
            read_refusal(refused.result.error) if refused is not None and refused.result.error is not None else None
        )
        values = {
            "talk": talk,
            "request": self._request(),
            "number": len(self.session.seen),
            "draft": draft,
            "refusal": refusal,
        }
        return Page("messages.html", self.frame(1, "Messages"), values, 200 if refusal is None else 422)

    def finish(self, sent: Sent, refused: Seen | None = None) -> Page:
        task, episode = self.session.task, self.session.episode
        assert task is not None
        fields = make_answer_fields(task.answer_schema)
        controls = fill_controls(fields, sent, {}, {}, fresh=not sent)
        refusal = (
            read_refusal(refused.result.error, controls)
            if refused is not None and refused.result.error is not None
            else None
        )
        verdict = self.session.judge() if episode.done and self.session.shows_verdict else None
        values = {
            "controls": controls, "refusal": refusal, "task": task, "number": len(self.session.seen), "verdict": verdict,
            "request": self._request(), "submitted": self.session.submitted,
        }  # fmt: skip
        return Page("finish.html", self.frame(1, "Finish"), values, 200 if refusal is None else 422)

    def nothing(self, depth: int, said: str = "There is no such page.") -> Page:
        return Page("nothing.html", self.frame(depth, "Not found"), {"said": said}, 404)


def _is_open(filters: Sequence[Filter], screen: ListScreen, view: View | None) -> bool:
    """Whether one of these filters is set by hand: a view sets its own range, order and number of rows."""
    own = (
        {screen.paging.limit, screen.paging.sort, view.since, view.up_to}
        if view is not None
        else {screen.paging.offset}
    )
    return any(f.used and not any(c.field.name in own for c in f.controls) for f in filters)


def _article(kind: str) -> str:
    return {"inbox": "messages", "calendar": "a calendar", "ledger": "a ledger with sums"}[kind]


def _as_mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _walk(controls: Sequence[Control]) -> list[Control]:
    return [one for control in controls for one in (control, *_walk(control.parts))]


def _find_view(systems: Sequence[Any], tool: str, kind: str) -> View | None:
    return next((v for s in systems for v in s.views if v.tool == tool and v.kind == kind), None)


def _follow(data: Any, shape: Shape, at: Path) -> tuple[Any, Shape] | None:
    """The value at a path of an answer, with what it is: keys lead into records, numbers into rows."""
    left = list(at)
    while left:
        data = read_written(data, shape)
        if shape.kind == "rows" and left[0].isdigit():
            data, shape = find_value(data, (left.pop(0),)), replace(shape, kind="record")
            continue
        part = next((p for p in shape.parts if p.at and tuple(left[: len(p.at)]) == p.at), None)
        if part is None:
            return None
        data, shape, left = find_value(data, part.at), part, left[len(part.at) :]
    return (data, shape) if isinstance(data, Mapping) else None
