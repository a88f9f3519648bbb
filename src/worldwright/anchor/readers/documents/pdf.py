"""PDF as blocks, through pypdf: where each piece of text stands says what is a line, a column, a table or a heading."""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from io import BytesIO
from itertools import pairwise
from typing import Any

from pypdf import PageObject, PdfReader
from pypdf.errors import DependencyError, PyPdfError
from pypdf.generic import ContentStream, FloatObject, NameObject

from worldwright.anchor.evidence import Note, Source
from worldwright.anchor.readers.documents.blocks import (
    MOST_TEXT,
    WITHOUT_LEVEL,
    Block,
    Line,
    Reading,
    blocks_of,
    item,
    like_a_heading,
    section_level,
    squeezed,
    table,
    unreadable,
)
from worldwright.formats.pdf_page import Grid, Piece, Row, grids, rows_of

MOST_PAGES = 1_000
MOST_STREAM = 4 * 1024 * 1024
"""Bytes of the drawing commands of one page."""
MOST_DRAWN = 48 * 1024 * 1024
"""Of all pages."""
_LEAST_TEXT = 20
DAMAGED = (
    PyPdfError, DependencyError, zlib.error, ValueError, LookupError, TypeError, AttributeError, AssertionError,
    ArithmeticError, OSError, EOFError, RuntimeError,
)  # fmt: skip
"""What a damaged file makes the library raise."""
_MOVES = frozenset({b"Td", b"TD", b"Tm", b"T*"})
_FIGURES = re.compile(r"\d+")
_EDGE = 3
"""Lines at the top and the bottom of a page that may be a header or a footer."""


Pages = dict[int, list[Row]]
"""The lines of each page that can be read, by its number."""


def read_pdf(data: bytes, file: str) -> Reading:
    """The blocks of a PDF."""
    locked = "an encrypted PDF: save it without a password"
    damaged = "a damaged PDF ({}): print it to PDF again, or give the text"
    try:
        reader = PdfReader(BytesIO(data), strict=False)
        if reader.is_encrypted and not reader.decrypt(""):
            return unreadable(file, locked)
        count = len(reader.pages)
        title = squeezed(str(reader.metadata.title or "")) if reader.metadata else ""
    except DependencyError:
        return unreadable(file, locked)
    except DAMAGED as e:
        return unreadable(file, damaged.format(type(e).__name__))
    pages = _pages(reader, min(count, MOST_PAGES))
    failed = [n for n in range(1, min(count, MOST_PAGES) + 1) if n not in pages]
    if sum(len(row.text) for rows in pages.values() for row in rows) < _LEAST_TEXT:
        if not pages:
            return unreadable(file, damaged.format("no page can be read"))
        return unreadable(file, "a PDF without text, pictures of pages perhaps: run text recognition on it first")
    notes: list[Note] = []
    if count > MOST_PAGES:
        notes.append(Note("warning", f"only the first {MOST_PAGES:,} of {count:,} pages were read", Source(file)))
    if failed:
        some = ", ".join(map(str, failed[:10])) + (" and more" if len(failed) > 10 else "")
        says = f"pages that cannot be read were left out: {some}"
        notes.append(Note("warning", says, Source(file, f"p{failed[0]}")))
    return Reading(tuple(_number(_blocks(_without_edges(pages)))), title, tuple(notes))


def _pages(reader: PdfReader, count: int) -> Pages:
    """The pages with their lines, without those that fail or are past the bounds."""
    pages: Pages = {}
    text, drawn = 0, 0
    for number in range(1, count + 1):
        try:
            pieces, size = _pieces(reader.pages[number - 1])
        except DAMAGED:
            continue
        drawn += size
        if size <= MOST_STREAM:
            text += sum(len(p.text) for p in pieces)
            pages[number] = list(rows_of(pieces))
        if text > MOST_TEXT or drawn > MOST_DRAWN:
            break
    return pages


def _pieces(page: PageObject) -> tuple[list[Piece], int]:
    """The upright text of a page, piece by piece, and the size of what draws it."""
    contents = page.get("/Contents")
    if contents is None:
        return [], 0
    stream = ContentStream(contents.get_object(), page.pdf, "bytes")
    size = len(stream.get_data())
    if size > MOST_STREAM:
        return [], size
    still = [FloatObject(n) for n in (1, 0, 0, 1, 0, 0)]
    # A change of coordinates that changes nothing makes the library hand over the text before every move.
    stream.operations = [
        part for o in stream.operations for part in (((list(still), b"cm"), o) if o[1] in _MOVES else (o,))
    ]
    page[NameObject("/Contents")] = stream
    pieces: list[Piece] = []

    def visit(text: str, cm: Sequence[float], tm: Sequence[float], font: Any, size: float) -> None:
        if not text.strip("\n"):
            return
        across, slant = tm[0] * cm[0] + tm[1] * cm[2], tm[0] * cm[1] + tm[1] * cm[3]
        if across <= 0 or abs(slant) > 0.1 * across:
            return
        height = abs(tm[2] * cm[1] + tm[3] * cm[3]) * size
        named = str(font.get("/BaseFont", "")) if isinstance(font, dict) else ""
        x, y = tm[4] * cm[0] + tm[5] * cm[2] + cm[4], tm[4] * cm[1] + tm[5] * cm[3] + cm[5]
        bold = any(word in named.lower() for word in ("bold", "black", "heavy", "semibold"))
        pieces.append(Piece(x, y, min(max(height, 1.0), 200.0), bold, text.replace("\n", " ")))

    page.extract_text(visitor_text=visit)
    return pieces, size


def _without_edges(pages: Pages) -> Pages:
    """Pages without the headers and footers that stand on many of them."""
    edges = {number: [*rows[:_EDGE], *rows[-_EDGE:]] for number, rows in ((n, _from_top(r)) for n, r in pages.items())}
    seen = Counter(key for rows in edges.values() for key in {_FIGURES.sub("#", r.text) for r in rows})
    body, first = _body_size(pages), next(iter(pages))
    out: Pages = {}
    for number, rows in pages.items():
        # The title page may show what is a header elsewhere.
        own = [r for r in edges[number] if number != first or r.size < 1.3 * body]
        times = {id(r): seen[_FIGURES.sub("#", r.text)] for r in own}
        gone = {id(r) for r in own if _FIGURES.fullmatch(r.text) or 3 <= times[id(r)] >= len(pages) / 3}
        out[number] = [r for r in rows if id(r) not in gone]
    return out


def _from_top(rows: Sequence[Row]) -> list[Row]:
    return sorted(rows, key=lambda r: -r.y)


def _blocks(pages: Pages) -> Iterator[Block]:
    """The blocks of all pages; a paragraph or a table may go on over the page."""
    body, pitch = _body_size(pages), _pitch(pages)
    large = (r for rows in pages.values() for r in rows if r.size > 1.15 * body and like_a_heading(r.text))
    sizes = sorted({round(r.size) for r in large}, reverse=True)
    lines: list[Line] = []
    held: tuple[Grid, Block] | None = None
    for number, rows in pages.items():
        at, starts = f"p{number}", {g.first: g for g in grids(rows)}
        position, above = 0, None
        while position < len(rows):
            grid = starts.get(position)
            goes_on = held is not None and grid is not None and position == 0 and _goes_on(held[0], grid)
            if held is not None and not goes_on:
                yield held[1]
                held = None
            if grid is None:
                lines.append(_line(rows[position], above, at, body, pitch, sizes, lines[-1] if lines else None))
                above, position = rows[position], position + 1
                continue
            yield from blocks_of(lines)
            lines = []
            block = table([list(r) for r in grid.rows], [at] * len(grid.rows), True)
            held = (held[0], _appended(held[1], block)) if held is not None else (grid, block)
            above, position = None, grid.last
    yield from [held[1]] if held is not None else []
    yield from blocks_of(lines)


def _number(blocks: Iterator[Block]) -> Iterator[Block]:
    """Blocks with their number on the page, `p3.12`; every row of a table has one of its own."""
    seen: Counter[str] = Counter()

    def place(page: str) -> str:
        seen[page] += 1
        return f"{page}.{seen[page]}"

    for block in blocks:
        places = tuple(map(place, block.places))
        yield replace(block, at=places[0] if places else place(block.at), places=places)


def _goes_on(old: Grid, new: Grid) -> bool:
    return len(old.starts) == len(new.starts) and all(
        abs(a - b) < 8 for a, b in zip(old.starts, new.starts, strict=True)
    )


def _appended(block: Block, more: Block) -> Block:
    again = bool(block.rows) and more.rows[:1] == block.rows[:1]
    return replace(block, rows=(*block.rows, *more.rows[again:]), places=(*block.places, *more.places[again:]))


def _line(
    row: Row, above: Row | None, at: str, body: float, pitch: float, sizes: Sequence[int], last: Line | None
) -> Line:
    text = row.text
    level = _level(row, body, sizes)
    if above is not None and above.column == row.column:
        far = above.y - row.y > 1.3 * max(pitch, 0.9 * row.size)
        apart = far or abs(above.size - row.size) > 1 or _ended(above, row)
    else:
        apart = last is None or last.text[-1:] in ".:;!?。" or not (text[:1].islower() or text[:1].isdigit())
    heading = level if level and (apart or row.bold or row.size > 1.15 * body) else 0
    return Line(text, 0, at, round(row.pieces[0].x), apart, heading, row.bold)


def _ended(above: Row, row: Row) -> bool:
    """Tell whether the line above ends a paragraph: with a stop, well before this one ends."""
    ends, next_ends = above.pieces[-1].end, row.pieces[-1].end
    return above.text[-1:] in ".!?:。" and next_ends - ends > 0.25 * (next_ends - row.pieces[0].x)


def _level(row: Row, body: float, sizes: Sequence[int]) -> int:
    text = row.text
    if item(text) and not section_level(text):
        return 0
    numbered = section_level(text)
    if numbered and (row.bold or row.size > 1.05 * body or numbered > 1):
        return numbered
    if round(row.size) in sizes and like_a_heading(text):
        return min(6, sizes.index(round(row.size)) + 1)
    return WITHOUT_LEVEL if row.bold and like_a_heading(text) and not text.endswith((":",)) else numbered


def _body_size(pages: Pages) -> float:
    """The size of most letters."""
    letters: Counter[float] = Counter()
    for row in (r for rows in pages.values() for r in rows):
        letters[round(row.size * 2) / 2] += len(row.text)
    return max(letters, key=lambda size: (letters[size], size), default=10.0)


def _pitch(pages: Pages) -> float:
    """The usual distance between two lines of a paragraph."""
    body = _body_size(pages)
    near = ((above, row) for rows in pages.values() for above, row in pairwise(rows) if above.column == row.column)
    gaps = Counter(round(2 * gap) / 2 for a, r in near if 0.8 * body < (gap := a.y - r.y) < 2.2 * body)
    return max(gaps, key=lambda gap: (gaps[gap], -gap), default=1.2 * body)
