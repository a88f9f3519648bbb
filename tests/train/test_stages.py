"""Whole runs: what is written, and that one which was stopped ends like one which was not."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
import yaml
from tests.train import small_models
from tests.train.conftest import lines, small_qwen3
from tests.train.small_models import TrainedWeights

from worldwright.core.errors import UsageError
from worldwright.train.evaluate import Evaluation, check_readiness
from worldwright.train.settings import ReadinessSettings, Settings, parse_settings, read_settings
from worldwright.train.stages import train

PAGE = Path(__file__).parents[2] / "docs" / "train.md"


class Stop(Exception):
    """Somebody pulled the plug."""


class Until:
    """Watches a run, and stops it before the step that is named is kept."""

    def __init__(self, stage: str = "", step: int = -1) -> None:
        self._at = (stage, step)
        self.notes: list[str] = []

    def step(self, stage: str, step: int, steps: int, found: Mapping[str, float]) -> None:
        if (stage, step) == self._at:
            raise Stop

    def note(self, text: str) -> None:
        self.notes.append(text)


@pytest.fixture(scope="module")
def made(gym_folder: Path, trained: TrainedWeights) -> Settings:
    return small_models.make_settings(
        gym_folder, save_steps=1, tasks=[trained.task.task_id], sft={"steps": 2, "learning_rate": 1e-4}, readiness={"episodes": 2},
        grpo={"steps": 2, "beta": 0.05, "sampling": "band", "learning_rate": 1e-4},
    )  # fmt: skip


@pytest.fixture(scope="module")
def model(trained: TrainedWeights, plain_tokenizer: Any) -> Callable[[], tuple[Any, Any]]:
    """The same model each time, which can do a little already."""

    def get() -> tuple[Any, Any]:
        made = small_qwen3(plain_tokenizer)
        made.load_state_dict(trained.weights)
        return made, plain_tokenizer

    return get


@pytest.fixture(scope="module")
def whole(made: Settings, model: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that nobody stopped."""
    out = tmp_path_factory.mktemp("runs") / "whole"
    observer = Until()
    train(made, out, observer=observer, model=model())
    assert any(note.startswith("readiness: ") for note in observer.notes)
    return out


def weights(folder: Path) -> dict[str, Any]:
    from transformers import AutoModelForCausalLM

    found: dict[str, Any] = AutoModelForCausalLM.from_pretrained(folder).state_dict()
    return found


def figures(out: Path) -> list[dict[str, Any]]:
    return [{k: v for k, v in line.items() if not k.startswith("seconds_")} for line in lines(out / "metrics.jsonl")]


def test_a_run_leaves_its_settings_its_figures_and_its_models(whole: Path, made: Settings) -> None:
    assert parse_settings(read_settings(whole / "run.yaml"), "run.yaml") == made
    found = figures(whole)
    assert [(line["stage"], line["step"]) for line in found] == [(s, n) for s in ("sft", "grpo") for n in range(2)]
    wanted = {
        "reward",
        "solved",
        "reward_variance",
        "all_0",
        "all_1",
        "entropy",
        "kl",
        "episode_tokens",
        "tool_errors",
        "loss",
    }
    assert all(wanted <= set(line) for line in found if line["stage"] == "grpo")
    before, after = weights(whole / "sft"), weights(whole / "model")
    assert any(not torch.equal(before[name], after[name]) for name in before)
    result = json.loads((whole / "result.json").read_text(encoding="utf-8"))
    assert (result["stage"], result["steps"], set(result["readiness"])) == (
        "grpo",
        2,
        {"ready", "well_formed", "solved", "episodes", "reason"},
    )


@pytest.mark.parametrize(("stage", "step"), [("sft", 0), ("sft", 1), ("grpo", 0), ("grpo", 1)])
def test_a_run_that_was_stopped_goes_on_exactly(
    whole: Path, made: Settings, model: Any, tmp_path: Path, stage: str, step: int
) -> None:
    out = tmp_path / "stopped"
    with pytest.raises(Stop):
        train(made, out, observer=Until(stage, step), model=model())
    train(made, out, resume=True, model=model())
    assert figures(out) == figures(whole)
    one, other = weights(out / "model"), weights(whole / "model")
    assert all(torch.equal(one[name], other[name]) for name in other)


def test_the_lines_of_the_page_run(
    whole: Path, gym_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a small model and a small gym in the place of those that the page names."""
    (block,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "runs" / "first").mkdir(parents=True)
    (tmp_path / "runs" / "first" / "model").symlink_to(whole / "model")
    (tmp_path / "boat_hire").symlink_to(gym_folder)
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    exec(compile(block, PAGE.name, "exec"), names)
    assert names["found"].data()["episodes"] == len(small_models.list_tasks(gym_folder))


def test_a_run_is_not_written_over_nor_resumed_as_another(whole: Path, made: Settings, model: Any) -> None:
    at_hand = model()
    with pytest.raises(UsageError, match="holds a run already"):
        train(made, whole, model=at_hand)
    other = parse_settings({**made.model_dump(mode="json"), "seed": 9}, "test")
    with pytest.raises(UsageError, match=r"other settings \(seed\)"):
        train(other, whole, resume=True, model=at_hand)


def test_a_run_can_be_told_to_stop_where_the_model_is_not_ready(gym_folder: Path, model: Any, tmp_path: Path) -> None:
    strict = small_models.make_settings(
        gym_folder, sft={"steps": 1}, readiness={"required": True, "episodes": 2}, rollout={"max_turns": 1}
    )
    with pytest.raises(UsageError, match=r"not ready for GRPO: .*none of 2 episodes was solved"):
        train(strict, tmp_path / "run", model=model())
    assert (
        check_readiness(Evaluation((), 0, 0), ReadinessSettings(min_well_formed=0)).reason
        == "none of 0 episodes was solved: there is nothing to reinforce"
    )


def test_distilled_rows_are_learned_from(gym_folder: Path, dataset: Path, model: Any, tmp_path: Path) -> None:
    rows = str(dataset / "sft" / "train.jsonl")
    made = small_models.make_settings(
        gym_folder,
        algo="sft",
        sft={"data": [rows], "steps": 2},
        chat_format={"style": "plain"},
        rollout={"max_context_tokens": 30_000},
    )
    observer = Until()
    result = train(made, tmp_path / "run", observer=observer, model=model())
    assert (result["stage"], result["steps"]) == ("sft", 2)
    assert f"{len(lines(Path(rows)))} demonstrations" in observer.notes


def test_walks_come_again_with_a_wrong_call(gym_folder: Path, model: Any, tmp_path: Path) -> None:
    counts = []
    for share in (0.0, 1.0):
        observer = Until()
        made = small_models.make_settings(gym_folder, algo="sft", sft={"steps": 1, "error_recovery": share})
        train(made, tmp_path / f"run {share}", observer=observer, model=model())
        note = next(note for note in observer.notes if "demonstrations" in note)
        counts.append(sum(map(int, re.findall(r"(?:^|; )(\d+) (?:demonstrations|dropped)", note))))
    assert counts[0] < counts[1] <= 2 * counts[0], "kept and dropped: what a wrong call shows may keep a walk"


def test_wrong_settings_are_named_with_what_would_be_right(tmp_path: Path) -> None:
    for data, said in (
        ({"model": "m", "gyms": ["g"], "grpo": {"stpes": 3}}, r"grpo\.stpes is no setting; .*steps"),
        ({"model": "m", "gyms": ["g"], "sft": {"learning_rate": -1}}, r"sft\.learning_rate: .*greater than 0"),
        ({"model": "m"}, "gyms: Field required"),
        ({"model": "m", "gyms": ["g"], "rollout": {"face": "plian"}}, "plain"),
    ):
        with pytest.raises(UsageError, match=said):
            parse_settings(data, "run.yaml")
    (tmp_path / "run.yaml").write_text(yaml.safe_dump(["no", "settings"]))
    with pytest.raises(UsageError, match="holds no settings"):
        read_settings(tmp_path / "run.yaml")
    with pytest.raises(UsageError, match="there is no file"):
        read_settings(tmp_path / "none.yaml")
