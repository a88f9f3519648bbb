"""The caller that draws its calls: values that the schemas allow, and ids that results have shown."""

from __future__ import annotations

import json
from typing import Any

import pytest

from worldwright.core.rng import Stream
from worldwright.engine.walk import Walker
from worldwright.world.records import ToolSpec

ORDER = {"type": "string", "pattern": "^ORD-[0-9]{5,}$", "examples": ["ORD-00001"]}
NUMBER = {"type": "integer", "minimum": 0}
AMOUNT = {"type": "number", "minimum": 5, "maximum": 900}


def walker_of(part: dict[str, Any]) -> Walker:
    """A caller of one tool that takes one thing."""
    schema = {"type": "object", "properties": {"x": part}, "required": ["x"]}
    return Walker((ToolSpec("change", "", schema, {}, True, ""),), Stream("walk"), "2025-06-16T09:00:00Z")


def draw(walker: Walker, times: int = 60) -> list[Any]:
    calls = [walker.call() for _ in range(times)]
    assert {name for name, _ in calls} == {"change"}
    return [arguments["x"] for _, arguments in calls]


@pytest.mark.parametrize("how", ["as data", "as text"])
@pytest.mark.parametrize("nested", [False, True])
def test_ids_that_results_have_shown_are_used(how: str, nested: bool) -> None:
    inner = {"type": "object", "properties": {"order": ORDER}, "required": ["order"]}
    walker = walker_of({"type": "array", "items": inner} if nested else ORDER)
    shown = {"items": [{"id": "ORD-00017", "says": "as MEM-00003 said"}, {"id": "ORD-00018"}], "total": 2}
    for _ in range(3):
        walker.learn(shown) if how == "as data" else walker.learn_text(json.dumps(shown))
    drawn = draw(walker)
    found = {part["order"] for parts in drawn for part in parts} if nested else set(drawn)
    assert found == {"ORD-00017", "ORD-00018"}
    assert sorted(walker.in_order["ORD-"]) == ["ORD-00017", "ORD-00018"], "each once, however often it was shown"


@pytest.mark.parametrize("how", ["as data", "as text"])
def test_ids_that_are_numbers_are_used_as_well_as_others(how: str) -> None:
    walker = walker_of(NUMBER)
    walker.learn({"id": 1010412}) if how == "as data" else walker.learn_text('{"id": 1010412}')
    drawn = draw(walker)
    assert {value for value in drawn if value > 30} == {1010412}
    assert 10 < drawn.count(1010412) < 50


def test_numbers_with_a_bound_are_no_ids() -> None:
    walker = walker_of({**NUMBER, "maximum": 20})
    walker.learn_text('{"id": 1010412}')
    assert set(draw(walker)) <= set(range(21))


def test_amounts_are_within_bounds_and_have_cents() -> None:
    drawn = draw(walker_of(AMOUNT))
    assert all(5 <= value <= 900 and value == round(value, 2) for value in drawn)
    assert any(value != round(value, 1) for value in drawn)
