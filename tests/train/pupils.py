"""Small models that talk, and the worlds that they learn in. Only tests that have torch import this."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any, NamedTuple

import torch
from tests.train.conftest import byte_pairs, small_qwen3

from worldwright.train.demonstrations import Demonstration, demonstrations, gold_walks
from worldwright.train.order import places_of
from worldwright.train.plain_engine import PlainEngine
from worldwright.train.rollouts import Place
from worldwright.train.settings import Settings, settings_of

SHORT = {"form": "compact", "handbook": 60, "rows": 3, "characters": 200}


def settings(gym: Path | str, **more: Any) -> Settings:
    """A run that takes seconds; parts that are given replace single settings of a part."""
    data: dict[str, Any] = {
        "model": "small", "gyms": [str(gym)], "device": "cpu", "talk": SHORT,
        "rollout": {"context": 1_500, "turn_tokens": 60, "turns": 6},
        "sft": {"rate": 5e-3, "steps": 2, "warmup": 2, "batch": 2},
        "grpo": {"steps": 2, "tasks": 2, "group": 4, "rate": 1e-3, "warmup": 0},
        "ready": {"episodes": 4},
    }  # fmt: skip
    for name, value in more.items():
        data[name] = {**data[name], **value} if isinstance(value, dict) and name in data else value
    return settings_of(data, "test")


def words_of(demos: list[Demonstration]) -> list[str]:
    """What a tokenizer has to know of them."""
    said = [str(m.get("tool_calls", "")).replace("\\", "") for d in demos for m in d.messages]
    return [m.get("content") or "" for d in demos for m in d.messages] + said


def tokenizer_for(places: list[Place], template: str = "") -> Any:
    found = [d for d in gold_walks(places) if d is not None]
    made = byte_pairs(words_of(found), template)
    made.chat_template = template or None
    return made


def pupil(made: Settings, tokenizer: Any) -> PlainEngine:
    torch.set_num_threads(1)
    return PlainEngine(made, small_qwen3(tokenizer), tokenizer)


def places(gym: Path | str) -> list[Place]:
    return places_of([str(gym)])


class Schooled(NamedTuple):
    """What a small model has learned from one demonstration: nearly by heart, so that it solves the task, but not always."""

    weights: dict[str, Any]
    place: Place


def schooled(gym: Path | str, tokenizer: Any, most: int = 200) -> Schooled:
    engine = pupil(settings(gym, sft={"steps": most, "decay": False}), tokenizer)
    found = ((place, demonstrations(engine.talk, gold_walks([place]), 1_500).lines) for place in places(gym))
    place, lines = next((place, lines) for place, lines in found if lines)
    engine.begin("sft")
    won = 0.0
    for step in range(most):
        engine.sft_step(step, lines * 2)
        if step % 10 == 9 and step > 60:
            won = sum(one.reward or 0 for one in engine.play([place] * 16, step).rolled)
            if won >= 8:
                break
    assert 8 <= won < 16
    return Schooled(deepcopy(engine.model.state_dict()), place)
