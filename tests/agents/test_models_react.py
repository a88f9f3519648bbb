"""Tool calls in plain text: what models write is understood, and what we write is too."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldwright.agents.chat import Message, call, make_function_tool, parse_tool_calls, render_tool
from worldwright.agents.models.react import parse, parse_message, render, render_conversation, render_signature
from worldwright.engine.world import World

KNOWN = ("find_members", "lend", "submit_answer")
ANN = {"name": "Ann"}

STYLES = {
    "as asked": 'Thought: Ann first.\nAction: find_members\nAction Input: {"name": "Ann"}',
    "made up afterwards": 'Ann first.\nAction: find_members\nAction Input: {"name": "Ann"}\nObservation: {}\nAction: lend',
    "words behind": 'Thought: Ann first.\nAction: find_members\nAction Input: {"name": "Ann"} and then I will lend it.',
    "a fence": 'Thought: Ann first.\nAction: find_members\nAction Input:\n```json\n{"name": "Ann"}\n```',
    "bold": '**Thought:** Ann first.\n**Action:** `find_members`\n**Action Input:** `{"name": "Ann"}`',
    "numbered": 'Thought: Ann first.\nAction 1: find_members\nAction Input 1: {"name": "Ann"}',
    "small letters": 'thought: Ann first.\naction: find_members\naction_input: {"name": "Ann"}',
    "a list": '- Ann first.\n- Action: find_members\n- Action Input: {"name": "Ann"}',
    "the name below": 'Ann first.\nAction:\n`find_members`\nAction Input: {"name": "Ann"}',
    "one line": 'Ann first.\nAction: find_members Action Input: {"name": "Ann"}',
    "no label": 'Ann first.\nAction: find_members {"name": "Ann"}',
    "brackets": 'Ann first.\nAction: find_members({"name": "Ann"})',
    "named arguments": 'Ann first.\nAction: find_members(name="Ann")',
    "Python": "Ann first.\nAction: find_members\nAction Input: {'name': 'Ann'}",
    "a sentence": 'Ann first.\nAction: I will use `find_members` now.\nAction Input: {"name": "Ann"}',
    "over lines": 'Ann first.\nAction: find_members\nAction Input: {\n  "name": "Ann"\n}\nThat is all.',
    "an object": 'Ann first.\n{"name": "find_members", "arguments": {"name": "Ann"}}',
    "an object in a fence": 'Ann first.\n```json\n{"action": "find_members", "action_input": {"name": "Ann"}}\n```',
    "an object after the label": 'Ann first.\nAction:\n```\n{"tool": "find_members", "args": {"name": "Ann"}}\n```',
    "tags": 'Ann first.\n<tool_call>\n{"name": "find_members", "arguments": {"name": "Ann"}}\n</tool_call>',
    "tags in a line": 'Ann first. <tool_call>{"name": "find_members", "arguments": "{\\"name\\": \\"Ann\\"}"}</tool_call>',
    "nested": 'Ann first.\n{"type": "function", "function": {"name": "find_members", "parameters": {"name": "Ann"}}}',
}


@pytest.mark.parametrize("text", STYLES.values(), ids=STYLES)
def test_a_call_is_read_in_many_styles(text: str) -> None:
    said = parse(text, KNOWN)
    assert said.name == "find_members"
    assert json.loads(said.arguments) == ANN
    assert said.thought.strip("- ") == "Ann first."


NO_CALLS = (
    "",
    "I do not know.",
    "Final Answer: 42",
    "The next action: none of these.",
    "Action: I will think about it first.",
    'Ann is {"name": "Ann", "age": 7}.',
    '{"name": "Ann"}',
    "Action:",
    'Action:\nAction Input: {"name": "Ann"}',
    "<tool_call>find</tool_call>",
)


@pytest.mark.parametrize("text", NO_CALLS)
def test_what_is_no_call_stays_words(text: str) -> None:
    said = parse(text, KNOWN)
    assert said.name is None
    assert said.thought == text


def test_a_call_without_arguments_has_none() -> None:
    for text in (
        "Action: lend",
        "Action: lend()",
        "Action: lend\nAction Input:",
        '<tool_call>{"name": "lend"}</tool_call>',
    ):
        assert parse(text).arguments == "{}", text


@pytest.mark.parametrize("written", ['{"name": "Ann"', "Ann", '["Ann"]', '{"name": "\\ud800"}', '{"name": NaN}'])
def test_arguments_that_cannot_be_read_stay_as_they_were_written(written: str) -> None:
    said = parse(f"Action: find_members\nAction Input: {written}\nObservation: no")
    assert (said.name, said.arguments) == ("find_members", written)


def test_thoughts_in_tags_are_not_acted_on() -> None:
    for text in (
        "<think>Action: lend\nMaybe.</think>Action: find_members",
        "Action: lend\nMaybe.</think>\nAction: find_members",
    ):
        said = parse(text)
        assert (said.name, said.thought) == ("find_members", "")
        assert said.reasoning == "Action: lend\nMaybe."
    cut_off = parse("<think>Action: lend")
    assert (cut_off.name, cut_off.thought, cut_off.reasoning) == (None, "", "Action: lend")


NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_.\-]{0,40}", fullmatch=True)
MARKS = "Action|Action:|Action Input:|Thought:|Observation:|```json|<tool_call>|</tool_call>|<think>|</think>"
WORDS = "name|arguments|find_members|\\ud800|NaN|-1|true"
PIECES = st.sampled_from([*"{}[]()\"':,=`\n ", *MARKS.split("|"), *WORDS.split("|")])
STRANGE = st.text() | st.lists(PIECES, max_size=40).map("".join)
NUMBERS = st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | STRANGE,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(STRANGE, inner, max_size=4),
    max_leaves=12,
)


@given(STRANGE, NAMES, st.dictionaries(STRANGE, JSON, max_size=5))
def test_what_we_write_is_read_back(thought: str, name: str, arguments: dict[str, Any]) -> None:
    before = parse(thought, KNOWN)
    if before.name is None:
        written = render(before.thought, name, json.dumps(arguments, ensure_ascii=False))
        said = parse(written, KNOWN)
        assert (said.thought, said.name, said.reasoning) == (before.thought, name, "")
        assert json.loads(said.arguments) == arguments


@given(STRANGE)
def test_whatever_a_model_writes_becomes_a_message(text: str) -> None:
    tools = [make_function_tool(name, "", {"type": "object"}) for name in KNOWN]
    message = parse_message({"role": "assistant", "content": text}, [], tools)
    assert len(parse_tool_calls(message)) <= 1
    json.dumps(message, ensure_ascii=False).encode()
    again = render_conversation([message], tools)[1]
    json.dumps(again, ensure_ascii=False).encode()


def test_a_long_message_is_read_in_one_go() -> None:
    for strange in (
        "{\n" * 50_000,
        "Action: x y\n" * 50_000,
        "```" * 50_000,
        " " * 200_000,
        "Action: f(" + "[" * 100_000,
    ):
        parse(strange, KNOWN)


def test_the_conversation_is_told_in_words() -> None:
    tools = [
        make_function_tool("find_members", "Find.", {"type": "object", "properties": {"name": {"type": "string"}}}),
        make_function_tool("submit_answer", "End.", {"type": "object", "properties": {}}),
    ]
    opening: list[Message] = [{"role": "system", "content": "You act."}, {"role": "user", "content": "Please."}]
    asks = call("find_members", ANN)
    asks["content"] = "Ann first."
    answer: Message = {"role": "tool", "tool_call_id": "call_1", "name": "find_members", "content": '{"ok": true}'}
    system, *rest = render_conversation([*opening, asks, answer], tools)
    assert (system["content"] or "").startswith("You act.\n\n## Tools\n\n- find_members(name?: string): Find.\n")
    assert "call `submit_answer`" in (system["content"] or "")
    assert rest == [
        opening[1],
        {"role": "assistant", "content": 'Thought: Ann first.\nAction: find_members\nAction Input: {"name":"Ann"}'},
        {"role": "user", "content": 'Observation: {"ok": true}'},
    ]
    assert '"properties"' in (render_conversation(opening, tools, schemas=True)[0]["content"] or "")


def test_a_signature_shows_what_a_call_needs() -> None:
    schema = {
        "type": "object",
        "properties": {
            "order": {"type": "string", "pattern": "^ORD-[0-9]+$", "examples": ["ORD-00001"]},
            "reason": {"type": "string", "enum": ["faulty", "late"]},
            "day": {"type": "string", "format": "date"},
            "lines": {
                "type": "array",
                "items": {"type": "object", "properties": {"item": {"type": "string"}}, "required": ["item"]},
            },
            "note": {"type": ["string", "null"]},
            "either": {"anyOf": [{"type": "string"}]},
        },
        "required": ["order", "lines"],
    }
    assert render_signature(make_function_tool("open_return", "Open a return.", schema)) == (
        '- open_return(order: string such as ORD-00001, reason?: "faulty" | "late", day?: date, '
        'lines: [{item: string}, ...], note?: string | null, either?: {"anyOf":[{"type":"string"}]}): Open a return.'
    )


def test_every_tool_of_a_world_has_a_signature(library_world: World) -> None:
    for spec in library_world.tools:
        shown = render_signature(render_tool(spec))
        assert shown.startswith(f"- {spec.name}(")
        for name in spec.input_schema.get("properties", {}):
            assert f"{name}: " in shown or f"{name}?: " in shown
