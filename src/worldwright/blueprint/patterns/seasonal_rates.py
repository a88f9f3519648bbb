"""Seasonal and tiered rates: what one night, day or unit costs on a date, and what a whole span costs.

Use it where the price of a thing follows a calendar (rooms, rental cars, pitches, boats) and long spans are cheaper by
the unit. The thing priced is an entity with a money field, its plain rate; a season multiplies it.

Adds
- entity `season`: code, from_on, to_on (both days included), factor;
- term `season_factor(d)`: the factor on a day, 1 outside every season;
- term `unit_price(x, d)`: the price of one unit of x on a day;
- term `units_within(s, starts, ends)`: how many units of a span [starts, ends) fall into season s;
- term `span_price(x, starts, ends)`: the sum over the span, season by season; at the plain rate outside every season;
- term `length_factor(units)`: the factor of the longest tier that the length reaches, 1 below the first.

```yaml
use:
  - seasonal_rates:
      in: desk
      of: boat_class
      rate: day_rate
      seasons:
        - {name: spring_2025, from: 2025-03-01, to: 2025-05-31, factor: 0.90}
        - {name: summer_2025, from: 2025-06-01, to: 2025-08-31, factor: 1.40}
      tiers: {7: 0.92}
# ...
- let: {price: "percent_of(span_price(kind, starts, ends), length_factor(ends - starts))"}
```
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from itertools import pairwise
from typing import Annotated, Any

from pydantic import Field, field_validator

from worldwright.blueprint.patterns import _write as write
from worldwright.blueprint.patterns._parts import Parameters

Factor = Annotated[Decimal, Field(gt=0, lt=100, decimal_places=2)]


class Season(Parameters):
    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$", description="Its code.")
    from_: date = Field(alias="from", description="Its first day.")
    to: date = Field(description="Its last day.")
    factor: Factor = Field(description="What the plain rate is multiplied by, with two decimal places at most.")


class Params(Parameters):
    in_: str = Field(alias="in", description="The system that keeps the seasons.")
    of: str = Field(description="The entity that is priced.")
    rate: str = Field(description="Its money field: the plain rate of one unit.")
    seasons: tuple[Season, ...] = Field(min_length=1, max_length=24, description="The seasons; they may not overlap.")
    tiers: dict[Annotated[int, Field(ge=1)], Factor] = Field(
        default={}, description="From how many units on which factor applies."
    )

    @field_validator("seasons")
    @classmethod
    def _seasons_do_not_overlap(cls, seasons: tuple[Season, ...]) -> tuple[Season, ...]:
        ordered = sorted(seasons, key=lambda s: s.from_)
        for season in ordered:
            if season.to < season.from_:
                raise ValueError(f"season {season.name} ends before it begins")
        for a, b in pairwise(ordered):
            if b.from_ <= a.to:
                raise ValueError(f"seasons {a.name} and {b.name} overlap")
        if len({s.name for s in ordered}) < len(ordered):
            raise ValueError("two seasons have the same name")
        return seasons


def expand(params: Params) -> dict[str, Any]:
    span = {"starts": "date", "ends": "date"}
    within = "(ends if ends <= {s}.to_on else {s}.to_on + 1) - (starts if starts >= {s}.from_on else {s}.from_on)"
    touches = "s.from_on < ends and s.to_on >= starts"
    covered = f"sum(units_within(s, starts, ends) for s in season if {touches})"
    seasonal = f"sum(round(x.{params.rate} * s.factor, 2) * units_within(s, starts, ends) for s in season if {touches})"
    return {
        "entities": {"season": _season(params)},
        "terms": {
            "season_factor": {
                "about": {"d": "date"},
                "is": "coalesce(first((s.factor for s in season if s.from_on <= d <= s.to_on), by=s.from_on), 1.00)",
                "says": "The factor of the season that a day falls into, 1 outside every season.",
            },
            "unit_price": {
                "about": {"x": params.of, "d": "date"},
                "is": f"round(x.{params.rate} * season_factor(d), 2)",
                "says": "The price of one unit on a day: the plain rate times the factor of the season.",
            },
            "units_within": {
                "about": {"s": "season", **span},
                "is": within.format(s="s"),
                "says": "How many units of a span fall into a season. The day the span ends on does not count.",
            },
            "span_price": {
                "about": {"x": params.of, **span},
                "is": f"{seasonal} + x.{params.rate} * ((ends - starts) - {covered})",
                "says": "The price of a span, season by season, before any discount.",
            },
            "length_factor": {
                "about": {"units": "int"},
                "is": _tiers(params.tiers),
                "says": "The factor for the length of a span: longer ones are cheaper by the unit.",
            },
        },
    }


def _season(params: Params) -> dict[str, Any]:
    seasons = params.seasons
    return {
        "in": params.in_,
        "says": "A stretch of the calendar with its own price level.",
        "key": "SEA-##",
        "rows": len(seasons),
        "called": "the {code} season",
        "fields": {
            "code": {
                "type": "one of " + ", ".join(s.name for s in seasons),
                "draw": _by_season("id", {f"SEA-{i:02d}": f"'{s.name}'" for i, s in enumerate(seasons, 1)}),
            },
            "from_on": "date ~ " + _by_season("code", {s.name: f"date('{s.from_}')" for s in seasons}),
            "to_on": write.field(
                "date ~ " + _by_season("code", {s.name: f"date('{s.to}')" for s in seasons}),
                "The last day that belongs to it.",
            ),
            "factor": "decimal(2) ~ " + _by_season("code", {s.name: f"{s.factor:.2f}" for s in seasons}),
        },
        "unique": [["code"]],
    }


def _by_season(field: str, values: dict[str, str]) -> str:
    """Choose by a field of the season; the last one needs no test."""
    _, last = values.popitem()
    return write.choose(field, values, last)


def _tiers(tiers: dict[int, Decimal]) -> str:
    longest_first = sorted(tiers.items(), reverse=True)
    return " else ".join([*(f"{factor:.2f} if units >= {least}" for least, factor in longest_first), "1.00"])
