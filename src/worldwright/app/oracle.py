"""An oracle that clicks: it makes the calls of a key in the app, finding its way by what a person sees.

It is given a Playwright page (of the synchronous API) at the first page of an app episode. It knows from the screens how things are
called, and from the key what is to be done. Every step is a click on a link or a button, or something written into a field, found
by role, label and text. It looks at no address and runs no script.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from worldwright.app.looks.themes import Look
from worldwright.app.screens.fields import make_answer_fields
from worldwright.app.screens.records import Field, Form, ListScreen, Screens
from worldwright.world.records import Call
from worldwright.world.tasks import Key, Task

ADD_A_ROW = "Add a row to {label}"
EMPTY_LIST = "none: an empty list of {label}"
MORE_FILTERS = "More filters"


class Lost(Exception):
    """The oracle could not find what it was looking for on the page."""


class ClickOracle:
    """Makes calls by clicking and typing."""

    def __init__(self, page: Any, screens: Screens, looks: Mapping[str, Look]) -> None:
        self._page = page
        self._screens = screens
        self._looks = looks
        self.clicks = 0
        """Links and buttons that were clicked."""
        self.refused: list[str] = []
        """What pages said of calls that were refused. Some keys hold such calls: what is tried, and then left out."""

    def play(self, key: Key, calls: Sequence[Call], task: Task) -> None:
        """Make the calls of a key as an agent makes them, and submit its answer."""
        for call in calls:
            self.make(call)
        self.finish(task, key.answer)

    def make(self, call: Call) -> None:
        """Make one call."""
        form = self._screens.forms[call.tool]
        match form.method:
            case "list":
                self._search(self._screens.lists[call.tool], call.arguments)
            case "open":
                self._open(form, call.arguments)
            case "do":
                self._do(form, call.arguments)

    # finding one's way

    def _go(self, link: Any) -> None:
        """Follow a link, or press a button, that leads to another page."""
        with self._page.expect_navigation(wait_until="domcontentloaded"):
            link.click()
        self.clicks += 1

    def _enter(self, system: str, group: str, label: str) -> None:
        """Go to an entry of a system's navigation."""
        title = next(s.title for s in self._screens.systems if s.name == system)
        page = self._page
        navigation = page.get_by_role("navigation", name=title, exact=True)
        if not navigation.count():
            self._go(page.get_by_role("navigation", name="Systems").get_by_role("link", name=title, exact=True))
        link = navigation.locator("ul", has=page.get_by_role("link", name=label, exact=True)).get_by_role(
            "link", name=label, exact=True
        )
        listed = navigation.get_by_role("list", name=group, exact=True).get_by_role("link", name=label, exact=True)
        if not listed.count() or not listed.first.is_visible():
            self._unfold(navigation, group)
        link = listed if listed.count() else link
        if not link.count():
            raise Lost(f"{title} has no entry {label!r} under {group!r}")
        self._go(link.first)

    def _unfold(self, navigation: Any, group: str) -> None:
        """Open the part of a navigation in which a group is."""
        for name in (group, "Menu"):
            summary = navigation.locator("summary").filter(has_text=name)
            if summary.count():
                summary.first.click()
                self.clicks += 1
                return

    # searching and opening

    def _search(self, screen: ListScreen, arguments: Mapping[str, Any]) -> None:
        form = screen.form
        self._enter(form.system, "Records", screen.title)
        area = self._page.get_by_role("search", name=screen.title, exact=True)
        self._fill(area, form.fields, arguments, filters=True)
        self._go(area.get_by_role("button", name=self._looks[form.system].find, exact=True))
        self._check()

    def _open(self, form: Form, arguments: Mapping[str, Any]) -> None:
        """Open a record: by its row where the page shows it, else by its id."""
        screen = self._screens.records[form.tool]
        key = str(arguments[screen.key.rpartition(".")[2]]) if screen.key in arguments else ""
        link = self._page.locator("main").get_by_role("rowheader").filter(has_text=key).get_by_role("link")
        if key and set(arguments) == {screen.key} and link.count() == 1 and link.is_visible():
            self._go(link)
            if self._page.locator("main h1 + .id", has_text=key).count():
                return self._check()
        listed = next((s for s in self._screens.lists.values() if s.entity == screen.entity), None)
        field = form.field(screen.key)
        if listed is not None and field is not None and set(arguments) == {screen.key}:
            self._enter(listed.form.system, "Records", listed.title)
            main = self._page.locator("main")
            main.get_by_label(field.label, exact=True).first.fill(key)
            self._go(main.get_by_role("button", name=f"Open by {field.label}", exact=True))
        else:
            self._enter(form.system, "Open by ID", form.title)
            area = self._page.get_by_role("form", name=form.title, exact=True)
            self._fill(area, form.fields, arguments)
            self._go(area.get_by_role("button", name="Open", exact=True))
        self._check()

    # doing

    def _do(self, form: Form, arguments: Mapping[str, Any]) -> None:
        self._enter(form.system, "Actions", form.title)
        area = self._page.get_by_role("form", name=form.title, exact=True)
        self._fill(area, form.fields, arguments)
        self._go(area.get_by_role("button", name=self._looks[form.system].send or form.title, exact=True))
        self._check()

    def finish(self, task: Task, answer: Any) -> None:
        """Submit an answer."""
        self._go(self._page.get_by_role("navigation", name="Desk").get_by_role("link", name="Finish", exact=True))
        area = self._page.get_by_role("form", name="Answer", exact=True)
        self._fill(area, make_answer_fields(task.answer_schema), answer if isinstance(answer, Mapping) else {})
        self._go(area.get_by_role("button", name="Submit the answer", exact=True))
        self._check()

    def _check(self) -> None:
        """Note where a page says that something was refused. Whether that was meant, the end shows: its state, its verdict."""
        alert = self._page.get_by_role("alert")
        if alert.count():
            self.refused.append(alert.first.inner_text())

    # filling in

    def _fill(self, area: Any, fields: Sequence[Field], arguments: Mapping[str, Any], filters: bool = False) -> None:
        known = {field.name: field for field in fields}
        for name, value in arguments.items():
            if name not in known:
                raise Lost(f"there is no field for {name!r}")
            if value is not None:
                self._fill_field(area, known[name], value, filters)

    def _fill_field(self, area: Any, field: Field, value: Any, filters: bool = False) -> None:
        if field.kind == "group":
            inner = area.get_by_role("group", name=field.label, exact=True)
            return self._fill(inner, field.parts, value)
        if field.kind == "list":
            return self._fill_list(area, field, value)
        label = f"{field.about} {field.range}" if field.range and filters else field.label
        control = area.get_by_label(label, exact=True).first
        if filters and not control.is_visible():
            area.get_by_text(MORE_FILTERS, exact=True).click()
            self.clicks += 1
        self._write(area, field, control, value)
        return None

    def _fill_list(self, area: Any, field: Field, values: Sequence[Any]) -> None:
        element = field.parts[0]
        if not values and field.blank:
            area.get_by_label(EMPTY_LIST.format(label=field.label), exact=True).check()
        for number, value in enumerate(values, start=1):
            row = area.get_by_role("group", name=f"{field.label} {number}", exact=True)
            if not row.count():
                area.get_by_role("button", name=ADD_A_ROW.format(label=field.label), exact=True).click()
                self.clicks += 1
                row.wait_for()
            if element.kind == "group":
                self._fill(row, element.parts, value)
            else:
                self._write(row, element, row.get_by_role("textbox").or_(row.get_by_role("combobox")).first, value)

    def _write(self, area: Any, field: Field, control: Any, value: Any) -> None:
        match field.kind:
            case "choice":
                control.select_option(label=next(c.label for c in field.choices if c.value == _as_text(value)))
            case "flag":
                control.select_option(label="Yes" if value else "No")
            case "moment":
                control.fill(str(value).removesuffix("Z"))
            case "fixed":
                return
            case _:
                control.fill(_as_text(value))
                if value == "" and field.blank:
                    area.get_by_label("leave it empty on purpose").check()


def _as_text(value: Any) -> str:
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return value if isinstance(value, str) else str(value)
