"""The connection to an endpoint: one client for each event loop, so that episodes share its connections and its limits.

A client belongs to the loop in which it was first used. It is closed when that loop ends: the generator that keeps it is finalised
by `asyncio.run` as every generator of the loop is.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from typing import Any

import httpx2
from openai import (
    APIConnectionError,
    APIError,
    APIStatusError,
    APITimeoutError,
    AsyncOpenAI,
    DefaultAsyncHttpxClient,
    Timeout,
)

from worldwright.agents.models.settings import NO_KEY, Settings, get_host, read_key
from worldwright.agents.protocol import AgentUnavailable
from worldwright.core.errors import UsageError

CONNECT_TIMEOUT_S = 10.0
"""Seconds until a connection stands. The library comes back to what was busy, so this may be short."""
MAX_QUOTED_CHARS = 300
"""Characters of what an endpoint said when it refused."""
FATAL_STATUSES = {
    401: "the key is not accepted: is the right one in the environment?",
    402: "the account has no credit",
    403: "the key may not be used for this",
    404: "there is no such model, or no such address",
    405: "there is no such address: most end in /v1",
}
"""What will be answered to every request alike."""
_FULL = re.compile(
    r"context.{0,20}(length|size|window)|(length|size|window).{0,20}context"
    r"|too many tokens|(prompt|input|request) is too (long|large)",
    re.IGNORECASE,
)
_NO_CREDIT = "insufficient_quota"


class ContextFull(Exception):
    """The conversation has become longer than the model can read."""


@dataclass(frozen=True, slots=True)
class EndpointAnswer:
    """What an endpoint answered, as JSON has it."""

    data: Any
    retries: int


class RateLimiter:
    """Requests evenly spread over a minute."""

    def __init__(self, rpm: int) -> None:
        self._apart = 60.0 / rpm if rpm else 0.0
        self._next = 0.0

    def wait(self, now: float) -> float:
        """Return how long the request that wants to start now has to wait."""
        start = max(now, self._next)
        self._next = start + self._apart
        return start - now


class EndpointClient:
    """A client, with what limits it."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._key = read_key(settings)
        self._places = asyncio.Semaphore(settings.concurrency)
        self._pace = RateLimiter(settings.rpm)
        self._answered = False
        self._client = AsyncOpenAI(
            api_key=self._key,
            base_url=settings.base_url,
            max_retries=settings.retries,
            timeout=Timeout(settings.timeout, connect=min(CONNECT_TIMEOUT_S, settings.timeout)),
            http_client=DefaultAsyncHttpxClient(event_hooks={"request": [self._wait_for_turn]}),
        )

    async def ask(self, request: Mapping[str, Any]) -> EndpointAnswer:
        """Return what the model answers. The library waits and asks again where that can help."""
        async with self._places:
            try:
                raw = await self._client.chat.completions.with_raw_response.create(**request)
            except APIError as e:
                failure = self._failure(e)
            else:
                self._answered = True
                return EndpointAnswer(self._json(raw.text), raw.retries_taken)
        # Not from within the handler: the error of the library holds the request, and with it the key.
        raise failure

    async def find_obstacle(self) -> str:
        """Say why no connection can be made, after one attempt; empty where the endpoint answers anything at all."""
        try:
            await self._client.with_options(max_retries=0, timeout=CONNECT_TIMEOUT_S).models.list()
        except APIConnectionError as e:
            if isinstance(e.__cause__, (httpx2.ConnectError, httpx2.ConnectTimeout)):
                return f"cannot connect to {get_host(self._settings)}: {self._quote(_find_cause(e))}"
        except APIError:
            pass
        return ""

    async def close(self) -> None:
        await self._client.close()

    async def _wait_for_turn(self, _: object) -> None:
        wait = self._pace.wait(asyncio.get_running_loop().time())
        if wait > 0:
            await asyncio.sleep(wait)

    def _json(self, text: str) -> Any:
        at = get_host(self._settings)
        try:
            data = json.loads(text)
        except (ValueError, RecursionError):
            raise AgentUnavailable(f"{at} did not answer with JSON: {self._quote(text)}") from None
        if isinstance(data, dict) and data.get("error") and not data.get("choices"):
            raise AgentUnavailable(f"{at} answered with an error: {self._quote(_read_message(data['error']))}")
        return data

    def _failure(self, e: APIError) -> UsageError | AgentUnavailable | ContextFull:
        at, tries = get_host(self._settings), int(e.request.headers.get("x-stainless-retry-count", 0)) + 1
        tried = f" ({tries} tries)" if tries > 1 else ""
        if isinstance(e, APITimeoutError):
            return AgentUnavailable(f"{at} did not answer within {self._settings.timeout:g} seconds{tried}")
        if isinstance(e, APIConnectionError):
            return AgentUnavailable(f"cannot connect to {at}{tried}: {self._quote(_find_cause(e))}")
        if not isinstance(e, APIStatusError):
            return AgentUnavailable(f"{at}: {self._quote(e.message)}")
        status, words = e.status_code, _read_message(e.body)
        says = f"{at} answered {status}{tried}: {self._quote(words)}"
        if status in (400, 413, 422, 500) and (e.code == "context_length_exceeded" or _FULL.search(words)):
            return ContextFull(says)
        if status in FATAL_STATUSES:
            return UsageError(f"{says}; {FATAL_STATUSES[status]}")
        if _NO_CREDIT in (e.code, e.type):
            return UsageError(f"{says}; {FATAL_STATUSES[402]}")
        if status in (400, 422) and not self._answered:
            return UsageError(
                f"{says}; nothing that was sent to it has been accepted yet, so it is taken for a wrong setting"
            )
        return AgentUnavailable(says)

    def _quote(self, text: str) -> str:
        """Quote what the endpoint said on one line, without the key: it may say back what it was sent."""
        clean = text.replace(self._key, "[key]") if self._key != NO_KEY else text
        line = " ".join(clean.split())
        return line[:MAX_QUOTED_CHARS] + ("..." if len(line) > MAX_QUOTED_CHARS else "") or "(nothing)"


def _read_message(body: object) -> str:
    if isinstance(body, Mapping):
        found = body.get("message") or body.get("detail")
        return found if isinstance(found, str) else json.dumps(body)
    return str(body or "")


def _find_cause(e: BaseException) -> str:
    """The innermost reason for which a connection failed."""
    while e.__cause__ is not None or e.__context__ is not None:
        e = e.__cause__ or e.__context__ or e
    return str(e) or type(e).__name__


_Keeping = AsyncGenerator[EndpointClient, None]
_LINES: dict[asyncio.AbstractEventLoop, dict[Settings, tuple[EndpointClient, _Keeping]]] = {}


async def get_client(settings: Settings) -> EndpointClient:
    """The line of this event loop to that endpoint."""
    loop = asyncio.get_running_loop()
    for closed in [other for other in _LINES if other.is_closed()]:
        del _LINES[closed]
    mine = _LINES.setdefault(loop, {})
    if settings not in mine:
        keeping = _keep_client(settings, loop)
        mine[settings] = (await anext(keeping), keeping)
    return mine[settings][0]


async def _keep_client(settings: Settings, loop: asyncio.AbstractEventLoop) -> _Keeping:
    line = EndpointClient(settings)
    try:
        yield line
    finally:
        _LINES.pop(loop, None)
        await line.close()
