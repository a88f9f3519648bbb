"""PDF as blocks, through pypdf: where each piece of text stands says what is a line, a column, a table or a heading."""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
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
    PyPdfError, DependencyError, zlib.error, ValueError, KeyError, TypeError, AttributeError, IndexError,
    AssertionError, ArithmeticError, NotImplementedError, RecursionError, OSError, EOFError, LookupError,
    RuntimeError,
)  # fmt: skip
"""What a damaged file makes the library raise."""
_MOVES = frozenset({b"Td", b"TD", b"Tm", b"T*"})
_FIGURES = re.compile(r"\d+")
_EDGE = 3
"""Lines at the top and the bottom of a page that may be a header or a footer."""


@dataclass(frozen=True, slots=True)
class _Page:
    number: int
    rows: tuple[Row, ...]


def read_pdf(data: bytes, file: str) -> Reading:
    """The blocks of a PDF."""
    try:
        reader = PdfReader(BytesIO(data), strict=False)
        if reader.is_encrypted and not reader.decrypt(""):
            return unreadable(file, "an encrypted PDF: save it without a password")
        count = len(reader.pages)
        title = squeezed(str(reader.metadata.title or "")) if reader.metadata else ""
    except DependencyError:
        return unreadable(file, "an encrypted PDF: save it without a password")
    except DAMAGED as e:
        return unreadable(file, f"a damaged PDF ({type(e).__name__}): print it to PDF again, or give the text")
    pages, failed = _pages(reader, min(count, MOST_PAGES))
    notes = tuple(_notes(count, failed, file))
    if sum(len(row.text) for page in pages for row in page.rows) < _LEAST_TEXT:
        if len(failed) >= count:
            return unreadable(file, "a damaged PDF (no page can be read): print it to PDF again, or give the text")
        return unreadable(file, "a PDF without text, pictures of pages perhaps: run text recognition on it first")
    return Reading(tuple(_number(_blocks(_without_edges(pages)))), title, notes)


def _notes(count: int, failed: Sequence[int], file: str) -> Iterator[Note]:
    if count > MOST_PAGES:
        yield Note("warning", f"only the first {MOST_PAGES:,} of {count:,} pages were read", Source(file))
    if failed:
        some = ", ".join(str(n) for n in failed[:10]) + (" and more" if len(failed) > 10 else "")
        yield Note("warning", f"pages that cannot be read were left out: {some}", Source(file, f"p{failed[0]}"))


def _pages(reader: PdfReader, count: int) -> tuple[list[_Page], list[int]]:
    """The pages with their lines, and the numbers of those that failed or are past the bounds."""
    pages: list[_Page] = []
    failed: list[int] = []
    text, drawn = 0, 0
    for number in range(1, count + 1):
        try:
            page = reader.pages[number - 1]
            pieces, size = _pieces(page)
        except DAMAGED:
            failed.append(number)
            continue
        drawn += size
        if size > MOST_STREAM:
            failed.append(number)
            continue
        text += sum(len(p.text) for p in pieces)
        pages.append(_Page(number, tuple(rows_of(pieces))))
        if text > MOST_TEXT or drawn > MOST_DRAWN:
            failed += range(number + 1, count + 1)
            break
    return pages, failed


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


def _without_edges(pages: Sequence[_Page]) -> list[_Page]:
    """Pages without the headers and footers that stand on many of them."""
    seen = Counter(key for page in pages for key in {_edge_key(r) for r in _edges(page)})
    often = {key for key, n in seen.items() if n >= 3 and n * 3 >= len(pages)}
    body = _body_size(pages)
    out = []
    for number, page in enumerate(pages):
        edges = [
            r for r in _edges(page) if number or r.size < 1.3 * body
        ]  # the title page may show what is a header elsewhere
        gone = {id(r) for r in edges if _edge_key(r) in often or _FIGURES.fullmatch(r.text)}
        out.append(_Page(page.number, tuple(r for r in page.rows if id(r) not in gone)))
    return out


def _edges(page: _Page) -> list[Row]:
    ordered = sorted(page.rows, key=lambda r: -r.y)
    return [*ordered[:_EDGE], *ordered[-_EDGE:]]


def _edge_key(row: Row) -> str:
    return _FIGURES.sub("#", row.text)


def _blocks(pages: Sequence[_Page]) -> Iterator[Block]:
    """The blocks of all pages; a paragraph or a table may go on over the page."""
    body = _body_size(pages)
    sizes = sorted(
        {round(r.size) for p in pages for r in p.rows if r.size > 1.15 * body and like_a_heading(r.text)}, reverse=True
    )
    pitch = _pitch(pages, body)
    lines: list[Line] = []
    open_: tuple[Grid, Block] | None = None
    for page in pages:
        at = f"p{page.number}"
        found = grids(page.rows)
        starts = {g.first: g for g in found}
        position, above = 0, None
        while position < len(page.rows):
            grid = starts.get(position)
            if grid is None:
                if open_ is not None:
                    yield open_[1]
                    open_ = None
                row = page.rows[position]
                lines.append(_line(row, above, at, body, pitch, sizes, lines[-1] if lines else None))
                above, position = row, position + 1
                continue
            yield from blocks_of(lines)
            lines = []
            block = table([list(r) for r in grid.rows], [at] * len(grid.rows), True)
            if open_ is not None and position == 0 and _goes_on(open_[0], grid):
                open_ = (open_[0], _appended(open_[1], block))
            else:
                if open_ is not None:
                    yield open_[1]
                open_ = (grid, block)
            above, position = None, grid.last
    if open_ is not None:
        yield open_[1]
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
        apart = (
            above.y - row.y > 1.3 * max(pitch, 0.9 * row.size) or abs(above.size - row.size) > 1 or _ended(above, row)
        )
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
    if item(text) is not None and not section_level(text):
        return 0
    numbered = section_level(text)
    if numbered and (row.bold or row.size > 1.05 * body or numbered > 1):
        return numbered
    if round(row.size) in sizes and like_a_heading(text):
        return min(6, sizes.index(round(row.size)) + 1)
    return WITHOUT_LEVEL if row.bold and like_a_heading(text) and not text.endswith((":",)) else numbered


def _body_size(pages: Sequence[_Page]) -> float:
    letters: Counter[float] = Counter()
    for page in pages:
        for row in page.rows:
            letters[round(row.size * 2) / 2] += len(row.text)
    return max(letters.items(), key=lambda entry: (entry[1], entry[0]))[0] if letters else 10.0


def _pitch(pages: Sequence[_Page], body: float) -> float:
    """The usual distance between two lines of a paragraph."""
    gaps: Counter[float] = Counter()
    for page in pages:
        for above, row in zip(page.rows, page.rows[1:], strict=False):
            gap = above.y - row.y
            if above.column == row.column and 0.8 * body < gap < 2.2 * body:
                gaps[round(gap * 2) / 2] += 1
    return max(gaps.items(), key=lambda entry: (entry[1], -entry[0]))[0] if gaps else 1.2 * body
