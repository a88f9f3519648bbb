"""Error-recovery demonstrations: a wrong call is context and not a target, and is made only where it does no harm."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldwright.agents import chat
from worldwright.core.rng import Stream
from worldwright.train import error_recovery
from worldwright.train.chat_format import ChatFormat, TokenizedEpisode
from worldwright.train.demonstrations import Demonstration, play_gold_walks, tokenize_demonstrations
from worldwright.train.error_recovery import MUTATIONS, make_wrong_call
from worldwright.train.rollouts import WorldTask
from worldwright.train.settings import ChatFormatSettings
from worldwright.world.records import Call
from worldwright.world.tasks import Key


def play_both(task: WorldTask, **more: Any) -> tuple[Demonstration, Demonstration | None]:
    """Play the gold walk of a task, and the same with a wrong call where there is one."""
    first, *rest = play_gold_walks([task], **more)
    assert first is not None
    assert first.wrong_turn is None
    return first, rest[0] if rest else None


def response_tokens(episode: TokenizedEpisode) -> list[int]:
    return [token for token, masked in zip(episode.token_ids, episode.response_mask, strict=True) if masked]


def test_a_wrong_call_is_context_and_the_targets_are_the_gold_walk(
    tasks: list[WorldTask], plain_tokenizer: Any
) -> None:
    chat_format = ChatFormat(
        plain_tokenizer, ChatFormatSettings(style="compact", max_result_rows=50, max_result_chars=9_000)
    )
    pairs = [play_both(task, max_tools=4, error_recovery=1.0) for task in tasks]
    pairs_with_error = [(clean, wrong) for clean, wrong in pairs if wrong is not None]
    assert len(pairs_with_error) > len(tasks) / 2
    for clean, wrong in pairs_with_error:
        assert wrong.wrong_turn is not None
        without = [m for at, m in enumerate(wrong.messages) if at not in (wrong.wrong_turn, wrong.wrong_turn + 1)]
        assert [m.get("content") for m in without] == [m.get("content") for m in clean.messages]
        one, other = (tokenize_demonstrations(chat_format, [d], 10**6).episodes[0] for d in (clean, wrong))
        assert response_tokens(one) == response_tokens(other)
        (asked,) = chat.parse_tool_calls(wrong.messages[wrong.wrong_turn])
        assert asked.name in chat_format.decode(other.token_ids)
        assert wrong.messages[wrong.wrong_turn + 1]["role"] == "tool"
        assert (asked.name, asked.arguments) not in [
            (c.name, c.arguments) for m in clean.messages for c in chat.parse_tool_calls(m)
        ]


def test_some_wrong_calls_are_refused_and_the_same_are_made_again(tasks: list[WorldTask]) -> None:
    found = [play_both(task, error_recovery=1.0)[1] for task in tasks]
    assert found == [play_both(task, error_recovery=1.0)[1] for task in tasks]
    results = [
        chat.read_payload(d.messages[d.wrong_turn + 1]) for d in found if d is not None and d.wrong_turn is not None
    ]
    assert any(not result["ok"] for result in results)
    assert all(play_both(task)[1] is None for task in tasks)
    some = sum(play_both(task, error_recovery=0.5)[1] is not None for task in tasks)
    assert 0 < some < sum(d is not None for d in found)


def test_a_wrong_call_that_does_harm_makes_no_demonstration(
    tasks: list[WorldTask], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The wrong call is another task's, and goes through: the verdict is against it."""
    world = tasks[0].world
    writes = {tool.name for tool in world.tools if tool.mutates}
    mine, other = [p for p in tasks if p.world is world and any(c.tool in writes for c in world.key(p.task_id).calls)][
        :2
    ]
    harm = next(c for c in world.key(other.task_id).calls if c.tool in writes)
    monkeypatch.setattr(error_recovery, "MUTATIONS", (lambda right, schemas, stream: harm,))
    assert play_both(mine, error_recovery=1.0)[1] is None


NAMES = st.sampled_from(["find_people", "pay", "get_order", "update_order", "close"])
ARGUMENTS = st.dictionaries(
    st.sampled_from(["order", "order_id", "kind", "amount"]), st.sampled_from(["A-1", "B-2", "urgent"])
)
PART = {"type": "string"}
CHOICE = {"type": "string", "enum": ["urgent", "usual"]}


@given(st.lists(st.builds(Call, NAMES, ARGUMENTS), max_size=3), st.sets(NAMES), st.integers(0, 50))
def test_a_wrong_call_is_never_one_of_the_key(calls: list[Call], others: set[str], seed: int) -> None:
    names = sorted({*others, *(one.tool for one in calls)})
    schema = {"type": "object", "properties": {"order": PART, "kind": CHOICE}, "required": ["order", "kind"]}
    tools = [chat.make_function_tool(name, "", schema) for name in names] + [chat.make_submit_tool(names, {})]
    key = Key("task_001", tuple(calls), None, {})
    for at in range(len(calls) or 1):
        wrong = make_wrong_call(key, at, tools, Stream("test", seed))
        assert wrong is None or wrong not in calls
    assert calls or make_wrong_call(key, 0, tools, Stream("test", seed)) is None


def test_forbidden_calls_are_made_and_each_mutation_changes_the_call() -> None:
    forbidden = {"forbidden": [{"tool": "pay", "arguments": {"order": "A-1"}}]}
    assert make_wrong_call(
        Key("task_001", (), None, forbidden), 0, [chat.make_submit_tool([], {})], Stream("test")
    ) == Call("pay", {"order": "A-1"})
    schema = {"properties": {"order": PART, "kind": CHOICE}, "required": ["order", "kind"]}
    right = Call("pay_order", {"order": "A-1", "kind": "urgent"})
    made = [mutate(right, {"pay_order": schema, "close": schema}, Stream("test")) for mutate in MUTATIONS]
    assert all(one is not None and one != right for one in made)
    assert len({repr(one) for one in made}) == len(set(MUTATIONS))
