"""Tool calls in plain text, as many open models write them: `<tool_call>{"name": ..., "arguments": {...}}</tool_call>`.

For frameworks that hand over text and nothing else. `render_tools` describes the tools, `take_turn` makes the calls of a message
and says what came of them. `parse_message` finds calls in tags, `read_call` reads one that stands alone, `render_call` writes one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pydantic_core import from_json

from worldwright.agents import chat
from worldwright.agents.chat import Tool, ToolCall
from worldwright.engine.episode import Episode, read_arguments
from worldwright.world.records import Result, ToolError

_BEGIN = re.compile(r"<(?:think|tool_call)>")
_CALL, _CALL_ENDS, _THOUGHT_ENDS = "<tool_call>", "</tool_call>", "</think>"
_SPACE = re.compile(r"\s*")
_JSON = json.JSONDecoder()
MAX_CALLS = 32
"""Of one message; what comes after them is not read."""
NO_CALL = (
    "there is no call: send a JSON object with `name` and `arguments`, or text with such objects in <tool_call> tags"
)


class ParsedMessage(NamedTuple):
    """What a message says, and the calls that it asks for."""

    text: str
    calls: tuple[ToolCall, ...]


def parse_message(message: str) -> ParsedMessage:
    """The calls in a message, in order. Thoughts are not looked into. Whatever a model writes, this does not raise."""
    said: list[str] = []
    calls: list[ToolCall] = []
    at = 0
    while begin := _BEGIN.search(message, at):
        said.append(message[at : begin.start()])
        if begin[0] != _CALL:
            at = _find_end(message, _THOUGHT_ENDS, begin.end())
        elif len(calls) < MAX_CALLS:
            asked, at = _call(f"call_{len(calls) + 1}", message, begin.end())
            calls.append(asked)
        else:
            at = _find_end(message, _CALL_ENDS, begin.end())
    said.append(message[at:])
    return ParsedMessage("".join(said).strip(), tuple(calls))


def _find_end(message: str, tag: str, start: int) -> int:
    """Return where the message goes on behind a tag; a tag that never comes leaves nothing."""
    found = message.find(tag, start)
    return len(message) if found < 0 else found + len(tag)


def _call(key: str, message: str, start: int) -> tuple[ToolCall, int]:
    """The call that begins here, and where the message goes on. JSON ends where it ends, whatever stands in its strings."""
    begin = _end_of_space(message, start)
    try:
        one, end = _JSON.raw_decode(message, begin)
    except (ValueError, RecursionError) as e:
        return ToolCall(key, "", None, f"the call is not JSON: {e}"), _find_end(message, _CALL_ENDS, start)
    end = _end_of_space(message, end)
    if end < len(message) and not message.startswith(_CALL_ENDS, end):
        problem = "the call is not JSON: something stands behind the object"
        return ToolCall(key, "", None, problem), _find_end(message, _CALL_ENDS, end)
    return _parse_tool_call(key, one), min(end + len(_CALL_ENDS), len(message))


def _end_of_space(message: str, at: int) -> int:
    found = _SPACE.match(message, at)
    assert found is not None
    return found.end()


def _parse_tool_call(key: str, one: Any) -> ToolCall:
    if not isinstance(one, dict) or not isinstance(one.get("name"), str):
        return ToolCall(key, "", None, "the call names no function")
    arguments, problem = read_arguments(one.get("arguments"))
    return ToolCall(key, one["name"], arguments, f"the arguments are {problem}" if problem else "")


def read_call(text: str) -> ToolCall:
    """The call that a text is, a JSON object without tags. This does not raise either, and it is in a hurry."""
    try:
        one = from_json(text)
    except ValueError:
        one, problem = read_arguments(text)  # takes a little more, and says what is wrong
        if problem:
            return ToolCall("call_1", "", None, f"the call is {problem}")
    if type(one) is dict:
        name, arguments = one.get("name"), one.get("arguments")
        if type(name) is str and type(arguments) is dict:
            return ToolCall("call_1", name, arguments)
    return _parse_tool_call("call_1", one)


def render_call(name: str, arguments: Mapping[str, Any]) -> str:
    """A call as `parse_message` reads it. No tag can stand inside, whatever the arguments say."""
    body = chat.encode({"name": name, "arguments": arguments}).replace("<", "\\u003c")
    return f"{_CALL}\n{body}\n{_CALL_ENDS}"


def render_tools(tools: Sequence[Tool]) -> str:
    """Render what a system message says of the tools, for a model whose template has no place for them."""
    listed = "\n".join(chat.encode(tool) for tool in tools)
    return (
        "# Tools\n\nYou act by calling tools. They are, one a line:\n"
        f"<tools>\n{listed}\n</tools>\n\n"
        "For each call, write one JSON object with its name and arguments inside these tags:\n"
        '<tool_call>\n{"name": "the_tool", "arguments": {}}\n</tool_call>\n'
        f"When you are through, call `{chat.get_submit_name(tools)}`."
    )


def render_result(result: Result) -> str:
    """Render what came of a call."""
    return f"<tool_response>\n{chat.encode(result.payload())}\n</tool_response>"


class Turn(NamedTuple):
    """What came of a message."""

    text: str
    submitted: bool
    """Whether an answer was taken with it."""
    done: bool
    """Whether the episode is over."""


def take_turn(episode: Episode, message: Any) -> Turn:
    """Make the calls of a message. A JSON object alone is answered with one, calls in tags with answers in tags."""
    if not isinstance(message, str):
        return Turn(render_result(_make_error(NO_CALL)), False, False)
    if message.startswith("{"):
        _, name, arguments, problem = read_call(message)
        result = _make_error(problem) if problem else episode.call(name, arguments)
        return Turn(chat.encode(result.payload()), result.ok and name == episode.submit, result.done)
    answers, submitted, done = [], False, False
    for _, name, arguments, problem in parse_message(message).calls:
        result = _make_error(problem) if problem else episode.call(name, arguments)
        answers.append(render_result(result))
        submitted, done = submitted or (result.ok and name == episode.submit), done or result.done
    return Turn("\n".join(answers) or render_result(_make_error(NO_CALL)), submitted, done)


def _make_error(problem: str) -> Result:
    return Result(False, None, ToolError("INVALID_ARGUMENT", f"{problem[:1].upper()}{problem[1:]}."))
