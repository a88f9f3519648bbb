"""Demanded facts: a text must affirm each, of the right thing.

A text states a fact where the fact stands in it in any usual wording and the clause around it does not deny, suppose or ask. Other
figures may stand beside it, as long as each is said of something else: one that is said in the role of the demanded one, one that
is said of nothing, and one that stands in a list with it could be meant instead. So neither a text stuffed with every figure nor
one that says the opposite passes. Whether what else is said is true, `claims` looks at.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from worldwright.blueprint.types import Type
from worldwright.core import days
from worldwright.english.money import COMMON_CURRENCY_CODES
from worldwright.english.said_values import read_number
from worldwright.kinds.database.verify.answers import find_tolerance
from worldwright.kinds.database.verify.clauses import Stance, find_part, find_stance
from worldwright.kinds.database.verify.figures import (
    find_days,
    find_emails,
    find_figures,
    find_ids,
    find_phones,
    is_same_phone,
)
from worldwright.kinds.database.verify.wording import normalise

STEM_LENGTH = 5
"""Words are the same where so many letters are: `refund`, `refunded`."""
_EMPTY = """
    the and but for nor yet are was were been being has have had does did will shall would could can may might must
    this that these those there here then than thus also only just still again once more most less about around exactly either
    neither one two our ours your yours their theirs his her its you they she him them who whom whose which what when where why how
    between with without from into onto upon over under per via not some any all both each every such same other another else
    amount amounts figure figures sum value number numbers date dates day days dollar dollars euro euros pound pounds cent cents
    please note dear hello thank thanks regards sorry maybe perhaps possibly rather instead currently presently now today
    show shows says say said know see find make makes come comes it's that's there's on off by to at in of is be as or so up
"""
_NAMING = re.compile(r"\b(?:of|from|for|dated|starting|beginning|since)\s+[$€£]?\Z", re.IGNORECASE)
"""What stands before a figure by which a thing is named."""
_EQUATING = re.compile(r"\W*\b(?:is|was|are|were|comes to|came to|amounts to)\s+(?:on\s+|at\s+)?[$€£]?", re.IGNORECASE)
"""What stands between a thing and its figure."""
_EMPTY_WORDS = frozenset(_EMPTY.split())
"""Words that tell no thing from another."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A figure of the demanded kind that stands in a text."""

    at: int
    end: int
    right: bool
    """Whether it is the demanded one."""
    aside: bool = False
    readable: bool = True


def states_fact(text: str, fact: Any, kind: Type, year: int, role: Sequence[str] = ()) -> bool:
    """Return whether the text states the fact (as people write it) and no other in its role. `year` is that of the text, `role`
    are the words for what the fact is."""
    text = normalise(text)
    mentions = find_mentions(text, fact, kind, year)
    if not mentions:
        return False
    claims = [m for m, after in zip(mentions, (*mentions[1:], None), strict=True) if not _is_aside(text, m, after)]
    if not claims and all(m.right for m in mentions):
        claims = mentions
    if not _is_affirmed(text, (m.at for m in claims if m.right)):
        return False
    return not _find_rivals(text, claims, {stem(w) for w in role}) and not _stands_beside_other_word(text, fact, kind)


def _is_aside(text: str, mention: Mention, after: Mention | None) -> bool:
    """Return whether a figure only tells which thing is meant: `the release date of the block from 25 July was 12 June`."""
    if mention.aside or after is None:
        return mention.aside
    return bool(_NAMING.search(text[: mention.at]) and _EQUATING.fullmatch(text[mention.end : after.at]))


def find_mentions(text: str, fact: Any, kind: Type, year: int) -> list[Mention]:
    """Find everything of the fact's kind in a text that was normalised, first to last."""
    if kind.kind == "date":
        day = days.parse_day(str(fact))
        return [Mention(d.at, d.end, day is not None and d.is_on(day, year), d.aside) for d in find_days(text)]
    if kind.numeric:
        wanted = read_number(fact)
        return [
            Mention(
                f.at,
                f.end,
                wanted is not None and f.value is not None and abs(f.value - wanted) <= find_tolerance(kind),
                f.aside,
                f.value is not None,
            )
            for f in find_figures(text, counts=not kind.monetary)
            if not (f.percent and kind.monetary)
        ]
    return _find_words(text, " ".join(normalise(str(fact)).split()))


def _find_words(text: str, fact: str) -> list[Mention]:
    """Find a word, a name, an id, a telephone number or an address; of the last three, others of their kind too."""
    if not fact:
        return []
    phones, emails, own = find_phones(fact), find_emails(fact), find_ids(fact)
    if phones and phones[0][:2] == (0, len(fact)):
        return [Mention(at, end, is_same_phone(digits, phones[0][2])) for at, end, digits in find_phones(text)]
    if emails and emails[0][:2] == (0, len(fact)):
        return [Mention(at, end, found == emails[0][2]) for at, end, found in find_emails(text)]
    if own and (own[0].at, own[0].end) == (0, len(fact)):
        wanted = own[0].prefix, own[0].number
        return [
            Mention(i.at, i.end, (i.prefix, i.number) == wanted) for i in find_ids(text) if i.prefix == own[0].prefix
        ]
    spaced = r"\s+".join(map(re.escape, fact.split()))
    return [Mention(m.start(), m.end(), True) for m in re.finditer(rf"(?<!\w){spaced}(?!\w)", text, re.IGNORECASE)]


def _stands_beside_other_word(text: str, fact: Any, kind: Type) -> bool:
    """Return whether another word of the same list stands right beside it: `open or cancelled`."""
    others = "|".join(re.escape(v) for v in kind.values if v.casefold() != str(fact).casefold())
    beside = r"\W+(?:(?:or|and|but|maybe|perhaps)\W+)*"
    word = re.escape(str(fact))
    pattern = rf"\b(?:{word}{beside}(?:{others})|(?:{others}){beside}{word})\b"
    return bool(others) and re.search(pattern, text, re.IGNORECASE) is not None


def _is_affirmed(text: str, places: Iterable[int]) -> bool:
    """Return whether it is affirmed at one place at least and denied at none."""
    found = [find_stance(text, at) for at in places]
    return Stance.AFFIRMED in found and Stance.DENIED not in found


# what else is said


def stem(word: str) -> str:
    return word.casefold()[:STEM_LENGTH]


def list_words(text: str) -> list[str]:
    """List the words that tell a thing from another, as stems."""
    words = re.findall(r"[^\W\d_]{3,}(?:'\w+)?", text.casefold())
    return [stem(w) for w in words if w not in _EMPTY_WORDS and w.upper() not in COMMON_CURRENCY_CODES]


def list_labels(text: str, mentions: Sequence[Mention]) -> list[frozenset[str]]:
    """List of each figure what it is said of: the words of its part of the sentence. Of several figures in one part, each has the
    words before it, or those after it where there are none."""
    out = []
    for i, m in enumerate(mentions):
        start, end = find_part(text, m.at)
        alone = True
        if i and mentions[i - 1].end > start:
            start, alone = mentions[i - 1].end, False
        if i + 1 < len(mentions) and mentions[i + 1].at < end:
            end, alone = mentions[i + 1].at, False
        before, after = list_words(text[start : m.at]), list_words(text[m.end : end])
        out.append(frozenset([*before, *after] if alone else before or after))
    return out


def _find_rivals(text: str, mentions: Sequence[Mention], role: Collection[str]) -> list[Mention]:
    """Find the figures that could be meant instead of the demanded one."""
    if all(m.right for m in mentions):
        return []
    labels = list_labels(text, mentions)
    own = frozenset[str]().union(*(label for m, label in zip(mentions, labels, strict=True) if m.right))
    telling = [w for w in role if w not in {stem(e) for e in _EMPTY_WORDS}]
    found = []
    for i, (m, label) in enumerate(zip(mentions, labels, strict=True)):
        beside = [
            j
            for j in (i - 1, i + 1)
            if 0 <= j < len(mentions) and _are_listed(text, m, mentions[j], apart=bool(label and labels[j]))
        ]
        if m.right or (not any(mentions[j].right for j in beside) and find_stance(text, m.at) is Stance.DENIED):
            continue
        named = label or frozenset[str]().union(*(labels[j] for j in beside))
        in_role = bool(telling) and (named.issuperset(telling) or (named & {*telling} and named <= own | {*telling}))
        if not m.readable or not named or named <= own or in_role or any(mentions[j].right for j in beside):
            found.append(m)
    return found


def _are_listed(text: str, one: Mention, other: Mention, apart: bool) -> bool:
    """Return whether two figures stand in a list: nothing between them tells them apart, and not each is said of something."""
    first, second = sorted((one, other), key=lambda m: m.at)
    between = text[first.end : second.at]
    if "=" in between or list_words(between):
        return False
    return not apart or re.search(r"\bor\b|[-/–]", between) is not None
