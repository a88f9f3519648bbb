"""A gym in SkyRL's own registry: whole episodes by text alone, judged by the worlds' verifiers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from worldwright.adapters.export import export
from worldwright.adapters.rows import open_row
from worldwright.adapters.text_rows import list_text_rows
from worldwright.agents.tool_call_text import render_call
from worldwright.engine.episode import Episode
from worldwright.world.tasks import Verdict

skyrl_gym = pytest.importorskip("skyrl_gym")
Row = dict[str, Any]


@pytest.fixture(scope="module")
def rows(gym_folder: Path) -> list[Row]:
    skyrl_gym.register(id="worldwright", entry_point="worldwright.adapters.skyrl:WorldTextEnv")
    return list(list_text_rows(str(gym_folder)))


def made(row: Row, **more: Any) -> Any:
    """An environment as SkyRL's generator makes it: everything but the prompt and the class goes in as extras."""
    extras = {key: value for key, value in row.items() if key not in ("prompt", "env_class")}
    env = skyrl_gym.make(row["env_class"], env_config=None, extras={**extras, **more})
    prompt, _ = env.init(row["prompt"])
    assert prompt == row["prompt"]
    return env


def gold(row: Row) -> list[str]:
    with open_row(row) as episode:
        key = episode.env.key()
        calls = [*((call.tool, call.arguments) for call in key.calls), (episode.submit, key.answer)]
    return [render_call(name, arguments) for name, arguments in calls]


def test_the_gold_walk_is_rewarded_and_nothing_else_is(rows: list[Row]) -> None:
    for row in rows[:6]:
        env = made(row)
        *before, last = [env.step(text) for text in gold(row)]
        assert all(step["observations"][0]["content"].startswith("<tool_response>") for step in before)
        assert [(step["reward"], step["done"]) for step in before] == [(0.0, False)] * len(before)
        assert (last["reward"], last["done"], last["observations"]) == (1.0, True, [])
        env.close()
        idle = made(row)
        step = idle.step(render_call("submit_answer", {"outcome": "done"}))
        assert (step["reward"], step["done"]) == (0.0, True)
        idle.close()


def test_an_episode_ends_after_its_turns(rows: list[Row]) -> None:
    env = made(rows[0], max_turns=2)
    assert not env.step("hm")["done"]
    last = env.step("hm")
    assert (last["done"], last["reward"], last["metadata"]["status"]) == (True, 0.0, "fail")


def test_a_world_that_failed_shows_in_the_metrics(rows: list[Row], monkeypatch: pytest.MonkeyPatch) -> None:
    """SkyRL takes a number from every episode: where there is no verdict, its log has to say so."""
    env = made(rows[0])
    env.step(render_call("submit_answer", {"outcome": "done"}))
    assert env.get_metrics() == {"no_verdict": 0.0}
    monkeypatch.setattr(Episode, "verify", lambda self: Verdict("error", reason="the backend is gone"))
    broken = made(rows[0])
    last = broken.step(render_call("submit_answer", {"outcome": "done"}))
    assert (last["reward"], last["metadata"]) == (0.0, {"status": "error", "no_verdict": 1.0})
    assert broken.aggregate_metrics([env.get_metrics(), broken.get_metrics()]) == {"no_verdict": 0.5}


def test_tools_stand_in_the_system_message_and_no_key_in_a_row(rows: list[Row]) -> None:
    for row in rows:
        assert "submit_answer" in row["prompt"][0]["content"]
        assert set(row) == {"prompt", "env_class", "face", "gym", "variant", "task", "world", "family"}


def test_the_exported_dataset_is_what_the_environment_takes(
    rows: list[Row], gym_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    export("skyrl", str(gym_folder), tmp_path / "package")
    monkeypatch.syspath_prepend(str(tmp_path / "package"))
    lines = (tmp_path / "package" / "data" / "train.jsonl").read_text(encoding="utf-8").splitlines()
    row = json.loads(lines[0])
    assert row["gym"] == "package:worldwright_town_library"
    env = made(row)
    assert [env.step(text)["reward"] for text in gold(row)][-1] == 1.0
