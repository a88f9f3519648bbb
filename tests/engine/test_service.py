"""Busy services at the agent's door: limits, calls that fail once, and that nothing of it reaches the state."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests import worlds
from tests.effort import examples
from tests.shared_builds import build

from worldwright.agents.chat import Message, make_result_message, parse_tool_calls, render_tool
from worldwright.agents.oracle import Oracle
from worldwright.agents.protocol import Brief
from worldwright.blueprint.load import load_text
from worldwright.core.errors import BlueprintError
from worldwright.engine import conformance
from worldwright.engine.env import Env
from worldwright.engine.replay import replay
from worldwright.engine.service import find_refusal
from worldwright.engine.world import World
from worldwright.store.open import world_of
from worldwright.world.records import Call, Result, Step
from worldwright.world.service import Service

LIMIT = "service: {searches: {in: desk, only: searches, at_most: 2, in_any: 5}}\n"
FLAKY = "service: {outages: {in: desk, fails: 60%}}\n"
BOTH = "service: {searches: {in: desk, only: searches, at_most: 2, in_any: 5}, outages: {in: desk, fails: 60%}}\n"


@cache
def world(service: str, tasks: bool = False) -> World:
    checked = load_text(worlds.text(worlds.LIBRARY) + "\n" + service, "busy library")
    return world_of(build(checked, 7, with_tasks=tasks).pack)


def env_of(service: str, tasks: bool = False) -> Env:
    env = world(service, tasks).env()
    env.reset()
    return env


def code(result: Result) -> str:
    return result.error.code if result.error is not None else "ok"


def test_a_limit_turns_away_and_says_when_to_come_back() -> None:
    env = env_of(LIMIT)
    found = [env.call_tool("find_members", {"limit": n}) for n in (1, 2, 3)]
    assert [code(r) for r in found] == ["ok", "ok", "RATE_LIMITED"]
    error = found[2].error
    assert error is not None
    assert error.message.endswith("Try again after 2 other calls of any kind.")
    assert error.details == {"service": "searches", "retry_after_calls": 2}
    member = found[0].data["items"][0]["id"]
    for _ in range(2):
        assert code(env.call_tool("get_member", {"member": member})) == "ok"
    assert code(env.call_tool("find_members", {"limit": 3})) == "ok"


def test_calling_again_and_again_is_a_way_to_wait() -> None:
    env = env_of(LIMIT)
    codes = [code(env.call_tool("find_copies")) for _ in range(12)]
    assert codes == (["ok"] * 2 + ["RATE_LIMITED"] * 3) * 2 + ["ok"] * 2


def test_calls_that_cannot_be_read_count_and_what_is_said_of_the_wait_is_true() -> None:
    """They are refused before the limit is asked, so that there can be more of them than it allows."""
    env = env_of(LIMIT)
    unread = [env.call_tool("find_members", {"limit": object()}) for _ in range(4)]
    assert {code(result) for result in unread} == {"INVALID_ARGUMENT"}
    error = env.call_tool("find_members").error
    assert error is not None
    assert error.details == {"service": "searches", "retry_after_calls": 2}
    assert [code(env.call_tool("find_members")) for _ in range(3)] == ["RATE_LIMITED", "RATE_LIMITED", "ok"]


def test_a_call_that_fails_once_is_answered_when_it_is_made_again() -> None:
    env = env_of(FLAKY)
    failed = 0
    for n in range(1, 31):
        first = env.call_tool("find_members", {"limit": n})
        if not first.ok:
            failed += 1
            assert code(first) == "UNAVAILABLE"
            assert "Try again" in str(first.error and first.error.message)
            assert not first.done
            assert env.call_tool("find_members", {"limit": n}).ok
        assert env.call_tool("find_members", {"limit": n}).ok
    assert 8 < failed < 28


@pytest.mark.parametrize("service", [LIMIT, FLAKY, BOTH])
def test_such_worlds_keep_every_promise(service: str) -> None:
    assert conformance.check_world(world(service)) == []


@pytest.mark.parametrize("service", [LIMIT, FLAKY, BOTH])
def test_reset_forgets_forks_carry_and_replay_is_exact(service: str) -> None:
    env = env_of(service)
    calls = [("find_members", {"limit": 1 + k % 3}) for k in range(8)]
    first = [code(env.call_tool(*call)) for call in calls]
    assert set(first) - {"ok"}
    env.reset()
    half = [code(env.call_tool(*call)) for call in calls[:4]]
    twin = env.fork()
    assert half + [code(twin.call_tool(*call)) for call in calls[4:]] == first
    assert half + [code(env.call_tool(*call)) for call in calls[4:]] == first
    assert replay(world(service).env(), env.trajectory()) == []


def test_under_other_names_the_same_calls_are_turned_away() -> None:
    env = world(BOTH).env(face="obscured")
    env.reset()
    plain = env_of(BOTH)
    real = {t.description: t.name for t in plain.agent.list()}
    for _ in range(6):
        for shown in (t for t in env.agent.list() if not t.input_schema.get("required")):
            mine, theirs = env.call_tool(shown.name, {}), plain.call_tool(real[shown.description], {})
            assert mine == theirs
            assert real[shown.description] not in str(mine.error)
    assert replay(env, env.trajectory()) == []


def played(made: World, ref: str) -> tuple[float | None, int, Any]:
    """The oracle on a task: its reward, how many calls were turned away, and the log."""
    with made.open(ref) as episode:
        tools = [render_tool(t) for t in episode.tools]
        player = Oracle().begin(Brief(0, made.key(ref)))
        messages: list[Message] = [{"role": m["role"], "content": m["content"]} for m in episode.messages]
        while not episode.done:
            said = player.act(messages, tools)
            messages.append(said)
            messages += [make_result_message(a, episode.call(a.name, a.arguments)) for a in parse_tool_calls(said)]
        log = episode.log()
        away = sum(code(s.result) in ("RATE_LIMITED", "UNAVAILABLE") for s in log.steps)
        return episode.verify().reward, away, log


def test_the_oracle_comes_back_and_scores_one_on_every_task() -> None:
    made = world(BOTH, tasks=True)
    found = [played(made, ref) for ref in made.book.ids]
    assert len(found) >= 10
    assert {reward for reward, _, _ in found} == {1.0}
    assert sum(away > 0 for _, away, _ in found) > len(found) / 2
    assert all(made.judge(log).reward == 1.0 for _, _, log in found)


def test_tasks_and_state_are_those_of_the_same_world_without() -> None:
    quiet, busy = world("", tasks=True), world(BOTH, tasks=True)
    assert quiet.manifest.state == busy.manifest.state
    assert quiet.tasks == busy.tasks
    assert [quiet.key(t) for t in quiet.book.ids] == [busy.key(t) for t in busy.book.ids]
    assert "When systems are busy" not in quiet.handbook
    assert "2 calls are answered in any 5 calls" in busy.handbook
    assert "Make the very same call again" in busy.handbook


steps = st.lists(st.tuples(st.sampled_from(["a", "b", "c"]), st.integers(0, 1)), max_size=40)


@settings(max_examples=examples(60))
@given(steps, st.integers(1, 4), st.integers(1, 6))
def test_no_window_ever_holds_more_than_the_limit(calls: list[tuple[str, int]], at_most: int, more: int) -> None:
    """And what is said of the wait is true: made so many calls later, it is answered; sooner, it is not."""
    limit = Service("limit", frozenset({"a", "b"}), at_most, at_most + more)
    services = {"a": (limit,), "b": (limit,)}
    done: list[Step] = []

    def made(tool: str, value: int) -> Result:
        result = find_refusal(services, done, "task_001", tool, {"v": value}) or Result(True)
        done.append(Step(Call(tool, {"v": value}), result, ""))
        return result

    for tool_name, value in calls:
        made(tool_name, value)
    answered_at = [n for n, s in enumerate(done) if s.call.tool != "c" and s.result.ok]
    for n in range(len(done)):
        assert sum(n <= at < n + limit.in_any for at in answered_at) <= at_most
    last = made("a", 0)
    if last.error is not None and last.error.details is not None:
        for _ in range(last.error.details["retry_after_calls"]):
            assert find_refusal(services, done, "task_001", "a", {"v": 0}) is not None
            made("c", 0)
        assert find_refusal(services, done, "task_001", "a", {"v": 0}) is None


@settings(max_examples=examples(60))
@given(st.floats(0.05, 0.9), st.text(max_size=8), st.lists(st.integers(0, 4), max_size=30))
def test_which_calls_fail_depends_on_nothing_but_the_call(share: float, task: str, values: list[int]) -> None:
    services = {"a": (Service("outages", frozenset({"a"}), fails=share),)}
    fails = {v: find_refusal(services, (), task, "a", {"v": v}) is not None for v in range(5)}
    done: list[Step] = []
    for v in values:
        before = any(s.call.arguments == {"v": v} for s in done)
        result = find_refusal(services, done, task, "a", {"v": v}) or Result(True)
        assert result.ok == (before or not fails[v])
        done.append(Step(Call("a", {"v": v}), result, ""))


@pytest.mark.parametrize(
    ("service", "says"),
    [
        ("{in: dek, fails: 10%}", "did you mean `desk`"),
        ("{on: [find_member], fails: 10%}", "did you mean `find_members`"),
        ("{fails: 10%}", "about a system or about some operations"),
        ("{in: desk, on: [find_members], fails: 10%}", "about a system or about some operations"),
        ("{in: desk}", "either limits calls or fails"),
        ("{in: desk, fails: 10%, at_most: 2, in_any: 5}", "either limits calls or fails"),
        ("{in: desk, at_most: 5, in_any: 5}", "less than `in_any`"),
        ("{in: desk, at_most: 5}", "less than `in_any`"),
        ("{in: desk, fails: 95%}", "less than or equal to 0.9"),
        ("{on: [get_member], only: searches, fails: 10%}", "nothing is left"),
    ],
)
def test_a_service_that_says_something_wrong(service: str, says: str) -> None:
    with pytest.raises(BlueprintError, match=says) as caught:
        load_text(worlds.text(worlds.LIBRARY) + f"\nservice:\n  busy: {service}\n", "wrong.yaml")
    assert caught.value.findings[0].path.startswith("service.busy")
    assert caught.value.findings[0].line > 100
