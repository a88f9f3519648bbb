"""HTML as blocks, through BeautifulSoup. Nothing is fetched and nothing in it is run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from bs4 import BeautifulSoup
from bs4.element import NavigableString, PageElement, Tag
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
    unreadable,
)
from worldwright.english.words import wordset

MOST_TAGS = 100_000
_TAG = re.compile(r"<[/a-zA-Z]")
_HIDDEN = re.compile(
    r"<!--.*?(?:-->|\Z)|<(script|style)\b.*?(?:</\1>|\Z)|<!\[CDATA\[.*?(?:\]\]>|\Z)", re.IGNORECASE | re.DOTALL
)
"""Comments, scripts and styles; one that is never closed goes to the end of the page."""
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
_STRONG = frozenset({"b", "strong"})
_MARKS = _STRONG | {"code", "kbd", "tt", "samp"}
_TERM = (": ", False)
"""What ends a term: its meaning follows."""
_MOST_SPAN = 40


def read_html(text: str, file: str) -> Reading:
    """The blocks of an HTML document. A tag with the attribute `data-line` says where its text stands in the file."""
    text = _UNCLOSED.sub("&lt;", _HIDDEN.sub("", text))
    past = next(islice(_TAG.finditer(text), MOST_TAGS, None), None)
    text = text[: past.start()] if past else text
    try:
        soup = BeautifulSoup("<!DOCTYPE html>" + _XML.sub("<?", text), "html.parser")
    except (ParserRejectedMarkup, RecursionError):
        return unreadable(file, "not HTML that can be parsed: save the page again as HTML")
    for gone in soup.find_all(["s", "del", "strike"]):
        gone.decompose()
    declared = soup.find("title")
    title = squeezed(declared.get_text()) if isinstance(declared, Tag) else ""
    notes = (Note("warning", f"only the first {MOST_TAGS:,} tags were read", Source(file)),) if past else ()
    return Reading(tuple(_Builder().built(soup)), title, notes)


def _aside(tag: Tag) -> bool:
    """Tell whether a tag holds what is no part of the text."""
    if tag.name in _UNSEEN or tag.has_attr("hidden") or tag.get("aria-hidden") == "true":
        return True
    said = [tag.get("role"), tag.get("id"), *(tag.get("class") or ())]
    return any(isinstance(s, str) and s.lower() in _ASIDE for s in said)


def _events(root: Tag) -> Iterator[tuple[str, PageElement]]:
    """Tags as they open and close, and the text between them, however deep; tables and code are one event each."""
    stack: list[tuple[Tag, Iterator[PageElement]]] = [(root, iter(root.contents))]
    while stack:
        tag, children = stack[-1]
        child = next(children, None)
        if child is None:
            stack.pop()
            yield "close", tag
        elif isinstance(child, Tag):
            if child.name in ("table", "pre"):
                yield "whole", child
            elif not _aside(child):
                yield "open", child
                stack.append((child, iter(child.contents)))
        elif type(child) is NavigableString:
            yield "text", child


class _Builder:
    """Gathers text until a part ends, then makes a block of it."""

    def __init__(self) -> None:
        self.out: list[Block] = []
        self.open: list[str] = []
        """The tags that are open, outermost first."""
        self.run: list[tuple[str, bool]] = []
        """Text since the last part ended, and whether each piece is linked."""
        self.lead, self.strong = "", False
        """The words set off that it starts with, and whether any of it is bold."""
        self.marks: list[int] = []
        """For each open tag that sets words off, how much of the text stood before it."""
        self.item = False
        """An item was opened and has no text yet."""
        self.line, self.exact = 0, False
        """Of the file, where that is known, and whether every line feed of the text is one of the file."""
        self.count = 0

    def built(self, root: Tag) -> list[Block]:
        for what, node in _events(root):
            if len(self.out) >= MOST_BLOCKS:
                break
            if not isinstance(node, Tag):
                self.run.append((str(node) if self.exact else str(node).replace("\n", " "), "a" in self.open[-6:]))
                continue
            if (what, node.name) == ("close", "dt"):
                self.run.append(_TERM)
            elif node.name in _PARTS or what == "whole":
                self._end()
            self.line = _line(node) or self.line
            if what == "whole":
                self._code(node) if node.name == "pre" else self._table(node)
            elif what == "open":
                self._opened(node)
            elif self.open:
                self.open.pop()
                self.exact = self.exact and node.name not in _PARTS
                if node.name in _MARKS:
                    self._set_off(self.marks.pop())
        self._end()
        return self.out

    def _opened(self, tag: Tag) -> None:
        self.open.append(tag.name)
        self.exact = self.exact or (tag.name in _PARTS and _line(tag) > 0)
        self.item = self.item or tag.name == "li"
        self.strong = self.strong or tag.name in _STRONG
        if tag.name in _MARKS:
            self.marks.append(len(self.run))
        if tag.name == "br":
            self.run.append((BREAK, True))

    def _set_off(self, start: int) -> None:
        """Take what was said since as the lead, where nothing but ornaments stands before it."""
        if not self.lead and not any(ch.isalnum() for piece, _ in self.run[:start] for ch in piece):
            self.lead = squeezed("".join(piece for piece, _ in self.run[start:]))

    def _place(self) -> str:
        self.count += 1
        return lines_at(self.line, self.line) if self.line else f"par{self.count}"

    def _end(self) -> None:
        """Make a block of the text so far."""
        if not self.run or next((piece for piece in reversed(self.run) if piece[0].strip()), None) is _TERM:
            return
        for start in self.marks:
            self._set_off(start)
        text = "".join(piece for piece, _ in self.run)
        if squeezed(text):
            self.out.append(self._block(text if self.exact else text.strip(" \t\r\n" + BREAK)))
            self.item = False
        self.run, self.marks, self.lead = [], [0] * len(self.marks), ""
        self.strong = bool(self.marks)

    def _block(self, text: str) -> Block:
        at = lines_at(self.line, self.line + text.count("\n")) if self.exact else self._place()
        worded = [linked for piece, linked in self.run if any(ch.isalnum() for ch in piece[:200])]
        linked = bool(worded) and all(worded)
        lists = [name for name in self.open if name in ("ul", "ol")]
        heading = next((_HEADINGS[name] for name in reversed(self.open) if name in _HEADINGS), 0)
        kind, level = ("heading", heading) if heading else ("paragraph", 0)
        if not heading and self.item:
            kind, level = "item", max(0, len(lists) - 1)
        elif not (heading or linked or lists or "blockquote" in self.open) and self.strong and like_a_heading(text):
            kind, level = ("heading", WITHOUT_LEVEL) if squeezed(text) == self.lead else ("paragraph", 0)
        return Block(kind, text, level, at, self.line, lead=self.lead, linked=linked)

    def _code(self, tag: Tag) -> None:
        said = tag.get("data-language")
        fenced = isinstance(said, str)
        at = str(self.line) if self.line else self._place()
        self.out.append(Block("code", tag.get_text(), at=at, line=self.line + fenced, language=str(said or "")))

    def _table(self, tag: Tag) -> None:
        """A table with its header, where its first row looks like one."""
        caption = tag.find("caption")
        if isinstance(caption, Tag) and squeezed(caption.get_text()):
            self.out.append(Block("paragraph", squeezed(caption.get_text()), at=self._place(), line=self.line))
        heads, rows, lines = _rows(tag)
        places = [lines_at(line, line) if line else self._place() for line in lines]
        if not rows:
            return
        first = [squeezed(c) for c in rows[0]]
        titled = len(rows) > 1 and all(0 < len(c.split()) <= 4 and c[-1] != "." for c in first)
        self.out.append(table(rows, places, heads * 2 > len(first) or titled, self.line))


def _line(tag: Tag) -> int:
    said = tag.get("data-line")
    return int(said) if isinstance(said, str) and re.fullmatch("[0-9]{1,7}", said) else 0


def _rows(tag: Tag) -> tuple[int, list[list[str]], list[int]]:
    """How many cells of the first row are heads, the rows and their lines; a table in a cell is a part of its text."""
    found = [tr for tr in tag.find_all("tr") if tr.find_parent("table") is tag][:MOST_ROWS]
    cells = [tr.find_all(["td", "th"], recursive=False) for tr in found]
    heads = sum(c.name == "th" for c in cells[0]) if cells else 0
    return heads, [[text for c in row for text in [_cell(c)] * _wide(c)] for row in cells], [_line(tr) for tr in found]


def _cell(tag: Tag) -> str:
    """The text of a cell, with a break where a part of it ends."""
    out: list[str] = []
    for node in tag.descendants:
        if isinstance(node, Tag):
            out += [BREAK] if node.name == "br" or node.name in _PARTS else []
        elif type(node) is NavigableString:
            out.append(str(node).replace("\n", " "))
    return "".join(out).strip(" \t\r\n" + BREAK)


def _wide(tag: Tag) -> int:
    span = tag.get("colspan")
    return max(1, min(int(span[:2]), _MOST_SPAN)) if isinstance(span, str) and span.isdecimal() else 1
