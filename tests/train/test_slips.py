"""Demonstrations in which a call goes wrong first: told and not taught, and only where no harm is done."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldwright.agents import chat
from worldwright.core.rng import Stream
from worldwright.train import slips
from worldwright.train.demonstrations import Demonstration, demonstrations, gold_walks
from worldwright.train.rollouts import Place
from worldwright.train.slips import WAYS, slip
from worldwright.train.talk import Line, Talk
from worldwright.train.talk_settings import TalkSettings
from worldwright.world.records import Call
from worldwright.world.tasks import Key


def walked(place: Place, **more: Any) -> tuple[Demonstration, Demonstration | None]:
    """The gold walk of a task, and the same with a slip where there is one."""
    first, *rest = gold_walks([place], **more)
    assert first is not None
    assert first.slip is None
    return first, rest[0] if rest else None


def said(line: Line) -> list[int]:
    return [token for token, spoken in zip(line.ids, line.said, strict=True) if spoken]


def test_a_slip_is_told_and_what_is_taught_is_the_gold_walk(places: list[Place], pupil_words: Any) -> None:
    talk = Talk(pupil_words, TalkSettings(form="compact", rows=50, characters=9_000))
    pairs = [walked(place, tools=4, slips=1.0) for place in places]
    slipped = [(clean, wrong) for clean, wrong in pairs if wrong is not None]
    assert len(slipped) > len(places) / 2
    for clean, wrong in slipped:
        assert wrong.slip is not None
        without = [m for at, m in enumerate(wrong.messages) if at not in (wrong.slip, wrong.slip + 1)]
        assert [m.get("content") for m in without] == [m.get("content") for m in clean.messages]
        one, other = (demonstrations(talk, [d], 10**6).lines[0] for d in (clean, wrong))
        assert said(one) == said(other)
        (asked,) = chat.parse_tool_calls(wrong.messages[wrong.slip])
        assert asked.name in talk.text(other.ids)
        assert wrong.messages[wrong.slip + 1]["role"] == "tool"
        assert (asked.name, asked.arguments) not in [
            (c.name, c.arguments) for m in clean.messages for c in chat.parse_tool_calls(m)
        ]


def test_some_slips_are_refused_and_the_same_are_made_again(places: list[Place]) -> None:
    found = [walked(place, slips=1.0)[1] for place in places]
    assert found == [walked(place, slips=1.0)[1] for place in places]
    results = [chat.read_payload(d.messages[d.slip + 1]) for d in found if d is not None and d.slip is not None]
    assert any(not result["ok"] for result in results)
    assert all(walked(place)[1] is None for place in places)
    some = sum(walked(place, slips=0.5)[1] is not None for place in places)
    assert 0 < some < sum(d is not None for d in found)


def test_a_slip_that_does_harm_makes_no_demonstration(places: list[Place], monkeypatch: pytest.MonkeyPatch) -> None:
    """The wrong call is another task's, and goes through: the verdict is against it."""
    world = places[0].world
    writes = {tool.name for tool in world.tools if tool.mutates}
    mine, other = [p for p in places if p.world is world and any(c.tool in writes for c in world.key(p.task).calls)][:2]
    harm = next(c for c in world.key(other.task).calls if c.tool in writes)
    monkeypatch.setattr(slips, "WAYS", (lambda right, schemas, stream: harm,))
    assert walked(mine, slips=1.0)[1] is None


NAMES = st.sampled_from(["find_people", "pay", "get_order", "update_order", "close"])
ARGUMENTS = st.dictionaries(
    st.sampled_from(["order", "order_id", "kind", "amount"]), st.sampled_from(["A-1", "B-2", "urgent"])
)
PART = {"type": "string"}
CHOICE = {"type": "string", "enum": ["urgent", "usual"]}


@given(st.lists(st.builds(Call, NAMES, ARGUMENTS), max_size=3), st.sets(NAMES), st.integers(0, 50))
def test_a_slip_is_never_what_the_key_does(calls: list[Call], others: set[str], seed: int) -> None:
    names = sorted({*others, *(one.tool for one in calls)})
    schema = {"type": "object", "properties": {"order": PART, "kind": CHOICE}, "required": ["order", "kind"]}
    tools = [chat.make_function_tool(name, "", schema) for name in names] + [chat.make_submit_tool(names, {})]
    key = Key("task_001", tuple(calls), None, {})
    for at in range(len(calls) or 1):
        wrong = slip(key, at, tools, Stream("test", seed))
        assert wrong is None or wrong not in calls
    assert calls or slip(key, 0, tools, Stream("test", seed)) is None


def test_what_is_forbidden_is_tried_and_each_way_to_slip_is_one() -> None:
    forbidden = {"forbidden": [{"tool": "pay", "arguments": {"order": "A-1"}}]}
    assert slip(Key("task_001", (), None, forbidden), 0, [chat.make_submit_tool([], {})], Stream("test")) == Call(
        "pay", {"order": "A-1"}
    )
    schema = {"properties": {"order": PART, "kind": CHOICE}, "required": ["order", "kind"]}
    right = Call("pay_order", {"order": "A-1", "kind": "urgent"})
    made = [way(right, {"pay_order": schema, "close": schema}, Stream("test")) for way in WAYS]
    assert all(one is not None and one != right for one in made)
    assert len({repr(one) for one in made}) == len(set(WAYS))
