"""Approval: somebody decides on a document within a personal limit; a delegate does while they are away.

Adds the entity `decision` (who was asked about which document, when, and what came of it: `open`, then `approved`,
`rejected` or `withdrawn`); the terms `is_away(who)`, `decider_now(who)` (the delegate while `who` is away) and
`open_decisions(who)` (how many wait on that desk); and two policies about the document and an `approver`, each with
cases at the boundary: `approval_limit` (the amount is within the approver's own limit, or no more than `free`) and
`approver_away` (nothing waits for somebody who is away; without a last day they are away until further notice). It adds
no operation: yours ask, decide and obey. A Blueprint uses it once.

```yaml
use:
  - approval:
      in: erp
      document: requisition
      named: request
      amount: total
      decider: employee
      limit: approval_limit
      decision: approval
      key: APR-#####
      free: {default: 500, strict: 0, lenient: 1000}
      away_enforced: agent
```
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from worldwright.blueprint.patterns import _write as write
from worldwright.blueprint.patterns._parts import Enforced, Parameters, refuse_own_names
from worldwright.core.names import to_words
from worldwright.english.nouns import article, plural

OWN = ("asked", "asked_at", "amount", "outcome", "decided_by", "decided_at", "note", "approver")
"""Fields of a decision, and what the policies call the person."""


class Params(Parameters):
    in_: str = Field(alias="in", description="The system that keeps the decisions.")
    document: str = Field(description="The entity that is decided on.")
    named: Annotated[str, refuse_own_names(*OWN)] = Field(
        description="What the decision's field and the policies call one such document."
    )
    amount: str = Field(description="The document's money field that the limit is compared with.")
    decider: str = Field(description="The entity of people who decide.")
    limit: str = Field(default="approval_limit", description="The decider's money field: how much they may approve.")
    away_from: str = Field(default="away_from", description="The decider's optional date: first day away.")
    away_until: str = Field(
        default="away_until", description="The decider's optional date: last day away, none until further notice."
    )
    delegate: str = Field(default="delegate", description="The decider's optional reference: who decides meanwhile.")
    decision: str = Field(default="decision", description="The name of the entity of decisions.")
    key: str = Field(default="DEC-#####", description="The ids of decisions.")
    free: dict[str, Annotated[int, Field(ge=0)]] = Field(
        default={"default": 0}, description="Up to this amount no personal limit is needed; by variant."
    )
    limit_enforced: Enforced = Field(default="tool", description="Who keeps the limit: the tool or the agent.")
    away_enforced: Enforced = Field(default="tool", description="Who keeps to absences: the tool or the agent.")


def expand(params: Params) -> dict[str, Any]:
    """The entity of decisions, the terms, and the two policies."""
    return {
        "entities": {params.decision: _decision(params)},
        "terms": _terms(params),
        "policies": {"approval_limit": _limit(params), "approver_away": _away(params)},
    }


def _decision(params: Params) -> dict[str, Any]:
    document, way = to_words(params.document), plural(params.decision)
    return {
        "in": params.in_,
        "says": f"One question put to one person about {article(document)}, and the answer.",
        "key": params.key,
        "called": f"the {document} that waits for {{asked.name}} since {{asked_at:day}}",
        "fields": {
            params.named: f"{params.document} as {way}",
            "asked": write.field(f"{params.decider} as {way}_asked", "Whose decision it is."),
            "asked_at": "time",
            "amount": write.field("money", "How much it was about when the question was put."),
            "outcome": "state",
            "decided_by": write.field(f"{params.decider} as {way}_decided?", "The person asked, or a delegate."),
            "decided_at": "time?",
            "note": "text?",
        },
        "lifecycle": {"open": ["approved", "rejected", "withdrawn"], "approved": [], "rejected": [], "withdrawn": []},
    }


def _terms(params: Params) -> dict[str, Any]:
    about = {"who": params.decider}
    return {
        "is_away": {
            "about": about,
            "is": f"who.{params.away_from} <= today and (who.{params.away_until} is none or today <= who.{params.away_until})",
            "says": "Away from the first to the last day of the absence, both included; without a last day, until further notice.",
        },
        "decider_now": {
            "about": about,
            "is": f"who.{params.delegate} if is_away(who) else who",
            "says": "Who decides today: the person, or the delegate while the person is away.",
        },
        "open_decisions": {
            "about": about,
            "is": f"count(d for d in who.{plural(params.decision)}_asked if d.outcome == 'open')",
            "says": "How many decisions wait for this person.",
        },
    }


def _limit(params: Params) -> dict[str, Any]:
    amount, limit = f"{params.named}.{params.amount}", f"approver.{params.limit}"
    free = params.free.get("default", 0)
    document = to_words(params.document)
    beyond = (
        f"A {document} of up to {{free:money}} may be approved by any approver; anything above"
        if any(params.free.values())
        else f"A {document}"
    )
    return {
        "about": {params.named: params.document, "approver": params.decider},
        "rule": f"{amount} <= free or {amount} <= {limit}",
        "parameters": {"free": dict(params.free)},
        "says": f"{beyond} needs an approver whose own limit covers the whole amount.",
        "enforced": params.limit_enforced,
        "code": "OVER_APPROVAL_LIMIT",
        "cases": [
            {"allowed": {amount: free + 1000, limit: free + 1000}},
            {"forbidden": {amount: _a_cent_over(free + 1000), limit: free + 1000}},
            {"allowed": {amount: free, limit: 0}},
            {"forbidden": {amount: _a_cent_over(free), limit: 0}},
        ],
    }


def _a_cent_over(amount: int) -> float:
    return float(f"{amount}.01")


def _away(params: Params) -> dict[str, Any]:
    first, last = f"approver.{params.away_from}", f"approver.{params.away_until}"
    return {
        "about": {"approver": params.decider},
        "rule": "not is_away(approver)",
        "says": "Nothing is sent for approval to somebody who is away; "
        "their delegate or another approver is asked, within that person's own limit.",
        "enforced": params.away_enforced,
        "code": "APPROVER_AWAY",
        "cases": [
            {"allowed": {first: "none", last: "none"}},
            {"allowed": {"today": "2025-03-07", first: "2025-03-10", last: "2025-03-14"}},
            {"forbidden": {"today": "2025-03-10", first: "2025-03-10", last: "2025-03-14"}},
            {"forbidden": {"today": "2025-03-14", first: "2025-03-10", last: "2025-03-14"}},
            {"allowed": {"today": "2025-03-15", first: "2025-03-10", last: "2025-03-14"}},
            {"forbidden": {"today": "2025-03-15", first: "2025-03-10", last: "none"}},
        ],
    }
