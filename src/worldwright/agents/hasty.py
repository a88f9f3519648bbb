"""The planner in a hurry: it searches by the first word of a name and takes the row that comes first.

A baseline with one known weakness, the commonest of all: acting on a record without comparing it with what was said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from worldwright.agents.chat import Message, Tool, call, encode, get_tool_name, parse_tool_calls, read_payload
from worldwright.agents.planner import SAMPLING_TEMPERATURE, Planner, code
from worldwright.agents.protocol import Actor, Agent, Brief, Options

MIN_WORD_CHARS = 3
"""Letters of a word that is worth searching by."""


class Hasty:
    name = "hasty"
    sees_key = False

    def __init__(self, temperature: float) -> None:
        self._planner = Planner(temperature)
        self.identity: Mapping[str, Any] = {"version": 1, "code": code(), "temperature": temperature}

    def begin(self, brief: Brief) -> _HastyActor:
        return _HastyActor(self._planner.begin(brief))


class _HastyActor:
    def __init__(self, planning: Actor) -> None:
        self._planning = planning
        self._short = False
        """Whether the last call was a search by a part of what was said."""

    def act(self, messages: Sequence[Message], tools: Sequence[Tool]) -> Message:
        heard = [*messages[:-1], _first_row(messages[-1])] if self._short else messages
        said = self._planning.act(heard, tools)
        assert isinstance(said, dict)
        one = parse_tool_calls(said)[0]
        short = {name: _first_word(value) for name, value in one.arguments.items()}
        self._short = one.name in _searches(tools) and short != one.arguments
        return call(one.name, short, messages, said.get("reasoning_content", "")) if self._short else said


def _searches(tools: Sequence[Tool]) -> frozenset[str]:
    """Tools that give rows by the page."""
    return frozenset(
        get_tool_name(one) for one in tools if "limit" in one["function"]["parameters"].get("properties", {})
    )


def _first_word(value: Any) -> Any:
    """Shorten `Anna Meyer` to `Anna`; dates, numbers, ids and single words stay as they are."""
    words = value.split() if isinstance(value, str) else []
    return words[0] if len(words) > 1 and len(words[0]) >= MIN_WORD_CHARS and words[0].isalpha() else value


def _first_row(message: Message) -> Message:
    """Keep only the first row of a page that came back."""
    found = read_payload(message)
    data = found.get("data") if isinstance(found, dict) else None
    if not isinstance(data, dict) or not isinstance(data.get("items"), list) or len(data["items"]) < 2:
        return message
    return {**message, "content": encode({**found, "data": {**data, "items": data["items"][:1]}})}


def make(options: Options) -> Agent:
    return Hasty(SAMPLING_TEMPERATURE if options.temperature is None else max(0.0, options.temperature))
