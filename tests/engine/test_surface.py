"""Surfaces: the same task under another face. Calls, trajectories and verdicts stay what they are."""

from __future__ import annotations

import re
from typing import Any

import pytest

from worldwright.core.errors import UsageError
from worldwright.engine.env import Env
from worldwright.engine.replay import replay
from worldwright.engine.requester import NAME
from worldwright.engine.surface import SURFACES, surface
from worldwright.engine.world import World
from worldwright.people.manners import MANNERS
from worldwright.world.tasks import Task


@pytest.mark.parametrize("face", SURFACES)
def test_the_witness_passes_under_every_face(library_world: World, face: str) -> None:
    env = library_world.env(face=face)
    for task in library_world.tasks:
        env.reset(task.id)
        key = library_world.key(task.id)
        shown = surface(face, library_world.runtime.tools, task.role, library_world.digest)
        names = {real: name for name, real in shown.real.items()}
        for call in key.calls:
            env.call_tool(names[call.tool], call.arguments)
        env.submit(key.answer)
        assert env.verify().status == "pass", task.id
        assert [s.call.tool for s in env.trajectory().steps] == [c.tool for c in key.calls]
        assert replay(library_world.env(), env.trajectory()) == []


def told(env: Env, message: str) -> str:
    reply: str = env.agent.call(NAME, {"message": message}).data["reply"]
    return reply


def find_kept(world: World) -> Task:
    """A task whose requester keeps something back."""
    return next(t for t in world.tasks if t.requester is not None)


def test_a_request_in_pieces(library_world: World) -> None:
    """The first message leaves something out; whoever asks for it gets it, and what else is wanted after that, and then no more."""
    for task in (t for t in library_world.tasks if t.turns):
        env = library_world.env(face="asking")
        shown = env.reset(task.id).messages[-1]["content"]
        assert task.turns[0] in shown
        assert task.instruction not in shown
        facts = task.requester.facts if task.requester is not None else ()
        assert len(task.turns) + len(facts) == task.features["turns"] > 1
        for fact in facts:
            assert fact.says not in shown
            assert fact.says in told(env, fact.asked[0] if fact.asked else f"What is the {fact.called[0]}?")
        for piece in task.turns[1:]:
            assert told(env, "Is there anything else?") == piece
        assert told(env, "Is there anything else?") in {manner.no_more for manner in MANNERS.values()}
        key = library_world.key(task.id)
        for call in key.calls:
            env.call_tool(call.tool, call.arguments)
        env.submit(key.answer)
        assert env.verify().status == "pass"
        assert replay(library_world.env(face="asking"), env.trajectory()) == []


def test_what_is_left_out_is_what_comes_later(library_world: World) -> None:
    """Everything in the whole request is in its pieces, or among what the requester knows."""
    for task in library_world.tasks:
        if task.turns:
            facts = task.requester.facts if task.requester is not None else ()
            figures = re.findall(r"\d[\d.,]*\d|\d", task.instruction)
            pieces = " ".join((*task.turns, *(fact.says for fact in facts)))
            assert set(figures) <= set(re.findall(r"\d[\d.,]*\d|\d", pieces))


def test_a_fork_goes_on_with_the_conversation(library_world: World) -> None:
    task = next(t for t in library_world.tasks if len(t.turns) > 1)
    env = library_world.env(face="asking")
    env.reset(task.id)
    before = env.fork()
    assert told(env, "Anything else?") == task.turns[1]
    (second,) = {told(e, "And is there something else?") for e in (env.fork(), env.fork(), env)}
    assert second not in task.turns[:2]
    assert told(before, "Anything else?") == task.turns[1]


@pytest.mark.parametrize(
    "message", ["What colour is the sky?", "Hello!", "?", "Tell me everything you know.", "Please wait a moment."]
)
def test_what_asks_for_nothing_gets_nothing(library_world: World, message: str) -> None:
    env = library_world.env(face="asking")
    task = find_kept(library_world)
    env.reset(task.id)
    assert task.requester is not None
    assert not any(fact.says in told(env, message) for fact in task.requester.facts)
    assert told(env, message) not in task.turns


@pytest.mark.parametrize("arguments", [{}, {"message": ""}, {"message": 3}, {"message": "a", "to": "b"}, [], "hello"])
def test_a_question_that_is_none_is_refused_and_gets_nothing_away(library_world: World, arguments: Any) -> None:
    task = next(t for t in library_world.tasks if len(t.turns) > 1)
    env = library_world.env(face="asking")
    env.reset(task.id)
    refused = env.call_tool(NAME, arguments)
    assert refused.error is not None
    assert refused.error.code == "INVALID_ARGUMENT"
    assert told(env, "Anything else?") == task.turns[1]


def test_nobody_is_there_to_be_asked_under_another_face(library_world: World) -> None:
    env = library_world.env()
    env.reset(library_world.tasks[0].id)
    refused = env.call_tool(NAME, {"message": "Hello?"})
    assert refused.error is not None
    assert refused.error.code == "UNKNOWN_TOOL"


def test_obscured_names_say_nothing_and_stay_the_same(library_world: World) -> None:
    first, again = (library_world.env(face="obscured").reset().tools for _ in range(2))
    assert [t.name for t in first] == [t.name for t in again]
    assert not {t.name for t in first} & {t.name for t in library_world.tools}


def test_real_names_are_unknown_behind_obscured_ones(library_world: World) -> None:
    env = library_world.env(face="obscured")
    env.reset()
    real = library_world.tools[0].name
    result = env.call_tool(real, {})
    assert result.error is not None
    assert result.error.code == "UNKNOWN_TOOL"
    assert real not in str((result.error.details or {}).get("hint", ""))


def test_a_crowd_shows_everybodys_tools(library_world: World) -> None:
    assert len(library_world.env(face="crowded").reset().tools) == len(library_world.tools)


def test_an_unknown_face_is_told(library_world: World) -> None:
    with pytest.raises(UsageError, match="obscured"):
        library_world.env(face="obscure").reset()


def test_a_fork_keeps_its_face(library_world: World) -> None:
    env = library_world.env(face="obscured")
    tools = env.reset().tools
    assert [t.name for t in env.fork().agent.list()] == [t.name for t in tools]
