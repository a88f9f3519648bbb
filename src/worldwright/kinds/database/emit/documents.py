"""Documents: text that knows where it may be broken, and the printer that fits it to a width.

A group, brackets or a string is written on one line where it fits there, together with what follows it up to the next end of
a line. Otherwise it is opened: every end of a line that it offers itself is taken, and what is in it is asked anew.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

WIDTH = 100
STEP = 4


@dataclass(frozen=True, slots=True)
class End:
    """The end of a line."""


END = End()


@dataclass(frozen=True, slots=True)
class Group:
    flat: str
    body: Doc


@dataclass(frozen=True, slots=True)
class Brackets:
    """Opened, the body stands on lines of its own, one step further in."""

    flat: str
    opening: str
    body: Doc
    closing: str


@dataclass(frozen=True, slots=True)
class Fold:
    """A string; opened, the pieces that it falls into when each may have so many columns."""

    flat: str
    pieces: Callable[[int], list[str]]


@dataclass(frozen=True, slots=True)
class Either:
    """The first where its text outside of brackets fits once the brackets are opened, else the second."""

    loose: Doc
    tight: Doc


Doc = str | tuple["Doc", ...] | End | Group | Brackets | Fold | Either

Frame = tuple[int, Doc]
"""How far in a document starts its lines, and the document."""


def width(text: str) -> int:
    """The columns that a text takes: two for each wide letter, none for marks that stand on others."""
    if text.isascii():
        return len(text)
    seen = (c for c in text if unicodedata.category(c) not in ("Mn", "Me", "Cf"))
    return sum(1 + (unicodedata.east_asian_width(c) in "WF") for c in seen)


def printed(doc: Doc, indent: int) -> list[str]:
    """The document as lines, the first of them `indent` columns in."""
    lines, line, column = [], " " * indent, indent
    stack: list[Frame] = [(indent, doc)]
    while stack:
        depth, part = stack.pop()
        if isinstance(part, (Group, Brackets, Fold)) and _fits(column + width(part.flat), stack):
            part = part.flat
        if isinstance(part, str):
            line += part
            column += width(part)
        elif isinstance(part, End):
            lines.append(line)
            line, column = " " * depth, depth
        else:
            stack += _opened(part, depth, column)
    return [*lines, line]


def _opened(part: Doc, depth: int, column: int) -> list[Frame]:
    """What a document consists of, the last first: the printer works from the end of its stack."""
    match part:
        case tuple():
            return [(depth, p) for p in reversed(part)]
        case Group():
            return [(depth, part.body)]
        case Brackets():
            inner = depth + STEP
            return [(depth, part.closing), (depth, END), (inner, part.body), (inner, END), (depth, part.opening)]
        case Fold():
            first, *others = part.pieces(WIDTH - column - 1)  # one column is for the comma after the last
            return [(depth, (first, *((END, p) for p in others)))]
        case Either():
            return [(depth, part.loose if fits_loosely(part.loose, column, depth) else part.tight)]
    raise TypeError(part)


def _fits(column: int, rest: list[Frame]) -> bool:
    """Whether a line that is so long already can take what follows until it ends."""
    todo: list[Doc] = []
    following = len(rest)
    while column <= WIDTH:
        if not todo:
            if not following:
                return True
            following -= 1
            todo.append(rest[following][1])
        match todo.pop():
            case str() as text:
                column += width(text)
            case tuple() as parts:
                todo += reversed(parts)
            case End():
                return True
            case Brackets() as brackets:
                return column + width(brackets.opening) <= WIDTH
            case Group(body=part) | Either(loose=part):
                todo.append(part)
            case Fold() as fold:
                column += width(fold.flat)
    return False


def fits_loosely(doc: Doc, column: int, depth: int) -> bool:
    """Whether the text outside of brackets fits; what follows them is on the line that they close on."""
    todo = [doc]
    while todo and column <= WIDTH:
        match todo.pop():
            case str() as text:
                column += width(text)
            case tuple() as parts:
                todo += reversed(parts)
            case Brackets() as brackets:
                if column + width(brackets.opening) > WIDTH:
                    return False
                column = depth + width(brackets.closing)
    return column <= WIDTH
