"""A page of a PDF: pieces of text with their places, as lines in the order they are read. Columns are read one after the other."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

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
    return [_whole(run) for run in runs]


def _continues(run: Sequence[Piece], piece: Piece, end: float) -> bool:
    first = run[0]
    size = max(first.size, piece.size)
    gap = 6.0 if len(run) < 3 and _MARKER.match("".join(p.text for p in run).strip()) else ACROSS
    return abs(piece.y - first.y) <= 0.45 * size and first.x - 1 <= piece.x <= end + gap * size


def _whole(run: Sequence[Piece]) -> Piece:
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
    """Whether a piece starts in the left column and runs well into the right one."""
    return piece.x < right - 4 and piece.end > right + 0.12 * (piece.end - piece.x)


def _right_column(parts: Sequence[Piece]) -> float | None:
    """Where the right one of two columns of prose starts; None where the page has only one."""
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
