"""HTML as blocks, through BeautifulSoup. Nothing is fetched and nothing in it is run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby, islice

from bs4 import BeautifulSoup
from bs4.element import CData, NavigableString, PageElement, Tag
from bs4.exceptions import ParserRejectedMarkup

from worldwright.anchor.claims.sentences import BREAK
from worldwright.anchor.evidence import Note, Source
from worldwright.anchor.readers.documents.blocks import (
    MOST_BLOCKS,
    MOST_ROWS,
    WITHOUT_LEVEL,
    Block,
    Reading,
    like_a_heading,
    lines_at,
    squeezed,
    table,
)
from worldwright.english.words import wordset

MOST_TAGS = 100_000
_TAG = re.compile(r"<[/a-zA-Z]")
_HIDDEN = re.compile(r"<!--|<script\b|<style\b|<!\[CDATA\[", re.IGNORECASE)
_CLOSINGS = {"<!--": "-->", "<script": "</script>", "<style": "</style>", "<![cdata[": "]]>"}
_UNCLOSED = re.compile(r"""<(?=[a-zA-Z/!?])(?![^<>]*+>)(?!(?:[^<>"']++|"[^"]{0,300}+"|'[^']{0,300}+'){0,40}+>)""")
"""A tag that is never closed is text."""
_XML = re.compile(r"<\?xml", re.IGNORECASE)
_UNSEEN = wordset(
    "script style noscript template svg math head title meta link iframe object embed canvas audio video map nav "
    "footer aside select option button input textarea figcaption img dialog"
)
_ASIDE = wordset(
    "nav navbar navigation toc breadcrumb breadcrumbs sidebar menu footer cookie cookies skip-link pagination "
    "table-of-contents"
)
"""Classes, ids and roles of what stands around a text."""
_HEADINGS = {f"h{n}": n for n in range(1, 7)}
_PARTS = wordset(
    "p div section article main header body html address blockquote center details summary fieldset form hr "
    "figure caption ul ol li dl dt dd table thead tbody tfoot tr td th pre h1 h2 h3 h4 h5 h6 legend label"
)
"""Where one of these opens or closes, the text before it has ended."""
_MARKS = frozenset({"b", "strong", "code", "kbd", "tt", "samp"})
_MOST_SPAN = 40


def read_html(text: str, file: str) -> Reading:
    """The blocks of an HTML document."""
    soup = _soup(text)
    if soup is None:
        return Reading(notes=(Note("error", "not HTML that can be parsed: save the page again as HTML", Source(file)),))
    declared = soup.find("title")
    title = squeezed(declared.get_text()) if isinstance(declared, Tag) else ""
    cut = next(islice(_TAG.finditer(text), MOST_TAGS, None), None) is not None
    notes = (Note("warning", f"only the first {MOST_TAGS:,} tags were read", Source(file)),) if cut else ()
    return Reading(tuple(_Builder(0).built(soup)), title, notes)


def blocks_of(text: str, line: int) -> tuple[Block, ...]:
    """The blocks of a piece of HTML that stands at a line of another document."""
    soup = _soup(text)
    return tuple(_Builder(line).built(soup)) if soup is not None else ()


def _soup(text: str) -> BeautifulSoup | None:
    text = _UNCLOSED.sub("&lt;", _without_unseen(text))
    past = next(islice(_TAG.finditer(text), MOST_TAGS, None), None)
    text = text[: past.start()] if past else text
    try:
        return BeautifulSoup("<!DOCTYPE html>" + _XML.sub("<?", text), "html.parser")
    except (ParserRejectedMarkup, RecursionError):
        return None


def _without_unseen(text: str) -> str:
    """The source without comments, scripts and styles: the parser is slow on those that are never closed."""
    out: list[str] = []
    position = 0
    low = text.lower()
    ends: dict[str, int] = {}
    for found in _HIDDEN.finditer(text):
        if found.start() < position:
            continue
        closing = _CLOSINGS[found[0].lower()]
        if ends.get(closing, 0) < 0:
            continue
        ends[closing] = low.find(closing, found.end())
        if ends[closing] >= 0:
            out.append(text[position : found.start()])
            position = ends[closing] + len(closing)
    return "".join([*out, text[position:]])


def _aside(tag: Tag) -> bool:
    """Tell whether a tag holds what is no part of the text."""
    if tag.name in _UNSEEN or tag.has_attr("hidden") or tag.get("aria-hidden") == "true":
        return True
    said = [tag.get("role"), tag.get("id"), *(tag.get("class") or ())]
    return any(isinstance(s, str) and s.lower() in _ASIDE for s in said)


def _events(root: Tag) -> Iterator[tuple[str, PageElement]]:
    """Tags as they open and close, and the text between them, however deep; a table is one event."""
    stack: list[tuple[Tag, Iterator[PageElement]]] = [(root, iter(root.contents))]
    while stack:
        tag, children = stack[-1]
        child = next(children, None)
        if child is None:
            stack.pop()
            yield "close", tag
        elif isinstance(child, Tag):
            if child.name in ("table", "dl"):
                yield "table", child
            elif not _aside(child):
                yield "open", child
                stack.append((child, iter(child.contents)))
        elif type(child) in (NavigableString, CData):
            yield "text", child


class _Builder:
    """Gathers text until a part ends, then makes a block of it."""

    def __init__(self, line: int) -> None:
        self.line = line
        self.out: list[Block] = []
        self.open: list[str] = []
        """The tags that are open, outermost first."""
        self.run: list[tuple[str, bool, bool]] = []
        """Text since the last part ended, and whether each piece is marked and linked."""
        self.item = False
        """An item was opened and has no text yet."""
        self.count = 0

    def built(self, root: Tag) -> list[Block]:
        for what, node in _events(root):
            if len(self.out) >= MOST_BLOCKS:
                break
            if not isinstance(node, Tag):
                self._say(str(node) if "pre" in self.open else str(node).replace("\n", " "))
            elif what == "table":
                self._end()
                self._table(node)
            elif node.name == "br":
                self._say(BREAK)
            else:
                if node.name in _PARTS:
                    self._end()
                if what == "open":
                    self.open.append(node.name)
                    self.item = self.item or node.name == "li"
                elif self.open:
                    self.open.pop()
        self._end()
        return self.out

    def _place(self) -> str:
        self.count += 1
        return lines_at(self.line, self.line) if self.line else f"par{self.count}"

    def _say(self, text: str) -> None:
        marked = any(name in _MARKS for name in self.open[-6:]) and "pre" not in self.open
        self.run.append((text, marked, "a" in self.open[-6:]))

    def _end(self) -> None:
        """Make a block of the text so far."""
        text = "".join(piece for piece, _, _ in self.run).strip(" \t\r\n" + BREAK)
        if squeezed(text):
            self.out.append(self._block(text))
            self.item = False
        self.run = []

    def _block(self, text: str) -> Block:
        at = self._place()
        if "pre" in self.open:
            return Block("code", text, at=at, line=self.line)
        groups = groupby(((piece, marked) for piece, marked, _ in self.run if piece.strip()), key=lambda pair: pair[1])
        pieces = [(marked, squeezed("".join(piece for piece, _ in group))) for marked, group in groups]
        lead = pieces[0][1] if pieces and pieces[0][0] else ""
        linked = all(link for piece, _, link in self.run if any(ch.isalnum() for ch in piece[:200]))
        lists = [name for name in self.open if name in ("ul", "ol")]
        heading = next((_HEADINGS[name] for name in reversed(self.open) if name in _HEADINGS), 0)
        kind, level = ("heading", heading) if heading else ("paragraph", 0)
        if not heading and self.item:
            kind, level = "item", max(0, len(lists) - 1)
        elif not heading and not linked and not lists and squeezed(text) == lead and like_a_heading(text):
            kind, level = "heading", WITHOUT_LEVEL
        ordered = kind == "item" and lists[-1:] == ["ol"]
        return Block(kind, text, level, at, self.line, lead=lead, ordered=ordered, linked=linked)

    def _table(self, tag: Tag) -> None:
        """A table with its header, where its first row looks like one; a single column is only a frame around text."""
        caption = tag.find("caption")
        if isinstance(caption, Tag) and squeezed(caption.get_text()):
            self.out.append(Block("paragraph", squeezed(caption.get_text()), at=self._place(), line=self.line))
        heads, rows = _terms(tag) if tag.name == "dl" else _rows(tag)
        places = [self._place() for _ in rows]
        if max(map(len, rows), default=0) <= 1:
            found = [(row[0], at) for row, at in zip(rows, places, strict=True) if row and squeezed(row[0])]
            self.out += [Block("paragraph", text, at=at, line=self.line) for text, at in found]
            return
        first = [squeezed(c) for c in rows[0]]
        titled = len(rows) > 1 and all(0 < len(c.split()) <= 4 and c[-1] != "." for c in first)
        kind = "terms" if tag.name == "dl" else "table"
        self.out.append(table(rows, places, kind == "table" and (heads * 2 > len(first) or titled), self.line, kind))


def _rows(tag: Tag) -> tuple[int, list[list[str]]]:
    """How many cells of the first row are heads, and the rows; a table in a cell is a part of its text."""
    found = [tr for tr in tag.find_all("tr") if tr.find_parent("table") is tag][:MOST_ROWS]
    cells = [tr.find_all(["td", "th"], recursive=False) for tr in found]
    heads = sum(c.name == "th" for c in cells[0]) if cells else 0
    return heads, [[text for c in row for text in [_cell(c)] * _wide(c)] for row in cells]


def _terms(tag: Tag) -> tuple[int, list[list[str]]]:
    """The terms of a list, each with what it means."""
    rows: list[list[str]] = []
    for child in tag.find_all(["dt", "dd"])[:MOST_ROWS]:
        if child.name == "dt" or not rows:
            rows.append([_cell(child)])
        else:
            rows[-1][1:] = [BREAK.join([*rows[-1][1:], _cell(child)])]
    return 0, rows


def _cell(tag: Tag) -> str:
    """The text of a cell, with a break where a part of it ends."""
    out: list[str] = []
    for node in tag.descendants:
        if isinstance(node, Tag):
            out += [BREAK] if node.name == "br" or node.name in _PARTS else []
        elif type(node) in (NavigableString, CData):
            out.append(str(node).replace("\n", " "))
    return "".join(out).strip(" \t\r\n" + BREAK)


def _wide(tag: Tag) -> int:
    span = tag.get("colspan")
    return max(1, min(int(span[:2]), _MOST_SPAN)) if isinstance(span, str) and span.isdecimal() else 1
