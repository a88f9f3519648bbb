"""HTML as blocks, through BeautifulSoup. Nothing is fetched and nothing in it is run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from bs4 import BeautifulSoup
from bs4.element import CData, NavigableString, PageElement, Tag
from bs4.exceptions import ParserRejectedMarkup

from worldwright.anchor.claims.sentences import BREAK
from worldwright.anchor.evidence import Note, Source
from worldwright.anchor.readers.documents.blocks import (
    MOST_BLOCKS,
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
_BOLD = frozenset({"b", "strong"})
_CODE = frozenset({"code", "kbd", "tt", "samp"})
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
    """Tags as they open and close, and the text between them, however deep."""
    stack: list[tuple[Tag, Iterator[PageElement]]] = [(root, iter(root.contents))]
    while stack:
        tag, children = stack[-1]
        child = next(children, None)
        if child is None:
            stack.pop()
            yield "close", tag
        elif isinstance(child, Tag):
            if not _aside(child):
                yield "open", child
                stack.append((child, iter(child.contents)))
        elif type(child) in (NavigableString, CData):
            yield "text", child


@dataclass(slots=True)
class _Table:
    """A table that is being read."""

    kind: str = "table"
    rows: list[list[str]] = field(default_factory=list)
    places: list[str] = field(default_factory=list)
    heads: int = 0
    """Header cells in the first row."""
    cell: list[str] | None = None
    wide: int = 1
    """Columns of the cell that is read."""


class _Builder:
    """Gathers text until a part ends, then makes a block of it."""

    def __init__(self, line: int) -> None:
        self.line = line
        self.out: list[Block] = []
        self.text: list[str] = []
        self.marks: list[str] = []
        self.mark_from: int | None = None
        self.lead = ""
        self.lists: list[str] = []
        self.item = False
        self.heading = 0
        self.pre = 0
        self.links = 0
        self.loose = False
        self.linked = False
        self.tables: list[_Table] = []
        self.inner: list[Block] = []
        self.count = 0

    def built(self, root: Tag) -> list[Block]:
        for what, node in _events(root):
            if len(self.out) >= MOST_BLOCKS:
                break
            if isinstance(node, Tag):
                (self._open if what == "open" else self._close)(node)
            else:
                self._say(str(node))
        self._end()
        return self.out

    def _place(self) -> str:
        self.count += 1
        return lines_at(self.line, self.line) if self.line else f"par{self.count}"

    def _say(self, text: str) -> None:
        if self.tables and self.tables[-1].cell is not None:
            self.tables[-1].cell.append(text if self.pre else text.replace("\n", " "))
        elif not self.tables or self.tables[-1].kind == "terms":
            self.text.append(text if self.pre else text.replace("\n", " "))
            self.loose = self.loose or (not self.links and any(ch.isalnum() for ch in text[:200]))

    def _open(self, tag: Tag) -> None:
        name = tag.name
        if name in _PARTS:
            self._end()
        if name in _HEADINGS and not self.tables:
            self.heading = _HEADINGS[name]
        elif name == "br":
            self._say(BREAK)
        elif name in _BOLD or (name in _CODE and not self.pre):
            self.mark_from = len(self.text) if self.mark_from is None else self.mark_from
        elif name == "a":
            self.links += 1
            self.linked = True
        elif name in ("ul", "ol"):
            self.lists.append(name)
        elif name == "li":
            self.item = True
        elif name == "pre":
            self.pre += 1
        elif name in ("table", "dl"):
            self.tables.append(_Table("table" if name == "table" else "terms"))
        elif self.tables:
            self._open_in_table(name, tag)

    def _open_in_table(self, name: str, tag: Tag) -> None:
        table_ = self.tables[-1]
        if name == "tr" or (name == "dt" and table_.kind == "terms"):
            table_.rows.append([])
            table_.places.append(self._place())
        if name == "caption":
            table_.cell = []
        elif name in ("td", "th", "dt", "dd"):
            if not table_.rows:
                table_.rows.append([])
                table_.places.append(self._place())
            table_.heads += name == "th" and len(table_.rows) == 1
            span = tag.get("colspan")
            table_.wide = min(int(span[:2]), _MOST_SPAN) if isinstance(span, str) and span.isdecimal() else 1
            table_.cell = []

    def _close(self, tag: Tag) -> None:
        name = tag.name
        if name in ("td", "th", "dt", "dd") and self.tables and self.tables[-1].cell is not None:
            self._close_cell(self.tables[-1])
        elif name == "caption" and self.tables and self.tables[-1].cell is not None:
            self._close_caption(self.tables[-1])
        elif name in _PARTS:
            self._end()
        if name in _BOLD or (name in _CODE and not self.pre):
            self._mark()
        elif name == "a":
            self.links = max(0, self.links - 1)
        elif name in ("ul", "ol") and self.lists:
            self.lists.pop()
        elif name == "pre":
            self.pre = max(0, self.pre - 1)
        elif name in ("table", "dl") and self.tables:
            self.inner = [*self._blocks_of(self.tables.pop()), *self.inner]
            if not self.tables:
                self.out, self.inner = [*self.out, *self.inner], []
        elif name in _HEADINGS:
            self.heading = 0

    def _close_cell(self, table_: _Table) -> None:
        text = "".join(table_.cell or ()).strip(" \t\r\n" + BREAK)
        row = table_.rows[-1]
        if table_.kind == "terms" and len(row) > 1:
            row[-1] += BREAK + text
        else:
            row += [text] * table_.wide
        table_.cell = None

    def _close_caption(self, table_: _Table) -> None:
        text = "".join(table_.cell or ()).strip(" \t\r\n" + BREAK)
        table_.cell = None
        if squeezed(text):
            self.out.append(Block("paragraph", text, at=self._place(), line=self.line))

    def _blocks_of(self, table_: _Table) -> list[Block]:
        """A table with its header, where its first row looks like one; a single column is only a frame around text."""
        rows = list(zip(table_.rows, table_.places, strict=True))
        if max((len(r) for r in table_.rows), default=0) <= 1:
            return [Block("paragraph", r[0], at=p, line=self.line) for r, p in rows if r and squeezed(r[0])]
        first = [squeezed(c) for c in table_.rows[0]]
        titled = len(rows) > 1 and all(0 < len(c.split()) <= 4 and c[-1] != "." for c in first)
        headed = table_.kind == "table" and (table_.heads * 2 > len(first) or titled)
        return [table(table_.rows, table_.places, headed, self.line, table_.kind)]

    def _mark(self) -> None:
        if self.mark_from is None or self.tables:
            return
        words = squeezed("".join(self.text[self.mark_from :]))
        if words:
            self.marks.append(words)
            if not squeezed("".join(self.text[: self.mark_from][:50])):
                self.lead = self.lead or words
        self.mark_from = None

    def _end(self) -> None:
        """Make a block of the text so far."""
        if self.tables and self.tables[-1].cell is not None:
            self.tables[-1].cell.append(BREAK)
            return
        self._mark()
        text = "".join(self.text).strip(" \t\r\n" + BREAK)
        if squeezed(text):
            self.out.append(self._block(text))
        self.text, self.marks, self.lead, self.linked, self.loose = [], [], "", False, False
        self.item = self.item and not squeezed(text)

    def _block(self, text: str) -> Block:
        at = self._place()
        if self.pre:
            return Block("code", text, at=at, line=self.line)
        kind, level = ("heading", self.heading) if self.heading else ("paragraph", 0)
        linked = self.linked and not self.loose
        if not self.heading and self.item:
            kind, level = "item", max(0, len(self.lists) - 1)
        elif (
            not self.heading and not linked and not self.lists and squeezed(text) == self.lead and like_a_heading(text)
        ):
            kind, level = "heading", WITHOUT_LEVEL
        ordered = kind == "item" and bool(self.lists) and self.lists[-1] == "ol"
        return Block(
            kind, text, level, at, self.line, lead=self.lead, marks=tuple(self.marks), ordered=ordered, linked=linked
        )
