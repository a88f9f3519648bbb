"""Functions and arithmetic backwards: what an argument has to be for the whole to come out as wanted."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from worldwright.blueprint.expr import nodes as n
from worldwright.core import days

MAX_TEXT_CHARS = 2000
"""Characters of a text that is made to be so long, at most."""


def invert(
    node: n.Arith | n.Scale | n.Divide | n.Call, values: Sequence[Any], target: Any, holidays: Collection[str]
) -> Iterator[tuple[n.Node, Any]]:
    """Parts of the expression, each with a value under which the whole might be `target`; `values` are what the parts are now."""
    if isinstance(node, n.Scale) and (target is None or target % 10**node.up == 0):
        yield node.item, None if target is None else target // 10**node.up
    if target is None:
        return
    match node:
        case n.Arith():
            yield from _arithmetic(node, values[0], values[1], target)
        case n.Divide():
            if values[1]:
                yield node.left, target * values[1]
        case n.Call():
            for i, value in _invert_call(node.name, values, target, holidays):
                if value is not None:
                    yield node.args[i], value


def list_parts(node: n.Arith | n.Scale | n.Divide | n.Call) -> tuple[n.Node, ...]:
    """List what such an expression is made of, in the order in which `invert` wants the values."""
    match node:
        case n.Arith() | n.Divide():
            return node.left, node.right
        case n.Scale():
            return (node.item,)
    return node.args


def _arithmetic(node: n.Arith, left: Any, right: Any, target: Any) -> Iterator[tuple[n.Node, Any]]:
    if right is not None:
        sums = {"+": [target - right], "-": [target + right]}
        yield from ((node.left, value) for value in sums.get(node.op) or _find_factors(target, right))
    if left is not None:
        sums = {"+": [target - left], "-": [left - target]}
        yield from ((node.right, value) for value in sums.get(node.op) or _find_factors(target, left))


def _find_factors(target: int, other: int) -> list[int]:
    """Find what times another number is the target; where nothing is, the whole numbers on either side."""
    if not other:
        return []
    found, rest = divmod(target, other)
    return [found, found + 1] if rest else [found]


def _count_months(earlier: str | None, later: str) -> int | None:
    """Count how many months on the second day is, whatever the day of the month."""
    return None if earlier is None else 12 * (int(later[:4]) - int(earlier[:4])) + int(later[5:7]) - int(earlier[5:7])


def _invert_call(name: str, values: Sequence[Any], target: Any, holidays: Collection[str]) -> Iterator[tuple[int, Any]]:
    """Yield which argument of a library function, and what it would be."""
    first, second = values[0], values[1] if len(values) > 1 else None
    match name:
        case "add_days" if second is not None:
            yield 0, days.add_days(target, -second)
            yield 1, days.days_between(first, target)
        case "days_between":
            yield 1, days.add_days(first, target)
            yield 0, days.add_days(second, -target)
        case "business_days_between":
            yield 1, days.add_business_days(first, target, holidays)
            yield 0, days.add_business_days(second, -target, holidays)
        case "add_business_days" if second is not None:
            yield 0, days.add_business_days(target, -second, holidays)
            yield 1, days.business_days_between(first, target, holidays)
        case "add_months" if second is not None:
            yield 0, days.add_months(target, -second)
            yield 1, _count_months(first, target)
        case "add_hours" if second is not None:
            yield 0, days.add_hours(target, -second)
            yield 1, days.count_hours(first, target)
        case "month_start" | "month_end":
            # Only one day of a month is met: the month itself and its neighbours lie on either side of any other.
            yield from ((0, days.add_months(target, by)) for by in (0, -1, 1))
        case "year" if first is not None:
            yield 0, days.add_months(first, 12 * (target - int(first[:4])))
        case "day":
            yield 0, days.set_hour(target, 9)
        case "at":
            # Hours are whole and hard to meet: the day itself and its neighbours lie on either side of the moment.
            yield from ((0, days.add_days(target[:10], by)) for by in (0, -1, 1))
        case "month" if 1 <= target <= 12 and first is not None:
            yield 0, days.add_months(first, (target - int(first[5:7])) % 12)
        case "weekday" if 0 <= target <= 6 and first is not None:
            yield 0, days.add_days(first, (target - (days.weekday_of(first) or 0)) % 7)
        case "hours_between":
            yield 1, days.add_hours(first, target)
            yield 0, days.add_hours(second, -target)
        case "lower" | "abs":
            yield 0, target
        case "len" if target <= MAX_TEXT_CHARS:
            yield 0, "x" * max(0, target)
