"""What the tasks of every shipped world promise: grounded, unique, determined, entailed, worth doing, and not copies."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest
from tests.domains import CHOSEN, CORE

from worldwright import catalogue
from worldwright.catalogue.standard import FAMILIES, MIN_TASKS
from worldwright.compiler.build import BuiltWorld
from worldwright.engine.world import World
from worldwright.kinds.database.compile.tasks.single import IF_FORBIDDEN
from worldwright.kinds.database.runtime import Runtime
from worldwright.store.open import world_of
from worldwright.world.tasks import Task

NAMES = CHOSEN
pytestmark = pytest.mark.parametrize("name", NAMES)

Built_ = Callable[[str], BuiltWorld]


@pytest.fixture
def world(name: str, built: Built_) -> World:
    return world_of(built(name).pack)


def test_enough_tasks_of_every_family(world: World, name: str) -> None:
    families = [task.family for task in world.tasks]
    assert len(families) >= MIN_TASKS
    assert set(FAMILIES) <= set(families)


def test_gold_passes_and_nothing_does_not(world: World, name: str) -> None:
    env = world.env()
    for task in world.tasks:
        key = world.key(task.id)
        env.reset(task.id)
        env.submit({})
        assert env.verify().status == "fail", task.id
        env.reset(task.id)
        for call in key.calls:
            env.call_tool(call.tool, call.arguments)
        env.submit(key.answer)
        verdict = env.verify()
        assert verdict.status == "pass", (task.id, [a for a in verdict.assertions if not a.ok])
        assert 3 <= len(verdict.assertions) <= 12, task.id


def test_a_fifth_is_hard(world: World, name: str) -> None:
    """Ten calls and more, each made of the witness that knows only what it was shown."""
    hard = [task for task in world.tasks if len(world.key(task.id).calls) >= 10]
    assert 5 * len(hard) >= len(world.tasks)


def test_nobody_is_asked_who_is_away(world: World, name: str) -> None:
    assert isinstance(world.runtime, Runtime)
    schema = world.runtime.compiled.blueprint.schema
    today = schema.now[:10]
    session = world.runtime.session(schema.roles[0])
    columns = ("away", "sick", "leave", "absent")
    asked = {task.actor for task in world.tasks}
    for row in session.unit_of_work().rows(schema.actor):
        held = dict(zip(world.runtime.compiled.tables[schema.actor].position, row.values, strict=False))
        away = [
            why for why in columns
            if (held.get(f"{why}_until") or "") >= today and (held.get(f"{why}_from") or "") <= today
        ]  # fmt: skip
        mates = [t.actor for t in world.tasks if t.role == held[schema.role_field]]
        assert row.id not in asked or not away or set(mates) == {row.id}, (row.id, away)


def test_nobody_asks_for_the_copy_of_a_record(world: World, name: str, built: Built_) -> None:
    cells = json.loads(built(name).pack.files["mess.json"])["blemishes"]
    copies = {cell["id"] for cell in cells if cell["layer"] == "duplicate"}
    for task in world.tasks:
        key = world.key(task.id)
        uses = (*key.expects["goals"], *key.expects.get("request", ()))
        about = {row["id"] for use in uses for row in use["rows"].values() if "id" in row}
        assert task.actor not in copies, task.id
        assert task.family == "repair" or not about & copies, task.id


def test_witnesses_are_of_a_fair_length(world: World, name: str) -> None:
    """Two calls at least; one where it shows many records that something has to be worked out from."""
    for task in world.tasks:
        calls, items = len(world.key(task.id).calls), task.features["items"]
        assert (1 if items >= 10 else 2) <= calls <= (40 if items > 1 else 30), task.id


def test_every_id_that_a_witness_uses_was_shown_before(world: World, name: str) -> None:
    """Grounded: nobody can know an id that neither the request nor an earlier result named."""
    env = world.env()
    pattern = re.compile(r"[A-Z][A-Z0-9]{0,11}-[0-9]{2,}\Z")
    for task in world.tasks:
        observation = env.reset(task.id)
        seen = " ".join(m["content"] for m in observation.messages)
        for call in world.key(task.id).calls:
            for value in _texts(call.arguments):
                if pattern.match(value):
                    assert value in seen, (task.id, call)
            seen += " ".join(_texts(env.call_tool(call.tool, call.arguments).data))


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [t for v in value.values() for t in _texts(v)]
    return [t for v in value for t in _texts(v)] if isinstance(value, (list, tuple)) else []


def test_half_of_the_policy_tasks_rest_on_the_handbook(world: World, name: str) -> None:
    """A rule that tools do not enforce decides in at least half of them."""
    policies = catalogue.load(name).policies
    found = [world.key(t.id).expects for t in world.tasks if t.family == "policy"]
    by_hand = [e for e in found if any(policies[r].enforced == "agent" for r in e["rules"])]
    assert len(found) >= 8
    assert 2 * len(by_hand) >= len(found)


def test_a_sixth_accepts_more_than_one_end_state(world: World, name: str) -> None:
    """Of the worlds that choices were written into from the start. Others have fewer: a search finds them, nobody counts."""
    several = [t for t in world.tasks if t.features["end_states"] > 1]
    assert name not in CORE or 6 * len(several) >= len(world.tasks)


def test_requests_speak_of_the_goal(world: World, name: str) -> None:
    """No tool, no field and no id is named, no sentence is left open, nothing stands for a missing value."""
    tools = [t.name for t in world.tools]
    for task in world.tasks:
        text = task.instruction
        assert not [t for t in tools if "_" in t and t in text], task.id
        assert not re.search(r"\{|\}|\bNone\b(?! of)|\x00|\.\.(?!\.)| ,|  ", text), (task.id, text)
        assert text.strip() == text
        assert text[0].isupper() or not text[0].isalpha()


def test_what_becomes_of_a_forbidden_request_is_said_once(world: World, name: str) -> None:
    """Where a goal says it (`approved if obeys(...) else denied`), no other sentence says otherwise."""
    goals = catalogue.load(name).goals
    for task in world.tasks:
        asked = [goal["goal"] for goal in world.key(task.id).expects["goals"]]
        if any(re.search(r"if obeys\([^)]*\) else", goals[goal].text) for goal in asked):
            assert len(asked) == 1, task.id
            assert not any(closing in task.instruction for closing in IF_FORBIDDEN), (task.id, task.instruction)


def test_no_two_tasks_are_copies(world: World, name: str) -> None:
    """Neither the same words with other numbers, nor the same goals by the same tools."""
    words: dict[str, str] = {}
    shapes: dict[object, str] = {}
    for task in world.tasks:
        key = world.key(task.id)
        bare = re.sub(r"[A-Z0-9][\w.,&'\"/-]*", "#", task.instruction)
        assert bare not in words, (task.id, words.get(bare))
        words[bare] = task.id
        shape = (
            key.expects["outcome"],
            key.expects.get("asked"),
            tuple(sorted({g["goal"] for g in key.expects["goals"]})),
            str(key.expects["answer"].get("rule")),
            task.form == "ticket",
            key.program and re.sub(r'"[^"]*"|[\d.]+', "#", key.program),
            tuple(c.tool for c in key.calls),
        )
        assert shape not in shapes, (task.id, shapes.get(shape))
        shapes[shape] = task.id


def test_every_demand_has_a_source(world: World, name: str) -> None:
    for task in world.tasks:
        key = world.key(task.id)
        writes = {t.name for t in world.tools if t.mutates}
        if key.expects["outcome"] == "done" and not key.program and any(c.tool in writes for c in key.calls):
            assert key.provenance, task.id
        assert all(p["from"] for p in key.provenance)


def test_keys_say_nothing_to_agents(world: World, name: str) -> None:
    """The task that an agent sees has no gold in it."""
    for task in world.tasks:
        assert isinstance(task, Task)
        assert not {"calls", "answer", "expects", "provenance"} & set(task.__slots__)
