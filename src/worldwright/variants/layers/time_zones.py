"""Time zones: moments that an office wrote by its own clock, far enough away to make it another day there.

A field of the record says which office. Requests, rules and answers speak of days and hours in UTC. Whoever does something about
such a record tells the day of the moment as well.
"""

from __future__ import annotations

from collections.abc import Mapping

from worldwright.blueprint.checked import Checked
from worldwright.blueprint.model import Blueprint
from worldwright.variants.drafting.noticed import best, messed, noticed
from worldwright.variants.drafting.places import free, shown
from worldwright.variants.drafting.written import Style, by_entity, laid, note_for, noted, restyled, spoken
from worldwright.variants.layer import Laid, Layer

STYLE = Style(
    "other_clocks_of_{entity}",
    ("written_in", "clock_of"),
    "The office whose clock the times are by. None: UTC.",
    {"brisbane": "UTC+10", "honolulu": "UTC-10"},
)


def _lay(checked: Checked) -> Laid | None:
    """On the moments of the kinds of record whose moments tasks have most to do with."""
    weights = noticed(checked)
    found = [cell for cell, _ in best(weights, checked, ["time"]) if not messed(checked, cell)]
    columns = by_entity(found, weights)
    if not columns:
        return None
    bp, labels, fields = restyled(checked, checked.blueprint, columns, STYLE)
    bp = _told(checked, bp, columns)
    name = note_for(checked, "clocks_of_other_offices")
    return laid(noted(bp, name, _says(spoken(checked, columns), fields)), labels)


def _told(checked: Checked, bp: Blueprint, columns: Mapping[str, tuple[str, ...]]) -> Blueprint:
    """Goals about such records want the day of the moment reported, where those who are asked can see it."""
    goals = {}
    for name, spec in bp.goals.items():
        goal, told = checked.goals[name], dict(spec.tells)
        for given, kind in goal.given.items():
            cells = checked.schema.entities[kind.entity].columns
            sure = [column for column in columns.get(kind.entity, ()) if not cells[column].optional]
            column = next(iter(sure), "")
            if column and spec.how and shown(checked, kind.entity, column, goal.roles):
                told[free([*told, *goal.given, *goal.states], f"{column.removesuffix('_at')}_on")] = (
                    f"day({given}.{column})"
                )
        goals[name] = spec.model_copy(update={"tells": told})
    return bp.model_copy(update={"goals": goals})


def _says(columns: str, fields: list[str]) -> str:
    return (
        f"Of many records, {columns} are by the clock of the office that "
        f"{' or '.join(f'`{field}`' for field in fields)} names, without a letter behind them. "
        "Brisbane is ten hours ahead of UTC: 2025-03-06 03:00 there is 5 March, 17:00 UTC. "
        "Honolulu is ten hours behind: 2025-03-04 23:00 there is 5 March, 09:00 UTC. "
        "Where no office is named, the time is UTC. "
        "Whoever speaks of a day or an hour means UTC, and so do rules, searches and answers."
    )


LAYER = Layer(
    "time_zones",
    "world",
    "records have their times by the clocks of offices far away, where it is another day; requests and rules mean UTC",
    "times by other clocks",
    _lay,
)
