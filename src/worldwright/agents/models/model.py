"""A model as an agent."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from decimal import Decimal
from typing import Any

from worldwright.agents.chat import Message, Tool, make_text_message
from worldwright.agents.models import react
from worldwright.agents.models.client import ContextFull, EndpointClient, get_client
from worldwright.agents.models.settings import REACT, Settings, get_host
from worldwright.agents.models.wire import parse_reply, render_messages
from worldwright.agents.protocol import AgentUnavailable, Brief
from worldwright.core.canonical import digest

VERSION = 1
SEEDS = 2**31
"""Seeds are sent below this: more does not fit everywhere."""
MILLION = 1_000_000
MAX_PAUSE_S = 8.0
"""Seconds between two attempts to connect: half a second at first, twice as much each time, and never more than this."""


class Model:
    """A model that is asked over the network. It keeps no key, so it can be handed to other processes."""

    sees_key = False
    waits = True

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    @property
    def name(self) -> str:
        return f"{self._settings.mode}:{self._settings.model}"

    @property
    def identity(self) -> Mapping[str, Any]:
        prompt = {"prompt": digest(react.PROMPT)[:16]} if self._settings.mode == REACT else {}
        return {"version": VERSION, **self._settings.identity(), **prompt}

    def wait_for_connection(self, say: Callable[[str], None]) -> None:
        """Connect before anything is played, with as many retries as a request has; `say` is told of the first that failed."""
        asyncio.run(self._connect(say))

    async def _connect(self, say: Callable[[str], None]) -> None:
        client = EndpointClient(self._settings)
        pauses = [min(MAX_PAUSE_S, 0.5 * 2**at) for at in range(min(self._settings.retries, 64))]
        try:
            problem = await client.find_obstacle()
            if problem and pauses:
                say(f"{problem}; trying again for {sum(pauses):.0f} seconds")
            for pause in pauses:
                if not problem:
                    return
                await asyncio.sleep(pause)
                problem = await client.find_obstacle()
            if problem:
                raise AgentUnavailable(problem)
        finally:
            await client.close()

    def begin(self, brief: Brief) -> ModelActor:
        return ModelActor(self._settings, brief.seed % SEEDS)


class ModelActor:
    """One episode's conversation with a model."""

    def __init__(self, settings: Settings, seed: int) -> None:
        self._settings = settings
        self._seed = seed
        self._full = False
        self._read = self._written = self._requests = self._retries = self._uncounted = 0

    def act(self, messages: Sequence[Message], tools: Sequence[Tool]) -> Coroutine[Any, Any, Message]:
        return self._ask_model(messages, tools)

    @property
    def usage(self) -> Mapping[str, Any]:
        """The requests, tokens and cost of the episode so far."""
        out: dict[str, Any] = {
            "prompt_tokens": self._read,
            "completion_tokens": self._written,
            "requests": self._requests,
            "retries": self._retries,
        }
        cost = self._cost()
        more = {"cost": cost, "uncounted": self._uncounted or None, "context_full": self._full or None}
        return out | {name: value for name, value in more.items() if value is not None}

    async def _ask_model(self, messages: Sequence[Message], tools: Sequence[Tool]) -> Message:
        if self._full:
            return make_text_message("")
        settings = self._settings
        line = await get_client(settings)
        self._requests += 1
        try:
            answer = await line.ask(self._request(messages, tools))
        except ContextFull as e:
            if not any(m.get("role") == "assistant" for m in messages):
                raise AgentUnavailable(f"the model cannot read what an episode begins with: {e}") from None
            # It has talked until nothing more fits. That is the model's doing, and it has nothing more to say.
            self._full = True
            return make_text_message("")
        self._retries += answer.retries
        found = parse_reply(answer.data, messages, get_host(settings))
        if found.tokens is None:
            self._uncounted += 1
        else:
            self._read += found.tokens[0]
            self._written += found.tokens[1]
        if settings.mode == REACT:
            return react.parse_message(found.message, messages, tools)
        return found.message

    def _request(self, messages: Sequence[Message], tools: Sequence[Tool]) -> dict[str, Any]:
        settings = self._settings
        out: dict[str, Any] = {"model": settings.model}
        if settings.mode == REACT:
            out["messages"] = render_messages(react.render_conversation(messages, tools, settings.tools == "schemas"))
            if settings.stop:
                out["stop"] = list(react.STOP)
        else:
            out["messages"] = render_messages(messages, settings.send_reasoning)
            out["tools"] = list(tools)
        if settings.temperature is not None:
            out["temperature"] = settings.temperature
        if settings.max_tokens is not None:
            out["max_tokens"] = settings.max_tokens
        if settings.seed:
            out["seed"] = self._seed
        if settings.body:
            out["extra_body"] = settings.fields()
        return out

    def _cost(self) -> float | None:
        settings = self._settings
        if settings.price_in is None and settings.price_out is None:
            return None
        zero = Decimal(0)
        total = self._read * (settings.price_in or zero) + self._written * (settings.price_out or zero)
        return float(total / MILLION)
