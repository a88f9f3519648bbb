"""The roles that a document names, and what it says of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from worldwright.anchor.evidence import Person, Source
from worldwright.anchor.readers.documents.blocks import bare, squeezed
from worldwright.anchor.readers.documents.outline import Part, foreign
from worldwright.anchor.readers.documents.resources import GLOSSARY
from worldwright.anchor.readers.documents.sentences import Spoken
from worldwright.anchor.readers.documents.terms import of_cell, term_of
from worldwright.anchor.readers.documents.words import DETERMINERS, STOP, best_form, is_role, key_of
from worldwright.english.nouns import singular
from worldwright.english.words import wordset

MOST_PEOPLE = 100
LONGEST_SAYING = 600
_HEADING = re.compile(
    r"\b(?:user (?:characteristics|classes|profiles)|(?:user|stakeholder|business|system|project)? ?roles?|actors?|"
    r"personas?|stakeholders?|user (?:types?|"
    r"groups?|classes)|target (?:users?|audience)|users|"
    r"participants|responsibilities|rollen|akteure|benutzer|rôles|acteurs|utilisateurs|usuarios|actores|usuários|"
    r"atores|ruoli|attori|utenti|gebruikers)\b|角色|用户|参与者|ロール|役割|利用者|アクター",
    re.IGNORECASE,
)
_NOT_PEOPLE = re.compile(
    r"\b(?:stor(?:y|ies)|management|interface|experience|journey|flows?|guide|manual|requirements?|research|"
    r"acceptance|authentication|feedback|features?|interviews?|testing|"
    r"access control|based|accounts?|registration|data|settings)\b",
    re.IGNORECASE,
)
_COLUMN = re.compile(
    r"(?:user |stakeholder |system |business )?(?:roles?|actors?|personas?|stakeholders?|user types?|user groups?|"
    r"rolle|akteur|rôle|acteur|rol|papel|ruolo|角色|役割|ロール|アクター)(?: name)?\Z",
    re.IGNORECASE,
)
_STORY = re.compile(
    r"\bas (?:an?|the) ([^,.;:]{2,60}?),? i (?:want|need|would|can|should|must|wish|am|have|expect)\b", re.IGNORECASE
)
_LISTED = re.compile(
    r"\(([^()]{3,120}?) (?:user )?roles\)|\b(?:user )?roles?(?: are| include|:| such as)[: ]([^.;()]{3,160})",
    re.IGNORECASE,
)
_ACTOR = re.compile(
    r"(?:(?:primary|secondary|main|supporting) )?(?:actors?|user role|performed by)\s?:\s(.{2,120})\Z", re.IGNORECASE
)
_SOMEBODY = re.compile(
    r"(?:an?|any|the) (?:\w+ ){0,2}(?:person|individual|people|someone|employee|user|staff member|"
    r"member of staff)\b|someone\b|anyone\b|whoever\b",
    re.IGNORECASE,
)
_LABELS = wordset(
    "description characteristics responsibilities goals needs importance background age name role notes "
    "permissions demographics motivation "
    "motivations frustrations skills example examples tasks access rights pain-points frequency type summary technical-skills"
) | {"frequency of use", "pain points", "technical skills", "key responsibilities", "access level", "primary goals"}
_MODAL = wordset("must shall should may can cannot will")
_ACTS = wordset(
    "submits approves rejects reviews requests creates cancels pays receives initiates selects enters confirms "
    "verifies assigns closes sends checks accepts uploads registers signs chooses books orders applies logs"
)
_OFTEN = 5
_VAGUE = wordset(
    "party individual person company organization organisation department bank team provider authority member "
    "people partner head board user peer recipient"
)
_DECIDES = re.compile(
    r"\b(?:approved|signed|reviewed|rejected|confirmed|verified|authori[sz]ed|granted|inspected|checked|approval|"
    r"authori[sz]ation|consent|"
    r"permission|sign-off) (?:by|from|of) (?:the|an?|their|his|her) ((?:[\w-]{2,30} ){0,2}[\w-]{2,30})",
    re.IGNORECASE,
)
_NOTED = re.compile(r"(\S[^()]{0,50}?)\s*\((\S[^()]{0,50})\)\Z")
"""`Warehouse clerk (internal)`, `Ann (Store manager)`"""
_PREFIX = re.compile(
    r"(?:persona|role|actor|user|acteur|akteur|rolle|rôle)(?: (?:type )?\d{1,2}| type)?\s?[:–—-]\s+", re.IGNORECASE
)
_TICKS = frozenset(
    (
        "✓",
        "✔",
        "✔️",
        "✅",
        "x",
        "yes",
        "no",
        "✗",
        "✘",
        "❌",
        "-",
        "–",
        "—",
        "",
        "y",
        "n",
        "r",
        "w",
        "rw",
        "crud",
        "full",
        "none",
        "read",
        "write",
        "own",
        "all",
        "view",
        "edit",
        "●",
        "○",
    )
)


@dataclass(slots=True)
class _Found:
    """A role that is being gathered."""

    name: str
    source: Source
    says: list[str] = field(default_factory=list)


def people(parts: Sequence[Part], prose: Sequence[Spoken], file: str) -> tuple[Person, ...]:
    """Every role, in the order of what names it most surely: lists and tables, stories, then sentences."""
    found: dict[tuple[str, ...], _Found] = {}
    sure = [(*entry, True) for entry in _listed(parts)]
    for name, says, at, listed in (
        *sure,
        *((*e, False) for e in (*_told(prose), *_deciding(prose), *_acting(prose), *_recurring(prose))),
    ):
        clean = _clean(name)
        key = key_of(clean) or ((clean,) if clean else ())
        if not key or len(key) > 6 or len(clean) > 60 or len(found) >= MOST_PEOPLE:
            continue
        same = [k for k in found if k[-1:] == key] if len(key) == 1 and key not in found and not listed else []
        entry = found[same[0]] if len(same) == 1 else found.setdefault(key, _Found(clean, Source(file, at)))
        if says and says not in entry.says and sum(map(len, entry.says)) + len(says) <= LONGEST_SAYING:
            entry.says.append(says)
    return tuple(Person(f.name, _joined(f.says), f.source) for f in found.values())


def _joined(says: Sequence[str]) -> str:
    out = ""
    for one in says:
        out += f"{' ' if out[-1:] in '.!?' else '; '}{one}" if out else one
    return out


def _clean(name: str) -> str:
    name = _PREFIX.sub("", bare(name), count=1).strip("\"'“”‘’:*` ")
    noted = _NOTED.match(name)
    if noted:
        inner = is_role(noted[2].split()[-1]) and not is_role(noted[1].split()[-1])
        name = noted[2] if inner else noted[1]
    words = name.split()
    while words and words[0].lower() in ("the", "a", "an", "any", "each", "every", "all"):
        words = words[1:]
    return " ".join(words)


def _listed(parts: Sequence[Part]) -> Iterator[tuple[str, str, str]]:
    """Roles in tables, and in the lists and headings under a heading that promises them."""
    for number, part in enumerate(parts):
        block = part.block
        if foreign(part.path):
            continue
        if block.kind == "table" and block.headed:
            yield from _of_table(part)
        elif block.kind in ("table", "terms") and _promised(part.path):
            yield from (
                (squeezed(row[0]), squeezed(row[1]), at) for row, at in zip(block.rows, block.places, strict=True)
            )
        elif (
            block.kind == "heading"
            and _promised(part.path[:-1])
            and len(part.heading.split()) <= 6
            and not _promised(part.path[-1:])
        ):
            follows = next(
                (
                    squeezed(p.block.text)
                    for p in parts[number + 1 : number + 3]
                    if p.block.kind in ("paragraph", "item") and p.section == part.section
                ),
                "",
            )
            yield part.heading, follows[:LONGEST_SAYING], block.at
        elif block.kind == "item" and block.level == 0 and _promised(part.path[-1:]):
            name, says = term_of(block)
            if name and name.lower() not in _LABELS:
                yield name, says, block.at
        elif block.kind in ("item", "paragraph", "terms", "table") and any(GLOSSARY.search(h) for h in part.path[-2:]):
            yield from _defined(part)


def _defined(part: Part) -> Iterator[tuple[str, str, str]]:
    """Terms of a glossary that name somebody."""
    block = part.block
    if block.kind in ("terms", "table"):
        terms = [
            (squeezed(r[0]), of_cell(r[1]), at) for r, at in zip(block.rows, block.places, strict=True) if len(r) > 1
        ]
    else:
        terms = [(*term_of(block), block.at)]
    for name, says, at in terms:
        if name and says and len(name.split()) <= 4 and (is_role(name.split()[-1]) or _SOMEBODY.match(says)):
            yield name, says, at


def _promised(path: Sequence[str]) -> bool:
    return any(_HEADING.search(name) and not _NOT_PEOPLE.search(name) for name in path[-2:])


def _of_table(part: Part) -> Iterator[tuple[str, str, str]]:
    block = part.block
    header = [squeezed(c) for c in block.rows[0]]
    column = next((n for n, h in enumerate(header) if _COLUMN.match(h)), -1)
    body = list(zip(block.rows[1:], block.places[1:], strict=True))
    if column >= 0:
        for row, at in body:
            says = "; ".join(of_cell(c) for n, c in enumerate(row) if n != column and c.strip() and not _is_id(c))
            for name in re.split(
                r"\s?[,;\n\x0b]\s?|\s&\s|\sand\s", squeezed(row[column]) if len(row[column]) > 60 else row[column]
            ):
                if name.strip() and len(name.split()) <= 6:
                    yield name, says, at
    elif len(header) >= 3 and body and _ticked(body):
        for n, name in enumerate(header[1:], 1):
            if any(is_role(w) for w in name.split()):
                granted = [
                    squeezed(row[0])
                    for row, _ in body
                    if row[n].strip().lower() not in ("", "-", "–", "—", "no", "n", "✗", "✘", "❌", "none", "x")
                ]
                yield name, ", ".join(granted)[:LONGEST_SAYING], block.at


def _ticked(body: Sequence[tuple[tuple[str, ...], str]]) -> bool:
    """Whether the cells of a table only say yes or no."""
    cells = [c.strip().lower() for row, _ in body for c in row[1:]]
    return sum(c in _TICKS for c in cells) >= 0.8 * len(cells)


def _is_id(cell: str) -> bool:
    return len(cell.strip()) <= 6 and any(ch.isdigit() for ch in cell)


def _told(prose: Sequence[Spoken]) -> Iterator[tuple[str, str, str]]:
    """Roles in user stories, and where a sentence lists them."""
    for one in prose:
        if foreign(one.part.path):
            continue
        actor = _ACTOR.match(one.text)
        if actor:
            yield from ((n, "", one.at) for n in re.split(r",|;|/|\band\b", actor[1]) if 0 < len(n.split()) <= 4)
        story = _STORY.search(one.text)
        if story:
            yield story[1], one.text if len(one.text) <= 300 else "", one.at
        for found in _LISTED.finditer(one.text):
            names = [n.strip() for n in re.split(r",|/|\band\b|\bor\b|&", found[1] or found[2]) if n.strip()]
            if (
                2 <= len(names) <= 12
                and all(len(n.split()) <= 4 for n in names)
                and any(is_role(n.split()[-1]) for n in names)
            ):
                yield from ((n, "", one.at) for n in names if n[:1].isupper() or is_role(n.split()[-1]))


def _acting(prose: Sequence[Spoken]) -> Iterator[tuple[str, str, str]]:
    """Roles of which sentences say again and again that they must, may or do something."""
    seen: Counter[tuple[str, ...]] = Counter()
    first: dict[tuple[str, ...], tuple[str, str, str]] = {}
    for one in prose:
        words = one.words
        for number, word in enumerate(words):
            if (word.low in _MODAL or word.low in _ACTS) and number and not foreign(one.part.path):
                name = _subject([w.text for w in words[max(0, number - 5) : number]])
                key = key_of(name)
                if key and is_role(key[-1]):
                    seen[key] += 1
                    says = one.text if len(one.text) <= 300 else ""
                    first.setdefault(key, (name, says, one.at))
    yield from (first[key] for key in first if seen[key] >= 3 or (seen[key] == 2 and len(key) == 1))


def _deciding(prose: Sequence[Spoken]) -> Iterator[tuple[str, str, str]]:
    """Roles by whom something is approved, signed or checked: one time is enough."""
    for one in prose:
        for found in _DECIDES.finditer(one.text) if not foreign(one.part.path) else ():
            words = found[1].split()
            stop = next((n for n, w in enumerate(words) if w.lower() in STOP), len(words))
            last = max((n for n, w in enumerate(words[:stop]) if is_role(w)), default=-1)
            if last >= 0:
                yield " ".join(words[: last + 1]), one.text if len(one.text) <= 300 else "", one.at


def _recurring(prose: Sequence[Spoken]) -> Iterator[tuple[str, str, str]]:
    """Roles that many sentences speak of, whatever they do in them."""
    seen: Counter[tuple[str, ...]] = Counter()
    first: dict[tuple[str, ...], tuple[str, str, str]] = {}
    for one in prose:
        if foreign(one.part.path):
            continue
        words = [w.text for w in one.words]
        here: dict[tuple[str, ...], str] = {}
        for number, word in enumerate(words):
            after = words[number + 1].lower() if number + 1 < len(words) else "."
            if is_role(word) and singular(word) not in _VAGUE and (not after[0].isalpha() or after in STOP):
                here.setdefault((singular(word),), word)
        for key, name in here.items():
            seen[key] += 1
            first.setdefault(key, (name, one.text if len(one.text) <= 300 else "", one.at))
    written = Counter(w.text for one in prose for w in one.words)
    for key, (name, says, at) in first.items():
        if seen[key] >= _OFTEN:
            yield best_form(name, written), says, at


def _subject(before: Sequence[str]) -> str:
    """The noun phrase at the end of some words, without what stands before it."""
    out: list[str] = []
    for word in reversed(before):
        low = word.lower()
        if not word[0].isalpha() or low in STOP or low in DETERMINERS or len(out) == 3:
            break
        out.insert(0, word)
    if out and not is_role(out[-1]):
        return ""
    while len(out) > 1 and (out[0].lower().endswith(("ed", "ly")) or singular(out[0]) in ("if", "then")):
        out = out[1:]
    return " ".join(out)
