"""The blocks of a document under their headings, without what is no part of the text: contents, captions, navigation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from worldwright.anchor.claims.sentences import LONGEST, split_sentences
from worldwright.anchor.evidence import Skipped, Source
from worldwright.anchor.readers.documents.blocks import Block, bare, lines_at, squeezed, unnumbered

_CONTENTS = re.compile(
    r"(?:table of )?contents|toc|(?:table|list) of (?:tables|figures)|on this page|inhalt(?:sverzeichnis)?|"
    r"table des matières|sommaire|índice|indice|目录|目次",
    re.IGNORECASE,
)
_CAPTION = re.compile(
    r"(?:table|figure|fig\.|diagram|abbildung|图|図)\s?(?:\d{1,3}(?:[.\-]\d{1,3})?)?\s?[:.–—-]", re.IGNORECASE
)
CODE = r"(?:[A-Z]{1,8}(?:[-_.][A-Z]{1,6}){0,2}[-_. ]?\d{1,4}(?:[.\-]\d{1,3}){0,3}|/[A-Z]{1,4}\d{1,4}/)"
"""The id of a requirement: `FR-12`, `S.2.1`, `/F10/`."""
CODED = re.compile(rf"{CODE}\Z")
_LEADER = re.compile(r"(?:\.{4,}|…{2,}|(?:\. ){4,}|_{4,})\s*\d{0,4}\s*")


@dataclass(frozen=True, slots=True)
class Part:
    """A block and the headings that it stands under."""

    block: Block
    path: tuple[str, ...] = ()
    """Outermost first, without numbers."""
    section: int = 0
    """Counts the headings so far."""

    @property
    def heading(self) -> str:
        return self.path[-1] if self.path else ""

    def place(self, first: int, last: int | None = None) -> str:
        """Where some lines of its text stand, counted from 0."""
        line = self.block.line
        return lines_at(line + first, line + (first if last is None else last)) if line else self.block.at


def outline(blocks: Sequence[Block], file: str) -> tuple[tuple[Part, ...], tuple[Skipped, ...]]:
    """Every part with its headings, and what was left out."""
    parts: list[Part] = []
    skipped: list[Skipped] = []
    stack: list[tuple[int, str]] = []
    section, contents = 0, False
    for block in blocks:
        text = squeezed(block.text[:2_000])
        if block.kind == "heading" and not _CAPTION.match(text):
            name = unnumbered(text)
            contents = bool(_CONTENTS.fullmatch(name))
            if contents:
                skipped.append(Skipped(name, "a table of contents", Source(file, block.at)))
                continue
            while stack and stack[-1][0] >= block.level:
                stack.pop()
            stack.append((block.level, name))
            section += 1
        elif contents or _no_text(block, text):
            continue
        if block.kind == "paragraph" and CODED.match(block.lead.strip(":. ")):
            block = replace(block, kind="item")
        parts.append(Part(block, tuple(name for _, name in stack), section))
    return tuple(parts), tuple(skipped)


def _no_text(block: Block, text: str) -> bool:
    """Tell whether a block is a caption, a line of contents, or a link to elsewhere."""
    if block.kind in ("table", "code"):
        return not block.rows and not text
    caption = len(text) < 200 and _CAPTION.match(text)
    return bool((block.kind == "paragraph" and block.linked) or caption or _LEADER.search(text[:400]))


# Sentences, as they are written, each with its place.


MOST = 20_000
"""Sentences of one document that are looked at."""


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
    kind: str = ""
    """What it claims by its place."""
    firm: bool = False
    """Its place says that it is a claim, whatever words it uses."""


def sentences(parts: Sequence[Part]) -> Iterator[Sentence]:
    """Every sentence of the prose, the lists and the tables, up to a bound; headings and code have none."""
    return islice((s for part in parts for s in _of_part(part)), MOST)


def _of_part(part: Part) -> Iterator[Sentence]:
    block = part.block
    if block.kind in ("paragraph", "item"):
        yield from _of_text(part, block.text, block.line, block.at)
    for number, (row, at) in enumerate(zip(block.rows, block.places, strict=True)):
        for column, cell in enumerate(row if number or not block.headed else ()):
            yield from (replace(s, row=number, column=column) for s in _of_text(part, cell, 0, at))


def _of_text(part: Part, text: str, line: int, at: str) -> Iterator[Sentence]:
    position, start = 0, True
    for first, last in islice(split_sentences(text), MOST):
        said = bare(text[first:last]) if last - first <= LONGEST else ""
        if line:
            line += text.count("\n", position, first)
            position, at = first, lines_at(line, line + text.count("\n", first, last))
        if said:
            yield Sentence(said, at, part, start)
            start = False
