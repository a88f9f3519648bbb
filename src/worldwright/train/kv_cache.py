"""A KV cache for conversations of different lengths, kept from turn to turn.

Every row writes at its own positions, so nothing is padded on the left and a row can be given the results of its calls while
others are given more or less. Padding of a batch is written to one slot behind the end that no query attends to.

A forward pass is over the first so many rows: rows that take part in it are swapped to the front.
"""

from __future__ import annotations

from typing import Any

import torch
from transformers import Cache

from worldwright.core.errors import UsageError

BLOCK_SLOTS = 256
"""The cache grows, and attention is computed, in blocks of so many slots."""


def round_up_slots(length: int) -> int:
    """Round a number of tokens up to whole blocks of slots."""
    return -(-length // BLOCK_SLOTS) * BLOCK_SLOTS


class RaggedKVCache(Cache):
    """Keys and values of decoders with full attention in every layer.

    `set_positions` decides where the next forward pass writes and how far it attends."""

    def __init__(self, rows: int, length: int = 0) -> None:
        self.rows, self.length = rows, round_up_slots(length)
        self.layers: list[Any] = []
        self._keys: list[Any] = []
        self._values: list[Any] = []
        self._rows = slice(0, rows)
        self._slots: Any = None
        self._attended = 0

    def reserve(self, length: int) -> bool:
        """Make room for so many tokens a row. Return whether the tensors had to be reallocated."""
        wanted = round_up_slots(length)
        if wanted <= self.length:
            return False
        self._keys, self._values = ([_extend(one, wanted) for one in held] for held in (self._keys, self._values))
        self.length = wanted
        return True

    def gather(self, sources: Any) -> None:
        """Set each of the first rows to a copy of its source row; a source may be used several times."""
        for held in (*self._keys, *self._values):
            held[: len(sources)] = held[sources]

    def swap_rows(self, some: Any, others: Any) -> None:
        """Exchange rows pair by pair."""
        for held in (*self._keys, *self._values):
            held[some], held[others] = held[others], held[some]

    def set_positions(self, rows: slice, positions: Any, real: Any, attended: int) -> Any:
        """Prepare a forward pass over these rows: tokens are written at `positions` where they are `real` and not padding.

        Return the attention mask for it."""
        self._rows, self._attended = rows, round_up_slots(attended)
        self._slots = torch.where(real, positions, self.length)[:, None, :, None]
        keys = torch.arange(self._attended, device=positions.device)
        return (keys[None, None, None, :] <= positions[:, None, :, None]).contiguous()

    def update(self, key_states: Any, value_states: Any, layer_idx: int, *_: Any, **__: Any) -> tuple[Any, Any]:
        if layer_idx == len(self._keys):
            for held, new in ((self._keys, key_states), (self._values, value_states)):
                _, heads, _, width = new.shape
                held.append(torch.zeros(self.rows, heads, self.length + 1, width, dtype=new.dtype, device=new.device))
        out = []
        for held, new in ((self._keys, key_states), (self._values, value_states)):
            view = held[layer_idx][self._rows]
            view.scatter_(2, self._slots.expand(-1, new.shape[1], -1, new.shape[3]), new)
            out.append(view[:, :, : self._attended])
        return out[0], out[1]

    def get_seq_length(self, layer_idx: int = 0) -> int:
        return self._attended


def _extend(held: Any, length: int) -> Any:
    rows, heads, had, width = held.shape
    out = torch.zeros(rows, heads, length + 1, width, dtype=held.dtype, device=held.device)
    out[:, :, : had - 1] = held[:, :, : had - 1]
    return out


def check_full_attention(config: Any) -> None:
    """Refuse a model that does not keep keys and values of every token in every layer."""
    kinds = set(getattr(config, "layer_types", None) or ("full_attention",))
    if kinds != {"full_attention"}:
        raise UsageError(
            f"worldwright train needs full attention in every layer; this model has {', '.join(sorted(kinds))}: "
            "train it with TRL (docs/adapters/trl.md)"
        )
