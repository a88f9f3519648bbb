"""Keys use what was shown before, and nothing else; what is planted in them is found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from studies.parcel_desk import make_task, open_desk, use_goal
from tests.domains import take_turns
from tests.verify.made_world import made_world

from worldwright.engine.world import World
from worldwright.kinds.database.compile.tasks.clairvoyance import list_clairvoyance
from worldwright.kinds.database.compile.tasks.known import (
    HANDBOOK,
    INSTRUCTION,
    LISTED,
    OWN_WORDS,
    WORKED_OUT,
    Known,
    say_call,
)
from worldwright.kinds.database.compile.tasks.sandbox import Sandbox
from worldwright.kinds.database.runtime import Runtime
from worldwright.world.records import Call, ToolSpec
from worldwright.world.tasks import Key, Task

DESK = "it_service_desk"


def spec(tool: str, mutates: bool, **properties: Mapping[str, Any]) -> ToolSpec:
    return ToolSpec(tool, "", {"type": "object", "properties": properties}, {}, mutates, "")


TEXT = {"type": "string"}
SPECS = {
    "find": spec(
        "find", False, name=TEXT, since={"type": "string", "format": "date-time"}, state={**TEXT, "enum": ["open"]},
        limit={"type": "integer", "maximum": 50}, offset={"type": "integer"},
    ),
    "pay": spec("pay", True, order=TEXT, amount={"type": "number"}, note=TEXT, on={"type": "string", "format": "date"}),
}  # fmt: skip


@pytest.fixture
def known() -> Known:
    said = "Please pay Ann Lee 1,250.00 for the order of 3 October 2025, and 15% more for two others."
    return Known(said, "Orders over 900 need a quote.", "2025-10-15T09:00:00Z", SPECS)


@pytest.mark.parametrize(
    ("tool", "path", "value", "source"),
    [
        ("find", "name", "ann lee", INSTRUCTION),
        ("find", "name", "Ann Le", ""),
        ("find", "state", "open", LISTED),
        ("find", "limit", 50, LISTED),
        ("find", "offset", 50, ""),
        ("find", "since", "2025-10-03T00:00:00Z", INSTRUCTION),
        ("find", "since", "2025-10-03T14:06:57Z", ""),
        ("pay", "amount", 1250.0, INSTRUCTION),
        ("pay", "amount", 0.15, INSTRUCTION),
        ("pay", "amount", 900, HANDBOOK),
        ("pay", "amount", 901, ""),
        ("pay", "on", "2025-10-03", INSTRUCTION),
        ("pay", "on", "2025-10-15", "the clock shows it"),
        ("pay", "on", "2025-10-04", ""),
        ("pay", "order", "OR-77", ""),
        ("pay", "note", "Paid 1,250.00 as asked.", OWN_WORDS),
        ("pay", "note", "Paid 777.10 as asked.", ""),
    ],
)
def test_a_value_is_known_in_any_form(known: Known, tool: str, path: str, value: Any, source: str) -> None:
    assert known.find_source(tool, path, value) == source


def test_a_result_shows_values_until_it_is_forgotten(known: Known) -> None:
    known.note(
        Call("find", {"name": "Ann Lee"}), {"items": [{"id": "OR-77", "total": 901.5, "said": "due 4 October 2025"}]}
    )
    assert known.find_source("pay", "order", "OR-77") == say_call(1)
    assert known.find_source("pay", "amount", 901.5) == say_call(1)
    assert known.find_source("pay", "on", "2025-10-04") == say_call(1)
    assert ("OR-77", "total") in known.cells
    known.forget(0)
    assert not known.find_source("pay", "order", "OR-77")
    assert not known.cells


def test_a_search_lists_what_it_embeds(known: Known) -> None:
    lines = [{"id": "LN-01", "order": "OR-77"}]
    known.note(
        Call("find", {"name": "Ann Lee"}), {"items": [{"id": "OR-77", "lines": lines}, {"id": "OR-78", "lines": []}]}
    )
    assert ("find", "OR-77") in known.lists
    assert ("find", "OR-78") in known.lists, "nothing belongs to it, and that was seen"
    assert ("find", "LN-01") not in known.lists


# keys of whole worlds


@pytest.mark.parametrize("name", take_turns(DESK, "enterprise_procurement", "hotel_booking", "university_registrar"))
def test_no_key_of_a_world_is_clairvoyant(name: str) -> None:
    made = made_world(name)
    sandbox = Sandbox(made.runtime)
    assert {task.id: found for task, key in made.tasks if (found := list_clairvoyance(sandbox, task, key))} == {}
    for _, key in made.tasks:
        labels = {f"{n} {call.tool}" for n, call in enumerate(key.calls, start=1) if call.arguments}
        assert {entry["call"] for entry in key.provenance} == labels
        assert all(entry["from"] for entry in key.provenance)


@pytest.fixture(scope="module")
def library_keys(library_world: World) -> tuple[Sandbox, list[tuple[Task, Key]]]:
    assert isinstance(library_world.runtime, Runtime)
    return Sandbox(library_world.runtime), [(task, library_world.key(task.id)) for task in library_world.tasks]


def test_no_key_of_a_sealed_world_is_clairvoyant(library_keys: tuple[Sandbox, list[tuple[Task, Key]]]) -> None:
    sandbox, pairs = library_keys
    assert {task.id: found for task, key in pairs if (found := list_clairvoyance(sandbox, task, key))} == {}


def test_a_filter_by_what_nobody_said_is_found(library_keys: tuple[Sandbox, list[tuple[Task, Key]]]) -> None:
    sandbox, pairs = library_keys
    specs = sandbox.compiled.specs
    text = next(
        (name, path) for name, s in specs.items() for path, p in s.input_schema["properties"].items()
        if not s.mutates and p.get("type") == "string" and not {"enum", "format", "pattern"} & set(p)
    )  # fmt: skip
    task, key = pairs[0]
    planted = replace(key, calls=(Call(text[0], {text[1]: "zebra crossing"}), *key.calls))
    assert any("nothing shows that" in found for found in list_clairvoyance(sandbox, task, planted))


def test_a_worked_out_value_needs_a_word_of_what_it_comes_from(
    library_keys: tuple[Sandbox, list[tuple[Task, Key]]],
) -> None:
    sandbox, pairs = library_keys
    claimed = [(t, k) for t, k in pairs if any(p.get("known", "").startswith(WORKED_OUT) for p in k.provenance)]
    for task, key in claimed:
        silent = replace(key, provenance=())
        assert any("nothing shows that" in found for found in list_clairvoyance(sandbox, task, silent))


def charge_for_parcel(*calls: Call) -> tuple[str, ...]:
    """Audit a key that charges twice the worth of a parcel, and says that it works that out."""
    charge = Call("charge", {"customer": "CU-01", "amount": 40.5})
    label = f"{len(calls) + 1} charge"
    claim = {"call": label, "argument": "amount", "value": "40.5", "from": WORKED_OUT + "worth of PA-002"}
    expects = {"outcome": "done", "goals": [use_goal("PA-002", "charge_for")], "answer": {"outcome": {"is": "done"}}}
    key = Key("task_001", (*calls, charge), {"outcome": "done"}, expects, provenance=(claim,))
    task = replace(make_task({}), instruction="Charge Mia Berg (CU-01) twice the worth of PA-002.")
    return list_clairvoyance(Sandbox(open_desk()), task, key)


def test_what_a_value_is_worked_out_from_has_to_be_shown() -> None:
    assert charge_for_parcel(Call("get_parcel", {"parcel": "PA-002"})) == ()
    [found] = charge_for_parcel()
    assert found.endswith("nothing shows that amount is 40.5, and it rests on worth of PA-002, which was not seen")


def test_a_refusal_without_its_reads_is_found(library_keys: tuple[Sandbox, list[tuple[Task, Key]]]) -> None:
    sandbox, pairs = library_keys
    refused = [(t, k) for t, k in pairs if k.expects["outcome"] == "refused"]
    assert refused
    for task, key in refused:
        found = list_clairvoyance(sandbox, task, replace(key, calls=()))
        assert any("before" in problem or "nothing shows" in problem for problem in found), task.id


def test_an_answer_that_no_call_shows_is_found() -> None:
    made = made_world(DESK)
    sandbox = Sandbox(made.runtime)
    told = [
        (t, k) for t, k in made.tasks
        if any("tells" in part for part in k.expects["answer"].values()) and not _writes(sandbox, k)
    ]  # fmt: skip
    assert told
    for task, key in told:
        assert list_clairvoyance(sandbox, task, replace(key, calls=())), task.id


def test_a_write_before_its_reads_is_found() -> None:
    made = made_world(DESK)
    sandbox = Sandbox(made.runtime)
    hasty = 0
    for task, key in made.tasks:
        writes = tuple(call for call in key.calls if sandbox.compiled.tools[call.tool].mutates)
        if key.expects["outcome"] == "done" and writes and not key.program:
            hasty += bool(list_clairvoyance(sandbox, task, replace(key, calls=writes)))
    assert hasty >= 10


def _writes(sandbox: Sandbox, key: Key) -> bool:
    return any(sandbox.compiled.tools[call.tool].mutates for call in key.calls)
