"""Decoding a batch: replayed steps give what computed steps give. Without a GPU, a captured graph runs its step again."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from worldwright.train import batch_decoder
from worldwright.train.batch_decoder import ATTENTION_NAME, BatchDecoder

PROMPTS = [[5, 6, 7, 8, 9], [10, 11], [12, 13, 14]]
STEPS = ([[20], [21], [22]], [[23], [], [24]], [[25], [26]], [[27, 28, 29], [], [30]], [[], [31], [32]])


@pytest.fixture(scope="module")
def model() -> Any:
    torch.manual_seed(3)
    shape = LlamaConfig(
        vocab_size=64, hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
        max_position_embeddings=512, pad_token_id=0,
    )  # fmt: skip
    llama = LlamaForCausalLM(shape).eval()
    llama.set_attn_implementation(ATTENTION_NAME)
    return llama


@pytest.fixture
def graphed(model: Any, monkeypatch: pytest.MonkeyPatch) -> BatchDecoder:
    """A decoder that replays its steps, with a cache that grows in small blocks."""

    def capture(self: Any, size: int, attended: int) -> Any:
        self._run_step(size, attended)  # as a capture does: no row changes in it
        return SimpleNamespace(replay=lambda: self._run_step(size, attended))

    monkeypatch.setattr("worldwright.train.kv_cache.BLOCK_SLOTS", 16)
    monkeypatch.setattr(batch_decoder._CudaGraphs, "_capture", capture)
    decoder = BatchDecoder(model, 0, 12, 32)
    decoder.capture_graphs()
    return decoder


def test_replayed_steps_give_what_computed_steps_give(model: Any, graphed: BatchDecoder) -> None:
    plain = BatchDecoder(model, 0, 12, 32)
    for pieces in (PROMPTS, *STEPS):
        for decoder in (plain, graphed):
            decoder.append(pieces)
        torch.testing.assert_close(graphed.logits[:3], plain.logits[:3])


def test_a_cache_that_grows_is_captured_again(model: Any, graphed: BatchDecoder) -> None:
    plain = BatchDecoder(model, 0, 12)
    for decoder in (plain, graphed):
        decoder.append(PROMPTS)
        for step in range(40):
            decoder.append([[step % 60 + 1], [7], []])
    torch.testing.assert_close(graphed.logits[:3], plain.logits[:3])


def test_rows_are_empty_after_capturing(model: Any, graphed: BatchDecoder) -> None:
    alone = model(input_ids=torch.tensor([PROMPTS[0]])).logits[0, -1]
    graphed.append(PROMPTS)
    torch.testing.assert_close(graphed.logits[0], alone)
