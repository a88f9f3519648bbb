"""Links: where the pages of an episode are, as seen from one of them. All of them are relative; none holds the episode's token."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode

from worldwright.app.forms.names import write_name
from worldwright.app.screens.records import Form, Path, Screens

Query = Iterable[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Known:
    """A record that a page has shown: how it was called there, and where it stood."""

    name: str
    number: int
    at: Path


KnownRecords = Mapping[tuple[str, str, str], Known]
"""By entity, the way in which its ids are written, and id."""


@dataclass(frozen=True, slots=True)
class Links:
    """Makes links on one page."""

    screens: Screens
    up: str
    """What leads from this page to the first one."""
    known: KnownRecords = field(default_factory=dict)
    """What pages have shown so far."""

    def to(self, *steps: str, query: Query = ()) -> str:
        """The link to a page: its kind and, where it has one, what it is of. Tools are called by their slugs."""
        forms = self.screens.forms
        named = (forms[step].slug if at and step in forms else step for at, step in enumerate(steps))
        path = self.up + "/".join(quote(step, safe="") for step in named)
        given = urlencode(tuple(query), safe="-:.,~")
        return (path or "./") + (f"?{given}" if given else "")

    def to_form(self, form: Form, given: Mapping[str, Any] | None = None) -> str:
        """The page of a tool: its list, its record, or its form with these values in it."""
        return self.to(form.method, form.tool, query=[(write_name((k,)), str(v)) for k, v in (given or {}).items()])

    def to_record(self, entity: str, codec: str, key: Any) -> str:
        """The page of a record, where there is a get that opens one; else where it was shown, if it was."""
        tool = self.screens.getters.get((entity, codec))
        if isinstance(key, (dict, list)):
            return ""
        if tool is None:
            known = self.known.get((entity, codec, str(key)))
            return self.to_row(known.number, known.at) if known is not None else ""
        screen = self.screens.records[tool]
        return self.to_form(screen.form, {screen.key: key})

    def name_of(self, entity: str, codec: str, key: Any) -> str:
        """How a record was called where it was shown; empty where it was not."""
        known = self.known.get((entity, codec, str(key)))
        return known.name if known is not None else ""

    def to_row(self, number: int, path: Path) -> str:
        """The page of a row that an earlier answer held."""
        return self.to("row", str(number), query=[("at", write_name(path))])
