"""The handbook as a page: the few forms of text that a handbook has, and nothing else."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

_BOLD = re.compile(r"\*\*(.+?)\*\*")


@dataclass(frozen=True, slots=True)
class Piece:
    text: str
    strong: bool = False


@dataclass(frozen=True, slots=True)
class Block:
    kind: Literal["heading", "subheading", "paragraph", "list"]
    pieces: tuple[Piece, ...] = ()
    items: tuple[tuple[Piece, ...], ...] = ()
    anchor: str = ""


def read_handbook(text: str) -> tuple[Block, ...]:
    """Read a handbook into blocks: headings, paragraphs, lists."""
    blocks: list[Block] = []
    for line in text.splitlines():
        plain = line.strip()
        if not plain:
            continue
        if plain.startswith("#"):
            marks = len(plain) - len(plain.lstrip("#"))
            words = plain.lstrip("#").strip()
            blocks.append(
                Block("heading" if marks == 1 else "subheading", (Piece(words),), anchor=f"part-{len(blocks)}")
            )
        elif plain.startswith(("- ", "* ")):
            item = split_bold(plain[2:])
            if blocks and blocks[-1].kind == "list":
                blocks[-1] = Block("list", items=(*blocks[-1].items, item))
            else:
                blocks.append(Block("list", items=(item,)))
        else:
            blocks.append(Block("paragraph", split_bold(plain)))
    return tuple(blocks)


def split_bold(text: str) -> tuple[Piece, ...]:
    out: list[Piece] = []
    end = 0
    for found in _BOLD.finditer(text):
        if found.start() > end:
            out.append(Piece(text[end : found.start()]))
        out.append(Piece(found[1], strong=True))
        end = found.end()
    return (*out, Piece(text[end:])) if end < len(text) or not out else tuple(out)
