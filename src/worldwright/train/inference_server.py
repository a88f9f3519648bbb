"""Serve one model to many episodes of an event loop: requests that arrive together are generated in one batch."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, NamedTuple

import torch

from worldwright.train.batch_generator import BatchGenerator, GeneratedTurn
from worldwright.train.chat_format import ChatFormat
from worldwright.train.engine import TrainingEngine, load_model
from worldwright.train.settings import Settings

BATCH_WINDOW_SECONDS = 0.005
"""How long requests are collected before a batch is generated."""


class Request(NamedTuple):
    """A conversation whose next turn is wanted, and the seed to sample it with."""

    token_ids: Sequence[int]
    seed: int


class InferenceServer:
    """Generates the next turn of a conversation, batched with whatever else is requested at the same time."""

    def __init__(self, settings: Settings) -> None:
        engine = TrainingEngine(settings, *load_model(settings))
        self.chat_format, self._model = engine.chat_format, engine.policy_model
        self._max_tokens = settings.rollout.max_turn_tokens
        self._requests: list[Request] = []
        self._batch: asyncio.Task[dict[int, GeneratedTurn]] | None = None

    async def generate_turn(self, token_ids: Sequence[int], seed: int, temperature: float) -> GeneratedTurn:
        if self._batch is None:
            self._batch = asyncio.create_task(self._generate_batch(temperature))
        batch, at = self._batch, len(self._requests)
        self._requests.append(Request(list(token_ids), seed))
        return (await asyncio.shield(batch))[at]  # a request that is cancelled leaves the others alone

    async def _generate_batch(self, temperature: float) -> dict[int, GeneratedTurn]:
        await asyncio.sleep(BATCH_WINDOW_SECONDS)
        requests, self._requests, self._batch = self._requests, [], None
        generator = _SeededBatchGenerator(self._model, self.chat_format, requests, temperature)
        return generator.generate_all(self._max_tokens)


class _SeededBatchGenerator(BatchGenerator):
    """Samples each conversation with its own seed, so that no turn depends on what else is in the batch."""

    def __init__(self, model: Any, chat_format: ChatFormat, requests: Sequence[Request], temperature: float) -> None:
        device = next(model.parameters()).device
        self._generators = [torch.Generator(device=device).manual_seed(one.seed) for one in requests]
        super().__init__(model, chat_format, {at: one.token_ids for at, one in enumerate(requests)}, None, temperature)

    def _sample_tokens(self, probabilities: Any) -> Any:
        numbers = self._conversations[: len(probabilities)]
        return torch.stack(
            [
                torch.multinomial(one, 1, generator=self._generators[number])
                for number, one in zip(numbers, probabilities, strict=True)
            ]
        )
