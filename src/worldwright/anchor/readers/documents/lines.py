"""Lines as blocks: for formats that know nothing of headings and lists, plain text and PDF."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from worldwright.anchor.readers.documents.blocks import BREAK, MOST_BLOCKS, WIDE, Block, lines_at, squeezed

_BULLET = re.compile(r"(?:[-*+•·▪◦●○■□►➢➤✓✔☐☑–—]|o(?=\s{2,}))\s+(?=\S)")
_NUMBER = re.compile(r"(?:\(?\d{1,3}[.)]|\(?[a-zA-Z][.)]|\(?[ivx]{1,5}\))\s+(?=\S)")
_SECTION = re.compile(r"(\d{1,2}(?:\.\d{1,3}){0,5})\.?\s+(?=\S)")
_CHAPTER = re.compile(
    r"(?:chapter|section|part|appendix|annex|article|kapitel|abschnitt|chapitre|capítulo)\s[\dA-Z]{1,4}\b|"
    r"第\s?[\d一二三四五六七八九十百]{1,4}\s?[条章節节编編款項项]",
    re.IGNORECASE,
)
_LABELLED = re.compile(r"[^\W\d][\w /()'’-]{1,40}[:：]\s*\S")
"""`Per diem: a fixed amount`: lines of this kind do not continue each other."""
_HYPHEN = re.compile(r"(?<=[a-zäöüéèàçñ])[-\u00ad\u2010]$")
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
    if not found:
        return 0
    rest = text[found.end() :]
    short = len(rest) <= 90 and len(rest.split()) <= 12
    titled = rest[:1].isupper() or bool(_WIDE.match(rest))
    if not short or not titled or rest.rstrip()[-1:] in ".;,:!?。；，":
        return 0
    return found[1].count(".") + 1


def chapter(text: str) -> bool:
    return len(text) <= 90 and bool(_CHAPTER.match(text)) and text.rstrip()[-1:] not in ".;,"


def item(text: str) -> tuple[str, bool] | None:
    """The text of a list item and whether it has a number, or None where a line is none."""
    found = _BULLET.match(text)
    if found:
        return text[found.end() :], False
    found = _NUMBER.match(text)
    return (text[found.end() :], True) if found else None


def joined(lines: Sequence[Line]) -> str:
    """Wrapped lines as one text, words that were parted by a hyphen made whole, with a line feed where each line ended."""
    out: list[str] = []
    for line in lines:
        text = line.text.strip()
        if out and _HYPHEN.search(out[-1]) and text[:1].islower():
            out[-1] = _HYPHEN.sub("", out[-1])
            word, _, rest = text.partition(" ")
            out[-1] += word
            text = rest
        out.append(text)
    return "\n".join(out)


def blocks_of(lines: Sequence[Line]) -> Iterator[Block]:
    """Headings, items and paragraphs, in order."""
    open_: list[Line] = []
    kind: tuple[str, int, bool] = ("paragraph", 0, False)
    indents: list[float] = []
    made = 0
    for line in lines:
        if made >= MOST_BLOCKS:
            return
        found = None if line.heading else item(line.text.strip())
        labelled = (
            bool(open_)
            and kind[0] == "paragraph"
            and bool(_LABELLED.match(line.text.strip()))
            and bool(_LABELLED.match(open_[0].text.strip()))
        )
        outdented = kind[0] == "item" and bool(indents) and line.indent < indents[-1] - 0.5
        if open_ and (line.heading or line.apart or outdented or labelled or found is not None):
            made += 1
            yield _block(open_, *kind)
            open_ = []
        if line.heading:
            made += 1
            yield _block([line], "heading", line.heading, False)
            indents = []
            continue
        if found is not None:
            indents = [*(i for i in indents if i < line.indent - 0.5), line.indent]
            kind = ("item", len(indents) - 1, found[1])
            line = Line(found[0], line.number, line.at, line.indent, line.apart, bold=line.bold)
        elif not open_:
            kind = ("paragraph", 0, False)
            indents = [] if line.apart and (not indents or line.indent <= indents[0]) else indents
        open_.append(line)
    if open_:
        yield _block(open_, *kind)


def _block(lines: Sequence[Line], kind: str, level: int, ordered: bool) -> Block:
    first = lines[0]
    text = joined(lines)
    at = lines_at(first.number, lines[-1].number) if first.number else first.at
    lead = squeezed(text) if all(line.bold for line in lines) else ""
    return Block(
        kind,
        text.replace(BREAK, " "),
        level,
        at,
        first.number,
        lead=lead,
        marks=(lead,) if lead else (),
        ordered=ordered,
    )
