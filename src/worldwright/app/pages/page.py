"""A page, and what every page of a session is made with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from worldwright.app.forms.controls import Control, fill_controls
from worldwright.app.forms.reading import Sent
from worldwright.app.pages.frame import Frame, Item, Visitor, make_frame
from worldwright.app.pages.links import Links
from worldwright.app.pages.refusal import Refusal, read_refusal
from worldwright.app.screens.records import Field, Screens
from worldwright.app.sessions import AppSession, Seen


@dataclass(frozen=True, slots=True)
class Page:
    """A page: the template that draws it, and what it says."""

    template: str
    frame: Frame
    values: Mapping[str, Any] = field(default_factory=dict)
    status: int = 200


class PageMaker:
    """What the pages of one session have in common. It makes no call."""

    def __init__(self, session: AppSession, static: str) -> None:
        self.session = session
        self.screens: Screens = session.screens
        self._static = static

    def frame(self, depth: int, title: str, system: str = "", here: str = "", crumbs: Sequence[Item] = ()) -> Frame:
        """The frame of a page whose path has so many steps."""
        static = climb(depth) + self._static
        return make_frame(self.links(depth), self.session.looks, self._visitor(), static, title, system, here, crumbs)

    def _visitor(self) -> Visitor:
        episode, task = self.session.episode, self.session.task
        return Visitor(
            self.screens.role, task.actor if task is not None else "", episode.clock, task is not None,
            bool(self.screens.asks), episode.done, self.session.may_restart,
        )  # fmt: skip

    def links(self, depth: int) -> Links:
        """The links of a page whose path has so many steps."""
        return Links(self.screens, climb(depth), self.session.known)

    def crumbs(self, depth: int, tool: str) -> list[Item]:
        """The list that leads to a record of a get, or to what a form gives."""
        links = self.links(depth)
        form = self.screens.forms[tool]
        lists = self.screens.lists.values()
        found = next((s for s in lists if s.entity == form.gives.entity and s.form.system == form.system), None)
        return [Item(found.title, links.to("list", found.form.tool))] if found is not None else []

    def controls(
        self, fields: Sequence[Field], sent: Sent, errors: Mapping[str, str], fresh: bool
    ) -> tuple[Control, ...]:
        """The fields of a form with what was sent in them."""
        return fill_controls(fields, sent, errors, self.session.known.hints(), fresh)

    def refuse(
        self, fields: Sequence[Field], sent: Sent, seen: Seen | None, fresh: bool = False
    ) -> tuple[tuple[Control, ...], Refusal | None]:
        """The fields of a form, and what was wrong with it where a call was refused: beside the field that it is about."""
        controls = self.controls(fields, sent, {}, fresh)
        if seen is None or seen.result.error is None:
            return controls, None
        refusal = read_refusal(seen.result.error, controls)
        errors = {refusal.field: refusal.message} if refusal.field else {}
        return self.controls(fields, sent, errors, False), refusal

    def request(self) -> str:
        """What is asked for: under the face `asking`, what is said of it at first."""
        task = self.session.task
        if task is None:
            return ""
        return task.turns[0] if self.screens.asks and task.turns else task.instruction


def climb(depth: int) -> str:
    """What leads to the first page from one whose path has so many steps."""
    return "../" * max(0, depth - 1)


def get_status(refusal: Refusal | None) -> int:
    """The status of a page that may show a refusal."""
    return 200 if refusal is None else 404 if refusal.code == "NOT_FOUND" else 422
