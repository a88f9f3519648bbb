"""Going back to a mark: as if nothing had been called since."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from worldwright.core.rng import Stream
from worldwright.engine.walk import walk
from worldwright.engine.world import World
from worldwright.kinds.database.runtime import Runtime
from worldwright.kinds.database.session import Session
from worldwright.world.records import Call


def list_calls(world: World, seed: int) -> list[Call]:
    """What somebody calls who tries things at random."""
    env = world.env()
    env.reset(world.tasks[seed % len(world.tasks)].id)
    return [step.call for step in walk(env, Stream("marks", seed), 30)]


def look(session: Session) -> tuple[Any, ...]:
    return (
        session.digest(),
        session.changes(),
        session.clock,
        session.violations(),
        session.said,
        session.list_created(),
    )


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), first=st.integers(0, 12), then=st.integers(0, 12))
def test_what_is_called_after_a_mark_leaves_no_trace(library_world: World, seed: int, first: int, then: int) -> None:
    runtime, task = library_world.runtime, library_world.tasks[seed % len(library_world.tasks)]
    assert isinstance(runtime, Runtime)
    calls = list_calls(library_world, seed)
    straight, session = runtime.session(task.role, task.actor), runtime.session(task.role, task.actor)
    for call in calls[:first]:
        straight.call(call.tool, call.arguments)
        session.call(call.tool, call.arguments)
    mark = session.mark()
    for _ in range(2):
        for call in calls[first : first + then]:
            session.call(call.tool, call.arguments)
        assert session.go_back(mark)
        assert look(session) == look(straight)
    rest = calls[first + then :]
    assert [session.call(c.tool, c.arguments) for c in rest] == [straight.call(c.tool, c.arguments) for c in rest]
    assert look(session) == look(straight)
    session.reset(task.role, task.actor)
    assert not session.changes()
    assert not session.go_back(mark)


def test_only_the_last_mark_can_be_gone_back_to(library_world: World) -> None:
    runtime = library_world.runtime
    assert isinstance(runtime, Runtime)
    session = runtime.session(library_world.tasks[0].role)
    first = session.mark()
    assert session.go_back(first)
    session.mark()
    assert not session.go_back(first)
