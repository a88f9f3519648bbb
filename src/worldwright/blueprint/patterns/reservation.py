"""Reservations against capacity: how many of a kind are taken on a day, what is free over a span, no selling beyond it.

Use it where things of one kind are promised for spans of days: rooms of a category, rental cars of a class, tables,
beds, berths. The kind is an entity with a number of things (its capacity). What takes them up is any number of entities
that refer to it: bookings, blocks held for groups, offers on a waiting list. A span runs from its first day up to, not
including, its last.

The count is exact: what is taken over a span is its fullest day, and the fullest day is always the first one or one on
which something else begins.

Adds
- term `taken_on(x, d)`: how many of kind x are taken on a day;
- term `peak_taken(x, starts, ends)`: the same on the fullest day of a span;
- term `spare_over(x, starts, ends)`: capacity less the peak;
- term `free_over(x, starts, ends)`: the same with what may be sold beyond capacity;
- policy `not_oversold` (enforced by the tool), about `wanted` (the kind), `starts` and `ends`: one is free besides what
  is kept back.

```yaml
use:
  - reservation:
      of: car_class
      capacity: cars
      uses:
        - {rows: rentals, starts: from_on, ends: back_on, states: [reserved, out]}
      held_back: {default: 0, strict: 1}
# ...
- find: wanted in car_class
  where: wanted.code == car_code
- let: {starts: from_on, ends: from_on + rental_days}
- obey: [not_oversold]
```
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, field_validator

from worldwright.blueprint.patterns._parts import HAS_DEFAULT, FieldPath, Name, Parameters
from worldwright.core.names import to_words
from worldwright.english.nouns import article, indefinite


class Use(Parameters):
    """One thing that takes up capacity."""

    rows: Name = Field(description="The way back from the kind.")
    starts: FieldPath = Field(description="Its first day, a date field, also through a reference.")
    ends: FieldPath = Field(description="The day on which it no longer counts.")
    state: FieldPath = Field(default="status", description="Its state field.")
    states: tuple[Name, ...] = Field(min_length=1, description="The states in which it counts.")
    units: FieldPath | None = Field(default=None, description="How many things it takes up, a whole number; else one.")
    until: FieldPath | None = Field(default=None, description="A date field: the last day on which it counts.")


class Params(Parameters):
    of: Name = Field(description="The entity of kinds.")
    capacity: Name = Field(description="Its whole-number field: how many things of the kind there are.")
    beyond: Name | None = Field(
        default=None, description="Its whole-number field: how many may be sold beyond capacity."
    )
    uses: tuple[Use, ...] = Field(
        min_length=1,
        max_length=6,
        description="What takes things up. The first has fields of its own, not through a reference.",
    )
    held_back: Annotated[dict[str, Annotated[int, Field(ge=0)]], HAS_DEFAULT] = Field(
        default={"default": 0}, description="How many are not sold; by variant."
    )
    code: str = Field(
        default="SOLD_OUT", pattern=r"^[A-Z][A-Z0-9_]{1,39}$", description="The error code of `not_oversold`."
    )

    @field_validator("uses")
    @classmethod
    def _first_use_is_plain(cls, uses: tuple[Use, ...]) -> tuple[Use, ...]:
        first = uses[0]
        if any("." in path for path in (first.starts, first.ends, first.state, first.units or "", first.until or "")):
            raise ValueError("the first of `uses` has its own fields, not fields through a reference")
        return uses


def expand(params: Params) -> dict[str, Any]:
    span = {"starts": "date", "ends": "date"}
    kind = {"x": params.of}
    beyond = f" + x.{params.beyond}" if params.beyond else ""
    return {
        "terms": {
            "taken_on": {
                "about": {**kind, "d": "date"},
                "is": " + ".join(_count_taken(use) for use in params.uses),
                "says": f"How many of {indefinite(params.of)} are taken on a day.",
            },
            "peak_taken": {
                "about": {**kind, **span},
                "is": _peak(params.uses),
                "says": f"How many of {indefinite(params.of)} are taken on the fullest day of a span.",
            },
            "spare_over": {
                "about": {**kind, **span},
                "is": f"x.{params.capacity} - peak_taken(x, starts, ends)",
                "says": f"How many of {indefinite(params.of)} stay unused on every day of a span.",
            },
            "free_over": {
                "about": {**kind, **span},
                "is": f"x.{params.capacity}{beyond} - peak_taken(x, starts, ends)",
                "says": f"How many of {indefinite(params.of)} may still be sold over a span.",
            },
        },
        "policies": {"not_oversold": _policy(params)},
    }


def _counts(use: Use, var: str) -> str:
    listed = ", ".join(f"'{s}'" for s in use.states)
    state = f"{var}.{use.state} == {listed}" if len(use.states) == 1 else f"{var}.{use.state} in ({listed})"
    return f"{state} and {var}.{use.until} >= today" if use.until else state


def _count_taken(use: Use) -> str:
    counted = f"sum(u.{use.units}" if use.units else "count(u"
    return f"{counted} for u in x.{use.rows} if {_counts(use, 'u')} and u.{use.starts} <= d and d < u.{use.ends})"


def _peak(uses: tuple[Use, ...]) -> str:
    """The most that is taken on a day on which something within the span begins, or that it finds already there."""
    peak = ""
    for use in uses:
        begins = f"(v.{use.starts} if v.{use.starts} > starts else starts)"
        overlaps = f"v.{use.starts} < ends and starts < v.{use.ends}"
        most = f"coalesce(max(taken_on(x, {begins}) for v in x.{use.rows} if {_counts(use, 'v')} and {overlaps}), 0)"
        peak = f"max({peak}, {most})" if peak else most
    return peak


def _policy(params: Params) -> dict[str, Any]:
    thing = to_words(params.of)
    more = " and what may be sold beyond capacity" if params.beyond else ""
    return {
        "about": {"wanted": params.of, "starts": "date", "ends": "date"},
        "rule": "free_over(wanted, starts, ends) >= 1 + held_back",
        "parameters": {"held_back": dict(params.held_back)},
        "says": f"{article(thing).capitalize()} is promised only while one is free on every day of the span, "
        f"counting what is already promised or held{more}; {{held_back:int}} are kept back from sale.",
        "enforced": "tool",
        "code": params.code,
        "cases": _cases(params),
    }


def _cases(params: Params) -> list[dict[str, Any]]:
    return [
        {"allowed": _case(params, 1, [], (4, 6))},
        {"allowed": _case(params, 2, [(4, 7)], (5, 6))},
        {"forbidden": _case(params, 1, [(4, 7)], (5, 6))},
        # One leaves on the day the other comes.
        {"allowed": _case(params, 1, [(4, 7)], (7, 9))},
        {"forbidden": _case(params, 1, [(4, 7)], (6, 9))},
        # Two that follow each other need one thing, not two.
        {"allowed": _case(params, 2, [(4, 6), (6, 8)], (4, 8))},
        # The fullest day is in the middle.
        {"forbidden": _case(params, 2, [(5, 7), (6, 8)], (4, 9))},
        # Whatever else takes one counts as well.
        *({"forbidden": _case(params, 2, [(5, 7), (6, 8)], (4, 9), other)} for other in range(1, len(params.uses))),
    ]


def _case(
    params: Params, capacity: int, spans: list[tuple[int, int]], wanted: tuple[int, int], number: int = 0
) -> dict[str, Any]:
    """So many things, taken over these spans (days of one month) by the use with this number, and one wanted over another."""
    capacity += params.held_back["default"]
    given: dict[str, Any] = {f"wanted.{params.capacity}": capacity, "starts": _day(wanted[0]), "ends": _day(wanted[1])}
    if params.beyond:
        given[f"wanted.{params.beyond}"] = 0
    taking = params.uses[number]
    rows = []
    for starts, ends in spans:
        row: dict[str, Any] = {taking.starts: _day(starts), taking.ends: _day(ends), taking.state: taking.states[0]}
        if taking.units:
            row[taking.units] = 1
        if taking.until:
            row[taking.until] = "2099-12-31"
        rows.append(row)
    given[f"wanted.{taking.rows}"] = rows
    for use in params.uses:
        given.setdefault(f"wanted.{use.rows}", [])
    return given


def _day(number: int) -> str:
    return f"2030-03-{number:02d}"
