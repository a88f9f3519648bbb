"""The roles that a document names, and what it says of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from worldwright.anchor.evidence import Person, Source
from worldwright.anchor.readers.documents.blocks import bare, squeezed
from worldwright.anchor.readers.documents.outline import Part, foreign
from worldwright.anchor.readers.documents.resources import GLOSSARY
from worldwright.anchor.readers.documents.terms import of_cell, term_of
from worldwright.anchor.readers.documents.words import is_role, key_of
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
_NOTED = re.compile(r"(\S[^()]{0,50}?)\s*\((\S[^()]{0,50})\)\Z")
"""`Warehouse clerk (internal)`, `Ann (Store manager)`"""
_PREFIX = re.compile(
    r"(?:persona|role|actor|user|acteur|akteur|rolle|rôle)(?: (?:type )?\d{1,2}| type)?\s?[:–—-]\s+", re.IGNORECASE
)
_TICKS = wordset("✓ ✔ ✔️ ✅ x yes no ✗ ✘ ❌ - – — y n r w rw crud full none read write own all view edit ● ○") | {""}


@dataclass(slots=True)
class _Found:
    """A role that is being gathered."""

    name: str
    source: Source
    says: list[str] = field(default_factory=list)


def people(parts: Sequence[Part], file: str) -> tuple[Person, ...]:
    """Every role that a list, a table, a heading or a glossary names, in order."""
    found: dict[tuple[str, ...], _Found] = {}
    for name, says, at in _listed(parts):
        clean = _clean(name)
        key = key_of(clean) or ((clean,) if clean else ())
        if not key or len(key) > 6 or len(clean) > 60 or len(found) >= MOST_PEOPLE:
            continue
        entry = found.setdefault(key, _Found(clean, Source(file, at)))
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
