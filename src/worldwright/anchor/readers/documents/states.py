"""The moves between states that a document draws: tables with columns `from` and `to`, and arrows in diagrams or prose."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from worldwright.anchor.claims.about import heading_about
from worldwright.anchor.evidence import Resource, Source, States
from worldwright.anchor.readers.documents.blocks import Block, bare, lines_at, squeezed
from worldwright.anchor.readers.documents.outline import Part
from worldwright.anchor.readers.fences.diagrams import LONGEST_STATE, chains

MOST_STATES = 60
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
    if any(moves for _, _, moves in drawn):
        first = block.line + drawn[0][0]
        yield part, lines_at(first, first) if block.line else block.at, [m for _, _, moves in drawn for m in moves]


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
