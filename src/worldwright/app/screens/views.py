"""Views: searches whose rows are better read as an inbox, a calendar or a ledger than as a table.

- An inbox: rows with a subject and a body of their own, and a moment or day to filter by.
- A calendar: rows that take place on a day that can be filtered by (`held_on`, `starts_at`), or that span days and are by name
  something that people plan (a shift, a leave). Not tables of days themselves, which refer to nothing.
- A ledger: rows with one amount, a day, and something that they belong to, which are entries or payments by name, or which are
  only added to.
"""

from __future__ import annotations

from collections.abc import Iterable

from worldwright.app.screens.labels import split_name
from worldwright.app.screens.records import ListScreen, View, ViewKind
from worldwright.blueprint.checked import Checked
from worldwright.blueprint.schema import Entity
from worldwright.english.words import wordset

SUBJECTS = ("subject", "topic", "title")
BODIES = ("body", "text", "message", "content")
HAPPENS = (
    "held_on", "on_day", "planned_on", "planned_for", "scheduled_on", "scheduled_for", "visit_on", "event_on", "cook_on",
    "wanted_on", "arrival_on", "arrives_on", "departs_on", "sails_on", "flies_on", "starts_at", "begins_at", "departs_at",
    "held_at",
)  # fmt: skip
"""Columns of what takes place at a time."""
SPANS = ("from_on", "starts_on", "first_day", "begins_on")
ENDS = ("to_on", "ends_on", "until_on", "last_day", "ends_at", "departure_on", "until")
PLANNED = wordset(
    """
    shift trip leave booking stay event session visit appointment absence blackout reservation class course freeze holiday
    assignment on_call week request
    """
)
"""What people plan in days, by the last word of its name."""
ENTRIES = wordset(
    """
    entry entries payment transaction charge credit posting refund receipt booking movement adjustment
    """
)
AMOUNTS = ("amount", "points", "value")
TITLES: dict[ViewKind, str] = {"inbox": "Inbox", "calendar": "Calendar", "ledger": "Ledger"}


def find_views(blueprint: Checked, screens: Iterable[ListScreen]) -> tuple[tuple[str, View], ...]:
    """Find the views of a role's lists, each with its system. An entity has one of a kind."""
    out: list[tuple[str, View]] = []
    seen: set[tuple[str, str]] = set()
    for screen in screens:
        for find in (_find_inbox, _find_calendar, _find_ledger):
            view = find(screen, blueprint.schema.entities[screen.entity]) if not screen.needs else None
            if view is not None and (view.kind, screen.entity) not in seen:
                seen.add((view.kind, screen.entity))
                out.append((screen.form.system, view))
    return tuple(out)


def _find_range(screen: ListScreen, column: str) -> tuple[str, str] | None:
    """The parameters that bound a column: from and to."""
    since = next((name for name, compared in screen.filters.items() if compared == (column, ">=")), None)
    up_to = next((name for name, compared in screen.filters.items() if compared == (column, "<=")), None)
    return (since, up_to) if since is not None and up_to is not None else None


def _list_own(screen: ListScreen) -> dict[str, str]:
    """The kinds of a row's own values that the list has, by column."""
    return {part.origin[0]: part.kind for part in screen.row.parts if len(part.origin) == 1}


def _first(names: Iterable[str], known: Iterable[str]) -> str:
    there = set(known)
    return next((name for name in names if name in there), "")


def _find_inbox(screen: ListScreen, entity: Entity) -> View | None:
    own = _list_own(screen)
    when = next((name for name, kind in own.items() if kind in ("moment", "day") and _find_range(screen, name)), "")
    subject, body = _first(SUBJECTS, own), _first(BODIES, own)
    bounds = _find_range(screen, when) if when else None
    if not (subject and body and bounds):
        return None
    return View("inbox", screen.title, screen.form.tool, when, "", *bounds, text=(subject, body))


def _find_calendar(screen: ListScreen, entity: Entity) -> View | None:
    own = _list_own(screen)
    days = {name for name, kind in own.items() if kind in ("moment", "day") and _find_range(screen, name)}
    when = _first(HAPPENS, days)
    if not when and split_name(entity.name)[-1] in PLANNED:
        when = _first(SPANS, days)
    bounds = _find_range(screen, when) if when else None
    if bounds is None or not entity.refs:
        return None
    return View("calendar", screen.title, screen.form.tool, when, _first(ENDS, own), *bounds)


def _find_ledger(screen: ListScreen, entity: Entity) -> View | None:
    own = _list_own(screen)
    amount = _first(AMOUNTS, (name for name, kind in own.items() if kind in ("money", "number")))
    when = next((name for name, kind in own.items() if kind in ("day", "moment")), "")
    named = split_name(entity.name)[-1] in ENTRIES or entity.log
    if not (amount and when and named and entity.refs) or (own.get(amount) == "number" and amount == "value"):
        return None
    bounds = _find_range(screen, when) or ("", "")
    return View("ledger", screen.title, screen.form.tool, when, "", *bounds, amount=amount)
