"""Whether a task can be done with the tools of a contract alone: every reason why not is found."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.anchor.anchors import depot_runtime, depot_world

from worldwright.engine.contract import Contract
from worldwright.kinds.database.compile.stages.tasks import find_contract_obstacle
from worldwright.kinds.database.runtime import Runtime
from worldwright.world.records import Call
from worldwright.world.tasks import Key, Task

CREATES = ("create_part", "retire_part")


@pytest.fixture(scope="module")
def made() -> tuple[Runtime, Contract]:
    return depot_runtime()


def task_of(*tools: str) -> tuple[Task, Key]:
    """A task whose witness begins with these calls."""
    world = depot_world()
    for task in world.tasks:
        key = world.key(task.id)
        if tuple(c.tool for c in key.calls)[: len(tools)] == tools:
            return task, key
    raise AssertionError(f"no task of the depot begins with {tools}")


def changed(contract: Contract, name: str, **parts: object) -> Contract:
    tool = replace(contract.tools[name], **parts)  # type: ignore[arg-type]
    return Contract({**contract.tools, name: tool})


def test_every_task_of_a_sealed_world_can_be_done(made: tuple[Runtime, Contract]) -> None:
    runtime, contract = made
    world = depot_world()
    assert [find_contract_obstacle(contract, runtime, t, world.key(t.id)) for t in world.tasks] == [""] * len(
        world.tasks
    )


def test_a_call_without_a_tool(made: tuple[Runtime, Contract]) -> None:
    runtime, contract = made
    less = Contract({n: t for n, t in contract.tools.items() if n != "retirePart"})
    assert find_contract_obstacle(less, runtime, *task_of(*CREATES)) == "there is no tool for retire_part"


def test_an_id_that_nothing_shows(made: tuple[Runtime, Contract]) -> None:
    runtime, contract = made
    task, key = task_of(*CREATES)
    fields = contract.tools["createPart"].gives["fields"]
    without = {"fields": {n: part for n, part in fields.items() if n != "id"}}
    why = find_contract_obstacle(changed(contract, "createPart", gives=without), runtime, task, key)
    assert why.startswith("nothing shows PAR-")


def test_an_id_that_is_guessed(made: tuple[Runtime, Contract]) -> None:
    """The part is there, but nobody has said so."""
    runtime, contract = made
    task, key = task_of(*CREATES)
    session = runtime.session(task.role, task.actor)
    part = session.call("list_parts", {"status": "active", "limit": 1}).data["items"][0]["id"]
    session.close()
    guessed = replace(key, calls=(Call("retire_part", {"part": part}),))
    assert find_contract_obstacle(contract, runtime, task, guessed) == f"nothing shows {part}"
    told = replace(task, instruction=f"{task.instruction} It is {part}.")
    assert find_contract_obstacle(contract, runtime, told, guessed) == "what it shows does not lead there"


def test_a_number_that_nothing_shows(made: tuple[Runtime, Contract]) -> None:
    runtime, contract = made
    task, key = task_of("list_deliveries")
    session = runtime.session(task.role, task.actor)
    number = session.call("list_deliveries", {"limit": 1}).data["items"][0]["id"]
    session.close()
    guessed = replace(key, calls=(Call("get_delivery", {"delivery": number}),), answer={})
    assert find_contract_obstacle(contract, runtime, task, guessed) == f"nothing shows {number}"


def test_an_answer_that_nothing_shows(made: tuple[Runtime, Contract]) -> None:
    runtime, contract = made
    task, key = task_of(*CREATES)
    assert find_contract_obstacle(contract, runtime, task, replace(key, calls=(), answer={"part": "PAR-90001"})) == (
        "nothing shows PAR-90001"
    )


def test_a_value_that_the_contract_cannot_say(made: tuple[Runtime, Contract]) -> None:
    runtime, contract = made
    takes = contract.tools["createPart"].takes
    less = {name: take for name, take in takes.items() if name != "name"}
    why = find_contract_obstacle(changed(contract, "createPart", takes=less, samples={}), runtime, *task_of(*CREATES))
    assert why == "createPart: wrong: `name` is required"


def test_a_call_that_is_refused(made: tuple[Runtime, Contract]) -> None:
    runtime, contract = made
    task, key = task_of(*CREATES)
    twice = replace(key, calls=(*key.calls[:2], key.calls[1]))
    assert find_contract_obstacle(contract, runtime, task, twice) == "retirePart refuses it"


def test_calls_that_do_not_lead_there(made: tuple[Runtime, Contract]) -> None:
    runtime, contract = made
    task, key = task_of(*CREATES)
    assert (
        find_contract_obstacle(contract, runtime, task, replace(key, calls=key.calls[:1]))
        == "what it shows does not lead there"
    )
