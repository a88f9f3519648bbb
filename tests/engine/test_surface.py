"""Surfaces: the same task under another face. Calls, trajectories and verdicts stay what they are."""

from __future__ import annotations

import pytest

from worldwright.core.errors import UsageError
from worldwright.engine.replay import replay
from worldwright.engine.surface import SURFACES, surface
from worldwright.engine.world import World


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
