"""What people and time add to tasks is measured on the witness, and on nothing where there is neither."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.assay.worlds import Proved, proved
from tests.shared_builds import build

from worldwright.blueprint.load import load_file
from worldwright.engine.world import World
from worldwright.kinds.database.compile.tasks.knobs import LIVING
from worldwright.world.records import Call

ENGINE = Path(__file__).parents[2] / "engine"


@pytest.fixture(scope="module")
def lines() -> Proved:
    return proved(build(load_file(ENGINE / "lines.yaml"), 7).pack)


@pytest.fixture(scope="module")
def orders() -> Proved:
    return proved(build(load_file(ENGINE / "orders.yaml"), 7).pack)


def test_a_conversation_is_counted(lines: Proved) -> None:
    talking = [(task, key) for task, key in lines.tasks if task.requester is not None and "hidden" in task.features]
    assert talking
    for task, key in talking:
        requester = task.requester
        assert requester is not None
        theirs = [Call(act.tool, act.arguments) for act in requester.acts]
        assert task.features["hidden"] == len(requester.facts)
        assert task.features.get("beliefs", 0) == sum(bool(fact.thinks) for fact in requester.facts)
        assert task.features.get("changes", 0) == len(requester.changes)
        assert task.features.get("acts", 0) == sum(call in theirs for call in key.calls)


def test_waits_and_what_others_do_meanwhile_are_counted(orders: Proved) -> None:
    waiting = [(task, key) for task, key in orders.tasks if "waits" in task.features]
    assert waiting
    tools = orders.sandbox.compiled.tools
    for task, key in waiting:
        assert task.features["waits"] == sum(tools[call.tool].waits is not None for call in key.calls)
    assert any("others" in task.features for task, _ in waiting)


def test_who_comes_late_is_refused_as_often_as_it_says(orders: Proved) -> None:
    """Measured another way: an episode that lets everything happen before it makes the writes of the gold."""
    for task, key in orders.tasks:
        if "waits" in task.features:
            continue
        session = orders.sandbox.runtime.session(task.role, task.actor)
        session.pass_time_to_end()
        writes = [c for c in key.calls if orders.sandbox.compiled.tools[c.tool].mutates]
        refused = sum(not session.call(call.tool, call.arguments).ok for call in writes)
        assert bool(refused) == bool(task.features.get("rivals", 0) + task.features.get("too_late", 0)), task.id


def test_a_world_without_them_has_none_of_it(library_world: World) -> None:
    for task in library_world.tasks:
        assert not {"waits", "others", "rivals", "too_late", "beliefs", "changes", "acts"} & task.features.keys()
    assert set(LIVING) >= {"hidden"}
