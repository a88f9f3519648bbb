"""Text files of records: commas, semicolons, tabs or bars between the values, quoted or not, with or without names on top."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Any

from worldwright.anchor.evidence import Note, Source
from worldwright.anchor.readers.data.kinds import EMPTY, kind_of
from worldwright.anchor.readers.data.tables import Table, Told, make_table, unlike

DELIMITERS = (",", ";", "\t", "|")
_SAID = re.compile(r"\Asep=[,;\t|]\r?\n", re.IGNORECASE)
"""A first line for spreadsheets, which says the delimiter."""
LOOKED_AT = 64 * 1024
"""Characters from which the form of the file is told."""
MAX_LOOKED_AT = 200
MAX_COLUMNS = 2_000
MAX_PREAMBLE = 12
"""Lines above the names of the columns."""
MAX_LINES = 1_000
"""Lines of one row. A quotation that is never closed would take in all that follows."""
MIN_SHARE = 0.5
"""Of the rows at the beginning that have to be of one width."""
MAX_NAME_CHARS = 200


@dataclass(frozen=True, slots=True)
class Form:
    """How a file is written."""

    delimiter: str
    escape: str | None = None
    quoted: bool = True
    above: int = 0
    """Rows before the first one of the table."""
    width: int = 1

    def rows(self, text: str) -> Any:
        return csv.reader(
            io.StringIO(text, newline=""), delimiter=self.delimiter, escapechar=self.escape,
            doublequote=self.escape is None, skipinitialspace=self.delimiter != "\t",
            quoting=csv.QUOTE_MINIMAL if self.quoted else csv.QUOTE_NONE,
        )  # fmt: skip


class _Swallowed(Exception):
    """A row that goes over very many lines."""


def read_delimited(file: str, name: str, text: str, told: Told) -> Table | None:
    """The table in a text file; None where there is none."""
    text = _SAID.sub("\n", text)
    form = _form(text)
    before = list(told.notes)
    try:
        return _read(file, name, text, form, told)
    except _Swallowed:
        told.notes[:] = before
        told.warn("a quotation mark is never closed; such marks are read as plain characters", Source(file))
        return _read(file, name, text, replace(form, quoted=False), told)


def _form(text: str) -> Form:
    """The form in which most rows of the beginning have the same number of values."""
    start = text[:LOOKED_AT]
    if len(text) > LOOKED_AT and "\n" in start:
        start = start[: start.rindex("\n") + 1]
    best, best_score = Form("\x1f"), 0.0
    escape = "\\" if '\\"' in start and '""' not in start.replace(',""', "").replace(';""', "") else None
    for delimiter in DELIMITERS:
        form = Form(delimiter, escape)
        rows = list(islice(_filled(form.rows(start), patient=True), MAX_LOOKED_AT))
        for width, _ in Counter(map(len, rows)).most_common(3):
            above = next(i for i, row in enumerate(rows) if len(row) == width)
            if 1 < width <= MAX_COLUMNS and above <= MAX_PREAMBLE:
                fitting = sum(len(r) == width or (len(r) > width and not any(r[width:])) for r in rows[above:])
                score = fitting / len(rows) + min(width, 50) / 10_000
                if score > max(best_score, MIN_SHARE):
                    best, best_score = replace(form, above=above, width=width), score
    return best


def _read(file: str, name: str, text: str, form: Form, told: Told) -> Table | None:
    reader = form.rows(text)
    rows = _filled(reader, patient=not form.quoted)
    above = len(list(islice(rows, form.above)))
    before = reader.line_num
    head = list(islice(rows, 1))
    if not head:
        return None
    place = Source(file, f"{before + 1}-{reader.line_num}")
    head += islice(rows, MAX_LOOKED_AT)
    width = min(form.width if form.width > 1 else max(len(r) for r in head), MAX_COLUMNS)
    named = _has_names([_wide(r, width) for r in head])
    said = [" ".join(cell.split())[:MAX_NAME_CHARS] for cell in _wide(head[0] if named else [], width)]
    names = unlike(cell or f"column_{i}" for i, cell in enumerate(said, start=1))
    twice = dict.fromkeys(cell for cell, name in zip(said, names, strict=True) if cell and cell != name)
    if twice:
        told.warn(f"columns with the same name got a number: {', '.join(twice)}", place)
    if above:
        told.notes.append(Note("info", f"{above} lines above the table were left out", Source(file)))
    if not named:
        told.warn("no line names the columns; they are called column_1, column_2, ...", Source(file))
    ragged: Counter[str] = Counter()

    def even(row: list[str]) -> list[str]:
        ragged["fewer values than columns"] += len(row) < width
        ragged["values beyond the last column, left out"] += len(row) > width and any(c.strip() for c in row[width:])
        return _wide(row, width)

    kept = chain(head[1:] if named else head, rows)
    table = make_table(name, names, map(even, kept), Source(file), converts=True, place=place if named else None)
    for what, count in ragged.items():
        if count:
            told.warn(f"{count:,} rows of `{name}` have {what}", Source(file))
    return table


def _filled(reader: Any, patient: bool) -> Iterator[list[str]]:
    """The rows that hold something; who is not `patient` gives up where one cannot be read or goes over very many lines."""
    before = 0
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error:
            if not patient:
                raise _Swallowed from None
            continue
        if not patient and reader.line_num - before > MAX_LINES:
            raise _Swallowed
        before = reader.line_num
        if any(row) and (not row[0].isspace() or any(cell.strip() for cell in row)):
            yield row


def _wide(row: list[str], width: int) -> list[str]:
    return row[:width] if len(row) >= width else [*row, *[""] * (width - len(row))]


def _has_names(rows: Sequence[Sequence[str]]) -> bool:
    """Tell whether the first row names the columns: it is of another kind than what stands below, and does not come again."""
    first = [cell.strip() for cell in rows[0]]
    filled = [c for c in first if c not in EMPTY]
    if not filled or any(len(c) > MAX_NAME_CHARS for c in filled):
        return False
    score = 0.0
    for j, cell in enumerate(first):
        below = [r[j].strip() for r in rows[1:] if r[j].strip() not in EMPTY]
        if not below or not cell:
            continue
        here, there = _kind([cell]), _kind(below)
        if there != ("string", ""):
            score += -1 if here == there or {here[0], there[0]} <= {"integer", "number"} else 1
        elif cell in below:
            score -= 0.5
        elif len(set(below)) < len(below) or here[0] == "string":
            score += 0.25
    plain = all(_kind([c]) == ("string", "") for c in filled)
    return score > 0 or (score == 0 and plain and (len(rows) == 1 or len(set(filled)) == len(filled)))


def _kind(texts: Sequence[str]) -> tuple[str, str]:
    found = kind_of(texts, "", True)
    return found.kind, found.format
