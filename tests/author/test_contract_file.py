"""contract.yaml: lists, open objects and chosen properties of answers, as tools of MCP servers have them."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from tests.author.conftest import LIBRARY, lay_bench
from tests.shared_builds import build

from worldwright.anchor.intake.uploads import Upload
from worldwright.anchor.lock.files import write_operations
from worldwright.anchor.readers.mcp import read
from worldwright.author import verbs
from worldwright.author.contract import make_contract
from worldwright.author.folder import read_bench
from worldwright.blueprint.load import load_file, load_text
from worldwright.engine.contract import (
    Contract,
    ContractTool,
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


def test_an_operation_that_the_evidence_has_no_tool_for_is_offered_under_its_own_name(tmp_path: Path) -> None:
    contract, findings = mapped(tmp_path, MAPPED + "find_copies: own\n")
    assert findings == ["library_find_members.opts"]
    spec, tool = tool_specs(load_file(LIBRARY))["find_copies"], contract.tools["find_copies"]
    assert tool.operation == "find_copies"
    assert set(tool.takes) | set(tool.fixed) >= set(spec.input_schema["properties"])
    said = {name: 3 if name in ("limit", "offset") else None for name in spec.input_schema["properties"]}
    arguments = {name: value for name, value in said.items() if value is not None}
    assert call_inside(tool, arguments)[0] == Call("find_copies", arguments)


def test_own_is_for_operations_that_are_there_and_not_offered_already(tmp_path: Path) -> None:
    _, findings = mapped(
        tmp_path, MAPPED.replace("find_members: find_members", "find_members: own") + "find_ghosts: own\n"
    )
    assert ["the evidence has such a tool" in f or "no operation" in f for f in findings[:2]] == [True, True]


def test_an_answer_that_is_declared_as_a_text_holds_the_whole_result(tmp_path: Path) -> None:
    said = {"type": "object", "properties": {"result": TEXT}, "required": ["result"]}
    tool = mapped_with(
        tmp_path, {"inputSchema": {"type": "object", "properties": {"name": TEXT}}, "outputSchema": said}
    )
    result = {"items": [{"id": "MEM-0001", "name": "Ada"}], "total": 1, "next_offset": None}
    answer: Any = make_answer(tool, Result(True, result, None)).data
    assert json.loads(answer["result"]) == result
    assert reveal(tool, result) == result


def test_pages_that_are_turned_by_a_cursor(tmp_path: Path) -> None:
    row = {"type": "object", "properties": {"id": TEXT, "name": TEXT}}
    page = {"results": {"type": "array", "items": row}, "next_cursor": TEXT, "has_more": {"type": "boolean"}}
    taken = {"name": TEXT, "start_cursor": TEXT, "page_size": {"type": "integer"}}
    tool = mapped_with(
        tmp_path,
        {
            "inputSchema": {"type": "object", "properties": taken},
            "outputSchema": {"type": "object", "properties": page},
        },
    )
    result = {"items": [{"id": "MEM-0001", "name": "Ada"}], "total": 9, "next_offset": 1}
    answer: Any = make_answer(tool, Result(True, result, None)).data
    assert answer["results"] == [{"id": "MEM-0001", "name": "Ada"}]
    assert answer["has_more"] is True
    following, problem = call_inside(tool, {"start_cursor": answer["next_cursor"], "page_size": 1})
    assert (following.arguments, problem) == ({"offset": 1, "limit": 1}, "")


def mapped_with(tmp_path: Path, schemas: dict[str, Any]) -> ContractTool:
    tools = [{"name": "list_members", "description": "Search members.", **schemas}]
    operations = read([Upload("tools.json", json.dumps({"tools": tools}).encode())]).operations
    folder = lay_bench(tmp_path / "b", contract="list_members: find_members\n")
    (folder / "operations.json").write_text(write_operations(operations))
    made = make_contract(read_bench(folder)[0], load_file(LIBRARY))
    assert made.contract is not None
    return made.contract.tools["list_members"]


MEMBER = {"type": "object", "properties": {"member_id": TEXT}, "required": ["member_id"]}
PRICED = """
  price_copies:
    in: desk
    says: Write down what copies are worth.
    by: manager
    takes: {lines: {list: {copy: copy, unit_price: {type: money, min: 0}}, max: 10}}
    does: [{each: l in lines, do: [{set: {l.copy.status: lost}}]}]
"""
AMOUNT = {"type": "object", "properties": {"value": {"type": "number"}}, "required": ["value"]}
ELEMENT = {"copy_id": TEXT, "discount_price": {"type": "number"}, "amount": AMOUNT}


def priced(tmp_path: Path, contract: str) -> tuple[Contract, list[str]]:
    text = LIBRARY.read_text().replace("operations:\n", "operations:\n" + PRICED, 1)
    items = {"type": "array", "items": {"type": "object", "properties": ELEMENT, "required": ["copy_id"]}}
    tools = [
        {"name": "price", "description": "Price.", "inputSchema": {"type": "object", "properties": {"items": items}}}
    ]
    operations = read([Upload("tools.json", json.dumps({"tools": tools}).encode())]).operations
    folder = lay_bench(tmp_path / "b", contract=contract, blueprint=text)
    (folder / "operations.json").write_text(write_operations(operations))
    made = make_contract(read_bench(folder)[0], load_text(text, "library"))
    assert made.contract is not None
    return made.contract, [f.says for f in made.findings]


def test_a_part_of_an_element_is_taken_from_where_it_is_said_to_stand(tmp_path: Path) -> None:
    contract, problems = priced(
        tmp_path, "price: {operation: price_copies, takes: {lines: items, lines.unit_price: amount.value}}"
    )
    given = {"items": [{"copy_id": "CPY-0001", "discount_price": 3, "amount": {"value": 12.5}}]}
    inside, problem = call_inside(contract.tools["price"], given)
    assert (problems, problem) == ([], "")
    assert inside.arguments["lines"] == [{"copy": "CPY-0001", "unit_price": Decimal("12.5")}]


def test_a_part_is_not_taken_from_something_else_whose_name_ends_alike(tmp_path: Path) -> None:
    """A price per unit is no discount, though both are called a price."""
    (problem,) = priced(tmp_path, "price: price_copies")[1]
    assert "price_copies" in problem
    assert "lines" in problem


@pytest.mark.parametrize(
    ("takes", "says"),
    [
        ("{lines: items, lines.colour: amount.value}", "takes no `lines.colour`"),
        ("{lines.unit_price: amount.value}", "say too where the list `lines` stands"),
        ("{lines: items, lines.unit_price: amount.currency}", "cannot be read as `lines`"),
    ],
)
def test_a_part_of_an_element_that_cannot_be_taken_is_a_finding(tmp_path: Path, takes: str, says: str) -> None:
    assert says in priced(tmp_path, f"price: {{operation: price_copies, takes: {takes}}}")[1][0]


TERMS = """
  set_terms:
    in: desk
    says: Let a fine be paid later.
    by: manager
    takes: {loan: loan, term: "one of net_10, net_15, net_90"}
    does: [{set: {loan.fine: 0}}]
"""


def test_words_of_an_enum_that_differ_by_a_number_alone_are_told_apart(tmp_path: Path) -> None:
    text = LIBRARY.read_text().replace("operations:\n", "operations:\n" + TERMS, 1)
    terms = {"type": "string", "enum": ["NET_10", "NET_15", "NET_60", "NET_90"]}
    schema = {"type": "object", "properties": {"loan_id": TEXT, "term": terms}}
    tools = [{"name": "waive", "description": "Waive.", "inputSchema": schema}]
    operations = read([Upload("tools.json", json.dumps({"tools": tools}).encode())]).operations
    folder = lay_bench(tmp_path / "b", contract="waive: set_terms\n", blueprint=text)
    (folder / "operations.json").write_text(write_operations(operations))
    made = make_contract(read_bench(folder)[0], load_text(text, "library"))
    assert made.contract is not None
    take = made.contract.tools["waive"].takes["term"]
    assert take.codec["words"] == {"NET_10": "net_10", "NET_15": "net_15", "NET_90": "net_90"}


@pytest.mark.parametrize(
    ("to", "says"),
    [
        ("shows:find_loans.overdue", "no tool of the contract is `find_loans`"),
        ("policy:waiver_cap", ""),
        ("policy:loan_limit", "nothing that a tool does obeys it"),
        ("guard:waive_fine.NO_FINE", ""),
        ("guard:lend.NOT_ON_SHELF", "no tool of the contract is `lend`"),
        ("constraint:find_members.limit", ""),
    ],
)
def test_a_claim_that_no_tool_of_the_contract_comes_to_is_not_counted(tmp_path: Path, to: str, says: str) -> None:
    folder = lay(tmp_path, MAPPED)
    verbs.bind_claims(folder, [{"id": "c004", "to": [to]}])
    found = verbs.check(folder, "a test", with_world=False)
    unreached = [f.says for f in found.findings if f.code == "claim_unreached"]
    assert [says in one for one in unreached] == ([True] if says else [])
    assert (found.claims["bound"], found.claims["powerless"]) == ((0, 1) if says else (1, 0))


def test_a_list_by_which_a_search_compares_one_text_is_named(tmp_path: Path) -> None:
    listed = {"type": "object", "properties": {"name": {"type": "array", "items": TEXT}}}
    tools = [{"name": "list_members", "description": "Search members.", "inputSchema": listed}]
    folder = lay_bench(tmp_path / "b", contract="list_members: {operation: find_members, takes: {name: name}}\n")
    operations = read([Upload("tools.json", json.dumps({"tools": tools}).encode())]).operations
    (folder / "operations.json").write_text(write_operations(operations))
    found = [f for f in verbs.check(folder, "a test", with_world=False).findings if f.code == "parameter_single"]
    assert [f.says for f in found] == ["`name` of `list_members` finds by one value alone, as `name`"]


def test_a_record_with_one_list_in_it_is_no_page_of_a_list(tmp_path: Path) -> None:
    """As an invoice with its `items`: what else stands in it is told too."""
    line = {"type": "object", "properties": {"due_on": TEXT}}
    whole = {"type": "object", "properties": {"name": TEXT, "tier": TEXT, "items": {"type": "array", "items": line}}}
    tools = [{"name": "get_member", "description": "A member.", "inputSchema": MEMBER, "outputSchema": whole}]
    folder = lay_bench(tmp_path / "b", contract="get_member: get_member\n")
    operations = read([Upload("tools.json", json.dumps({"tools": tools}).encode())]).operations
    (folder / "operations.json").write_text(write_operations(operations))
    made = make_contract(read_bench(folder)[0], load_file(LIBRARY))
    assert made.contract is not None
    assert {"name", "tier"} <= set(made.contract.tools["get_member"].gives["fields"])
