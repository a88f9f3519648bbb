"""Decode a batch of conversations with a KV cache: append tokens to rows, and get the logits of each row's next token.

On a GPU a decoding step over hundreds of rows takes less time than launching its kernels one by one. So there a step of one token
a row is captured once for each batch size and replayed from then on (CUDA graphs). That needs keys and values that stay where they
are: such a decoder is allocated at its full size and used for every batch of rollouts. Elsewhere the cache grows as it is filled.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from transformers import AttentionInterface, AttentionMaskInterface
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import sdpa_mask

from worldwright.train.kv_cache import RaggedKVCache, round_up_slots

ATTENTION_NAME = "worldwright_grouped"
MAX_PREFILL_TOKENS = 65_536
"""Padded tokens of one forward pass over prompts and observations."""
MIN_GRAPH_ROWS = 8
"""Rows of the smallest captured step."""
MAX_CACHE_MEMORY_SHARE = 0.4
"""Share of a GPU's memory that the cache of captured steps may take; where that is not enough, nothing is captured."""


def split_model(model: Any) -> tuple[Any, Any]:
    """Return the decoder and the output head of a causal model, so that logits are computed only where they are needed."""
    inner = model.get_base_model() if hasattr(model, "get_base_model") else model
    return inner.get_decoder(), inner.get_output_embeddings()


class BatchDecoder:
    """Rows of tokens with their keys and values. Every operation is over the first so many rows."""

    def __init__(self, model: Any, pad_token_id: int, rows: int, length: int = 0) -> None:
        self._decoder, self._head = split_model(model)
        self._pad, self._device = pad_token_id, next(model.parameters()).device
        self._cache = RaggedKVCache(rows, length)
        self._lengths = [0] * rows
        """Tokens of each row in the cache."""
        self.logits: Any = None
        """Logits of each row's next token."""
        self._graphs: _CudaGraphs | None = None

    @property
    def rows(self) -> int:
        return self._cache.rows

    def clear(self) -> None:
        """Make all rows empty."""
        self._lengths = [0] * self.rows

    def gather(self, sources: Sequence[int]) -> None:
        """Set each of the first rows to a copy of its source row; a source may be used several times."""
        chosen = torch.tensor(sources, device=self._device)
        self._cache.gather(chosen)
        self.logits[: len(sources)] = self.logits[chosen]
        self._lengths[: len(sources)] = [self._lengths[at] for at in sources]

    def swap_rows(self, some: Sequence[int], others: Sequence[int]) -> None:
        """Exchange rows pair by pair."""
        one, other = (torch.tensor(rows, device=self._device) for rows in (some, others))
        self._cache.swap_rows(one, other)
        self.logits[one], self.logits[other] = self.logits[other], self.logits[one]
        for a, b in zip(some, others, strict=True):
            self._lengths[a], self._lengths[b] = self._lengths[b], self._lengths[a]

    @torch.no_grad()
    def append(self, pieces: Sequence[Sequence[int]]) -> None:
        """Append a piece of tokens to each of the first rows; rows with an empty piece stay as they are."""
        after = [had + len(piece) for had, piece in zip(self._lengths, pieces, strict=False)]
        if self._cache.reserve(max(after)) and self._graphs is not None:
            self._graphs = _CudaGraphs(self)  # captured graphs point to where keys and values were before
        if self._graphs is not None and max(map(len, pieces)) == 1:
            self._graphs.replay(pieces, self._lengths, max(after))
        else:
            begin = 0
            while begin < len(pieces):
                end = _find_chunk_end(pieces, begin)
                if any(pieces[begin:end]):
                    self._append_chunk(slice(begin, end), pieces[begin:end])
                begin = end
        self._lengths[: len(after)] = after

    def _append_chunk(self, rows: slice, pieces: Sequence[Sequence[int]]) -> None:
        device, longest = self._device, max(map(len, pieces))
        had = torch.tensor(self._lengths[rows], device=device)
        sizes = torch.tensor([len(piece) for piece in pieces], device=device)
        ids = torch.tensor([[*piece, *[self._pad] * (longest - len(piece))] for piece in pieces], device=device)
        steps = torch.arange(longest, device=device)
        attended = max(a + len(b) for a, b in zip(self._lengths[rows], pieces, strict=True))
        hidden = self.run_decoder(rows, ids, had[:, None] + steps, steps < sizes[:, None], attended)
        last = hidden[torch.arange(len(pieces), device=device), (sizes - 1).clamp(min=0)]
        self.store_logits(rows, last, sizes > 0)

    def run_decoder(self, rows: slice, ids: Any, positions: Any, real: Any, attended: int) -> Any:
        """Run the decoder over new tokens of these rows and return their hidden states."""
        mask = self._cache.set_positions(rows, positions, real, attended)
        return self._decoder(
            input_ids=ids, attention_mask=mask, position_ids=positions, past_key_values=self._cache, use_cache=True
        ).last_hidden_state

    def store_logits(self, rows: slice, last_hidden: Any, real: Any) -> None:
        """Compute and store the logits of the rows that are `real`."""
        logits = self._head(last_hidden)
        if self.logits is None:
            self.logits = torch.zeros(self.rows, logits.shape[-1], dtype=logits.dtype, device=self._device)
        self.logits[rows] = torch.where(real[:, None], logits, self.logits[rows])

    def capture_graphs(self) -> None:
        """From now on, capture steps of one token a row and replay them. All rows are empty afterwards."""
        self.clear()
        self.append([[self._pad]])  # allocates keys, values and logits, so that they stay where they are
        self._graphs = _CudaGraphs(self)
        self.append([[self._pad]])
        self.clear()

    def new_tensor(self, shape: tuple[int, ...], value: Any, dtype: Any) -> Any:
        return torch.full(shape, value, dtype=dtype, device=self._device)

    @property
    def pad_token_id(self) -> int:
        return self._pad


class _CudaGraphs:
    """Captured steps of one token a row, by number of rows and by number of attended slots."""

    def __init__(self, decoder: BatchDecoder) -> None:
        self._decoder = decoder
        self._ids = decoder.new_tensor((decoder.rows, 1), decoder.pad_token_id, torch.long)
        self._positions = decoder.new_tensor((decoder.rows, 1), 0, torch.long)
        self._real = decoder.new_tensor((decoder.rows, 1), False, torch.bool)
        self._sizes = list_graph_sizes(decoder.rows)
        self._graphs: dict[tuple[int, int], Any] = {}
        self._pool: Any = None

    def replay(self, pieces: Sequence[Sequence[int]], lengths: Sequence[int], attended: int) -> None:
        """Append one token or none to each of the first rows. Rows beyond them, up to the next captured size, stay as they are."""
        size = next(size for size in self._sizes if size >= len(pieces))
        graph = self._graphs.get(key := (size, round_up_slots(attended)))
        if graph is None:  # capturing runs the step: no row may change in it
            self._real.fill_(False)
            graph = self._graphs[key] = self._capture(*key)
        pad, rest = self._decoder.pad_token_id, size - len(pieces)
        now = [[piece[0] if piece else pad, had, len(piece)] for piece, had in zip(pieces, lengths, strict=False)]
        given = torch.tensor(now + [[pad, 0, 0]] * rest, device=self._ids.device)
        self._ids[:size, 0] = given[:, 0]
        self._positions[:size, 0] = given[:, 1]
        self._real[:size, 0] = given[:, 2].bool()
        graph.replay()

    def _capture(self, size: int, attended: int) -> Any:
        side_stream = torch.cuda.Stream()
        side_stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side_stream):
            self._run_step(size, attended)
        torch.cuda.current_stream().wait_stream(side_stream)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=self._pool):
            self._run_step(size, attended)
        self._pool = self._pool or graph.pool()
        return graph

    def _run_step(self, size: int, attended: int) -> None:
        rows = slice(0, size)
        real = self._real[rows]
        hidden = self._decoder.run_decoder(rows, self._ids[rows], self._positions[rows], real, attended)
        self._decoder.store_logits(rows, hidden[:, 0], real[:, 0])


def list_graph_sizes(rows: int) -> list[int]:
    """List the batch sizes for which steps are captured: each twice the one before, and the full size."""
    out = [min(MIN_GRAPH_ROWS, rows)]
    while out[-1] < rows:
        out.append(min(2 * out[-1], rows))
    return out


def create_graph_decoder(model: Any, pad_token_id: int, rows: int, length: int) -> BatchDecoder | None:
    """Create a decoder with captured steps, or None where there is no GPU with room for it or the model cannot be captured."""
    weight = next(model.parameters())
    if weight.device.type != "cuda":
        return None
    memory = torch.cuda.get_device_properties(weight.device).total_memory
    if _count_cache_bytes(model.config, rows, length, weight.dtype) > MAX_CACHE_MEMORY_SHARE * memory:
        return None
    decoder = BatchDecoder(model, pad_token_id, rows, length)
    try:
        decoder.capture_graphs()
    except RuntimeError:  # not every model's step can be captured
        return None
    return decoder


def _count_cache_bytes(config: Any, rows: int, length: int, dtype: Any) -> int:
    heads = getattr(config, "num_key_value_heads", None) or config.num_attention_heads
    width = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    return int(2 * config.num_hidden_layers * heads * width * dtype.itemsize * rows * (round_up_slots(length) + 1))


def _find_chunk_end(pieces: Sequence[Sequence[int]], begin: int) -> int:
    """Find where a forward pass that begins at this row ends: as many rows as fit, one at least."""
    end, longest = begin, 0
    while end < len(pieces):
        longest = max(longest, len(pieces[end]))
        if end > begin and longest * (end + 1 - begin) > MAX_PREFILL_TOKENS:
            break
        end += 1
    return end


def compute_grouped_attention(
    module: Any, query: Any, key: Any, value: Any, attention_mask: Any, scaling: float | None = None, **more: Any
) -> tuple[Any, None]:
    """Compute the attention of one new token a row over the KV cache, for models whose heads share keys and values.

    With a mask, transformers copies keys and values once for every head that shares them, in every layer and step: with hundreds of
    long conversations that copy is most of the time. Here the heads of a group are computed side by side instead. Prefill, with
    more than one token a row, goes the ordinary way.
    """
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
