"""Words of an English sentence: their stems, and what the common ones do in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from worldwright.anchor.names import singular

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|\d+(?:[.,]\d+)*|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Word:
    """A word or a mark, and where it stands."""

    low: str
    one: str
    """In the singular."""
    stem: str
    start: int
    end: int


def words_of(text: str) -> tuple[Word, ...]:
    """The words and marks of a text; hyphens part words and are none themselves."""
    return tuple(
        Word(low := m[0].lower().replace("’", "'"), singular(low), stem(low), m.start(), m.end())
        for m in _WORD.finditer(text)
        if m[0] not in "-–"
    )


def wordset(text: str) -> frozenset[str]:
    """A list of words that is written as one text."""
    return frozenset(text.split())


_IRREGULAR: Mapping[str, str] = {
    "paid": "pay", "payment": "pay", "payments": "pay", "sent": "send", "sold": "sell", "held": "hold", "submission": "submit",
    "submissions": "submit", "resolution": "resolv", "shipment": "ship", "shipments": "ship", "closure": "clos", "lent": "lend",
    "withdrawn": "withdraw", "withdrawal": "withdraw", "renewal": "renew", "given": "giv", "taken": "tak", "written": "writ",
    "authorise": "author", "authorised": "author", "authorize": "author", "authorized": "author", "authorisation": "author",
    "authorization": "author", "expiry": "expir", "made": "mak", "done": "do", "chosen": "choos", "choice": "choos",
    "refusal": "refus", "receipt": "receipt", "receipts": "receipt", "kept": "keep", "left": "leav", "status": "status",
    "decision": "decid", "decisions": "decid",
}  # fmt: skip
_ENDINGS = (
    "ications", "ication", "isation", "ization", "ations", "ation", "itions", "ition", "ments", "ment", "ances", "ance", "able",
    "ible", "ings", "ing", "ied", "ies", "ed", "ions", "ion", "als", "al", "ure", "es", "s", "e", "y",
)  # fmt: skip
_PLAIN = re.compile(r"(?:ss|us|is)\Z")
_DOUBLED = re.compile(r"([bdgklmnprt])\1\Z")


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """What a verb, its participles and its noun have in common: `approve`, `approved` and `approval` are one."""
    low = word.lower()
    if low in _IRREGULAR:
        return _IRREGULAR[low]
    out = low.removesuffix("'s")
    for ending in _ENDINGS:
        if out.endswith(ending) and len(out) - len(ending) >= 3 and not (ending == "s" and _PLAIN.search(out)):
            out = out[: -len(ending)]
            break
    out = _DOUBLED.sub(r"\1", out)
    out = out.removesuffix("i") if len(out) > 3 else out
    out = out.removesuffix("at") if len(out) > 4 else out
    return f"{out[:-2]}iz" if out.endswith("is") and len(out) > 4 else out


def stems(words: Iterable[str]) -> frozenset[str]:
    return frozenset(stem(w) for w in words)


def stemset(text: str) -> frozenset[str]:
    """The stems of a list of words that is written as one text."""
    return stems(text.split())


NUMBERS = wordset(
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen "
    "twenty thirty forty fifty sixty seventy eighty ninety once twice"
)
SMALL = wordset(
    "a an the this that these those each every any all some no not never both either neither such and or nor but if when while "
    "whenever where whether as than then so also too only just even still always to of in on at by for from with within into onto "
    "over under above below between through throughout during before after against about per upon via is are was were be been "
    "being am do does did done has have had having can cannot can't could may might must mustn't shall should shouldn't will won't "
    "would ought need needs needed require requires required i you he she it we they them him her us me my your his its our their "
    "who whom whose which what how there here once more most less least longer prior ahead advance until till unless otherwise "
    "without up out off one it's doesn't don't isn't aren't become becomes remain remains get gets stay stays himself itself "
    "themselves yet already ever again"
)
"""Words that carry no meaning of their own."""
NEUTRAL = wordset(
    "system application platform portal software request requests record records entry details detail data information date dates "
    "day days time moment occurrence allowed permitted possible accepted eligible valid mandatory compulsory obligatory strictly "
    "respective corresponding given specific particular certain single individual separate status state states stage made take "
    "place placed process processed subject case cases appropriate relevant associated following exceptions policy rule rules "
    "company business internal initially actual actually original whole entire full fully further requested manually generally "
    "normally able order explicit explicitly written formal formally department existing apply applies anybody anyone everybody "
    "nobody somebody person people party"
)
"""Words that may stand in any rule and change nothing in it."""
NARROWING = wordset(
    "partially partly monthly weekly daily yearly quarterly annually internationally locally publicly early family supply reply"
)
"""Words that end as adverbs of manner do and still say which things are meant."""
SYSTEMS = wordset("system application platform portal software app tool service scheduler solution website program")
SUPERVISORS = wordset(
    "manager director approver head supervisor lead leader administrator admin executive chief management controller superior boss "
    "cfo ceo coo vp president chairperson superadmin"
)
"""Those who decide where rules leave a choice."""
OPERATORS = wordset(
    "agent operator clerk staff employee representative rep associate assistant worker personnel teller"
)
"""Those who do the daily work."""
ROLE_LIKE = wordset(
    "user customer client member guest patient applicant vendor supplier owner requester finance hr accountant auditor committee "
    "board officer inspector reviewer engineer doctor nurse teacher student driver buyer seller merchant tenant landlord librarian "
    "editor author moderator organizer organiser subscriber participant beneficiary"
)
"""Others who act, but not in a derived world."""
ASIDE = wordset(
    "finance sales purchasing branch store regional local responsible direct line senior respective immediate department "
    "departmental general"
)
"""May stand before a role and change nothing."""
APPROVAL = stemset("approval authorisation consent signoff permission approved authorised")
REFUSED = stemset("rejected blocked refused prevented declined")
CAPABLE = stemset("allow enable permit let support provide offer facilitate ensure validate")
"""Verbs after which the system only offers something."""
