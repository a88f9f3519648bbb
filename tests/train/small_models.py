"""Small models that can play, and the tasks that they learn. Only tests that have torch import this."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any, NamedTuple

from tests.train.conftest import byte_pairs, small_qwen3

from worldwright.train.demonstrations import Demonstration, play_gold_walks, tokenize_demonstrations
from worldwright.train.engine import TrainingEngine
from worldwright.train.rollouts import WorldTask
from worldwright.train.settings import Settings, parse_settings
from worldwright.train.task_sampling import load_tasks

COMPACT = {"style": "compact", "max_handbook_tokens": 60, "max_result_rows": 3, "max_result_chars": 200}


def make_settings(gym: Path | str, **more: Any) -> Settings:
    """Make the settings of a run that takes seconds; sections that are given replace single settings of a section."""
    data: dict[str, Any] = {
        "model": "small", "gyms": [str(gym)], "device": "cpu", "chat_format": COMPACT,
        "rollout": {"max_context_tokens": 1_500, "max_turn_tokens": 60, "max_turns": 6},
        "sft": {"learning_rate": 5e-3, "steps": 2, "warmup_steps": 2, "batch_size": 2},
        "grpo": {"steps": 2, "tasks_per_step": 2, "num_generations": 4, "learning_rate": 1e-3, "warmup_steps": 0},
        "readiness": {"episodes": 4},
    }  # fmt: skip
    for name, value in more.items():
        data[name] = {**data[name], **value} if isinstance(value, dict) and name in data else value
    return parse_settings(data, "test")


def collect_texts(demonstrations: list[Demonstration]) -> list[str]:
    """Collect what a tokenizer has to know of demonstrations."""
    calls = [str(m.get("tool_calls", "")).replace("\\", "") for d in demonstrations for m in d.messages]
    return [m.get("content") or "" for d in demonstrations for m in d.messages] + calls


def train_tokenizer(tasks: list[WorldTask], template: str = "") -> Any:
    tokenizer = byte_pairs(collect_texts([d for d in play_gold_walks(tasks) if d is not None]), template)
    tokenizer.chat_template = template or None
    return tokenizer


SHORT_TURNS = {"max_turn_tokens": 16, "max_turns": 3}
"""For a model that is not trained, and never ends a turn itself."""


def make_engine(settings: Settings, tokenizer: Any) -> TrainingEngine:
    return TrainingEngine(settings, small_qwen3(tokenizer), tokenizer)


def list_tasks(gym: Path | str) -> list[WorldTask]:
    return load_tasks([str(gym)])


class TrainedWeights(NamedTuple):
    """Weights of a small model that learned one demonstration nearly by heart: it solves the task, but not always."""

    weights: dict[str, Any]
    task: WorldTask


def train_on_one_task(gym: Path | str, tokenizer: Any, max_steps: int = 200) -> TrainedWeights:
    engine = make_engine(make_settings(gym, sft={"steps": max_steps, "cosine_decay": False}), tokenizer)
    found = (
        (task, tokenize_demonstrations(engine.chat_format, play_gold_walks([task]), 1_500).episodes)
        for task in list_tasks(gym)
    )
    task, episodes = next((task, episodes) for task, episodes in found if episodes)
    engine.start_stage("sft")
    solved = 0.0
    for step in range(max_steps):
        engine.sft_step(step, episodes)
        if step % 10 == 9 and step > 60:
            solved = sum(one.reward or 0 for one in engine.play([task] * 16, step).rollouts)
            if solved >= 8:
                break
    assert 8 <= solved < 16
    return TrainedWeights(deepcopy(engine.model.state_dict()), task)
