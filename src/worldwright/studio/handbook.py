"""The handbook as blocks of a page: headings, lists, paragraphs, and what stands in bold. Nothing else in it means anything."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_BOLD = re.compile(r"\*\*(.+?)\*\*")


@dataclass(frozen=True, slots=True)
class Block:
    kind: str
    """h, li or p"""
    level: int
    parts: tuple[tuple[bool, str], ...]
    """Pieces of text, each with whether it is bold."""


def read_blocks(text: str) -> Iterator[Block]:
    """Read a handbook block by block."""
    said: list[str] = []
    for line in (*text.splitlines(), ""):
        bare = line.strip()
        if bare and not bare.startswith(("#", "- ")):
            said.append(bare)
            continue
        if said:
            yield Block("p", 0, _split(" ".join(said)))
            said = []
        if bare.startswith("#"):
            yield Block("h", min(4, len(bare) - len(bare.lstrip("#"))), _split(bare.lstrip("# ")))
        elif bare:
            said = []
            yield Block("li", 0, _split(bare[2:]))


def _split(text: str) -> tuple[tuple[bool, str], ...]:
    return tuple((bool(at % 2), piece) for at, piece in enumerate(_BOLD.split(text)) if piece)
