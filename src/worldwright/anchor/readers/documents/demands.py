"""What an English sentence demands: must, must_not, may or only_if."""

from __future__ import annotations

import re

from worldwright.anchor.readers.documents.words import is_role
from worldwright.english.words import wordset

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
    """What a sentence demands, or nothing."""
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
    """Where a form stands in a main clause, and no word before it weakens it: `can require` does not require."""
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
    """Whether a clause hangs on another one; a strong word is only taken for that close to what joins it."""
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
