"""contract.yaml: lists, open objects and chosen properties of answers, as tools of MCP servers have them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.author.conftest import LIBRARY, lay_bench
from tests.shared_builds import build

from worldwright.anchor.intake.uploads import Upload
from worldwright.anchor.lock.files import write_operations
from worldwright.anchor.readers.mcp import read
from worldwright.author.contract import make_contract
from worldwright.author.folder import read_bench
from worldwright.blueprint.load import load_file
from worldwright.engine.contract import (
    Contract,
    call_inside,
    call_outside,
    contract_data,
    make_answer,
    read_contract,
)  # fmt: skip
from worldwright.engine.revealed import reveal
from worldwright.kinds.database.toolspec import tool_specs
from worldwright.store.open import world_of
from worldwright.world.records import Call, Result

TEXT = {"type": "string"}
TOOLS = [
    {
        "name": "library_write_off",
        "description": "Write off copies.",
        "inputSchema": {
            "type": "object",
            "properties": {"copy_ids": {"type": "array", "items": TEXT}},
            "required": ["copy_ids"],
        },
    },
    {
        "name": "library_waive",
        "description": "Waive a fine.",
        "inputSchema": {"type": "object", "properties": {"data": {"what": "see the manual"}, "opt_fields": TEXT}},
    },
    {
        "name": "library_find_members",
        "description": "Search members.",
        "inputSchema": {"type": "object", "properties": {"name": TEXT, "opt_fields": TEXT, "opts": {"type": "object"}}},
    },
]
MAPPED = """
library_write_off: {operation: clear_shelf, takes: {copies: copy_ids}}
library_waive: {operation: waive_fine, takes: {loan: data.loan_id}}
library_find_members: find_members
"""


def lay(tmp_path: Path, contract: str) -> Path:
    operations = read([Upload("tools.json", json.dumps({"tools": TOOLS}).encode())]).operations
    folder = lay_bench(tmp_path / "b", contract=contract)
    (folder / "operations.json").write_text(write_operations(operations))
    return folder


def mapped(tmp_path: Path, contract: str = MAPPED) -> tuple[Contract, list[str]]:
    bench, _ = read_bench(lay(tmp_path, contract))
    made = make_contract(bench, load_file(LIBRARY))
    assert made.contract is not None
    idle = [f"{tool}.{name}" for tool, names in made.idle.items() for name in names]
    return made.contract, [*(f.says for f in made.findings), *idle]


def test_a_list_of_ids_is_taken_element_by_element(tmp_path: Path) -> None:
    contract, problems = mapped(tmp_path)
    tool = contract.tools["library_write_off"]
    inside, problem = call_inside(tool, {"copy_ids": ["CPY-0001", "CPY-0002"]})
    assert (inside, problem) == (Call("clear_shelf", {"copies": ["CPY-0001", "CPY-0002"]}), "")
    assert call_outside(tool, inside) == {"copy_ids": ["CPY-0001", "CPY-0002"]}
    assert call_inside(tool, {"copy_ids": "CPY-0001"})[1].endswith("must be a list")
    assert problems == ["library_find_members.opts"]
    again = read_contract(json.dumps(contract_data(contract)).encode(), tool_specs(load_file(LIBRARY)))
    assert again == contract


def test_a_place_inside_of_a_parameter_whose_form_is_open_can_be_named(tmp_path: Path) -> None:
    tool = mapped(tmp_path)[0].tools["library_waive"]
    assert call_inside(tool, {"data": {"loan_id": "LN-00007"}})[0].arguments == {"loan": "LN-00007"}


def test_a_caller_chooses_the_properties_of_an_answer(tmp_path: Path) -> None:
    contract, _ = mapped(tmp_path)
    env = world_of(build(load_file(LIBRARY), 7, with_tasks=False, contract=contract).pack).env()
    env.reset(role="librarian")
    whole: Any = env.call_tool("library_find_members", {}).data
    some: Any = env.call_tool("library_find_members", {"opt_fields": "name, tier"}).data
    none: Any = env.call_tool("library_find_members", {"opt_fields": "colour"}).data
    assert set(some["items"][0]) == {"id", "name", "tier"}
    assert none["items"] == whole["items"]
    assert whole["total"] == some["total"]


def test_an_answer_that_is_declared_nowhere_shows_all_of_the_result(tmp_path: Path) -> None:
    tool = mapped(tmp_path)[0].tools["library_find_members"]
    result = {"items": [{"id": "MEM-0001", "name": "Ada"}], "total": 1, "next_offset": None}
    assert make_answer(tool, Result(True, result, None)).data == result
    assert reveal(tool, result) == result


def test_what_cannot_be_chosen_or_is_not_there_is_a_finding(tmp_path: Path) -> None:
    wrong = MAPPED.replace(
        "library_find_members: find_members", "library_find_members: {operation: find_members, selects: shape}"
    )
    assert any("no parameter `shape`" in says for says in mapped(tmp_path, wrong)[1])
