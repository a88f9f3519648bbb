"""Time zones: moments that an office wrote by its own clock, far enough away to make it another day there.

A field of the record says which office. Requests, rules and answers speak of days and hours in UTC. Whoever does something about
such a record tells the day of the moment as well.
"""

from __future__ import annotations

from collections.abc import Mapping

from worldwright.blueprint.checked import Checked
from worldwright.blueprint.model import Blueprint
from worldwright.variants.drafting.goal_calls import is_shown, pick_free_name
from worldwright.variants.drafting.restyle import Style, find_columns, restyle
from worldwright.variants.layer import Draft, Layer

STYLE = Style(
    "other_clocks_of_{entity}",
    ("written_in", "clock_of"),
    "The office whose clock the times are by. None: UTC.",
    {"brisbane": "UTC+10", "honolulu": "UTC-10"},
    "clocks_of_other_offices",
    "Of many records, {columns} are by the clock of the office that {marks} names, without a letter behind them. "
    "Brisbane is ten hours ahead of UTC: 2025-03-06 03:00 there is 5 March, 17:00 UTC. "
    "Honolulu is ten hours behind: 2025-03-04 23:00 there is 5 March, 09:00 UTC. "
    "Where no office is named, the time is UTC. "
    "Whoever speaks of a day or an hour means UTC, and so do rules, searches and answers.",
)


def _lay(checked: Checked) -> Draft | None:
    """Lay it on the moments of the kinds of record whose moments tasks have most to do with."""
    columns = find_columns(checked, "time")
    if not columns:
        return None
    return restyle(checked, _tell_days(checked, columns), columns, STYLE)


def _tell_days(checked: Checked, columns: Mapping[str, tuple[str, ...]]) -> Blueprint:
    """Goals about such records want the day of the moment reported, where those who are asked can see it."""
    goals = {}
    for name, spec in checked.blueprint.goals.items():
        goal, told = checked.goals[name], dict(spec.tells)
        for given, kind in goal.given.items():
            cells = checked.schema.entities[kind.entity].columns
            sure = [column for column in columns.get(kind.entity, ()) if not cells[column].optional]
            column = next(iter(sure), "")
            if column and spec.how and is_shown(checked, kind.entity, column, goal.roles):
                told[pick_free_name([*told, *goal.given, *goal.states], f"{column.removesuffix('_at')}_on")] = (
                    f"day({given}.{column})"
                )
        goals[name] = spec.model_copy(update={"tells": told})
    return checked.blueprint.model_copy(update={"goals": goals})


LAYER = Layer(
    "world",
    "records have their times by the clocks of offices far away, where it is another day; requests and rules mean UTC",
    "times by other clocks",
    _lay,
)
