"""Boards: what is replayed is what would have been computed. Without a GPU to record on, a recording runs its step again."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from worldwright.train import board as boards
from worldwright.train import grouped
from worldwright.train.board import Board

TOLD = [[5, 6, 7, 8, 9], [10, 11], [12, 13, 14]]
STEPS = ([[20], [21], [22]], [[23], [], [24]], [[25], [26]], [[27, 28, 29], [], [30]], [[], [31], [32]])


@pytest.fixture(scope="module")
def small() -> Any:
    torch.manual_seed(3)
    shape = LlamaConfig(
        vocab_size=64, hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
        max_position_embeddings=512, pad_token_id=0,
    )  # fmt: skip
    model = LlamaForCausalLM(shape).eval()
    model.set_attn_implementation(grouped.NAME)
    return model


@pytest.fixture
def recorded(small: Any, monkeypatch: pytest.MonkeyPatch) -> Board:
    """A board that takes the way of recorded steps."""

    def again(self: Any, size: int, upto: int) -> Any:
        self._step(size, upto)  # as a recording does: nobody reads in it
        return SimpleNamespace(replay=lambda: self._step(size, upto))

    monkeypatch.setattr(boards._Recorded, "_record", again)
    board = Board(small, 0, 12, 32)
    board.record()
    return board


def test_replayed_steps_say_what_computed_ones_do(small: Any, recorded: Board) -> None:
    plain = Board(small, 0, 12, 32)
    for pieces in (TOLD, *STEPS):
        for board in (plain, recorded):
            board.read(pieces)
        torch.testing.assert_close(recorded.logits[:3], plain.logits[:3])


def test_a_board_that_grows_is_recorded_anew(small: Any, recorded: Board) -> None:
    plain = Board(small, 0, 12)
    for board in (plain, recorded):
        board.read(TOLD)
        for step in range(300):
            board.read([[step % 60 + 1], [7], []])
    torch.testing.assert_close(recorded.logits[:3], plain.logits[:3])


def test_nobody_has_read_anything_after_recording(small: Any, recorded: Board) -> None:
    alone = small(input_ids=torch.tensor([TOLD[0]])).logits[0, -1]
    recorded.read(TOLD)
    torch.testing.assert_close(recorded.logits[0], alone)
