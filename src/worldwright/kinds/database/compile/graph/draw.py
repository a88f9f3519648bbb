"""Values for inputs that take no id: words, days, amounts, texts.

First the field of the same name in the rows that the call is given, then what was shown under that name anywhere, then something
that the input allows: days near the clock, numbers within the bounds, a short text that nobody has written yet.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from worldwright.blueprint.checked import Input
from worldwright.blueprint.expr.partial import to_stored
from worldwright.core.days import add_days, add_seconds
from worldwright.core.fixed import to_number
from worldwright.core.rng import Stream
from worldwright.kinds.database.compile.graph.memory import Memory
from worldwright.kinds.database.compile.graph.plan import ToolPlan
from worldwright.kinds.database.compile.graph.pool import SeenRow

PAGE_ROWS = 6
"""Rows that a walker asks a search for."""
MAX_OFFSET = 200
"""Units above the lowest number that is allowed, and days ahead."""
HOUR, FARTHEST_HOURS = 3600, 72
"""How far from now a moment lies; nobody can wait for one that is past."""

_PHRASES = ("as agreed", "urgent", "second request", "please check", "for the file", "they asked for it", "see note")

Given: TypeAlias = Sequence[tuple[str, SeenRow]]
"""The rows of the call so far, with their entities."""
Value: TypeAlias = tuple[Any, tuple[int, ...]]
"""A value with the calls that showed it; none where it was made up."""


def draw_value(plan: ToolPlan, memory: Memory, stream: Stream, i: Input, rows: Given) -> Value:
    match i.type.kind:
        case "enum":
            return _draw_word(plan, memory, stream, i), ()
        case "bool":
            return stream.chance(0.6), ()
    if plan.search and i.name in ("limit", "offset"):
        return (PAGE_ROWS if i.name == "limit" else PAGE_ROWS * stream.between(1, 6)), ()
    if plan.waits and i.type.kind == "time":
        return add_seconds(memory.pool.now, HOUR * stream.between(1, FARTHEST_HOURS)), ()
    # A text that was seen before is mostly a number that must not be used twice.
    if i.type.kind != "text" or not plan.mutates or stream.chance(0.05):
        for value, sources in _find_seen_values(memory, stream, i, rows):
            if stream.chance(0.7) and _accepts(i, value):
                return value, sources
    return _make_value(stream, i, memory.pool.now, today=plan.search and stream.chance(0.5)), ()


def _draw_word(plan: ToolPlan, memory: Memory, stream: Stream, i: Input) -> str:
    """Draw one of the words that were asked for least; of a filter, those that some guard wants to see."""
    words = plan.wanted.get(i.name, i.type.values)
    tried = [memory.tried.get((plan.name, i.name, word), 0) for word in words]
    return stream.pick([word for word, times in zip(words, tried, strict=True) if times == min(tried)])


def _find_seen_values(memory: Memory, stream: Stream, i: Input, rows: Given) -> Iterator[Value]:
    for _, seen in reversed(rows):
        if i.name in seen.record and i.name in seen.told:
            yield seen.record[i.name], (seen.told[i.name],)
    if i.type.monetary:
        for _, seen in reversed(rows):
            for name, value in seen.record.items():
                if isinstance(value, float) and value > 0 and name in seen.told:
                    yield value, (seen.told[name],)
    kept = memory.pool.values.get(i.name)
    if kept:
        value = stream.pick(list(kept))
        yield value, (kept[value],)


def _accepts(i: Input, value: Any) -> bool:
    if i.type.kind in ("text", "date", "time"):
        return isinstance(value, str) and (
            i.type.kind != "text" or (i.low or 0) <= len(value) <= (i.high or MAX_OFFSET)
        )
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    scaled = to_stored(i.type, value)
    exact = to_number(scaled, i.type.places) == value
    return exact and (i.low is None or scaled >= i.low) and (i.high is None or scaled <= i.high)


def _make_value(stream: Stream, i: Input, clock: str, today: bool) -> Any:
    match i.type.kind:
        case "text":
            return _text(i, stream)
        case "date" if today:
            return clock[:10]
        case "date":
            ahead = stream.skewed(0, 30 if stream.chance(0.6) else MAX_OFFSET)
            return add_days(clock[:10], ahead if stream.chance(0.7) else -stream.skewed(0, 20))
        case "time":
            return add_seconds(clock, HOUR * stream.between(-FARTHEST_HOURS, FARTHEST_HOURS))
    low = i.low if i.low is not None else 0
    far = low + MAX_OFFSET * 10**i.type.places
    return to_number(stream.skewed(low, far if i.high is None else min(i.high, far)), i.type.places)


def _text(i: Input, stream: Stream) -> str:
    text = f"{stream.pick(_PHRASES)} {stream.below(100_000)}"
    return text[-(i.high or MAX_OFFSET) :].strip().ljust(i.low or 0, ".")
