"""The states that a thing goes through, where lists, tables, arrows and fields name them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from worldwright.anchor.claims.about import heading_about
from worldwright.anchor.evidence import Resource, Source, States
from worldwright.anchor.names import noun
from worldwright.anchor.readers.documents.blocks import Block, bare, lines_at, squeezed
from worldwright.anchor.readers.documents.diagrams import LONGEST_STATE, chains
from worldwright.anchor.readers.documents.fields import term_of
from worldwright.anchor.readers.documents.outline import Part

MOST_STATES = 60
_KIND = (
    r"(?:status(?:es)?|states?|life ?cycle|state machine|stages|zustände|statuts?|estados?|stati|状态|状態|ステータス)"
)
STATES_HEADING = re.compile(
    rf"(?:(?P<thing>.{{2,50}}?)\s?)?{_KIND}(?: (?:values?|list|diagram|flow|transitions?|model|definitions?|codes?|"
    rf"and transitions?|machine))?\Z|"
    rf"{_KIND} (?:of|for|de la|de los|de las|de|del|des|du|der|della|van de) (?:the |an? |each )?(?P<other>.{{2,50}})\Z",
    re.IGNORECASE,
)
_FLOW = re.compile(
    r"\b(?:status\w*|states?|life ?cycle|work ?flows?|flow|process|transitions?|stages?|pipeline|approval|ablauf|"
    r"statut|estado|fluxo|flujo|stateDiagram)\b|状态|状態|ステータス|流程|フロー",
    re.IGNORECASE,
)
_COLUMN = re.compile(rf"(?:(?P<thing>[\w ]{{2,30}}?)\s)?{_KIND}(?: (?:name|code|value))?\Z", re.IGNORECASE)
_FROM = re.compile(r"(?:from|current|source|old)(?: (?:status|state))?\Z", re.IGNORECASE)
_TO = re.compile(
    r"(?:to|next|target|new|allowed|transitions?(?: to)?|next (?:status|state)s?|allowed (?:next|transitions?).*|"
    r"can (?:move|change|go) to|possible next.*)(?: (?:status|state)(?:es|s)?)?\Z",
    re.IGNORECASE,
)
_FIELD = re.compile(r"(?:[\w ]*[_ ])?(?:status|state|stage)\Z", re.IGNORECASE)
_ONLY_FLOW = re.compile(
    r"\b(?:process|flow|work ?flow|diagram|states?|status\w*|life ?cycle|transitions?|overview|the|of|and|approval)\b",
    re.IGNORECASE,
)
_EMPTY = frozenset(("", "-", "–", "—", "none", "n/a", "final", "end", "terminal", "(none)"))
_SPLIT = re.compile(r"\s?[,;|/、，\n]\s?|\s(?:or|and|oder|und|ou|et|o|y|e|of|en)\s|\s?[→]\s?|\s?->\s?")
_QUOTES = "`'\"“”‘’«»„*"


@dataclass(slots=True)
class _Found:
    """The states of one thing, as they are gathered."""

    resource: str
    named: str
    """The field, where that is known."""
    source: Source
    states: dict[str, str] = field(default_factory=dict)
    """By their form in lower case."""
    moves: dict[tuple[str, str], None] = field(default_factory=dict)

    def add(self, states: Sequence[str], moves: Sequence[tuple[str, str]]) -> None:
        for state in (*states, *(s for move in moves for s in move)):
            if len(self.states) < MOST_STATES:
                self.states.setdefault(state.lower(), state)
        for a, b in moves:
            if a.lower() in self.states and b.lower() in self.states:
                self.moves.setdefault((self.states[a.lower()], self.states[b.lower()]))


@dataclass(frozen=True, slots=True)
class Seen:
    """States that were seen at one place."""

    resource: str
    field: str
    states: tuple[str, ...]
    moves: tuple[tuple[str, str], ...]
    at: str


def states(parts: Sequence[Part], resources: Sequence[Resource], file: str) -> tuple[States, ...]:
    """The states of every thing, put together from wherever they are named."""
    found: list[_Found] = []
    said = [p for p in parts if heading_about(p.path)[0] != "process"]
    for seen in (*_of_fields(resources), *_of_lists(said), *_of_tables(said), *_of_arrows(said)):
        entry = next((f for f in found if _same(f, seen)), None)
        if entry is None:
            entry = _Found(seen.resource, seen.field, Source(file, seen.at))
            found.append(entry)
        entry.named = entry.named or seen.field
        entry.add(seen.states, seen.moves)
    return tuple(
        States(f.resource, f.named, tuple(f.states.values()), tuple(f.moves), f.source)
        for f in found
        if len(f.states) >= 2
    )


def _same(entry: _Found, seen: Seen) -> bool:
    """Tell whether states belong to those of a thing that were found before."""
    shared = sum(s.lower() in entry.states for s in seen.states)
    if noun(entry.resource) == noun(seen.resource):
        return shared > 0 or not entry.states or not seen.states or bool(entry.named and entry.named == seen.field)
    return shared >= 2 and shared * 2 >= min(len(entry.states), len(seen.states))


def _thing(said: str, path: Sequence[str]) -> str:
    """Return whose states they are: what is said right there, else the nearest heading that says more than that there are some."""
    for text in (said, *reversed(path)):
        left = squeezed(_ONLY_FLOW.sub(" ", text)).strip(" -–&:")
        if left:
            return left
    return path[-1] if path else ""


def _of_fields(resources: Sequence[Resource]) -> Iterator[Seen]:
    for resource in resources:
        for one in resource.fields:
            if one.shape.enum and _FIELD.match(one.name):
                at = one.source.at if one.source else ""
                yield Seen(resource.name, one.name, tuple(str(w) for w in one.shape.enum), (), at)


def _of_lists(parts: Sequence[Part]) -> Iterator[Seen]:
    """Short items under a heading such as `Order statuses`."""
    gathered: dict[int, list[tuple[str, Part]]] = {}
    for part in parts:
        if part.block.kind == "item" and part.block.level == 0 and STATES_HEADING.match(part.heading):
            name = term_of(part.block)[0] or part.block.text[: LONGEST_STATE * 2]
            gathered.setdefault(part.section, []).append((_state(name), part))
    for entries in gathered.values():
        named = [name for name, _ in entries]
        if len(named) >= 2 and all(_short(s) for s in named) and not any("→" in s or "->" in s for s in named):
            first = entries[0][1]
            column = "status" if "status" in first.heading.lower() else ""
            yield Seen(_thing(_headed(first), first.path[:-1]), column, tuple(named), (), first.block.at)


def _headed(part: Part) -> str:
    found = STATES_HEADING.match(part.heading)
    return (found["thing"] or found["other"] or "").strip() if found else ""


def state_columns(block: Block) -> tuple[str, int] | None:
    """Whose states a table has in its first column, as far as the header says, and the column of those that follow; else None."""
    if block.kind != "table" or not block.headed or len(block.rows) < 2:
        return None
    header = [squeezed(c).strip("*` ") for c in block.rows[0]]
    to = next((n for n, h in enumerate(header) if n and _TO.match(h)), -1)
    column = _COLUMN.match(header[0]) or (_FROM.match(header[0]) if to > 0 else None)
    if not column or any(not _short(_state(row[0])) for row in block.rows[1 : MOST_STATES + 1] if row[0].strip()):
        return None
    return (column.groupdict().get("thing") or "").strip(), to


def _of_tables(parts: Sequence[Part]) -> Iterator[Seen]:
    """Tables with a column of states, or with columns `from` and `to`."""
    for part in parts:
        found = state_columns(part.block)
        if found is None:
            continue
        said, to = found
        rows = [(_state(r[0]), listed(r[to]) if to > 0 else ()) for r in part.block.rows[1 : MOST_STATES + 1]]
        moves = [(a, b) for a, targets in rows for b in targets if a.lower() not in _EMPTY and b.lower() not in _EMPTY]
        column = "status" if "status" in part.block.rows[0][0].lower() else ""
        named = tuple(s for s, _ in rows if s.lower() not in _EMPTY)
        yield Seen(_thing(said or _headed(part), part.path), column, named, tuple(moves), part.block.at)


def _state(cell: str) -> str:
    return bare(squeezed(cell)).strip(_QUOTES)


def _short(state: str) -> bool:
    return 0 < len(state) <= LONGEST_STATE and len(state.split()) <= 4


def _of_arrows(parts: Sequence[Part]) -> Iterator[Seen]:
    """`Draft -> Submitted -> Approved`, in code or in prose, where it is about states or a flow."""
    last = ""
    for part in parts:
        block = part.block
        if block.kind in ("code", "paragraph", "item"):
            context = " ".join((*part.path[-2:], last, block.text[:300] if block.kind != "code" else block.text[:40]))
            if _FLOW.search(context) and any(mark in block.text for mark in ("->", "→", "=>", "➔", "➜", "⟶", "⇒")):
                yield from _chains(part)
        last = squeezed(block.text[-300:]) if block.kind in ("paragraph", "item") else ""


def _chains(part: Part) -> Iterator[Seen]:
    block = part.block
    lead = re.match(r"([^:→]{1,80}):\s", block.text) if block.kind != "code" else None
    text = block.text[lead.end() :].replace("\x0b", "\n") if lead else block.text
    every: dict[str, None] = {}
    moves: dict[tuple[str, str], None] = {}
    first = -1
    for number, named, drawn in chains(text):
        first = number if first < 0 else first
        every.update(dict.fromkeys(named))
        moves.update(dict.fromkeys(drawn))
    if len(every) >= 2 and moves:
        at = lines_at(block.line + first, block.line + first) if block.line else block.at
        said = lead[1] if lead and len(lead[1].split()) <= 4 else _headed(part)
        yield Seen(_thing(said, part.path), "", tuple(every)[:MOST_STATES], tuple(moves), at)


def listed(text: str) -> tuple[str, ...]:
    """The names in a list, `Draft, Submitted or "In review"`."""
    parts = [squeezed(p).strip(_QUOTES + " .:()[]").strip() for p in _SPLIT.split(text)]
    parts = [re.sub(r"^(?:or|and|either|e\.g\.,?|etc)\s+", "", p) for p in parts]
    return tuple(dict.fromkeys(p for p in parts if p and p.lower() not in ("etc", "or", "and", "e.g")))
