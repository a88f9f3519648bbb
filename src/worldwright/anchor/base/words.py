"""What the words of a text mean, roughly: one form for `approves`, `approval` and `approver`, one for vendor and supplier.

Texts of a document and of a Blueprint are compared by these forms only. English; words of other scripts stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from worldwright.anchor.names import parts
from worldwright.english.stems import stem
from worldwright.english.words import STOPWORDS, wordset

SMALL = STOPWORDS | wordset(
    "eg ie don exactly further whatever whoever anybody somebody nobody anyone someone everyone nothing anything everything first "
    "last next previous"
)
"""Words that only hold a sentence together."""
_PHRASES = """
    purchase request = requisition; purchase requisition = requisition; cost center = costcenter; sign off =
    approve; call off = cancel; take back = return; take in = accept; come back = return; bring back = return; send
    back = return; give back = refund; money back = refund; time off = leave; bank detail = bank; bank account =
    bank; run out = expire; no longer valid = expire; check in = checkin; check out = checkout; no show = noshow;
    gift card = giftcard; waiting list = waitlist; wait list = waitlist; e mail = email; e commerce = shop; goods
    receipt = receipt; real estate = property; point of sale = till; help desk = helpdesk
"""
"""Words that mean one thing together, in the singular."""
_SAME = """
    vendor supplier; quote quotation bid tender; invoice bill; purchase procurement procure buy buyer purchaser;
    approve approval approver authorize authorise authorization; customer shopper consumer; guest visitor;
    reservation reserve; hotel accommodation lodging inn hospitality; employee staff worker personnel colleague;
    refund repay repayment; return rma; deliver delivery shipment consignment ship shipping parcel; expire lapse;
    ticket incident; doctor physician clinician; medicine drug medication pharmacy; appointment consultation;
    policyholder insured; car vehicle automobile; warehouse depot; stock inventory; article merchandise sku goods;
    salary wage payroll; leave vacation absence; candidate applicant; student pupil learner; teacher instructor
    lecturer; tenant renter lessee; landlord lessor; lease tenancy; agreement contract; pay payment remit
    remittance; discount rebate; shop retailer ecommerce retail; carrier courier; fine penalty; cap ceiling maximum
    threshold; complaint grievance; warranty guarantee; repair fix; email mail; verify verification; reject
    rejection decline refuse deny refusal; accept acceptance; cancel cancellation void; decide decision verdict;
    requisition requisitioner; exchange swap; faulty defective broken; dispatch despatch; flight airline aviation;
    library lending; restaurant dining; school university college education; hospital clinic medical healthcare
    health; insurance insurer; bank banking; loan lend borrow borrower lender; member membership; trip journey
    travel; driver chauffeur; rent rental hire; exceed surpass
"""
"""Words that mean the same; the first stands for all of them."""
_OTHERWISE: Mapping[str, str] = {"booking": "reservation", "bookings": "reservation", "booked": "reservation"}
"""Forms that mean another word than the one they are made of: a booking is no book."""
_MEANT: Mapping[str, str] = {stem(word): stem(group.split()[0]) for group in _SAME.split(";") for word in group.split()}
_PHRASED: Mapping[tuple[str, ...], str] = {
    tuple(stem(w) for w in said.split()): stem(meaning.strip())
    for said, meaning in (pair.split(" = ") for pair in " ".join(_PHRASES.split()).split("; "))
}
_LONGEST = max(map(len, _PHRASED))


@lru_cache(maxsize=50_000)
def meanings(text: str) -> tuple[str, ...]:
    """The words of a text or a name by their meaning, small words left out, in order."""
    found = [stem(_OTHERWISE.get(w, w)) for w in parts(text) if not w.isdigit()]
    out: list[str] = []
    at = 0
    while at < len(found):
        length = next((k for k in range(_LONGEST, 1, -1) if tuple(found[at : at + k]) in _PHRASED), 1)
        if length > 1:
            out.append(meant(_PHRASED[tuple(found[at : at + length])]))
        elif found[at] not in _SMALL:
            out.append(meant(found[at]))
        at += length
    return tuple(out)


_SMALL = frozenset(stem(w) for w in SMALL)


def meant(form: str) -> str:
    """A form, or the one that stands for all that mean the same."""
    return _MEANT.get(form, form)


def match_words(outside: Iterable[Any], own: Sequence[str]) -> dict[str, str]:
    """The words of an enum with those of another that say the same: letter by letter, else by their meaning. Each stands once."""
    words = [word for word in outside if isinstance(word, str)]
    table: dict[str, str] = {}
    spellings: tuple[Callable[[str], Any], ...] = (parts, _mean)
    for spell in spellings:
        left = {spell(v): v for v in reversed(own) if v not in table.values()}
        for word in words:
            found = left.get(spell(word)) if word not in table else None
            if found is not None and found not in table.values():
                table[word] = found
    return table


def _mean(word: str) -> tuple[tuple[str, ...], ...]:
    """What a word of an enum says: its meaning, and its numbers, which are no words."""
    return meanings(word) or parts(word), tuple(p for p in parts(word) if p.isdigit())
