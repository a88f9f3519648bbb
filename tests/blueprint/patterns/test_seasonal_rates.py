"""Seasonal rates: both ends of a season belong to it, and a span costs what its days cost."""

from __future__ import annotations

import textwrap
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.blueprint.patterns.small_world import does, example, finding, findings, from_pattern, grown, line_of
from tests.effort import examples

from worldwright.blueprint.load import load_text
from worldwright.kinds.database.session import Session

USE = """
use:
  - seasonal_rates:
      in: desk
      of: boat_class
      rate: day_rate
      seasons:
        - {name: summer_2025, from: 2025-06-01, to: 2025-08-31, factor: 1.40}
        - {name: regatta_2025, from: 2025-09-01, to: 2025-09-01, factor: 2}
        - {name: spring_2025, from: 2025-03-01, to: 2025-05-15, factor: 0.85}
      tiers: {7: 0.92, 28: 0.75}
"""

BODY = """
blueprint: boats
title: Boats for hire
now: 2025-01-15T09:00:00Z
systems: {desk: the jetty}
entities:
  boat_class: {in: desk, key: BC-##, rows: 1, fields: {day_rate: money ~ 33.33}}
operations:
  quote:
    in: desk
    says: What it costs.
    by: anyone
    takes: {kind: boat_class, starts: date, ends: date}
    does:
      - let: {price: "percent_of(span_price(kind, starts, ends), length_factor(ends - starts))"}
    gives:
      price: price
      plain: span_price(kind, starts, ends)
      first_day: unit_price(kind, starts)
      factor: season_factor(starts)
      length: length_factor(ends - starts)
  find_seasons: {in: desk, says: The calendar., by: anyone, search: season, filters: [code], sort: [from_on]}
"""

TEXT = BODY + USE
RATE = Decimal("33.33")
FACTORS = (
    (date(2025, 3, 1), date(2025, 5, 15), Decimal("0.85")),
    (date(2025, 6, 1), date(2025, 8, 31), Decimal("1.40")),
    (date(2025, 9, 1), date(2025, 9, 1), Decimal(2)),
)


@pytest.fixture(scope="module")
def desk() -> Session:
    return grown(TEXT, "")


def quote(desk: Session, starts: str, ends: str) -> dict[str, float]:
    found: dict[str, float] = does(desk, "quote", kind="BC-01", starts=starts, ends=ends)
    return found


def price_of(day: date) -> Decimal:
    """What one day costs, worked out apart from the pattern."""
    factor = next((f for first, last, f in FACTORS if first <= day <= last), Decimal(1))
    return (RATE * factor).quantize(Decimal("0.01"), ROUND_HALF_UP)


def test_what_it_adds() -> None:
    assert from_pattern(TEXT, "seasonal_rates") == {
        "entities": {"season"},
        "terms": {"season_factor", "unit_price", "units_within", "span_price", "length_factor"},
    }


def test_the_example_of_its_docstring_loads() -> None:
    use, statements = example("seasonal_rates")
    start, end = BODY.index("      - let: {price"), BODY.index("    gives:\n      price")
    load_text(BODY[:start] + textwrap.indent(statements, " " * 6) + BODY[end:] + use)


def test_a_grown_world_has_the_seasons_as_written(desk: Session) -> None:
    assert [tuple(s.values()) for s in does(desk, "find_seasons")["items"]] == [
        ("SEA-03", "spring_2025", "2025-03-01", "2025-05-15", 0.85),
        ("SEA-01", "summer_2025", "2025-06-01", "2025-08-31", 1.4),
        ("SEA-02", "regatta_2025", "2025-09-01", "2025-09-01", 2.0),
    ]


@pytest.mark.parametrize(
    ("day", "factor", "price"),
    [
        ("2025-02-28", 1, 33.33),
        ("2025-03-01", 0.85, 28.33),  # the first day
        ("2025-05-15", 0.85, 28.33),  # the last day
        ("2025-05-16", 1, 33.33),  # a gap
        ("2025-05-31", 1, 33.33),
        ("2025-06-01", 1.4, 46.66),
        ("2025-08-31", 1.4, 46.66),
        ("2025-09-01", 2, 66.66),  # a season of one day, next to another
        ("2025-09-02", 1, 33.33),
    ],
)
def test_the_first_and_the_last_day_belong_to_a_season(desk: Session, day: str, factor: float, price: float) -> None:
    after = (date.fromisoformat(day) + timedelta(days=1)).isoformat()
    found = quote(desk, day, after)
    assert (found["factor"], found["first_day"], found["plain"]) == (factor, price, price)


@pytest.mark.parametrize(
    ("starts", "ends", "price"),
    [
        ("2025-08-31", "2025-09-01", "46.66"),  # the day it ends on is not paid for
        ("2025-08-31", "2025-09-03", "146.65"),  # summer, the regatta, and a plain day
        ("2025-05-14", "2025-05-18", "123.32"),  # two days of spring, two plain ones
        ("2025-02-28", "2025-09-03", ""),  # over everything
        ("2025-06-01", "2025-06-01", "0.00"),  # no day at all
        ("2025-09-01", "2025-09-01", "0.00"),
    ],
)
def test_a_span_costs_what_its_days_cost(desk: Session, starts: str, ends: str, price: str) -> None:
    first, last = date.fromisoformat(starts), date.fromisoformat(ends)
    by_day = sum((price_of(first + timedelta(days=i)) for i in range((last - first).days)), Decimal("0.00"))
    assert price in ("", str(by_day))
    assert quote(desk, starts, ends)["plain"] == float(by_day)


@settings(max_examples=examples(60), deadline=None)
@given(starts=st.dates(date(2025, 2, 20), date(2025, 9, 10)), days=st.integers(0, 60))
def test_any_span_costs_what_its_days_cost(desk: Session, starts: date, days: int) -> None:
    by_day = sum((price_of(starts + timedelta(days=i)) for i in range(days)), Decimal(0))
    found = quote(desk, starts.isoformat(), (starts + timedelta(days=days)).isoformat())
    assert found["plain"] == float(by_day)


@pytest.mark.parametrize(("days", "factor"), [(0, 1), (1, 1), (6, 1), (7, 0.92), (27, 0.92), (28, 0.75), (365, 0.75)])
def test_a_tier_begins_exactly_at_its_length(desk: Session, days: int, factor: float) -> None:
    ends = date(2026, 1, 1) + timedelta(days=days)
    found = quote(desk, "2026-01-01", ends.isoformat())
    assert found["length"] == factor
    whole = (RATE * days * Decimal(str(factor))).quantize(Decimal("0.01"), ROUND_HALF_UP)
    assert found["price"] == float(whole)


def test_without_tiers_the_length_does_not_matter() -> None:
    desk = grown(TEXT.replace("      tiers: {7: 0.92, 28: 0.75}\n", ""), "")
    assert quote(desk, "2026-01-01", "2026-12-31")["length"] == 1


def test_one_season_is_enough() -> None:
    text = "\n".join(line for line in TEXT.splitlines() if "regatta" not in line and "spring" not in line)
    assert quote(grown(text, ""), "2025-08-31", "2025-09-02")["plain"] == 79.99


PARAMETERS = "parameters: in, of, rate, seasons, tiers"


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("rate: day_rate", "price: day_rate", "`price` is not known here"),
        ("      of: boat_class\n", "", "`of` is needed"),
        ("to: 2025-08-31", "to: 2025-05-31", "seasons: season summer_2025 ends before it begins"),
        ("to: 2025-08-31", "to: 2025-09-01", "seasons: seasons summer_2025 and regatta_2025 overlap"),
        ("from: 2025-06-01", "from: 2025-05-15", "seasons: seasons spring_2025 and summer_2025 overlap"),
        ("from: 2025-06-01", "from: 2025-06-31", "seasons.0.from: Input should be a valid date"),
        ("regatta_2025", "summer_2025", "seasons: two seasons have the same name"),
        ("factor: 0.85", "factor: 0.855", "seasons.2.factor: Decimal input should have no more than 2 decimal places"),
        ("factor: 0.85", "factor: 0", "seasons.2.factor: Input should be greater than 0"),
        ("factor: 0.85}", "factor: 0.85, colour: green}", "`seasons.2.colour` is not known here"),
        ("{7: 0.92,", "{0: 0.92,", "tiers.0"),
        ("{7: 0.92,", "{week: 0.92,", "tiers.week"),
        ("{7: 0.92,", "{7: 0.925,", "tiers.7: Decimal input should have no more than 2 decimal places"),
    ],
)
def test_wrong_parameters(right: str, wrong: str, message: str) -> None:
    found = finding(TEXT.replace(right, wrong))
    assert message in found.message
    where = (line_of(TEXT, "- seasonal_rates:"), "use[0].seasonal_rates")
    assert (found.line, found.path, found.hint) == (*where, PARAMETERS)


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("of: boat_class", "of: boat", "no type or entity is called `boat`"),
        ("rate: day_rate", "rate: dayrate", "`boat_class` has no field `dayrate` (did you mean `day_rate`?)"),
        ("  - seasonal_rates:\n      in: desk", "  - seasonal_rates:\n      in: dsk", "no system is called `dsk`"),
    ],
)
def test_what_does_not_fit_the_blueprint_is_said_at_the_pattern(right: str, wrong: str, message: str) -> None:
    found = findings(TEXT.replace(right, wrong))
    assert any(message in str(f) and f.line == line_of(TEXT, "- seasonal_rates:") for f in found)


def test_a_blueprint_uses_it_once() -> None:
    found = finding(TEXT + USE.replace("\nuse:\n", ""))
    assert (found.path, found.message) == ("use[1].seasonal_rates", "adds entities.season, which is there already")
    assert found.hint == "pattern `seasonal_rates` added it further up"
