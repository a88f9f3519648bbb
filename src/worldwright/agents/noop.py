"""An agent that does nothing: it ends the episode with an empty answer. What it scores, nobody has to earn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from worldwright.agents.chat import Message, Tool, call, get_submit_name
from worldwright.agents.protocol import Agent, Brief, Options


class Noop:
    name = "noop"
    sees_key = False
    identity: Mapping[str, Any] = {}

    def begin(self, brief: Brief) -> Noop:
        return self

    def act(self, messages: Sequence[Message], tools: Sequence[Tool]) -> Message:
        return call(get_submit_name(tools), {}, messages)


def make(options: Options) -> Agent:
    return Noop()
