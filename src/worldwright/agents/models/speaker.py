"""A model that words what a requester says, and decides nothing: what it gives is held against the script by whoever asked."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from openai import APIError, OpenAI

from worldwright.agents.models.settings import Settings, read_key
from worldwright.people.wording import ask_for_wording

MAX_TOKENS = 300
TIMEOUT_S = 20.0
RETRIES = 1


class Speaker:
    """Words lines, each once in a process: the same line in the same voice is said in the same words."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._client = OpenAI(
            api_key=read_key(settings),
            base_url=settings.base_url,
            max_retries=min(settings.retries, RETRIES),
            timeout=min(settings.timeout, TIMEOUT_S),
        )
        self._word = lru_cache(maxsize=10_000)(self._ask)

    def __call__(self, script: str, voice: str) -> str | None:
        """Other words for a line; none where there are none to be had: then the line is said as it is."""
        return self._word(script, voice)

    def _ask(self, script: str, voice: str) -> str | None:
        settings = self._settings
        request: dict[str, Any] = {
            "model": settings.model,
            "messages": ask_for_wording(script, voice),
            "max_tokens": settings.max_tokens or MAX_TOKENS,
            **({} if settings.temperature is None else {"temperature": settings.temperature}),
            **settings.fields(),
        }
        try:
            said = self._client.chat.completions.create(**request).choices[0].message.content
        except (APIError, AttributeError, IndexError, TypeError, ValueError, RecursionError):
            return None
        return said if isinstance(said, str) else None
