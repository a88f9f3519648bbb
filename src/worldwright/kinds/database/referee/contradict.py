"""Answers that contradict what was done: another outcome, another figure, a part too many or too few."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from worldwright.core.days import add_days, parse_day
from worldwright.kinds.database.referee.around import Episode, spread
from worldwright.kinds.database.referee.decide import Referee

PLAY = "another answer"
OTHER_TEXT = "something else"


def list_contradictions(referee: Referee, answer: Mapping[str, Any], most: int) -> Iterator[Episode]:
    """Yield the witness, or nothing where it is refused, with answers that differ from the right one."""
    refuses = referee.request.refuses
    steps = () if refuses else referee.steps
    rules = list(referee.compiled.blueprint.policies)
    yield Episode(PLAY, "no answer", steps, answer, submitted=False)
    yield Episode(PLAY, "no words at all", steps, {})
    yield Episode(PLAY, "another outcome", steps, {**answer, "outcome": "done" if refuses else "refused"})
    yield Episode(PLAY, "a part that nobody asked for", steps, {**answer, "remark": OTHER_TEXT})
    for rule in spread(rules, 10 * most if refuses else most):
        yield Episode(PLAY, f"the rule {rule}", steps, {**answer, "rule": rule})
        if not refuses:
            yield Episode(PLAY, f"refused because of {rule}", steps, {**answer, "outcome": "refused", "rule": rule})
            yield Episode(PLAY, f"nothing done, refused because of {rule}", (), {"outcome": "refused", "rule": rule})
    if steps:
        yield Episode(PLAY, "nothing done, and the right answer", (), answer)
    for part in referee.request.parts:
        if part not in ("outcome", "rule"):
            yield Episode(PLAY, f"{part} left out", steps, {k: v for k, v in answer.items() if k != part})
        if part != "outcome":
            for other in spread(_list_others(answer.get(part)), most):
                yield Episode(PLAY, f"{part} = {other!r}", steps, {**answer, part: other})


def _list_others(value: Any) -> list[Any]:
    """List values that are not this one."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, (int, float)):
        return [value + 1, value - 1, value * 10, -value]
    if isinstance(value, list):
        return [[*value, OTHER_TEXT], value[1:]] if value else [[OTHER_TEXT]]
    if isinstance(value, str) and parse_day(value) is not None:
        return [add_days(value, 1), add_days(value, -1)]
    return [OTHER_TEXT, f"{value}9"] if isinstance(value, str) else [OTHER_TEXT, 7]
