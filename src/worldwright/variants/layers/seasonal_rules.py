"""Seasonal rules: some days of every month on which something rests, so that the day named in a request decides.

The days lie around those that people ask for, so that some requests fall on them and others do not. Where nobody names a day, it is
a day of the record that decides. Tools let it through: what they refuse, trying finds out, and nobody has to read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from worldwright.blueprint import checked as c
from worldwright.blueprint.checked import Checked
from worldwright.blueprint.model import CaseSpec, PolicySpec, StatementSpec
from worldwright.core.days import add_days
from worldwright.core.names import to_words
from worldwright.variants.drafting.goal_calls import (
    GoalCall,
    add_entries,
    find_goal_calls,
    find_past_operations,
    first_with_several,
    insert_before_writes,
    is_shown,
    name_entity,
    pick_free_name,
    shuffle,
    write_path,
)
from worldwright.variants.drafting.typical_sizes import estimate_size
from worldwright.variants.layer import Draft, Layer

NAME = "seasonal_rules"
MAX_RULES = 2
FROM = {"default": 0, "strict": -2, "lenient": 1}
UNTIL = {"default": 8, "strict": 10, "lenient": 5}
"""First and last day, from the day of the month that is asked for most: of such days, half lie before and half within."""
LAST_DAY = 31
_DAY = "on_day - month_start(on_day) + 1"


@dataclass(frozen=True, slots=True)
class _Place:
    """A day that an operation is given, or that a record of it has."""

    operation: str
    day: str
    """As the operation writes it."""
    says: str
    start: int
    """The day of the month around which such days lie."""
    weight: int
    """The heavier, the more requests it decides. Where it would stop the past, it is light."""


def _lay(checked: Checked) -> Draft | None:
    return first_with_several(checked, _choose_places(checked), MAX_RULES, _drafted)


def _drafted(checked: Checked, places: list[_Place]) -> Draft:
    bp = checked.blueprint
    parts = []
    for place in places:
        name = pick_free_name(bp.policies, "quiet_days", f"quiet_days_{place.operation}"[:50])
        obeyed = StatementSpec(obey={name: {"on_day": place.day}})
        obeying = insert_before_writes(bp.operations[place.operation], obeyed)
        bp = add_entries(bp, policies={name: _policy(place, bp.now)}, operations={place.operation: obeying})
        parts.append(f"policy:{name}")
    return Draft(bp, tuple(parts))


def _policy(place: _Place, now: str) -> PolicySpec:
    first = {name: place.start + days for name, days in FROM.items()}
    last = {name: min(LAST_DAY, place.start + days) for name, days in UNTIL.items()}
    start = f"{now[:4]}-01-01"

    def on(day: int) -> dict[str, str | None]:
        return {"on_day": add_days(start, day - 1)}

    return PolicySpec(
        about={"on_day": "date"},
        rule=f"on_day is none or {_DAY} < first_day or {_DAY} > last_day",
        parameters={"first_day": dict(first), "last_day": dict(last)},
        says=(
            f"Quiet days: `{to_words(place.operation)}` rests from day {{first_day:int}} to day {{last_day:int}} of every month, "
            f"both included. Nothing goes through {place.says} one of these days, whatever else speaks for it."
        ),
        enforced="agent",
        code="QUIET_DAYS",
        cases=(
            CaseSpec(forbidden=on(first["default"])),
            CaseSpec(forbidden=on(last["default"])),
            CaseSpec(allowed=on(first["default"] - 1)),
            CaseSpec(forbidden=on(first["strict"]), variant="strict"),
            CaseSpec(allowed=on(first["default"]), variant="lenient"),
        ),
    )


def _choose_places(checked: Checked) -> list[_Place]:
    """Choose days that most goals name first, then days of records; one place per operation."""
    found = {op: max(places, key=lambda p: p.weight) for op, places in _places(checked).items()}
    order = shuffle(checked, NAME, sorted(found))
    return sorted((found[op] for op in order), key=lambda p: -p.weight)


def _places(checked: Checked) -> dict[str, list[_Place]]:
    out: dict[str, list[_Place]] = {}
    for name, calls in find_goal_calls(checked).items():
        op = checked.operations[name]
        own = [*_find_said_days(checked, op, calls), *_find_recorded_days(checked, op, calls)]
        if own:
            out[name] = own
    return out


def _find_said_days(checked: Checked, op: c.Operation, calls: tuple[GoalCall, ...]) -> Iterator[_Place]:
    """Days that goals say and hand to the operation."""
    for i in op.inputs:
        if i.type.kind != "date":
            continue
        drawn = [_estimate_said_day(checked, call, i.name) for call in calls]
        known = [d for d in drawn if d is not None]
        if known:
            says = f"whose `{to_words(i.name)}` is"
            yield _Place(
                op.name, i.name, says, _find_day_of_month(checked, sorted(known)[len(known) // 2]), 2 * len(known)
            )


def _estimate_said_day(checked: Checked, call: GoalCall, name: str) -> float | None:
    goal = checked.goals[call.goal]
    said = write_path(call.args[name]) if name in call.args else None
    if said is None or said not in goal.drawn:
        return None
    found = estimate_size(goal.drawn[said], checked)
    return 0.0 if found is None else found


def _find_recorded_days(checked: Checked, op: c.Operation, calls: tuple[GoalCall, ...]) -> Iterator[_Place]:
    """Days of a record that goals name and the operation is given."""
    light = op.name in find_past_operations(checked)
    for i in op.inputs:
        if i.type.kind != "ref" or i.optional:
            continue
        given = [call for call in calls if write_path(call.args[i.name]) in checked.goals[call.goal].given] if all(
            i.name in call.args for call in calls
        ) else []  # fmt: skip
        entity = checked.schema.entities[i.type.entity]
        if not given or entity.name == checked.schema.actor:
            continue
        for column in entity.stored:
            if (
                column.type.kind != "date"
                or column.optional
                or not is_shown(checked, entity.name, column.name, op.roles)
            ):
                continue
            node = checked.draws.get((entity.name, column.name))
            about = estimate_size(node, checked) if node is not None else None
            says = f"where the `{to_words(column.name)}` of the {name_entity(checked, entity.name)} is"
            yield _Place(
                op.name,
                f"{i.name}.{column.name}",
                says,
                _find_day_of_month(checked, -8 if about is None else about),
                len(given) - 100 * light,
            )


def _find_day_of_month(checked: Checked, offset: float) -> int:
    """Return the day of the month so many days from the opening, as far as a window that begins there has room on both sides."""
    day = add_days(checked.schema.now[:10], round(offset)) or checked.schema.now
    return min(LAST_DAY - 5, max(2 - FROM["strict"], int(day[8:10])))


LAYER = Layer(
    "rules",
    "something rests on some days of every month, and the day that is named, or that a record has, decides",
    "quiet days in every month",
    _lay,
)
