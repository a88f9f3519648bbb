"""Whether a noun names somebody who acts."""

from __future__ import annotations

from worldwright.english.nouns import singular
from worldwright.english.words import wordset

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
    """Whether the last word of a name says that it is somebody."""
    low = singular(word)
    return low in _PEOPLE or (len(low) > 7 and low.endswith(_ENDINGS))
