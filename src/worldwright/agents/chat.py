"""The chat format: messages, tools and tool calls as OpenAI's chat completions have them, which every model speaks.

    {"role": "system", "content": "You act as buyer. ..."}
    {"role": "user", "content": "Please order ..."}
    {"role": "assistant", "content": None, "tool_calls": [
        {"id": "call_1", "type": "function", "function": {"name": "find_people", "arguments": "{\"name\": \"Ann\"}"}}]}
    {"role": "tool", "tool_call_id": "call_1", "name": "find_people", "content": "{\"ok\": true, \"data\": ...}"}

Arguments are JSON in a string, as they travel. What a model shows of its thoughts stands beside, as `reasoning_content`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypedDict

from pydantic_core import PydanticSerializationError, to_json

from worldwright.engine.episode import read_arguments
from worldwright.engine.submit import submit_spec
from worldwright.world.records import Result, ToolSpec

NUDGE = "Please go on with a tool call. When you are through, call `{submit}`."
"""What is said to an agent that calls nothing."""


def encode(value: Any) -> str:
    """JSON without spaces, because tokens cost time and money; what no file can hold (half a character) is replaced."""
    try:
        return to_json(value, fallback=dict).decode()
    except PydanticSerializationError:
        return json.dumps(value, ensure_ascii=False, default=str).encode("utf-8", "replace").decode()


class Message(TypedDict, total=False):
    """One message. Which keys there are follows from `role`."""

    role: str
    content: str | None
    tool_calls: list[dict[str, Any]]
    tool_call_id: str
    name: str
    reasoning_content: str


Tool = Mapping[str, Any]
"""A tool as a model is told of it: `{"type": "function", "function": {"name", "description", "parameters"}}`."""


class ToolCall(NamedTuple):
    """A call that a message asks for. `problem` says why its arguments cannot be read, where they cannot."""

    id: str
    name: str
    arguments: Any
    problem: str = ""


def render_tool(spec: ToolSpec) -> Tool:
    return make_function_tool(spec.name, spec.description, spec.input_schema)


def make_function_tool(name: str, description: str, parameters: Mapping[str, Any]) -> Tool:
    return {
        "type": "function",
        "function": {"name": name, "description": description, "parameters": parameters},
    }


def get_tool_name(one: Tool) -> str:
    return str(one["function"]["name"])


def make_submit_tool(taken: Sequence[str], answer_schema: Mapping[str, Any]) -> Tool:
    """The tool that ends an episode with an answer. It is the last of the tools, always."""
    return render_tool(submit_spec(taken, answer_schema))


def get_submit_name(tools: Sequence[Tool]) -> str:
    return get_tool_name(tools[-1])


def make_text_message(text: str) -> Message:
    """An assistant's words without a call."""
    return {"role": "assistant", "content": text}


def make_call_message(calls: Sequence[tuple[str, Mapping[str, Any]]], first: int = 1, reason: str = "") -> Message:
    """An assistant's message that asks for calls. Their ids count from `first`."""
    out: Message = {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": f"call_{first + at}", "type": "function", "function": {"name": name, "arguments": encode(given)}}
            for at, (name, given) in enumerate(calls)
        ],
    }
    if reason:
        out["reasoning_content"] = reason
    return out


def call(name: str, arguments: Mapping[str, Any], messages: Sequence[Message] = (), reason: str = "") -> Message:
    """An assistant's message that asks for one call, with an id that none of `messages` has."""
    return make_call_message([(name, arguments)], len(messages) + 1, reason=reason)


def make_result_message(asked: ToolCall, result: Result) -> Message:
    """Make the tool message that tells an agent what a call came to."""
    return make_tool_message(asked, encode(result.payload()))


def make_tool_message(asked: ToolCall, content: str) -> Message:
    return {"role": "tool", "tool_call_id": asked.id, "name": asked.name, "content": content}


def parse_tool_calls(message: Message) -> list[ToolCall]:
    """The calls of an assistant's message, in order. Whatever a model sends, this does not raise."""
    calls = message.get("tool_calls")
    return [_parse_tool_call(at, one) for at, one in enumerate(calls, start=1)] if isinstance(calls, list) else []


def _parse_tool_call(at: int, one: Any) -> ToolCall:
    inner = one.get("function") if isinstance(one, dict) else None
    if not isinstance(inner, dict) or not isinstance(inner.get("name"), str):
        return ToolCall(f"call_{at}", "", None, "the call names no function")
    found = one.get("id")
    key = found if isinstance(found, str) and found else f"call_{at}"
    read, problem = read_arguments(inner.get("arguments"))
    return ToolCall(key, inner["name"], read, f"the arguments are {problem}" if problem else "")


def read_payload(message: Message) -> Any:
    """Read what a tool message holds: `{"ok": true, "data": ...}` or `{"ok": false, "error": {...}}`; None for other messages."""
    if message.get("role") != "tool":
        return None
    try:
        return json.loads(message.get("content") or "")
    except (ValueError, RecursionError):
        return None
