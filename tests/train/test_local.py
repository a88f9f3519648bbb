"""A model in a folder as an agent: it says what it says in training, whoever else speaks, and needs no server."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from tests.train import pupils
from tests.train.pupils import Schooled

from worldwright.agents.protocol import Agent, Options, fingerprint
from worldwright.agents.registry import make_agent
from worldwright.core.errors import UsageError
from worldwright.rollout.episode import EpisodeSetup, play_async
from worldwright.rollout.records import Episode, EpisodeKey, Limits
from worldwright.train.plain_engine import PlainEngine
from worldwright.train.rollouts import Place
from worldwright.train.settings import write_settings


@pytest.fixture(scope="module")
def engine(gym_folder: Path, pupil_words: Any, schooled: Schooled) -> PlainEngine:
    made = pupils.pupil(pupils.settings(gym_folder), pupil_words)
    made.model.load_state_dict(schooled.weights)
    return made


@pytest.fixture(scope="module")
def folder(engine: PlainEngine, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As `worldwright train` leaves it."""
    out = tmp_path_factory.mktemp("run")
    engine.write_model(out / "model")
    write_settings(engine.settings, out)
    return out / "model"


def played(who: Agent, places: list[Place], seed: int = 3) -> list[Episode]:
    async def one(place: Place, at: int) -> Episode:
        setting = EpisodeSetup(
            str(at), EpisodeKey(place.world.digest, place.task, 1), place.world.name, "", "plain", seed + at, "x"
        )
        env = place.world.env()
        try:
            return await play_async(env, who, setting, Limits(turns=6), {})
        finally:
            env.close()

    async def all_of_them() -> list[Episode]:
        return await asyncio.gather(*(one(place, at) for at, place in enumerate(places)))

    return asyncio.run(all_of_them())


def test_it_says_what_it_says_in_training(
    engine: PlainEngine, folder: Path, schooled: Schooled, places: list[Place]
) -> None:
    some = [schooled.place, *places[:3]]
    found = played(make_agent(f"local:{folder}", Options(temperature=0.0)), some)
    known = engine.play(some, 0, 0.0).rolled
    assert [one.messages for one in found] == [one.episode.messages for one in known]
    assert found[0].reward == 1.0
    assert found[0].usage["completion_tokens"] == known[0].line.spoken


def test_what_one_says_does_not_depend_on_who_else_speaks(folder: Path, schooled: Schooled) -> None:
    who = make_agent(f"local:{folder}")
    together = played(who, [schooled.place] * 4)
    alone = [played(who, [schooled.place], 3 + at)[0] for at in range(4)]
    assert [one.messages for one in together] == [one.messages for one in alone]
    assert len({json.dumps(one.messages) for one in together}) > 1


def test_an_episode_that_it_cannot_begin_is_no_failure_of_its(folder: Path, schooled: Schooled) -> None:
    [one] = played(make_agent(f"local:{folder}", Options(more={"context": "100"})), [schooled.place])
    assert (one.status, one.reward) == ("error", None)
    assert "cannot read what an episode begins with" in one.problem


def test_other_weights_are_another_agent(engine: PlainEngine, folder: Path, tmp_path: Path) -> None:
    same = fingerprint(make_agent(f"local:{folder}"))
    assert fingerprint(make_agent(f"local:{folder}")) == same
    assert fingerprint(make_agent(f"local:{folder}", Options(temperature=0.0))) != same
    engine.write_model(tmp_path / "model")
    moved = make_agent(f"local:{tmp_path / 'model'}", Options(more={"form": "compact"}))
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
        ("local:", {}, "say which model"),
        ("local:nowhere", {}, "holds no model"),
        ("local:{}", {"fomr": "plain"}, "form"),
        ("local:{}", {"context": "many"}, r"rollout\.context"),
    ],
)
def test_what_cannot_be_played_is_said(folder: Path, spec: str, more: dict[str, str], why: str) -> None:
    with pytest.raises(UsageError, match=why):
        make_agent(spec.format(folder), Options(more=more))


def test_the_arena_takes_it(folder: Path, gym_folder: Path, tmp_path: Path) -> None:
    """From the command line, as somebody who has just trained it would."""
    done = subprocess.run(
        [
            sys.executable, "-m", "worldwright", "arena", "--gym", str(gym_folder), "--sample", "2", "--max-turns", "4",
            "--agent", f"local:{folder}", "--temperature", "0", "--workers", "1", "--out", str(tmp_path / "out"), "--json",
        ],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert f"local:{folder}" in json.dumps(json.loads(done.stdout))
