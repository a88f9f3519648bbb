"""Plain text as blocks: headings by number, capitals or an underline, wrapped lines joined."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from worldwright.anchor.readers.documents.blocks import (
    MOST_BLOCKS,
    NUMBER,
    Line,
    Reading,
    blocks_of,
    is_chapter,
    item,
    like_a_heading,
    section_level,
)

_UNDERLINE = re.compile(r"([=\-~^*#\"'+.])\1{2,}\Z")
_LEVELS = {"=": 1, "#": 1, "*": 1, "-": 2}
_LONGEST_LINE = 20_000


def read_plain(text: str, file: str) -> Reading:
    """The blocks of a plain text."""
    lines = [line.rstrip()[:_LONGEST_LINE] for line in text.replace("\f", "\n").split("\n")]
    return Reading(tuple(islice(blocks_of(_lines(lines)), MOST_BLOCKS)))


def _lines(lines: Sequence[str]) -> Iterator[Line]:
    position, apart, started = 0, True, False
    while position < len(lines):
        text = lines[position].strip()
        if not text or _UNDERLINE.match(text):
            apart, position = True, position + 1
            continue
        under = lines[position + 1].strip() if position + 1 < len(lines) else ""
        level, used = _heading(text, under, apart, lines[max(0, position - 1)].strip())
        if not started and not level and not under and like_a_heading(text) and not item(text):
            level = 1
        indent = len(lines[position]) - len(lines[position].lstrip())
        yield Line(text, position + 1, "", indent, apart, level)
        position, apart, started = position + used, level > 0, True


def _heading(text: str, under: str, apart: bool, above: str) -> tuple[int, int]:
    """The level of the heading that a line is, 0 where it is none, and how many lines it takes."""
    drawn = _UNDERLINE.match(under)
    if drawn and len(text) <= 100 and len(under) * 2 >= len(text) and text[-1] not in ".;,":
        return _LEVELS.get(drawn[1], 3), 2
    if not apart:
        return 0, 1
    if is_chapter(text):
        return 1, 1
    level = section_level(text)
    listed = NUMBER.match(under) or (above != text and NUMBER.match(above))
    if level and (level > 1 or not under or item(under)) and not listed:
        return level, 1
    letters = [ch for ch in text if ch.isalpha()]
    capitals = len(letters) >= 3 and all(ch.isupper() for ch in letters) and any(ch.lower() != ch for ch in letters)
    return (2 if capitals and len(text) <= 80 and text[-1] not in ".;," else 0), 1
