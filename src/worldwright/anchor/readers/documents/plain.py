"""Plain text as blocks: headings by number, capitals or an underline, wrapped lines joined, simple tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from worldwright.anchor.readers.documents.blocks import (
    MOST_COLUMNS,
    Block,
    Line,
    Reading,
    blocks_of,
    chapter,
    item,
    like_a_heading,
    lines_at,
    section_level,
    table,
)

_UNDERLINE = re.compile(r"([=\-~^*#\"'+.])\1{2,}\Z")
_RULE = re.compile(r"[|+\-=: ]{3,}\Z")
_ADOC = re.compile(r"(={1,6})\s+(?=\S)")
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
        text = lines[position]
        stripped = text.strip()
        cells = _table_end(lines, position)
        if not stripped or _ruled(stripped):
            apart, position = True, position + 1
            continue
        if cells > position:
            yield from blocks_of(gathered)
            gathered = []
            yield _table(lines, position, cells)
            apart, position = True, cells
            continue
        under = lines[position + 1].strip() if position + 1 < len(lines) else ""
        level, used = _heading(stripped, under, apart, lines, position)
        if not started and not level and not under and like_a_heading(stripped) and item(stripped) is None:
            level = 1
        started = True
        shown = _ADOC.sub("", stripped, count=1) if level and stripped.startswith("=") else stripped
        indent = len(text) - len(text.lstrip())
        gathered.append(Line(shown, position + 1, "", indent, apart, level))
        position += used
        apart = level > 0
    yield from blocks_of(gathered)


def _ruled(text: str) -> bool:
    """A line that only draws: `-----`, `+----+`."""
    return bool(_UNDERLINE.match(text)) or bool(_RULE.match(text))


def _heading(text: str, under: str, apart: bool, lines: Sequence[str], position: int) -> tuple[int, int]:
    """The level of the heading that a line is, 0 where it is none, and how many lines it takes."""
    drawn = _UNDERLINE.match(under)
    if drawn and len(text) <= 100 and len(under) * 2 >= len(text) and text[-1] not in ".;,":
        return _LEVELS[drawn[1]], 2
    if not apart:
        return 0, 1
    adoc = _ADOC.match(text)
    if adoc:
        return len(adoc[1]), 1
    if chapter(text):
        return 1, 1
    alone = position + 1 >= len(lines) or not under or item(under) is not None
    level = section_level(text)
    if level and (level > 1 or alone) and not _listed(lines, position):
        return level, 1
    letters = [ch for ch in text if ch.isalpha()]
    capitals = len(letters) >= 3 and all(ch.isupper() for ch in letters) and any(ch.lower() != ch for ch in letters)
    return (2 if capitals and len(text) <= 80 and text[-1] not in ".;," else 0), 1


def _listed(lines: Sequence[str], position: int) -> bool:
    """Tell whether a line with a number stands right under or above another one: then it is a list."""
    near = [lines[p].strip() for p in (position - 1, position + 1) if 0 <= p < len(lines)]
    return any((found := item(line)) is not None and found[1] for line in near)


def _table_end(lines: Sequence[str], start: int) -> int:
    """The line after a table that starts here; `start` where none does."""
    split = "|" if lines[start].count("|") >= 2 else "\t" if "\t" in lines[start].strip() else ""
    if not split and not (
        lines[start].strip().startswith("+-") and start + 1 < len(lines) and lines[start + 1].count("|") >= 2
    ):
        return start
    end = start
    while (
        end < len(lines)
        and lines[end].strip()
        and (split in lines[end].strip() if split == "\t" else _piped(lines[end]))
    ):
        end += 1
    return end if end - start >= 2 else start


def _piped(line: str) -> bool:
    return line.count("|") >= 2 or bool(_RULE.match(line.strip()))


def _table(lines: Sequence[str], start: int, end: int) -> Block:
    rows: list[list[str]] = []
    places: list[str] = []
    for number in range(start, end):
        line = lines[number].strip()
        if _RULE.match(line):
            continue
        cells = line.strip("|").split("|") if "|" in line else line.split("\t")
        rows.append([c.strip() for c in cells[:MOST_COLUMNS]])
        places.append(lines_at(number + 1, number + 1))
    return table(rows, places, True, start + 1)
