"""A model that speaks in many conversations at once, for whoever waits at the same time in one event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, NamedTuple

import torch

from worldwright.train.plain_engine import PlainEngine, load_model
from worldwright.train.settings import Settings
from worldwright.train.speak import Choir, Said

GATHER = 0.005
"""Seconds in which those who wait are gathered."""


class Asked(NamedTuple):
    """A turn that somebody waits for."""

    ids: Sequence[int]
    seed: int


class Voice:
    """`said` waits for the next turn of one conversation."""

    def __init__(self, settings: Settings) -> None:
        engine = PlainEngine(settings, *load_model(settings))
        self.talk, self._model, self._most = engine.talk, engine.speaker, settings.rollout.turn_tokens
        self._asked: list[Asked] = []
        self._next: asyncio.Task[dict[int, Said]] | None = None

    async def said(self, ids: Sequence[int], seed: int, temperature: float) -> Said:
        if self._next is None:
            self._next = asyncio.create_task(self._together(temperature))
        mine, at = self._next, len(self._asked)
        self._asked.append(Asked(list(ids), seed))
        return (await asyncio.shield(mine))[at]  # whoever runs out of time goes alone

    async def _together(self, temperature: float) -> dict[int, Said]:
        await asyncio.sleep(GATHER)
        asked, self._asked, self._next = self._asked, [], None
        return _Apart(self._model, self.talk, asked, temperature).turns(self._most)


class _Apart(Choir):
    """Every row draws for itself: what one says does not depend on who else speaks."""

    def __init__(self, model: Any, talk: Any, asked: Sequence[Asked], temperature: float) -> None:
        device = next(model.parameters()).device
        self._own = [torch.Generator(device=device).manual_seed(one.seed) for one in asked]
        super().__init__(model, talk, {at: one.ids for at, one in enumerate(asked)}, None, temperature)

    def _drawn(self, likely: Any) -> Any:
        rows = self._rows[: len(likely)]
        return torch.stack(
            [torch.multinomial(one, 1, generator=self._own[row]) for row, one in zip(rows, likely, strict=True)]
        )
