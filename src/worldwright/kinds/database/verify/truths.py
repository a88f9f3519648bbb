"""What is true around a text: what its row, the rows near it, the request and the handbook hold, gathered step by step.

Near are the rows that a row refers to and that refer to it, and the same once more. From people whom callers act as, and from
rows to which very many refer, no way leads back: what else hangs on them has nothing to do with the text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

from worldwright.blueprint.schema import Column, Entity
from worldwright.core import days
from worldwright.english.said_values import read_number
from worldwright.kinds.database.compiled_world import CompiledWorld
from worldwright.kinds.database.known_names import split_words
from worldwright.kinds.database.unit_of_work import Row, UnitOfWork
from worldwright.kinds.database.verify.facts import list_words
from worldwright.kinds.database.verify.figures import (
    find_days,
    find_emails,
    find_figures,
    find_ids,
    find_phones,
)
from worldwright.kinds.database.verify.wording import normalise

MAX_CHILDREN = 60
"""A row to which more rows of one table refer is a hub, and they are not near each other."""
MAX_ROWS = 400
"""From where so many rows are near, no more are looked for."""
MAX_TEXT = 4_000
MAX_CODE = 80
"""A text that is longer is no code."""


class ReadText(NamedTuple):
    """Everything that a text says."""

    heard: str
    numbers: frozenset[Fraction] = frozenset()
    days: frozenset[date] = frozenset()
    part_days: frozenset[tuple[int, int]] = frozenset()
    ids: frozenset[tuple[str, str]] = frozenset()
    phones: frozenset[str] = frozenset()
    emails: frozenset[str] = frozenset()
    codes: frozenset[str] = frozenset()


@lru_cache(maxsize=8192)
def read_text(text: str) -> ReadText:
    """Read a text for everything that could be said again."""
    said = normalise(text)
    heard = f"| {' '.join(split_words(said))} "
    if not any(map(str.isdigit, said)) and "@" not in said:
        return ReadText(heard)
    readings = [reading for day in find_days(said) for reading in day.readings]
    pieces = [*said.split(), said] if len(said) < MAX_CODE else said.split()
    return ReadText(
        heard,
        frozenset(f.value for f in find_figures(said, counts=True) if f.value is not None),
        frozenset(date(y, m, d) for y, m, d in readings if y),
        frozenset((m, d) for y, m, d in readings if not y),
        frozenset((i.prefix, i.number) for i in find_ids(said)),
        frozenset(digits for _, _, digits in find_phones(said)),
        frozenset(address for _, _, address in find_emails(said)),
        frozenset(c for piece in pieces if (c := keep_letters_and_digits(piece))),
    )


Written = tuple[str, str, str]
"""A text with the table and the id of the row that it stands in."""


class Truths:
    """Figures, names and words that are true here."""

    def __init__(self, unproven: frozenset[Written] = frozenset()) -> None:
        self.unproven = unproven
        """What the episode wrote: what it says there does not make it true."""
        self.numbers: set[Fraction] = set()
        self.days: set[date] = set()
        self.part_days: set[tuple[int, int]] = set()
        """Month and day of dates that were said without a year."""
        self.ids: set[tuple[str, str]] = set()
        self.phones: set[str] = set()
        self.emails: set[str] = set()
        self.codes: set[str] = set()
        """Letters and digits of everything that is written in one piece."""
        self.heard = " "
        """Every word of every text and name, one after the other."""
        self.states = " "
        """Words for what became of things: states, and names of tables and of fields that hold something."""
        self.asked: set[str] = set()
        """The promises that the request asks for."""
        self.fields: list[tuple[frozenset[str], date | Fraction | None]] = []
        """Of the rows next to the text, the words for a figure or date, and what it is."""

    def add_text(self, text: str) -> None:
        """Add everything that a text says."""
        said = read_text(text[:MAX_TEXT])
        self.heard += said.heard
        if said.codes:
            self.numbers.update(said.numbers)
            self.days.update(said.days)
            self.part_days.update(said.part_days)
            self.ids.update(said.ids)
            self.phones.update(said.phones)
            self.emails.update(said.emails)
            self.codes.update(said.codes)

    def add_id(self, key: str) -> None:
        """Add the id of a row."""
        prefix, _, number = key.rpartition("-")
        self.ids.add((prefix, number.lstrip("0")))
        self.codes.add(keep_letters_and_digits(key))
        if key.isdigit():
            self.numbers.add(Fraction(key))

    def include(self, other: Truths) -> None:
        """Add all that others found."""
        for name in ("numbers", "days", "part_days", "ids", "phones", "emails", "codes"):
            getattr(self, name).update(getattr(other, name))
        self.heard += other.heard
        self.states += other.states
        self.asked |= other.asked

    def add_value(self, value: Any) -> None:
        """Add a value as people write it."""
        number = None if isinstance(value, (str, bool)) else read_number(value)
        if number is not None:
            self.numbers.add(number)
        elif isinstance(value, str):
            self.add_text(value)
        elif isinstance(value, (list, tuple)):
            for item in value:
                self.add_value(item)

    def add_cell(self, row: Row, column: Column, value: Any) -> None:
        """Add a value in storage form."""
        if value is None or (row.entity, row.id, value) in self.unproven:
            return
        kind = column.type
        if kind.numeric:
            self.numbers.add(Fraction(value, 10**kind.places))
        elif kind.kind in ("date", "time"):
            day = days.parse_day(str(value)[:10])
            if day is not None:
                self.days.add(day)
        elif kind.kind == "ref":
            self.add_id(value)
        elif kind.kind == "text":
            self.add_text(value)

    def add_state(self, column: Column, value: Any) -> None:
        """Add what a cell says of what became of things: `cancelled` as a state, `cancelled_on` where that holds a day."""
        if not value:
            return
        kind, name = column.type, column.name.replace("_", " ")
        if kind.kind == "enum":
            self.states += f"{value} ".replace("_", " ")
        elif kind.numeric:
            self.states += f"{find_head(column.name)} "
        elif kind.kind in ("bool", "date", "time"):
            self.states += "".join(f"{word} " for word in name.split() if word.endswith(("ed", "en", "off")))

    def add_field(self, column: Column, value: Any) -> None:
        """Add what a figure or date is called in a row next to the text."""
        words = frozenset(list_words(column.name.replace("_", " ")))
        if words and value is not None and column.type.numeric:
            self.fields.append((words, Fraction(value, 10**column.type.places)))
        elif words and value is not None and column.type.kind in ("date", "time"):
            self.fields.append((words, days.parse_day(str(value)[:10])))


def find_head(name: str) -> str:
    """Find the word for what a figure is: `credit` of `open_credit` and `credit_total`, `limit` of `credit_limit`."""
    words = name.split("_")
    return next((word for word in reversed(words) if word not in ("amount", "total", "sum", "value")), words[0])


def keep_letters_and_digits(text: str) -> str:
    return "".join(ch for ch in text.casefold() if ch.isalnum())


class Neighbourhood:
    """The rows around some rows, nearest first."""

    def __init__(self, compiled: CompiledWorld, uow: UnitOfWork, rows: Iterable[Row]) -> None:
        self.compiled = compiled
        self.schema = compiled.blueprint.schema
        self.uow = uow
        self.seen: set[tuple[str, str]] = set()
        self.rows = self._list_new(rows)

    def _list_new(self, rows: Iterable[Row | None]) -> list[Row]:
        out = []
        for row in rows:
            if row is not None and (row.entity, row.id) not in self.seen:
                self.seen.add((row.entity, row.id))
                out.append(row)
        return out

    def find_referred(self, rows: Iterable[Row]) -> list[Row]:
        """Find the rows that rows refer to, as far as they are new."""
        found: list[Row | None] = []
        for row in rows:
            entity, position = self.schema.entities[row.entity], self.compiled.tables[row.entity].position
            found += [self.uow.row(c.type.entity, key) for c in entity.refs if (key := row.values[position[c.name]])]
        return self._list_new(found)

    def find_referring(self, rows: Iterable[Row], truths: Truths) -> list[Row]:
        """Find the rows that refer to rows, as far as they are new. How many of each table there are, and what their figures add up
        to, is true too."""
        found: list[Row] = []
        for row in rows:
            if row.entity == self.schema.actor or len(self.seen) > MAX_ROWS:
                continue
            for way in self.schema.entities[row.entity].ways.values():
                children = list(self.uow.children(way.entity, way.column, row.id))
                truths.numbers.add(Fraction(len(children)))
                if len(children) <= MAX_CHILDREN:
                    found += self._list_new(children)
                    self._add_totals(truths, way.entity, children)
        return found

    def _add_totals(self, truths: Truths, entity: str, rows: list[Row]) -> None:
        position = self.compiled.tables[entity].position
        for column in self.schema.entities[entity].stored:
            at = position[column.name]
            if column.type.monetary:
                truths.numbers.add(Fraction(sum(r.values[at] or 0 for r in rows), 10**column.type.places))
            elif column.type.kind == "enum":
                held = [r.values[at] for r in rows]
                truths.numbers.update(Fraction(held.count(word)) for word in set(held))

    def add(self, truths: Truths, rows: Iterable[Row], computed: bool, states: bool = False) -> None:
        """Add what rows hold; with `states`, what became of them; with `computed`, what is worked out on them too, and what their
        figures are called."""
        for row in rows:
            entity, position = self.schema.entities[row.entity], self.compiled.tables[row.entity].position
            truths.add_id(row.id)
            for column in entity.stored:
                truths.add_cell(row, column, row.values[position[column.name]])
            if computed or states:
                truths.states += f"{row.entity} ".replace("_", " ")
                for column in entity.stored:
                    truths.add_state(column, row.values[position[column.name]])
            if computed:
                self._add_computed(truths, row, entity, position)

    def _add_computed(self, truths: Truths, row: Row, entity: Entity, position: Mapping[str, int]) -> None:
        written = [text for table, key, text in truths.unproven if (table, key) == (row.entity, row.id)]
        for column in entity.stored:
            truths.add_field(column, row.values[position[column.name]])
        for name, value in self.compiled.recorder.record(self.uow, row).items():
            if name not in position or (name in entity.columns and entity.columns[name].shown is not None):
                if value not in written:
                    truths.add_value(value)
                if value and not isinstance(value, str):
                    truths.states += f"{find_head(name)} "


def list_layers(
    truths: Truths, compiled: CompiledWorld, uow: UnitOfWork, rows: Iterable[Row], named: Iterable[Row]
) -> Iterator[None]:
    """Add what is near the rows to the truths, layer by layer; `named` are rows of which only what they hold is true here."""
    near = Neighbourhood(compiled, uow, rows)
    near.add(truths, near.rows, computed=True)
    near.add(truths, named, computed=False, states=True)
    yield
    referred = near.find_referred(near.rows)
    near.add(truths, referred, computed=True)
    yield
    referring = near.find_referring(near.rows, truths)
    near.add(truths, referring, computed=False, states=True)
    yield
    second = near.find_referred([*referred, *referring])
    second += near.find_referring([*referred, *referring], truths)
    near.add(truths, second, computed=False)
    yield
    near.add(truths, near.find_referred(second), computed=False)
    yield
