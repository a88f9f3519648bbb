"""Markdown as blocks: markdown-it writes it as HTML with the lines of the file, and the reader of HTML does the rest."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.token import Token

from worldwright.anchor.readers.documents.blocks import Reading
from worldwright.anchor.readers.documents.html import read_html

_FRONT = re.compile(r"\A(---|\+\+\+)[ \t]*\n(?:.*\n){0,200}?(?:\1|\.\.\.)[ \t]*(?:\n|\Z)")
"""Front matter: a rule across the page that is never closed is none."""
_BUSY = 4_000
"""Marks in one stretch of text. No prose has that many, and the parser is slow on them."""
_MARKS = re.compile(r"[\[\]*_`<>!~&\\]")
_LINED = frozenset({"heading_open", "paragraph_open", "tr_open"})


def read_markdown(text: str, file: str) -> Reading:
    """The blocks of a Markdown document."""
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    for what, write in (("html_inline", _write_inline), ("html_block", _write_html), *_CODE):
        parser.add_render_rule(what, write)
    outline = MarkdownIt("commonmark").enable(["table", "strikethrough"]).disable("inline")
    tokens = outline.parse(_FRONT.sub(lambda found: "\n" * found[0].count("\n"), text))
    for token in tokens:
        token.hidden = False
        if token.type in _LINED and token.map:
            token.attrSet("data-line", str(token.map[0] + 1))
        elif token.type == "inline" and len(_MARKS.findall(token.content)) <= _BUSY:
            token.children = [c for t in parser.parseInline(token.content) for c in t.children or ()]
        elif token.type == "inline":
            token.children = [Token("text", "", 0, content=token.content)]
    return read_html(parser.renderer.render(tokens, parser.options, {}), file)


def _write_inline(_: object, tokens: Sequence[Token], at: int, *__: Any) -> str:
    """Of HTML between words only a break counts."""
    return "<br>" if tokens[at].content[:3].lower() == "<br" else ""


def _write_html(_: object, tokens: Sequence[Token], at: int, *__: Any) -> str:
    return f'<i data-line="{(tokens[at].map or [0])[0] + 1}"></i>{tokens[at].content}'


def _write_code(_: object, tokens: Sequence[Token], at: int, *__: Any) -> str:
    one = tokens[at]
    said = f' data-language="{escapeHtml(one.info.split(" ")[0].lower())}"' if one.type == "fence" else ""
    return f'<pre data-line="{(one.map or [0])[0] + 1}"{said}>{escapeHtml(one.content)}</pre>'


_CODE = (("fence", _write_code), ("code_block", _write_code))
