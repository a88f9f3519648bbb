"""Season and clock: the opening moved to another time of the year. The past moves along, because it ends at the opening.

Not for a Blueprint that names days of its own calendar (a term, a season, a freeze): what it says would no longer fit.
"""

from __future__ import annotations

import json
import re
from calendar import monthrange
from collections.abc import Iterator
from datetime import date, datetime, timedelta

from worldwright.blueprint.checked import Checked
from worldwright.blueprint.load import canonical
from worldwright.blueprint.model import Blueprint, CaseSpec, PolicySpec
from worldwright.core.days import days_between, moment, parse_day, parse_moment
from worldwright.core.errors import UsageError
from worldwright.variants.axis import Axis, Setting, check_setting

MONTH_END, QUARTER_END = "month_end", "quarter_end"
PLACES = {"december": (12, 12), "midsummer": (7, 15), "new_year": (1, 8), "spring": (4, 10)}
"""By name, month and day at which the season is at its height."""
VALUES = (QUARTER_END, MONTH_END, *PLACES)
MIN_DAYS_APART = 20
"""Days that a season has to be away from the opening as it is: nearer, it is the same season."""
_DAY = re.compile(r"\b(?:19|20)\d\d-[01]\d")


def _list_settings(checked: Checked) -> tuple[Setting, ...]:
    bp = checked.blueprint
    if has_own_calendar(bp):
        return ()
    found: dict[str, str] = {}
    for value in VALUES:
        opening = _opening(bp, value)
        away = abs(days_between(bp.now[:10], opening[:10]) or 0)
        if away >= (MIN_DAYS_APART if value in PLACES else 1) and opening not in found.values():
            found[value] = opening
    return tuple(Setting(value, _phrase(bp, value)) for value in found)


def has_own_calendar(bp: Blueprint) -> bool:
    """Return whether a Blueprint names days, outside of holidays and of cases that say when they are."""
    data = canonical(bp.model_copy(update={"holidays": (), "now": ""}))
    for policy in data.get("policies", {}).values():
        policy.pop("cases", None)
    return _DAY.search(json.dumps(data, ensure_ascii=False)) is not None


def _vary(bp: Blueprint, value: str) -> Blueprint:
    check_setting("season", value, VALUES)
    now = _opening(bp, value)
    policies = {name: _date_cases(policy, bp.now) for name, policy in bp.policies.items()}
    return bp.model_copy(update={"now": now, "policies": policies, "holidays": _holidays(bp, now)})


def _opening(bp: Blueprint, value: str) -> str:
    """The business day of that season that is nearest to the opening as it is, at the same hour."""
    at = parse_moment(bp.now)
    if at is None:
        raise UsageError(f"`season` cannot be set: the Blueprint opens at {bp.now[:40]!r}, which is no moment")
    best = min(_days(value, at.date().year), key=lambda day: (abs((day - at.date()).days), day))
    return moment(datetime.combine(_business_day(best, bp.holidays), at.time()))


def _days(value: str, year: int) -> Iterator[date]:
    for y in (year - 1, year, year + 1):
        if value in PLACES:
            yield date(y, *PLACES[value])
            continue
        for month in range(1, 13):
            if value == MONTH_END or month % 3 == 0:
                yield date(y, month, monthrange(y, month)[1])


def _business_day(day: date, holidays: tuple[str, ...]) -> date:
    """The day itself or the last business day before it."""
    while day.weekday() > 4 or day.isoformat() in holidays:
        day -= timedelta(days=1)
    return day


def _date_cases(policy: PolicySpec, now: str) -> PolicySpec:
    """Let the cases of a policy mean the day on which they were written."""
    return policy.model_copy(update={"cases": tuple(_date_case(case, now) for case in policy.cases)})


def _date_case(case: CaseSpec, now: str) -> CaseSpec:
    kind = next(k for k in ("allowed", "forbidden", "applies", "not_") if getattr(case, k) is not None)
    given = getattr(case, kind)
    return case.model_copy(update={kind: {"today": now[:10], "now": now, **given}})


def _holidays(bp: Blueprint, now: str) -> tuple[str, ...]:
    """The holidays, also in years that the list did not reach before: on the same day of the year."""
    known = [day for text in bp.holidays if (day := parse_day(text)) is not None]
    years = {day.year for day in known}
    wanted = {int(bp.now[:4]), int(now[:4]), int(now[:4]) - 1} - years
    if not years:
        return bp.holidays
    nearest_year = {year: min(years, key=lambda y: (abs(y - year), y)) for year in wanted}
    added = {
        day.replace(year=year).isoformat()
        for year, like in nearest_year.items()
        for day in known
        if day.year == like and (day.month, day.day) != (2, 29)
    }
    return tuple(sorted({*bp.holidays, *added}))


def _phrase(bp: Blueprint, value: str) -> str:
    at = parse_day(_opening(bp, value)[:10])
    assert at is not None
    name = {MONTH_END: "month end", QUARTER_END: "quarter end", "new_year": "new year"}.get(value, value)
    return f"{name} ({at.day} {at:%B} {at.year})"


AXIS = Axis(
    "season", "world", 70, "the time of the year at which it opens; the past moves along", _list_settings, _vary
)
