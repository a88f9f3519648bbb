"""Legacy dates, time zones and currencies: what records show, read as the handbook says, is what they keep."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Any

import pytest
from tests.domains import take_turns
from tests.variants.layers.state_worlds import World, world

from worldwright import catalogue
from worldwright.blueprint.checked import Checked
from worldwright.core.days import moment
from worldwright.kinds.database.compile.state.build import grow_state
from worldwright.kinds.database.compiled_world import CompiledWorld
from worldwright.kinds.database.runtime import Runtime
from worldwright.variants.inject import inject
from worldwright.variants.layers.currencies import RATES
from worldwright.variants.layers.legacy_dates import STYLE as DATES
from worldwright.variants.layers.time_zones import STYLE as CLOCKS

pytestmark = pytest.mark.slow  # a world with tasks is compiled for each

READ_DATE = {"ledger": "%d.%m.%y", "terminal": "%m/%d/%Y", "branch": "%d/%m/%Y"}
"""As the handbook says it, written apart from the layer."""
HOURS = {"brisbane": 10, "honolulu": -10}


def marked(found: World, layer: str) -> list[tuple[str, str, str]]:
    """(entity, column, mark) of everything that the layer writes otherwise."""
    assert found.checked.blueprint.layers[layer]
    out = []
    for name, entity in found.checked.schema.entities.items():
        out += [(name, c.name, c.shown.by) for c in entity.columns.values() if c.shown is not None and c.shown.ways]
    assert out
    return out


def both(found: World, entity: str, column: str, mark: str) -> list[tuple[str | None, object, object]]:
    """(mark, as kept, as shown) of every row that a search shows."""
    searches = found.searches(entity, column)
    if not searches:
        return []
    records = found.shown(searches[0])
    rows = [r for r in found.rows(entity) if r["id"] in records and column in r and r[column] is not None]
    assert all(records[r["id"]][mark] == r[mark] for r in rows), "the mark is shown wherever the value is"
    return [(r[mark], r[column], records[r["id"]][column]) for r in rows]


@pytest.mark.parametrize("domain", take_turns("expense_claims", "clinic_scheduling", "retail_returns"))
def test_dates_come_back(domain: str) -> None:
    found = world(domain, "legacy_dates")
    seen = [one for at in marked(found, "legacy_dates") for one in both(found, *at)]
    assert {mark for mark, _, _ in seen} == {None, *DATES.ways}
    for mark, kept, shown in seen:
        assert (
            shown == kept
            if mark is None
            else datetime.strptime(str(shown), READ_DATE[mark]).date() == date.fromisoformat(str(kept))
        )
    assert "05/03/2025 is 3 May 2025" in found.handbook
    assert len(found.met("legacy_dates")) >= 5


def test_dates_are_still_found_by_the_day_they_are() -> None:
    found = world("expense_claims", "legacy_dates")
    for entity, column, mark in marked(found, "legacy_dates"):
        for tool in found.searches(entity, column):
            if not any(f.column == column for f in found.checked.operations[tool].read.filters):  # type: ignore[union-attr]
                continue
            row = next(r for r in found.rows(entity) if r[mark] == "terminal" and r[column])
            day = {f"{column}_from": row[column], f"{column}_to": row[column]}
            assert row["id"] in found.shown(tool, **day)
            return
    raise AssertionError("no search finds anything by one of these dates")


@pytest.mark.parametrize("domain", take_turns("clinic_scheduling", "retail_returns", "it_service_desk"))
def test_moments_come_back_and_some_are_on_another_day(domain: str) -> None:
    found = world(domain, "time_zones")
    seen = [one for at in marked(found, "time_zones") for one in both(found, *at)]
    assert {mark for mark, _, _ in seen} >= set(CLOCKS.ways)
    days = 0
    for mark, kept, shown in seen:
        if mark is None:
            assert shown == kept
            continue
        there = datetime.strptime(str(shown), "%Y-%m-%d %H:%M")
        assert moment(there - timedelta(hours=HOURS[mark]))[:16] == str(kept)[:16]
        days += str(shown)[:10] != str(kept)[:10]
    assert days > len(seen) / 10
    assert len(found.met("time_zones")) >= 1


@pytest.mark.parametrize("domain", take_turns("expense_claims", "retail_returns", "hotel_booking"))
def test_amounts_come_back_to_the_cent(domain: str) -> None:
    found = world(domain, "currencies")
    tool = next(name for name in found.checked.operations if "house_rate" in name)
    rates = {one["currency"]: one["per_unit"] for one in found.shown(tool).values()}
    assert rates == {code: float(rate) for code, rate in RATES.items()}
    seen = [one for at in marked(found, "currencies") for one in both(found, *at)]
    assert {mark for mark, _, _ in seen} >= set(RATES)
    for mark, kept, shown in seen:
        amount = float(str(shown)) / (1.0 if mark is None else rates[mark])
        assert round(amount, 2) == int(str(kept)) / 100
    assert len(found.met("currencies")) >= 5


def test_amounts_that_are_worked_out_are_in_the_money_of_their_record_too() -> None:
    base = catalogue.load("matter_management")
    busy, quiet = ({r["id"]: r for r in _bills(one)} for one in (inject(base, ["currencies"]), base))
    assert busy.keys() == quiet.keys()
    others = [(one, quiet[key]) for key, one in busy.items() if one["kept_in"] and quiet[key]["open_amount"]]
    assert len(others) > 5
    for shown, kept in others:
        rate = float(RATES[shown["kept_in"]])
        assert shown["open_amount"] == pytest.approx(kept["open_amount"] * rate, abs=0.01)


def _bills(checked: Checked) -> list[dict[str, Any]]:
    compiled = CompiledWorld(checked)
    runtime = Runtime(compiled, grow_state(compiled, 7).data, "")
    session = runtime.session(checked.schema.roles[0])
    return [dict(one) for one in session.call("find_bills", {"limit": 50}).data["items"]]
