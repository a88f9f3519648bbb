"""Tool calls in plain text, as many open models write them: `<tool_call>{"name": ..., "arguments": {...}}</tool_call>`.

For frameworks that hand over text and nothing else. `read` finds the calls of a message, `tools_text` tells of the tools, and
`answer_text` is what comes back.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import NamedTuple

from worldwright.agents import chat
from worldwright.agents.chat import Asked, Tool
from worldwright.engine.episode import as_object
from worldwright.world.records import Result

_CALL = re.compile(r"<tool_call>\s*(.*?)\s*(?:</tool_call>|\Z)", re.DOTALL)
_THOUGHT = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)
MOST_CALLS = 32
"""Of one message; what comes after them is not read."""


class Read(NamedTuple):
    """What a message says, and the calls that it asks for."""

    text: str
    calls: tuple[Asked, ...]


def read(message: str) -> Read:
    """The calls in a message, in order. Thoughts are not looked into. Whatever a model writes, this does not raise."""
    said = _THOUGHT.sub("", message)
    found = [match.group(1) for _, match in zip(range(MOST_CALLS), _CALL.finditer(said), strict=False)]
    return Read(_CALL.sub("", said).strip(), tuple(_asked(at, one) for at, one in enumerate(found, start=1)))


def _asked(at: int, text: str) -> Asked:
    key = f"call_{at}"
    try:
        one = json.loads(text)
    except (ValueError, RecursionError) as e:
        return Asked(key, "", None, f"the call is not JSON: {e}")
    if not isinstance(one, dict) or not isinstance(one.get("name"), str):
        return Asked(key, "", None, "the call names no function")
    arguments, problem = as_object(one.get("arguments"))
    return Asked(key, one["name"], arguments, f"the arguments are {problem}" if problem else "")


def tools_text(tools: Sequence[Tool]) -> str:
    """What a system message says of the tools, for a model whose template has no place for them."""
    listed = "\n".join(chat.encode(tool) for tool in tools)
    return (
        "# Tools\n\nYou act by calling tools. They are, one a line:\n"
        f"<tools>\n{listed}\n</tools>\n\n"
        "For each call, write one JSON object with its name and arguments inside these tags:\n"
        '<tool_call>\n{"name": "the_tool", "arguments": {}}\n</tool_call>\n'
        f"When you are through, call `{chat.submit_name(tools)}`."
    )


def answer_text(result: Result) -> str:
    """What came of a call, as it is told."""
    return f"<tool_response>\n{chat.encode(result.payload())}\n</tool_response>"
