"""Exchange rates by date: a table of weekly rates, and the rate that counts on a given day.

Use it wherever somebody pays, is billed or is limited in another currency than the books are kept in. Amounts are
stored as `money in FIELD` beside the rate they were taken at; `convert(amount, rate)` goes from book money to the other
currency, `convert_back(amount, rate)` the other way.

Adds
- entity `fx_rate`: currency, valid_from (Mondays, going back from today), rate (units of it for one of book money);
- term `rate_on(currency, d)`: the latest rate on or before the day; before the first one the nominal rate; 1 for any
  other currency, so for the book currency itself.

```yaml
use:
  - exchange_rates: {in: erp, currencies: {EUR: 0.92, GBP: 0.79}, rows: 90}
# ...
- let: {rate: "rate_on(invoice.currency, today)"}
- let: {owed: "convert_back(invoice.total, rate)"}
```
"""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any

from pydantic import Field

from worldwright.blueprint.patterns import _write as write
from worldwright.blueprint.patterns._parts import Parameters

SWING = Decimal("0.015")
"""How far a weekly rate lies from the nominal one at most."""

Currency = Annotated[str, Field(pattern=r"^[A-Z]{3}$")]


class Params(Parameters):
    in_: str = Field(alias="in", description="The system that keeps the rates.")
    currencies: dict[Currency, Annotated[Decimal, Field(gt=0, lt=100_000, decimal_places=6)]] = Field(
        min_length=1, description="Each foreign currency with its nominal rate."
    )
    rows: int = Field(
        default=60,
        ge=1,
        le=5_000,
        description="How many rates there are, over every currency; a week without one keeps the rate before it.",
    )


def expand(params: Params) -> dict[str, Any]:
    nominal = {code: _six(rate) for code, rate in params.currencies.items()}
    drawn = {
        code: f"between({_six(rate * (1 - SWING))}, {_six(rate * (1 + SWING))})"
        for code, rate in params.currencies.items()
    }
    _, last = drawn.popitem()
    # More weeks than rates, so that a few draws find one that is free. A week without keeps the rate before it.
    weeks = params.rows * 5 // (3 * len(nominal)) + 2
    return {
        "entities": {
            "fx_rate": {
                "in": params.in_,
                "says": "What one unit of the book currency is worth in another currency, from a Monday on.",
                "key": "FX-####",
                "rows": params.rows,
                "called": "the {currency} rate of {valid_from:day}",
                "fields": {
                    "currency": "one of " + ", ".join(nominal),
                    "valid_from": f"date ~ today - weekday(today) - 7 * between(0, {weeks})",
                    "rate": "decimal(6) ~ " + write.choose("currency", drawn, last),
                },
                "unique": [["currency", "valid_from"]],
            }
        },
        "terms": {
            "rate_on": {
                "about": {"currency": "text", "d": "date"},
                "is": "coalesce(last((f.rate for f in fx_rate if f.currency == currency and f.valid_from <= d), "
                f"by=f.valid_from), {write.choose('currency', nominal, 1)})",
                "says": "The exchange rate that counts on a day: the latest one on or before it.",
            }
        },
    }


def _six(rate: Decimal) -> str:
    return str(rate.quantize(Decimal("0.000001")))
