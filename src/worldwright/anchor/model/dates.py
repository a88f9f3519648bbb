"""What a date of a record is in its life, and draws that keep the dates of a record, and of what it belongs to, in order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from worldwright.anchor.model.attributes import born
from worldwright.anchor.model.meaning_cues import read_lines
from worldwright.anchor.model.meanings import split_name
from worldwright.anchor.model.records import Attribute
from worldwright.english.words import wordset

BORN, *ORDER = ("born", "made", "begins", "happened", "changed", "ended", "ends", "due")
MADE, BEGINS, HAPPENED, CHANGED, ENDED, ENDS, DUE = ORDER
"""When somebody was born; when the record was made; when what it is about begins; when something happened to it; when it was
changed last; when it was over; when what it is about ends; what is still to come."""
_ROLES = """
changed: updated update updating modified modify modification changed change edited upd lastupdated
made: created create creation inserted insert added add registered registration
ended: closed completed complete completion finished resolved cancelled canceled deleted archived terminated removed voided refunded
    rejected withdrawn disabled revoked trashed purged settled disposition discontinued died death
ends: end ends ended ending finish finishes to departure checkout stop stops till
begins: start starts started starting begin begins began from arrival checkin since effective scheduled planned activation schedule
    appointment opens event
due: due expires expire expiry expiration expected estimated deadline renewal next target required until promised maturity thru
    through purge retention
made: opened open placed ordered order submitted submission issued issue invoice posted posting document transaction hire hired
    joined received request requested booked booking purchase purchased application entry sale signup signed
"""
ROLES = [(role, wordset(words)) for role, words in read_lines(_ROLES)]
"""By a word in the name, the first that fits."""
BEFORE_THE_PAST = 62
"""Days before today by which records were made that are there from the beginning: what happens in the past of a world may happen to
each of them."""


class Dated(NamedTuple):
    """A date of a record, and the role it has."""

    name: str
    kind: str
    role: str
    optional: bool
    inside: tuple[str, ...] = ()
    """The object of the record that it stands in."""


def role_of(a: Attribute) -> str:
    """What a date is, by its name; something that happened where nothing tells."""
    if born(a):
        return BORN
    words = set(split_name(a.last))
    if words <= {"date", "time", "at", "day", "timestamp", "datetime", "on"}:
        return MADE
    return next((role for role, known in ROLES if words & known), HAPPENED)


def dated_of(attributes: Sequence[Attribute]) -> list[Dated]:
    """The dates of a record, but for those of birth, in the order in which they follow each other."""
    roles = [(a, role_of(a)) for a in attributes if a.kind in ("date", "time")]
    found = [Dated(a.name, a.kind, role, a.optional, a.path[:-1]) for a, role in roles if role != BORN]
    return sorted(found, key=lambda d: ORDER.index(d.role))


def draw_dates(dates: Sequence[Dated], stated: bool, owner: str) -> Iterator[tuple[str, str]]:
    """For each date its draw, in an order in which each reads only those before it.

    `stated` says that a state tells when a record is over: then no date does. `owner` is when what it belongs to was made, as a
    moment; empty where nothing is known of that."""
    for k, one in enumerate(dates):
        if one.role == ENDED and stated and one.optional:
            yield one.name, ""
            continue
        before = _before(one, dates[:k])
        drawn = _after(one, before) if before else _free(one, owner)
        yield one.name, f"{drawn} if chance({_FILLED.get(one.role, 0.85)}) else none" if one.optional else drawn


_FILLED: Mapping[str, float] = {ENDED: 0.3, MADE: 0.95, CHANGED: 0.9}
"""How often an optional date is there."""
FOLLOWS: Mapping[str, tuple[str, ...]] = {
    MADE: (MADE,), BEGINS: (BEGINS, MADE), HAPPENED: (MADE,), CHANGED: (CHANGED, MADE), ENDED: (CHANGED, MADE, BEGINS),
    ENDS: (BEGINS, MADE), DUE: (BEGINS, MADE),
}  # fmt: skip
"""By role, what comes before it."""


def _before(one: Dated, done: Sequence[Dated]) -> list[Dated]:
    """The dates that one comes after: of the same part of the record where that has such, else of the whole."""
    near, whole = (
        [d for role in FOLLOWS[one.role] for d in reversed(done) if d.role == role and d.inside == inside]
        for inside in (one.inside, ())
    )
    return near or whole


def _after(one: Dated, before: Sequence[Dated]) -> str:
    """A draw for a date that lies after others; not in the future where it has happened."""
    timed, base = one.kind == "time", ""
    for d in before:
        same = d.name if d.kind == one.kind else f"at({d.name}, 23)" if timed else f"day({d.name})"
        known = f"coalesce({same}, {'at(today - 60, 9)' if timed else 'today - 60'})" if d.optional else same
        base = f"max({base}, {known})" if base else known
    if one.role in (ENDS, DUE):
        return f"add_hours({base}, between(20, 700))" if timed else f"{base} + between(1, 30)"
    return f"min(add_hours({base}, skewed(1, 900)), now)" if timed else f"min({base} + skewed(0, 40), today)"


def _free(one: Dated, owner: str) -> str:
    """A draw for a date that no other of its record comes before."""
    if owner and one.role in (MADE, HAPPENED, CHANGED, ENDED):
        moment = f"min(add_hours(coalesce({owner}, at(today - 60, 9)), skewed(1, 900)), now)"
        return moment if one.kind == "time" else f"day({moment})"
    if one.role == DUE:
        return _on("today + between(3, 120)", one.kind)
    last = BEFORE_THE_PAST if one.role == MADE else 1
    drawn = f"between(today - {last + 239}, today - {last})"
    return drawn if one.kind == "date" else _on(f"today - between({last}, {last + 239})", "time")


def _on(day: str, kind: str, hours: str = "between(8, 17)") -> str:
    """A day as a date, or as some moment on it."""
    return day if kind == "date" else f"at({day}, {hours})"


WINDOWS: Mapping[str, tuple[int, int]] = {BEGINS: (1, 14), ENDS: (15, 40), DUE: (15, 45)}
"""Days from today in which dates lie that somebody says; the others lie within the first few."""


def said_date(a: Attribute) -> str:
    """How a date is drawn that somebody says: one that begins before one that ends."""
    role = role_of(a)
    if role == BORN:
        return _on("today - between(7500, 24000)", a.kind, "0")
    low, high = WINDOWS.get(role, (1, 30))
    return _on(f"today + between({low}, {high})", a.kind, "between(9, 16)")


def past_date(a: Attribute) -> str:
    """How a date is drawn that is handed to an operation of the past: what has happened, has happened then."""
    if role_of(a) in (BORN, BEGINS, ENDS, DUE):
        return said_date(a)
    return "today" if a.kind == "date" else "now"
