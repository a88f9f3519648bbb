"""Which tasks meet a layer: by row, rule, operation, goal, term and service, counted as the datasheet has it."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest
from tests import worlds
from tests.shared_builds import build

from worldwright.blueprint.load import load_text
from worldwright.engine.tasks import TaskBook
from worldwright.kinds.database.battery.layers import layers_data
from worldwright.kinds.database.compile.tasks.sandbox import Sandbox
from worldwright.kinds.database.kind import compile_blueprint
from worldwright.kinds.database.runtime import Runtime
from worldwright.pack.open import Pack
from worldwright.world.tasks import Key, Task


@cache
def pack(layers: str) -> Pack:
    return build(load_text(worlds.text(worlds.LIBRARY) + f"\nlayers: {layers}\n"), 7).pack


@cache
def played() -> tuple[Sandbox, tuple[tuple[Task, Key], ...], dict[str, list[tuple[str, str]]]]:
    found = pack('{all: ["mess:none"]}')
    book = TaskBook(found.files)
    mess: dict[str, list[tuple[str, str]]] = {}
    for cell in (one for part in json.loads(found.files["mess.json"]).values() for one in part):
        mess.setdefault(cell["label"], []).append((cell["entity"], cell["id"]))
    sandbox = Sandbox(Runtime(compile_blueprint(found.blueprint), found.state, ""))
    return sandbox, tuple((task, book.key(task.id)) for task in book.tasks()), mess


def met(*parts: str, damaged: Any = None) -> set[str]:
    sandbox, tasks, mess = played()
    checked = sandbox.compiled.blueprint
    before = dict(checked.blueprint.layers)
    checked.blueprint.layers.clear()
    checked.blueprint.layers["one"] = parts
    try:
        return set(layers_data(sandbox, tasks, mess if damaged is None else damaged)["one"]["tasks"])
    finally:
        checked.blueprint.layers.clear()
        checked.blueprint.layers.update(before)


def test_a_world_without_layers_says_nothing_of_them() -> None:
    found = build(load_text(worlds.text(worlds.LIBRARY)), 7).pack
    assert "layers" not in json.loads(found.files["datasheet.json"])
    assert json.loads(pack('{all: ["mess:none"]}').files["datasheet.json"])["layers"] == {
        "all": {"rows": 0, "tasks": []}
    }


def test_by_operation_goal_and_policy_as_the_keys_have_them() -> None:
    sandbox, tasks, _ = played()
    called = {call.tool for _, key in tasks for call in key.calls}
    for tool in sorted(called):
        assert {key.task for _, key in tasks if any(c.tool == tool for c in key.calls)} <= met(f"operation:{tool}")
    for name in sandbox.goals:
        of_goal = {key.task for _, key in tasks if name in [u["goal"] for u in key.expects["goals"]]}
        refused = {key.task for _, key in tasks if key.expects.get("asked") == name}
        assert met(f"goal:{name}") == of_goal | refused
    for policy in sandbox.compiled.blueprint.policies:
        deciding = {key.task for _, key in tasks if (key.answer or {}).get("rule") == policy}
        assert deciding <= met(f"policy:{policy}")


def test_by_row_the_tasks_that_are_about_it() -> None:
    sandbox, tasks, _ = played()
    about = {}
    for _, key in tasks:
        for use in key.expects["goals"]:
            for name, at in use["rows"].items():
                if "id" in at:
                    about[key.task] = (sandbox.goals[use["goal"]].goal.given[name].entity, at["id"])
    assert len(about) > 3
    for task, row in about.items():
        assert task in met("mess:mine", damaged={"mine": [row]})
        assert not met("mess:mine", damaged={"mine": [(row[0], "XXX-0001")], "other": [row]})


@pytest.mark.parametrize(
    "part", ["mess:none", "policy:none", "operation:none", "goal:none", "term:none", "service:none", "none"]
)
def test_what_there_is_not_is_met_by_nobody(part: str) -> None:
    assert met(part) == set()
