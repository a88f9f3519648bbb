"""A model of SmolLM2-135M's shape with random weights: it knows nothing, and costs what the real one does."""

from __future__ import annotations

from typing import Any


def make_smollm2_shaped(seed: int, layers: int = 30) -> Any:
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(seed)
    shape = LlamaConfig(
        vocab_size=49_152, hidden_size=576, intermediate_size=1_536, num_hidden_layers=layers, num_attention_heads=9,
        num_key_value_heads=3, max_position_embeddings=8_192, tie_word_embeddings=True,
        pad_token_id=0, bos_token_id=1, eos_token_id=2,
    )  # fmt: skip
    return LlamaForCausalLM(shape)
