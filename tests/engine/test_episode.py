"""The native interface: an episode from its first message to its verdict."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldwright.core.errors import EpisodeError, UsageError
from worldwright.engine.episode import Episode
from worldwright.engine.limits import Limits
from worldwright.engine.world import World

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.binary(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


def solve(world: World, episode: Episode) -> None:
    key = world.key(episode.task.id)
    for call in key.calls:
        episode.call(call.tool, call.arguments)
    episode.call(episode.submit, key.answer)


def test_an_episode_from_start_to_verdict(library_world: World) -> None:
    for task in library_world.tasks:
        with library_world.open(task.id) as episode:
            system, user = episode.messages
            assert (system["role"], user["role"]) == ("system", "user")
            assert task.instruction in user["content"]
            assert episode.tools[-1].name == episode.submit
            assert episode.tools[-1].input_schema == task.answer_schema
            assert (episode.done, episode.verify().reward) == (False, 0)
            solve(library_world, episode)
            assert (episode.done, episode.verify().reward) == (True, 1)
            late = episode.call(episode.tools[0].name, {})
            assert late.error is not None
            assert late.error.code == "EPISODE_OVER"


def test_arguments_may_be_the_text_of_an_object(library_world: World) -> None:
    task = library_world.tasks[0].id
    key = library_world.key(task)
    with library_world.open(task) as episode:
        for call in key.calls:
            assert episode.call(call.tool, json.dumps(call.arguments)).ok
        last = episode.call(episode.submit, json.dumps(key.answer))
        assert (last.ok, last.done) == (True, True)
        assert episode.verify().reward == 1


@given(name=st.text(max_size=12) | st.sampled_from(["find_members", "submit_answer", "lend_copy"]), arguments=anything)
def test_whatever_a_model_sends_a_result_comes_back(library_world: World, name: str, arguments: Any) -> None:
    with library_world.open(library_world.tasks[0].id) as episode:
        result = episode.call(name, arguments)
        json.dumps(result.payload())
        log = episode.log()
        assert episode.verify() == library_world.judge(log)


def test_a_name_that_no_tool_has_is_said_again_but_not_all_of_a_long_one(library_world: World) -> None:
    with library_world.open(library_world.tasks[0].id) as episode:
        for name in ("x" * 60, "x" * 61):
            error = episode.call(name, {}).error
            assert error is not None
            assert error.message == f"There is no tool `{'x' * 60}`."


def test_a_log_is_judged_like_the_episode_itself(library_world: World) -> None:
    for task in library_world.tasks[:10]:
        for face in ("plain", "obscured", "crowded_asking"):
            with library_world.open(task.id, face=face) as episode:
                episode.call("nothing", "{")
                if "asking" in face:
                    episode.call("ask_requester", {"message": "What else?"})
                key = episode.env.key()
                for call in key.calls:
                    episode.call(call.tool, call.arguments)
                episode.call(episode.submit, key.answer)
                assert episode.verify().reward == 1
                assert library_world.judge(episode.log()) == episode.verify()


def test_a_log_of_another_world_is_refused(library_world: World) -> None:
    with library_world.open(library_world.tasks[0].id) as episode, pytest.raises(UsageError, match="another world"):
        library_world.judge(replace(episode.log(), world="0" * 64))


def test_environments_are_used_again_and_nothing_is_left_in_them(library_world: World) -> None:
    task = library_world.tasks[0].id
    first = library_world.open(task, limits=Limits(calls=77))
    env, opening = first.env, first.env.state_digest()
    solve(library_world, first)
    first.close()
    second = library_world.open(task, limits=Limits(calls=77))
    assert second.env is env
    assert second.env.state_digest() == opening
    assert second.diff() == {}
    assert second.verify().reward == 0
    beside = library_world.open(task, limits=Limits(calls=77))
    assert beside.env is not env


def test_a_closed_episode_says_so(library_world: World) -> None:
    episode = library_world.open(library_world.tasks[0].id)
    episode.close()
    episode.close()
    for use in (episode.verify, episode.log, episode.snapshot, episode.diff, lambda: episode.call("x", {})):
        with pytest.raises(EpisodeError, match="closed"):
            use()


def test_no_more_calls_than_are_allowed(library_world: World) -> None:
    with library_world.open(library_world.tasks[0].id, limits=Limits(calls=2)) as episode:
        assert not episode.call("nothing", "{").done
        assert episode.call("nothing", "{").done
        assert episode.done
        assert not episode.call(episode.submit, {}).ok
