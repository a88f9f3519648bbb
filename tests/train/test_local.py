"""The agent `local:FOLDER`: it generates what it generates in training, whatever else is in the batch, and needs no server."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
import torch
from tests.train import small_models
from tests.train.small_models import TrainedWeights

from worldwright.agents.protocol import Agent, Options, fingerprint, make_agent
from worldwright.cli.main import main
from worldwright.core.errors import UsageError
from worldwright.rollout.episode import EpisodeSetup, play_async
from worldwright.rollout.records import Episode, EpisodeKey, Limits
from worldwright.train.engine import TrainingEngine
from worldwright.train.rollouts import WorldTask
from worldwright.train.settings import write_settings


@pytest.fixture(scope="module")
def engine(gym_folder: Path, plain_tokenizer: Any, trained: TrainedWeights) -> TrainingEngine:
    made = small_models.make_engine(small_models.make_settings(gym_folder), plain_tokenizer)
    made.model.load_state_dict(trained.weights)
    return made


@pytest.fixture(scope="module")
def folder(engine: TrainingEngine, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As `worldwright train` leaves it."""
    out = tmp_path_factory.mktemp("run")
    engine.write_model(out / "model")
    write_settings(engine.settings, out)
    return out / "model"


def played(who: Agent, tasks: list[WorldTask], seed: int = 3) -> list[Episode]:
    async def one(task: WorldTask, at: int) -> Episode:
        setting = EpisodeSetup(
            str(at), EpisodeKey(task.world.digest, task.task_id, 1), task.world.name, "", "plain", seed + at, "x"
        )
        env = task.world.env()
        try:
            return await play_async(env, who, setting, Limits(turns=6))
        finally:
            env.close()

    async def all_of_them() -> list[Episode]:
        return await asyncio.gather(*(one(task, at) for at, task in enumerate(tasks)))

    return asyncio.run(all_of_them())


def test_it_plays_as_in_training(
    engine: TrainingEngine, folder: Path, trained: TrainedWeights, tasks: list[WorldTask]
) -> None:
    some = [trained.task, *tasks[:3]]
    found = played(make_agent(f"local:{folder}", Options(temperature=0.0)), some)
    known = engine.play(some, 0, 0.0).rollouts
    assert [one.messages for one in found] == [one.episode.messages for one in known]
    assert found[0].reward == 1.0
    assert found[0].usage["completion_tokens"] == known[0].tokens.num_response_tokens


def test_an_episode_does_not_depend_on_the_others_in_its_batch(folder: Path, trained: TrainedWeights) -> None:
    who = make_agent(f"local:{folder}", Options(temperature=2.0))
    together = played(who, [trained.task] * 4)
    alone = [played(who, [trained.task], 3 + at)[0] for at in range(4)]
    assert [one.messages for one in together] == [one.messages for one in alone]
    assert len({json.dumps(one.messages) for one in together}) > 1


def test_an_episode_whose_prompt_does_not_fit_is_an_error(folder: Path, trained: TrainedWeights) -> None:
    [one] = played(make_agent(f"local:{folder}", Options(more={"max_context_tokens": "100"})), [trained.task])
    assert (one.status, one.reward) == ("error", None)
    assert "the prompt does not fit" in one.problem


def test_other_weights_are_another_agent(engine: TrainingEngine, folder: Path, tmp_path: Path) -> None:
    same = fingerprint(make_agent(f"local:{folder}"))
    assert fingerprint(make_agent(f"local:{folder}")) == same
    assert fingerprint(make_agent(f"local:{folder}", Options(temperature=0.0))) != same
    engine.write_model(tmp_path / "model")
    moved = make_agent(f"local:{tmp_path / 'model'}", Options(more={"chat-format": "compact"}))
    weights = moved.identity["weights"]
    assert weights == make_agent(f"local:{folder}").identity["weights"]
    with torch.no_grad():
        next(engine.model.parameters())[0] += 1
        engine.write_model(tmp_path / "model")
        next(engine.model.parameters())[0] -= 1
    assert make_agent(f"local:{tmp_path / 'model'}").identity["weights"] != weights


@pytest.mark.parametrize(
    ("spec", "more", "why"),
    [
        ("local:", {}, "name the model"),
        ("local:nowhere", {}, "holds no model"),
        ("local:{}", {"chat-fromat": "plain"}, "chat-format"),
        ("local:{}", {"max_context_tokens": "many"}, r"rollout\.max_context_tokens"),
    ],
)
def test_what_cannot_be_played_is_said(folder: Path, spec: str, more: dict[str, str], why: str) -> None:
    with pytest.raises(UsageError, match=why):
        make_agent(spec.format(folder), Options(more=more))


def test_the_arena_takes_it(folder: Path, gym_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With the model in a process of its own, as the command line does it."""
    with pytest.raises(SystemExit) as done:
        main(
            [
                "arena", "--gym", str(gym_folder), "--sample", "2", "--max-turns", "2", "--agent", f"local:{folder}",
                "--temperature", "0", "--workers", "1", "--out", str(tmp_path / "out"), "--json",
            ]
        )  # fmt: skip
    printed = capsys.readouterr()
    assert not done.value.code, printed.err
    assert f"local:{folder}" in json.dumps(json.loads(printed.out))
