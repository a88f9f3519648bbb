"""The loop that verl's workers run, with a small model in the place of its servers."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.train import small_models
from tests.train.test_chat_format import split_responses

from worldwright.adapters.rows import list_rows, open_row
from worldwright.agents import chat
from worldwright.train.chat_format import ChatFormat, TokenizedEpisode
from worldwright.train.settings import ChatFormatSettings
from worldwright.train.verl_loop import AgentLoopEpisode, play_episode


@pytest.fixture(scope="module")
def row(gym_folder: Path) -> dict[str, Any]:
    return next(list_rows(str(gym_folder)))


@pytest.fixture(scope="module")
def chat_format(plain_tokenizer: Any) -> ChatFormat:
    return ChatFormat(plain_tokenizer, ChatFormatSettings(style="compact"))


def play(
    chat_format: ChatFormat, row: dict[str, Any], says: Sequence[list[int]], turns: int = 9, most: int = 9_000
) -> AgentLoopEpisode:
    left = iter(says)

    async def generate(ids: list[int]) -> list[int]:
        return next(left)

    return asyncio.run(play_episode(generate, chat_format, row, turns, most))


def gold(chat_format: ChatFormat, row: dict[str, Any]) -> list[list[int]]:
    with open_row(row) as episode:
        key, submit = episode.env.key(), episode.submit
    calls = [*((call.tool, call.arguments) for call in key.calls), (submit, key.answer)]
    return [chat_format.encode_response(chat.make_call_message([call])) for call in calls]


def test_the_gold_walk_is_rewarded_and_the_mask_is_on_what_was_said(
    chat_format: ChatFormat, row: dict[str, Any]
) -> None:
    says = gold(chat_format, row)
    found = play(chat_format, row, says)
    assert (found.reward, found.turns, found.no_verdict) == (1.0, len(says), False)
    assert split_responses(TokenizedEpisode(found.response_ids, found.response_mask)) == says
    assert len(found.response_ids) == len(found.response_mask)


def test_silence_is_answered_and_turns_are_limited(chat_format: ChatFormat, row: dict[str, Any]) -> None:
    found = play(chat_format, row, [[*chat_format.encode("Good morning."), chat_format.eos_token_id]] * 3, turns=3)
    assert (found.reward, found.turns) == (0.0, 3)
    assert chat_format.decode(found.response_ids).count("Please go on with a tool call") == 2


def test_it_stops_where_there_is_no_more_room(chat_format: ChatFormat, row: dict[str, Any]) -> None:
    found = play(chat_format, row, gold(chat_format, row), most=40)
    assert len(found.response_ids) <= 40
    assert found.reward == 0.0


def test_a_world_that_broke_moves_nothing(
    chat_format: ChatFormat, row: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    from worldwright.world.tasks import Verdict

    monkeypatch.setattr("worldwright.engine.episode.Episode.verify", lambda self: Verdict("error", reason="gone"))
    found = play(chat_format, row, gold(chat_format, row))
    assert (found.no_verdict, found.reward, sum(found.response_mask)) == (True, 0.0, 0)


def test_a_model_plays_it(chat_format: ChatFormat, row: dict[str, Any], gym_folder: Path, plain_tokenizer: Any) -> None:
    import torch

    engine = small_models.make_engine(small_models.make_settings(gym_folder), plain_tokenizer)

    async def generate(ids: list[int]) -> list[int]:
        out = engine.model.generate(torch.tensor([ids]), max_new_tokens=8, do_sample=False)
        found: list[int] = out[0, len(ids) :].tolist()
        return found

    found = asyncio.run(play_episode(generate, chat_format, row, 2, 500))
    assert (found.turns, found.reward) == (2, 0.0)
    assert sum(found.response_mask) == 16
