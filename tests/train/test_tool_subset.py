"""Listing only some of the tools: those of the key are there, the rest is sampled, and training and playing list the same."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.train import small_models

from worldwright.agents.chat import get_tool_name
from worldwright.core.errors import UsageError
from worldwright.train.demonstrations import play_gold_walks, tokenize_demonstrations
from worldwright.train.rollouts import WorldTask
from worldwright.train.tool_subset import select_tools


def test_what_the_key_calls_is_always_there(tasks: list[WorldTask]) -> None:
    for task in tasks:
        (whole,), (short,) = list(play_gold_walks([task])), list(play_gold_walks([task], max_tools=4))
        assert whole is not None
        assert short is not None
        key = task.world.key(task.task_id)
        names = [get_tool_name(tool) for tool in short.tools]
        needed = {call.tool for call in key.calls} | {call["tool"] for call in key.expects.get("forbidden", ())}
        assert needed <= set(names)
        assert len(names) == 1 + max(4, len(needed))
        assert names == [name for name in map(get_tool_name, whole.tools) if name in names]
        assert names[-1] == get_tool_name(whole.tools[-1])
        assert select_tools(whole.tools, key, 4, task.name) == short.tools
        assert select_tools(whole.tools, key, 0, task.name) == whole.tools
        assert select_tools(whole.tools, key, 99, task.name) == whole.tools


def test_others_are_drawn_by_the_name_of_the_task(tasks: list[WorldTask]) -> None:
    (whole,) = list(play_gold_walks(tasks[:1]))
    assert whole is not None
    key = replace(tasks[0].world.key(tasks[0].task_id), calls=(), expects={})
    drawn = {tuple(map(get_tool_name, select_tools(whole.tools, key, 2, name))) for name in "abcdefgh"}
    assert len(drawn) > 1


def test_what_is_taught_is_what_is_played(gym_folder: Path, tasks: list[WorldTask]) -> None:
    made = small_models.make_settings(gym_folder, rollout={"max_tools": 3, "max_turns": 1})
    engine = small_models.make_engine(made, small_models.train_tokenizer(tasks))
    for task in tasks[:4]:
        for episode in tokenize_demonstrations(
            engine.chat_format, play_gold_walks([task], max_tools=3), 10_000
        ).episodes:
            (rollout,) = engine.play([task], 0).rollouts
            begin = episode.response_mask.index(1)
            assert rollout.tokens.token_ids[:begin] == episode.token_ids[:begin]
            assert rollout.tokens.response_mask[begin] == 1


@pytest.mark.parametrize(
    ("more", "said"),
    [({"sft": {"data": ["rows.jsonl"]}}, "gold walks of the gyms")],
)
def test_where_it_cannot_be_had_it_is_said(gym_folder: Path, more: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        small_models.make_settings(gym_folder, rollout={"max_tools": 3}, **more)
    with pytest.raises(UsageError, match="needs the plain face"):
        small_models.make_settings(gym_folder, rollout={"max_tools": 3, "face": "obscured"})


def test_what_is_refused_does_not_show_in_what_is_missing(tasks: list[WorldTask]) -> None:
    seen = 0
    for task in tasks:
        for call in task.world.key(task.task_id).expects.get("forbidden", ()):
            (short,) = list(play_gold_walks([task], max_tools=1))
            assert short is not None
            assert call["tool"] in map(get_tool_name, short.tools)
            seen += 1
    assert seen
