"""Conversations as tokens: whatever is in them, the mask is on what the model says and on nothing else."""

from __future__ import annotations

import json
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.effort import examples
from tests.train import pupils

from worldwright.agents import chat
from worldwright.agents.chat import Message
from worldwright.core.errors import UsageError
from worldwright.train.compact import CUT, short_result, signature, trimmed_handbook
from worldwright.train.demonstrations import HIDDEN, LONG, demonstrations, gold_walks
from worldwright.train.talk import Line, Talk, read_calls
from worldwright.train.talk_settings import TalkSettings

FORMS = ("native", "plain", "compact")
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
def talks(gym_folder: Path) -> dict[str, Talk]:
    from trl.chat_template_utils import qwen3_chat_template

    found = pupils.places(gym_folder)[:3]
    templates = {"native": qwen3_chat_template, "plain": "", "compact": ""}
    return {
        form: Talk(pupils.tokenizer_for(found, template), TalkSettings(form=form, handbook=80))
        for form, template in templates.items()
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


def spoken(line: Line) -> list[list[int]]:
    """The stretches of tokens that the model says."""
    pairs = zip(line.ids, line.said, strict=True)
    return [[i for i, _ in run] for said, run in groupby(pairs, key=lambda pair: pair[1]) if said]


@pytest.mark.parametrize("form", FORMS)
@given(system=TEXT, request_=TEXT, turns=st.lists(TURN, min_size=1, max_size=3))
@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_mask_is_on_what_the_model_says(
    talks: dict[str, Talk], form: str, system: str, request_: str, turns: list[Any]
) -> None:
    talk = talks[form]
    messages = conversation(system, request_, turns)
    line = talk.line(messages, TOOLS)
    said = spoken(line)
    assert len(said) == len(turns)
    for ids, (calls, _) in zip(said, turns, strict=True):
        assert ids[-1] == talk.end_id
        assert ids.count(talk.end_id) == 1
        if form != "native":  # what stands in arguments is escaped only by our own template
            asked = chat.parse_tool_calls(talk.read(talk.text(ids)))
            assert [(one.name, one.arguments, one.problem) for one in asked] == [(n, v, "") for n, v in calls]
    # Nothing that is told can end a turn: ends are those of the opening, of each result that came back, and of each turn.
    ends = line.ids.count(talk.end_id)
    assert ends == 2 + len(turns) + (len(turns) - 1)
    assert line.said[: len(talk.opening(messages, TOOLS))] == [0] * len(talk.opening(messages, TOOLS))


@pytest.mark.parametrize("form", FORMS)
def test_a_demonstration_is_laid_down_like_an_episode(talks: dict[str, Talk], form: str) -> None:
    """The pieces of a rollout, put together, are the tokens of the demonstration."""
    talk = talks[form]
    messages = conversation("You act as buyer.", "Please.", [([("find_people", {"name": "Ann"})], ["here", ""])] * 2)
    played = Line()
    played.told(talk.opening(messages[:2], TOOLS))
    played.spoke(talk.said(messages[2]))
    played.told(talk.back([messages[3]], ended=True))
    played.spoke(talk.said(messages[4]))
    assert played == talk.line(messages, TOOLS)


def test_a_turn_that_was_stopped_is_ended_for_the_model(talks: dict[str, Talk]) -> None:
    result: Message = {"role": "tool", "name": "find_people", "content": '{"ok":true,"data":{}}'}
    for talk in talks.values():
        assert talk.back([result], ended=False) == [talk.end_id, *talk.back([result], ended=True)]


def test_the_models_own_template_is_used_where_its_calls_can_be_read_back(talks: dict[str, Talk]) -> None:
    import trl.chat_template_utils as known

    tokenizer = talks["plain"].tokenizer
    for name in ("qwen2_5", "qwen3", "qwen3_training", "qwen3_instruct_2507"):
        tokenizer.chat_template = getattr(known, f"{name}_chat_template")
        assert Talk(tokenizer).form == "native", name
    for template in ("{{ messages[0].content }}", "{{ raise_exception('no tools here') }}", None):
        tokenizer.chat_template = template
        assert Talk(tokenizer).form == "plain"
        with pytest.raises(UsageError, match="takes no tools"):
            Talk(tokenizer, TalkSettings(form="native"))


def test_calls_are_read_in_the_ways_that_models_write_them() -> None:
    for text in (
        '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>',
        '<think>hm</think> {"name": "f", "arguments": {"a": 1}}'.removeprefix("<think>hm</think>"),
        '<|python_tag|>{"name": "f", "parameters": {"a": 1}}',
    ):
        [one] = read_calls(text).calls
        assert (one.name, one.arguments, one.problem) == ("f", {"a": 1}, "")
    assert read_calls("{ no call").calls == read_calls("good morning").calls == ()


# the compact form


def test_signatures_are_one_line_each(gym_folder: Path) -> None:
    place = pupils.places(gym_folder)[0]
    with place.world.open(place.task) as episode:
        lines = [signature(chat.render_tool(spec)) for spec in episode.tools]
        names = [spec.name for spec in episode.tools]
    assert [line.partition("(")[0] for line in lines] == names
    assert "lend(member: MEM-0001, copy: CPY-0001, days?: int, reference?: str)" in lines
    assert all("\n" not in line for line in lines)


@given(st.integers(0, 400))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_handbook_keeps_within_its_budget_and_its_order(library_world: Any, budget: int) -> None:
    text = library_world.handbook
    kept = trimmed_handbook(text, "may she lend it for free, gold member?", budget, lambda t: len(t.split()))
    assert not budget or len(kept.split()) <= budget
    lines = [line for line in kept.splitlines() if line.strip()]
    whole = [line for line in text.splitlines() if line.strip()]
    at = [whole.index(line) for line in lines]
    assert at == sorted(at)


def test_of_the_handbook_the_rules_that_speak_of_the_request_are_kept_first(library_world: Any) -> None:
    kept = trimmed_handbook(library_world.handbook, "Please waive the fines.", 30, lambda t: len(t.split()))
    assert "waiver cap" in kept
    assert "lending desk" not in kept


def test_results_say_what_was_cut() -> None:
    data = {"ok": True, "data": {"items": [{"id": n, "gone": None} for n in range(5)], "total": 5}}
    assert short_result(data, 2, 900) == f'{{"items":[{{"id":0}},{{"id":1}},"{CUT} 3 more"],"total":5}}'
    assert short_result(data, 9, 20).endswith(CUT)
    assert short_result({"ok": False, "error": {"code": "NOT_FOUND", "message": "no"}}, 2, 900) == "error NOT_FOUND: no"


def test_what_was_cut_away_is_not_asked_for(gym_folder: Path, talks: dict[str, Talk]) -> None:
    """A demonstration that names what the short form hides would teach guessing; with more room it is kept."""
    found = list(gold_walks(pupils.places(gym_folder)[:4]))
    tokenizer = talks["plain"].tokenizer
    tight = Talk(tokenizer, TalkSettings(form="compact", rows=1, characters=60, handbook=30))
    wide = Talk(tokenizer, TalkSettings(form="compact", rows=50, characters=9_000))
    assert demonstrations(tight, found, 10**6).dropped[HIDDEN] > 0
    assert demonstrations(wide, found, 10**6).dropped == {}
    assert demonstrations(wide, found, 50).dropped == {LONG: 4}


def test_a_signature_can_leave_out_what_short_tasks_do_without() -> None:
    names = ("name", "city", "born_from", "born_to", "sort", "limit", "offset")
    schema = {"type": "object", "properties": {"id": {"type": "string"}, **{n: {"type": "string"} for n in names}}}
    tool = chat.make_function_tool("find_people", "", {**schema, "required": ["id"]})
    assert signature(tool) == f"find_people(id: str, {', '.join(f'{n}?: str' for n in names)})"
    assert signature(tool, 2) == "find_people(id: str, name?: str, limit?: str, …)"
    assert signature(tool, 3) == "find_people(id: str, name?: str, city?: str, limit?: str, …)"
    assert signature(tool, 7) == signature(tool)
