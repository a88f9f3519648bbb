"""Code in repositories: states and moves, and claims with their lines."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest
from tests.anchor.repositories import (
    CLAIMS,
    DEPOT,
    HELP_DESK,
    LOANS,
    PURCHASING,
    claim,
    line,
    of,
    states,
    uploads_of,
)

from worldwright.anchor.claims import collect_claims
from worldwright.anchor.evidence import Evidence
from worldwright.anchor.readers.repo import read

# states


def test_states_come_from_words_and_moves_from_tables(purchasing: Evidence, desk: Evidence, claims: Evidence) -> None:
    order = states(purchasing, "PurchaseOrder")
    assert (order.field, order.states) == ("status", ("draft", "submitted", "approved", "received", "cancelled"))
    assert set(order.moves) == {
        ("draft", "submitted"),
        ("draft", "cancelled"),
        ("submitted", "approved"),
        ("submitted", "cancelled"),
    }
    assert states(desk, "Ticket").states == ("new", "open", "solved", "closed")
    assert states(claims, "Claim").moves == (
        ("reported", "under_review"),
        ("under_review", "paid"),
        ("under_review", "rejected"),
    )


def test_what_only_looks_like_a_transition_table_is_none() -> None:
    found = of(
        m="""
from dataclasses import dataclass
@dataclass
class Loan:
    status: str
ALLOWED_FIELDS = {"user": ["name", "mail"], "team": ["title"]}
LABELS = {"draft": "Draft", "sent": "Sent"}
"""
    )
    assert found.states == ()


def test_an_enumeration_that_no_field_has_is_the_states_of_what_it_is_named_after(depot: Evidence) -> None:
    found = of(
        m="""
from enum import Enum
class ParcelStatus(str, Enum):
    PACKED = "packed"
    SENT = "sent"
    LOST = "lost"
PARCEL_TRANSITIONS = [(ParcelStatus.PACKED, ParcelStatus.SENT), ("sent", "lost")]
"""
    )
    assert states(found, "Parcel").states == ("packed", "sent", "lost")
    assert states(found, "Parcel").moves == (("packed", "sent"), ("sent", "lost"))
    numbered = of(m="from enum import IntEnum\nclass CrateStatus(IntEnum):\n    EMPTY = 10\n    FULL = 20\n")
    assert states(numbered, "Crate").states == ("EMPTY", "FULL")
    assert states(depot, "Pallet").states == ("stored", "moved")


# claims


def test_messages_that_refuse_are_claims(purchasing: Evidence) -> None:
    found = claim(purchasing, "Orders over 5000 EUR cannot be approved by a buyer")
    assert (found.kind, found.heading, found.about) == ("bound", "approve", "business")
    row = line(PURCHASING, "purchasing/service.py", "Orders over")
    assert str(found.source) == f"purchasing/service.py#{row}-{row}"
    assert claim(purchasing, "Only approved orders can be received").kind == "only_if"


def test_a_message_that_says_little_comes_with_its_condition(purchasing: Evidence, loans: Evidence) -> None:
    row = line(PURCHASING, "purchasing/service.py", "too many lines")
    found = claim(purchasing, "too many lines (if len(order.lines) > 50)")
    assert str(found.source) == f"purchasing/service.py#{row - 1}-{row}"
    said = {c.says for c in loans.claims if c.heading == "renew"}
    assert said == {
        "Refused (if loan.member_id != member.id)",
        "A loan that is {days} days late cannot be renewed (if late > GRACE, where GRACE = timedelta(days=14))",
        "Not open (if loan.status != 'open')",
        "blocked member (if member.blocked)",
        "A loan must be renewed by the member who took it.",
    }


def test_what_is_refused_without_raising_and_what_is_asked_before_are_claims(
    purchasing: Evidence, loans: Evidence, depot: Evidence
) -> None:
    assert claim(purchasing, "An order needs a vendor before it is approved").kind == "must"
    assert claim(loans, "At most three books can be lent at once").heading == "lend"
    assert claim(loans, "a desk must be named").heading == "lend"
    allowed = claim(loans, "can borrow only if not member.blocked and len(loans) < MAX_LOANS")
    assert (allowed.kind, allowed.heading) == ("only_if", "can_borrow")
    assert claim(depot, "no pallet (if not arguments.get('pallet'))").heading == "call_tool"
    otherwise = "not (self.state == PalletState.STORED and self.weight <= self.HEAVY), where self.HEAVY = 250"
    assert claim(depot, f"too heavy (if {otherwise})").heading == "Pallet.move"


def test_texts_that_demand_something_of_a_thing_are_claims(loans: Evidence) -> None:
    told = {c.says: str(c.source) for c in loans.claims if c.source.file == "library/models.py"}
    first, second = (line(LOANS, "library/models.py", t) for t in ("Somebody who", "A loan may"))
    assert told == {
        "Nobody may borrow for somebody else, and a loan is never given away.": "library/models.py#1-1",
        "A member must live in the county.": f"library/models.py#{first}-{first + 1}",
        "A loan may not be longer than 28 days, and only one renewal is allowed.": f"library/models.py#{second}-{second + 1}",
    }


def test_what_the_program_checks_or_looks_up_in_vain_is_no_claim(purchasing: Evidence, loans: Evidence) -> None:
    said = [c.says for c in (*purchasing.claims, *loans.claims)]
    assert not [s for s in said if "order at all" in s or "never a rule" in s or "not found" in s]
    assert not [s for s in said if "must be saved" in s or "called first" in s or "as days" in s]


REPOSITORIES = {"orders": PURCHASING, "desk": HELP_DESK, "claims": CLAIMS, "loans": LOANS, "depot": DEPOT}
ELSEWHERE = ("Refused (", "Not open (", "A loan that", "can borrow only if")
"""Claims with words of their own, or of an error that is made elsewhere."""


@pytest.mark.parametrize("files", REPOSITORIES.values(), ids=REPOSITORIES)
def test_every_claim_stands_on_the_lines_that_it_names(files: Mapping[str, str]) -> None:
    found = read(uploads_of(files)).claims
    assert found
    for one in found:
        first, last = map(int, one.source.at.split("-"))
        text = " ".join(files[one.source.file].splitlines()[first - 1 : last])
        message, _, condition = one.says.partition(" (if ")
        names = re.findall(r"[a-z]\w+\.\w+", condition.partition(", where")[0])
        words = [] if one.says.startswith(ELSEWHERE) else [w for w in message.split() if w.isalpha()]
        assert all(word in text for word in [*words, *names]), (one.says, text)


def test_what_a_description_says_again_is_one_claim(loans: Evidence) -> None:
    [said] = [c for c in collect_claims(loans) if "live in the county" in c.says]
    first = line(LOANS, "library/models.py", "Somebody who")
    assert str(said.source) == f"library/models.py#{first}-{first + 1}"
    assert [s.file for s in said.also] == ["library/models.py"]
