"""An amount that goes out in parts: what keeps the parts, how large one may be, and what a call enters."""

from __future__ import annotations

from worldwright.blueprint.model import Blueprint, CaseSpec, EntitySpec, PolicySpec, StatementSpec
from worldwright.variants.drafting.goal_calls import pick_free_name

MIN_PART = 4
"""What has to be left of an amount for a part to be asked for."""
SHARES = {"default": 0.7, "strict": 0.5, "lenient": 0.95}
"""The largest part of what is left that may go at once."""


def parts_entity(bp: Blueprint, entity: str, way: str, says: str, *keys: str) -> EntitySpec:
    """The records of the parts; `way` leads to them from the whole."""
    return EntitySpec(
        in_=bp.entities[entity].in_,
        says=says,
        key=pick_free_name((e.key for e in bp.entities.values()), *keys),
        fields={"whole": f"{entity} as {way}", "amount": "money", "made_on": "date", "made_at": "time"},
    )


def book_part(part: str, row: str, amount: str) -> StatementSpec:
    """A part that goes out now."""
    return StatementSpec(add=part, with_={"whole": row, "amount": amount, "made_on": "today", "made_at": "now"})


def share_policy(entity: str, row: str, whole: str, gone: str, says: str) -> PolicySpec:
    """The rule of one part: at most a share of what has not gone until then."""

    def case(amount: float) -> dict[str, object]:
        return {f"{row}.{whole}": 120, f"{row}.{gone}": 20, "amount": amount}

    return PolicySpec(
        about={row: entity, "amount": "money"},
        rule=f"amount <= round(({row}.{whole} - {row}.{gone}) * share, 2)",
        parameters={"share": dict(SHARES)},
        says=says,
        enforced="agent",
        cases=(
            CaseSpec(allowed=case(70)),
            CaseSpec(forbidden=case(70.01)),
            CaseSpec(forbidden=case(50.01), variant="strict"),
            CaseSpec(allowed=case(95), variant="lenient"),
        ),
    )
