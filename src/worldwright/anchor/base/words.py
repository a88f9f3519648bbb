"""What the words of a text mean, roughly: one form for `approves`, `approval` and `approver`, one for vendor and supplier.

Texts of a document and of a Blueprint are compared by these forms only. English; words of other scripts stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

from worldwright.anchor.names import parts, singular


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


SMALL = _words(
    """a an the this that these those each every any all some no none both either neither such same other another own one
    and or nor but if when while where whether because since unless until till though although as than then so also too only
    just even still not never always often usually to of in on at by for from with without within into onto over under above
    below between among through during before after against about around across along via per upon toward out off up down
    near beyond is are was were be been being am do does did done doing has have had having can could may might must shall
    should will would i you he she it we they them him her us me my your his its our their who whom whose which what how why
    there here once twice more most less least many much few several enough very eg ie etc else instead again cannot don
    s t re least exactly up whose further whatever whoever anybody somebody nobody anyone someone everyone nothing
    anything everything itself themselves that first last next previous"""
)
"""Words that only hold a sentence together."""
GENERAL = _words(
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
    verify verification validate
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
_ENDINGS: tuple[tuple[str, int, str], ...] = (
    ("ization", 3, "iz"), ("isation", 3, "iz"), ("ation", 4, ""), ("ment", 3, ""), ("ied", 2, "y"), ("ing", 3, ""),
    ("ed", 3, ""), ("er", 4, ""), ("or", 4, ""), ("al", 4, ""), ("ion", 4, ""),
)  # fmt: skip
"""Ending, letters that have to remain, and what is put in its place."""
_WHOLE = _words("customer member number need feed speed general station material")
"""Words that only look as if they had such an ending."""
_SPELT: Mapping[str, str] = {
    "centre": "center", "cheque": "check", "programme": "program", "licence": "license", "booking": "reservation",
    "booked": "reservation", "bought": "purchase", "paid": "pay", "sent": "send", "sold": "sell", "held": "hold",
}  # fmt: skip
"""Other spellings, forms that no ending tells, and `booking`, which is no book."""
_VOWELS = frozenset("aeiouy")


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """The form that a word shares with those of its family: `approv` of approves, approval and approver."""
    w = singular(word.lower())
    w = _SPELT.get(w, w)
    if w in _WHOLE or not w.isascii():
        return w
    for ending, least, instead in _ENDINGS:
        rest = w[: -len(ending)]
        if w.endswith(ending) and len(rest) >= least and _VOWELS & set(rest):
            w = _undoubled(rest) + instead
            break
    if len(w) > 4 and w.endswith("ise"):
        w = w[:-3] + "iz"
    return w[:-1] if len(w) > 4 and w.endswith("e") else w


def _undoubled(rest: str) -> str:
    """`shipp` to `ship`, `cancell` to `cancel`; `bill` and `pass` stay."""
    twice = len(rest) > 3 and rest[-1] == rest[-2] and rest[-1] not in "aeious"
    return rest[:-1] if twice and (rest[-1] not in "lz" or len(rest) > 5) else rest


_MEANT: Mapping[str, str] = {
    stem(word): stem(line.split()[0]) for line in _SAME.strip().splitlines() for word in line.split()
}
_PHRASED: Mapping[tuple[str, ...], str] = {tuple(stem(w) for w in k): stem(v) for k, v in _PHRASES.items()}
_LONGEST = max(map(len, _PHRASED))
_DULL = frozenset(stem(w) for w in GENERAL)


@lru_cache(maxsize=50_000)
def meanings(text: str) -> tuple[str, ...]:
    """The words of a text or a name by their meaning, small words left out, in order."""
    found = [stem(w) for w in parts(text) if not w.isdigit()]
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
    """Those that not every business has."""
    return tuple(w for w in words if w not in _DULL and len(w) > 1)


def same_name(one: str, other: str) -> bool:
    """Whether two names mean the same thing: `Suppliers` and `vendor`."""
    first = meanings(one)
    return bool(first) and first == meanings(other)
