"""Diagrams that are written as text: states with arrows, and entities, in the notation of Mermaid."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

from worldwright.anchor.evidence import Field, Resource, Source
from worldwright.anchor.schema.type_words import shape_of_words

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
_ENTITIES = ("erDiagram", "classDiagram")
_RELATION = re.compile(r"[|}o]{1,2}(?:--|\.\.)[|{o]{1,2}|<\|--|--\*|--o|-->")
_CALLS = re.compile(r"=>\s*[{(]|->\s*(?:None|str|int|bool|void|dict|list)\b|\)\s*->|\)\s*=>")
"""Arrows of code, not of a diagram."""


def entities(text: str, file: str, place: Callable[[int], str]) -> Iterator[Resource]:
    """The entities of a diagram, with their attributes; `place` says where a line of it stands."""
    if not text.lstrip().startswith(_ENTITIES):
        return
    name, fields, at = "", list[Field](), 0
    for number, line in enumerate(text.split("\n")[:_MOST_LINES]):
        opened, found = _ENTITY.match(line), _ATTRIBUTE.match(line)
        if opened:
            name, fields, at = opened[1], [], number
        elif name and line.strip() == "}":
            key = tuple(f.name for f in fields if f.key)
            yield Resource(name, tuple(fields), key, origin="document", source=Source(file, place(at)))
            name = ""
        elif name and found:
            keys, says, source = found[3].upper(), found[4] or "", Source(file, place(number))
            shape = shape_of_words(found[1])
            fields.append(Field(found[2], shape, key="PK" in keys, unique="UK" in keys, says=says, source=source))


def chains(text: str) -> Iterator[tuple[int, tuple[str, ...], tuple[tuple[str, str], ...]]]:
    """Every line with arrows: its number, what stands between them, and the moves that they draw."""
    called = {m[1]: _squeezed(m[2]) for m in _NODE.finditer(text[:50_000])} if "-->" in text else {}
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


def _squeezed(text: str) -> str:
    return " ".join(text.split())


def _state(part: str, called: dict[str, str]) -> str:
    """The name of a state as a diagram writes it; nothing for its start and end."""
    node = _NODE.match(part)
    if node:
        return _squeezed(node[2])
    text = _LABEL.sub("", _OPTIONAL.sub("", part)).strip(" \t`'\"“”‘’*_.;,[](){}•-+")
    return "" if text in ("", "*") or not any(ch.isalpha() for ch in text) else called.get(text, _squeezed(text))


def drawn_lines(text: str) -> Iterator[tuple[int, str, str]]:
    """Every line of a diagram that draws a move or a relation: its number, what it claims, and the line."""
    start = text.lstrip()
    if start.startswith("sequenceDiagram"):
        return
    called = {m[1]: _squeezed(m[2]) for m in _NODE.finditer(text[:50_000])} if "-->" in text else {}
    for number, line in enumerate(text.split("\n")[:_MOST_LINES]):
        said = line.strip()
        if start.startswith(_ENTITIES):
            yield from ((number, "refers", said) for _ in _RELATION.findall(said)[:1])
        elif len(said) <= 600 and _ARROW.search(said) and not _CALLS.search(said):
            named = _squeezed(_NODE.sub(lambda m: f" {called.get(m[1], m[2])} ", said)) if called else said
            yield number, "state", named
