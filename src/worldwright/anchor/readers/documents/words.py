"""Words of a sentence, and the small ones that part one phrase from the next. English only."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from worldwright.english.nouns import singular
from worldwright.english.words import STOPWORDS, wordset

_TOKEN = re.compile(r"[^\W\d_](?:[\w'’\-]{0,60}[^\W_])?|\d[\d.,]{0,20}|[^\w\s]")


STOP = STOPWORDS | wordset(
    "typically generally normally optionally fewer e.g i.e using based including include includes regarding online offline "
    "immediately automatically manually directly successfully accordingly respectively"
)
"""Words at which a noun ends."""
DETERMINERS = wordset(
    "a an the this that these those each every any all some no both such same other another own my your his her "
    "its our their one two three four five more many multiple several various new existing specific particular "
    "certain given single individual different following respective corresponding associated related relevant "
    "appropriate necessary required additional further previous next current first last final original own valid "
    "invalid entire whole open pending active inactive approved rejected submitted completed registered "
    "authorized unique separate total full partial only selected chosen available possible successful failed such"
)
"""May stand before a noun and are no part of its name."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word or a mark of a sentence."""

    text: str
    low: str
    start: int


def words_of(text: str) -> list[Word]:
    return [Word(m[0], m[0].lower().replace("’", "'"), m.start()) for m in _TOKEN.finditer(text)]


def key_of(name: str) -> tuple[str, ...]:
    """A name as its words in the singular: `Purchase Orders` and `purchase order` are one."""
    return tuple(singular(w.text) for w in words_of(name) if w.text[0].isalnum())


def best_form(name: str, written: Mapping[str, int]) -> str:
    """A name in the singular, in the case that is written most, where the document writes its last word so at all."""
    *before, last = name.split()
    one = singular(last)
    forms = sorted((f for f in (one, one.capitalize(), one.upper()) if written.get(f)), key=lambda f: (-written[f], f))
    if not forms:
        return name
    if before and not all(w[0].isupper() for w in before):
        forms = [f for f in forms if f.islower()] or forms
    low = [w.lower() if written.get(w.lower(), 0) > written.get(w, 0) else w for w in before]
    if low and all(w.islower() for w in low) and written.get(one):
        forms = [one]
    return " ".join([*low, forms[0]])


# Whether a noun names somebody who acts.


_PEOPLE = wordset(
    "admin administrator agent agency analyst applicant approver architect assistant associate attendee auditor "
    "authority author bank beneficiary bidder biller board borrower broker builder buyer candidate caregiver "
    "carrier cashier chairperson chef citizen claimant cleaner clerk client coach committee company consultant "
    "consumer contractor controller coordinator council counsellor counselor courier creditor crew customer "
    "dealer debtor department designer developer director dispatcher distributor doctor donor driver editor "
    "employee employer engineer examiner executive finance giver guarantor guardian guest head holder host hr "
    "individual inspector instructor insurer investor issuer judge landlord lawyer leader learner lecturer lender "
    "librarian maintainer manager marketing member merchant ministry moderator nurse officer official operator "
    "organiser organizer organisation organization owner parent participant partner party passenger patient payee "
    "payer person personnel pharmacist physician pilot planner player policyholder president procurement "
    "professional professor provider publisher purchaser receptionist recipient recruiter referee regulator "
    "renter reporter representative requester requestor researcher resident reviewer rider secretary seller "
    "sender shipper shopper signatory speaker specialist staff stakeholder steward student subcontractor "
    "subscriber superuser superadmin supervisor supplier supporter team teacher technician teller tenant tester "
    "trader trainee trainer translator traveler traveller treasurer treasury trustee tutor underwriter user "
    "vendor verifier viewer visitor volunteer worker writer collector appraiser adjuster accountant attorney "
    "intern colleague peer superior patron pupil caretaker concierge stylist mechanic surveyor valuer"
)
_ENDINGS = ("holder", "keeper", "maker", "owner", "worker", "manager", "ologist", "ician", "officer", "admin")


def is_role(word: str) -> bool:
    """Tell whether the last word of a name says that it is somebody."""
    low = singular(word)
    return low in _PEOPLE or (len(low) > 7 and low.endswith(_ENDINGS))


# The things, roles and states that a document names, found again in its sentences.


_LONGEST = 6
"""Words of a name."""
MOST = 12
"""Names of one sentence."""


@dataclass(frozen=True, slots=True)
class Names:
    """Names by their words in the singular."""

    known: dict[tuple[str, ...], str]
    wide: tuple[str, ...] = ()
    """Those in a script without spaces."""

    def within(self, text: str) -> tuple[str, ...]:
        """The names in a sentence, in order, the longest where several fit."""
        words = [w for w in words_of(text) if w.text[0].isalnum()]
        keys = [singular(w.text) for w in words]
        found: dict[str, None] = {}
        position = 0
        while position < len(words) and len(found) < MOST:
            for length in range(min(_LONGEST, len(words) - position), 0, -1):
                key = tuple(keys[position : position + length])
                name = self.known.get(key)
                if name is not None:
                    found.setdefault(name)
                    position += length - 1
                    break
            position += 1
        for name in self.wide:
            if len(found) < MOST and name in text:
                found.setdefault(name)
        return tuple(found)


def names_of(known: Sequence[str]) -> Names:
    """An index of names; the first one wins where two are the same but for case and number. A noun alone stands for the only name
    that ends in it: `agent` for `Support agent`."""
    plain: dict[tuple[str, ...], str] = {}
    wide: dict[str, None] = {}
    for name in known:
        key = key_of(name)
        if name and ord(name[0]) > 0x2E80 and len(name) > 1:
            wide.setdefault(name)
        elif key and len(key) <= _LONGEST:
            plain.setdefault(key, name)
    for key, n in Counter(k[-1:] for k in plain).items():
        if n == 1 and key not in plain:
            plain[key] = next(plain[k] for k in plain if k[-1:] == key)
    return Names(plain, tuple(wide))
