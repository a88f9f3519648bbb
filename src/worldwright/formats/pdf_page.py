"""A page of a PDF: pieces of text with their places, as lines in the order they are read. Columns are read one after the other."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

BREAK = "\x0b"
"""In a cell: a line that was ended on purpose."""
ACROSS = 1.6
"""A gap of more than this many sizes parts two cells or columns."""
_MARKER = re.compile(r"(?:[-*•·▪◦●○■□►➢➤✓✔☐☑–—o]|\(?\w{1,3}[.)]|\d{1,2}(?:\.\d{1,3}){0,5}\.?)\Z")
"""A bullet or a number, which may stand well before its text."""
_NARROW = frozenset("ijl.,;:'’!|ftIr()[]-/ ")
_BROAD = frozenset("mwMW@%—…&")


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text that stands at a place."""

    x: float
    y: float
    size: float
    bold: bool
    text: str
    end: float = 0
    """Where it ends, by estimate: the widths of letters are not asked for."""
    parts: tuple[tuple[float, str], ...] = ()
    """The pieces it was put together from, each with where it starts."""


@dataclass(frozen=True, slots=True)
class Row:
    """Pieces on one line of a page."""

    pieces: tuple[Piece, ...]
    column: int = 0
    """Counts the columns of the page; a row of the next one does not continue this one."""

    @property
    def y(self) -> float:
        return self.pieces[0].y

    @property
    def size(self) -> float:
        return max(p.size for p in self.pieces)

    @property
    def text(self) -> str:
        return " ".join(" ".join(p.text for p in self.pieces).split())

    @property
    def bold(self) -> bool:
        return all(p.bold for p in self.pieces)


def width(text: str, size: float) -> float:
    """About how wide a text is."""
    ems = sum(
        0.28 if ch in _NARROW else 0.85 if ch in _BROAD else 1.0 if ch > "\u2e80" else 0.62 if ch.isupper() else 0.5
        for ch in text
    )
    return ems * size * 0.97


def stretches(pieces: Sequence[Piece]) -> list[Piece]:
    """Pieces that follow each other on a line, put together; a wide gap keeps them apart."""
    runs: list[list[Piece]] = []
    end = 0.0
    for piece in pieces:
        reach = piece.x + width(piece.text, piece.size)
        if runs and _continues(runs[-1], piece, end):
            runs[-1].append(piece)
            end = max(end, reach)
        elif piece.text.strip():
            runs.append([piece])
            end = reach
    return [_join_pieces(run) for run in runs]


def _continues(run: Sequence[Piece], piece: Piece, end: float) -> bool:
    first = run[0]
    size = max(first.size, piece.size)
    gap = 6.0 if len(run) < 3 and _MARKER.match("".join(p.text for p in run).strip()) else ACROSS
    return abs(piece.y - first.y) <= 0.45 * size and first.x - 1 <= piece.x <= end + gap * size


def _join_pieces(run: Sequence[Piece]) -> Piece:
    text = "".join(p.text for p in run).lstrip()
    end = max(p.x + width(p.text, p.size) for p in run)
    bold = all(p.bold for p in run if p.text.strip())
    return replace(run[0], text=text, end=end, bold=bold, parts=tuple((p.x, p.text) for p in run))


def parted(piece: Piece, starts: Sequence[float]) -> list[Piece]:
    """A piece, parted where one of the pieces in it starts right at a column."""
    out: list[list[tuple[float, str]]] = []
    for x, text in piece.parts:
        if not out or (text.strip() and any(abs(x - s) < 2 for s in starts) and "".join(t for _, t in out[-1]).strip()):
            out.append([])
        out[-1].append((x, text))
    if len(out) < 2:
        return [piece]
    return [_part(piece, part) for part in out]


def _part(piece: Piece, part: Sequence[tuple[float, str]]) -> Piece:
    text = "".join(t for _, t in part).strip()
    return replace(piece, x=part[0][0], text=text, end=part[0][0] + width(text, piece.size), parts=tuple(part))


def rows_of(pieces: Sequence[Piece]) -> list[Row]:
    """The lines of a page, columns one after the other."""
    parts = stretches(pieces)
    right = _right_column(parts)
    if right is None:
        return _rows(parts, 0)
    out: list[Row] = []
    left_: list[Piece] = []
    right_: list[Piece] = []
    column = 0
    for piece in sorted(parts, key=lambda p: -p.y):
        if _crosses(piece, right):
            out += [*_rows(left_, column), *_rows(right_, column + 1), *_rows([piece], column + 2)]
            left_, right_, column = [], [], column + 3
        else:
            (left_ if piece.x < right - 4 else right_).append(piece)
    return [*out, *_rows(left_, column), *_rows(right_, column + 1)]


def _rows(parts: Sequence[Piece], column: int) -> list[Row]:
    """From top to bottom, in each from left to right."""
    rows: list[list[Piece]] = []
    for piece in sorted(parts, key=lambda p: (-p.y, p.x)):
        if rows and abs(rows[-1][0].y - piece.y) <= 0.45 * min(piece.size, rows[-1][0].size):
            rows[-1].append(piece)
        else:
            rows.append([piece])
    return [Row(tuple(sorted(r, key=lambda p: p.x)), column) for r in rows]


def _crosses(piece: Piece, right: float) -> bool:
    """Tell whether a piece starts in the left column and runs well into the right one."""
    return piece.x < right - 4 and piece.end > right + 0.12 * (piece.end - piece.x)


def _right_column(parts: Sequence[Piece]) -> float | None:
    """Return where the right one of two columns of prose starts; None where the page has only one."""
    if len(parts) < 10:
        return None
    least, most = min(p.x for p in parts), max(p.end for p in parts)
    starts = Counter(round(p.x / 3) for p in parts if 0.35 < (p.x - least) / max(most - least, 1) < 0.7)
    if not starts:
        return None
    start = min((3 * s for s, n in starts.items() if n == max(starts.values())), default=0)
    left = [p for p in parts if p.x < start - 4 and not _crosses(p, start)]
    right = [p for p in parts if p.x >= start - 4]
    crossing = len(parts) - len(left) - len(right)
    aligned = sum(abs(p.x - start) <= 20 for p in right)
    if min(len(left), len(right)) < 5 or crossing > 0.25 * len(parts) or aligned < 0.6 * len(right):
        return None
    broad = [sum(len(p.text) for p in side) / len(side) for side in (left, right)]
    reach = sum(p.end - p.x for p in left) / len(left)
    return start - 1.0 if min(broad) >= 18 and reach > 0.55 * (start - least) else None


# Tables on a page of a PDF: lines whose pieces stand under each other.
#
# `pdfplumber` finds tables too. It takes 2.6 times as long on a document of 38 pages, brings pdfminer, Pillow, pdfium and
# cryptography along, and its text would come beside that of pypdf, from which the places of all other blocks are told.


_NEAR = 4.0
"""How far apart two pieces may start and still stand under each other."""


@dataclass(frozen=True, slots=True)
class Grid:
    """A table that was found: where its columns start, and its cells."""

    starts: tuple[float, ...]
    rows: tuple[tuple[str, ...], ...]
    first: int
    """The row of the page that it starts with."""
    last: int
    """The row after it."""


def grids(rows: Sequence[Row]) -> list[Grid]:
    """The tables among the rows of a page."""
    out: list[Grid] = []
    position = 0
    while position < len(rows):
        end, starts = _extent(rows, position)
        if end - position >= 2 and len(starts) >= 2:
            out.append(Grid(starts, _cells(rows[position:end], starts), position, end))
            position = end
        else:
            position += 1
    return out


def _extent(rows: Sequence[Row], first: int) -> tuple[int, tuple[float, ...]]:
    """The row after the table that starts here, and where its columns start."""
    if len(rows[first].pieces) < 2:
        return first, ()
    starts = [p.x for p in rows[first].pieces]
    position, shared = first + 1, 0
    while position < len(rows) and rows[position].column == rows[first].column:
        row, above = _fitted(rows[position], starts), rows[position - 1]
        known = [_column(p, starts) for p in row.pieces]
        if above.y - row.y > 3.2 * max(row.size, above.size) or None in known[:1]:
            break
        if len(row.pieces) == 1 and (
            _spills(row.pieces[0], starts) or (known[0] == 0 and _leaves(rows, position, starts))
        ):
            break
        if len(row.pieces) > 1:
            starts = sorted([*starts, *(p.x for p, k in zip(row.pieces, known, strict=True) if k is None)])
            shared += 1
        position += 1
    return (position, tuple(starts)) if shared else (first, ())


def _leaves(rows: Sequence[Row], position: int, starts: Sequence[float]) -> bool:
    """Tell whether a lone piece in the first column stands after the table: nothing under it is a row of it."""
    row = rows[position]
    after = rows[position + 1 : position + 4]
    close = [r for r in after if r.column == row.column and row.y - r.y < 4 * row.size]
    return not any(len(r.pieces) > 1 or (_column(r.pieces[0], starts) or 0) > 0 for r in close)


def _spills(piece: Piece, starts: Sequence[float]) -> bool:
    """Tell whether a lone piece runs over the columns after its own: prose, no cell."""
    column = _column(piece, starts)
    return (
        column is not None
        and column + 1 < len(starts)
        and piece.end > starts[column + 1] + 0.1 * (piece.end - piece.x) + _NEAR
    )


def _fitted(row: Row, starts: Sequence[float]) -> Row:
    """A row with its pieces parted where the columns start."""
    return Row(tuple(part for piece in row.pieces for part in parted(piece, starts)), row.column)


def _column(piece: Piece, starts: Sequence[float]) -> int | None:
    return next((n for n, s in enumerate(starts) if abs(piece.x - s) <= _NEAR), None)


def _cells(rows: Sequence[Row], starts: Sequence[float]) -> tuple[tuple[str, ...], ...]:
    """Lines put together into rows: a new one starts where the first column has text and there is more room above."""
    usual = _usual_gap(rows)
    roomy = any(above.y - row.y > 1.25 * usual for above, row in pairwise(rows))
    out: list[list[str]] = []
    for number, row in enumerate(rows):
        cells = [""] * len(starts)
        for piece in _fitted(row, starts).pieces:
            column = max((n for n, s in enumerate(starts) if s <= piece.x + _NEAR), default=0)
            cells[column] = f"{cells[column]} {piece.text.strip()}".strip()
        gap = rows[number - 1].y - row.y if number else 0.0
        wide = gap > 1.25 * usual
        if not out or (cells[0] and (wide if roomy else all(cells) or not cells[0][0].islower())):
            out.append(cells)
        else:
            parted = BREAK if wide else "\n"
            out[-1] = [
                f"{old}{parted}{new}" if old and new else old or new for old, new in zip(out[-1], cells, strict=True)
            ]
    return tuple(tuple(row) for row in out)


def _usual_gap(rows: Sequence[Row]) -> float:
    """The distance between two lines of a cell: the one that is seen most, the smaller one of two."""
    gaps = Counter(round((above.y - row.y) * 2) / 2 for above, row in pairwise(rows) if above.y > row.y)
    return min((gap for gap, n in gaps.items() if n == max(gaps.values())), default=0.0)
