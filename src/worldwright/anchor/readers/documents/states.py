"""What a document draws: moves between states in tables, arrows and prose, and diagrams in the notation of Mermaid."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from worldwright.anchor.claims.about import heading_about
from worldwright.anchor.evidence import Field, Resource, Source, States
from worldwright.anchor.readers.documents.blocks import Block, bare, squeezed
from worldwright.anchor.readers.documents.outline import Part
from worldwright.anchor.schema.type_words import shape_of_words

MOST_STATES = 60
LONGEST_STATE = 40
_KIND = (
    r"(?:status(?:es)?|states?|life ?cycle|state machine|stages|zustände|statuts?|estados?|stati|状态|状態|ステータス)"
)
STATES_HEADING = re.compile(
    rf"(?:.{{2,50}}?\s?)?{_KIND}(?: (?:values?|list|diagram|flow|transitions?|model|definitions?|codes?|and transitions?|"
    rf"machine))?\Z|{_KIND} (?:of|for) .{{2,50}}\Z",
    re.IGNORECASE,
)
_FLOW = re.compile(
    r"\b(?:status\w*|states?|life ?cycle|work ?flows?|flow|process|transitions?|stages?|pipeline|approval|life|ablauf|"
    r"statut|estado|fluxo|flujo|stateDiagram)\b|状态|状態|ステータス|流程|フロー",
    re.IGNORECASE,
)
_COLUMN = re.compile(rf"(?:[\w ]{{2,30}}?\s)?{_KIND}(?: (?:name|code|value))?\Z", re.IGNORECASE)
_FROM = re.compile(r"(?:from|current|source|old)(?: (?:status|state))?\Z", re.IGNORECASE)
_TO = re.compile(
    r"(?:to|next|target|new|allowed|transitions?(?: to)?|next (?:status|state)s?|allowed (?:next|transitions?).*|"
    r"can (?:move|change|go) to|possible next.*)(?: (?:status|state)(?:es|s)?)?\Z",
    re.IGNORECASE,
)
_ONLY_FLOW = re.compile(
    r"\b(?:process|flow|work ?flow|diagram|states?|status\w*|life ?cycle|life|transitions?|overview|the|an?|of|and|approval)\b",
    re.IGNORECASE,
)
_EMPTY = frozenset(("", "-", "–", "—", "none", "n/a", "final", "end", "terminal", "(none)"))
_SPLIT = re.compile(r"\s?[,;|/、，\n]\s?|\s(?:or|and)\s")
_QUOTES = "`'\"“”‘’«»„*"


def states(parts: Sequence[Part], resources: Sequence[Resource], file: str) -> tuple[States, ...]:
    """The states of every thing whose moves are drawn; the thing is one that keeps them, else what the heading names."""
    found: dict[tuple[str, str], States] = {}
    for part, at, moves in _drawn([p for p in parts if heading_about(p.path)[0] != "process"]):
        named = tuple(dict.fromkeys(s for move in moves for s in move))[:MOST_STATES]
        owner, field, known = _owner(named, resources) or (_headed(part.path), "", ())
        old = found.get((owner, field), States(owner, field, known, source=Source(file, at)))
        spelt = {s.lower(): s for s in reversed((*old.states, *named))}
        every = tuple(dict.fromkeys(spelt[s.lower()] for s in (*old.states, *named)))[:MOST_STATES]
        drawn = tuple(dict.fromkeys((*old.moves, *((spelt[a.lower()], spelt[b.lower()]) for a, b in moves))))
        found[owner, field] = States(owner, field, every, drawn, old.source)
    return tuple(s for s in found.values() if len(s.states) > 1)


def _owner(named: Sequence[str], resources: Sequence[Resource]) -> tuple[str, str, tuple[str, ...]] | None:
    """The thing and the field that can have most of these words."""
    low = {s.lower() for s in named}
    for resource in resources:
        for one in resource.fields:
            words = {str(w).lower() for w in one.shape.enum}
            if len(low & words) >= 2 and 2 * len(low & words) >= len(low):
                return resource.name, one.name, tuple(map(str, one.shape.enum))
    return None


def _headed(path: Sequence[str]) -> str:
    """The nearest heading that says more than that there is a flow, without the words that say just that."""
    left = (squeezed(_ONLY_FLOW.sub(" ", text)).strip(" -–&:") for text in reversed(path))
    return next((text for text in left if text), path[-1] if path else "")


def _drawn(parts: Sequence[Part]) -> Iterator[tuple[Part, str, Sequence[tuple[str, str]]]]:
    """Every place that draws moves."""
    last = ""
    for part in parts:
        block = part.block
        found = state_columns(block)
        if found is not None and found > 0:
            rows = [(_state(r[0]), _listed(r[found])) for r in block.rows[1 : MOST_STATES + 1]]
            pairs = [(a, b) for a, targets in rows for b in targets]
            moves = [(a, b) for a, b in pairs if a.lower() not in _EMPTY and b.lower() not in _EMPTY]
            yield from ((part, block.at, moves) for _ in moves[:1])
        elif block.kind in ("code", "paragraph", "item"):
            context = " ".join((*part.path[-2:], last, block.text[:300] if block.kind != "code" else block.text[:40]))
            if _FLOW.search(context):
                yield from _chains(part)
        last = squeezed(block.text[-300:]) if block.kind in ("paragraph", "item") else ""


def _chains(part: Part) -> Iterator[tuple[Part, str, Sequence[tuple[str, str]]]]:
    """`Draft -> Submitted -> Approved`, in code or after a colon."""
    block = part.block
    text = block.text if block.kind == "code" else re.sub(r"^[^:→]{1,80}:\s", "", block.text).replace("\x0b", "\n")
    drawn = list(chains(text))
    moves = [move for _, found in drawn for move in found]
    if moves:
        yield part, part.place(drawn[0][0]), moves


def state_columns(block: Block) -> int | None:
    """The column of the states that follow those in the first column of a table, -1 where none do; None for other tables."""
    if block.kind != "table" or not block.headed or len(block.rows) < 2:
        return None
    header = [squeezed(c).strip("*` ") for c in block.rows[0]]
    to = next((n for n, h in enumerate(header) if n and _TO.match(h)), -1)
    short = all(len(_state(r[0])) <= LONGEST_STATE and len(r[0].split()) <= 4 for r in block.rows[1 : MOST_STATES + 1])
    return to if short and (_COLUMN.match(header[0]) or (_FROM.match(header[0]) and to > 0)) else None


def _state(cell: str) -> str:
    return bare(squeezed(cell)).strip(_QUOTES)


def _listed(text: str) -> tuple[str, ...]:
    """The names in a list, `Draft, Submitted or "In review"`."""
    parts = [squeezed(p).strip(_QUOTES + " .:()[]").strip() for p in _SPLIT.split(text)]
    return tuple(dict.fromkeys(p for p in parts if p))


# Diagrams: a line with arrows draws moves, or a relation between entities.


_MOST_LINES = 2_000
_ARROW = re.compile(r"\s*(?:--+>|==+>|->|=>|→|➔|➜|⟶|⇒|-\.->)\s*(?:\|[^|]{0,60}\|\s*)?")
_OPTIONAL = re.compile(r"[\[(]\s?optional(?:ly)?\s?[\])]\s*|\s*\(optional\)", re.IGNORECASE)
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


def chains(text: str) -> Iterator[tuple[int, list[tuple[str, str]]]]:
    """Every line with arrows between names: its number and the moves that they draw."""
    called = _called(text)
    for number, line in _arrowed(text):
        raw = [p.strip() for p in _ARROW.split(line)]
        names = [_drawn_name(p, called) for p in raw]
        if any(len(n) > LONGEST_STATE or len(n.split()) > 5 for n in names) or not any(names):
            continue
        skips = [(names[n - 1], names[n + 1]) for n in range(1, len(raw) - 1) if _OPTIONAL.search(raw[n])]
        yield number, [(a, b) for a, b in dict.fromkeys((*pairwise(names), *skips)) if a and b]


def _arrowed(text: str) -> Iterator[tuple[int, str]]:
    lines = enumerate(text.split("\n")[:_MOST_LINES])
    return ((number, line) for number, line in lines if len(line) <= 600 and _ARROW.search(line))


def _called(text: str) -> dict[str, str]:
    """The names of the nodes of a flow chart, `A[Draft]`."""
    return {m[1]: squeezed(m[2]) for m in _NODE.finditer(text[:50_000])} if "-->" in text else {}


def _drawn_name(part: str, called: dict[str, str]) -> str:
    """The name of a state as a diagram writes it; nothing for its start and end."""
    node = _NODE.match(part)
    if node:
        return squeezed(node[2])
    text = _LABEL.sub("", _OPTIONAL.sub("", part)).strip(" \t`'\"“”‘’*_.;,[](){}•-+")
    return called.get(text, squeezed(text)) if any(ch.isalpha() for ch in text) else ""


def drawn_lines(text: str) -> Iterator[tuple[int, str, str]]:
    """Every line of a diagram that draws a move or a relation: its number, what it claims, and the line."""
    start = text.lstrip()
    if start.startswith(_ENTITIES):
        lines = enumerate(text.split("\n")[:_MOST_LINES])
        yield from ((number, "refers", line.strip()) for number, line in lines if _RELATION.search(line))
    elif not start.startswith("sequenceDiagram"):
        called = _called(text)
        for number, line in _arrowed(text):
            if not _CALLS.search(line):
                named = squeezed(_NODE.sub(lambda m: f" {called.get(m[1], m[2])} ", line)) if called else line.strip()
                yield number, "state", named


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
