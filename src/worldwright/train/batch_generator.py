"""Generate turns of many conversations in one batch.

A step over a large batch costs little more than over a small one, so all conversations take their turns together: observations are
appended to all rows, then all rows generate until nearly all have ended their turn. Prompts that several rows share are read once.
Rows that have ended are moved behind the active ones and are not computed; the few stragglers go on generating while the others
take their next turn.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import torch

from worldwright.train.batch_decoder import BatchDecoder
from worldwright.train.chat_format import CALL_CLOSING_TAG, ChatFormat

CLOSING_TAG_TOKENS = 12
"""Last tokens of a turn that are decoded to look for a closing tag."""
MIN_ROWS_TO_REPACK = 8
"""Smallest batch that is repacked when half of its rows have ended: among fewer there is nothing to save."""
STRAGGLER_DIVISOR = 8
"""One row of so many may still be generating when a turn ends for the others."""
MIN_ROWS_FOR_STRAGGLERS = 64
"""Smallest batch that leaves stragglers behind: prefill for a few rows costs as much as waiting for them."""


class GeneratedTurn(NamedTuple):
    """The tokens of one turn of one conversation."""

    token_ids: list[int]
    logprobs: list[float]
    """The log-probability with which each token was sampled."""
    ended: bool
    """Whether the model ended the turn itself, with its end-of-turn token."""


OnTurn = Callable[[int, GeneratedTurn], None]


@dataclass(slots=True)
class _OpenTurn:
    token_ids: list[int] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)


class BatchGenerator:
    """Conversations that are generated together, each with a number of its own."""

    def __init__(
        self, model: Any, chat_format: ChatFormat, prompts: Mapping[int, Sequence[int]], generator: Any, temperature: float,
        decoder: BatchDecoder | None = None,
    ) -> None:  # fmt: skip
        """`generator`: the random generator to sample with; `decoder`: one to use again, where it has rows enough."""
        self._format, self._generator, self._temperature = chat_format, generator, temperature
        self._closing = find_closing_tokens(chat_format) if chat_format.settings.one_call_per_turn else frozenset()
        distinct: dict[tuple[int, ...], int] = {}
        sources = [distinct.setdefault(tuple(prompt), len(distinct)) for prompt in prompts.values()]
        self._conversations = list(prompts)
        """The number of the conversation in each row."""
        fits = decoder if decoder is not None and decoder.rows >= len(sources) else None
        self._decoder = fits or BatchDecoder(model, chat_format.eos_token_id, len(sources))
        self._decoder.clear()
        self._decoder.append([list(prompt) for prompt in distinct])
        self._decoder.gather(sources)
        self.active: dict[int, _OpenTurn] = {number: _OpenTurn() for number in prompts}
        """Conversations whose turn is being generated."""

    @torch.no_grad()
    def append_observations(self, observations: Mapping[int, Sequence[int]]) -> None:
        """Append what conversations observed, and begin their next turn."""
        if observations:
            self._move_to_front(observations)
            front = self._conversations[: len(observations)]
            self._decoder.append([list(observations[number]) for number in front])
            self.active |= {number: _OpenTurn() for number in observations}

    @torch.no_grad()
    def generate_turns(self, max_tokens: int, on_turn: OnTurn | None = None) -> dict[int, GeneratedTurn]:
        """Generate until nearly all active conversations have ended their turn, made a call, or reached `max_tokens`.

        Whenever half of the active rows have ended, the batch is repacked. `on_turn` is called as soon as a turn is complete.
        """
        stragglers = len(self.active) // STRAGGLER_DIVISOR if len(self.active) >= MIN_ROWS_FOR_STRAGGLERS else 0
        front: list[int] = []
        finished: dict[int, GeneratedTurn] = {}
        while len(self.active) > stragglers:
            if not front or (len(self.active) * 2 <= len(front) and len(front) >= MIN_ROWS_TO_REPACK):
                self._move_to_front(self.active)
                front = self._conversations[: len(self.active)]
            tokens, logprobs = (one.tolist() for one in self._sample(self._decoder.logits[: len(front)]))
            pieces: list[list[int]] = [[] for _ in front]
            for at, number in enumerate(front):
                if number not in self.active:
                    continue
                pieces[at] = [tokens[at]]
                turn = self._append_token(self.active[number], tokens[at], logprobs[at], max_tokens)
                if turn is not None:
                    finished[number] = turn
                    del self.active[number]
                    if on_turn is not None:
                        on_turn(number, turn)
            # The last token of a turn is appended too: observations come behind it.
            self._decoder.append(pieces)
        return finished

    def generate_all(self, max_tokens: int) -> dict[int, GeneratedTurn]:
        """Generate until every active conversation has finished its turn."""
        finished: dict[int, GeneratedTurn] = {}
        while self.active:
            finished |= self.generate_turns(max_tokens)
        return finished

    def _append_token(self, turn: _OpenTurn, token: int, logprob: float, max_tokens: int) -> GeneratedTurn | None:
        """Append a token to a turn. Return the turn where the token completes it."""
        turn.token_ids.append(token)
        turn.logprobs.append(logprob)
        ended = token == self._format.eos_token_id
        stop = ended or len(turn.token_ids) == max_tokens
        if not stop and token in self._closing:
            stop = CALL_CLOSING_TAG in self._format.decode(turn.token_ids[-CLOSING_TAG_TOKENS:])
        return GeneratedTurn(turn.token_ids, turn.logprobs, ended) if stop else None

    def _move_to_front(self, numbers: Collection[int]) -> None:
        """Swap the rows of these conversations to the front; rows that are there already stay."""
        behind = [at for at, one in enumerate(self._conversations) if at >= len(numbers) and one in numbers]
        leaving = [at for at, one in enumerate(self._conversations[: len(numbers)]) if one not in numbers]
        if not behind:
            return
        self._decoder.swap_rows(leaving, behind)
        for a, b in zip(leaving, behind, strict=True):
            self._conversations[a], self._conversations[b] = self._conversations[b], self._conversations[a]

    def _sample(self, logits: Any) -> tuple[Any, Any]:
        """Sample a token for each row, greedily at temperature 0. Return tokens and their log-probabilities."""
        logits = logits.float()
        if not self._temperature:
            tokens = logits.argmax(-1)
            return tokens, logits.log_softmax(-1).gather(-1, tokens[:, None])[:, 0]
        logprobs = (logits / self._temperature).log_softmax(-1)
        tokens = self._sample_tokens(logprobs.exp())
        return tokens[:, 0], logprobs.gather(-1, tokens)[:, 0]

    def _sample_tokens(self, probabilities: Any) -> Any:
        return torch.multinomial(probabilities, 1, generator=self._generator)


def find_closing_tokens(chat_format: ChatFormat) -> frozenset[int]:
    """Find the tokens that a closing tag may end with, so that few texts have to be decoded."""
    vocabulary: dict[str, int] = chat_format.tokenizer.get_vocab()
    return frozenset(number for token, number in vocabulary.items() if ">" in token)
