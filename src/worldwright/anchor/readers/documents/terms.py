"""A list item as a term and what is said of it: `Manager: approves claims`, `**Staff** - submit claims`."""

from __future__ import annotations

import re

from worldwright.anchor.readers.documents.blocks import BREAK, Block, bare, squeezed
from worldwright.anchor.readers.documents.outline import CODED

LONGEST_TERM = 60
_SPLIT = re.compile(r"\s?[:：]\s+|\s[-–—]\s|[:：]$|：|\s?=>?\s|\s\|\s")
_REMARK = re.compile(r"^\s*\([^()]{1,60}\)\s*(?=[:：–—-])")
_CLOSES = re.compile(r"\s(?:in charge of|responsible for|who|that)\s|\s?\(|[,;]\s", re.IGNORECASE)
"""Ends a term even in a short text."""
_BREAKS = re.compile(
    r"\s(?:in charge of|responsible for|who|that|which|seeking|with|for|can|may|must|has|have|is|are|will|to|"
    r"of the|wishing|using|from|where)\s|\s?\(|[,.;]\s",
    re.IGNORECASE,
)


def term_of(block: Block) -> tuple[str, str]:
    """The term that an item starts with and the rest of it; no term where it is a plain sentence."""
    text = bare(block.text.replace(BREAK, " "))
    lead = bare(block.lead).rstrip(":：. ")
    if CODED.match(lead) and text.startswith(lead):
        text, lead = bare(text[len(lead) :].lstrip(":.-–— ")), ""
    if lead and text.startswith(lead) and len(lead) <= LONGEST_TERM:
        return lead, bare(_REMARK.sub("", text[len(lead) :]).lstrip(":：-–— "))
    found = _SPLIT.search(text[: LONGEST_TERM + 20])
    if found and 0 < found.start() <= LONGEST_TERM and "," not in text[: found.start()]:
        return squeezed(text[: found.start()]), bare(text[found.end() :])
    brief = len(text.split()) <= 5 and len(text) <= LONGEST_TERM
    stop = (_CLOSES if brief else _BREAKS).search(text)
    if brief and not stop:
        return text.rstrip("."), ""
    if stop and 0 < stop.start() <= LONGEST_TERM and len(text[: stop.start()].split()) <= 5:
        return text[: stop.start()], text
    return "", text


def of_cell(cell: str) -> str:
    """The text of a cell on one line: what stands on lines of its own in it is parted by semicolons."""
    lines = [bare(line) for line in cell.split(BREAK)]
    out = ""
    for line in lines:
        if line:
            out += (" " if out[-1:] in ".;:!?" else "; ") + line if out else line
    return out
