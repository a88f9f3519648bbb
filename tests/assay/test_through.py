"""Whether a task can be done with the tools of a contract alone: every reason why not is found."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import Any

import pytest
from studies.solvable import check_world
from tests.anchor.anchors import depot_built, depot_runtime, depot_world, strict_depot_world

from worldwright.engine.contract import Contract
from worldwright.engine.world import World
from worldwright.kinds.database.battery.harness import VerifierHarness
from worldwright.kinds.database.compile.tasks.sandbox import Sandbox
from worldwright.kinds.database.compile.through import solving as s
from worldwright.kinds.database.compile.through.solving import Obstacle, Solver, list_unsolvable
from worldwright.kinds.database.runtime import Runtime
from worldwright.world.records import Call
from worldwright.world.tasks import Key, Task

CREATES = ("create_part", "retire_part")
Made = tuple[Task, Key]


@contextmanager
def solver_of(contract: Contract) -> Iterator[Solver]:
    runtime, _ = depot_runtime()
    with closing(Solver(Sandbox(runtime, contract=contract))) as solver:
        yield solver


def obstacle(contract: Contract, made: Made) -> Obstacle:
    with solver_of(contract) as solver:
        found = solver.find_obstacle(*made)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def contract() -> Contract:
    return depot_runtime()[1]


def task_where(fits: Callable[[Task, Key], bool]) -> Made:
    world = depot_world()
    return next((task, world.key(task.id)) for task in world.tasks if fits(task, world.key(task.id)))


def task_of(*tools: str) -> Made:
    """A task whose witness begins with these calls."""
    return task_where(lambda _, key: tuple(c.tool for c in key.calls)[: len(tools)] == tools)


def task_about(goal: str) -> Made:
    """A task that asks for one goal, done or refused."""
    return task_where(
        lambda _, key: [use["goal"] for use in (*key.expects["goals"], *key.expects.get("request", ()))] == [goal]
    )


def changed(contract: Contract, name: str, **parts: Any) -> Contract:
    tool = replace(contract.tools[name], **parts)
    return Contract({**contract.tools, name: tool})


def without(template: Any, field: str) -> Any:
    """A template that does not show a field of the world."""
    if "fields" in template:
        kept = {n: without(t, field) for n, t in template["fields"].items() if t.get("from") != [field]}
        return {"fields": kept}
    return {**template, "each": without(template["each"], field)} if "each" in template else template


def hiding(contract: Contract, field: str, *tools: str) -> Contract:
    """The contract where no tool, or none of these, shows a field."""
    hidden = {name: replace(t, gives=without(t.gives, field)) for name, t in contract.tools.items()}
    return Contract({**contract.tools, **{name: hidden[name] for name in tools or hidden}})


def test_every_task_of_a_sealed_world_can_be_done(contract: Contract) -> None:
    world = depot_world()
    with solver_of(contract) as solver:
        assert {task.id: solver.find_obstacle(task, world.key(task.id)) for task in world.tasks} == {
            task.id: None for task in world.tasks
        }


def test_a_call_without_a_tool(contract: Contract) -> None:
    less = Contract({n: t for n, t in contract.tools.items() if n != "retirePart"})
    found = obstacle(less, task_of(*CREATES))
    assert (found.code, found.says) == (s.NO_TOOL, "there is no tool for retire_part")


def test_an_id_of_a_new_record_that_nothing_shows(contract: Contract) -> None:
    made = task_of(*CREATES)
    found = obstacle(hiding(contract, "id"), made)
    assert found.code == s.ID
    assert found.says.startswith("nothing shows PAR-")
    assert found.asked == " ".join(made[0].instruction.split())


def test_a_new_record_may_be_looked_up(contract: Contract) -> None:
    """Where the answer to its making does not show its id, a list still does."""
    with solver_of(hiding(contract, "id", "createPart")) as solver:
        assert solver.find_obstacle(*task_of(*CREATES)) is None


@pytest.mark.parametrize(
    ("goal", "field", "code"),
    [
        ("change_part_price", "name", s.RECORD),
        ("change_two_of_part", "stock", s.VALUE),
        ("change_the_highest_part", "price", s.RECORD),
        ("part_by_status", "price", s.ANSWER),
        ("delivery_since_arrives_on", "arrives_on", s.ANSWER),
    ],
)
def test_a_field_that_no_tool_shows(contract: Contract, goal: str, field: str, code: str) -> None:
    assert obstacle(hiding(contract, field), task_about(goal)).code == code


def test_a_field_that_one_tool_still_shows(contract: Contract) -> None:
    with solver_of(hiding(contract, "stock", "listParts")) as solver:
        assert solver.find_obstacle(*task_about("change_two_of_part")) is None


def test_a_rule_that_rests_on_what_nothing_shows(contract: Contract) -> None:
    """The part is named by its id, so that it is known; that it is a large one is not."""
    world = strict_depot_world()
    assert isinstance(world.runtime, Runtime)
    forbidden = [(t, k) for t in world.tasks if (k := world.key(t.id)).expects["outcome"] in ("refused", "partly")]
    with closing(Solver(Sandbox(world.runtime, contract=hiding(contract, "price")))) as solver:
        told = [replace(t, instruction=f"{t.instruction} It is {k.answer.get('record', '')}.") for t, k in forbidden]
        obstacles = [solver.find_obstacle(t, k) for t, (_, k) in zip(told, forbidden, strict=True)]
    found = next(o for o in obstacles if o is not None and o.code == s.RULE)
    assert "large_part" in found.says


def test_a_condition_that_is_asked_for_needs_no_field(contract: Contract) -> None:
    """Parts can be listed by their status, so that it need not stand in the list."""
    with solver_of(hiding(contract, "status")) as solver:
        assert solver.find_obstacle(*task_about("part_by_status")) is None
    takes = {name: take for name, take in contract.tools["listParts"].takes.items() if name != "status"}
    less = changed(hiding(contract, "status"), "listParts", takes=takes)
    assert obstacle(less, task_about("part_by_status")).code == s.ANSWER


def test_pages_that_cannot_be_turned(contract: Contract) -> None:
    """A page of twenty is not all, where there is no way to the next one."""
    takes = contract.tools["listParts"].takes
    small = changed(contract, "listParts", fixed={"limit": 20}, takes={n: t for n, t in takes.items() if n != "limit"})
    with solver_of(small) as solver:
        assert solver.find_obstacle(*task_about("part_by_status")) is None
    stuck = changed(small, "listParts", takes={n: t for n, t in takes.items() if n == "status"})
    assert obstacle(stuck, task_about("part_by_status")).code == s.ANSWER


def test_an_id_that_only_the_key_knows(contract: Contract) -> None:
    """Without a list, a part that the request does not name by its id is nobody's to know."""
    less = Contract({n: t for n, t in contract.tools.items() if n != "listParts"})
    task, key = task_of(*CREATES)
    guessed = replace(key, calls=(Call("retire_part", {"part": "PAR-00011"}),))
    assert obstacle(less, (task, guessed)) == Obstacle(
        s.ID, "nothing shows PAR-00011", " ".join(task.instruction.split())
    )
    told = replace(task, instruction=f"{task.instruction} It is PAR-00011.")
    assert obstacle(less, (told, guessed)).code == s.ELSEWHERE


def test_an_answer_that_nothing_shows(contract: Contract) -> None:
    task, key = task_about("retire_part_it")
    elsewhere = replace(key, expects={**key.expects, "answer": {"record": {"is": "PAR-90001"}}})
    assert obstacle(contract, (task, elsewhere)).says == "nothing shows PAR-90001"


def test_a_value_that_the_contract_cannot_say(contract: Contract) -> None:
    takes = {name: take for name, take in contract.tools["createPart"].takes.items() if name != "name"}
    found = obstacle(changed(contract, "createPart", takes=takes, samples={}), task_of(*CREATES))
    assert (found.code, found.says) == (s.UNSAYABLE, "createPart: wrong: `name` is required")


def test_a_call_that_is_refused(contract: Contract) -> None:
    task, key = task_of(*CREATES)
    twice = replace(key, calls=(*key.calls[:2], key.calls[1]))
    assert obstacle(contract, (task, twice)).code == s.REFUSED


def test_calls_that_do_not_lead_there(contract: Contract) -> None:
    task, key = task_of(*CREATES)
    assert obstacle(contract, (task, replace(key, calls=key.calls[:1]))).code == s.ELSEWHERE


def test_reasons_are_listed_with_how_many_and_the_first_few() -> None:
    found = [Obstacle(s.VALUE, "why", f"request {k}") for k in range(7)] + [Obstacle(s.RECORD, "why not", "another")]
    record, value = list_unsolvable(found)
    assert record == {
        "code": s.RECORD, "says": s.REASONS[s.RECORD], "tasks": 1, "first": [{"asked": "another", "why": "why not"}],
    }  # fmt: skip
    assert (value["tasks"], len(value["first"])) == (7, s.MAX_NAMED)


# the battery


def counts(built: Mapping[str, Any], cell: str) -> int:
    return sum(built["cells"][cell].values())


def test_the_battery_plays_through_the_contract(contract: Contract) -> None:
    """A key that cannot be said through the contract fails, whatever it does inside."""
    runtime, _ = depot_runtime()
    task, key = task_of(*CREATES)
    sound = VerifierHarness(Sandbox(runtime, contract=contract), task, key)
    assert [t.right for t in sound.try_through("gold", key.calls, True, key.answer)] == [True]
    assert [t.right for t in sound.try_through("nothing", (), False, {})] == [True]
    takes = {n: t for n, t in contract.tools["createPart"].takes.items() if n != "price"}
    unsaid = changed(contract, "createPart", takes=takes)
    broken = VerifierHarness(Sandbox(runtime, contract=unsaid), task, key)
    assert [t.right for t in broken.try_through("gold", key.calls, True, key.answer)] == [False]
    assert not list(VerifierHarness(Sandbox(runtime), task, key).try_through("gold", key.calls, True, key.answer))


def test_the_datasheet_says_what_could_not_be_done() -> None:
    sheet = json.loads(depot_built().pack.files["datasheet.json"])
    assert sheet["unsolvable"] == []
    tasks = len(sheet["tasks"])
    assert counts(sheet, "gold") == 2 * tasks


# a second opinion


def play(contract: Contract) -> list[str]:
    """The tasks of the depot that the player of the study cannot do with these tools."""
    world = depot_world()
    return [failure.why for failure in check_world("depot", World(world.manifest, world.runtime, world.book, contract))]


def test_a_player_of_its_own_does_every_task(contract: Contract) -> None:
    assert play(contract) == []


@pytest.mark.parametrize(("field", "lost"), [("price", 5), ("id", 10), ("arrives_on", 2)])
def test_the_player_finds_what_nothing_shows(contract: Contract, field: str, lost: int) -> None:
    assert len(play(hiding(contract, field))) >= lost
