"""Calls in plain text: what is written is read again, and whatever a model writes, something is read."""

from __future__ import annotations

import json
from time import perf_counter
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from worldwright.agents import chat
from worldwright.agents.chat import ToolCall
from worldwright.agents.tool_call_text import (
    MAX_CALLS,
    parse_message,
    read_call,
    render_call,
    render_result,
    render_tools,
    take_turn,
)
from worldwright.engine.world import World
from worldwright.world.records import Result, ToolError

TAGS = (
    "<tool_call>",
    "</tool_call>",
    "<think>",
    "</think>",
    "<tool_response>",
    '{"name": "a", "arguments": {}}',
    "{",
    '"',
)
texts = st.text(max_size=20) | st.sampled_from(TAGS)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
calls = st.tuples(texts, st.dictionaries(texts, values, max_size=4))
messages = st.lists(st.sampled_from(TAGS) | st.text(max_size=8), max_size=12).map("".join)


@given(
    st.lists(calls, max_size=5), st.sampled_from(["", "Let me see.\n", "<think>hm <tool_call>{}</tool_call></think>"])
)
def test_what_is_written_is_read(written: list[tuple[str, dict[str, Any]]], before: str) -> None:
    found = parse_message(before + "\n".join(render_call(name, arguments) for name, arguments in written))
    assert [(one.name, one.arguments, one.problem) for one in found.calls] == [(*one, "") for one in written]
    assert found.text == ("Let me see." if before.startswith("Let") else "")


@given(messages)
@example("<tool_call>" * 50)
@example("<tool_call>" + "[" * 100_000)
@example('<tool_call>{"name": "\ud800", "arguments": {"\udfff": 1e999}}')
@example("<tool_call>" + "9" * 5_000)
def test_whatever_is_written_calls_can_be_told_from_what_cannot_be_read(message: str) -> None:
    found = parse_message(message)
    assert len(found.calls) <= MAX_CALLS
    for one in found.calls:
        assert isinstance(one.arguments, dict) or one.problem


@given(
    messages
    | texts
    | values.map(chat.encode)
    | calls.map(lambda one: chat.encode({"name": one[0], "arguments": one[1]}))
)
@example("[" * 100_000)
@example('{"name": "\\ud800"}')
@example('{"name": "a", "arguments": {"x": NaN, "y": 1e999}}')
def test_a_call_alone_is_read_as_it_is_in_tags(text: str) -> None:
    alone = read_call(text)
    tagged = parse_message(f"<tool_call>{text}</tool_call>").calls[0]
    assert repr(alone._replace(problem="")) == repr(tagged._replace(problem=""))
    assert bool(alone.problem) == bool(tagged.problem)


@pytest.mark.parametrize(
    ("message", "text", "expected"),
    [
        ('<tool_call>{"name": "a"}</tool_call>', "", [ToolCall("call_1", "a", {})]),
        ('<tool_call>{"name": "a", "arguments": "{\\"x\\": 1}"}', "", [ToolCall("call_1", "a", {"x": 1})]),
        (
            'One. <tool_call>{"name": "a", "arguments": {"x": "</tool_call><think>"}} </tool_call> Two.',
            "One.  Two.",
            [ToolCall("call_1", "a", {"x": "</tool_call><think>"})],
        ),
        ("<think>I could <tool_call>", "", []),
        ("Nothing to do", "Nothing to do", []),
    ],
)  # fmt: skip
def test_calls_are_read_as_models_write_them(message: str, text: str, expected: list[ToolCall]) -> None:
    assert parse_message(message) == (text, tuple(expected))


@pytest.mark.parametrize(
    ("inside", "problem"),
    [
        ("{'name': 'a'}", "the call is not JSON: "),
        ('{"name": "a"} and more', "the call is not JSON: something stands behind the object"),
        ('["a"]', "the call names no function"),
        ('{"name": 7}', "the call names no function"),
        ('{"name": "a", "arguments": [1]}', "the arguments are not a JSON object"),
        ('{"name": "a", "arguments": "{"}', "the arguments are not JSON: "),
    ],
)
def test_a_call_that_cannot_be_read_says_why_and_the_next_one_is_read(inside: str, problem: str) -> None:
    first, second = parse_message(f'<tool_call>{inside}</tool_call><tool_call>{{"name": "b"}}</tool_call>').calls
    assert first.problem.startswith(problem)
    assert second == ToolCall("call_2", "b", {})


@pytest.mark.parametrize("filler", [" ", "\n", "<tool_call>", '"', "<think>", "</tool_call>", "a <"])
def test_a_long_message_is_read_in_little_time(filler: str) -> None:
    message = f"<tool_call>x{filler * (200_000 // len(filler))}y"
    begin = perf_counter()
    parse_message(message)
    assert perf_counter() - begin < 2


def test_tools_are_told_one_a_line_and_answers_as_the_agent_sees_them(library_world: World) -> None:
    with library_world.open(library_world.tasks[0].id) as episode:
        lines = render_tools([chat.render_tool(t) for t in episode.tools]).splitlines()
        listed = [json.loads(one) for one in lines[lines.index("<tools>") + 1 : lines.index("</tools>")]]
        assert [one["function"]["name"] for one in listed] == [t.name for t in episode.tools]
        assert [one["function"]["parameters"] for one in listed] == [t.input_schema for t in episode.tools]
        [shown] = parse_message("\n".join(lines)).calls
        assert (shown.name, shown.arguments) == ("the_tool", {})
    refused = Result(False, None, ToolError("NOT_FOUND", "There is no „X“."))
    assert json.loads(render_result(refused).split("\n")[1]) == refused.payload()


def test_a_turn_makes_the_calls_and_says_whether_an_answer_was_among_them(library_world: World) -> None:
    task = library_world.tasks[0].id
    key = library_world.key(task)
    for alone in (True, False):
        with library_world.open(task) as episode:
            for name, arguments in (*key.calls, (episode.submit, key.answer)):
                one = chat.encode({"name": name, "arguments": arguments}) if alone else render_call(name, arguments)
                text, submitted, done = take_turn(episode, one)
                assert text.startswith('{"ok":true' if alone else "<tool_response>")
                assert submitted == done == episode.done
            assert episode.verify().reward == 1


@given(messages | st.none() | st.binary(max_size=5) | values)
@example("{" * 100_000)
def test_whatever_a_turn_is_given_it_answers(library_world: World, message: Any) -> None:
    with library_world.open(library_world.tasks[0].id) as episode:
        text, submitted, done = take_turn(episode, message)
        assert '"ok":false' in text
        assert (submitted, done) == (False, False)
