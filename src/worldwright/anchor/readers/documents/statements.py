"""Where claims stand in a document: in sentences, items that finish a sentence, requirements with an id, rows of tables."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import islice, takewhile

from worldwright.anchor.claims.about import about_of, heading_about, introduces
from worldwright.anchor.claims.kinds import is_function, is_right, is_role, kind_of, listed_words
from worldwright.anchor.claims.sentences import BREAK, LONGEST
from worldwright.anchor.evidence import Claim, Source
from worldwright.anchor.readers.documents.blocks import bare, squeezed
from worldwright.anchor.readers.documents.outline import CODE, CODED, MOST, Part, Sentence, sentences
from worldwright.anchor.readers.documents.resources import header_of
from worldwright.anchor.readers.documents.states import state_columns
from worldwright.english.languages import language_of_sentence


def _form(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)


MOST_CLAIMS = 3_000
_TAG = _form(r"[(\[{]\s?(?:required|mandatory|must|shall|recommended|should|optional|may|could)\s?[)\]}][.:]?\s*$")
_ID = re.compile(rf"[\[(]?{CODE}[\])]?\s*(?:[:.\-–—)|]\s+|(?<=[\])/])\s*)")
_BLANK = re.compile(r"\[[^\[\]]{2,200}\]\.?\Z|.{0,60}(?:\{\{|<[A-Z][\w ]{2,40}>)")
"""A template that nobody has filled in."""
_OPEN_END = _form(
    r"\b(must|shall|should|will|may|can|must not|shall not|may not|cannot|should not|may only|can only|required to|"
    r"allowed to|able to|has to|have to|needs? to)\s*:\s*$"
)
_RULING = _form(
    r"\b(?:rules?|polic(?:y|ies)|constraints?|restrictions?|eligibility|validations?|prerequisites?|preconditions?|"
    r"limits?|logic|requirements?|acceptance criteria|criteria|conditions?|calculations?|permissions?|entitlements?|"
    r"exceptions?|invariants?|assumptions|sla|service levels?|approvals?|fees|pricing|penalt(?:y|ies)|refunds?|"
    r"cancellations?)\b"
)
"""Headings under which an item is a claim, whatever words it uses."""
_STATUS = re.compile(r"4\d\d\b(?:\s(?:[A-Z][a-z]+ ?){1,3}(?=[:–—-]))?\s?[:–—-]\s*(?=\S+\s\S)")
"""`409: the dock is full`"""
_SHORT_ITEM = 14
"""Words of an item that only completes a sentence."""


def document_claims(parts: Sequence[Part], language: str, file: str) -> tuple[Claim, ...]:
    """Find the claims of a document in order, code left aside. Prose is read in English; tables and ids in any language."""
    listing = _lists_of_functions(parts)
    found = (_claim(_among(one, listing), language, file) for one in islice(_statements(parts), MOST))
    return tuple(islice((c for c in found if c is not None), MOST_CLAIMS))


def _lists_of_functions(parts: Sequence[Part]) -> frozenset[int]:
    """The sections with a list in which an item names a function or what something can be: its other items do so too."""
    items = [p for p in parts if p.block.kind == "item" and not p.block.linked and not _ID.match(p.block.text)]
    return frozenset(p.section for p in items if is_function(t := squeezed(p.block.text)) or listed_words(t))


def _among(one: Sentence, listing: Collection[int]) -> Sentence:
    block = one.part.block
    brief = block.kind == "item" and not block.linked and len(one.text.split()) >= 2 and one.text[-1:] not in ".:：?"
    also = brief and one.part.section in listing and not one.firm and not one.kind and not introduces(one.part.path)
    return replace(one, kind=kind_of(one.text) or "does") if also and not is_right(one.text) else one


def _claim(one: Sentence, language: str, file: str) -> Claim | None:
    text, path = one.text, one.part.path
    kind = one.kind
    if not kind and (len(text.split()) < 2 or _BLANK.match(text)):
        return None
    if not kind and (language_of_sentence(text, language) == "en" or one.firm):
        kind = kind_of(text, not introduces(path) or one.firm)
        if one.part.block.kind == "item" and is_right(text):
            kind = "permission"
        elif not kind and (one.firm or one.part.block.kind == "item") and is_function(text):
            kind = "does"
        kind = kind or ("must" if one.firm and text[-1:] not in ":：?" else "")
    if text.endswith((":", "：")) and kind in ("does", "when", "may") and not one.kind:
        return None
    return Claim(text, kind, Source(file, one.at), one.part.heading, *about_of(text, path)) if kind else None


def _statements(parts: Sequence[Part]) -> Iterator[Sentence]:
    taken: set[int] = set()
    for number, part in enumerate(parts):
        block = part.block
        if number in taken:
            continue
        if block.kind == "table":
            yield from _of_table(part)
        elif block.kind in ("paragraph", "item"):
            found = list(sentences((part,)))
            items = _items_after(parts, number) if found and found[-1].text.endswith((":", "：")) else []
            yield from _of_block(found[:-1] if items else found, part)
            if items:
                yield from _led(found[-1], [parts[i] for i in items])
                taken.update(items)


def _of_block(found: Sequence[Sentence], part: Part) -> Iterator[Sentence]:
    """The sentences of a paragraph or an item."""
    block = part.block
    listed = block.kind == "item" and not block.linked
    tagged = any(_TAG.search(s.text) for s in found)
    for number, one in enumerate(found):
        text, firm = _without_id(one.text, block.lead) if one.start else (one.text, False)
        status = _STATUS.match(text) if listed else None
        text = text[status.end() :] if status else text
        ruled = listed and len(text.split()) > 2 and _ruled(part.path)
        kind = "error" if status else ""
        yield replace(one, text=text, kind=kind, firm=firm or ruled or (tagged and not number))


def _ruled(path: Sequence[str]) -> bool:
    """Tell whether an item under these headings is a claim whatever it says."""
    return any(_RULING.search(name) for name in (path[1:] or path)[-2:])


def _without_id(text: str, lead: str = "") -> tuple[str, bool]:
    """A requirement without its id, and whether it had one."""
    if lead and CODED.match(lead.strip(":. ")) and text.startswith(lead) and len(text) > len(lead) + 3:
        return bare(text[len(lead) :].lstrip(":.-–— ")), True
    found = _ID.match(text)
    return (bare(text[found.end() :]), True) if found and len(text) > found.end() else (text, False)


def _items_after(parts: Sequence[Part], number: int) -> list[int]:
    """The items that follow a sentence with a colon: those one level below it."""
    above = parts[number].block
    items = list(takewhile(lambda n: parts[n].block.kind == "item", range(number + 1, min(len(parts), number + 60))))
    level = above.level + 1 if above.kind == "item" else parts[items[0]].block.level if items else 0
    inside = takewhile(lambda n: parts[n].block.level >= level, items)
    return [n for n in inside if parts[n].block.level == level]


def _led(lead: Sentence, items: Sequence[Part]) -> Iterator[Sentence]:
    """A sentence that ends in a colon with its items: each one finishes it, all of them do, or it only announces them."""
    if _OPEN_END.search(lead.text):
        yield from (one for part in items for one in _finished(lead.text, part))
        return
    texts = [squeezed(p.block.text) for p in items]
    kind = kind_of(lead.text)
    coded = any(CODED.match(p.block.lead.strip(":. ")) or _ID.match(t) for p, t in zip(items, texts, strict=True))
    short = not coded and all(len(t.split()) <= _SHORT_ITEM and not _TAG.search(t) and not _whole(t) for t in texts)
    together = f"{lead.text} {'; '.join(bare(t).rstrip(';,') for t in texts)}"
    if kind and short and len(together) <= LONGEST:
        first, last = lead.at.split("-")[0], items[-1].block.at.split("-")[-1]
        yield replace(lead, text=together, at=f"{first}-{last}" if items[-1].block.line else lead.at, kind=kind)
        return
    found = (one for p in items for one in _of_block(list(sentences((p,))), p))
    yield from (replace(one, firm=one.firm or bool(kind) or coded) for one in found)


def _whole(text: str) -> bool:
    """Tell whether an item is a sentence that stands for itself."""
    return text[-1:] == "." and not text.startswith("Whether") and bool(kind_of(text) or len(text.split()) > 6)


def _finished(lead: str, part: Part) -> Iterator[Sentence]:
    """An item that finishes the sentence before it; what else it says stands for itself."""
    found = list(sentences((part,)))
    yield from (replace(s, text=f"{lead} {s.text}") for s in found[:1])
    yield from _of_block([replace(s, start=False) for s in found[1:]], part)


# Tables: each row of some is a claim; in others, sentences in the cells are.


def _of_table(part: Part) -> Iterator[Sentence]:
    block, header = part.block, part.block.header
    rows, columns = block.rows[1 if header else 0 :], header_of(block)
    wanted = _requirement_column(header, rows)
    kind = "state" if state_columns(block) is not None else _row_kind(part.path, header, rows)
    if kind and wanted < 0 and not columns:
        for row, at in zip(rows, block.places[len(block.rows) - len(rows) :], strict=True):
            text = _row_text(header, row)
            if len(text) <= LONGEST and sum(bool(c.strip()) for c in row) > 1:
                own = kind_of(text) if kind in ("when", "must", "default") else ""
                yield Sentence(text, at, part, kind=own or kind)
        return
    named = columns.get("name", -1)
    for one in sentences((part,)):
        text, firm = _without_id(one.text) if one.start else (one.text, False)
        if one.column == wanted and one.start:
            yield replace(one, text=text, firm=True)
        elif named >= 0 and one.column != named and kind_of(text):
            yield replace(one, text=f"{squeezed(block.rows[one.row][named])}: {text}")
        elif named < 0:
            yield replace(one, text=text, firm=firm and wanted < 0)


_ID_CELL = re.compile(rf"(?:[A-Za-z]{{1,8}}[-_.])?{CODE}\Z|\d{{1,3}}(?:\.\d{{1,3}}){{0,3}}\Z")
_REQUIREMENT = _form(
    r"\b(?:requirements?|business rules?|rules?|polic(?:y|ies)|constraints?|acceptance criteria|criteria|statement|"
    r"validations?)\b"
)
_TEXT_COLUMN = _form(r"\b(?:description|details?|text|specification)\b")
_NUMBERING = _form(r"\bids?\b|\bno\b|#|type|name")
_FIGURED = _form(
    r"\d[\d.,]*\s?(?:%|days?|hours?|minutes?|weeks?|months?|years?|points?|x\b)|[$€£]\s?\d|\b(?:USD|EUR|GBP)\b"
)
_ROWS: tuple[tuple[str, re.Pattern[str], re.Pattern[str]], ...] = tuple(
    (kind, _form(first), _form(other))
    for kind, first, other in (
        ("default", r"\b(?:settings?|configuration|polic(?:y|ies)|limits?|rules?|constraints?|thresholds?)\b", ""),
        (
            "permission",
            r"\b(?:roles?|actors?|personas?|users?|who)\b",
            r"\b(?:permissions?|responsibilit\w+|access|can|capabilit\w+|rights|may|allowed|actions?|duties|tasks|"
            r"privileges)\b",
        ),
        (
            "error",
            r"\b(?:errors?|exceptions?|failures?|status|code|http)\b(?: code)?\Z|\b(?:error|status) codes?\b",
            r"\b(?:meaning|cause|when|reason|message|description|handling|condition|response|returned)\b",
        ),
        (
            "when",
            "",
            r"\b(?:then|actions?|approv\w+|outcome|results?|decision|consequence|effect|multiplier|rates?|fees?|price|"
            r"charges?|limits?|cap|max\w*|min\w*|threshold|allowed|penalt\w+|discounts?|sla|response|resolution|deadline|"
            r"due|entitle\w+|points?|score|refunds?|percent\w*|%|days?|hours?|needs?|required|escalat\w+|authority|"
            r"sign[- ]?off|behaviou?r|output|copay|coverage)\b",
        ),
    )
)
"""What the rows of a table claim, by the heads of its first column and of another."""


def _row_text(header: Sequence[str], row: Sequence[str]) -> str:
    """A row as one line: each cell with the head of its column."""
    cells = [squeezed(c.replace(BREAK, "; ").replace("•", "")).strip("; ") for c in row]
    if not header:
        return " | ".join(c for c in cells if c)
    return "; ".join(f"{head}: {cell}" if head else cell for head, cell in zip(header, cells, strict=True) if cell)


def _row_kind(path: Sequence[str], header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """What each row of a table claims; nothing where its rows are no claims."""
    if len(header) < 2 or not rows:
        return ""
    first, rest = header[0], header[1:]
    if sum(is_role(h.split()[-1]) for h in rest if h) >= max(2, len(rest) - 1):
        return "permission"
    if heading_about(tuple(path))[0] == "process":
        return ""
    for kind, head, other in _ROWS:
        if head.search(first) and any(other.search(h) for h in rest):
            return kind
    figured = sum(any(_FIGURED.search(c) for c in row[1:]) for row in rows) * 2 > len(rows)
    return "when" if figured else "must" if path and _RULING.search(path[-1]) else ""


def _requirement_column(header: Sequence[str], rows: Sequence[Sequence[str]]) -> int:
    """The column of a table that holds requirements; -1 where it is no such table."""
    named = [n for n, h in enumerate(header) if _REQUIREMENT.search(h) and not _NUMBERING.search(h)]
    sizes = {n: sum(len(r[n].split()) for r in rows) / max(1, len(rows)) for n in named}
    if named and max(sizes.values()) >= 4:
        return max(named, key=lambda n: (sizes[n], -n))
    coded = bool(rows) and sum(bool(_ID_CELL.match(squeezed(r[0]))) for r in rows) * 2 > len(rows)
    if not coded or not any(squeezed(r[0])[:1].isalpha() for r in rows):
        return -1
    return next((n for n, h in enumerate(header) if _TEXT_COLUMN.search(h)), -1)
