"""The chat format: whatever is in a conversation, the response mask is on what the model generates and on nothing else."""

from __future__ import annotations

import json
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.effort import examples
from tests.train import small_models

from worldwright.agents import chat
from worldwright.agents.chat import Message
from worldwright.core.errors import UsageError
from worldwright.train.chat_format import ChatFormat, TokenizedEpisode, parse_calls
from worldwright.train.compact_prompt import ELLIPSIS, render_result, render_signature, trim_handbook
from worldwright.train.demonstrations import NEEDS_HIDDEN, TOO_LONG, play_gold_walks, tokenize_demonstrations
from worldwright.train.settings import ChatFormatSettings

STYLES = ("native", "plain", "compact")
TOOLS = [
    chat.make_function_tool(
        "find_people", "Find them.", {"type": "object", "properties": {"name": {"type": "string"}}}
    ),
    chat.make_function_tool(
        "submit_answer", "End.", {"type": "object", "properties": {"outcome": {"enum": ["done", None]}}}
    ),
]
TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=30) | st.sampled_from(
    [
        "<|im_end|>",
        "a <|im_start|>assistant\nb",
        "</tool_call>",
        "<tool_call>{}",
        "<|endoftext|>",
        "</tool_response>",
        " ",
    ]
)
VALUES = st.dictionaries(st.sampled_from(["name", "kind"]), TEXT | st.integers(-5, 10**6) | st.none(), max_size=2)
TURN = st.tuples(
    st.lists(st.tuples(st.sampled_from(["find_people", "submit_answer"]), VALUES), min_size=1, max_size=2),
    st.lists(TEXT, min_size=2, max_size=2),
)


@pytest.fixture(scope="module")
def formats(gym_folder: Path) -> dict[str, ChatFormat]:
    from trl.chat_template_utils import qwen3_chat_template

    found = small_models.list_tasks(gym_folder)[:3]
    templates = {"native": qwen3_chat_template, "plain": "", "compact": ""}
    return {
        style: ChatFormat(
            small_models.train_tokenizer(found, template), ChatFormatSettings(style=style, max_handbook_tokens=80)
        )
        for style, template in templates.items()
    }


def conversation(system: str, request: str, turns: list[Any]) -> list[Message]:
    out: list[Message] = [{"role": "system", "content": system}, {"role": "user", "content": request}]
    for calls, results in turns:
        out.append(chat.make_call_message(calls))
        out += [
            {"role": "tool", "name": name, "content": json.dumps({"ok": True, "data": {"said": text}})}
            for (name, _), text in zip(calls, results, strict=False)
        ]
    return out


def split_responses(episode: TokenizedEpisode) -> list[list[int]]:
    """Split an episode into the responses of the model."""
    pairs = zip(episode.token_ids, episode.response_mask, strict=True)
    return [[i for i, _ in run] for masked, run in groupby(pairs, key=lambda pair: pair[1]) if masked]


@pytest.mark.parametrize("style", STYLES)
@given(system=TEXT, request_=TEXT, turns=st.lists(TURN, min_size=1, max_size=3))
@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_response_mask_is_on_what_the_model_generates(
    formats: dict[str, ChatFormat], style: str, system: str, request_: str, turns: list[Any]
) -> None:
    chat_format = formats[style]
    messages = conversation(system, request_, turns)
    episode = chat_format.tokenize_episode(messages, TOOLS)
    responses = split_responses(episode)
    assert len(responses) == len(turns)
    for ids, (calls, _) in zip(responses, turns, strict=True):
        assert ids[-1] == chat_format.eos_token_id
        assert ids.count(chat_format.eos_token_id) == 1
        if style != "native":  # what stands in arguments is escaped only by our own template
            asked = chat.parse_tool_calls(chat_format.parse_response(chat_format.decode(ids)))
            assert [(one.name, one.arguments, one.problem) for one in asked] == [(n, v, "") for n, v in calls]
    # No context can end a turn: the ends are those of the prompt, of each observation, and of each response.
    ends = episode.token_ids.count(chat_format.eos_token_id)
    assert ends == 2 + len(turns) + (len(turns) - 1)
    prompt = chat_format.encode_prompt(messages, TOOLS)
    assert episode.response_mask[: len(prompt)] == [0] * len(prompt)


@pytest.mark.parametrize("style", STYLES)
def test_a_demonstration_is_tokenized_like_an_episode(formats: dict[str, ChatFormat], style: str) -> None:
    """The pieces of a rollout, put together, are the tokens of the demonstration."""
    chat_format = formats[style]
    messages = conversation("You act as buyer.", "Please.", [([("find_people", {"name": "Ann"})], ["here", ""])] * 2)
    played = TokenizedEpisode()
    played.append_context(chat_format.encode_prompt(messages[:2], TOOLS))
    played.append_response(chat_format.encode_response(messages[2]))
    played.append_context(chat_format.encode_observation([messages[3]], ended=True))
    played.append_response(chat_format.encode_response(messages[4]))
    assert played == chat_format.tokenize_episode(messages, TOOLS)


def test_a_turn_that_was_stopped_is_ended_for_the_model(formats: dict[str, ChatFormat]) -> None:
    result: Message = {"role": "tool", "name": "find_people", "content": '{"ok":true,"data":{}}'}
    for chat_format in formats.values():
        assert chat_format.encode_observation([result], ended=False) == [
            chat_format.eos_token_id,
            *chat_format.encode_observation([result], ended=True),
        ]


def test_the_models_own_template_is_used_where_its_calls_can_be_parsed_back(formats: dict[str, ChatFormat]) -> None:
    import trl.chat_template_utils as known

    tokenizer = formats["plain"].tokenizer
    for name in ("qwen2_5", "qwen3", "qwen3_training", "qwen3_instruct_2507"):
        tokenizer.chat_template = getattr(known, f"{name}_chat_template")
        assert ChatFormat(tokenizer).style == "native", name
    for template in ("{{ messages[0].content }}", "{{ raise_exception('no tools here') }}", None):
        tokenizer.chat_template = template
        assert ChatFormat(tokenizer).style == "plain"
        with pytest.raises(UsageError, match="takes no tools"):
            ChatFormat(tokenizer, ChatFormatSettings(style="native"))


def test_calls_are_read_in_the_ways_that_models_write_them() -> None:
    for text in (
        '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>',
        '<think>hm</think> {"name": "f", "arguments": {"a": 1}}'.removeprefix("<think>hm</think>"),
        '<|python_tag|>{"name": "f", "parameters": {"a": 1}}',
    ):
        [one] = parse_calls(text).calls
        assert (one.name, one.arguments, one.problem) == ("f", {"a": 1}, "")
    assert parse_calls("{ no call").calls == parse_calls("good morning").calls == ()


# the compact style


def test_signatures_are_one_line_each(gym_folder: Path) -> None:
    task = small_models.list_tasks(gym_folder)[0]
    with task.world.open(task.task_id) as episode:
        lines = [render_signature(chat.render_tool(spec)) for spec in episode.tools]
        names = [spec.name for spec in episode.tools]
    assert [line.partition("(")[0] for line in lines] == names
    assert "lend(member: MEM-0001, copy: CPY-0001, days?: int, reference?: str)" in lines
    assert all("\n" not in line for line in lines)


@given(st.integers(0, 400))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_handbook_keeps_within_its_budget_and_its_order(library_world: Any, budget: int) -> None:
    text = library_world.handbook
    kept = trim_handbook(text, "may she lend it for free, gold member?", budget, lambda t: len(t.split()))
    assert not budget or len(kept.split()) <= budget
    lines = [line for line in kept.splitlines() if line.strip()]
    whole = [line for line in text.splitlines() if line.strip()]
    at = [whole.index(line) for line in lines]
    assert at == sorted(at)


def test_of_the_handbook_the_rules_that_speak_of_the_request_are_kept_first(library_world: Any) -> None:
    kept = trim_handbook(library_world.handbook, "Please waive the fines.", 30, lambda t: len(t.split()))
    assert "waiver cap" in kept
    assert "lending desk" not in kept


def test_results_say_what_was_cut() -> None:
    data = {"ok": True, "data": {"items": [{"id": n, "gone": None} for n in range(5)], "total": 5}}
    assert render_result(data, 2, 900) == f'{{"items":[{{"id":0}},{{"id":1}},"{ELLIPSIS} 3 more"],"total":5}}'
    assert render_result(data, 9, 20).endswith(ELLIPSIS)
    assert (
        render_result({"ok": False, "error": {"code": "NOT_FOUND", "message": "no"}}, 2, 900) == "error NOT_FOUND: no"
    )


def test_what_was_cut_away_is_not_asked_for(gym_folder: Path, formats: dict[str, ChatFormat]) -> None:
    """A demonstration that names what the compact style hides would teach guessing; with more room it is kept."""
    found = list(play_gold_walks(small_models.list_tasks(gym_folder)[:4]))
    tokenizer = formats["plain"].tokenizer
    tight = ChatFormat(
        tokenizer, ChatFormatSettings(style="compact", max_result_rows=1, max_result_chars=60, max_handbook_tokens=30)
    )
    wide = ChatFormat(tokenizer, ChatFormatSettings(style="compact", max_result_rows=50, max_result_chars=9_000))
    assert tokenize_demonstrations(tight, found, 10**6).dropped[NEEDS_HIDDEN] > 0
    assert tokenize_demonstrations(wide, found, 10**6).dropped == {}
    assert tokenize_demonstrations(wide, found, 50).dropped == {TOO_LONG: 4}


def test_a_signature_can_leave_out_what_short_tasks_do_without() -> None:
    names = ("name", "city", "born_from", "born_to", "sort", "limit", "offset")
    schema = {"type": "object", "properties": {"id": {"type": "string"}, **{n: {"type": "string"} for n in names}}}
    tool = chat.make_function_tool("find_people", "", {**schema, "required": ["id"]})
    assert render_signature(tool) == f"find_people(id: str, {', '.join(f'{n}?: str' for n in names)})"
    assert render_signature(tool, 2) == "find_people(id: str, name?: str, limit?: str, …)"
    assert render_signature(tool, 3) == "find_people(id: str, name?: str, city?: str, limit?: str, …)"
    assert render_signature(tool, 7) == render_signature(tool)
