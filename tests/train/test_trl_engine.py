"""A run through TRL's trainers, on our tokens, in our worlds."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
import torch
from tests.train import pupils
from tests.train.conftest import lines, small_qwen3

from worldwright.core.errors import UsageError
from worldwright.train.order import places_of
from worldwright.train.settings import Settings
from worldwright.train.trl_engine import rows_of, train


@pytest.fixture(scope="module")
def native(places: Any) -> Any:
    from trl.chat_template_utils import qwen3_chat_template

    return pupils.tokenizer_for(places[:4], qwen3_chat_template)


@pytest.fixture
def made(gym_folder: Path) -> Settings:
    return pupils.settings(
        gym_folder, engine="trl", talk={"form": "native"}, tasks=["task_00[1-3]"], save_every=1,
        rollout={"context": 12_000, "turns": 1, "turn_tokens": 16}, ready={"episodes": 1}, sft={"batch": 1, "rate": 1e-3},
        grpo={"tasks": 1, "group": 2, "kl": 0.01},
    )  # fmt: skip


@pytest.mark.slow
def test_two_steps_of_each_and_no_more_when_it_is_resumed(made: Settings, native: Any, tmp_path: Path) -> None:
    result = train(made, tmp_path / "run", model=(small_qwen3(native), native))
    assert (result["stage"], result["steps"]) == ("grpo", 2)
    found = lines(tmp_path / "run" / "metrics.jsonl")
    assert [(line["stage"], line["step"]) for line in found] == [("sft", 0), ("sft", 1), ("grpo", 0), ("grpo", 1)]
    assert all(math.isfinite(line["loss"]) for line in found)
    assert all({"reward", "all_0", "all_1", "variance", "entropy", "tool_errors"} <= set(line) for line in found[2:])
    assert (tmp_path / "run" / "model" / "config.json").exists()
    with pytest.raises(UsageError, match="holds a run already"):
        train(made, tmp_path / "run", model=(small_qwen3(native), native))
    train(made, tmp_path / "run", resume=True, model=(small_qwen3(native), native))
    assert [line["step"] for line in lines(tmp_path / "run" / "metrics.jsonl")] == [0, 1, 0, 1]


def test_rows_follow_the_order_of_the_steps(made: Settings) -> None:
    places = places_of(made.gyms, made.tasks)
    rows = rows_of(made, places)
    assert len(rows) == made.grpo.steps * made.grpo.tasks
    assert {row["variant"] for row in rows} == {"seed_7", "seed_8"}
    assert rows == rows_of(made, places)
    assert all("environment" in row and "key" not in row for row in rows)


def test_a_model_without_a_template_for_tools_is_sent_to_the_other_engine(
    made: Settings, pupil_words: Any, tmp_path: Path
) -> None:
    torch.set_num_threads(1)
    plain = made.model_copy(update={"talk": made.talk.model_copy(update={"form": "auto"})})
    with pytest.raises(UsageError, match="take --engine plain"):
        train(plain, tmp_path / "run", model=(small_qwen3(pupil_words), pupil_words))
