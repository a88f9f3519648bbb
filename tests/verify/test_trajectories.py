"""Trajectories as files: what is written is read back, and whatever else a file holds is refused in so many words."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.effort import examples
from tests.verify.made_world import gold, made_world, play, random_walk

from worldwright.core.errors import UsageError
from worldwright.engine.replay import replay
from worldwright.engine.trajectories import MAX_CALLS, read_trajectory, trajectory_text
from worldwright.world.records import Call, Result, Step, ToolError, Trajectory

pytestmark = pytest.mark.xdist_group("made world")

many = settings(max_examples=examples(150), deadline=None, suppress_health_check=list(HealthCheck))

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
numbers = st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False)
values = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
errors = st.builds(ToolError, texts, texts, st.none() | texts, st.none() | st.dictionaries(texts, values, max_size=2))
results = st.builds(Result, st.just(True), values, st.none(), st.booleans()) | st.builds(
    Result, st.just(False), st.none(), errors, st.booleans()
)
calls = st.builds(Call, texts, st.dictionaries(texts, values, max_size=3) | values)
trajectories = st.builds(
    Trajectory, texts, texts, st.lists(st.builds(Step, calls, results, texts), max_size=4).map(tuple), values, st.booleans(),
    texts, texts,
)  # fmt: skip


@many
@given(trajectories)
def test_what_is_written_is_read_back(trajectory: Trajectory) -> None:
    text = trajectory_text(trajectory)
    assert text.count("\n") == len(trajectory.steps) + 2
    again = read_trajectory(text)
    assert again == trajectory
    assert trajectory_text(again) == text


def test_real_episodes_are_read_back_and_replay() -> None:
    world = made_world()
    env = world.env()
    for task, key in world.some(8):
        play(env, task, gold(key))
        trajectory = read_trajectory(trajectory_text(env.trajectory()))
        assert trajectory == env.trajectory()
        assert replay(world.env(), trajectory) == []
    random_walk(env, world.tasks[0][0], 1, 30)
    env.call_tool("route_request", {"request": float("nan")})
    env.call_tool("no such tool \ud800", {"x": [1] * 10})
    trajectory = read_trajectory(trajectory_text(env.trajectory()))
    assert trajectory == env.trajectory()
    assert replay(world.env(), trajectory) == []


HEAD: dict[str, Any] = {"type": "episode", "format": 1, "world": "w", "task": "task_001", "role": "buyer"}
CALL: dict[str, Any] = {"type": "call", "tool": "t", "arguments": {}, "clock": "", "ok": True, "data": None}
ERROR: dict[str, Any] = {"code": "NO", "message": "No."}
REFUSED: dict[str, Any] = {"type": "call", "tool": "t", "arguments": {}, "clock": "", "ok": False, "error": ERROR}
END: dict[str, Any] = {"type": "end", "calls": 1, "submitted": True, "answer": None, "final": ""}


def text(*lines: Any) -> str:
    return "".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines)


def test_the_plain_ones_are_read() -> None:
    assert read_trajectory(text(HEAD, CALL, END)).steps[0].result == Result(True)
    assert read_trajectory(text(HEAD, REFUSED, END)).steps[0].result.error == ToolError("NO", "No.")
    assert read_trajectory(text(HEAD, CALL, END).removesuffix("\n")).task == "task_001"


WRONG = [
    ("", "line 1 of the trajectory is not JSON"),
    (text(END), 'line 1 of the trajectory must be of type `episode`, and says "end"'),
    (text(HEAD), "ends with a line of type `end`"),
    (text(HEAD, CALL), 'line 2 of the trajectory must be of type `end`, and says "call"'),
    (text(HEAD, END), "says that there were 1 calls; there are 0"),
    (text(HEAD, END, CALL), "line 2 of the trajectory must be of type `call`"),
    (text(HEAD, "", CALL, END), "line 2 of the trajectory is not JSON"),
    (text(HEAD, CALL, END, ""), 'line 3 of the trajectory must be of type `call`, and says "end"'),
    (text({**HEAD, "format": 2}, CALL, END), "line 1 of the trajectory is of format 2; this version reads 1"),
    (text({**HEAD, "format": True}, CALL, END), "has a wrong `format`: true"),
    (text({**HEAD, "world": 3}, CALL, END), "has a wrong `world`: 3"),
    (text({**HEAD, "actor": "EMP-1"}, CALL, END), 'has a field "actor" that means nothing'),
    (text({k: v for k, v in HEAD.items() if k != "role"}, CALL, END), "has no `role`"),
    (text(HEAD, {**CALL, "ok": 1}, END), "has no `error`"),
    (text(HEAD, {**CALL, "ok": False}, END), "has no `error`"),
    (text(HEAD, {**CALL, "error": ERROR}, END), 'has a field "error" that means nothing'),
    (text(HEAD, {**REFUSED, "error": {"code": "NO"}}, END), "has no `message`"),
    (text(HEAD, {**REFUSED, "error": {**ERROR, "policy": 1}}, END), "has a wrong `policy`: 1"),
    (text(HEAD, {**REFUSED, "error": {**ERROR, "__class__": ""}}, END), "that means nothing"),
    (text(HEAD, {**CALL, "tool": None}, END), "has a wrong `tool`: null"),
    (text(HEAD, CALL, {**END, "submitted": "yes"}), 'has a wrong `submitted`: "yes"'),
    (text(HEAD, CALL, {**END, "calls": -1}), "has a wrong `calls`: -1"),
    (text(HEAD, "[]", END), "line 2 of the trajectory is not an object"),
    (text(HEAD, '{"type": "call", "type": "end"}', END), "a key is given twice"),
    (
        text(HEAD, CALL, '{"type": "end", "calls": 1, "submitted": true, "answer": NaN, "final": ""}'),
        "NaN is no number",
    ),
    (text(HEAD, CALL, '{"type": "end", "calls": 1, "submitted": true, "answer": 1e999, "final": ""}'), "not finite"),
    (
        text(HEAD, CALL, '{"type": "end", "calls": 1, "submitted": true, "answer": "\\ud800", "final": ""}'),
        "not Unicode",
    ),
    (text(HEAD, CALL, f'{{"answer": {"9" * 400}}}'), "a number is too large"),
    (text(HEAD, CALL, f'{{"answer": {"9" * 10_000}}}'), "line 3 of the trajectory is not JSON"),
    (text(HEAD, CALL, f'{{"answer": {"[" * 100}{"]" * 100}}}'), "nested more than 64 deep"),
    (text(HEAD, CALL, "[" * 200_000), "line 3 of the trajectory is not JSON"),
    ("\n" * (MAX_CALLS + 3), f"at most {MAX_CALLS} calls"),
]


@pytest.mark.parametrize(("found", "message"), WRONG)
def test_what_is_wrong_is_said_with_its_line(found: str, message: str) -> None:
    with pytest.raises(UsageError) as refused:
        read_trajectory(found)
    assert message in str(refused.value)
    assert len(str(refused.value)) < 300


@many
@given(st.data())
def test_a_damaged_file_is_refused_or_read(data: st.DataObject) -> None:
    """One place of a file written over: nothing but a refusal may come of it."""
    whole = text(HEAD, CALL, REFUSED, {**END, "calls": 2, "answer": {"a": [1.5, "x"]}})
    start = data.draw(st.integers(0, len(whole)))
    length = data.draw(st.integers(0, 6))
    broken = (
        whole[:start] + data.draw(texts | st.sampled_from(['"', "{", "\n", "1e9", "null"])) + whole[start + length :]
    )
    with suppress(UsageError):
        read_trajectory(broken)


def test_what_is_not_json_is_not_written() -> None:
    for answer in (float("nan"), object(), {1: set()}, "\ud800"):
        with pytest.raises(UsageError, match="not plain JSON"):
            trajectory_text(Trajectory("w", "", (), answer))
    with pytest.raises(UsageError, match="without an error"):
        trajectory_text(Trajectory("w", "", (Step(Call("t", {}), Result(False), ""),)))
