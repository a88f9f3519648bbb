"""The loop that verl's workers run, with a small model in the place of its servers."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.train import pupils
from tests.train.test_talk import spoken

from worldwright.adapters.rows import list_rows, open_row
from worldwright.agents import chat
from worldwright.train.talk import Line, Talk
from worldwright.train.talk_settings import TalkSettings
from worldwright.train.verl_loop import Conversation, converse


@pytest.fixture(scope="module")
def row(gym_folder: Path) -> dict[str, Any]:
    return next(list_rows(str(gym_folder)))


@pytest.fixture(scope="module")
def talk(pupil_words: Any) -> Talk:
    return Talk(pupil_words, TalkSettings(form="compact"))


def play(talk: Talk, row: dict[str, Any], says: Sequence[list[int]], turns: int = 9, most: int = 9_000) -> Conversation:
    left = iter(says)

    async def generate(ids: list[int]) -> list[int]:
        return next(left)

    return asyncio.run(converse(generate, talk, row, turns, most))


def gold(talk: Talk, row: dict[str, Any]) -> list[list[int]]:
    with open_row(row) as episode:
        key, submit = episode.env.key(), episode.submit
    calls = [*((call.tool, call.arguments) for call in key.calls), (submit, key.answer)]
    return [talk.said(chat.make_call_message([call])) for call in calls]


def test_the_gold_walk_is_rewarded_and_the_mask_is_on_what_was_said(talk: Talk, row: dict[str, Any]) -> None:
    says = gold(talk, row)
    found = play(talk, row, says)
    assert (found.reward, found.turns, found.no_verdict) == (1.0, len(says), False)
    assert spoken(Line(found.response, found.mask)) == says
    assert len(found.response) == len(found.mask)


def test_silence_is_answered_and_turns_are_limited(talk: Talk, row: dict[str, Any]) -> None:
    found = play(talk, row, [[*talk.ids("Good morning."), talk.end_id]] * 3, turns=3)
    assert (found.reward, found.turns) == (0.0, 3)
    assert talk.text(found.response).count("Please go on with a tool call") == 2


def test_it_stops_where_there_is_no_more_room(talk: Talk, row: dict[str, Any]) -> None:
    found = play(talk, row, gold(talk, row), most=40)
    assert len(found.response) <= 40
    assert found.reward == 0.0


def test_a_world_that_broke_moves_nothing(talk: Talk, row: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    from worldwright.world.tasks import Verdict

    monkeypatch.setattr("worldwright.engine.episode.Episode.verify", lambda self: Verdict("error", reason="gone"))
    found = play(talk, row, gold(talk, row))
    assert (found.no_verdict, found.reward, sum(found.mask)) == (True, 0.0, 0)


def test_a_model_plays_it(talk: Talk, row: dict[str, Any], gym_folder: Path, pupil_words: Any) -> None:
    import torch

    engine = pupils.pupil(pupils.settings(gym_folder), pupil_words)

    async def generate(ids: list[int]) -> list[int]:
        out = engine.model.generate(torch.tensor([ids]), max_new_tokens=8, do_sample=False)
        found: list[int] = out[0, len(ids) :].tolist()
        return found

    found = asyncio.run(converse(generate, talk, row, 2, 500))
    assert (found.turns, found.reward) == (2, 0.0)
    assert sum(found.mask) == 16
