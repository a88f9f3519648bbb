from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from worldwright.engine.tasks import FAMILIES
from worldwright.facts.task import gist
from worldwright.pack.open import Pack

from .conftest import Run, resealed


def _one(run: Run, library: str, family: str) -> str:
    """The id of a task of a family."""
    return str(run("task", "list", library, "--family", family, "--json").data["tasks"][0]["id"])


def test_list_has_every_task(run: Run, library: str, pack: Pack) -> None:
    found, data = run("task", "list", library), run("task", "list", library, "--json").data
    assert found.code == 0
    assert len(data["tasks"]) == pack.manifest.counts["tasks"]
    assert sum(data["families"].values()) == len(data["tasks"])
    assert f"{len(data['tasks'])} tasks: " in found.out
    for task in data["tasks"]:
        assert f"  {task['id']}  {task['family']} " in found.out
        assert task["asks"][:60] in found.out
    assert f"worldwright play {library} --task task_001" in found.out
    assert [line for line in found.out.splitlines() if len(line) > 100 or line != line.rstrip()] == []


def test_the_library_has_every_family(run: Run, library: str) -> None:
    assert set(run("task", "list", library, "--json").data["families"]) == set(FAMILIES)


def test_list_by_family_and_role(run: Run, library: str) -> None:
    every = run("task", "list", library, "--json").data["tasks"]
    policy = run("task", "list", library, "--family", "policy", "--json").data["tasks"]
    assert policy == [t for t in every if t["family"] == "policy"]
    both = run("task", "list", library, "--family", "walk", "--role", "manager")
    ids = [t["id"] for t in every if (t["family"], t["role"]) == ("walk", "manager")]
    assert f"{len(ids)} of {len(every)} tasks: {len(ids)} walk" in both.out
    assert all(i in both.out for i in ids)
    none = run("task", "list", library, "--family", "repair", "--role", "librarian")
    assert none.code == 0
    assert f"0 of {len(every)} tasks: none of that kind" in none.out


def test_show_is_what_the_agent_sees(run: Run, library: str, pack: Pack) -> None:
    found, data = run("task", "show", library, "task_001"), run("task", "show", library, "1", "--json").data
    assert found.code == 0
    task = json.loads(pack.files["tasks/task_001.json"])
    assert data["task"] == {**task, "person": data["task"]["person"]}
    assert "key" not in data
    assert f"{data['task']['person']} ({task['actor']}), {task['role']}" in found.out
    for line in filter(None, task["instruction"].splitlines()):
        assert line[:60] in found.out
    for name in task["answer_schema"]["properties"]:
        assert f"\n  {name} " in found.out
    assert "one of done, partly, refused" in found.out
    assert "calls of the witness" in found.out
    assert "GOLD" not in found.out


@pytest.mark.parametrize("family", FAMILIES)
def test_show_with_its_key(run: Run, library: str, pack: Pack, family: str) -> None:
    ref = _one(run, library, family)
    found, data = run("task", "show", library, ref, "--key"), run("task", "show", library, ref, "--key", "--json").data
    assert found.code == 0
    shown = found.out.partition("\nPROGRAM")[0].splitlines()
    assert [line for line in shown if len(line) > 100 or line != line.rstrip()] == []
    key = json.loads(pack.files[f"keys/{ref}.json"])
    assert {k: data["key"][k] for k in key} == key
    for i, call in enumerate(key["calls"], start=1):
        assert f"\n  {i:>3}  {call['tool']} " in found.out
    assert "submit " in found.out
    assert "BATTERY" in found.out
    assert data["key"]["battery"]["gold"]["accepted"] == 1
    assert ("PROGRAM" in found.out) == (family == "program")
    assert ("def solve(tools):" in found.out) == (family == "program")
    for entry in key["provenance"]:
        assert f"{entry['call']}  " in found.out
        assert entry["from"][:30] in found.out


def test_where_a_value_comes_from_is_said_as_the_instruction_has_it(run: Run, library: str, pack: Pack) -> None:
    calls, means = "the instruction calls it ", "the instruction means it, and does not give its id"
    seen = set()
    for name in (n for n in pack.files if n.startswith("tasks/")):
        shown = run("task", "show", library, Path(name).stem, "--key", "--json").data
        instruction = shown["task"]["instruction"]
        for entry in shown["key"]["provenance"]:
            said = entry["from"]
            if said.startswith(calls):
                assert said.removeprefix(calls).casefold() in instruction.casefold()
            if said.startswith("the instruction"):
                seen.add(" ".join(said.split()[:3]))
            if said == "the instruction names it" or said.startswith((calls, means)):
                assert (entry["value"] in instruction) == (said == "the instruction names it")
    assert "the instruction calls" in seen


def test_a_refusal_says_that_nothing_changes_and_which_rule_it_is(run: Run, library: str, pack: Pack) -> None:
    ref = _one(run, library, "policy")
    key = json.loads(pack.files[f"keys/{ref}.json"])
    assert key["answer"]["outcome"] == "refused"
    found = run("task", "show", library, ref, "--key")
    assert "nothing changes at all" in found.out
    rule = key["answer"]["rule"]
    assert f"\n  {rule} " in found.out
    assert run("task", "show", library, ref, "--key", "--json").data["key"]["rules"][0]["name"] == rule


def test_end_states_in_words(run: Run, library: str) -> None:
    """Lending adds a loan and changes a copy; what nobody asked for is open."""
    tasks = run("task", "list", library, "--role", "librarian", "--family", "walk", "--json").data["tasks"]
    keys = {t["id"]: run("task", "show", library, t["id"], "--key", "--json").data["key"] for t in tasks}
    lending = next(ref for ref, key in keys.items() if key["calls"][-1]["tool"] == "lend")
    rows = {row["row"]: row for row in keys[lending]["end_states"][0]}
    loan = rows["a new loan (loan 1)"]
    assert loan["mark"] == "+"
    assert "status: out" in loan["demanded"]
    assert "fine: 0.00" in loan["demanded"]
    assert loan["open"] == ["reference"]
    assert keys[lending]["goals"][0]["goal"] == "lend_it"
    found = run("task", "show", library, lending, "--key")
    assert "and nothing else changes" in found.out
    assert "open, as long as goal and rules hold: reference" in found.out


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("list", "town_library", "--family", "wlak"), "'wlak' is not one of"),
        (("list", "town_library", "--role", "libarian"), "did you mean `librarian`?"),
        (("show", "town_library", "task_999"), "they are task_001 to task_0"),
        (("show", "town_library", "0"), "they are task_001 to task_0"),
        (("show", "town_library", "lend_it"), "this pack has no task `lend_it`"),
    ],
)
def test_wrong_usage(run: Run, library: str, args: tuple[str, ...], message: str) -> None:
    found = run("task", *args)
    assert found.code == 2
    assert message in found.err
    assert found.out == ""


def test_a_pack_without_tasks(run: Run, bare: str) -> None:
    assert "no tasks" in run("task", "list", bare).out
    assert run("task", "list", bare, "--json").data["tasks"] == []
    found = run("task", "show", bare, "1")
    assert found.code == 2
    assert "this pack has no tasks" in found.err


def _forged(pack: Pack, folder: Path, path: str, changes: dict[str, Any]) -> str:
    """The pack with some fields of a file changed."""
    return resealed(pack, folder, {path: json.dumps({**json.loads(pack.files[path]), **changes}).encode()})


@pytest.mark.parametrize(
    ("path", "changes"),
    [
        ("keys/task_001.json", {"expects": {"accepts": [[{"op": "added", "table": "nothing"}]]}}),
        ("keys/task_001.json", {"expects": {"goals": 5}}),
        ("keys/task_001.json", {"expects": {"goals": [{"goal": "lend_it", "rows": 3}]}}),
        ("keys/task_001.json", {"expects": {"answer": [1]}}),
        ("keys/task_001.json", {"expects": {"rules": ["be_nice"]}}),
        ("keys/task_001.json", {"calls": "none"}),
        ("tasks/task_001.json", {"family": "puzzle"}),
    ],
)
def test_keys_that_mean_nothing_are_refused(
    run: Run, home: Path, pack: Pack, tmp_path: Path, path: str, changes: dict[str, Any]
) -> None:
    forged = _forged(pack, tmp_path / "forged", path, changes)
    for args in (("task", "show", forged, "1", "--key"), ("play", forged, "--task", "1"), ("assay", forged)):
        found = run(*args)
        assert found.code == 4, args
        assert "task_001.json" in found.err
    found = run("verify", forged, "--json")
    assert found.code == 4
    assert found.data["checks"][-1]["check"] == "tasks"


@pytest.mark.parametrize("changes", [{"actor": "CLK-99"}, {"role": "janitor"}, {"actor": "\x1b[2J", "role": ""}])
def test_a_task_for_nobody_is_refused(
    run: Run, home: Path, pack: Pack, tmp_path: Path, changes: dict[str, Any]
) -> None:
    forged = _forged(pack, tmp_path / "forged", "tasks/task_001.json", changes)
    for args in (("verify", forged), ("task", "show", forged, "1"), ("play", forged, "--task", "1"), ("assay", forged)):
        found = run(*args)
        assert found.code == 4, (args, found)
        assert "task_001" in found.err
        assert "\x1b" not in found.err


def test_what_a_pack_says_cannot_command_the_terminal(run: Run, home: Path, pack: Pack, tmp_path: Path) -> None:
    changes = {"instruction": "a\x1b[2Jb", "persona": "\x1b[1m", "features": {"\x1b[3m": "\x1b[4m", "calls": "\x07"}}
    forged = _forged(pack, tmp_path / "forged", "tasks/task_001.json", changes)
    for args in (("list", forged), ("show", forged, "1")):
        found = run("task", *args)
        assert found.code == 0
        assert "\x1b" not in found.out
        assert "\x07" not in found.out


def test_gist() -> None:
    text = "Can you look after this?\n\n> Hello, me again.\n> It rained all day. Please pay the bill today. Thanks!\n> Theo"
    assert gist(text) == "It rained all day. Please pay the bill today. Thanks!"
    assert gist(text, ["It rained all day."]) == "Please pay the bill today. Thanks!"
    assert gist("It rained all day.", ["It rained all day."]) == "It rained all day."
    assert gist("") == ""
