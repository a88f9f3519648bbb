"""What a build does with the referee's word."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from tests.worlds import EXAMPLE

from worldwright.blueprint.load import load_file
from worldwright.compiler.build import BuiltWorld, build
from worldwright.kinds.database.battery.settings import BULK
from worldwright.kinds.database.compile.stages import tasks as stage
from worldwright.kinds.database.compile.tasks.knobs import Knobs
from worldwright.kinds.database.referee.compare import Comparison, Disagreement, compare_tasks


def build_library() -> tuple[BuiltWorld, dict[str, Any]]:
    made = build(load_file(EXAMPLE), 7, knobs=Knobs(most=4), battery=BULK)
    return made, json.loads(made.pack.files["datasheet.json"])


def count_tasks(made: BuiltWorld) -> int:
    return sum(path.startswith("tasks/") for path in made.pack.files)


def test_the_datasheet_counts_what_the_referee_said() -> None:
    made, sheet = build_library()
    assert count_tasks(made) > 1
    assert list(sheet["referee"]) == ["agreements", "disagreements", "episodes", "undecided"]
    assert sheet["referee"]["disagreements"] == 0
    assert sheet["referee"]["episodes"] == sheet["referee"]["agreements"] + sheet["referee"]["undecided"]
    assert sheet["referee"]["agreements"] > 5 * count_tasks(made)


def test_a_task_on_which_they_differ_is_dropped_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    def differ_on_the_first(*args: Any) -> Iterator[Comparison]:
        found = list(compare_tasks(*args))
        wrong = Disagreement(found[0].task, "one write more", "", (), None, "right", "fail")
        yield replace(found[0], disagreements=(wrong,))
        yield from found[1:]

    before, _ = build_library()
    monkeypatch.setattr(stage, "compare_tasks", differ_on_the_first)
    after, sheet = build_library()
    assert count_tasks(after) == count_tasks(before) - 1
    assert sheet["dropped"]["referee: one write more"] == 1
    assert sheet["referee"]["disagreements"] == 0
    assert sorted(sheet["tasks"]) == [f"task_{k:03d}" for k in range(1, count_tasks(after) + 1)]
