"""Exchange rates: the rate of a day is the latest one that had begun, before the first one the nominal one."""

from __future__ import annotations

import textwrap
from datetime import date, timedelta
from decimal import Decimal

import pytest
from tests.blueprint.patterns.small_world import SmallWorld, does, example, finding, from_pattern, grown, line_of

from worldwright.blueprint.load import load_text
from worldwright.kinds.database.session import Session

USE = """
use:
  - exchange_rates: {in: erp, currencies: {EUR: 0.92, GBP: 0.79}, rows: 30}
"""

BODY = """
blueprint: abroad
title: Bills from abroad
now: 2025-06-18T09:00:00Z
currency: USD
systems: {erp: the books}
entities:
  invoice:
    in: erp
    key: INV-##
    rows: 1
    fields: {currency: "one of USD, EUR, GBP", total: money in currency}
operations:
  rate_of:
    in: erp
    says: The rate of a day.
    by: anyone
    takes: {currency: text, d: date}
    gives: {rate: "rate_on(currency, d)"}
  what_we_owe:
    in: erp
    says: An invoice in book money, and back.
    by: anyone
    takes: {invoice: invoice}
    does:
      - let: {rate: "rate_on(invoice.currency, today)"}
      - let: {owed: "convert_back(invoice.total, rate)"}
    gives: {owed: owed, back: "convert(owed, rate)"}
  find_rates: {in: erp, says: All rates., by: anyone, search: fx_rate, filters: [currency, valid_from], sort: [valid_from]}
"""

TEXT = BODY + USE


@pytest.fixture
def desk() -> Session:
    world = SmallWorld(TEXT)
    world.given("fx_rate", currency="EUR", valid_from="2025-06-02", rate=900_000)
    world.given("fx_rate", currency="EUR", valid_from="2025-06-16", rate=950_000)
    world.given("fx_rate", currency="GBP", valid_from="2025-06-09", rate=800_000)
    for currency, total in (("USD", 100_00), ("EUR", 100_00), ("GBP", 0), ("GBP", 1)):
        world.given("invoice", currency=currency, total=total)
    return world.opens("")


def test_what_it_adds() -> None:
    assert from_pattern(TEXT, "exchange_rates") == {"entities": {"fx_rate"}, "terms": {"rate_on"}}


def test_the_example_of_its_docstring_loads() -> None:
    use, statements = example("exchange_rates")
    load_text(BODY + use)
    operation = BODY.index("      - let: {rate:")
    rest = BODY.index("    gives: {owed: owed")
    load_text(BODY[:operation] + textwrap.indent(statements, " " * 6) + BODY[rest:] + use)


@pytest.mark.parametrize(
    ("currency", "day", "rate"),
    [
        ("EUR", "2025-06-01", 0.92),  # before the first one: nominal
        ("EUR", "2025-06-02", 0.90),  # the day it begins
        ("EUR", "2025-06-15", 0.90),  # a week without a rate keeps the one before
        ("EUR", "2025-06-16", 0.95),
        ("EUR", "2030-01-01", 0.95),  # the last one goes on
        ("GBP", "2025-06-08", 0.79),
        ("GBP", "2025-06-16", 0.80),  # a rate of another currency is not its own
        ("USD", "2025-06-16", 1),  # the book currency
        ("JPY", "2025-06-16", 1),  # one that the Blueprint does not know
    ],
)
def test_the_rate_that_counts_on_a_day(desk: Session, currency: str, day: str, rate: float) -> None:
    assert does(desk, "rate_of", currency=currency, d=day) == {"rate": rate}


def test_amounts_convert_and_come_back(desk: Session) -> None:
    assert does(desk, "what_we_owe", invoice="INV-01") == {"owed": 100, "back": 100}
    assert does(desk, "what_we_owe", invoice="INV-02") == {"owed": 105.26, "back": 100}
    assert does(desk, "what_we_owe", invoice="INV-03") == {"owed": 0, "back": 0}
    assert does(desk, "what_we_owe", invoice="INV-04") == {"owed": 0.01, "back": 0.01}


def test_a_day_has_one_rate_for_a_currency() -> None:
    assert load_text(TEXT).schema.entities["fx_rate"].unique == (("currency", "valid_from"),)


@pytest.mark.parametrize("rows", [1, 2, 30, 48])
def test_a_grown_world_has_the_rates_it_was_told(rows: int) -> None:
    desk = grown(TEXT.replace("rows: 30", f"rows: {rows}"), "")
    rates = does(desk, "find_rates", limit=50)["items"]
    assert len(rates) == rows
    assert len({(r["currency"], r["valid_from"]) for r in rates}) == rows
    for r in rates:
        begins, nominal = date.fromisoformat(r["valid_from"]), {"EUR": 0.92, "GBP": 0.79}[r["currency"]]
        assert begins.weekday() == 0
        assert begins <= date(2025, 6, 18)
        assert nominal * 0.985 <= r["rate"] <= nominal * 1.015


def test_a_grown_world_finds_its_own_rates() -> None:
    desk = grown(TEXT, "")
    rates = [r for r in does(desk, "find_rates", limit=50)["items"] if r["currency"] == "EUR"]
    for r in rates:
        assert does(desk, "rate_of", currency="EUR", d=r["valid_from"]) == {"rate": r["rate"]}
    before = date.fromisoformat(rates[0]["valid_from"]) - timedelta(days=1)
    assert does(desk, "rate_of", currency="EUR", d=before.isoformat()) == {"rate": 0.92}


def test_a_single_currency_and_a_very_small_rate() -> None:
    desk = grown(TEXT.replace("{EUR: 0.92, GBP: 0.79}, rows: 30", "{BTC: 0.000012}, rows: 3"), "")
    assert does(desk, "rate_of", currency="BTC", d="2000-01-01") == {"rate": float(Decimal("0.000012"))}
    assert all(r["rate"] > 0 for r in does(desk, "find_rates")["items"])


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("currencies:", "currency:", "`currency` is not known here"),
        ("in: erp, currencies", "currencies", "`in` is needed"),
        ("{EUR: 0.92, GBP: 0.79}", "{}", "currencies: Dictionary should have at least 1 item"),
        ("EUR: 0.92", "EUR: 0", "currencies.EUR: Input should be greater than 0"),
        ("EUR: 0.92", "EUR: 0.0000001", "currencies.EUR: Decimal input should have no more than 6 decimal places"),
        ("EUR: 0.92", "EUR: much", "currencies.EUR: Input should be a valid decimal"),
        ("EUR: 0.92", "eur: 0.92", "currencies.eur"),
        ("rows: 30", "rows: 0", "rows: Input should be greater than or equal to 1"),
    ],
)
def test_wrong_parameters(right: str, wrong: str, message: str) -> None:
    found = finding(TEXT.replace(right, wrong))
    assert message in found.message
    assert (found.line, found.path) == (line_of(TEXT, "- exchange_rates:"), "use[0].exchange_rates")
    assert found.hint == "parameters: in, currencies, rows"


def test_a_blueprint_uses_it_once() -> None:
    found = finding(TEXT + USE.replace("\nuse:\n", ""))
    assert (found.path, found.message) == ("use[1].exchange_rates", "adds entities.fx_rate, which is there already")
    assert found.hint == "pattern `exchange_rates` added it further up"
