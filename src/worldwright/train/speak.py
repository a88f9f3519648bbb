"""Many conversations at once: what was told goes in, what the model says to it comes out, turn by turn.

A step over a wide batch costs little more than over a narrow one, so all conversations take their turns together: everybody
is fed, then everybody speaks until the last one has ended its turn. Prompts that several rows share are read once, and those who
have ended their turn do not make the others wait for what is worked out over all.
"""

from __future__ import annotations

import copy
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import torch

from worldwright.train.cache import RaggedCache
from worldwright.train.talk import CLOSE, Talk

PREFILL = 32_768
"""Tokens of one forward pass over what was told."""
_TAIL = 12
"""Tokens in which a closing tag must end."""
FEW = 8
"""Rows that go on together to the last: among fewer there is nothing to save."""


class Said(NamedTuple):
    """What one row said in a turn."""

    ids: list[int]
    chances: list[float]
    """The log-probability of each token, as it was drawn."""
    ended: bool
    """Whether it ended its turn itself."""
    called: bool
    """Whether it was stopped behind a call."""


def decoder_and_head(model: Any) -> tuple[Any, Any]:
    """The two halves of a causal model, so that logits are made only where they are looked at."""
    inner = model.get_base_model() if hasattr(model, "get_base_model") else model
    return inner.get_decoder(), inner.get_output_embeddings()


class Choir:
    """Conversations that are held together, each under a number of its own."""

    def __init__(
        self, model: Any, talk: Talk, openings: Mapping[int, Sequence[int]], generator: Any, temperature: float
    ) -> None:
        self._talk, self._generator, self._temperature = talk, generator, temperature
        self._closing = closing_tokens(talk) if talk.settings.one_call else frozenset()
        first: dict[tuple[int, ...], int] = {}
        places = [first.setdefault(tuple(one), len(first)) for one in openings.values()]
        self._rows = list(openings)
        """By place, the number of its conversation."""
        self._all = _Rows(model, talk.end_id, len(first))
        self._all.read([list(one) for one in first])
        self._all.take(places)

    @torch.no_grad()
    def feed(self, told: Mapping[int, Sequence[int]]) -> None:
        """Let rows read what they are told. Rows that are not named are through, and are dropped once they are many."""
        if not told:
            return
        alive = [at for at, row in enumerate(self._rows) if row in told]
        if len(alive) * 4 <= len(self._rows) * 3:
            self._rows = [self._rows[at] for at in alive]
            self._all.take(alive)
        self._all.read([list(told.get(row, ())) for row in self._rows])

    @torch.no_grad()
    def turn(self, speakers: Collection[int], most: int) -> dict[int, Said]:
        """Let these rows speak until they end their turn, make a call, or have said so many tokens.

        Whenever half of those who speak have ended, the others go on among themselves.
        """
        here, places = self._all, [at for at, _ in enumerate(self._rows)]
        going = {row: at for at, row in enumerate(self._rows) if row in speakers}
        ids: dict[int, list[int]] = {row: [] for row in going}
        chances: dict[int, list[float]] = {row: [] for row in going}
        out: dict[int, Said] = {}
        for count in range(1, most + 1):
            tokens, each = (one.tolist() for one in self._draw(here.logits))
            reads: list[list[int]] = [[] for _ in places]
            for row, at in list(going.items()):
                token = tokens[at]
                ids[row].append(token)
                chances[row].append(each[at])
                reads[at] = [token]
                ended = token == self._talk.end_id
                called = not ended and token in self._closing and CLOSE in self._talk.text(ids[row][-_TAIL:])
                if ended or called or count == most:
                    out[row] = Said(ids[row], chances[row], ended, called)
                    del going[row]
            # The last token of a turn is read too: what comes back is told behind it.
            here.read(reads)
            if not going:
                break
            if len(going) * 2 <= len(places) and len(places) >= FEW:
                self._back(here, places)
                places = [places[at] for at in going.values()]
                here, going = self._all.some(places), {row: at for at, row in enumerate(going)}
        self._back(here, places)
        return out

    def _back(self, here: _Rows, places: Sequence[int]) -> None:
        if here is not self._all:
            self._all.put(places, here)

    def _draw(self, given: Any) -> tuple[Any, Any]:
        logits = given.float()
        if not self._temperature:
            drawn = logits.argmax(-1)
            return drawn, logits.log_softmax(-1).gather(-1, drawn[:, None])[:, 0]
        chances = (logits / self._temperature).log_softmax(-1)
        drawn = torch.multinomial(chances.exp(), 1, generator=self._generator)
        return drawn[:, 0], chances.gather(-1, drawn)[:, 0]


class _Rows:
    """Conversations side by side: what each has read, and what it would say next."""

    def __init__(self, model: Any, pad: int, number: int) -> None:
        self._decoder, self._head = decoder_and_head(model)
        self._pad, self._device = pad, next(model.parameters()).device
        self._lengths = [0] * number
        """Of each, the tokens in the cache."""
        self._cache = RaggedCache(number)
        self.logits: Any = None

    def take(self, places: Sequence[int]) -> None:
        """Keep these in this order; one that is named twice is there twice."""
        chosen = torch.tensor(places, device=self._device)
        self._cache.take(chosen)
        self.logits = self.logits[chosen]
        self._lengths = [self._lengths[at] for at in places]

    def some(self, places: Sequence[int]) -> _Rows:
        """A copy of these, to go on by themselves."""
        chosen = torch.tensor(places, device=self._device)
        out = copy.copy(self)
        out._cache, out.logits = self._cache.some(chosen), self.logits[chosen]
        out._lengths = [self._lengths[at] for at in places]
        return out

    def put(self, places: Sequence[int], some: _Rows) -> None:
        """Such a copy back in its place."""
        chosen = torch.tensor(places, device=self._device)
        self._cache.put(chosen, some._cache)
        self.logits[chosen] = some.logits
        for at, length in zip(places, some._lengths, strict=True):
            self._lengths[at] = length

    @torch.no_grad()
    def read(self, pieces: Sequence[Sequence[int]]) -> None:
        """Append a piece to every row; rows with an empty one stay as they are."""
        after = [had + len(piece) for had, piece in zip(self._lengths, pieces, strict=True)]
        self._cache.reserve(max(after))
        begin = 0
        while begin < len(pieces):
            end = _chunk(pieces, begin)
            if any(pieces[begin:end]):
                self._read_rows(slice(begin, end), pieces[begin:end])
            begin = end
        self._lengths = after

    def _read_rows(self, rows: slice, pieces: Sequence[Sequence[int]]) -> None:
        device, wide = self._device, max(map(len, pieces))
        had = torch.tensor(self._lengths[rows], device=device)
        sizes = torch.tensor([len(piece) for piece in pieces], device=device)
        ids = torch.tensor([[*piece, *[self._pad] * (wide - len(piece))] for piece in pieces], device=device)
        steps = torch.arange(wide, device=device)
        positions = had[:, None] + steps[None, :]
        upto = max(a + len(b) for a, b in zip(self._lengths[rows], pieces, strict=True))
        mask = self._cache.aim(rows, positions, steps[None, :] < sizes[:, None], upto)
        hidden = self._decoder(
            input_ids=ids, attention_mask=mask, position_ids=positions, past_key_values=self._cache, use_cache=True
        ).last_hidden_state
        last = hidden[torch.arange(len(pieces), device=device), (sizes - 1).clamp(min=0)]
        logits = self._head(last)
        if self.logits is None:
            self.logits = torch.zeros(len(self._lengths), logits.shape[-1], dtype=logits.dtype, device=device)
        self.logits[rows] = torch.where((sizes > 0)[:, None], logits, self.logits[rows])


def _chunk(pieces: Sequence[Sequence[int]], begin: int) -> int:
    """Where a forward pass that begins here ends: as many rows as fit, one at least."""
    end, widest = begin, 0
    while end < len(pieces):
        widest = max(widest, len(pieces[end]))
        if end > begin and widest * (end + 1 - begin) > PREFILL:
            break
        end += 1
    return end


def closing_tokens(talk: Talk) -> frozenset[int]:
    """The tokens that a closing tag may end with, so that few texts have to be looked at."""
    vocabulary: dict[str, int] = talk.tokenizer.get_vocab()
    return frozenset(number for token, number in vocabulary.items() if ">" in token)
