"""What a document draws: moves between states in tables and code, and diagrams in the notation of Mermaid."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from worldwright.anchor.claims.about import heading_about
from worldwright.anchor.evidence import Field, Resource, Source, States
from worldwright.anchor.readers.documents.blocks import Block, bare, squeezed
from worldwright.anchor.readers.documents.outline import Part
from worldwright.anchor.schema.type_words import shape_of_words

MOST_STATES = 60
LONGEST_STATE = 40
_KIND = r"(?:status(?:es)?|states?|life ?cycle|state machine|stages)"
_FLOW = re.compile(
    r"\b(?:status\w*|states?|life ?cycle|work ?flows?|flow|process|transitions?|stages?|pipeline|approval|life|the|an?|"
    r"of|and|diagram|overview|stateDiagram)\b",
    re.IGNORECASE,
)
"""Words of a heading that say that moves are drawn, not of what."""
_COLUMN = re.compile(rf"(?:[\w ]{{2,30}}?\s)?{_KIND}(?: (?:name|code|value))?\Z", re.IGNORECASE)
_FROM = re.compile(r"(?:from|current|source|old)(?: (?:status|state))?\Z", re.IGNORECASE)
_TO = re.compile(
    r"(?:to|next|target|new|allowed|transitions?(?: to)?|next (?:status|state)s?|allowed (?:next|transitions?).*|"
    r"can (?:move|change|go) to|possible next.*)(?: (?:status|state)(?:es|s)?)?\Z",
    re.IGNORECASE,
)
_NO_STATE = frozenset(("", "-", "–", "—", "none", "n/a", "final", "end", "terminal", "(none)"))
_SPLIT = re.compile(r"\s?[,;|/、，\n]\s?|\s(?:or|and)\s")
_QUOTES = "`'\"“”‘’«»„*"

Move = tuple[str, str]


def states(parts: Sequence[Part], resources: Sequence[Resource], file: str) -> Iterator[States]:
    """The states of everything whose moves are drawn; the thing is one that keeps them, else what the heading names."""
    for part, at, moves in _drawn([p for p in parts if heading_about(p.path)[0] != "process"]):
        named = tuple(dict.fromkeys(s for move in moves for s in move))[:MOST_STATES]
        owner, field = _owner(named, resources) or (_headed(part.path), "")
        if len(named) > 1:
            yield States(owner, field, named, tuple(dict.fromkeys(moves)), Source(file, at))


def _owner(named: Sequence[str], resources: Sequence[Resource]) -> tuple[str, str] | None:
    """The thing and the field that can have most of these words."""
    low = {s.lower() for s in named}
    for resource in resources:
        for one in resource.fields:
            known = low & {str(w).lower() for w in one.shape.enum}
            if len(known) >= 2 and 2 * len(known) >= len(low):
                return resource.name, one.name
    return None


def _headed(path: Sequence[str]) -> str:
    """The nearest heading that says more than that there is a flow, without the words that say just that."""
    left = (squeezed(_FLOW.sub(" ", text)).strip(" -–&:") for text in reversed(path))
    return next((text for text in left if text), path[-1] if path else "")


def _drawn(parts: Sequence[Part]) -> Iterator[tuple[Part, str, Sequence[Move]]]:
    """Every table of moves, and all code that draws some under a heading that speaks of states or a flow."""
    for part in parts:
        block = part.block
        column = state_columns(block) or -1
        if column > 0:
            rows = [(_state(r[0]), _listed(r[column])) for r in block.rows[1 : MOST_STATES + 1]]
            moves = [(a, b) for a, targets in rows for b in targets if not {a.lower(), b.lower()} & _NO_STATE]
            yield from ((part, block.at, moves) for _ in moves[:1])
        elif block.kind == "code" and _FLOW.search(" ".join((*part.path[-2:], block.text[:40]))):
            lines = [one for one in drawn_lines(block.text) if one.moves]
            yield from ((part, part.place(one.number), [m for o in lines for m in o.moves]) for one in lines[:1])


def state_columns(block: Block) -> int | None:
    """The column of the states that follow those in the first column of a table, -1 where none do; None for other tables."""
    if len(block.header) < 1 or len(block.rows) < 2:
        return None
    to = next((n for n, h in enumerate(block.header) if n and _TO.match(h)), -1)
    short = all(len(_state(r[0])) <= LONGEST_STATE and len(r[0].split()) <= 4 for r in block.rows[1 : MOST_STATES + 1])
    first = block.header[0]
    return to if short and (_COLUMN.match(first) or (_FROM.match(first) and to > 0)) else None


def _state(cell: str) -> str:
    return bare(cell).strip(_QUOTES)


def _listed(text: str) -> tuple[str, ...]:
    """The names in a list, `Draft, Submitted or "In review"`."""
    parts = [squeezed(p).strip(_QUOTES + " .:()[]").strip() for p in _SPLIT.split(text)]
    return tuple(dict.fromkeys(p for p in parts if p))


# Diagrams: a line with arrows draws moves, or a relation between entities.


_MOST_LINES = 2_000
_ARROW = re.compile(r"\s*(?:--+>|==+>|->|=>|→|➔|➜|⟶|⇒|-\.->)\s*(?:\|[^|]{0,60}\|\s*)?")
_OPTIONAL = re.compile(r"[\[(]\s?optional(?:ly)?\s?[\])]\s*", re.IGNORECASE)
_LABEL = re.compile(r"\s*:\s.*$")
_NODE = re.compile(r"\s*([A-Za-z_]\w{0,30})\s*[\[({]{1,2}\"?([^\])}\"]{1,60})\"?[\])}]{1,2}")
_ENTITIES = ("erDiagram", "classDiagram")
_ENTITY = re.compile(r"\s*([A-Za-z_][\w-]{0,60})\s*\{\s*$")
_ATTRIBUTE = re.compile(
    r"\s*([A-Za-z_][\w()\[\],]{0,40})\s+([A-Za-z_]\w{0,60})((?:\s+(?:PK|FK|UK),?)*)\s*(?:\"([^\"]{0,200})\")?\s*$"
)
_RELATION = re.compile(r"[|}o]{1,2}(?:--|\.\.)[|{o]{1,2}|<\|--|--\*|--o|-->")
_CALLS = re.compile(r"=>\s*[{(]|->\s*(?:None|str|int|bool|void|dict|list)\b|\)\s*->|\)\s*=>")
"""Arrows of code, not of a diagram."""


class Drawn(NamedTuple):
    """A line of a diagram."""

    number: int
    kind: str
    """What it claims."""
    says: str
    moves: tuple[Move, ...] = ()


def drawn_lines(text: str) -> Iterator[Drawn]:
    """Every line of a diagram that draws moves or a relation."""
    start, lines = text.lstrip(), enumerate(text.split("\n")[:_MOST_LINES])
    if start.startswith(_ENTITIES):
        yield from (Drawn(number, "refers", line.strip()) for number, line in lines if _RELATION.search(line))
    elif not start.startswith("sequenceDiagram"):
        called = {m[1]: squeezed(m[2]) for m in _NODE.finditer(text[:50_000])} if "-->" in text else {}
        for number, line in lines:
            if len(line) <= 600 and _ARROW.search(line) and not _CALLS.search(line):
                named = squeezed(_NODE.sub(lambda m: f" {called.get(m[1], m[2])} ", line)) if called else line.strip()
                yield Drawn(number, "state", named, _moves(line, called))


def _moves(line: str, called: dict[str, str]) -> tuple[Move, ...]:
    """The moves that the arrows of a line draw; past a state that is optional too."""
    raw = [p.strip() for p in _ARROW.split(line)]
    names = [_drawn_name(p, called) for p in raw]
    if any(len(n) > LONGEST_STATE or len(n.split()) > 5 for n in names):
        return ()
    skips = [(names[n - 1], names[n + 1]) for n in range(1, len(raw) - 1) if _OPTIONAL.search(raw[n])]
    return tuple((a, b) for a, b in dict.fromkeys((*pairwise(names), *skips)) if a and b)


def _drawn_name(part: str, called: dict[str, str]) -> str:
    """The name of a state as a diagram writes it; nothing for its start and end."""
    node = _NODE.match(part)
    if node:
        return squeezed(node[2])
    text = _LABEL.sub("", _OPTIONAL.sub("", part)).strip(" \t`'\"“”‘’*_.;,[](){}•-+")
    return called.get(text, squeezed(text)) if any(ch.isalpha() for ch in text) else ""


def entities(part: Part, file: str) -> Iterator[Resource]:
    """The entities of a diagram, with their attributes."""
    if not part.block.text.lstrip().startswith(_ENTITIES):
        return
    name, fields, at = "", list[Field](), 0
    for number, line in enumerate(part.block.text.split("\n")[:_MOST_LINES]):
        opened, found = _ENTITY.match(line), _ATTRIBUTE.match(line)
        if opened:
            name, fields, at = opened[1], [], number
        elif name and line.strip() == "}":
            key = tuple(f.name for f in fields if f.key)
            yield Resource(name, tuple(fields), key, origin="document", source=Source(file, part.place(at)))
            name = ""
        elif name and found:
            keys, says, source = found[3].upper(), found[4] or "", Source(file, part.place(number))
            shape = shape_of_words(found[1])
            fields.append(Field(found[2], shape, key="PK" in keys, unique="UK" in keys, says=says, source=source))
