"""What the words of a text mean, roughly: one form for `approves`, `approval` and `approver`, one for vendor and supplier.

Texts of a document and of a Blueprint are compared by these forms only. English; words of other scripts stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

from worldwright.anchor.names import parts
from worldwright.english.stems import stem
from worldwright.english.words import STOPWORDS, wordset

SMALL = STOPWORDS | wordset(
    "eg ie don exactly further whatever whoever anybody somebody nobody anyone someone everyone nothing anything everything first "
    "last next previous"
)
"""Words that only hold a sentence together."""
GENERAL = wordset(
    """system user process information data detail number name date time type list way part step use status state value field
    option feature function functionality page screen button form access action activity result level rule requirement case
    example set amount id code key link history log setting configuration permission role password login credential search
    filter report dashboard view summary format template workflow integration support interface module application app web
    website platform software tool service server client api rest endpoint object resource model schema table column row
    entity attribute property record entry file document text content title description note comment reference url uri uuid
    version create add new insert update edit modify change delete remove get read fetch retrieve show find lookup query save
    store send receive manage management manager admin administrator allow enable provide include contain need require
    make take give keep hold based using used handle perform ensure respond response request operation method parameter
    argument input output error success fail failure valid invalid required optional default current active inactive enabled
    disabled true false null string integer boolean array total count limit offset page size sort start end begin day week
    month year hour minute today now business company organization organisation team department project product requirement
    prd mvp scope goal objective overview introduction background purpose section appendix functional specification
    stakeholder flow task item group category kind status general various multiple specific different related relevant
    available existing complete full simple simply good well work working quickly easily digital online mobile internal
    external automated automatic automatically real world world environment domain build building generate like want help
    please let main basic core common standard custom people person thing something place person end small large high low
    old open close set up sign say tell name call know see look come go put become remain stay happen run turn back
    two three four five six seven eight nine ten hundred thousand day percent per cent usd eur gbp chf dollar euro pound
    must post base direct database write given possible address email phone city country postcode contact message
    currency line min max term single definition origin extension offer follow aim range port life"""
)
"""Words that any business and any software has: they tell nothing of which one it is."""
_PHRASES: Mapping[tuple[str, ...], str] = {
    ("purchase", "request"): "requisition",
    ("purchase", "requisition"): "requisition",
    ("cost", "center"): "costcenter",
    ("sign", "off"): "approve",
    ("call", "off"): "cancel",
    ("take", "back"): "return",
    ("take", "in"): "accept",
    ("come", "back"): "return",
    ("bring", "back"): "return",
    ("send", "back"): "return",
    ("give", "back"): "refund",
    ("money", "back"): "refund",
    ("time", "off"): "leave",
    ("bank", "detail"): "bank",
    ("bank", "account"): "bank",
    ("run", "out"): "expire",
    ("no", "longer", "valid"): "expire",
    ("check", "in"): "checkin",
    ("check", "out"): "checkout",
    ("no", "show"): "noshow",
    ("gift", "card"): "giftcard",
    ("waiting", "list"): "waitlist",
    ("wait", "list"): "waitlist",
    ("e", "mail"): "email",
    ("e", "commerce"): "shop",
    ("goods", "receipt"): "receipt",
    ("real", "estate"): "property",
    ("point", "of", "sale"): "till",
    ("help", "desk"): "helpdesk",
}
"""Words that mean one thing together, in the singular."""
_SAME = """
    vendor supplier
    quote quotation bid tender
    invoice bill
    purchase procurement procure buy buyer purchaser
    approve approval approver authorize authorise authorization
    customer shopper consumer
    guest visitor
    reservation reserve
    hotel accommodation lodging inn hospitality
    employee staff worker personnel colleague
    refund repay repayment
    return rma
    deliver delivery shipment consignment ship shipping parcel
    expire lapse
    ticket incident
    doctor physician clinician
    medicine drug medication pharmacy
    appointment consultation
    policyholder insured
    car vehicle automobile
    warehouse depot
    stock inventory
    article merchandise sku goods
    salary wage payroll
    leave vacation absence
    candidate applicant
    student pupil learner
    teacher instructor lecturer
    tenant renter lessee
    landlord lessor
    lease tenancy
    agreement contract
    pay payment remit remittance
    discount rebate
    shop retailer ecommerce retail
    carrier courier
    fine penalty
    cap ceiling maximum threshold
    complaint grievance
    warranty guarantee
    repair fix
    email mail
    verify verification
    reject rejection decline refuse deny refusal
    accept acceptance
    cancel cancellation void
    decide decision verdict
    requisition requisitioner
    exchange swap
    faulty defective broken
    dispatch despatch
    flight airline aviation
    library lending
    restaurant dining
    school university college education
    hospital clinic medical healthcare health
    insurance insurer
    bank banking
    loan lend borrow borrower lender
    member membership
    trip journey travel
    driver chauffeur
    rent rental hire
    exceed surpass
    """
_OTHERWISE: Mapping[str, str] = {"booking": "reservation", "bookings": "reservation", "booked": "reservation"}
"""Forms that mean another word than the one they are made of: a booking is no book."""
_MEANT: Mapping[str, str] = {
    stem(word): stem(line.split()[0]) for line in _SAME.strip().splitlines() for word in line.split()
}
_PHRASED: Mapping[tuple[str, ...], str] = {tuple(stem(w) for w in k): stem(v) for k, v in _PHRASES.items()}
_LONGEST = max(map(len, _PHRASED))
_DULL = frozenset(stem(w) for w in GENERAL)


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


def telling(words: Iterable[str]) -> tuple[str, ...]:
    """Return those that not every business has."""
    return tuple(w for w in words if w not in _DULL and len(w) > 1)
