"""A loyalty programme: a ledger of points with a kept balance, tiers by points earned, and what each tier may have.

Use it where members earn points for what they do (nights, visits, orders) and spend them. The balance is the sum of the
ledger, never set by hand; the tier follows from what was earned, so spending points does not cost the tier.

Adds
- entity `points_entry`: member, kind (opening, earned, redeemed, adjusted), points (with sign), entered_on, note, and
  the thing it is about where `about` is given;
- to the member entity: `points` (the balance) and `tier_points` (opening and earned), both kept, and `tier`, computed;
- term `points_for(m, units)`: what member m earns for so many units, by tier;
- one term per benefit, `NAME(m)`: a whole number by tier;
- invariant `points_not_negative`;
- where `earns` is given: an entry at the end of each named operation.

```yaml
use:
  - loyalty:
      in: crm
      member: customer
      tiers: {silver: 500, gold: 2000}
      earn: {member: 1, silver: 1, gold: 2}
      benefits: {free_returns: {member: 1, silver: 3, gold: 10}}
      opening_rows: 100
      earns:
        - {on: complete_order, member: order.customer, units: order.items_total}
# ...
- require: free_returns(order.customer) > returns_so_far
```
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, ValidationInfo, field_validator

from worldwright.blueprint.patterns import _write as write
from worldwright.blueprint.patterns._parts import Name, Parameters, refuse_own_names

Points = Annotated[int, Field(ge=0, le=1_000_000_000)]


class Earning(Parameters):
    """An operation that earns points."""

    on: Name = Field(description="The operation.")
    member: str = Field(description="Who earns: an expression in the words of that operation.")
    units: str = Field(description="For how many units: an expression that gives a whole number.")
    about: str | None = Field(default=None, description="The row that the entry is about.")


class Params(Parameters):
    in_: str = Field(alias="in", description="The system that keeps the ledger.")
    member: Name = Field(description="The entity of members.")
    base: Name = Field(default="member", description="The name of the lowest tier.")
    tiers: Annotated[dict[Name, Points], refuse_own_names(named_by=("base",))] = Field(
        min_length=1, description="Every other tier with the points that reach it."
    )
    earn: dict[Name, Points] = Field(description="Points per unit, for the base and every tier.")
    benefits: Annotated[dict[Name, dict[Name, int]], refuse_own_names("points_for")] = Field(
        default={}, description="Names, and for each a number for the base and every tier."
    )
    about: Annotated[Name | None, refuse_own_names("member", "kind", "points", "entered_on", "note")] = Field(
        default=None, description="An entity that an entry may refer to."
    )
    opening_rows: int = Field(default=0, ge=0, le=20_000, description="How many opening balances there are.")
    opening_points: Points = Field(default=20_000, description="The most that an opening balance can be.")
    earns: tuple[Earning, ...] = Field(default=(), description="The operations that earn points.")

    @field_validator("tiers")
    @classmethod
    def _each_tier_is_reached_apart(cls, tiers: dict[str, int]) -> dict[str, int]:
        if len(set(tiers.values())) < len(tiers):
            raise ValueError("two tiers are reached with the same points")
        return tiers

    @field_validator("earn")
    @classmethod
    def _every_tier_earns(cls, earn: dict[str, int], info: ValidationInfo) -> dict[str, int]:
        _need_each_tier("earn", earn, info)
        return earn

    @field_validator("benefits")
    @classmethod
    def _every_tier_has_a_benefit(
        cls, benefits: dict[str, dict[str, int]], info: ValidationInfo
    ) -> dict[str, dict[str, int]]:
        for name, values in benefits.items():
            _need_each_tier(name, values, info)
        return benefits

    @field_validator("earns")
    @classmethod
    def _what_it_is_about_is_known(cls, earns: tuple[Earning, ...], info: ValidationInfo) -> tuple[Earning, ...]:
        if any(e.about is not None for e in earns) and info.data.get("about") is None:
            raise ValueError("an earning is about something, but `about` names no entity")
        return earns


def _need_each_tier(what: str, values: dict[str, int], info: ValidationInfo) -> None:
    names = [info.data.get("base", ""), *info.data.get("tiers", ())]
    if set(values) != set(names):
        raise ValueError(f"`{what}` needs a number for each of {', '.join(names)}")


def expand(params: Params) -> dict[str, Any]:
    def by_tier(values: dict[str, int]) -> str:
        return write.choose("m.tier", {tier: values[tier] for tier in _highest_first(params)}, values[params.base])

    terms = {
        "points_for": {
            "about": {"m": params.member, "units": "int"},
            "is": f"units * ({by_tier(params.earn)})",
            "says": "The points a member earns for so many units, by tier.",
        }
    }
    for benefit, values in params.benefits.items():
        terms[benefit] = {
            "about": {"m": params.member},
            "is": by_tier(values),
            "says": f"{benefit.replace('_', ' ').capitalize()} of a member, by tier.",
        }
    return {
        "entities": {"points_entry": _entry(params)},
        "terms": terms,
        "always": {
            "points_not_negative": {
                "each": params.member,
                "holds": "points >= 0",
                "says": "Nobody spends more points than they have.",
            }
        },
        "extend": {
            "entities": {params.member: {"fields": _member_fields(params)}},
            "operations": write.append_to(*((earning.on, [_earning(params, earning)]) for earning in params.earns)),
        },
    }


def _highest_first(params: Params) -> list[str]:
    return sorted(params.tiers, key=lambda tier: params.tiers[tier], reverse=True)


def _member_fields(params: Params) -> dict[str, Any]:
    reached = [f"'{tier}' if tier_points >= {params.tiers[tier]}" for tier in _highest_first(params)]
    return {
        "points": {
            "type": "int",
            "kept": "sum(e.points for e in points_entries)",
            "says": "Points that can be spent.",
        },
        "tier_points": {
            "type": "int",
            "kept": "sum(e.points for e in points_entries if e.kind in ('opening', 'earned'))",
            "says": "Points ever earned; these decide the tier.",
        },
        "tier": {
            "type": "one of " + ", ".join([params.base, *reversed(_highest_first(params))]),
            "computed": " else ".join([*reached, f"'{params.base}'"]),
            "says": "Tier of the loyalty programme.",
        },
    }


def _entry(params: Params) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "member": {"type": f"{params.member} as points_entries", "draw": f"any(m for m in {params.member})"},
        "kind": {"type": "one of opening, earned, redeemed, adjusted", "draw": "'opening'"},
        "points": write.field(
            "int",
            "Positive when points are given, negative when they are spent.",
            draw=f"skewed({min(100, params.opening_points)}, {params.opening_points})",
        ),
        "entered_on": "date ~ between(today - 900, today - 400)",
        "note": "text ~ 'Balance carried over'",
    }
    if params.about:
        fields[params.about] = {"type": f"{params.about}?", "draw": "none"}
    return {
        "in": params.in_,
        "says": "One line of a member's points account.",
        "key": "PTS-#####",
        "rows": params.opening_rows,
        "called": "the {points} points of {entered_on:day}",
        "fields": fields,
    }


def _earning(params: Params, earning: Earning) -> write.Statement:
    values = {
        "member": earning.member,
        "kind": "'earned'",
        "points": f"points_for({earning.member}, {earning.units})",
        "entered_on": "today",
        "note": "'Earned'",
    }
    if params.about and earning.about is not None:
        values[params.about] = earning.about
    return {"add": "points_entry", "with": values}
