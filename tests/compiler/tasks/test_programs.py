"""Programs and questions: a printed program works out the key's answer, and a witness has seen what its answer rests on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from tests.shared_builds import build

from worldwright.blueprint.load import load_text
from worldwright.engine.env import Env
from worldwright.engine.world import World
from worldwright.store.open import world_of
from worldwright.world.records import Result
from worldwright.world.tasks import Key, Task

WORLD = """
blueprint: fleet
title: Fleet
now: 2025-06-16T09:00:00Z
systems: {yard: the yard}
actor: {entity: driver, role: role}
roles: {driver: drives, boss: decides}
entities:
  driver: {in: yard, key: DR-##, rows: 8, called: "{name}", fields: {name: person, role: "one of driver, boss"}}
  depot: {in: yard, key: DP-##, rows: 5, called: "the depot {name}", fields: {name: 'text ~ f"depot {letters(5)}"'}}
  van:
    in: yard
    key: 301####
    rows: 48
    called: the van {plate}
    fields:
      plate: text ~ f"{letters(2)}-{digits(4)}"
      depot: depot as vans ~ any(d for d in depot)
      kind: one of small, large, cold, open
      price: money? ~ between(900, 9000) if chance(0.8) else none
      leased_on: date? ~ today - between(10, 900) if chance(0.8) else none
      rented: bool? ~ pick(true, false, none)
      checked: bool ~ false
  trailer:
    in: yard
    key: TR-###
    rows: 30
    fields:
      price: money? ~ between(900, 9000) if chance(0.8) else none
      leased_on: date? ~ today - between(10, 900) if chance(0.8) else none
policies:
  not_too_dear:
    about: {van: van}
    rule: van.price is none or van.price < 8000
    says: Vans of 8,000 and more are checked by the maker.
    cases: [allowed: {van.price: 7999}, forbidden: {van.price: 8000}]
operations:
  find_vans: {in: yard, says: Search vans., by: anyone, search: van, filters: [plate, depot], sort: [id], page: 20}
  get_van: {in: yard, says: One van., by: anyone, get: van}
  find_depots: {in: yard, says: Search depots., by: anyone, search: depot, filters: [name], sort: [id], page: 3}
  find_trailers: {in: yard, says: Search trailers., by: anyone, search: trailer, filters: [], sort: [id], page: 20}
  check_van:
    in: yard
    says: Note that a van was checked.
    by: anyone
    takes: {van: van}
    does:
      - obey: [not_too_dear]
      - set: {van.checked: true}
    gives: van
goals:
  checked_it:
    given: {v: van where not checked}
    wants: v.checked
    how: [{do: check_van, with: {van: v}}]
    asks: ["please check {v}", "{v} has to be checked"]
    each: ["check every van {which}", "all vans {which} are to be checked"]
  how_many_cold:
    wants: 'true'
    tells: {number: count(r for r in van if r.kind == 'cold')}
    asks: ["how many vans are cold ones?", "count the vans that are cold"]
  of_a_depot:
    given: {d: depot where count(r for r in van if r.depot == d) >= 2}
    wants: 'true'
    tells:
      number: count(r for r in van if r.depot == d)
      worth: sum(coalesce(r.price, 0) for r in van if r.depot == d)
    asks: ["how many vans does {d} have, and what are they worth?", "for {d}: the number of vans and their price in all"]
  dearest:
    given: {v: van where price is not none and not exists(r for r in van if r.price is not none and r.price >= v.price and r != v)}
    wants: 'true'
    tells: {which: v, price: v.price}
    asks: ["which van is the dearest, and what is its price?", "find the van with the highest price: which one, and how much?"]
"""


@pytest.fixture(scope="module")
def world() -> World:
    return world_of(build(load_text(WORLD, "fleet.yaml"), 8).pack)


class Tools:
    """The tools of an episode, as a printed program calls them."""

    def __init__(self, env: Env) -> None:
        self.env = env

    def call(self, name: str, **arguments: Any) -> Result:
        return self.env.call_tool(name, arguments)

    def every(self, name: str, **filters: Any) -> Iterator[Any]:
        offset: int | None = 0
        while offset is not None:
            page = self.env.call_tool(name, {**filters, "offset": offset})
            assert page.ok, page.error
            yield from page.data["items"]
            offset = page.data["next_offset"]


def programs(world: World) -> list[tuple[Task, Key]]:
    return [(t, world.key(t.id)) for t in world.tasks if world.key(t.id).program]


def solved(world: World, task: Task, source: str) -> tuple[Any, Env]:
    env = world.env()
    env.reset(task.id)
    scope: dict[str, Any] = {}
    exec(compile(source, "program.py", "exec"), scope)
    return scope["solve"](Tools(env)), env


def test_there_are_programs_that_look_at_each_record(world: World) -> None:
    """Only plate and depot can be filtered: everything else is told apart by looking."""
    looking = [key.program for _, key in programs(world) if "continue" in key.program and "if " in key.program]
    assert len(looking) >= 3
    tested = {
        name
        for source in looking
        for name in re.findall(r'if (?:item\["\w+"\] is None or )?not item\["(\w+)"\]', source)
    }
    assert len(tested) >= 2
    assert tested <= {"kind", "price", "leased_on", "rented"}


def test_a_printed_program_gives_the_keys_answer_and_passes(world: World) -> None:
    assert programs(world)
    for task, key in programs(world):
        answer, env = solved(world, task, key.program)
        assert answer == {"outcome": "done", **key.answer}, (task.id, key.program)
        env.submit(key.answer)
        assert env.verify().status == "pass", task.id


def test_a_program_with_another_test_does_not(world: World) -> None:
    """The same program without what it looks at comes to another answer: the tests in it matter."""
    seen = 0
    for task, key in programs(world):
        without = re.sub(r"        if [^\n]*not item\[[^\n]*\n            continue\n", "", key.program)
        if without == key.program:
            continue
        answer, _ = solved(world, task, without)
        assert answer != {"outcome": "done", **key.answer}
        seen += 1
    assert seen >= 3


def test_what_is_none_is_neither_more_nor_less(world: World) -> None:
    """Trailers without a price or a day are in the world, and comparing them is no error."""
    trailers = list(Tools(_fresh(world)).every("find_trailers"))
    assert any(t["price"] is None for t in trailers)
    assert any(t["leased_on"] is None for t in trailers)
    sources = [key.program for _, key in programs(world)]
    compared = [s for s in sources if re.search(r'not item\["(price|leased_on)"\] [<>]=', s)]
    assert compared
    assert all('is None or not item["' in s for s in compared)


def _fresh(world: World) -> Env:
    env = world.env()
    env.reset(role="driver")
    return env


# questions

QUESTIONS = ("how_many_cold", "of_a_depot", "dearest")


def asked(world: World, goal: str) -> list[tuple[Task, Key]]:
    found = [(t, world.key(t.id)) for t in world.tasks]
    return [(t, k) for t, k in found if [g["goal"] for g in k.expects["goals"]] == [goal]]


def shown(value: Any) -> set[str]:
    if isinstance(value, dict):
        return {v for k, v in value.items() if k == "id"} | {i for v in value.values() for i in shown(v)}
    return {i for v in value for i in shown(v)} if isinstance(value, list) else set()


@pytest.mark.parametrize("goal", QUESTIONS)
def test_a_witness_reads_what_its_answer_rests_on(world: World, goal: str) -> None:
    assert asked(world, goal)
    for task, key in asked(world, goal):
        vans = list(Tools(_fresh(world)).every("find_vans"))
        rows = key.expects["goals"][0]["rows"]
        wanted = {v["id"] for v in vans if goal != "of_a_depot" or v["depot"] == rows["d"]["id"]}
        assert len(wanted) >= 2
        env = world.env()
        env.reset(task.id)
        seen: set[str] = set()
        for call in key.calls:
            result = env.call_tool(call.tool, call.arguments)
            assert result.ok
            seen |= shown(result.data)
        assert wanted <= seen, (task.id, len(wanted - seen))
        assert not env.diff()


@pytest.mark.parametrize("goal", QUESTIONS)
def test_the_answer_is_what_the_records_say(world: World, goal: str) -> None:
    vans = list(Tools(_fresh(world)).every("find_vans"))
    for _, key in asked(world, goal):
        own = [v for v in vans if goal == "of_a_depot" and v["depot"] == key.expects["goals"][0]["rows"]["d"]["id"]]
        dearest = max((v for v in vans if v["price"] is not None), key=lambda v: v["price"])
        expected: dict[str, Any] = {
            "how_many_cold": {"number": sum(v["kind"] == "cold" for v in vans)},
            "of_a_depot": {"number": len(own), "worth": pytest.approx(sum(v["price"] or 0 for v in own))},
            "dearest": {"which": dearest["id"], "price": dearest["price"]},
        }[goal]
        assert {k: key.answer[k] for k in expected} == expected


@pytest.mark.parametrize("goal", QUESTIONS)
def test_another_answer_fails(world: World, goal: str) -> None:
    env = world.env()
    for task, key in asked(world, goal):
        for name, value in key.answer.items():
            if name == "outcome":
                continue
            env.reset(task.id)
            env.submit({**key.answer, name: value + 1 if isinstance(value, (int, float)) else "3010099"})
            assert env.verify().status == "fail", (task.id, name)


def test_a_search_that_has_to_be_told_what_to_look_for_makes_programs_too() -> None:
    """Where every list of a kind needs an input, as those of many APIs do, the rows of one depot are gone over."""
    text = WORLD.replace("filters: [plate, depot], sort: [id], page: 20", "filters: [depot], needs: [depot], page: 20")
    world = world_of(build(load_text(text, "fleet.yaml"), 8).pack)
    found = [(task, key) for task, key in programs(world) if "check_van" in key.program]
    assert found
    for task, key in found:
        assert 'tools.every("find_vans", depot="DP-' in key.program
        answer, env = solved(world, task, key.program)
        env.submit(answer)
        assert env.verify().status == "pass"
