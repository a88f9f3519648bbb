"""Plain text as blocks: headings by number, capitals or an underline, wrapped lines joined, simple tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from worldwright.anchor.readers.documents.blocks import (
    Block,
    Line,
    Reading,
    blocks_of,
    is_chapter,
    item,
    like_a_heading,
    lines_at,
    section_level,
    table,
)

_UNDERLINE = re.compile(r"([=\-~^*#\"'+.])\1{2,}\Z")
_RULE = re.compile(r"[|+\-=: ]{3,}\Z")
_LEVELS = {"=": 1, "#": 1, "*": 1, "-": 2, "~": 3, "^": 3, '"': 4, "'": 4, "+": 4, ".": 5}
_LONGEST_LINE = 20_000


def read_plain(text: str, file: str) -> Reading:
    """The blocks of a plain text."""
    lines = [line.rstrip()[:_LONGEST_LINE] for line in text.replace("\f", "\n").split("\n")]
    return Reading(tuple(_blocks(lines)))


def _blocks(lines: Sequence[str]) -> Iterator[Block]:
    gathered: list[Line] = []
    position, apart, started = 0, True, False
    while position < len(lines):
        text = lines[position].strip()
        if not text or _UNDERLINE.match(text) or _RULE.match(text):
            apart, position = True, position + 1
            continue
        end = _table_end(lines, position)
        if end > position + 1:
            yield from blocks_of(gathered)
            gathered = []
            yield _table(lines, position, end)
            apart, position = True, end
            continue
        under = lines[position + 1].strip() if position + 1 < len(lines) else ""
        level, used = _heading(text, under, apart, lines[max(0, position - 1)].strip())
        if not started and not level and not under and like_a_heading(text) and item(text) is None:
            level = 1
        started = True
        indent = len(lines[position]) - len(lines[position].lstrip())
        gathered.append(Line(text, position + 1, "", indent, apart, level))
        position += used
        apart = level > 0
    yield from blocks_of(gathered)


def _heading(text: str, under: str, apart: bool, above: str) -> tuple[int, int]:
    """The level of the heading that a line is, 0 where it is none, and how many lines it takes."""
    drawn = _UNDERLINE.match(under)
    if drawn and len(text) <= 100 and len(under) * 2 >= len(text) and text[-1] not in ".;,":
        return _LEVELS[drawn[1]], 2
    if not apart:
        return 0, 1
    if is_chapter(text):
        return 1, 1
    level, follows = section_level(text), item(under)
    listed = any(found is not None and found[1] for found in (item(above) if above != text else None, follows))
    if level and (level > 1 or not under or follows is not None) and not listed:
        return level, 1
    letters = [ch for ch in text if ch.isalpha()]
    capitals = len(letters) >= 3 and all(ch.isupper() for ch in letters) and any(ch.lower() != ch for ch in letters)
    return (2 if capitals and len(text) <= 80 and text[-1] not in ".;," else 0), 1


def _table_end(lines: Sequence[str], start: int) -> int:
    """The line after the rows of a table that start here, with cells between bars or tabs; `start` where none does."""
    tabbed = lines[start].count("|") < 2
    end = start
    while end < len(lines) and ("\t" in lines[end].strip() if tabbed else _piped(lines[end])):
        end += 1
    return end


def _piped(line: str) -> bool:
    return line.count("|") >= 2 or bool(_RULE.match(line.strip()))


def _table(lines: Sequence[str], start: int, end: int) -> Block:
    found = [(n + 1, line) for n in range(start, end) if not _RULE.match(line := lines[n].strip())]
    rows = [[c.strip() for c in (line.strip("|").split("|") if "|" in line else line.split("\t"))] for _, line in found]
    return table(rows, [lines_at(n, n) for n, _ in found], True, start + 1)
