"""Conversations side by side: what each has read, and what it would say next.

On a GPU a step over hundreds of rows takes less time than it takes to ask for it, kernel by kernel. So there a step of one token a
row is recorded once for each size and replayed from then on (CUDA graphs), which needs keys and values that stay where they are: a
board is as large as its rows may ever get, and is used again by whoever plays next. Elsewhere it grows as it is written on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from worldwright.train.cache import RaggedCache, steps_of

PREFILL = 65_536
"""Tokens of one forward pass over what was told."""
SMALLEST = 8
"""Rows of the smallest recorded step."""
SHARE = 0.4
"""Of a GPU's memory, what keys and values may take for good; where that is not enough, nothing is recorded."""


def decoder_and_head(model: Any) -> tuple[Any, Any]:
    """The two halves of a causal model, so that logits are made only where they are looked at."""
    inner = model.get_base_model() if hasattr(model, "get_base_model") else model
    return inner.get_decoder(), inner.get_output_embeddings()


class Board:
    """Rows of one model, each with what it has read. The first so many of them read."""

    def __init__(self, model: Any, pad: int, rows: int, length: int = 0) -> None:
        self._decoder, self._head = decoder_and_head(model)
        self._pad, self._device = pad, next(model.parameters()).device
        self._cache = RaggedCache(rows, length)
        self._lengths = [0] * rows
        """Of each, the tokens in the cache."""
        self.logits: Any = None
        """Of each, what it would say next."""
        self._recorded: _Recorded | None = None

    @property
    def rows(self) -> int:
        return self._cache.rows

    def clear(self) -> None:
        """Nobody has read anything."""
        self._lengths = [0] * self.rows

    def deal(self, places: Sequence[int]) -> None:
        """To each of the first rows what stands at a place; one that is named twice is there twice."""
        chosen = torch.tensor(places, device=self._device)
        self._cache.deal(chosen)
        self.logits[: len(places)] = self.logits[chosen]
        self._lengths[: len(places)] = [self._lengths[at] for at in places]

    def swap(self, some: Sequence[int], others: Sequence[int]) -> None:
        """Let rows change places, pair by pair."""
        one, other = (torch.tensor(rows, device=self._device) for rows in (some, others))
        self._cache.swap(one, other)
        self.logits[one], self.logits[other] = self.logits[other], self.logits[one]
        for a, b in zip(some, others, strict=True):
            self._lengths[a], self._lengths[b] = self._lengths[b], self._lengths[a]

    @torch.no_grad()
    def read(self, pieces: Sequence[Sequence[int]]) -> None:
        """Append a piece to each of the first rows; those with an empty one stay as they are."""
        after = [had + len(piece) for had, piece in zip(self._lengths, pieces, strict=False)]
        if self._cache.reserve(max(after)) and self._recorded is not None:
            self._recorded = _Recorded(self)  # what was recorded looks at where keys and values were before
        if self._recorded is not None and max(map(len, pieces)) == 1:
            self._recorded.replay(pieces, self._lengths, max(after))
        else:
            begin = 0
            while begin < len(pieces):
                end = _chunk(pieces, begin)
                if any(pieces[begin:end]):
                    self._read_rows(slice(begin, end), pieces[begin:end])
                begin = end
        self._lengths[: len(after)] = after

    def _read_rows(self, rows: slice, pieces: Sequence[Sequence[int]]) -> None:
        device, wide = self._device, max(map(len, pieces))
        had = torch.tensor(self._lengths[rows], device=device)
        sizes = torch.tensor([len(piece) for piece in pieces], device=device)
        ids = torch.tensor([[*piece, *[self._pad] * (wide - len(piece))] for piece in pieces], device=device)
        steps = torch.arange(wide, device=device)
        upto = max(a + len(b) for a, b in zip(self._lengths[rows], pieces, strict=True))
        hidden = self._forward(rows, ids, had[:, None] + steps, steps < sizes[:, None], upto)
        self._put(rows, hidden[torch.arange(len(pieces), device=device), (sizes - 1).clamp(min=0)], sizes > 0)

    def _forward(self, rows: slice, ids: Any, positions: Any, real: Any, upto: int) -> Any:
        mask = self._cache.aim(rows, positions, real, upto)
        return self._decoder(
            input_ids=ids, attention_mask=mask, position_ids=positions, past_key_values=self._cache, use_cache=True
        ).last_hidden_state

    def _put(self, rows: slice, last: Any, real: Any) -> None:
        logits = self._head(last)
        if self.logits is None:
            self.logits = torch.zeros(self.rows, logits.shape[-1], dtype=logits.dtype, device=self._device)
        self.logits[rows] = torch.where(real[:, None], logits, self.logits[rows])

    def record(self) -> None:
        """From now on, steps of one token a row are recorded and replayed. What was read before is forgotten."""
        self.clear()
        self.read([[self._pad]])  # so that keys, values and logits are there, and stay where they are
        self._recorded = _Recorded(self)
        self.read([[self._pad]])
        self.clear()


class _Recorded:
    """Steps of one token a row, by the number of rows and by how far they look."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._ids = torch.full((board.rows, 1), board._pad, device=board._device)
        self._positions = torch.zeros(board.rows, 1, dtype=torch.long, device=board._device)
        self._real = torch.zeros(board.rows, 1, dtype=torch.bool, device=board._device)
        self._sizes = sizes_up_to(board.rows)
        self._graphs: dict[tuple[int, int], Any] = {}
        self._pool: Any = None

    def replay(self, pieces: Sequence[Sequence[int]], lengths: Sequence[int], upto: int) -> None:
        """The first rows read one token each, or nothing. Rows beyond them up to the next recorded size read nothing."""
        size = next(size for size in self._sizes if size >= len(pieces))
        graph = self._graphs.get(key := (size, steps_of(upto)))
        if graph is None:  # recording runs the step: nobody reads in it
            self._real.fill_(False)
            graph = self._graphs[key] = self._record(*key)
        pad, rest = self._board._pad, size - len(pieces)
        now = [[piece[0] if piece else pad, had, len(piece)] for piece, had in zip(pieces, lengths, strict=False)]
        given = torch.tensor(now + [[pad, 0, 0]] * rest, device=self._board._device)
        self._ids[:size, 0] = given[:, 0]
        self._positions[:size, 0] = given[:, 1]
        self._real[:size, 0] = given[:, 2].bool()
        graph.replay()

    def _record(self, size: int, upto: int) -> Any:
        apart = torch.cuda.Stream()
        apart.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(apart):
            self._step(size, upto)
        torch.cuda.current_stream().wait_stream(apart)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=self._pool):
            self._step(size, upto)
        self._pool = self._pool or graph.pool()
        return graph

    def _step(self, size: int, upto: int) -> None:
        rows, board = slice(0, size), self._board
        real = self._real[rows]
        hidden = board._forward(rows, self._ids[rows], self._positions[rows], real, upto)
        board._put(rows, hidden[:, 0], real[:, 0])


def sizes_up_to(rows: int) -> list[int]:
    """Numbers of rows for which steps are recorded: each twice the one before, and all."""
    out = [min(SMALLEST, rows)]
    while out[-1] < rows:
        out.append(min(2 * out[-1], rows))
    return out


def recorded_board(model: Any, pad: int, rows: int, length: int) -> Board | None:
    """A board with recorded steps, where there is a GPU with room for it and the model's steps can be recorded."""
    some = next(model.parameters())
    if some.device.type != "cuda":
        return None
    held = torch.cuda.get_device_properties(some.device).total_memory
    if bytes_of(model.config, rows, length, some.dtype) > SHARE * held:
        return None
    board = Board(model, pad, rows, length)
    try:
        board.record()
    except RuntimeError:  # what a model does in a step need not be fit for it
        return None
    return board


def bytes_of(config: Any, rows: int, length: int, dtype: Any) -> int:
    """What keys and values of so many rows take."""
    heads = getattr(config, "num_key_value_heads", None) or config.num_attention_heads
    width = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    return int(2 * config.num_hidden_layers * heads * width * dtype.itemsize * rows * (steps_of(length) + 1))


def _chunk(pieces: Sequence[Sequence[int]], begin: int) -> int:
    """Where a forward pass that begins here ends: as many rows as fit, one at least."""
    end, widest = begin, 0
    while end < len(pieces):
        widest = max(widest, len(pieces[end]))
        if end > begin and widest * (end + 1 - begin) > PREFILL:
            break
        end += 1
    return end
