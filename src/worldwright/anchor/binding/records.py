"""Claims with what became of each: bound to a node of the Blueprint, not about the business, or not expressible."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

BOUND, NOT_BUSINESS, NOT_EXPRESSIBLE, ELSEWHERE = "bound", "not_business", "not_expressible", "elsewhere"
DISPOSITIONS = (BOUND, NOT_BUSINESS, NOT_EXPRESSIBLE, ELSEWHERE)
"""`elsewhere`: said of tools that this world does not offer."""
TARGETS: Mapping[str, str] = {
    "policy": "policy:NAME, a rule of the handbook",
    "guard": "guard:OPERATION.CODE, a `require` with that error code",
    "lifecycle": "lifecycle:ENTITY, the moves between its states",
    "constraint": "constraint:ENTITY.FIELD, constraint:OPERATION.INPUT or constraint:always.NAME: choices, bounds, references",
    "computed": "computed:ENTITY.FIELD or computed:TERM, a value that follows from others",
    "role": "role:OPERATION, who may do it",
    "effect": "effect:OPERATION, what doing it changes",
    "shows": "shows:OPERATION.PART, what a reading tool shows or can be asked for: a field, a filter, a figure",
}
"""What a claim can be bound to."""


@dataclass(frozen=True, slots=True)
class ClaimRow:
    """A claim of the evidence, and what the author says became of it."""

    id: str
    at: str
    """file#place"""
    says: str
    kind: str
    guess: str
    """What the reader takes it to be about: business, software, layout or process."""
    is_: str = ""
    """One of `DISPOSITIONS`; empty where nothing was decided yet."""
    to: tuple[str, ...] = ()
    why: str = ""

    @property
    def business(self) -> bool:
        """Whether it counts as a statement about the business: as the author says, else as the reader guesses."""
        return self.is_ not in (NOT_BUSINESS, ELSEWHERE) if self.is_ else self.guess in ("business", "")


def count_claims(claims: Sequence[ClaimRow], powerless: Collection[str] = ()) -> dict[str, int]:
    """How many claims are about the business, and what became of them. Those whose ids are `powerless` are bound to nothing that
    could hold them."""
    business = [row for row in claims if row.business]
    return {
        "claims": sum(row.is_ != ELSEWHERE for row in claims),
        "business": len(business),
        "bound": sum(row.is_ == BOUND and row.id not in powerless for row in business),
        "not_expressible": sum(row.is_ not in ("", BOUND) for row in business),
        "open": sum(not row.is_ for row in business),
        "powerless": sum(row.is_ == BOUND and row.id in powerless for row in business),
    }
