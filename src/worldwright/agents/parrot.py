"""An agent that calls no tool and says back what it was told: every part of the answer is taken from the request itself.

Verifiers that look for words are passed by it. Ours must not be.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from worldwright.agents.chat import Message, Tool, call, get_submit_name
from worldwright.agents.protocol import Agent, Brief, Options
from worldwright.core.rng import Stream

_ID = re.compile(r"\b[A-Z][A-Z0-9]*-\d+\b")
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_RULE = re.compile(r"^- \*\*([^*]+)\*\*:", re.MULTILINE)
MAX_TEXT_CHARS = 4_000


class Parrot:
    name = "parrot"
    sees_key = False
    identity: Mapping[str, Any] = {"version": 1}

    def begin(self, brief: Brief) -> _ParrotActor:
        return _ParrotActor(Stream("parrot", brief.seed))


class _ParrotActor:
    def __init__(self, stream: Stream) -> None:
        self._stream = stream

    def act(self, messages: Sequence[Message], tools: Sequence[Tool]) -> Message:
        heard = next((m.get("content") or "" for m in reversed(messages) if m.get("role") == "user"), "")
        told = messages[0].get("content") or ""
        parts = tools[-1]["function"]["parameters"].get("properties", {})
        answer = {name: self._value(name, part, heard, told) for name, part in parts.items()}
        return call(get_submit_name(tools), {k: v for k, v in answer.items() if v is not None}, messages)

    def _value(self, name: str, schema: Mapping[str, Any], heard: str, told: str) -> Any:
        known = [v for v in schema.get("enum", ()) if v is not None]
        if known:
            return self._stream.pick([v for v in known if str(v) in heard] or known)
        types = schema.get("type")
        numbers = [float(n.replace(",", "")) for n in _NUMBER.findall(heard)]
        if "integer" in (types or ()) or types == "integer":
            return int(self._stream.pick(numbers)) if numbers else 0
        if "number" in (types or ()) or types == "number":
            return self._stream.pick(numbers) if numbers else 0
        if "boolean" in (types or ()) or types == "boolean":
            return self._stream.chance(0.5)
        if "array" in (types or ()) or types == "array":
            return _ID.findall(heard)
        if name == "rule":
            rules = _RULE.findall(told)
            return self._stream.pick(rules) if rules else None
        ids = _ID.findall(heard)
        return self._stream.pick(ids) if ids else heard[:MAX_TEXT_CHARS]


def make(options: Options) -> Agent:
    return Parrot()
