"""Sentences, as they are written, each with its place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from worldwright.anchor.readers.documents.blocks import BREAK, bare, lines_at
from worldwright.anchor.readers.documents.outline import Part
from worldwright.anchor.readers.documents.words import Word, words_of
from worldwright.english.words import wordset

MOST = 20_000
"""Sentences of one document that are looked at."""
LONGEST = 1_500
"""Characters. What is longer is no sentence that anybody wrote."""
_END = re.compile(
    rf"{BREAK}\s*|\n(?=[ \t]{{0,8}}[A-Z][\w /-]{{1,30}}:\s)|[.!?]{{1,5}}[\"'”’»)\]]{{0,3}}(?=\s)|[。！？]{{1,5}}[」』”）]{{0,2}}|؟"
)
_LAST_WORD = re.compile(r"[^\s(\[/]*\Z")
_SHORT = wordset(
    "e.g i.e eg ie vs cf mr mrs ms dr prof st no nos fig sec ch art approx min max incl excl resp ca inc ltd co "
    "corp dept est u.s u.k a.m p.m z.b d.h u.a bzw ggf evtl inkl zzgl nr abs ca p.ej sr sra ud uds núm art p.ex m "
    "mme bijv o.a d.w.z"
)
"""Abbreviations that a stop does not end."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence, and where it stands."""

    text: str
    at: str
    part: Part
    start: bool = True
    """The first one of its block or cell."""
    row: int = -1
    """Of a table."""
    column: int = -1
    alone: bool = True
    """The only one of its block or cell."""


@dataclass(frozen=True, slots=True)
class Spoken(Sentence):
    """A sentence with its words, for whoever looks at those again and again."""

    words: tuple[Word, ...] = ()


def spoken(parts: Sequence[Part]) -> tuple[Spoken, ...]:
    """Every sentence with its words."""
    return tuple(
        Spoken(s.text, s.at, s.part, s.start, s.row, s.column, s.alone, tuple(words_of(s.text)))
        for s in sentences(parts)
    )


def sentences(parts: Sequence[Part]) -> Iterator[Sentence]:
    """Every sentence of the prose, the lists and the tables, up to a bound; headings and code have none."""
    return islice(_sentences(parts), MOST)


def _sentences(parts: Sequence[Part]) -> Iterator[Sentence]:
    for part in parts:
        block = part.block
        if block.kind in ("paragraph", "item"):
            yield from _of_text(block.text, block.line, block.at, part, -1, -1)
        elif block.kind in ("table", "terms"):
            for number, (row, at) in enumerate(zip(block.rows, block.places, strict=True)):
                if number == 0 and block.headed:
                    continue
                for column, cell in enumerate(row):
                    if cell.strip():
                        yield from _of_text(cell, 0, at, part, number, column)


def _of_text(text: str, line: int, at: str, part: Part, row: int, column: int) -> Iterator[Sentence]:
    spans = list(islice(split(text), MOST))
    position, number = 0, line
    first = True
    for start, end in spans:
        said = bare(text[start:end]) if end - start <= LONGEST else ""
        if line:
            number += text.count("\n", position, start)
            position = start
            at = lines_at(number, number + text.count("\n", start, end))
        if said:
            yield Sentence(said, at, part, first, row, column, len(spans) == 1)
            first = False


def split(text: str) -> Iterator[tuple[int, int]]:
    """Where each sentence of a text starts and ends."""
    start = 0
    for found in _END.finditer(text):
        if found[0][0] not in BREAK + "\n。！？؟" and not _ends(text, start, found.start(), found.end(), found[0]):
            continue
        end = found.start() if found[0][0] in BREAK + "\n" else found.end()
        if text[start:end].strip():
            yield _trimmed(text, start, end)
        start = found.end()
    if text[start:].strip():
        yield _trimmed(text, start, len(text))


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), end


def _ends(text: str, start: int, dot: int, after: int, mark: str) -> bool:
    """Whether a stop ends a sentence."""
    if mark[0] in "!?":
        return True
    if dot - start <= 3 and not text[start:dot].strip().isalpha():
        return False
    found = _LAST_WORD.search(text[max(start, dot - 15) : dot])
    word = found[0].lower() if found else ""
    follows = text[after : after + 6].lstrip(" \t\r\n\"'“‘«([*")[:1]
    if word in _SHORT or (len(word) == 1 and word.isalpha() and text[dot - 1].isupper()):
        return False
    return not follows.islower()
