"""Faults of a service behind a contract: they cost calls and nothing else, and what was recorded can still be replayed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from tests.anchor.anchors import DECLARED, STATUSES, depot_built, depot_world

from worldwright.core.errors import UsageError
from worldwright.engine.contract import call_outside
from worldwright.engine.env import FAULT, UNREAD, Env
from worldwright.engine.limits import Limits
from worldwright.engine.replay import replay
from worldwright.engine.trajectories import read_trajectory, trajectory_text
from worldwright.engine.world import World
from worldwright.store.open import world_of
from worldwright.world.records import Result
from worldwright.world.tasks import Task

ALL: Mapping[str, Sequence[str]] = {tool: statuses.split() for tool, statuses in STATUSES.items()}
"""Every tool fails once with everything that it declares."""


@pytest.fixture(scope="module")
def world() -> World:
    return depot_world()


def started(world: World, faults: Mapping[str, Sequence[str]], limits: Limits | None = None) -> Env:
    env = world.env(limits, faults=faults)
    env.reset()
    return env


def status(result: Result) -> object:
    assert result.error is not None
    assert not result.payload()["ok"], "an agent has to see that it failed"
    return (result.error.details or {}).get("status")


def play(world: World, env: Env, task: Task) -> int:
    """The witness of a task, played through the tools of the contract as an agent would: again where the service failed."""
    assert world.contract is not None
    key = world.key(task.id)
    calls = 0
    for call in key.calls:
        tool = world.contract.find_tool(call)
        assert tool is not None
        result = env.call_tool(tool.name, call_outside(tool, call))
        calls += 1
        while result.error is not None and result.error.code == "SERVICE_FAULT":
            result = env.call_tool(tool.name, call_outside(tool, call))
            calls += 1
        assert result.ok, (task.id, tool.name, result.error)
    env.submit(key.answer)
    return calls


def test_faults_come_first_in_order_and_then_the_tool_works(world: World) -> None:
    env = started(world, {"listParts": ["429", "401", "429"]})
    before = env.state_digest()
    results = [env.call_tool("listParts", {"limit": 1}) for _ in range(4)]
    assert [status(r) for r in results[:3]] == [429, 401, 429]
    assert [r.error.message for r in results[:3] if r.error] == ["Too many calls", "Not signed in", "Too many calls"]
    assert {r.error.code for r in results[:3] if r.error} == {"SERVICE_FAULT"}
    assert results[3].ok
    assert env.state_digest() == before


def test_a_fault_does_nothing_whatever_was_sent(world: World) -> None:
    env = started(world, {"createPart": ["503"], "retirePart": ["401", "409"]})
    before, clock = env.state_digest(), env.agent.clock()
    assert status(env.call_tool("createPart", {"name": "Bolt", "price": 3})) == 503
    assert status(env.call_tool("retirePart", {"nonsense": [1]})) == 401
    assert status(env.call_tool("retirePart", {"partId": 3})) == 409
    assert env.state_digest() == before
    assert env.diff() == {}
    assert env.agent.clock() == clock
    assert env.call_tool("createPart", {"name": "Bolt", "price": 3}).ok


def test_a_tool_fails_for_itself_only(world: World) -> None:
    env = started(world, {"getPart": ["404"]})
    listed = env.call_tool("listParts", {"limit": 1})
    assert listed.ok
    part = {"partId": listed.data["data"][0]["id"]}
    assert status(env.call_tool("getPart", part)) == 404
    assert env.call_tool("getPart", part).data == listed.data["data"][0]


def test_every_status_that_is_declared_can_be_had_as_a_fault(world: World) -> None:
    env = started(world, ALL)
    seen = {(tool, str(status(env.call_tool(tool, {})))) for tool, statuses in ALL.items() for _ in statuses}
    assert seen == DECLARED


def test_reset_brings_the_faults_back_and_fork_takes_along_what_is_left(world: World) -> None:
    env = started(world, {"listParts": ["429", "401"]})
    assert status(env.call_tool("listParts")) == 429
    twin = env.fork()
    assert status(env.call_tool("listParts")) == 401
    assert env.call_tool("listParts").ok
    assert status(twin.call_tool("listParts")) == 401
    assert twin.call_tool("listParts").ok
    env.reset()
    assert status(env.call_tool("listParts")) == 429


def test_an_environment_without_faults_beside_one_with_them(world: World) -> None:
    started(world, ALL)
    assert started(world, {}).call_tool("listParts").ok
    assert started(world, ALL).inside().reset().tools


def test_a_fault_counts_as_a_call_and_may_be_the_last(world: World) -> None:
    env = started(world, {"listParts": ["429", "429"]}, Limits(calls=2))
    assert not env.call_tool("listParts").done
    assert env.call_tool("listParts").done
    after = env.call_tool("listParts").error
    assert after is not None
    assert after.code == "EPISODE_OVER"


def test_under_names_that_say_nothing_the_same_tools_fail(world: World) -> None:
    plain = world.env(faults={"getPart": ["404"]})
    env = world.env(face="obscured", faults={"getPart": ["404"]})
    says = next(t.input_schema for t in plain.reset().tools if t.name == "getPart")
    (name,) = [t.name for t in env.reset().tools if t.input_schema == says and not t.mutates]
    assert name != "getPart"
    assert status(env.call_tool(name, {"partId": "x"})) == 404
    (step,) = env.trajectory().steps
    assert step.call.arguments == {UNREAD: FAULT}


@pytest.mark.parametrize(
    ("faults", "says"),
    [
        ({"listPart": ["429"]}, r"only tools of a contract have faults; .*listParts"),
        ({"listParts": ["500"]}, r"`listParts` does not declare 500; it declares 401, 429"),
        ({"listDeliveries": ["500"]}, r"`listDeliveries` does not declare 500; it declares none"),
        ({"list_parts": ["429"]}, "only tools of a contract have faults"),
    ],
)
def test_faults_that_there_cannot_be_are_refused(world: World, faults: dict[str, list[str]], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        world.env(faults=faults)


def test_a_world_without_a_contract_has_no_faults(library_world: World) -> None:
    with pytest.raises(UsageError, match="only tools of a contract have faults"):
        library_world.env(faults={"lend": ["503"]})


# tasks


def test_every_witness_passes_through_the_tools_of_the_contract(world: World) -> None:
    assert len(world.tasks) >= 10
    env = world.env()
    for task in world.tasks:
        env.reset(task.id)
        play(world, env, task)
        assert env.verify().status == "pass", task.id
        assert replay(world.env(), env.trajectory()) == []


def test_faults_only_delay_the_task_still_passes_and_the_trajectory_still_verifies(world: World) -> None:
    env, other = world.env(faults=ALL), world_of(depot_built().pack)
    delayed = 0
    for task in world.tasks:
        env.reset(task.id)
        calls = play(world, env, task)
        delayed += calls - len(world.key(task.id).calls)
        assert env.verify().status == "pass", task.id
        kept = read_trajectory(trajectory_text(env.trajectory()))
        assert kept == env.trajectory()
        assert len(kept.steps) == calls
        assert replay(other.env(), kept) == []
    assert delayed > len(world.tasks)


def test_giving_up_at_a_fault_is_no_pass(world: World) -> None:
    task = next(t for t in world.tasks if any(c.tool == "retire_part" for c in world.key(t.id).calls))
    env = world.env(faults={"retirePart": ["503"]})
    env.reset(task.id)
    assert world.contract is not None
    for call in world.key(task.id).calls:
        tool = world.contract.find_tool(call)
        assert tool is not None
        env.call_tool(tool.name, call_outside(tool, call))
    env.submit(world.key(task.id).answer)
    assert env.verify().status == "fail"
    assert replay(world.env(), env.trajectory()) == []
