"""Attention of one new token a row over the KV cache, for models whose heads share keys and values (grouped-query attention).

With a mask, transformers copies keys and values once for every head that shares them, in every layer and step: with hundreds of
long conversations that copy is most of the time. Here the heads of a group are computed side by side instead. Prefill, with more
than one token a row, goes the ordinary way.
"""

from __future__ import annotations

from typing import Any

from transformers import AttentionInterface, AttentionMaskInterface
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import sdpa_mask

ATTENTION_NAME = "worldwright_grouped"


def compute_grouped_attention(
    module: Any, query: Any, key: Any, value: Any, attention_mask: Any, scaling: float | None = None, **more: Any
) -> tuple[Any, None]:
    rows, heads, tokens, width = query.shape
    if tokens != 1 or attention_mask is None or key.shape[2] != attention_mask.shape[-1]:
        out: tuple[Any, None] = sdpa_attention_forward(
            module, query, key, value, attention_mask, scaling=scaling, **more
        )
        return out
    groups = key.shape[1]
    scale = width**-0.5 if scaling is None else scaling
    scores = query.reshape(rows, groups, heads // groups, width) @ key.transpose(-1, -2)
    scores = (scores.float() * scale).masked_fill(~attention_mask, float("-inf"))
    mixed = scores.softmax(-1).to(value.dtype) @ value
    return mixed.reshape(rows, 1, heads, value.shape[-1]), None


AttentionInterface.register(ATTENTION_NAME, compute_grouped_attention)
AttentionMaskInterface.register(ATTENTION_NAME, sdpa_mask)
