"""Messages as they travel: what is sent has only the keys that the format knows, what comes is whatever the model made of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from worldwright.agents import chat
from worldwright.agents.chat import Message, ToolCall
from worldwright.agents.protocol import AgentUnavailable
from worldwright.core.canonical import canonical_json

NOT_RUN = '{"ok": false, "error": {"code": "NOT_RUN", "message": "this call was not carried out"}}'
UNREADABLE = "unreadable"
"""The argument under which arguments that are no JSON are sent back: servers that read them would refuse the conversation."""
_NAME = re.compile(r"[^A-Za-z0-9_-]")


@dataclass(frozen=True, slots=True)
class ModelReply:
    """A message of the model, and what it cost."""

    message: Message
    tokens: tuple[int, int] | None
    """Read and written, where the endpoint says so."""


def render_messages(messages: Sequence[Message], send_reasoning: bool = False) -> list[dict[str, Any]]:
    """The conversation for a strict endpoint: every call is answered, every id is there, nothing else is."""
    return list(_encode_messages(messages, send_reasoning))


def _encode_messages(messages: Sequence[Message], send_reasoning: bool) -> Iterator[dict[str, Any]]:
    open_calls: list[str] = []
    for message in messages:
        role, content = message.get("role", "user"), message.get("content")
        if role == "tool":
            called = message.get("tool_call_id", "")
            if called in open_calls:
                open_calls.remove(called)
            yield {"role": "tool", "tool_call_id": called, "content": content or ""}
            continue
        yield from _answer_unrun_calls(open_calls)
        open_calls = []
        asked = chat.parse_tool_calls(message) if role == "assistant" else []
        out: dict[str, Any] = {"role": role, "content": content if asked else content or ""}
        if asked:
            raw = message["tool_calls"]
            out["tool_calls"] = [_call(one, raw[at]) for at, one in enumerate(asked)]
            open_calls = [one.id for one in asked]
        if send_reasoning and message.get("reasoning_content"):
            out["reasoning_content"] = message["reasoning_content"]
        yield out
    yield from _answer_unrun_calls(open_calls)


def _answer_unrun_calls(calls: Sequence[str]) -> Iterator[dict[str, Any]]:
    for called in calls:
        yield {"role": "tool", "tool_call_id": called, "content": NOT_RUN}


def _call(asked: ToolCall, raw: Any) -> dict[str, Any]:
    inner = raw.get("function") if isinstance(raw, Mapping) else None
    written = inner.get("arguments") if isinstance(inner, Mapping) else None
    if asked.problem or not is_plain_json(asked.arguments):
        written = chat.encode({UNREADABLE: str(written or "")})
    elif not isinstance(written, str) or not written:
        written = chat.encode(asked.arguments)
    name = _NAME.sub("_", asked.name)[:64] or "_"
    return {"id": asked.id, "type": "function", "function": {"name": name, "arguments": written}}


def parse_reply(data: Any, before: Sequence[Message], where: str) -> ModelReply:
    """The first choice of an answer, as a message. Ids that are missing or not new are given anew."""
    choices = data.get("choices") if isinstance(data, Mapping) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    said = first.get("message") if isinstance(first, Mapping) else None
    if not isinstance(said, Mapping):
        raise AgentUnavailable(f"{where} answered without a message")
    out: Message = {"role": "assistant", "content": _content(said)}
    calls = list(_calls(said, before))
    if calls:
        out["tool_calls"] = calls
    thoughts = next((_text(said[k]) for k in ("reasoning_content", "reasoning") if isinstance(said.get(k), str)), "")
    if thoughts:
        out["reasoning_content"] = thoughts
    return ModelReply(out, _tokens(data.get("usage")))


def _content(said: Mapping[str, Any]) -> str | None:
    content = said.get("content")
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, Mapping)]
        content = "".join(part for part in parts if isinstance(part, str))
    if not isinstance(content, str):
        content = said.get("refusal")
    return _text(content) if isinstance(content, str) else None


def _calls(said: Mapping[str, Any], before: Sequence[Message]) -> Iterator[dict[str, Any]]:
    calls = said.get("tool_calls")
    if not calls and isinstance(said.get("function_call"), Mapping):
        calls = [{"function": said["function_call"]}]
    taken = {one.id for message in before for one in chat.parse_tool_calls(message)}
    for at, one in enumerate(calls if isinstance(calls, list) else ()):
        inner = one.get("function") if isinstance(one, Mapping) else None
        inner = inner if isinstance(inner, Mapping) else {}
        name, arguments = inner.get("name"), inner.get("arguments")
        given = one.get("id") if isinstance(one, Mapping) else None
        key = _text(given) if isinstance(given, str) else ""
        if not key or key in taken:
            key = f"call_{len(before)}_{at + 1}"
        taken.add(key)
        if arguments is not None and not isinstance(arguments, str):
            arguments = chat.encode(arguments) if is_plain_json(arguments) else "null"
        written = {"name": _text(name) if isinstance(name, str) else "", "arguments": _text(arguments or "")}
        yield {"id": key, "type": "function", "function": written}


def _tokens(usage: Any) -> tuple[int, int] | None:
    if not isinstance(usage, Mapping):
        return None
    read, written = usage.get("prompt_tokens"), usage.get("completion_tokens")
    return (read, written) if isinstance(read, int) and isinstance(written, int) else None


def _text(value: object) -> str:
    """Text that can be written down: half a character pair, which JSON lets through, cannot."""
    return str(value).encode("utf-8", "replace").decode("utf-8")


def is_plain_json(value: Any) -> bool:
    """Return whether strict readers take a value for JSON: no NaN, no half of a character pair."""
    try:
        canonical_json(value)
    except (ValueError, RecursionError):
        return False
    return True
