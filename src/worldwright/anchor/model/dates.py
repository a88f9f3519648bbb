"""What a date of a record is in its life, and draws that keep the dates of a record, and of what it belongs to, in order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from worldwright.anchor.model.attributes import born
from worldwright.anchor.model.meanings import split_name
from worldwright.anchor.model.records import Attribute
from worldwright.english.words import wordset

BORN, MADE, BEGINS, HAPPENED, CHANGED, ENDED, ENDS, DUE = (
    "born",
    "made",
    "begins",
    "happened",
    "changed",
    "ended",
    "ends",
    "due",
)
"""When somebody was born; when the record was made; when what it is about begins; when something happened to it; when it was
changed last; when it was over; when what it is about ends; what is still to come."""
ROLES: tuple[tuple[str, frozenset[str]], ...] = tuple(
    (role, wordset(words))
    for role, words in (
        (CHANGED, "updated update updating modified modify modification changed change edited upd lastupdated"),
        (MADE, "created create creation inserted insert added add registered registration"),
        (
            ENDED,
            "closed completed complete completion finished resolved cancelled canceled deleted archived terminated removed voided "
            "refunded rejected withdrawn disabled revoked trashed purged settled disposition discontinued died death",
        ),
        (ENDS, "end ends ended ending finish finishes to departure checkout stop stops till"),
        (
            BEGINS,
            "start starts started starting begin begins began from arrival checkin since effective scheduled planned activation "
            "schedule appointment opens event",
        ),
        (
            DUE,
            "due expires expire expiry expiration expected estimated deadline renewal next target required until promised "
            "maturity thru through purge retention",
        ),
        (
            MADE,
            "opened open placed ordered order submitted "
            "submission issued issue invoice posted posting document transaction hire hired joined received request requested "
            "booked booking purchase purchased application entry sale signup signed",
        ),
    )
)
"""By a word in the name, the first that fits."""
ORDER = (MADE, BEGINS, HAPPENED, CHANGED, ENDED, ENDS, DUE)


BEFORE_THE_PAST = 62
"""Days before today by which records were made that are there from the beginning: what happens in the past of a world may happen to
each of them."""


class Dated(NamedTuple):
    """A date of a record, and the role it has."""

    name: str
    kind: str
    role: str
    optional: bool
    words: tuple[str, ...]
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
    found = [
        Dated(a.name, a.kind, role, a.optional, split_name(a.last), a.path[:-1])
        for a in attributes
        if a.kind in ("date", "time") and (role := role_of(a)) != BORN
    ]
    return sorted(found, key=lambda d: ORDER.index(d.role))


def draw_dates(dates: Sequence[Dated], stated: bool, owner: str) -> Iterator[tuple[str, str]]:
    """For each date its draw, in an order in which each reads only those before it.

    `stated` says that a state tells when a record is over: then no date does. `owner` is when what it belongs to was made, as a
    moment; empty where nothing is known of that."""
    done: list[Dated] = []
    for one in dates:
        before = _before(one, done)
        done.append(one)
        if one.role == ENDED and stated and one.optional:
            yield one.name, ""
            continue
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
    for inside in dict.fromkeys((one.inside, ())):
        near = [d for d in done if d.inside == inside]
        found = [d for role in FOLLOWS[one.role] for d in reversed(near) if d.role == role]
        if found:
            return found
    return []


def _after(one: Dated, before: Sequence[Dated]) -> str:
    """A draw for a date that lies after others; not in the future where it has happened."""
    future = one.role in (ENDS, DUE)
    if one.kind == "time":
        written = [d.name if d.kind == "time" else f"at({d.name}, 23)" for d in before]
        base = _latest(written, before, "at(today - 60, 9)")
        return f"add_hours({base}, between(20, 700))" if future else f"min(add_hours({base}, skewed(1, 900)), now)"
    base = _latest([f"day({d.name})" if d.kind == "time" else d.name for d in before], before, "today - 60")
    return f"{base} + between(1, 30)" if future else f"min({base} + skewed(0, 40), today)"


def _latest(written: Sequence[str], dates: Sequence[Dated], otherwise: str) -> str:
    """The latest of several dates, some of which may not be there."""
    known = [f"coalesce({w}, {otherwise})" if d.optional else w for w, d in zip(written, dates, strict=True)]
    out = known[0]
    for more in known[1:]:
        out = f"max({out}, {more})"
    return out


def _free(one: Dated, owner: str) -> str:
    """A draw for a date that no other of its record comes before."""
    if owner and one.role in (MADE, HAPPENED, CHANGED, ENDED):
        moment = f"min(add_hours(coalesce({owner}, at(today - 60, 9)), skewed(1, 900)), now)"
        return moment if one.kind == "time" else f"day({moment})"
    if one.role == DUE:
        return "today + between(3, 120)" if one.kind == "date" else "at(today + between(3, 120), between(8, 17))"
    last = BEFORE_THE_PAST if one.role == MADE else 1
    if one.kind == "date":
        return f"between(today - {last + 239}, today - {last})"
    return f"at(today - between({last}, {last + 239}), between(8, 17))"


WINDOWS: Mapping[str, tuple[int, int]] = {BEGINS: (1, 14), ENDS: (15, 40), DUE: (15, 45)}
"""Days from today in which dates lie that somebody says; the others lie within the first few."""


def said_date(a: Attribute) -> str:
    """How a date is drawn that somebody says: one that begins before one that ends."""
    role = role_of(a)
    if role == BORN:
        day = "today - between(7500, 24000)"
        return day if a.kind == "date" else f"at({day}, 0)"
    if a.said.when == "past":
        return "today - between(1, 40)" if a.kind == "date" else "at(today - between(1, 40), between(9, 16))"
    low, high = WINDOWS.get(role, (1, 30))
    low = max(low, 1) if a.said.when == "future" else low
    return (
        f"today + between({low}, {high})" if a.kind == "date" else f"at(today + between({low}, {high}), between(9, 16))"
    )


def past_date(a: Attribute) -> str:
    """How a date is drawn that is handed to an operation of the past: what has happened, has happened then."""
    if a.said.when or role_of(a) in (BORN, BEGINS, ENDS, DUE):
        return said_date(a)
    return "today" if a.kind == "date" else "now"
