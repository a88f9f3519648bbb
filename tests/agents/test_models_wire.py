"""What is sent is valid for strict endpoints."""

from __future__ import annotations

import json

from tests.agents.chat_server import calls

from worldwright.agents.chat import Message
from worldwright.agents.models.wire import NOT_RUN, UNREADABLE, render_messages

OPENING: list[Message] = [{"role": "system", "content": "You act."}, {"role": "user", "content": "Please."}]


def test_a_conversation_is_sent_without_keys_that_the_format_does_not_know() -> None:
    wanted = calls(("find", '{"name":'), ("no such tool!", ""))["tool_calls"]
    messages: list[Message] = [
        *OPENING,
        {"role": "assistant", "content": None, "tool_calls": wanted, "reasoning_content": "why"},
        {"role": "tool", "tool_call_id": "id_0", "name": "find", "content": "not JSON"},
        {"role": "tool", "tool_call_id": "id_1", "name": "no such tool!", "content": "unknown"},
        {"role": "assistant", "content": None, "reasoning_content": "hm"},
        {"role": "user", "content": "Go on."},
    ]
    sent = render_messages(messages)
    assert sent[2] == {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {
                "id": "id_0",
                "type": "function",
                "function": {"name": "find", "arguments": json.dumps({UNREADABLE: '{"name":'}, separators=(",", ":"))},
            },
            {"id": "id_1", "type": "function", "function": {"name": "no_such_tool_", "arguments": "{}"}},
        ],
    }
    assert sent[3:] == [
        {"role": "tool", "tool_call_id": "id_0", "content": "not JSON"},
        {"role": "tool", "tool_call_id": "id_1", "content": "unknown"},
        {"role": "assistant", "content": ""},
        {"role": "user", "content": "Go on."},
    ]
    assert render_messages(messages, True)[5] == {"role": "assistant", "content": "", "reasoning_content": "hm"}


def test_a_call_that_nobody_answered_is_answered() -> None:
    wanted = calls(("find", {}), ("find", {}))["tool_calls"]
    answer: Message = {"role": "tool", "tool_call_id": "id_0", "content": "{}"}
    sent = render_messages([{"role": "assistant", "tool_calls": wanted}, answer, {"role": "user", "content": "?"}])
    assert [one["role"] for one in sent] == ["assistant", "tool", "tool", "user"]
    assert sent[2] == {"role": "tool", "tool_call_id": "id_1", "content": NOT_RUN}
