"""A handful of tools: what the key needs is there, the rest is drawn, and what is taught is what is played."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.train import pupils

from worldwright.agents.chat import get_tool_name
from worldwright.core.errors import UsageError
from worldwright.train.demonstrations import demonstrations, gold_walks
from worldwright.train.few_tools import few
from worldwright.train.rollouts import Place


def test_what_the_key_calls_is_always_there(places: list[Place]) -> None:
    for place in places:
        (whole,), (short,) = list(gold_walks([place])), list(gold_walks([place], tools=4))
        assert whole is not None
        assert short is not None
        key = place.world.key(place.task)
        names = [get_tool_name(tool) for tool in short.tools]
        needed = {call.tool for call in key.calls} | {call["tool"] for call in key.expects.get("forbidden", ())}
        assert needed <= set(names)
        assert len(names) == 1 + max(4, len(needed))
        assert names == [name for name in map(get_tool_name, whole.tools) if name in names]
        assert names[-1] == get_tool_name(whole.tools[-1])
        assert few(whole.tools, key, 4, place.name) == short.tools
        assert few(whole.tools, key, 0, place.name) == whole.tools
        assert few(whole.tools, key, 99, place.name) == whole.tools


def test_others_are_drawn_by_the_name_of_the_task(places: list[Place]) -> None:
    (whole,) = list(gold_walks(places[:1]))
    assert whole is not None
    key = replace(places[0].world.key(places[0].task), calls=(), expects={})
    drawn = {tuple(map(get_tool_name, few(whole.tools, key, 2, name))) for name in "abcdefgh"}
    assert len(drawn) > 1


def test_what_is_taught_is_what_is_played(gym_folder: Path, places: list[Place]) -> None:
    made = pupils.settings(gym_folder, rollout={"tools": 3, "turns": 1})
    engine = pupils.pupil(made, pupils.tokenizer_for(places))
    for place in places[:4]:
        for line in demonstrations(engine.talk, gold_walks([place], tools=3), 10_000).lines:
            (rolled,) = engine.play([place], 0).rolled
            begin = line.said.index(1)
            assert rolled.line.ids[:begin] == line.ids[:begin]
            assert rolled.line.said[begin] == 1


@pytest.mark.parametrize(
    ("more", "said"),
    [({"engine": "trl"}, "needs the plain engine"), ({"sft": {"data": ["rows.jsonl"]}}, "gold walks of the gyms")],
)
def test_where_it_cannot_be_had_it_is_said(gym_folder: Path, more: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        pupils.settings(gym_folder, rollout={"tools": 3}, **more)
    with pytest.raises(UsageError, match="needs the plain face"):
        pupils.settings(gym_folder, rollout={"tools": 3, "face": "obscured"})


def test_what_is_refused_does_not_show_in_what_is_missing(places: list[Place]) -> None:
    seen = 0
    for place in places:
        for call in place.world.key(place.task).expects.get("forbidden", ()):
            (short,) = list(gold_walks([place], tools=1))
            assert short is not None
            assert call["tool"] in map(get_tool_name, short.tools)
            seen += 1
    assert seen
