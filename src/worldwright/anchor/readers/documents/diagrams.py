"""Diagrams that are written as text: states with arrows, and entities, in the notation of Mermaid."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from worldwright.anchor.evidence import Field, Resource, Source
from worldwright.anchor.readers.documents.blocks import lines_at, squeezed
from worldwright.anchor.readers.documents.fields import shape_of
from worldwright.anchor.readers.documents.outline import Part

_MOST_LINES = 2_000
_ARROW = re.compile(r"\s*(?:--+>|==+>|->|=>|→|➔|➜|⟶|⇒|-\.->)\s*(?:\|[^|]{0,60}\|\s*)?")
_OPTIONAL = re.compile(r"[\[(]\s?optional(?:ly)?\s?[\])]\s*|\s*\(optional\)", re.IGNORECASE)
_ENTITY = re.compile(r"\s*([A-Za-z_][\w-]{0,60})\s*\{\s*$")
_ATTRIBUTE = re.compile(
    r"\s*([A-Za-z_][\w()\[\],]{0,40})\s+([A-Za-z_]\w{0,60})((?:\s+(?:PK|FK|UK),?)*)\s*(?:\"([^\"]{0,200})\")?\s*$"
)
_LABEL = re.compile(r"\s*:\s.*$")
_NODE = re.compile(r"\s*([A-Za-z_]\w{0,30})\s*[\[({]{1,2}\"?([^\])}\"]{1,60})\"?[\])}]{1,2}")
LONGEST_STATE = 40
_RELATION = re.compile(r"[|}o]{1,2}(?:--|\.\.)[|{o]{1,2}|<\|--|--\*|--o|-->")
_CALLS = re.compile(r"=>\s*[{(]|->\s*(?:None|str|int|bool|void|dict|list)\b|\)\s*->|\)\s*=>")
"""Arrows of code, not of a diagram."""


def is_entities(part: Part) -> bool:
    return part.block.kind == "code" and part.block.text.lstrip()[:9] in ("erDiagram", "classDiag")


def entities(part: Part, file: str) -> Iterator[Resource]:
    """The entities of a diagram, with their attributes."""
    name, fields, at = "", list[Field](), 0
    for number, line in enumerate(part.block.text.split("\n")[:_MOST_LINES]):
        opened = _ENTITY.match(line)
        if opened:
            name, fields, at = opened[1], [], number
        elif name and line.strip() == "}":
            yield Resource(
                name,
                tuple(fields),
                tuple(f.name for f in fields if f.key),
                origin="document",
                source=_source(part, at, file),
            )
            name = ""
        elif name and (found := _ATTRIBUTE.match(line)):
            keys = found[3].upper()
            fields.append(
                Field(
                    found[2],
                    shape_of(found[1]),
                    key="PK" in keys,
                    unique="UK" in keys,
                    says=found[4] or "",
                    source=_source(part, number, file),
                )
            )


def _source(part: Part, line: int, file: str) -> Source:
    number = part.block.line + line
    return Source(file, lines_at(number, number) if part.block.line else part.block.at)


def chains(text: str) -> Iterator[tuple[int, tuple[str, ...], tuple[tuple[str, str], ...]]]:
    """Every line with arrows: its number, what stands between them, and the moves that they draw."""
    called = {m[1]: squeezed(m[2]) for m in _NODE.finditer(text[:50_000])} if "-->" in text else {}
    for number, line in enumerate(text.split("\n")[:_MOST_LINES]):
        if len(line) > 600 or not _ARROW.search(line):
            continue
        raw = [p.strip() for p in _ARROW.split(line)]
        names = [_state(p, called) for p in raw]
        optional = [bool(_OPTIONAL.search(p)) for p in raw]
        if len(names) < 2 or any(len(n) > LONGEST_STATE or len(n.split()) > 5 for n in names):
            continue
        moves = list(pairwise(names))
        moves += [(names[n - 1], names[n + 1]) for n in range(1, len(names) - 1) if optional[n]]
        kept = [n for n in names if n]
        if kept:
            yield number, tuple(dict.fromkeys(kept)), tuple((a, b) for a, b in dict.fromkeys(moves) if a and b)


def _state(part: str, called: dict[str, str]) -> str:
    """The name of a state as a diagram writes it; nothing for its start and end."""
    node = _NODE.match(part)
    if node:
        return squeezed(node[2])
    text = _LABEL.sub("", _OPTIONAL.sub("", part)).strip(" \t`'\"“”‘’*_.;,[](){}•-+")
    return "" if text in ("", "*") or not any(ch.isalpha() for ch in text) else called.get(text, squeezed(text))


def drawn_lines(text: str) -> Iterator[tuple[int, str, str]]:
    """Every line of a diagram that draws a move or a relation: its number, what it claims, and the line."""
    called = {m[1]: squeezed(m[2]) for m in _NODE.finditer(text[:50_000])} if "-->" in text else {}
    related = text.lstrip().startswith(("erDiagram", "classDiag"))
    if text.lstrip().startswith("sequenceDiagram"):
        return
    for number, line in enumerate(text.split("\n")[:_MOST_LINES]):
        said = line.strip()
        if related and _RELATION.search(said):
            yield number, "refers", said
        elif not related and len(said) <= 600 and _ARROW.search(said) and not _CALLS.search(said):
            yield (
                number,
                "state",
                squeezed(_NODE.sub(lambda m: f" {called.get(m[1], m[2])} ", said)) if called else said,
            )
