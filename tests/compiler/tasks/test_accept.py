"""What a verifier accepts: exactly what was asked for, and not one cell more of the same record or of another one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from tests.shared_builds import build

from worldwright.blueprint.load import load_text
from worldwright.engine.env import Env
from worldwright.engine.world import World
from worldwright.store.open import world_of
from worldwright.world.tasks import Key, Task, Verdict

WORLD = """
blueprint: workshop
title: Workshop
now: 2025-06-16T09:00:00Z
systems: {floor: the shop floor}
actor: {entity: worker, role: role}
roles: {fitter: repairs, boss: decides}
entities:
  worker:
    {in: floor, key: WK-##, rows: 6, called: "{name}", fields: {name: person, role: "one of fitter, boss"}}
  machine:
    in: floor
    key: MC-###
    rows: 24
    called: the machine {label}
    fields:
      label: text ~ f"{letters(3)}-{digits(3)}"
      speed: int ~ between(100, 400)
      hall: one of north, south, east
      price: money ~ between(200, 900)
      greased_on: date ~ today - between(5, 90)
      seen_at: time? ~ none
      parked_at: time? ~ none
      maker: text ~ f"maker {letters(4)}"
      note: text? ~ none
operations:
  find_machines:
    {in: floor, says: Search machines., by: anyone, search: machine, filters: [label, hall], sort: [id], page: 5}
  get_machine: {in: floor, says: One machine., by: anyone, get: machine}
  change_machine:
    in: floor
    says: Change a machine.
    by: anyone
    takes: {machine: machine, speed: int?, hall: "one of north, south, east?", price: money?, greased_on: date?, note: text?,
            maker: text?}
    does:
      - set:
          machine.speed: coalesce(speed, machine.speed)
          machine.hall: coalesce(hall, machine.hall)
          machine.price: coalesce(price, machine.price)
          machine.greased_on: coalesce(greased_on, machine.greased_on)
          machine.note: coalesce(note, machine.note)
          machine.maker: coalesce(maker, machine.maker)
    gives: machine
  look_at: {in: floor, says: Note that somebody saw a machine., by: anyone, takes: {machine: machine},
            does: [set: {machine.seen_at: now}], gives: machine}
  park: {in: floor, says: Park a machine., by: anyone, takes: {machine: machine, since: time?},
         does: [set: {machine.parked_at: "coalesce(since, now)"}], gives: machine}
goals:
  faster:
    given: {x: machine}
    states: {v: "int ~ between(500, 900)"}
    wants: x.speed == v
    how: [{do: change_machine, with: {machine: x, speed: v}}]
    asks: ["please set the speed of {x} to {v}", "{x} has to run at speed {v} from now on"]
  dearer:
    given: {x: machine}
    states: {v: "money ~ between(1000, 2000)"}
    wants: x.price == v
    how: [{do: change_machine, with: {machine: x, price: v}}]
    asks: ["the price of {x} becomes {v:money}", "please make the price of {x} {v:money}"]
  parked:
    given: {x: machine where parked_at is none}
    wants: x.parked_at is not none
    how: [{do: park, with: {machine: x}}]
    asks: ["please park {x}", "{x} is not needed today, park it"]
"""


@pytest.fixture(scope="module")
def world() -> World:
    return world_of(build(load_text(WORLD, "workshop.yaml"), 7).pack)


def single(world: World, goal: str) -> tuple[Task, Key]:
    """A task of this one goal."""
    for task in world.tasks:
        key = world.key(task.id)
        if [g["goal"] for g in key.expects["goals"]] == [goal] and key.expects["outcome"] == "done":
            return task, key
    raise AssertionError(f"no task of {goal}")


def played(
    world: World, goal: str, *more: tuple[str, Mapping[str, Any]], along: Mapping[str, Any] | None = None
) -> Verdict:
    """The witness, its last write with some arguments `along`, and more calls; `THIS` and `OTHER` stand for machines."""
    task, key = single(world, goal)
    this = key.expects["goals"][0]["rows"]["x"]["id"]
    other = "MC-001" if this != "MC-001" else "MC-002"
    env: Env = world.env()
    env.reset(task.id)
    for k, call in enumerate(key.calls):
        extra = along or {} if k == len(key.calls) - 1 else {}
        result = env.call_tool(call.tool, {**call.arguments, **extra})
        assert result.ok, result.error
    for tool, arguments in more:
        result = env.call_tool(tool, {k: {"THIS": this, "OTHER": other}.get(v, v) for k, v in arguments.items()})
        assert result.ok, result.error
    env.submit(key.answer)
    return env.verify()


GOALS = ("faster", "dearer")


@pytest.mark.parametrize("goal", [*GOALS, "parked"])
def test_what_was_asked_for_passes(world: World, goal: str) -> None:
    assert played(world, goal).status == "pass"


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize(
    "along",
    [{"hall": "north"}, {"hall": "south"}, {"hall": "east"}, {"greased_on": "2025-06-16"}, {"maker": "somebody else"}],
)
def test_another_field_of_the_same_record_changed_along_does_not(
    world: World, goal: str, along: dict[str, Any]
) -> None:
    task, key = single(world, goal)
    env = world.env()
    env.reset(task.id)
    before = env.call_tool("get_machine", {"machine": key.expects["goals"][0]["rows"]["x"]["id"]}).data
    changes = any(before[k] != v for k, v in along.items())
    assert played(world, goal, along=along).status == ("fail" if changes else "pass")


@pytest.mark.parametrize("goal", GOALS)
def test_nor_in_a_call_of_its_own(world: World, goal: str) -> None:
    assert played(world, goal, ("change_machine", {"machine": "THIS", "greased_on": "2025-06-15"})).status == "fail"


@pytest.mark.parametrize("goal", [*GOALS, "parked"])
@pytest.mark.parametrize("tool", ["look_at", "park"])
def test_nor_what_only_a_moment_of_another_record_shows(world: World, goal: str, tool: str) -> None:
    assert played(world, goal, (tool, {"machine": "OTHER"})).status == "fail"


@pytest.mark.parametrize("goal", [*GOALS, "parked"])
def test_nor_what_only_another_moment_of_the_same_record_shows(world: World, goal: str) -> None:
    assert played(world, goal, ("look_at", {"machine": "THIS"})).status == "fail"


def test_nor_a_moment_that_nobody_asked_for(world: World) -> None:
    assert played(world, "parked", along={"since": "2025-06-16T08:00:00Z"}).status == "fail"
    assert played(world, "parked", along={"since": "2025-06-16T10:00:00Z"}).status == "fail"


@pytest.mark.parametrize("goal", GOALS)
def test_nor_a_text_that_took_the_place_of_another(world: World, goal: str) -> None:
    assert played(world, goal, ("change_machine", {"machine": "THIS", "maker": "another one"})).status == "fail"
    assert played(world, goal, ("change_machine", {"machine": "OTHER", "maker": "another one"})).status == "fail"


@pytest.mark.parametrize("goal", GOALS)
def test_a_note_where_there_was_none_is_fine(world: World, goal: str) -> None:
    assert played(world, goal, along={"note": "as asked"}).status == "pass"
    assert played(world, goal, along={"note": "in other words"}).status == "pass"


@pytest.mark.parametrize("goal", GOALS)
def test_a_note_at_another_record_is_not(world: World, goal: str) -> None:
    assert played(world, goal, ("change_machine", {"machine": "OTHER", "note": "as asked"})).status == "fail"


def test_what_has_no_note_to_give_leaves_notes_alone(world: World) -> None:
    assert played(world, "parked", ("change_machine", {"machine": "THIS", "note": "done"})).status == "fail"


@pytest.mark.parametrize("goal", [*GOALS, "parked"])
def test_looking_is_free(world: World, goal: str) -> None:
    assert played(world, goal, ("get_machine", {"machine": "OTHER"}), ("find_machines", {})).status == "pass"
