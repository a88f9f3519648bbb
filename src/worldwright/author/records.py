"""What lies on the bench: findings, cases by somebody else, and the folder as it was read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from worldwright.anchor.binding.records import ClaimRow
from worldwright.anchor.evidence import Operation


@dataclass(frozen=True, slots=True)
class CaseRow:
    """Cases for a policy by somebody who has not seen its rule."""

    policy: str
    by: str
    cases: tuple[Mapping[str, Any], ...]


YES, NO, EDIT = "yes", "no", "edit"
ANSWERS = (YES, NO, EDIT)


@dataclass(frozen=True, slots=True)
class ReviewRow:
    """What somebody said of one operation."""

    operation: str
    says: str
    """The sentence that they were shown."""
    is_: str
    """yes, no or edit"""
    instead: str = ""
    """What it does instead, in their words."""
    by: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that the bench found. What it means and what mends it stands in `findings.CODES`."""

    code: str
    place: str
    """A file with a line or a node of it: `blueprint.yaml#policies.carry_over`, `claims.yaml#c012`."""
    says: str
    mend: str = ""
    """What would mend this one, where that is more than the code's own sentence."""


@dataclass(frozen=True, slots=True)
class Bench:
    """The files of one bench, as they were read."""

    anchor: str
    world: str
    blueprint: str
    contract: str
    """Text of contract.yaml; empty where the tools are the Blueprint's own."""
    claims: tuple[ClaimRow, ...]
    cases: tuple[CaseRow, ...]
    operations: tuple[Operation, ...] = ()
    """Of the evidence."""
    drafted: Mapping[str, Any] = field(default_factory=dict)
    """The draft's contract, by tool, as a pack holds it."""
    notes: str = ""
    review: tuple[ReviewRow, ...] = ()
    """What was said of the operations."""
