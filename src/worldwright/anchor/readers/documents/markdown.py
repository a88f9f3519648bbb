"""Markdown as blocks, through markdown-it. HTML in it goes through the reader of HTML."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from markdown_it import MarkdownIt
from markdown_it.token import Token

from worldwright.anchor.claims.sentences import BREAK
from worldwright.anchor.readers.documents import html
from worldwright.anchor.readers.documents.blocks import (
    MOST_COLUMNS,
    MOST_ROWS,
    WITHOUT_LEVEL,
    Block,
    Reading,
    like_a_heading,
    lines_at,
    squeezed,
    table,
)

_FRONT = re.compile(r"\A(---|\+\+\+)[ \t]*\r?\n")
_MOST_FRONT = 200
"""Lines of front matter: a rule across the page that is never closed is none."""
_BUSY = 4_000
"""Marks in one stretch of text. No prose has that many, and the parser is slow on them."""
_MARKUP = re.compile(r"[\[\]*_`<>!~\\&\n]")
_MARKS = re.compile(r"[\[\]*_`<>!~&\\]")


@dataclass(frozen=True, slots=True)
class _Inline:
    """The text of a stretch, and what was set off in it."""

    text: str
    lead: str
    bold: bool
    """All of it is bold."""
    linked: bool


def read_markdown(text: str, file: str) -> Reading:
    """The blocks of a Markdown document."""
    body, skipped = _without_front_matter(text)
    inline = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    outline = MarkdownIt("commonmark").enable(["table", "strikethrough"]).disable("inline")
    return Reading(tuple(_blocks(outline.parse(body), inline, body.split("\n"), skipped)))


def _without_front_matter(text: str) -> tuple[str, int]:
    """The text after the front matter, and how many lines that took."""
    opened = _FRONT.match(text)
    if not opened:
        return text, 0
    head = text[:40_000].split("\n")[: _MOST_FRONT + 1]
    for number, line in enumerate(head[1:], 1):
        if line.rstrip() in (opened[1], "..."):
            return text.split("\n", number + 1)[-1] if text.count("\n") > number else "", number + 1
    return text, 0


def _blocks(tokens: Sequence[Token], parser: MarkdownIt, lines: list[str], skipped: int) -> Iterator[Block]:
    depth = 0
    opened: list[bool] = []
    """Of each list that is open, whether it is numbered."""
    fresh = False
    """An item was opened and has no text yet."""
    position, until = 0, 0
    while position < len(tokens):
        token = tokens[position]
        first = (token.map[0] if token.map else 0) + 1 + skipped
        position += 1
        if token.map and token.map[0] < until and token.type != "inline":
            continue
        if token.type in ("bullet_list_open", "ordered_list_open"):
            opened.append(token.type == "ordered_list_open")
        elif token.type in ("bullet_list_close", "ordered_list_close") and opened:
            opened.pop()
        elif token.type == "list_item_open":
            fresh = True
        elif token.type in ("heading_open", "paragraph_open") and (tokens[position].map or [0])[0] >= until:
            depth = max(len(opened) - 1, 0)
            block = _text_block(
                token, _inline(tokens[position].content, parser), first, depth, fresh, bool(opened) and opened[-1]
            )
            fresh = False
            if block is not None:
                yield block
        elif token.type in ("fence", "code_block"):
            said, start = token.info.split(" ")[0].lower(), first + (token.type == "fence")
            yield Block("code", token.content, line=start, language=said, at=str(first))
        elif token.type == "table_open":
            rows, places, position = _table(tokens, position, parser, skipped)
            yield table(rows, places, True, first)
        elif token.type == "html_block" and token.map:
            source, until = _html(token, lines)
            yield from (
                replace(b, level=max(b.level, depth)) if b.kind == "item" else b for b in html.blocks_of(source, first)
            )


def _text_block(token: Token, inline: _Inline, first: int, depth: int, fresh: bool, ordered: bool) -> Block | None:
    if not squeezed(inline.text):
        return None
    kind, level = ("heading", int(token.tag[1:])) if token.type == "heading_open" else ("paragraph", 0)
    if fresh and kind == "paragraph":
        kind, level = "item", depth
    elif kind == "paragraph" and inline.bold and not inline.linked and token.level == 0 and like_a_heading(inline.text):
        kind, level = "heading", WITHOUT_LEVEL
    last = first + inline.text.count("\n")
    return Block(
        kind,
        inline.text,
        level,
        lines_at(first, last),
        first,
        lead=inline.lead,
        ordered=ordered and kind == "item",
        linked=inline.linked,
    )


def _table(
    tokens: Sequence[Token], position: int, parser: MarkdownIt, skipped: int
) -> tuple[list[list[str]], list[str], int]:
    rows: list[list[str]] = []
    places: list[str] = []
    while position < len(tokens) and tokens[position].type != "table_close":
        token = tokens[position]
        if token.type == "tr_open" and len(rows) < MOST_ROWS:
            rows.append([])
            line = (token.map[0] if token.map else 0) + 1 + skipped
            places.append(lines_at(line, line))
        elif token.type == "inline" and rows and len(rows[-1]) < MOST_COLUMNS:
            rows[-1].append(_inline(token.content, parser).text)
        position += 1
    return rows, places, position + 1


def _html(token: Token, lines: list[str]) -> tuple[str, int]:
    """The source of a piece of HTML, up to the end of the table where it opens one, and the line after it."""
    first, last = token.map if token.map else (0, 0)
    if "<table" in token.content.lower():
        for number in range(first, min(len(lines), first + 5_000)):
            if "</table" in lines[number].lower():
                last = max(last, number + 1)
                break
    return "\n".join(lines[first:last]), last


def _inline(content: str, parser: MarkdownIt) -> _Inline:
    if not _MARKUP.search(content):
        return _Inline(content, "", False, False)
    if len(_MARKS.findall(content)) > _BUSY:
        return _Inline(content, "", False, False)
    parsed = parser.parseInline(content)
    return _flat(parsed[0].children or []) if parsed else _Inline(content, "", False, False)


def _flat(children: Sequence[Token]) -> _Inline:
    """The text of inline tokens, without the markup."""
    out: list[str] = []
    loose, linked, struck, links, strong, lead = False, 0, 0, 0, 0, ""
    start = 0
    for token in children:
        piece = _piece(token)
        struck += {"s_open": 1, "s_close": -1}.get(token.type, 0)
        links += {"link_open": 1, "link_close": -1}.get(token.type, 0)
        linked += token.type == "link_open"
        if token.type == "strong_open":
            start, strong = (len(out), 1) if not strong else (start, strong + 1)
        elif token.type == "strong_close":
            strong -= 1
            if not strong:
                lead = lead or (squeezed("".join(out[start:])) if not _lettered(out[:start]) else "")
        elif token.type == "code_inline":
            lead = lead or (squeezed(token.content) if not _lettered(out) else "")
        if piece and not struck:
            out.append(piece)
            loose = loose or (not links and any(ch.isalnum() for ch in piece))
    text = "".join(out)
    bold = bool(lead) and squeezed(text) == lead.strip() and any(t.type == "strong_open" for t in children)
    return _Inline(text, lead, bold, linked > 0 and not loose)


def _lettered(pieces: Sequence[str]) -> bool:
    return any(ch.isalnum() for piece in pieces[:20] for ch in piece[:20])


def _piece(token: Token) -> str:
    if token.type in ("text", "code_inline", "text_special"):
        return token.content
    if token.type == "softbreak":
        return "\n"
    if token.type == "hardbreak":
        return BREAK + "\n"
    if token.type == "html_inline" and token.content[:3].lower() == "<br":
        return BREAK
    return ""
