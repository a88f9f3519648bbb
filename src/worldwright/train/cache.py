"""Keys and values of many conversations of different lengths, kept from turn to turn.

Every row writes at its own positions, so nothing is padded on the left and a row can be fed the results of its calls while
others were fed more or less. What pads a batch is written to one slot behind the end that no query ever looks at.

Whoever is read for stands in front: a forward pass is over the first so many rows, and rows change places where they have to.
"""

from __future__ import annotations

from typing import Any

import torch
from transformers import Cache

from worldwright.core.errors import UsageError

STEP = 256
"""Slots are added by so many, and looked at by so many."""


def steps_of(length: int) -> int:
    """Slots for so many tokens."""
    return -(-length // STEP) * STEP


class RaggedCache(Cache):
    """For decoders with full attention in every layer. `aim` says where the next forward pass writes and how far it looks."""

    def __init__(self, rows: int, length: int = 0) -> None:
        self.rows, self.length = rows, steps_of(length)
        self.layers: list[Any] = []
        self._keys: list[Any] = []
        self._values: list[Any] = []
        self._slice = slice(0, rows)
        self._slots: Any = None
        self._upto = 0

    def reserve(self, length: int) -> bool:
        """Room for so many tokens a row. Whether everything had to move for it."""
        wanted = steps_of(length)
        if wanted <= self.length:
            return False
        self._keys, self._values = ([_longer(one, wanted) for one in held] for held in (self._keys, self._values))
        self.length = wanted
        return True

    def deal(self, places: Any) -> None:
        """To each of the first rows what stands at a place; one that is named twice is there twice."""
        for held in (*self._keys, *self._values):
            held[: len(places)] = held[places]

    def swap(self, some: Any, others: Any) -> None:
        """Let rows change places, pair by pair."""
        for held in (*self._keys, *self._values):
            held[some], held[others] = held[others], held[some]

    def aim(self, rows: slice, positions: Any, real: Any, upto: int) -> Any:
        """For a forward pass over these rows: tokens stand at `positions` where they are `real`. The mask to pass along."""
        self._slice, self._upto = rows, steps_of(upto)
        self._slots = torch.where(real, positions, self.length)[:, None, :, None]
        keys = torch.arange(self._upto, device=positions.device)
        return (keys[None, None, None, :] <= positions[:, None, :, None]).contiguous()

    def update(self, key_states: Any, value_states: Any, layer_idx: int, *_: Any, **__: Any) -> tuple[Any, Any]:
        if layer_idx == len(self._keys):
            for held, new in ((self._keys, key_states), (self._values, value_states)):
                _, heads, _, width = new.shape
                held.append(torch.zeros(self.rows, heads, self.length + 1, width, dtype=new.dtype, device=new.device))
        out = []
        for held, new in ((self._keys, key_states), (self._values, value_states)):
            view = held[layer_idx][self._slice]
            view.scatter_(2, self._slots.expand(-1, new.shape[1], -1, new.shape[3]), new)
            out.append(view[:, :, : self._upto])
        return out[0], out[1]

    def get_seq_length(self, layer_idx: int = 0) -> int:
        return self._upto


def _longer(held: Any, length: int) -> Any:
    rows, heads, had, width = held.shape
    out = torch.zeros(rows, heads, length + 1, width, dtype=held.dtype, device=held.device)
    out[:, :, : had - 1] = held[:, :, : had - 1]
    return out


def check_fits(config: Any) -> None:
    """Say so where a model does not keep keys and values of every token in every layer."""
    kinds = set(getattr(config, "layer_types", None) or ("full_attention",))
    if kinds != {"full_attention"}:
        raise UsageError(
            f"the plain engine plays models with full attention in every layer; this one has {', '.join(sorted(kinds))}: "
            "take --engine trl"
        )
