"""The agents that need nothing: what they score is what it should be, and the same seed says the same."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import examples

from worldwright.agents import chat
from worldwright.agents.protocol import GROUP, Options, fingerprint, make_agent
from worldwright.core.errors import UsageError
from worldwright.engine.world import World
from worldwright.rollout.episode import EpisodeSetup, Openings, play
from worldwright.rollout.records import Episode, EpisodeKey, Limits


def played(
    world: World,
    spec: str,
    task: str,
    seed: int = 1,
    face: str = "plain",
    options: Options | None = None,
    openings: Openings | None = None,
) -> Episode:
    who = make_agent(spec, options)
    setting = EpisodeSetup("0", EpisodeKey(world.digest, task, 1), world.name, "v", face, seed, fingerprint(who))
    return play(world.env(None, face), who, setting, Limits(), openings)


def test_every_agent_is_found_by_its_name() -> None:
    assert {"hasty", "noop", "oracle", "parrot", "planner", "random"} <= entry_points(group=GROUP).names
    with pytest.raises(UsageError, match="did you mean `oracle`"):
        make_agent("orakle")


def test_the_oracle_passes_every_task_on_every_face(library_world: World) -> None:
    for task in library_world.tasks:
        for face in ("plain", "obscured", "crowded", "asking"):
            episode = played(library_world, "oracle", task.id, face=face)
            assert (episode.status, episode.outcome) == ("pass", "submitted"), (task.id, face, episode.verdict)
            assert episode.sees_key


def test_the_oracle_asks_for_all_that_is_kept_back(library_world: World) -> None:
    kept = [task for task in library_world.tasks if task.requester is not None]
    assert kept
    for task in kept:
        assert task.requester is not None
        episode = played(library_world, "oracle", task.id, face="asking")
        told = [str(message.get("content")) for message in episode.messages if message["role"] == "tool"]
        assert all(any(fact.says in reply for reply in told) for fact in task.requester.facts)
        assert played(library_world, "oracle", task.id, face="asking").messages == episode.messages


@pytest.mark.parametrize("face", ["plain", "obscured"])
def test_the_oracle_gives_reasons_for_the_call_that_it_makes(library_world: World, face: str) -> None:
    """A second call of one tool has reasons of its own, whatever was read before it."""
    seen = 0
    for task in library_world.tasks:
        for message in played(library_world, "oracle", task.id, face=face).messages:
            because = str(message.get("reasoning_content") or "")
            told = [part.split(":")[0].split(" is ", 1) for part in because.split("; ") if ": " in part]
            for name, value in told:
                [called] = chat.parse_tool_calls(cast(chat.Message, message))
                found: Any = called.arguments
                for step in name.split("."):
                    found = found[int(step) if step.isdigit() else step]
                assert value == str(found) or value.startswith("the "), (task.id, because)
                seen += 1
    assert seen


def test_calls_that_a_key_forbids_are_named_as_they_are_shown(library_world: World) -> None:
    named = [
        (str(one["tool"]), {tool.name for tool in shown.tools})
        for task in library_world.tasks
        for env in [library_world.env(None, "obscured")]
        for shown in [env.reset(task.id)]
        for one in env.key().expects.get("forbidden", ())
    ]
    assert named
    assert all(name in offered for name, offered in named)


@pytest.mark.parametrize("spec", ["noop", "parrot", "random"])
def test_whoever_does_not_try_does_not_pass(library_world: World, spec: str) -> None:
    for task in library_world.tasks:
        for seed in range(5):
            episode = played(library_world, spec, task.id, seed)
            assert episode.status == "fail"
            assert episode.reward == 0
            assert not episode.sees_key


@pytest.mark.parametrize("spec", ["hasty", "oracle", "noop", "parrot", "random"])
def test_the_same_seed_says_the_same(library_world: World, spec: str) -> None:
    task = library_world.tasks[0].id
    one, two = played(library_world, spec, task, 3), played(library_world, spec, task, 3)
    assert one.messages == two.messages


def test_another_seed_draws_otherwise(library_world: World) -> None:
    task = library_world.tasks[0].id
    assert played(library_world, "random", task, 3).messages != played(library_world, "random", task, 4).messages


def test_how_often_the_random_agent_calls_can_be_said(library_world: World) -> None:
    task = library_world.tasks[0].id
    episode = played(library_world, "random", task, options=Options(more={"calls": "7"}))
    assert len(episode.steps) == 7
    assert any(step["ok"] for step in played(library_world, "random", task).steps), "it never hits anything"
    with pytest.raises(UsageError, match="many"):
        make_agent("random", Options(more={"calls": "many"}))


def test_an_agent_that_is_set_up_otherwise_has_another_fingerprint() -> None:
    assert fingerprint(make_agent("random")) == fingerprint(make_agent("random"))
    assert fingerprint(make_agent("random")) != fingerprint(make_agent("random", Options(more={"calls": "7"})))


# the chat format

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**9), 10**9)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(st.tuples(st.text(), st.dictionaries(st.text(), json_values, max_size=4)), max_size=4))
def test_calls_read_back_as_they_were_asked_for(calls: list[tuple[str, Mapping[str, Any]]]) -> None:
    message = chat.make_call_message(calls)
    json.dumps(message)
    found = chat.parse_tool_calls(message)
    assert [(a.name, a.arguments) for a in found] == [(name, dict(given)) for name, given in calls]
    assert len({a.id for a in found}) == len(calls)
    assert not any(a.problem for a in found)


@settings(max_examples=examples(200))
@given(st.dictionaries(st.sampled_from(["role", "content", "tool_calls"]), json_values))
def test_whatever_a_model_sends_can_be_read(message: dict[str, Any]) -> None:
    for asked in chat.parse_tool_calls(message):  # type: ignore[arg-type]
        assert isinstance(asked.name, str)
        assert asked.problem or isinstance(asked.arguments, dict)


@pytest.mark.parametrize("arguments", ["{", "[1]", "3", "null", "nonsense", '{"a": 1} and more'])
def test_arguments_that_are_no_object_are_a_problem_not_a_crash(arguments: str) -> None:
    call = {"id": "x", "type": "function", "function": {"name": "f", "arguments": arguments}}
    [asked] = chat.parse_tool_calls({"role": "assistant", "tool_calls": [call]})
    assert asked.problem
    assert asked.name == "f"


def test_the_hasty_one_searches_by_the_first_word_and_goes_by_the_first_row(library_world: World) -> None:
    calls = {
        spec: [step["arguments"] for task in library_world.tasks for step in played(library_world, spec, task.id).steps]
        for spec in ("planner", "hasty")
    }
    names = {value for one in calls["planner"] for value in one.values() if isinstance(value, str) and " " in value}
    searched = {value for one in calls["hasty"] if "limit" in one for value in one.values() if isinstance(value, str)}
    assert {name.split()[0] for name in names} & searched
    assert not names & searched


def test_a_model_in_a_folder_needs_what_plays_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("worldwright.train.local.find_spec", lambda _: None)
    with pytest.raises(UsageError, match=r"pip install 'worldwright\[train\]'"):
        make_agent(f"local:{tmp_path}")
