"""Words of an English sentence: their stems, and what the common ones do in it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from worldwright.english.nouns import singular
from worldwright.english.stems import stem, stemset
from worldwright.english.words import STOPWORDS, wordset

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


SMALL = (
    STOPWORDS
    - wordset(
        "other another same own few many much several enough twice often usually very since because though although instead else "
        "among around across along near beyond"
    )
) | wordset(
    "can't mustn't shouldn't won't it's doesn't don't isn't aren't need needs needed require requires required longer prior ahead "
    "advance otherwise become becomes remain remains get gets stay stays himself yet already ever"
)
"""Words that carry no meaning of their own. A rule on `other` or `several` records is not one on all of them."""
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
