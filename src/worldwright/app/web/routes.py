"""Routes: what a request does. A page that shows data of the world is one call; a form that is sent is one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from worldwright.app.forms.controls import walk_controls
from worldwright.app.forms.names import AS, DRAFT, FOR, FORM_NUMBER, GO, is_own, read_name, write_name
from worldwright.app.forms.reading import Sent, list_rows, read_form
from worldwright.app.pages import data_pages, desk_pages, form_pages
from worldwright.app.pages.links import Links
from worldwright.app.pages.page import Page, PageMaker
from worldwright.app.pages.view_page import place_range
from worldwright.app.screens.fields import make_answer_fields
from worldwright.app.screens.records import Form, Screens
from worldwright.app.sessions import AppSession
from worldwright.core.canonical import digest


@dataclass(frozen=True, slots=True)
class Request:
    """A request to a page of a session."""

    session: AppSession
    maker: PageMaker
    steps: tuple[str, ...]
    """The rest of the path, after what names the page."""
    sent: Sent

    def get(self, name: str) -> str:
        return (self.sent.get(name) or ("",))[-1]

    @property
    def screens(self) -> Screens:
        return self.maker.screens

    @property
    def argument(self) -> str:
        """What the page is of: a system, a number, or the slug of a tool."""
        return self.steps[0] if self.steps else ""

    @property
    def tool(self) -> str:
        return self.screens.tools.get(self.argument, "")


@dataclass(frozen=True, slots=True)
class Redirect:
    """Where a browser is sent on: relative to the page that it asked for."""

    to: str


Answer: TypeAlias = Page | Redirect | None
Handler: TypeAlias = Callable[[Request], Answer]


def answer(method: str, name: str, request: Request) -> Answer:
    """Answer a request; None where there is no such page. Holds the session while it does."""
    with request.session.lock:
        known = GETS if method == "GET" else POSTS
        handler = known.get(name)
        if handler is None:
            return None
        if request.session.episode.done and name in CALLS:
            return Redirect(_to_end(request))
        return handler(request)


def _to_end(request: Request) -> str:
    up = "../" * len(request.steps)
    return f"{up}finish" if request.session.task is not None else f"{up}activity"


# reading


def _home(request: Request) -> Answer:
    return desk_pages.make_home(request.maker)


def _system(request: Request) -> Answer:
    return desk_pages.make_system(request.maker, request.argument)


def _list(request: Request) -> Answer:
    screen = request.screens.lists.get(request.tool)
    if screen is None:
        return None
    sent, session = request.sent, request.session
    view = data_pages.find_view(request.screens, request.tool, request.get(AS))
    if view is not None and view.kind == "calendar":
        lacking = place_range(view, screen, sent, session.episode.clock)
        if lacking is not None:
            query = {**{name: values[-1] for name, values in sent.items()}, **lacking}
            return Redirect(Links(request.screens, "").to(request.argument, query=query.items()))
    if any(not request.get(write_name((name,))) for name in screen.needs):
        return data_pages.make_list(request.maker, screen, sent, None)
    seen = session.call(request.tool, read_form(screen.form.fields, sent))
    return data_pages.make_list(request.maker, screen, sent, seen)


def _open(request: Request) -> Answer:
    screen = request.screens.records.get(request.tool)
    if screen is None:
        return None
    seen = request.session.call(request.tool, read_form(screen.form.fields, request.sent))
    return data_pages.make_record(request.maker, request.tool, seen)


def _row(request: Request) -> Answer:
    seen = request.session.find_seen(request.argument)
    return data_pages.make_row(request.maker, seen, read_name(request.get("at"))) if seen is not None else None


def _blank(request: Request) -> Answer:
    """The form of a search or a get, without its call."""
    form = request.screens.forms.get(request.tool)
    if form is None:
        return None
    if form.method == "do":
        return Redirect(f"../do/{request.argument}")
    if form.method == "list":
        return data_pages.make_list(request.maker, request.screens.lists[form.tool], request.sent, None)
    return form_pages.make_opener(request.maker, form)


def _do(request: Request) -> Answer:
    form = _find_form(request)
    if form is None:
        return None
    draft = request.session.find_draft(request.get(DRAFT))
    if draft is not None and draft.tool == form.tool:
        return form_pages.make_form(request.maker, form, draft.sent, is_draft=True)
    return form_pages.make_form(request.maker, form, {n: v for n, v in request.sent.items() if not is_own(n)})


def _done(request: Request) -> Answer:
    seen = request.session.find_seen(request.argument)
    return form_pages.make_done(request.maker, seen, request.session.sent_of(seen)) if seen is not None else None


def _handbook(request: Request) -> Answer:
    return desk_pages.make_handbook(request.maker)


def _request(request: Request) -> Answer:
    return desk_pages.make_request(request.maker) if request.session.task is not None else None


def _activity(request: Request) -> Answer:
    return desk_pages.make_activity(request.maker)


def _messages(request: Request) -> Answer:
    return desk_pages.make_messages(request.maker) if request.screens.asks else None


def _finish(request: Request) -> Answer:
    return desk_pages.make_finish(request.maker, {})


# writing


def _find_form(request: Request) -> Form | None:
    form = request.screens.forms.get(request.tool)
    return form if form is not None and form.method == "do" else None


def _name_form(tool: str, sent: Sent) -> str:
    """A form as it was sent: its number and its content. Sent again, it is the same."""
    number = (sent.get(FORM_NUMBER) or ("",))[-1]
    content = {name: list(values) for name, values in sent.items() if name != FORM_NUMBER}
    return f"{number}:{tool}:{digest(content)[:24]}" if number else ""


def _send(request: Request) -> Answer:
    form = _find_form(request)
    if form is None:
        return None
    if request.get(GO):
        return _leave(request, form)
    name = _name_form(form.tool, request.sent)
    seen = request.session.find_sent(name)
    if seen is None:
        seen = request.session.call(form.tool, read_form(form.fields, request.sent), name)
        request.session.keep_sent(seen, request.sent)
    return Redirect(f"../done/{seen.number}")


def _leave(request: Request, form: Form) -> Answer:
    """Leave a form for a look-up, or come back to it with a row more or less."""
    what, _, rest = request.get(GO).partition(":")
    name, _, slug = rest.rpartition(":") if what == "find" else (rest, "", "")
    tool = request.screens.tools.get(slug, "")
    sent = {key: tuple(values) for key, values in request.sent.items() if key not in (GO, FORM_NUMBER)}
    if what == "add":
        sent = _add_row(sent, name)
    elif what == "remove":
        sent = _remove_row(sent, name)
    number = request.session.keep_draft(form.tool, sent)
    if what == "find" and tool in request.screens.lists:
        return Redirect(_to_lookup(request, form, sent, name, tool, number))
    if form.method == "do":
        return Redirect(f"../do/{form.slug}?{DRAFT}={number}")
    query = [(key, values[-1]) for key, values in sent.items() if values]
    return Redirect(Links(request.screens, "../").to("form", form.tool, query=query))


def _draft(request: Request) -> Answer:
    """A form of any kind that is left for a look-up or another row."""
    form = request.screens.forms.get(request.tool)
    return _leave(request, form) if form is not None and request.get(GO) else None


def _to_lookup(request: Request, form: Form, sent: Sent, name: str, tool: str, number: int) -> str:
    """The search in which a reference is looked for, with what was written there as a part of the name, where it is no id."""
    control = next(
        (c for c in walk_controls(request.maker.controls(form.fields, sent, {}, False)) if c.name == name), None
    )
    lookup = next((one for one in control.field.lookups if one.tool == tool), None) if control is not None else None
    query = [(FOR, f"{number}.{name}")]
    written = control.value.strip() if control is not None else ""
    if lookup is not None and lookup.text and written and not any(c.isdigit() for c in written):
        query.append((write_name(lookup.text), written))
    return Links(request.screens, "../").to("list", tool, query=query)


def _add_row(sent: Mapping[str, tuple[str, ...]], name: str) -> dict[str, tuple[str, ...]]:
    rows = list_rows(sent, read_name(name))
    following = int(rows[-1]) + 1 if rows else 0
    return {**sent, f"{name}.{max(following, len(rows))}": ("",)}


def _remove_row(sent: Mapping[str, tuple[str, ...]], name: str) -> dict[str, tuple[str, ...]]:
    """Without one row of a list; those behind it move up."""
    before, _, gone = name.rpartition(".")
    out: dict[str, tuple[str, ...]] = {}
    for key, values in sent.items():
        if not key.startswith(f"{before}."):
            out[key] = values
            continue
        number, dot, rest = key[len(before) + 1 :].partition(".")
        if number == gone or not number.isdigit() or not gone.isdigit():
            continue
        moved = int(number) - (int(number) > int(gone))
        out[f"{before}.{moved}{dot}{rest}"] = values
    return out


def _pick(request: Request) -> Answer:
    """Come back from a look-up with what was chosen."""
    draft = request.session.find_draft(request.argument)
    if draft is None:
        return None
    name = request.get("field")
    sent = {**draft.sent, name: (request.get("id"),)} if name else draft.sent
    form = request.screens.forms[draft.tool]
    if form.method == "do":
        return Redirect(f"../do/{form.slug}?{DRAFT}={request.session.keep_draft(form.tool, sent)}")
    query = [(key, values[-1]) for key, values in sent.items() if values and values[-1]]
    return Redirect(Links(request.screens, "../").to(form.method, form.tool, query=query))


def _say(request: Request) -> Answer:
    tool = request.screens.asks
    if not tool:
        return None
    name = _name_form(tool, request.sent)
    seen = request.session.find_sent(name)
    text = request.get("message")
    if seen is None:
        seen = request.session.call(tool, {"message": text}, name)
    return Redirect("messages") if seen.result.ok else desk_pages.make_messages(request.maker, text, seen)


def _submit(request: Request) -> Answer:
    task = request.session.task
    if task is None:
        return None
    tool = request.session.episode.submit
    name = _name_form(tool, request.sent)
    seen = request.session.find_sent(name)
    if request.get(GO):
        return desk_pages.make_finish(request.maker, _change_rows(request))
    if seen is None:
        seen = request.session.call(tool, read_form(make_answer_fields(task.answer_schema), request.sent), name)
    return Redirect("finish") if seen.result.ok else desk_pages.make_finish(request.maker, request.sent, seen)


def _change_rows(request: Request) -> Sent:
    what, _, name = request.get(GO).partition(":")
    sent = {key: tuple(values) for key, values in request.sent.items() if key not in (GO, FORM_NUMBER)}
    return _add_row(sent, name) if what == "add" else _remove_row(sent, name)


def _again(request: Request) -> Answer:
    if not request.session.may_restart:
        return None
    request.session.restart()
    return Redirect("./")


GETS: Mapping[str, Handler] = {
    "": _home, "system": _system, "list": _list, "open": _open, "row": _row, "form": _blank, "do": _do, "done": _done,
    "pick": _pick, "handbook": _handbook, "request": _request, "activity": _activity, "messages": _messages, "finish": _finish,
}  # fmt: skip
POSTS: Mapping[str, Handler] = {
    "do": _send, "draft": _draft, "messages": _say, "finish": _submit, "again": _again,
}  # fmt: skip
CALLS = frozenset({"list", "open", "do"})
"""Pages that make calls, or lead to some: there are none after the end."""
DEPTHS: Mapping[str, int] = {
    "system": 2,
    "list": 2,
    "open": 2,
    "row": 2,
    "form": 2,
    "do": 2,
    "done": 2,
    "pick": 2,
    "draft": 2,
}
"""How many steps the path of a page has, where that is not one."""
