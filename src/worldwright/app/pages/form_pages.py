"""Pages of forms: the form itself, what it came to, and the box that opens a record by its id."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from worldwright.app.forms.controls import write_form
from worldwright.app.forms.names import is_own
from worldwright.app.forms.reading import Sent
from worldwright.app.pages.cells import find_value, read_written
from worldwright.app.pages.links import Links
from worldwright.app.pages.page import Page, PageMaker, get_status
from worldwright.app.pages.record_view import view_record
from worldwright.app.screens.records import Form
from worldwright.app.sessions import Seen


def make_form(maker: PageMaker, form: Form, sent: Sent, refused: Seen | None = None, is_draft: bool = False) -> Page:
    """The form of an operation, with what was sent in it, and what was wrong with it."""
    fresh = not sent or (refused is None and not is_draft)
    controls, refusal = maker.refuse(form.fields, sent, refused, fresh)
    frame = maker.frame(2, form.title, form.system, maker.links(2).to("do", form.tool), maker.crumbs(2, form.tool))
    values = {
        "form": form, "controls": controls, "refusal": refusal, "number": len(maker.session.seen),
        "send": frame.look.send or form.title, "before": _find_before(maker, form, sent) if refused is None else None,
    }  # fmt: skip
    return Page("form.html", frame, values, 200 if refusal is None else 422)


def _find_before(maker: PageMaker, form: Form, sent: Sent) -> Seen | None:
    """The same call, made before with just this: whoever comes back to a form sees that it is done."""
    given = {name: values[-1] for name, values in sent.items() if values and values[-1] and not is_own(name)}
    for seen in reversed(maker.session.seen) if given else ():
        if seen.tool == form.tool and seen.result.ok and isinstance(seen.arguments, Mapping):
            made = write_form(form.fields, seen.arguments)
            if all(made.get(name, [""])[-1] == value for name, value in given.items()):
                return seen
    return None


def make_opener(maker: PageMaker, form: Form, refused: Seen | None = None) -> Page:
    """The form of a get, or of a search that was asked for by no list: fresh, or with what was wrong."""
    sent = write_form(form.fields, _as_mapping(refused.arguments)) if refused is not None else {}
    controls, refusal = maker.refuse(form.fields, sent, refused, fresh=refused is None)
    here = maker.links(2).to("form", form.tool)
    frame = maker.frame(2, form.title, form.system, here, maker.crumbs(2, form.tool))
    return Page("open.html", frame, {"form": form, "controls": controls, "refusal": refusal}, get_status(refusal))


def make_done(maker: PageMaker, seen: Seen, sent: Sent) -> Page | None:
    """What a form came to: its result, or the form again with what was wrong. None for what came from no form."""
    form = maker.screens.forms.get(seen.tool)
    if form is None or form.method != "do":
        return None
    if not seen.result.ok:
        return make_form(maker, form, sent or write_form(form.fields, _as_mapping(seen.arguments)), seen)
    links = maker.links(2)
    view = view_record(seen.result.data, form.gives, links, seen.number)
    frame = maker.frame(2, form.title, form.system, links.to("do", form.tool), maker.crumbs(2, form.tool))
    opened = _link_result(links, form, seen.result.data)
    return Page("done.html", frame, {"record": view, "seen": seen, "form": form, "opened": opened})


def _link_result(links: Links, form: Form, data: Any) -> str:
    own = next((part for part in form.gives.parts if part.kind == "id"), None)
    key = find_value(read_written(data, form.gives), own.at) if own is not None else None
    return links.to_record(own.entity, own.codec, key) if own is not None and key is not None else ""


def _as_mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
