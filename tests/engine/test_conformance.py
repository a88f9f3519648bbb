"""The checks of what every world promises tell each promise that is broken. And the walks that they take."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count

import pytest

from worldwright.core.rng import Stream
from worldwright.engine import conformance
from worldwright.engine.env import Env
from worldwright.engine.walk import walk
from worldwright.engine.world import World

EVERY = range(conformance.NUM_EPISODES)
DIGESTS = pytest.mark.parametrize("step", [1, -1])
"""Digests that differ, in either order."""


def digests(step: int) -> Iterator[str]:
    return (f"{number:09}" for number in count(10_000, step))


@DIGESTS
def test_what_reset_leaves_behind_is_told(library_world: World, monkeypatch: pytest.MonkeyPatch, step: int) -> None:
    found = digests(step)
    monkeypatch.setattr(Env, "state_digest", lambda env: next(found))
    assert conformance.reset_is_total(library_world, 0) == [
        "the opening state is not the one the manifest names",
        *(f"episode {number} left something behind after reset" for number in EVERY),
    ]


def test_a_fresh_episode_with_a_diff_is_told(library_world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Env, "diff", lambda env: ("something",))
    expected = [f"episode {number}: a fresh episode has a diff" for number in EVERY]
    assert conformance.reset_is_total(library_world, 0) == expected


def test_another_end_of_a_replay_is_told(library_world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    trajectory, ends = Env.trajectory, count()
    monkeypatch.setattr(Env, "trajectory", lambda env: replace(trajectory(env), final_digest=str(next(ends))))
    found = conformance.replay_is_exact(library_world, 0)
    assert [problem.partition(":")[0] for problem in found] == [f"episode {number}" for number in EVERY]


@pytest.mark.parametrize("digest", ["0" * 64, "z" * 64])
def test_episodes_that_meet_are_told(library_world: World, monkeypatch: pytest.MonkeyPatch, digest: str) -> None:
    monkeypatch.setattr(Env, "state_digest", lambda env: digest)
    expected = [f"episode {number} ended otherwise side by side with others" for number in EVERY]
    assert conformance.episodes_are_apart(library_world, 0) == expected


@DIGESTS
def test_a_refusal_that_changes_something_is_told(
    library_world: World, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    found = digests(step)
    monkeypatch.setattr(Env, "state_digest", lambda env: next(found))
    told = conformance.refusals_change_nothing(library_world, 0)
    assert told
    assert all(problem.endswith("was refused and changed something") for problem in told)


def test_a_reading_that_moves_the_clock_is_told(library_world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = count()
    monkeypatch.setattr(Env, "_clock", lambda env: f"2025-06-16T09:00:{next(ticks) % 60:02}Z")
    told = conformance.reading_is_free(library_world, 0)
    assert told
    assert all(problem.endswith("reads and moved the clock") for problem in told)


def test_a_walk_looks_around_first(library_world: World) -> None:
    env = library_world.env()
    env.reset(role=library_world.roles[0])
    list(walk(env, Stream(7, "walk"), 30))
    looked = env.trajectory().steps[:-30]
    searches = {t.name for t in env.agent.list() if not t.mutates and not t.input_schema.get("required")}
    assert {step.call.tool for step in looked} == searches
    assert all(step.result.data["items"] for step in looked)


def test_a_walk_makes_the_calls_that_it_is_asked_for(library_world: World) -> None:
    env = library_world.env()
    env.reset(role=library_world.roles[0])
    steps = list(walk(env, Stream(7, "walk"), 120))
    assert len(steps) == 120
    tools = {tool.name for tool in env.agent.list()}
    assert {step.call.tool for step in steps} == tools
    done = {step.call.tool for step in steps if step.result.ok}
    assert len(done) > len(tools) / 2, "ids that results have shown are used again"
