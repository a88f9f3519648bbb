"""Views of a list's rows: a calendar, a ledger, an inbox. Each shows what one call gave, and says where there is more."""

from __future__ import annotations

from calendar import Calendar as Weeks
from calendar import month_name
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

from worldwright.app.forms.names import AS
from worldwright.app.forms.reading import Sent
from worldwright.app.pages.cells import Cell, find_value, write_number
from worldwright.app.pages.links import Links
from worldwright.app.pages.list_page import Found, pick
from worldwright.app.pages.record_view import RowView
from worldwright.app.screens.records import ListScreen, Shape, View
from worldwright.app.screens.states import Tone
from worldwright.core.days import parse_day

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MAX_WHO = 3
"""Values of a message that are shown besides its subject and body."""
_WHO = {"reference": 0, "word": 1, "text": 2, "flag": 3}
MAX_SPAN_DAYS = 42
"""The longest range that is drawn as a calendar."""


@dataclass(frozen=True, slots=True)
class Event:
    label: str
    note: str
    until: str
    href: str
    choose: str
    tone: Tone
    state: str


@dataclass(frozen=True, slots=True)
class Day:
    day: str
    number: int
    label: str
    outside: bool
    today: bool
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class Calendar:
    title: str
    weeks: tuple[tuple[Day, ...], ...]
    previous: str
    following: str
    today: str
    week: str
    """The week of the first day as a page of its own, or the month where a week is shown."""
    is_week: bool


@dataclass(frozen=True, slots=True)
class Sum:
    unit: str
    text: str


@dataclass(frozen=True, slots=True)
class Ledger:
    sums: tuple[Sum, ...]
    """Of what is shown, one for each currency."""
    running: tuple[str, ...]
    """After each row, from the first of all on; empty where it would not be true."""
    column: int


@dataclass(frozen=True, slots=True)
class Message:
    subject: str
    body: str
    who: tuple[tuple[str, Cell], ...]
    """With whom it is, and what it is about: what is shown at first."""
    when: Cell
    state: Cell
    words: tuple[tuple[str, Cell], ...]
    row: RowView


# calendars


def place_range(view: View, screen: ListScreen, sent: Sent, clock: str) -> dict[str, str] | None:
    """The parameters that a calendar's search lacks: a month, all rows that there may be, in order. None where it lacks nothing."""
    if (sent.get(view.since) or ("",))[-1] or (sent.get(view.up_to) or ("",))[-1]:
        return None
    first = (parse_day(clock[:10]) or date(2025, 1, 1)).replace(day=1)
    return _bound(view, screen, first, _last_of_month(first))


def _bound(view: View, screen: ListScreen, first: date, last: date) -> dict[str, str]:
    moment = next((p.kind == "moment" for p in screen.row.parts if p.origin == (view.when,)), False)
    out = {
        view.since: f"{first.isoformat()}T00:00" if moment else first.isoformat(),
        view.up_to: f"{last.isoformat()}T23:59:59" if moment else last.isoformat(),
    }
    if screen.paging.limit:
        out[screen.paging.limit] = str(screen.paging.most)
    field = screen.form.field(screen.paging.sort) if screen.paging.sort else None
    if field is not None and any(c.value == view.when for c in field.choices):
        out[screen.paging.sort] = view.when
    return out


def _last_of_month(first: date) -> date:
    return (first.replace(day=28) + timedelta(days=4)).replace(day=1) - timedelta(days=1)


def make_calendar(
    view: View, screen: ListScreen, found: Found, sent: Sent, links: Links, clock: str
) -> Calendar | None:
    """The rows of a search on the days on which they are; none where the range is longer than a page holds."""
    first = parse_day((sent.get(view.since) or ("",))[-1][:10])
    last = parse_day((sent.get(view.up_to) or ("",))[-1][:10])
    if first is None or last is None or not timedelta(0) <= last - first <= timedelta(days=MAX_SPAN_DAYS):
        return None
    by_day: dict[str, list[Event]] = {}
    when = next((p for p in screen.row.parts if p.origin == (view.when,)), None)
    for row, item in zip(found.rows, found.items, strict=True):
        value = str(find_value(item, when.at)) if when is not None else ""
        by_day.setdefault(value[:10], []).append(_make_event(view, row, found, value))
    is_week = (last - first).days < 7
    weeks = [[first + timedelta(days=n) for n in range((last - first).days + 1)]] if is_week else _weeks(first, last)
    today = clock[:10]
    days = tuple(tuple(_make_day(d, first, last, today, by_day.get(d.isoformat(), ())) for d in week) for week in weeks)
    now = parse_day(today) or first
    return Calendar(
        f"{first.isoformat()} to {last.isoformat()}" if is_week else f"{month_name[first.month]} {first.year}",
        days,
        _link_range(view, screen, sent, links, *_step(first, last, is_week, -1)),
        _link_range(view, screen, sent, links, *_step(first, last, is_week, 1)),
        _link_range(view, screen, sent, links, *_around(now, is_week)),
        _link_range(view, screen, sent, links, *_around(now if first <= now <= last else first, not is_week)),
        is_week,
    )


def _weeks(first: date, last: date) -> list[list[date]]:
    """Whole weeks over a range, Monday first."""
    if first.day == 1 and last == _last_of_month(first):
        return Weeks().monthdatescalendar(first.year, first.month)
    start = first - timedelta(days=first.weekday())
    count = ((last - start).days // 7) + 1
    return [[start + timedelta(days=7 * w + n) for n in range(7)] for w in range(count)]


def _around(day: date, is_week: bool) -> tuple[date, date]:
    if is_week:
        monday = day - timedelta(days=day.weekday())
        return monday, monday + timedelta(days=6)
    first = day.replace(day=1)
    return first, _last_of_month(first)


def _step(first: date, last: date, is_week: bool, by: int) -> tuple[date, date]:
    if is_week:
        return first + timedelta(days=7 * by), first + timedelta(days=7 * by + 6)
    return _around(first - timedelta(days=1) if by < 0 else last.replace(day=1) + timedelta(days=32), False)


def _link_range(view: View, screen: ListScreen, sent: Sent, links: Links, first: date, last: date) -> str:
    kept = {name: values[-1] for name, values in sent.items() if values and values[-1] and name != screen.paging.offset}
    changed = {
        name: value for name, value in _bound(view, screen, first, last).items() if name in (view.since, view.up_to)
    }
    return links.to("list", screen.form.tool, query={**kept, AS: "calendar", **changed}.items())


def _make_day(day: date, first: date, last: date, today: str, events: Sequence[Event]) -> Day:
    text = day.isoformat()
    return Day(
        text, day.day, f"{WEEKDAYS[day.weekday()]}, {text}", not first <= day <= last, text == today, tuple(events)
    )


def _make_event(view: View, row: RowView, found: Found, value: str) -> Event:
    parts = [row.name] if row.name else []
    state = Cell("none")
    note = value[11:16] if len(value) > 10 else ""
    until = ""
    for cell, head in zip(row.cells, found.heads, strict=True):
        kind = head.column.shape.kind
        if kind == "state":
            state = cell
        elif head.column.shape.origin == (view.until,) and cell.kind != "none":
            until = f"until {cell.text}"
        elif (
            kind in ("reference", "text", "word", "record") and cell.kind in ("reference", "text", "word") and cell.text
        ):
            parts.append(cell.text)
    label = ", ".join(dict.fromkeys(parts[:2])) or row.code
    return Event(label, note, until, row.href, row.choose, state.tone, state.text)


# ledgers


def make_ledger(view: View, screen: ListScreen, found: Found) -> Ledger:
    """Sums of what is shown. A running sum is only true from the first row of all on, in one currency."""
    column = next((at for at, h in enumerate(found.heads) if h.column.shape.origin == (view.amount,)), -1)
    shape = found.heads[column].column.shape if column >= 0 else Shape("number")
    sums: dict[str, Decimal] = {}
    running: list[str] = []
    places = shape.places if shape.kind == "money" else 0
    for row, item in zip(found.rows, found.items, strict=True):
        value = find_value(item, shape.at)
        unit = row.cells[column].unit if column >= 0 else ""
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            sums[unit] = sums.get(unit, Decimal(0)) + Decimal(str(value))
        running.append(write_number(sums.get(unit, Decimal(0)), places))
    true = len(sums) == 1 and found.first == 0 and all(row.cells[column].kind != "none" for row in found.rows)
    totals = tuple(Sum(unit, write_number(total, places)) for unit, total in sums.items())
    return Ledger(totals, tuple(running) if true else (), column)


# inboxes


def make_inbox(view: View, screen: ListScreen, found: Found) -> tuple[Message, ...]:
    """The rows of a search as messages."""
    subject, body = view.text
    out = []
    shown = {subject, body, view.when}
    for row, item in zip(found.rows, found.items, strict=True):
        words: list[tuple[str, Cell]] = []
        state = Cell("none")
        for cell, head in zip(row.cells, found.heads, strict=True):
            shape = head.column.shape
            if cell.kind == "none" or (len(shape.origin) == 1 and shape.origin[0] in shown):
                continue
            if shape.kind == "state":
                state = cell
            else:
                words.append((head.label, cell))
        words.sort(key=lambda word: _WHO.get(word[1].kind, len(_WHO)))
        text = find_value(item, _at(screen, body))
        title = find_value(item, _at(screen, subject))
        when = pick(row.cells, found.heads, view.when) or Cell("none")
        out.append(
            Message(
                str(title or row.name),
                str(text or ""),
                tuple(words[:MAX_WHO]),
                when,
                state,
                tuple(words[MAX_WHO:]),
                row,
            )
        )
    return tuple(out)


def _at(screen: ListScreen, column: str) -> tuple[str, ...]:
    return next((p.at for p in screen.row.parts if p.origin == (column,)), (column,))
