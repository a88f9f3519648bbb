"""What may be a rule: sentences, items that finish the sentence before them, requirements in tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from worldwright.anchor.readers.documents.blocks import bare, squeezed
from worldwright.anchor.readers.documents.outline import CODE, CODED, LONGEST, MOST, Part, Sentence, sentences
from worldwright.anchor.readers.documents.words import is_role
from worldwright.english.words import wordmap, wordset

_TAG = re.compile(
    r"[(\[{]\s?(required|mandatory|must|shall|recommended|should|optional|may|could)\s?[)\]}][.:]?\s*$", re.IGNORECASE
)
_TAGS = wordmap(
    "required=must mandatory=must must=must shall=must recommended=must should=must optional=may may=may could=may"
)
_ID = re.compile(rf"[\[(]?{CODE}[\])]?\s*(?:[:.\-–—)|]\s+|(?<=[\])/])\s*)")
_ID_CELL = re.compile(rf"(?:[A-Za-z]{{1,8}}[-_.])?{CODE}\Z|\d{{1,3}}(?:\.\d{{1,3}}){{0,3}}\Z")
_BLANK = re.compile(r"\[[^\[\]]{2,200}\]\.?\Z|.{0,60}(?:\{\{|<[A-Z][\w ]{2,40}>)")
"""A template that nobody has filled in."""
_OPEN_END = re.compile(
    r"\b(must|shall|should|will|may|can|must not|shall not|may not|cannot|should not|may only|can only|required to|"
    r"allowed to|able to|has to|have to|needs? to)\s*:\s*$",
    re.IGNORECASE,
)
_FOLLOWING = re.compile(r"\bfollowing\b|\bwhen:$|\bif:$", re.IGNORECASE)
_REQUIREMENT = re.compile(
    r"\b(?:requirements?|business rules?|rules?|polic(?:y|ies)|constraints?|acceptance criteria|criteria|statement)\b",
    re.IGNORECASE,
)
_DESCRIPTION = re.compile(
    r"\b(?:description|details?|text|specification)\b",
    re.IGNORECASE,
)
_PRIORITY = re.compile(r"priority|moscow|obligation|importance|level|mandatory", re.IGNORECASE)
_MOSCOW = {
    "must": "must",
    "must have": "must",
    "should": "must",
    "should have": "must",
    "could": "may",
    "could have": "may",
    "may": "may",
    "optional": "may",
    "mandatory": "must",
    "required": "must",
    "recommended": "must",
    "nice to have": "may",
}
_REFUSED = frozenset({"won't", "won't have", "wont", "would", "out of scope", "dropped", "rejected", "deferred"})
_SHORT_ITEM = 14
"""Words of an item that only completes a sentence."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence that may be a rule."""

    text: str
    at: str
    part: Part
    tagged: str = ""
    """What it demands by a tag, a column or its place, even where no word in it says so."""
    firm: bool = False
    """Its place says that it is a rule, whatever words it uses."""


def statements(parts: Sequence[Part]) -> Iterator[Statement]:
    """Everything that may be a rule, in order, up to a bound."""
    return islice(_statements(parts), MOST)


def _statements(parts: Sequence[Part]) -> Iterator[Statement]:
    taken: set[int] = set()
    for number, part in enumerate(parts):
        if number in taken:
            continue
        block = part.block
        if block.kind == "table":
            yield from _of_table(part)
        elif block.kind in ("paragraph", "item", "terms"):
            found = list(sentences((part,)))
            items = _items_after(parts, number) if found and found[-1].text.endswith((":", "：")) else []
            yield from _of_block(found[:-1] if items else found)
            if items:
                used, more = _led(found[-1], [parts[i] for i in items])
                yield from more
                taken |= set(items) if used else set()


def _of_block(found: Sequence[Sentence]) -> Iterator[Statement]:
    """The sentences of a paragraph or an item. A tag stands for the first of them where none says by itself what it demands."""
    tag = next((_TAGS[m[1].lower()] for s in found if (m := _TAG.search(s.text))), "")
    if tag and any(demand_of(s.text) for s in found):
        tag = ""
    for number, one in enumerate(found):
        text, firm = _without_id(one.text, one.part.block.lead) if one.start else (one.text, False)
        first = number == 0
        if _BLANK.match(text):
            continue
        yield Statement(text, one.at, one.part, tag if first else "", firm and first)


def _without_id(text: str, lead: str = "") -> tuple[str, bool]:
    """A requirement without its id, and whether it had one."""
    if lead and CODED.match(lead.strip(":. ")) and text.startswith(lead) and len(text) > len(lead) + 3:
        return bare(text[len(lead) :].lstrip(":.-–— ")), True
    found = _ID.match(text)
    return (bare(text[found.end() :]), True) if found and len(text) > found.end() else (text, False)


def _items_after(parts: Sequence[Part], number: int) -> list[int]:
    """The items that follow a sentence with a colon: those one level below it."""
    above = parts[number].block
    level = above.level + 1 if above.kind == "item" else None
    out: list[int] = []
    for position in range(number + 1, min(len(parts), number + 60)):
        block = parts[position].block
        if block.kind != "item" or (level is not None and block.level < level):
            break
        level = block.level if level is None else level
        if block.level == level:
            out.append(position)
    return out


def _led(lead: Sentence, items: Sequence[Part]) -> tuple[bool, list[Statement]]:
    """A sentence that ends in a colon with its items: each one finishes it, all of them do, or it only announces them."""
    if _OPEN_END.search(lead.text):
        return True, [one for part in items for one in _finished(lead.text, part)]
    texts = [squeezed(p.block.text) for p in items]
    coded = any(CODED.match(p.block.lead.strip(":. ")) or _ID.match(t) for p, t in zip(items, texts, strict=True))
    short = not coded and all(len(t.split()) <= _SHORT_ITEM and not _TAG.search(t) and t[-1:] != "." for t in texts)
    together = f"{lead.text} {'; '.join(bare(t).rstrip(';,') for t in texts)}"
    if short and len(together) <= LONGEST:
        first, last = lead.at.split("-")[0], items[-1].block.at.split("-")[-1]
        at = f"{first}-{last}" if items[-1].block.line else lead.at
        return False, [Statement(together, at, lead.part, _tag(lead.text))]
    demands = demand_of(lead.text)
    if demands in ("must", "must_not") and _FOLLOWING.search(lead.text):
        found = [(s, p) for p in items for s in _of_block(list(sentences((p,))))]
        return True, [replace(s, tagged=s.tagged or demands) if s.firm or p.block.ordered else s for s, p in found]
    return False, []


def _finished(lead: str, part: Part) -> Iterator[Statement]:
    """An item that finishes the sentence before it; what else it says stands for itself."""
    found = list(sentences((part,)))
    yield from (Statement(f"{lead} {s.text}", s.at, part, _tag(s.text)) for s in found[:1])
    yield from _of_block([replace(s, start=False) for s in found[1:]])


def _tag(text: str) -> str:
    found = _TAG.search(text)
    return _TAGS[found[1].lower()] if found else ""


def _of_table(part: Part) -> Iterator[Statement]:
    """The sentences in the cells of a table; in a table of requirements each one demands something."""
    block = part.block
    header = [squeezed(c) for c in block.rows[0]] if block.headed else []
    wanted = _requirement_column(header, block.rows[1:] if block.headed else block.rows)
    priority = next((n for n, h in enumerate(header) if _PRIORITY.search(h) and n != wanted), -1)
    for one in sentences((part,)):
        level = squeezed(block.rows[one.row][priority]).lower() if priority >= 0 else ""
        if level in _REFUSED:
            continue
        text, firm = _without_id(one.text) if one.start else (one.text, False)
        if one.column == wanted and one.start:
            yield Statement(text, one.at, part, _MOSCOW.get(level, "") or _tag(text), True)
        else:
            yield Statement(text, one.at, part, _tag(text), firm and wanted < 0)


def _requirement_column(header: Sequence[str], rows: Sequence[Sequence[str]]) -> int:
    """The column of a table that holds requirements; -1 where it is no such table."""
    named = [
        n
        for n, h in enumerate(header)
        if _REQUIREMENT.search(h) and not re.search(r"\bids?\b|\bno\b|#|type|name", h, re.IGNORECASE)
    ]
    if named:
        return max(named, key=lambda n: (sum(len(r[n]) for r in rows), -n))
    with_ids = bool(rows) and sum(bool(_ID_CELL.match(squeezed(r[0]))) for r in rows) * 2 > len(rows)
    coded = with_ids and any(squeezed(r[0])[:1].isalpha() for r in rows)
    if not coded:
        return -1
    return next((n for n, h in enumerate(header) if _DESCRIPTION.search(h)), -1)


# What an English sentence demands: must, must_not, may or only_if.


_ONLY = re.compile(
    r"\b(?:may|can|shall|must|should|will)(?: be)?(?: \w+)? only\b|\bonly (?:be )?(?:allowed|permitted|possible|available|valid|"
    r"accepted|editable|granted|issued|accessible|processed|approved|eligible|refundable)\b|\bonly (?:if|when|"
    r"after|once|where|by|for|with|upon)\b|"
    r"(?:^|[:,;] )only\b[^.;:]{1,100}?\b(?:can|may|must|shall|should|are|is|will|has|have)\b|\b(?:must|shall|may|"
    r"can)(?:not| not)\b[^.;]{1,150}\bunless\b|"
    r"\bexclusively by\b",
    re.IGNORECASE,
)
_NOT = re.compile(
    r"\b(?:must|shall|should|may|will)(?: also| then| therefore|, in general,)? (?:not|never)\b|\b(?:cannot|"
    r"can not|can't|mustn't|shouldn't|won't|can never|can no longer)\b|"
    r"(?:^|[:,;] )(?:no [\w'’ -]{1,50}?|nobody|no one|none of [\w'’ -]{1,50}?) (?:may|can|shall|must|should|"
    r"will)\b|\b(?:is|are|be) (?:strictly |explicitly )?(?:not|never|no longer) (?:be )?(?:allowed|permitted|"
    r"possible|"
    r"accepted|eligible|entitled|editable|accessible|refundable|transferable|available|valid|reimbursed|"
    r"reimbursable|covered|authori[sz]ed)\b|"
    r"\b(?:prohibited|forbidden|disallowed|not allowed|not permitted|ineligible|non-refundable|not to be)\b|\b(?:is|are) never\b",
    re.IGNORECASE,
)
_FREE = re.compile(
    r"\b(?:is|are) not (?:required|mandatory|necessary|needed|obliged)\b|\bneed not\b|\b(?:do|does) not (?:need|"
    r"have) to\b|\bat (?:its|their|his|her) discretion\b",
    re.IGNORECASE,
)
_MUST = re.compile(
    r"\b(?:must|shall)\b(?! (?:not|never))|\b(?:is|are|be|become|becomes)(?: also| always| still| therefore| then|"
    r" only)? (?:required|mandatory|compulsory|obligatory|obliged|obligated)\b|"
    r"\b(?:is|are) (?:capped|limited|restricted) (?:at|to)\b|\bmandatory\b|\b(?:is|are) to be\b|\bresponsible for ensuring\b",
    re.IGNORECASE,
)
_SHOULD = re.compile(
    r"\bshould\b(?! (?:not|never|there|it|they|the|a|an|any|this|that|allocation)\b)|\bought to\b|\b(?:has|"
    r"have) to\b|\bneeds? (?:to|an?|the|at|approval|prior|written)\b|"
    r"\brequires?\b",
    re.IGNORECASE,
)
_MAY = re.compile(
    r"\bmay\b(?! (?:not|never|\d|be (?:required|necessary|needed|different|a|an|the)|need|vary|differ|want|wish|"
    r"include|also include|have been|contain|result|cause|lead|"
    r"occur|happen|arise|exist|help|seem|appear|depend|attempt|already|or may)\b)|\b(?:is|are) (?:allowed|"
    r"permitted|entitled|authori[sz]ed|eligible) (?:to|for)\b|\bhas the right to\b",
    re.IGNORECASE,
)
_ANY = re.compile(
    r"\b(?:must|mustn't|shall|should|shouldn't|ought|may|can|can't|cannot|will|won't|only|no|nobody|none|never|"
    r"exclusively|prohibited|forbidden|disallowed|not|ineligible|non-refundable|required|requires?|mandatory|"
    r"compulsory|obligatory|obliged|obligated|capped|limited|restricted|needs?|has|have|is|are|be|allowed|"
    r"permitted|entitled|authori[sz]ed|eligible|discretion|responsible)\b",
    re.IGNORECASE,
)
"""A sentence without any of these demands nothing."""
_CAN = re.compile(
    r"\b(?:can|is able to|are able to)\b(?! (?:not|never|potentially|be (?:an?|in|either|different|seen|viewed as)\b))",
    re.IGNORECASE,
)
_DONE = re.compile(
    r"\bcan (?:also |then |only )?be (?:cancel\w+|refund\w+|return\w+|edited|changed|modified|submitted|"
    r"resubmitted|approved|rejected|reopened|extended|renewed|"
    r"transferred|suspended|withdrawn|redeemed|booked|rescheduled|amended|deleted|paid|claimed|assigned|reassigned|"
    r"closed|escalated|waived|revised)\b",
    re.IGNORECASE,
)
_WILL = re.compile(r"\bwill\b(?! (?:not|never|allow|help|be able|be visible|enable|depend|vary)\b)", re.IGNORECASE)
_SYSTEMS = wordset("system application platform portal app solution service software product tool website site")
_CLAUSE = re.compile(r"[,;:()–—]")
_WORD = re.compile(r"[\w'’-]+")
_JOINING = wordset("if when whenever where because since while unless until whether although though so how why what as")
_WEAKENED = [[w] for w in ("can", "may", "might", "could", "would", "to", "not")]
_ASKED = [[w] for w in ("who", "whom", "what", "how", "when", "where", "why")]
_MONTH = re.compile(r"(?<=\S )May\b|^May(?=,? \d)")

_ORDER: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("must_not", _NOT),
    ("may", _FREE),
    ("must", _MUST),
    ("must", _SHOULD),
    ("may", _MAY),
)
"""What is demanded, and by which words."""


def demand_of(text: str) -> str:
    """Return what a sentence demands, or nothing."""
    if not _ANY.search(text):
        return ""
    text = _MONTH.sub("   ", text)
    if _ONLY.search(text) and (_modal(text) or text.lower().startswith("only")):
        return "only_if"
    found = [(m.start(), demand) for demand, form in _ORDER for m in _counted(form, text)]
    if found:
        return min(found)[1]
    if any(_words_before(text, m.start())[-1:] not in (*_WEAKENED, *_ASKED) for m in _MUST.finditer(text)):
        return "must"
    return _softer(text)


def _modal(text: str) -> bool:
    return (
        any(form.search(text) for _, form in _ORDER)
        or bool(_CAN.search(text))
        or bool(re.search(r"\b(?:is|are|be|will)\b", text))
    )


def _counted(form: re.Pattern[str], text: str) -> list[re.Match[str]]:
    """Return where a form stands in a main clause, and no word before it weakens it: `can require` does not require."""
    out = []
    for found in form.finditer(text):
        before = _words_before(text, found.start())
        if not _subordinate(before, form in (_NOT, _MUST)) and before[-1:] not in _WEAKENED:
            out.append(found)
    return out


def _words_before(text: str, at: int) -> list[str]:
    """The words of the clause before a place."""
    lead = text[max(0, at - 200) : at]
    cut = [m.end() for m in _CLAUSE.finditer(lead)]
    return [w.lower() for w in _WORD.findall(lead[cut[-1] :] if cut else lead)]


def _subordinate(before: list[str], strong: bool = False) -> bool:
    """Tell whether a clause hangs on another one; a strong word is only taken for that close to what joins it."""
    if any(w in _JOINING for w in before):
        return True
    near = before[-5:] if strong else before
    return any(w in ("who", "whom", "whose") for w in before[-2:]) or any(w in ("that", "which") for w in near)


def _softer(text: str) -> str:
    """`can` and `will` where somebody, or the system, is who they are said of."""
    for found in _CAN.finditer(text):
        before = _words_before(text, found.start())
        if not _subordinate(before) and before and (is_role(before[-1]) or _DONE.match(text, found.start())):
            return "may"
    for found in _WILL.finditer(text):
        before = _words_before(text, found.start())
        if not _subordinate(before) and before and (is_role(before[-1]) or before[-1] in _SYSTEMS):
            return "must"
    return ""
