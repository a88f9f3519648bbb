"""Nothing that an agent is shown before it looks tells whether a rule forbids what is asked."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.domains import CORE_IN_TURN

from worldwright.compiler.build import BuiltWorld
from worldwright.engine.world import World
from worldwright.kinds.database.compile.tasks.single import IF_FORBIDDEN
from worldwright.store.open import world_of
from worldwright.world.tasks import Key, Task


def one_goal(world: World) -> list[tuple[Task, Key]]:
    """Requests for one thing that somebody is to do with a record."""
    found = [(t, world.key(t.id)) for t in world.tasks if t.features["goals"] == 1 and t.family != "program"]
    found = [(t, k) for t, k in found if k.answer["outcome"] != "partly"]
    return [(t, k) for t, k in found if k.answer["outcome"] == "refused" or (t.features["writes"] and _rows(k))]


def _rows(key: Key) -> bool:
    return any(goal["rows"] for goal in key.expects["goals"])


@pytest.mark.parametrize("name", CORE_IN_TURN)
def test_the_answer_has_the_same_form_whether_it_is_done_or_refused(
    built: Callable[[str], BuiltWorld], name: str
) -> None:
    world = world_of(built(name).pack)
    assert all({"outcome", "rule", "record"} <= set(task.answer_schema["properties"]) for task in world.tasks)
    outcomes = set()
    for task, key in one_goal(world):
        outcomes.add(key.answer["outcome"])
        parts = task.answer_schema["properties"]
        assert {"outcome", "rule", "record"} <= set(parts), task.id
        others = [p["description"] for n, p in parts.items() if n not in ("outcome", "rule", "record")]
        assert all(says.endswith("; only where it was done") for says in others), task.id
    assert outcomes == {"done", "refused"}


@pytest.mark.parametrize("name", CORE_IN_TURN)
def test_the_request_speaks_of_rules_whether_or_not_one_forbids_it(
    built: Callable[[str], BuiltWorld], name: str
) -> None:
    world = world_of(built(name).pack)
    found = {
        (key.answer["outcome"], any(says in task.instruction for says in IF_FORBIDDEN)) for task, key in one_goal(world)
    }
    assert found == {(outcome, hint) for outcome in ("done", "refused") for hint in (True, False)}


@pytest.mark.parametrize("name", CORE_IN_TURN)
def test_a_rule_may_be_called_as_the_handbook_calls_it(built: Callable[[str], BuiltWorld], name: str) -> None:
    world = world_of(built(name).pack)
    env = world.env()
    refusals = [(t, k) for t, k in one_goal(world) if k.answer["outcome"] == "refused"]
    for task, key in refusals:
        said = key.answer["rule"].replace("_", " ")
        assert f"**{said}**" in world.handbook
        for way in (said, said.capitalize(), key.answer["rule"]):
            env.reset(task.id)
            for call in key.calls:
                env.call_tool(call.tool, call.arguments)
            env.submit({**key.answer, "rule": way})
            assert env.verify().status == "pass", (task.id, way)


def test_a_part_that_is_forbidden_stands_anywhere(built: Callable[[str], BuiltWorld]) -> None:
    worlds = [world_of(built(name).pack) for name in CORE_IN_TURN]
    keys = [world.key(task.id) for world in worlds for task in world.tasks]
    asked = [(k.expects["place"], len(k.expects["goals"])) for k in keys if k.answer["outcome"] == "partly"]
    assert len(asked) >= 2
    assert any(place == 0 for place, _ in asked)
    assert any(place < last for place, last in asked)
    assert sum(place == last for place, last in asked) <= 0.8 * len(asked)


@pytest.mark.parametrize("name", CORE_IN_TURN)
def test_the_form_goes_by_the_order_in_which_things_are_asked(built: Callable[[str], BuiltWorld], name: str) -> None:
    world = world_of(built(name).pack)
    for task in world.tasks:
        parts = task.answer_schema["properties"]
        places = {part: says for part, p in parts.items() if (says := p["description"]).startswith("of the ")}
        for part, says in places.items():
            first, _, number = part.rpartition("_")
            if number.isdigit() and first in places:
                assert not says.startswith("of the first"), (task.id, part)
        if "record" in places:
            assert places["record"].startswith("of the first"), task.id
