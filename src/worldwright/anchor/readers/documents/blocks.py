"""What every format of a document becomes: headings, paragraphs, list items, tables and code, one after the other."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import compress

from worldwright.anchor.claims.sentences import BREAK
from worldwright.anchor.evidence import Note, Source

MOST_TEXT = 5_000_000
"""Characters of one document that are read."""
MOST_BLOCKS = 60_000
MOST_COLUMNS = 60
MOST_ROWS = 5_000
"""Of one table."""
LONGEST_HEADING = 120
WITHOUT_LEVEL = 7
"""Of a heading that is only bold: below every real one."""

WIDE = r"\u3001-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef"
"""Letters that are written without spaces between words, for a class of characters."""
_SPACE = re.compile(r"\s+")
_WRAPPED = re.compile(rf"(?<=[{WIDE}])[ \t]*\n[ \t]*(?=[{WIDE}])")
_NUMBERING = re.compile(
    r"(?:\d{1,3}(?:\.\d{1,3}){0,6}[.)]?|[A-Z]{1,3}[.-]\d{1,3}(?:\.\d{1,3}){0,4}[.:)]?|[A-Za-z][.)]|"
    r"[IVXLC]{1,6}[.)]|[（(][\d一-十]{1,3}[)）]|§\s?\d{1,4})\s+"
)
_ANCHOR = re.compile(r"\s*\{#[\w-]{1,60}\}\Z")
_TICK = re.compile(r"\A\[[ xX✓]\]\s+")


@dataclass(frozen=True, slots=True)
class Block:
    """One part of a document, without its markup."""

    kind: str
    """heading, paragraph, item, table or code"""
    text: str = ""
    level: int = 0
    """Of a heading, from 1; of an item, how deep it stands in lists, from 0."""
    at: str = ""
    """Where it stands: lines, its number on a page (`p3.12`), or a paragraph (`par12`)."""
    line: int = 0
    """Its first line in the file, where the format has lines; 0 elsewhere."""
    rows: tuple[tuple[str, ...], ...] = ()
    """Of a table, every row as wide as the widest."""
    places: tuple[str, ...] = ()
    """Where each row stands."""
    headed: bool = False
    """Whether the first row of a table is its header."""
    lead: str = ""
    """The bold or coded words that it starts with."""
    language: str = ""
    """Of code, where it is said."""
    linked: bool = False
    """Holds nothing but links."""

    @property
    def header(self) -> tuple[str, ...]:
        """The heads of the columns of a table, where it has any."""
        return tuple(squeezed(c).strip("*` ") for c in self.rows[0]) if self.headed and self.rows else ()


@dataclass(frozen=True, slots=True)
class Reading:
    """A document as blocks, and what went wrong on the way."""

    blocks: tuple[Block, ...] = ()
    title: str = ""
    """As the file itself declares it, outside of the text."""
    notes: tuple[Note, ...] = ()


def unreadable(file: str, says: str) -> Reading:
    """A document of which nothing can be used."""
    return Reading(notes=(Note("error", says, Source(file)),))


def squeezed(text: str) -> str:
    """On one line, with single spaces; none where a line of Chinese or Japanese was full."""
    return _SPACE.sub(" ", _WRAPPED.sub("", text) if "\n" in text else text).strip()


def bare(text: str) -> str:
    """Without the ornaments it starts or ends with: ticks, emoji, bullets, an empty box."""
    text = squeezed(text)
    start = next((n for n, ch in enumerate(text) if not _ornament(ch)), len(text))
    end = next((n for n in range(len(text), start, -1) if not _ornament(text[n - 1])), start)
    return _TICK.sub("", text[start:end], count=1)


def _ornament(ch: str) -> bool:
    return ch in " *•·▪◦●○■□►–—\ufe0f\u200b\u200d" or unicodedata.category(ch) in ("So", "Cf", "Co", "Cc")


def unnumbered(text: str) -> str:
    """A heading without its number and ornaments: `3.2 Approval` is `Approval`."""
    text = _ANCHOR.sub("", bare(text)).removesuffix(":").strip()
    found = _NUMBERING.match(text)
    rest = text[found.end() :].lstrip("-–—:. ") if found else text
    return bare(rest) or text


def like_a_heading(text: str) -> bool:
    """Tell whether a line that is set off reads as the head of what follows."""
    line = squeezed(text)
    return (
        0 < len(line) <= 80
        and len(line.split()) <= 10
        and line[-1] not in ".;,!?。；，！？"
        and any(ch.isalpha() for ch in line)
    )


def table(rows: list[list[str]], places: list[str], headed: bool, line: int = 0) -> Block:
    """A table of rows of equal width, without those that are empty."""
    width = min(max(map(len, rows), default=0), MOST_COLUMNS)
    said = [any(c.strip() for c in row) for row in rows]
    kept = tuple(tuple([*row, *[""] * width][:width]) for row in compress(rows, said))
    at = places[0] if places else ""
    return Block("table", at=at, line=line, rows=kept, places=tuple(compress(places, said)), headed=headed)


def lines_at(first: int, last: int) -> str:
    """A range of lines, as sources write it."""
    return f"{first}-{max(first, last)}"


# Lines as blocks: for formats that know nothing of headings and lists, plain text and PDF.


_BULLET = re.compile(r"(?:[-*+•·▪◦●○■□►➢➤✓✔☐☑–—]|o(?=\s{2,}))\s+(?=\S)")
NUMBER = re.compile(r"(?:\(?\d{1,3}[.)]|\(?[a-zA-Z][.)]|\(?[ivx]{1,5}\))\s+(?=\S)")
_SECTION = re.compile(r"(\d{1,2}(?:\.\d{1,3}){0,5})\.?\s+(?=\S)")
_CHAPTER = re.compile(
    r"(?:chapter|section|part|appendix|annex|article|kapitel)\s[\dA-Z]{1,4}\b|第\s?[\d一二三四五六七八九十百]{1,4}\s?[条章節节编項项]",
    re.IGNORECASE,
)
_LABELLED = re.compile(r"[^\W\d][\w /()'’-]{1,40}[:：]\s*\S")
"""`Per diem: a fixed amount`: lines of this kind do not continue each other."""
_HYPHEN = re.compile(r"(?<=[a-zäöüéèàçñ])[-\u00ad\u2010]\n([a-zäöüéèàçñ]\S*) ?")
_WIDE = re.compile(f"[{WIDE}]")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text, and what its place says about it."""

    text: str
    number: int = 0
    """In the file, where that is known."""
    at: str = ""
    """A page, where there are no lines."""
    indent: float = 0
    apart: bool = False
    """Stands away from the line before it."""
    heading: int = 0
    """A level, where its form says that it is a heading."""
    bold: bool = False


def section_level(text: str) -> int:
    """The level of a heading with a number, `3.2 Approval`; 0 where it is none."""
    found = _SECTION.match(text)
    rest = text[found.end() :].rstrip() if found else ""
    short = len(rest) <= 90 and len(rest.split()) <= 12
    titled = (rest[:1].isupper() or _WIDE.match(rest)) and rest[-1:] not in ".;,:!?。；，"
    return found[1].count(".") + 1 if found and short and titled else 0


def is_chapter(text: str) -> bool:
    """Tell whether a line is a heading such as `Chapter 3`."""
    return len(text) <= 90 and bool(_CHAPTER.match(text)) and text.rstrip()[-1:] not in ".;,"


def item(text: str) -> str:
    """The text of a list item; nothing where a line is none."""
    found = _BULLET.match(text) or NUMBER.match(text)
    return text[found.end() :] if found else ""


def joined(lines: Sequence[Line]) -> str:
    """Wrapped lines as one text, words that were parted by a hyphen made whole, with a line feed where each line ended."""
    return _HYPHEN.sub(r"\1\n", "\n".join(line.text.strip() for line in lines))


def blocks_of(lines: Iterable[Line]) -> Iterator[Block]:
    """Headings, items and paragraphs, in order."""
    open_: list[Line] = []
    kind, level = "paragraph", 0
    indents: list[float] = []
    for line in lines:
        text = "" if line.heading else item(line.text.strip())
        labelled = kind == "paragraph" and all(_LABELLED.match(one.text.strip()) for one in [line, *open_[:1]])
        outdented = kind == "item" and bool(indents) and line.indent < indents[-1] - 0.5
        if open_ and (line.heading or line.apart or outdented or labelled or text):
            yield _block(open_, kind, level)
            open_ = []
        if line.heading:
            yield _block([line], "heading", line.heading)
            indents = []
            continue
        if text:
            indents = [*(i for i in indents if i < line.indent - 0.5), line.indent]
            kind, level = "item", len(indents) - 1
            line = replace(line, text=text)
        elif not open_:
            kind, level = "paragraph", 0
            indents = [] if line.apart and (not indents or line.indent <= indents[0]) else indents
        open_.append(line)
    if open_:
        yield _block(open_, kind, level)


def _block(lines: Sequence[Line], kind: str, level: int) -> Block:
    first, text = lines[0], joined(lines)
    at = lines_at(first.number, lines[-1].number) if first.number else first.at
    lead = squeezed(text) if all(line.bold for line in lines) else ""
    return Block(kind, text.replace(BREAK, " "), level, at, first.number, lead=lead)
