"""Many conversations at once: what was told goes in, what the model says to it comes out, turn by turn.

A step over a wide batch costs little more than over a narrow one, so all conversations take their turns together: everybody
is fed, then everybody speaks until nearly all have ended their turn. Prompts that several rows share are read once. Those who have
ended step back and do not make the others wait for what is worked out over all; and the few who find no end speak on while the
others take their next turn.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

import torch

from worldwright.train.board import Board
from worldwright.train.talk import CLOSE, Talk

_TAIL = 12
"""Tokens in which a closing tag must end."""
FEW = 8
"""Rows that go on together to the last: among fewer there is nothing to save."""
LATE = 8
"""One of so many who speak is not waited for."""
MANY = 64
"""Where fewer speak, all are waited for: reading what a few are told costs as much as the wait."""


class Said(NamedTuple):
    """What one row said in a turn."""

    ids: list[int]
    chances: list[float]
    """The log-probability of each token, as it was drawn."""
    ended: bool
    """Whether it ended its turn itself."""
    called: bool
    """Whether it was stopped behind a call."""


Heard = Callable[[int, Said], None]


class _Turn:
    """What a row has said so far."""

    def __init__(self) -> None:
        self.ids: list[int] = []
        self.chances: list[float] = []


class Choir:
    """Conversations that are held together, each under a number of its own."""

    def __init__(
        self, model: Any, talk: Talk, openings: Mapping[int, Sequence[int]], generator: Any, temperature: float,
        board: Board | None = None,
    ) -> None:  # fmt: skip
        """`board`: one to use again, where it has rows enough."""
        self._talk, self._generator, self._temperature = talk, generator, temperature
        self._closing = closing_tokens(talk) if talk.settings.one_call else frozenset()
        first: dict[tuple[int, ...], int] = {}
        places = [first.setdefault(tuple(one), len(first)) for one in openings.values()]
        self._rows = list(openings)
        """By place, the number of its conversation."""
        fits = board if board is not None and board.rows >= len(places) else None
        self._board = fits or Board(model, talk.end_id, len(places))
        self._board.clear()
        self._board.read([list(one) for one in first])
        self._board.deal(places)
        self.speaking: dict[int, _Turn] = {row: _Turn() for row in openings}
        """Whose turn it is, with what was said in it so far."""

    @torch.no_grad()
    def feed(self, told: Mapping[int, Sequence[int]]) -> None:
        """Let rows read what they are told; then it is their turn."""
        if told:
            self._to_front(told)
            self._board.read([list(told[row]) for row in self._rows[: len(told)]])
            self.speaking |= {row: _Turn() for row in told}

    @torch.no_grad()
    def turn(self, most: int, heard: Heard | None = None) -> dict[int, Said]:
        """Let rows speak until nearly all have ended their turn, made a call, or said so many tokens. What they said.

        Whenever half of those who speak have ended, the others go on among themselves. `heard` is told at once what a row said.
        """
        late = len(self.speaking) // LATE if len(self.speaking) >= MANY else 0
        front: list[int] = []
        out: dict[int, Said] = {}
        while len(self.speaking) > late:
            if not front or (len(self.speaking) * 2 <= len(front) and len(front) >= FEW):
                self._to_front(self.speaking)
                front = self._rows[: len(self.speaking)]
            tokens, chances = (one.tolist() for one in self._draw(self._board.logits[: len(front)]))
            reads: list[list[int]] = [[] for _ in front]
            for at, row in enumerate(front):
                turn = self.speaking.get(row)
                if turn is None:
                    continue
                reads[at] = [tokens[at]]
                said = self._said(turn, tokens[at], chances[at], most)
                if said is not None:
                    out[row] = said
                    del self.speaking[row]
                    if heard is not None:
                        heard(row, said)
            # The last token of a turn is read too: what comes back is told behind it.
            self._board.read(reads)
        return out

    def turns(self, most: int) -> dict[int, Said]:
        """Let everybody speak to the last."""
        out: dict[int, Said] = {}
        while self.speaking:
            out |= self.turn(most)
        return out

    def _said(self, turn: _Turn, token: int, chance: float, most: int) -> Said | None:
        """Take a token into a turn. All of the turn, where it ends with it."""
        turn.ids.append(token)
        turn.chances.append(chance)
        ended = token == self._talk.end_id
        called = not ended and token in self._closing and CLOSE in self._talk.text(turn.ids[-_TAIL:])
        return Said(turn.ids, turn.chances, ended, called) if ended or called or len(turn.ids) == most else None

    def _to_front(self, rows: Collection[int]) -> None:
        """Let these stand in front of all others; who stands there already stays."""
        behind = [at for at, row in enumerate(self._rows) if at >= len(rows) and row in rows]
        leaving = [at for at, row in enumerate(self._rows[: len(rows)]) if row not in rows]
        if not behind:
            return
        self._board.swap(leaving, behind)
        for a, b in zip(leaving, behind, strict=True):
            self._rows[a], self._rows[b] = self._rows[b], self._rows[a]

    def _draw(self, given: Any) -> tuple[Any, Any]:
        logits = given.float()
        if not self._temperature:
            drawn = logits.argmax(-1)
            return drawn, logits.log_softmax(-1).gather(-1, drawn[:, None])[:, 0]
        chances = (logits / self._temperature).log_softmax(-1)
        drawn = self._drawn(chances.exp())
        return drawn[:, 0], chances.gather(-1, drawn)[:, 0]

    def _drawn(self, likely: Any) -> Any:
        return torch.multinomial(likely, 1, generator=self._generator)


def closing_tokens(talk: Talk) -> frozenset[int]:
    """The tokens that a closing tag may end with, so that few texts have to be looked at."""
    vocabulary: dict[str, int] = talk.tokenizer.get_vocab()
    return frozenset(number for token, number in vocabulary.items() if ">" in token)
