"""What is true around a text: what its row, the rows near it, the request and the handbook hold, piece by piece.

Near are the rows that a row refers to and that refer to it, and the same once more; and what hangs on those to which a row's
own references refer: a mail is from somebody at a vendor, and speaks of the vendor's invoices. From people whom callers act as,
and from rows to which very many refer, no way leads back: what else hangs on them has nothing to do with the text. What a row
says is read once for all verdicts on a world, and a claim is held against piece after piece, never against all of them put
together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

from worldwright.blueprint.schema import Column
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
MAX_TWINS = 5
"""Rows that are taken for the same thing as one, on record again."""
MIN_DIGITS = 5
"""Digits of a number that tells one thing from all others."""
MAX_TEXT = 4_000
MAX_CODE = 80
"""A text that is longer is no code."""
MAX_ROWS_KEPT = 20_000
"""Rows of a world that are kept as they were read. Beyond these, all are forgotten and read anew."""

Written: TypeAlias = tuple[str, str, str]
"""A text with the table and the id of the row that it stands in."""
Fields: TypeAlias = list[tuple[frozenset[str], date | Fraction | None]]
"""What figures and dates of rows are called, and what they are."""


class Truths(NamedTuple):
    """Figures, names and words that are true by one text, one value or one row, or by several of them."""

    heard: str = ""
    """Every word of every text and name, one after the other, with a mark before each text."""
    states: str = ""
    """Words for what became of things: states, and names of tables and of fields that hold something."""
    numbers: frozenset[Fraction] = frozenset()
    days: frozenset[date] = frozenset()
    part_days: frozenset[tuple[int, int]] = frozenset()
    """Month and day of dates that were said without a year."""
    ids: frozenset[tuple[str, str]] = frozenset()
    phones: frozenset[str] = frozenset()
    emails: frozenset[str] = frozenset()
    codes: frozenset[str] = frozenset()
    """Letters and digits of everything that is written in one piece."""
    asked: frozenset[str] = frozenset()
    """The promises that the request asks for."""


NOTHING = Truths()


def join_truths(parts: Iterable[Truths]) -> Truths:
    """Join what is true by each of several."""
    kept = [part for part in parts if part is not NOTHING]
    if len(kept) < 2:
        return kept[0] if kept else NOTHING
    heard, states, *sets = zip(*kept, strict=True)
    return Truths("".join(heard), "".join(states), *(frozenset().union(*each) for each in sets))


@lru_cache(maxsize=8192)
def read_text(text: str) -> Truths:
    """Read a text for everything that could be said again."""
    said = normalise(text[:MAX_TEXT])
    heard = f"| {' '.join(split_words(said))} "
    if not any(map(str.isdigit, said)) and "@" not in said:
        return Truths(heard)
    readings = [reading for day in find_days(said) for reading in day.readings]
    pieces = [*said.split(), said] if len(said) < MAX_CODE else said.split()
    return Truths(
        heard,
        numbers=frozenset(f.value for f in find_figures(said, counts=True) if f.value is not None),
        days=frozenset(date(y, m, d) for y, m, d in readings if y),
        part_days=frozenset((m, d) for y, m, d in readings if not y),
        ids=frozenset((i.prefix, i.number) for i in find_ids(said)),
        phones=frozenset(digits for _, _, digits in find_phones(said)),
        emails=frozenset(address for _, _, address in find_emails(said)),
        codes=frozenset(c for piece in pieces if (c := keep_letters_and_digits(piece))),
    )


def read_value(value: Any) -> Truths:
    """Read a value as people write it."""
    if isinstance(value, str):
        return read_text(value)
    if isinstance(value, (list, tuple)):
        return join_truths(map(read_value, value))
    number = None if isinstance(value, bool) else read_number(value)
    return NOTHING if number is None else Truths(numbers=frozenset((number,)))


def read_id(key: str) -> Truths:
    """Read the id of a row."""
    prefix, _, number = key.rpartition("-")
    numbers = frozenset((Fraction(key),)) if key.isdigit() else frozenset[Fraction]()
    codes = frozenset((keep_letters_and_digits(key),))
    return Truths(numbers=numbers, ids=frozenset(((prefix, number.lstrip("0")),)), codes=codes)


def _read_cell(column: Column, value: Any) -> Truths:
    """Read a value in storage form."""
    if value is None:
        return NOTHING
    kind = column.type
    if kind.numeric:
        return Truths(numbers=frozenset((Fraction(value, 10**kind.places),)))
    if kind.kind in ("date", "time"):
        day = days.parse_day(str(value)[:10])
        return NOTHING if day is None else Truths(days=frozenset((day,)))
    if kind.kind == "ref":
        return read_id(value)
    return read_text(value) if kind.kind == "text" else NOTHING


def _read_state(column: Column, value: Any) -> str:
    """Read what a cell says of what became of things: `cancelled` as a state, `cancelled_on` where that holds a day."""
    if not value:
        return ""
    kind, name = column.type, column.name.replace("_", " ")
    if kind.kind == "enum":
        return f"{value} ".replace("_", " ")
    if kind.numeric:
        return f"{find_head(column.name)} "
    if kind.kind in ("bool", "date", "time"):
        return "".join(f"{word} " for word in name.split() if word.endswith(("ed", "en", "off")))
    return ""


def find_head(name: str) -> str:
    """Find the word for what a figure is: `credit` of `open_credit` and `credit_total`, `limit` of `credit_limit`."""
    words = name.split("_")
    return next((word for word in reversed(words) if word not in ("amount", "total", "sum", "value")), words[0])


def keep_letters_and_digits(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


# rows


class RowReader:
    """Reads rows of a world, each once."""

    def __init__(self, compiled: CompiledWorld) -> None:
        self.compiled = compiled
        self._read: dict[tuple[str, tuple[Any, ...]], tuple[Truths, Truths]] = {}

    def read(self, row: Row, states: bool, unproven: frozenset[Written] = frozenset()) -> Truths:
        """Read what a row holds; with `states`, what became of it too. What is `unproven`, the episode wrote there, and saying it
        does not make it true."""
        written = find_written(row, unproven)
        if written:
            return self._read_anew(row.entity, tuple(None if v in written else v for v in row.values))[states]
        at = row.entity, tuple(row.values)
        found = self._read.get(at)
        if found is None:
            if len(self._read) >= MAX_ROWS_KEPT:
                self._read.clear()
            found = self._read[at] = self._read_anew(*at)
        return found[states]

    def _read_anew(self, name: str, values: tuple[Any, ...]) -> tuple[Truths, Truths]:
        entity, position = self.compiled.blueprint.schema.entities[name], self.compiled.tables[name].position
        cells = [(column, values[position[column.name]]) for column in entity.stored]
        held = join_truths([read_id(values[0]), *(_read_cell(column, value) for column, value in cells)])
        became = "".join(_read_state(column, value) for column, value in cells)
        return held, held._replace(states=f" {name.replace('_', ' ')} {became}")


def _is_mark(value: Any) -> bool:
    """Return whether a text tells one thing from all others: it has an @, or several digits."""
    return isinstance(value, str) and ("@" in value or sum(map(str.isdigit, value)) >= MIN_DIGITS)


def find_written(row: Row, unproven: frozenset[Written]) -> list[str]:
    """Find what the episode wrote in a row."""
    return [text for table, key, text in unproven if key == row.id and table == row.entity]


class Neighbourhood:
    """The rows around some rows, nearest first."""

    def __init__(
        self, compiled: CompiledWorld, uow: UnitOfWork, rows: Iterable[Row], unproven: frozenset[Written] = frozenset()
    ) -> None:
        self.compiled = compiled
        self.schema = compiled.blueprint.schema
        self.uow = uow
        self.unproven = unproven
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
        """Find the rows that rows refer to, as far as they are new; from now on they are not."""
        return self._list_new(self.list_referred(rows))

    def list_referred(self, rows: Iterable[Row]) -> list[Row]:
        """List the rows that rows refer to, as far as they are new."""
        found: dict[tuple[str, str], Row | None] = {}
        for row in rows:
            entity, position = self.schema.entities[row.entity], self.compiled.tables[row.entity].position
            for column in entity.refs:
                at = column.type.entity, row.values[position[column.name]]
                if at[1] and at not in self.seen and at not in found:
                    found[at] = self.uow.row(*at)
        return [row for row in found.values() if row is not None]

    def find_twins(self, rows: Iterable[Row]) -> list[Row]:
        """Find the rows that share two marks or more with rows (numbers, addresses, telephones), as far as they are new: the same
        thing on record twice."""
        found = []
        for row in rows:
            entity, position = self.schema.entities[row.entity], self.compiled.tables[row.entity].position
            marks = [
                (f'("{c.name}" IS ?)', row.values[position[c.name]])
                for c in entity.stored
                if c.type.kind == "text" and _is_mark(row.values[position[c.name]])
            ]
            if len(marks) > 1:
                test = " + ".join(sql for sql, _ in marks)
                sql = f'SELECT id FROM "{row.entity}" WHERE {test} > 1 AND id <> ? ORDER BY id LIMIT {MAX_TWINS}'
                for (key,) in self.uow.fetch(sql, (*(value for _, value in marks), row.id)):
                    found.append(self.uow.row(row.entity, key))
        return self._list_new(found)

    def find_referring(self, rows: Iterable[Row]) -> tuple[list[Row], Truths]:
        """Find the rows that refer to rows, as far as they are new. How many of each table there are, and what their figures add up
        to, is true too."""
        found: list[Row] = []
        numbers: set[Fraction] = set()
        for row in rows:
            if row.entity == self.schema.actor or len(self.seen) > MAX_ROWS:
                continue
            for way in self.schema.entities[row.entity].ways.values():
                children = list(self.uow.children(way.entity, way.column, row.id))
                numbers.add(Fraction(len(children)))
                if 0 < len(children) <= MAX_CHILDREN:
                    found += self._list_new(children)
                    numbers.update(self._list_totals(way.entity, children))
        return found, Truths(numbers=frozenset(numbers))

    def _list_totals(self, entity: str, rows: list[Row]) -> Iterator[Fraction]:
        position = self.compiled.tables[entity].position
        for column in self.schema.entities[entity].stored:
            at = position[column.name]
            if column.type.monetary:
                yield Fraction(sum(r.values[at] or 0 for r in rows), 10**column.type.places)
            elif column.type.kind == "enum":
                held = [r.values[at] for r in rows]
                yield from (Fraction(held.count(word)) for word in set(held))

    def read(self, rows: Iterable[Row], states: bool) -> Iterator[Truths]:
        """Read what rows hold; with `states`, what became of them."""
        reader = self.compiled.derive(RowReader)
        return (reader.read(row, states, self.unproven) for row in rows)

    def read_computed(self, rows: Iterable[Row]) -> Iterator[Truths]:
        """Read what is worked out on rows."""
        for row in rows:
            entity, position = self.schema.entities[row.entity], self.compiled.tables[row.entity].position
            written = find_written(row, self.unproven)
            for name, value in self.compiled.recorder.record(self.uow, row).items():
                if name not in position or (name in entity.columns and entity.columns[name].shown is not None):
                    states = f" {find_head(name)} " if value and not isinstance(value, str) else ""
                    truths = NOTHING if value in written else read_value(value)
                    yield truths._replace(states=states) if states else truths


def list_layers(near: Neighbourhood, named: Iterable[Row]) -> Iterator[Iterator[Truths]]:
    """List what is true near the rows, layer by layer; `named` are rows of which only what they hold is true here."""
    yield near.read(near.rows, states=True)
    yield near.read(named, states=True)
    yield near.read_computed(near.rows)
    referred = near.find_referred(near.rows)
    yield near.read(referred, states=True)
    yield near.read_computed(referred)
    referring, counted = near.find_referring(near.rows)
    yield iter((counted,))
    yield near.read(referring, states=True)
    owners = near.find_referred(referred)
    second = [*owners, *near.find_referred(referring)]
    yield near.read(second, states=False)
    further, counted = near.find_referring([*referred, *referring])
    yield iter((counted,))
    yield near.read(further, states=False)
    yield near.read(near.find_referred([*second, *further]), states=False)
    yield near.read(near.find_twins(near.rows), states=False)
    owned, counted = near.find_referring(owners)
    yield iter((counted,))
    yield near.read(owned, states=False)


def list_fields(compiled: CompiledWorld, rows: Iterable[Row]) -> Fields:
    """List what the figures and dates of rows are called, and what they are."""
    named = compiled.derive(_name_fields)
    return [
        (words, _read_figure(column, row.values[at]))
        for row in rows
        for words, column, at in named[row.entity]
        if row.values[at] is not None
    ]


def _read_figure(column: Column, value: Any) -> date | Fraction | None:
    return Fraction(value, 10**column.type.places) if column.type.numeric else days.parse_day(str(value)[:10])


def _name_fields(compiled: CompiledWorld) -> Mapping[str, tuple[tuple[frozenset[str], Column, int], ...]]:
    """Name the figures and dates of each table, by the words that tell them apart."""
    return {
        name: tuple(
            (words, column, table.position[column.name])
            for column in compiled.blueprint.schema.entities[name].stored
            if column.type.numeric or column.type.kind in ("date", "time")
            if (words := frozenset(list_words(column.name.replace("_", " "))))
        )
        for name, table in compiled.tables.items()
    }
