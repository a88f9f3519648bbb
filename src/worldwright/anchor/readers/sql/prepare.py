"""A text made ready to be split: one kind of line end, and nothing left in it that a client or a template would take out.

Whatever is taken out leaves blanks behind, so that every line keeps its number.
"""

from __future__ import annotations

import re

from worldwright.anchor.readers.sql.dialect import Dialect

_RUN_BY_MYSQL = re.compile(r"/\*M?!\d{0,6}((?:[^*]++|\*(?!/))*+)(?:\*/|\Z)")
_TEMPLATE = re.compile(r"\{%[^{}\n]{0,500}%\}|\{#[^{}\n]{0,500}#\}")
_DOWN = re.compile(
    r"^[ \t]*--[ \t]*(?:(?:\+goose|\+migrate)[ \t]+down|migrate:down|//[ \t]*@undo)\b", re.IGNORECASE | re.MULTILINE
)
_UP = re.compile(r"^[ \t]*--[ \t]*(?:(?:\+goose|\+migrate)[ \t]+up|migrate:up)\b", re.IGNORECASE | re.MULTILINE)


def prepared(text: str, dialect: Dialect) -> str:
    """The text as the database would get it."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").replace("\x00", " ")
    if "/*" in text and dialect.backslash:
        text = _RUN_BY_MYSQL.sub(
            lambda m: " " * (m.start(1) - m.start()) + m.group(1) + " " * (m.end() - m.end(1)), text
        )
    if "{%" in text or "{#" in text:
        text = _TEMPLATE.sub(lambda m: " " * len(m.group()), text)
    return _without_undoing(text)


def _without_undoing(text: str) -> str:
    """Without the parts that take a migration back."""
    pieces: list[str] = []
    pos = 0
    while down := _DOWN.search(text, pos):
        up = _UP.search(text, down.end())
        end = up.start() if up else len(text)
        pieces += (text[pos : down.start()], "\n" * text.count("\n", down.start(), end))
        pos = end
    return "".join((*pieces, text[pos:])) if pieces else text
