"""Tables on a page of a PDF: lines whose pieces stand under each other.

`pdfplumber` finds tables too. It takes 2.6 times as long on a document of 38 pages, brings pdfminer, Pillow, pdfium and
cryptography along, and its text would come beside that of pypdf, from which the places of all other blocks are told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from worldwright.anchor.readers.documents.blocks import BREAK
from worldwright.anchor.readers.documents.pdf_page import Piece, Row, parted

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
    """Whether a lone piece in the first column stands after the table: nothing under it is a row of it."""
    row = rows[position]
    after = rows[position + 1 : position + 4]
    close = [r for r in after if r.column == row.column and row.y - r.y < 4 * row.size]
    return not any(len(r.pieces) > 1 or (_column(r.pieces[0], starts) or 0) > 0 for r in close)


def _spills(piece: Piece, starts: Sequence[float]) -> bool:
    """Whether a lone piece runs over the columns after its own: prose, no cell."""
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
