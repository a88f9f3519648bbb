"""The states that a thing goes through: lists, tables, sentences, arrows, and fields named `status`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from worldwright.anchor.evidence import Resource, Source, States
from worldwright.anchor.readers.documents.blocks import bare, lines_at, squeezed
from worldwright.anchor.readers.documents.diagrams import LONGEST_STATE, chains
from worldwright.anchor.readers.documents.fields import term_of
from worldwright.anchor.readers.documents.outline import Part, Sentence, foreign
from worldwright.anchor.readers.documents.words import Names, key_of

MOST_STATES = 60
_KIND = (
    r"(?:status(?:es)?|states?|life ?cycle|state machine|stages|zustände|statuts?|estados?|stati|状态|状態|ステータス)"
)
_HEADING = re.compile(
    rf"(?:(?P<thing>.{{2,50}}?)\s?)?{_KIND}(?: (?:values?|list|diagram|flow|transitions?|model|definitions?|codes?|"
    rf"and transitions?|machine))?\Z|"
    rf"{_KIND} (?:of|for|de la|de los|de las|de|del|des|du|der|della|van de) (?:the |an? |each )?(?P<other>.{{2,50}})\Z",
    re.IGNORECASE,
)
_FLOW = re.compile(
    r"\b(?:status\w*|states?|life ?cycle|work ?flows?|flow|process|transitions?|stages?|pipeline|approval|ablauf|"
    r"statut|estado|fluxo|flujo)\b|状态|状態|ステータス|流程|フロー",
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
    r"\b(?:process|flow|work ?flow|diagram|states?|status\w*|life ?cycle|transitions?|overview|the|of|and)\b",
    re.IGNORECASE,
)
_EMPTY = frozenset(("", "-", "–", "—", "none", "n/a", "final", "end", "terminal", "(none)"))
_WHOLE = re.compile(
    r"\b(?:approval|review|submission|process|work ?flow|business|the|overall|general)\b", re.IGNORECASE
)


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


def states(
    parts: Sequence[Part], prose: Sequence[Sentence], resources: Sequence[Resource], names: Names, file: str
) -> tuple[States, ...]:
    """The states of every thing, put together from wherever they are named."""
    found: list[_Found] = []
    for seen in (
        *_of_fields(resources),
        *_of_lists(parts, names),
        *_of_tables(parts, names),
        *_of_arrows(parts, names),
        *_of_prose(prose, names),
    ):
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
    if key_of(entry.resource) == key_of(seen.resource):
        return shared > 0 or not entry.states or not seen.states or bool(entry.named and entry.named == seen.field)
    return shared >= 2 and shared * 2 >= min(len(entry.states), len(seen.states))


def thing_for(names: Names, said: str, path: Sequence[str]) -> str:
    """Return what states are about: what is said right there, or a thing that the nearest heading names."""
    known = names.within(said)
    if known:
        return known[-1]
    if said and not _WHOLE.fullmatch(said):
        return said
    for heading in reversed(path):
        known = names.within(heading)
        if known:
            return known[-1]
    return said


def _of_fields(resources: Sequence[Resource]) -> Iterator[Seen]:
    for resource in resources:
        for one in resource.fields:
            if one.shape.enum and _FIELD.match(one.name):
                at = one.source.at if one.source else ""
                yield Seen(resource.name, one.name, tuple(str(w) for w in one.shape.enum), (), at)


def _of_lists(parts: Sequence[Part], names: Names) -> Iterator[Seen]:
    """Short items under a heading such as `Order statuses`."""
    gathered: dict[int, list[tuple[str, Part]]] = {}
    for part in parts:
        heading = _HEADING.match(part.heading)
        if part.block.kind == "item" and part.block.level == 0 and heading and not foreign(part.path):
            name = term_of(part.block)[0] or part.block.text[: LONGEST_STATE * 2]
            gathered.setdefault(part.section, []).append((bare(name).strip("`'\"“”‘’"), part))
    for entries in gathered.values():
        states = [name for name, _ in entries]
        if (
            len(states) >= 2
            and all(0 < len(s) <= LONGEST_STATE and len(s.split()) <= 4 for s in states)
            and not any("→" in s or "->" in s for s in states)
        ):
            first = entries[0][1]
            found = _HEADING.match(first.heading)
            said = (found["thing"] or found["other"] or "").strip() if found else ""
            yield Seen(
                thing_for(names, said, first.path[:-1]),
                "status" if "status" in first.heading.lower() else "",
                tuple(states),
                (),
                first.block.at,
            )


def _of_tables(parts: Sequence[Part], names: Names) -> Iterator[Seen]:
    """Tables with a column of states, or with columns `from` and `to`."""
    for part in parts:
        block = part.block
        if block.kind != "table" or not block.headed or len(block.rows) < 2 or foreign(part.path):
            continue
        header = [squeezed(c).strip("*` ") for c in block.rows[0]]
        to = next((n for n, h in enumerate(header) if n and _TO.match(h)), -1)
        column = _COLUMN.match(header[0]) or (_FROM.match(header[0]) if to > 0 else None)
        if not column:
            continue
        rows = [(_state(row[0]), listed(row[to]) if to > 0 else ()) for row in block.rows[1 : MOST_STATES + 1]]
        if any(len(s) > LONGEST_STATE or len(s.split()) > 4 for s, _ in rows):
            continue
        moves = [(a, b) for a, targets in rows for b in targets if a.lower() not in _EMPTY and b.lower() not in _EMPTY]
        said = (column.groupdict().get("thing") or "").strip()
        heading = _HEADING.match(part.heading)
        said = said or ((heading["thing"] or heading["other"] or "").strip() if heading else "")
        resource = thing_for(names, said, part.path)
        yield Seen(
            resource,
            "status" if "status" in header[0].lower() else "",
            tuple(s for s, _ in rows if s.lower() not in _EMPTY),
            tuple(moves),
            block.at,
        )


def _state(cell: str) -> str:
    return bare(squeezed(cell)).strip("`'\"“”‘’*")


def _of_arrows(parts: Sequence[Part], names: Names) -> Iterator[Seen]:
    """`Draft -> Submitted -> Approved`, in code or in prose, where it is about states or a flow."""
    last = ""
    for part in parts:
        block = part.block
        if block.kind in ("code", "paragraph", "item") and not foreign(part.path):
            context = " ".join((*part.path[-2:], last, block.text[:300] if block.kind != "code" else block.text[:40]))
            if _FLOW.search(context) and any(mark in block.text for mark in ("->", "→", "=>", "➔", "➜", "⟶", "⇒")):
                yield from _chains(part, last, names)
        last = squeezed(block.text[-300:]) if block.kind in ("paragraph", "item") else ""


def _chains(part: Part, last: str, names: Names) -> Iterator[Seen]:
    block = part.block
    text = block.text if block.kind == "code" else re.sub(r"^[^:→]{1,80}:\s", "", block.text.replace("\x0b", "\n"))
    every: dict[str, None] = {}
    moves: dict[tuple[str, str], None] = {}
    first = -1
    for number, named, drawn in chains(text):
        first = number if first < 0 else first
        every.update(dict.fromkeys(named))
        moves.update(dict.fromkeys(drawn))
    if len(every) >= 2 and moves:
        at = lines_at(block.line + first, block.line + first) if block.line else block.at
        said = next((f["thing"] or f["other"] or "" for f in [_HEADING.match(part.heading)] if f), "")
        lead = names.within(block.text[:80].split(":")[0]) if block.kind != "code" else ()
        resource = lead[-1] if lead else thing_for(names, said, part.path) or next(iter(names.within(last)), "")
        yield Seen(resource or _flow_name(part.path), "", tuple(every)[:MOST_STATES], tuple(moves), at)


def _flow_name(path: Sequence[str]) -> str:
    """The nearest heading that says more than that there is a flow."""
    return next((h for h in reversed(path) if _ONLY_FLOW.sub("", h).strip(" -–&:")), path[-1] if path else "")


def _of_prose(prose: Sequence[Sentence], names: Names) -> Iterator[Seen]:
    """Find sentences that list statuses, and those that state a move from one to another."""
    for one in prose:
        if foreign(one.part.path):
            continue
        subject, named = listed_states(one.text, one.part.block.marks)
        if named:
            yield Seen(thing_for(names, subject, one.part.path), "status", named, (), one.at)
            continue
        for subject, move in stated_moves(one.text, one.part.block.marks):
            column = "status" if "status" in one.text.lower() else ""
            yield Seen(thing_for(names, subject, one.part.path), column, move, (move,), one.at)


# States in a sentence.


_QUOTES = "`'\"“”‘’«»„"
_STATUS = r"(?:status(?:es)?|states?|stage|statut|estado|stato|状态|状態|ステータス)"
_LISTED = re.compile(
    rf"(?:\b(?P<thing>[A-Za-z][\w -]{{1,40}}?)\s)?\b{_STATUS}(?: (?:values?|options?|field))?(?: of (?:the |an? |"
    rf"each )?(?P<of>[\w -]{{2,30}}?))?\s?(?P<how>[:：=]|\(|\bare\b|\bincludes?\b|\bcan be\b|\bmay be\b|\bmust be\b|"
    rf"\bis\b|\bmust have\b|\bis one of\b|"
    rf"\bsuch as\b)\s?(?:either |one of |in one of |the following[: ]|e\.g\.,? |for example |: )*(?P<list>[^.;()]{{3,200}})",
    re.IGNORECASE,
)
_FROM_TO = re.compile(
    rf"\b(?:moves?|moved|changes?|changed|transitions?|goes|go|switch(?:es)?|progress(?:es)?|advances?|returns?|"
    rf"updated|reverts?)\s(?:[\w ]{{0,30}}\s)?from (?P<a>[\w'’ /-]{{2,40}}?|[{_QUOTES}][^{_QUOTES}]{{1,40}}[{_QUOTES}])"
    rf"(?: (?:status|state))?,? to (?P<b>[{_QUOTES}][^{_QUOTES}]{{1,40}}[{_QUOTES}]|"
    rf"[\w'’/-]{{2,30}}(?: [A-Z][\w'’/-]{{1,20}}){{0,2}})"
)
_SPLIT = re.compile(r"\s?[,;|/、，\n]\s?|\s(?:or|and|oder|und|ou|et|o|y|e|of|en)\s|\s?[→]\s?|\s?->\s?")
_BEFORE = re.compile(
    r"\b(?:the|an?|each|every|its|their|current|any|all|valid|possible|allowed|following|have|has|with|supported|"
    r"clear|visual|indicators|for|status(?:es)?|states?|of)\b\s*",
    re.IGNORECASE,
)


def listed(text: str) -> tuple[str, ...]:
    """The names in a list, `Draft, Submitted or "In review"`."""
    parts = [squeezed(p).strip(_QUOTES + " .:()[]*").strip() for p in _SPLIT.split(text)]
    parts = [re.sub(r"^(?:or|and|either|e\.g\.,?|etc)\s+", "", p) for p in parts]
    return tuple(dict.fromkeys(p for p in parts if p and p.lower() not in ("etc", "or", "and", "e.g")))


def listed_states(text: str, marks: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Return what a sentence says the statuses of, and the statuses: `the status of a claim can be Open, Paid or Refused`."""
    for found in _LISTED.finditer(text):
        names = listed(found["list"].split(") ")[0])
        if len(names) >= 2 and _are_states(names, text, marks, found["how"] in ":：=("):
            return _subject(found["of"] or found["thing"] or ""), names
    return "", ()


def stated_moves(text: str, marks: Sequence[str]) -> Iterator[tuple[str, tuple[str, str]]]:
    """Find what a sentence says to move, from which status to which: `a claim moves from "Draft" to "In Review"`."""
    for found in _FROM_TO.finditer(text):
        move = (squeezed(found["a"]).strip(_QUOTES + " "), squeezed(found["b"]).strip(_QUOTES + " "))
        if _are_states(move, text, marks, free=False):
            yield _subject(text[: found.start()]), move


def _are_states(names: Sequence[str], text: str, marks: Sequence[str], free: bool) -> bool:
    """Tell whether words are names of states: short, and capital, quoted or set off, unless a colon introduces them."""
    if any(len(n) > 40 or len(n.split()) > 3 or not n[:1].isalpha() for n in names):
        return False
    quoted = [any(f"{q}{n}" in text for q in _QUOTES) for n in names]
    return free or all(
        n[0].isupper() or n in marks or q or ord(n[0]) > 0x2E80 for n, q in zip(names, quoted, strict=True)
    )


def _subject(text: str) -> str:
    """The last words of what stands before, without articles."""
    words = squeezed(_BEFORE.sub("", text)).split()
    return " ".join(w.strip(",.;:()'’\"") for w in words[-3:]).strip()
