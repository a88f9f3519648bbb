"""Tasks that another task's situation decides are found; others are let be."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from worldwright.engine.world import World
from worldwright.kinds.database.compile.tasks.disturbing import OtherWorlds, is_disturbed
from worldwright.kinds.database.compile.tasks.sandbox import Sandbox
from worldwright.kinds.database.runtime import Runtime
from worldwright.kinds.database.unit_of_work import Change
from worldwright.world.tasks import Key, Task


@pytest.fixture(scope="module")
def sandbox(library_world: World) -> Iterator[Sandbox]:
    assert isinstance(library_world.runtime, Runtime)
    made = Sandbox(library_world.runtime)
    yield made
    made.session.close()


def list_made(sandbox: Sandbox, key: Key) -> list[Change]:
    """The rows that a key is about, as if filing another's request had made them."""
    goals = sandbox.compiled.blueprint.goals
    out = []
    for use in (*key.expects.get("goals", ()), *key.expects.get("request", ())):
        for name, at in use["rows"].items():
            entity = goals[use["goal"]].given[name].entity
            row = next((r for r in sandbox.opening(entity) if r.id == at.get("id")), None)
            if row is not None:
                out.append(Change(entity, row.id, None, row.values))
    return out


def pick(world: World, family: str, outcome: str) -> tuple[Task, Key]:
    pairs = ((task, world.key(task.id)) for task in world.tasks)
    return next(p for p in pairs if p[0].family == family and p[1].expects["outcome"] == outcome)


@pytest.mark.parametrize(("family", "outcome"), [("walk", "done"), ("policy", "refused")])
def test_a_task_about_a_row_that_was_filed_for_another_is_found(
    library_world: World, sandbox: Sandbox, family: str, outcome: str
) -> None:
    task, key = pick(library_world, family, outcome)
    made = list_made(sandbox, key)
    assert made
    assert is_disturbed(OtherWorlds(sandbox, {"another": made}), task, key)
    assert not is_disturbed(OtherWorlds(sandbox, {"its_own": made}), task, key, own="its_own")


def test_a_program_that_counts_what_was_filed_for_another_is_found(library_world: World, sandbox: Sandbox) -> None:
    task, key = pick(library_world, "program", "done")
    session = sandbox.start(task.role, task.actor)
    told = repr([session.call(call.tool, call.arguments).data for call in key.calls])
    seen = (
        Change(name, row.id, None, row.values)
        for name in sandbox.schema.entities
        for row in sandbox.opening(name)
        if row.id in told
    )
    assert is_disturbed(OtherWorlds(sandbox, {"another": [next(seen)]}), task, key)


def test_what_is_the_same_without_it_disturbs_none(library_world: World, sandbox: Sandbox) -> None:
    name = next(name for name in sandbox.schema.entities if sandbox.opening(name))
    row = sandbox.opening(name)[-1]
    worlds = OtherWorlds(sandbox, {"another": [Change(name, row.id, row.values, row.values)]})
    for task in library_world.tasks:
        assert not is_disturbed(worlds, task, library_world.key(task.id)), task.instruction
