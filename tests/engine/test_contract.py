"""A world behind a contract: names, parameters and answers are the contract's; calls, trajectories and verdicts are the world's."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.shared_builds import build

from worldwright.blueprint.checked import Checked
from worldwright.cli.jobs.rebuild import rebuild
from worldwright.compiler.build import BuiltWorld
from worldwright.core.errors import TamperedPack
from worldwright.engine.codecs import InvalidValue, read_value, write_value
from worldwright.engine.contract import (
    CONTRACT,
    Contract,
    ContractTool,
    Take,
    call_inside,
    call_outside,
    contract_data,
    read_contract,
)  # fmt: skip
from worldwright.engine.replay import replay
from worldwright.engine.world import World
from worldwright.store.open import world_of
from worldwright.world.records import Call

MEMBER = {"as": "id", "key": "MEM-####", "form": "integer"}
COPY = {"as": "id", "key": "CPY-####", "form": "uuid"}
LOAN = {"as": "id", "key": "LN-#####", "form": "text"}
STATUS = {"as": "words", "words": {"OUT": "out", "Brought back": "returned", "LOST": "lost"}}
TEXT, DATE, NUMBER, INTEGER = {"as": "text"}, {"as": "date"}, {"as": "number"}, {"as": "integer"}
ITEM: dict[str, Any] = {
    "fields": {
        "id": {"from": ["id"], "codec": LOAN},
        "borrower": {"fields": {"number": {"from": ["member"], "codec": MEMBER}}},
        "copy": {"from": ["copy"], "codec": COPY},
        "state": {"from": ["status"], "codec": STATUS},
        "fineInCents": {"from": ["fine"], "codec": {"as": "cents"}},
        "returned": {"from": ["returned_on"], "codec": DATE, "omit": True},
        "object": {"is": "loan"},
    }
}
SHORT = {"fields": {"id": {"from": ["id"], "codec": LOAN}, "state": {"from": ["status"], "codec": STATUS}}}
ID = {"type": "integer"}
LEND = ContractTool(
    "POST /v1/loans",
    "Lend something.",
    "lend",
    {
        "type": "object",
        "properties": {
            "borrower": {"type": "object"},
            "copy-id": {"type": "string"},
            "days": ID,
            "X-Trace": {"type": "string"},
        },
        "required": ["borrower", "copy-id"],
        "additionalProperties": False,
    },
    {"type": "object", "required": ["id", "state", "borrower"]},
    {
        "member": Take(("borrower", "number"), MEMBER),
        "copy": Take(("copy-id",), COPY),
        "days": Take(("days",), INTEGER),
    },
    ITEM,
    {"NOT_FOUND": "404", "INVALID_ARGUMENT": "400", "*": "409"},
)
FIND = ContractTool(
    "listLoans",
    "List loans.",
    "find_loans",
    {"type": "object", "properties": {"state": {"type": "string"}, "per_page": ID, "page": ID}},
    None,
    {
        "status": Take(("state",), STATUS),
        "limit": Take(("per_page",), INTEGER),
        "offset": Take(("page",), INTEGER, turned="page"),
    },
    {
        "fields": {
            "data": {"rows": ["items"], "each": SHORT},
            "total": {"from": ["total"], "codec": INTEGER},
            "has_more": {"is": False},
        }
    },
)  # fmt: skip
TOOLS = Contract({t.name: t for t in (LEND, FIND)})


@pytest.fixture(scope="module")
def made(library: Checked) -> BuiltWorld:
    return build(library, 7, contract=TOOLS)


@pytest.fixture(scope="module")
def world(made: BuiltWorld) -> World:
    return world_of(made.pack)


def free(world: World) -> tuple[int, str]:
    """A member who may borrow and a copy that is there, as the contract calls them."""
    env = world.env().inside()
    env.reset(role="librarian")
    members = env.call_tool("find_members", {"tier": "gold", "blocked": False, "limit": 50}).data["items"]
    copies = env.call_tool("find_copies", {"status": "on_shelf"}).data["items"]
    for member in members:
        if env.fork().call_tool("lend", {"member": member["id"], "copy": copies[0]["id"]}).ok:
            return int(write_value(MEMBER, member["id"])), str(write_value(COPY, copies[0]["id"]))
    raise AssertionError("nobody may borrow")


def test_tools_are_the_contracts(world: World, made: BuiltWorld) -> None:
    assert [t.name for t in world.tools] == ["POST /v1/loans", "listLoans"]
    env = world.env()
    assert [t.name for t in env.reset(role="librarian").tools] == ["POST /v1/loans", "listLoans"]
    listed = json.loads(made.pack.files["tools.json"])["tools"]
    assert listed[0]["inputSchema"] == LEND.input_schema
    assert listed[0]["outputSchema"] == LEND.output_schema


def test_a_call_is_made_inside_and_answered_outside(world: World) -> None:
    number, copy = free(world)
    env = world.env()
    env.reset(role="librarian")
    result = env.call_tool(
        "POST /v1/loans", {"borrower": {"number": number}, "copy-id": copy, "days": 3, "X-Trace": "1"}
    )
    assert result.ok, result.error
    assert result.data["borrower"] == {"number": number}
    assert result.data["copy"] == copy
    assert result.data["state"] == "OUT"
    assert result.data["fineInCents"] == 0
    assert "returned" not in result.data
    assert result.data["object"] == "loan"
    (step,) = env.trajectory().steps
    assert step.call == Call("lend", {"member": read_value(MEMBER, number), "copy": read_value(COPY, copy), "days": 3})
    assert call_outside(LEND, step.call) == {"borrower": {"number": number}, "copy-id": copy, "days": 3}
    assert replay(world.env(), env.trajectory()) == []


@pytest.mark.parametrize(
    ("change", "code", "status"),
    [
        ({"copy-id": None, "days": "three"}, "INVALID_ARGUMENT", 400),
        ({"days": "three"}, "INVALID_ARGUMENT", 400),
        ({"copy-id": "not a uuid"}, "INVALID_ARGUMENT", 400),
        ({"unknown": 1}, "INVALID_ARGUMENT", 400),
        ({"borrower": {"number": 99999}}, "NOT_FOUND", 404),
        ({"copy-id": "00000000-0000-4000-8000-000000000001"}, "NOT_FOUND", 404),
    ],
)
def test_what_is_refused_has_the_status_that_is_declared(
    world: World, change: dict[str, Any], code: str, status: int
) -> None:
    number, copy = free(world)
    env = world.env()
    env.reset(role="librarian")
    result = env.call_tool("POST /v1/loans", {"borrower": {"number": number}, "copy-id": copy, **change})
    assert result.error is not None
    assert result.error.code == code
    assert (result.error.details or {})["status"] == status
    assert replay(world.env(), env.trajectory()) == []


def test_a_guard_that_refuses_is_a_conflict(world: World) -> None:
    number, copy = free(world)
    env = world.env()
    env.reset(role="librarian")
    arguments = {"borrower": {"number": number}, "copy-id": copy}
    assert env.call_tool("POST /v1/loans", arguments).ok
    again = env.call_tool("POST /v1/loans", arguments)
    assert again.error is not None
    assert again.error.code == "NOT_ON_SHELF"
    assert (again.error.details or {})["status"] == 409


def test_what_is_required_must_be_there(world: World) -> None:
    env = world.env()
    env.reset(role="librarian")
    tried: list[Any] = [{}, {"borrower": {"number": 1}}, [], None]
    for arguments in tried:
        result = env.call_tool("POST /v1/loans", arguments)
        assert result.error is not None
        assert result.error.code == "INVALID_ARGUMENT"


def test_pages(world: World) -> None:
    env = world.env()
    env.reset(role="librarian")
    whole = env.call_tool("listLoans", {"per_page": 6}).data
    pages = [env.call_tool("listLoans", {"per_page": 3, "page": n}).data for n in (1, 2)]
    assert [x["id"] for p in pages for x in p["data"]] == [x["id"] for x in whole["data"]]
    assert whole["total"] > 6
    out = env.call_tool("listLoans", {"state": "Brought back"}).data
    assert {x["state"] for x in out["data"]} == {"Brought back"}


def test_tools_of_the_world_itself_are_not_there(world: World) -> None:
    env = world.env()
    env.reset(role="librarian")
    result = env.call_tool("lend", {})
    assert result.error is not None
    assert result.error.code == "UNKNOWN_TOOL"


def test_other_faces_of_a_contract(world: World) -> None:
    env = world.env(face="obscured_asking")
    tools = env.reset(role="librarian").tools
    assert all(t.name.startswith("action_") or t.name == "ask_requester" for t in tools)
    listing = next(t for t in tools if t.input_schema == FIND.input_schema)
    assert env.call_tool(listing.name, {"per_page": 2}).data["total"] > 2


def test_what_two_tools_cannot_do_is_asked_of_nobody(world: World, made: BuiltWorld) -> None:
    assert {call.tool for task in world.tasks for call in world.key(task.id).calls} <= {LEND.operation, FIND.operation}
    sheet = json.loads(made.pack.files["datasheet.json"])
    assert sum(reason["tasks"] for reason in sheet["unsolvable"]) >= 5
    assert all(sheet["dropped"][reason["says"]] == reason["tasks"] for reason in sheet["unsolvable"])


def test_the_pack_rebuilds(made: BuiltWorld) -> None:
    assert rebuild(made.pack).same


# as data


def test_a_contract_survives_its_file(world: World) -> None:
    assert read_contract(json.dumps(contract_data(TOOLS)).encode(), world.runtime.tools) == TOOLS


def broken(change: Callable[[dict[str, Any]], object]) -> bytes:
    data = json.loads(json.dumps(contract_data(TOOLS)))
    change(data)
    return json.dumps(data).encode()


DAMAGE: dict[str, Callable[[dict[str, Any]], object]] = {
    "no format": lambda d: d.pop("format"),
    "twice": lambda d: d["tools"].append(d["tools"][0]),
    "no such operation": lambda d: d["tools"][0].update(operation="steal"),
    "no such read": lambda d: d["tools"][0].update(shows="steal"),
    "no name": lambda d: d["tools"][0].pop("name"),
    "no codec": lambda d: d["tools"][0]["takes"]["member"].pop("codec"),
    "odd codec": lambda d: d["tools"][0]["takes"]["member"].update(codec={"as": "python"}),
    "odd key": lambda d: d["tools"][0]["takes"]["member"]["codec"].update(key="../x"),
    "no path": lambda d: d["tools"][0]["takes"]["member"].update(at=[]),
    "no template": lambda d: d["tools"][0].update(gives=[]),
    "from nowhere": lambda d: d["tools"][0]["gives"]["fields"].update(x={"from": 3}),
    "no schema": lambda d: d["tools"][0].update(input_schema=None),
    "odd words": lambda d: d["tools"][1]["takes"]["status"]["codec"].update(words=["a"]),
}


@pytest.mark.parametrize("what", DAMAGE)
def test_a_damaged_contract_is_refused(what: str, world: World, made: BuiltWorld) -> None:
    with pytest.raises(TamperedPack, match=r"contract\.json"):
        read_contract(broken(DAMAGE[what]), world.runtime.tools)


@pytest.mark.parametrize("data", [b"", b"[]", b"{", b"\xff", b"[" * 100_000])
def test_what_is_no_contract_is_refused(data: bytes, world: World) -> None:
    with pytest.raises(TamperedPack, match=r"contract\.json"):
        read_contract(data, world.runtime.tools)


def test_a_list_of_objects_can_be_taken_but_no_list_within_it(world: World) -> None:
    lines = {"at": ["lines"], "codec": {}, "each": {"member": {"at": ["member"], "codec": MEMBER}}}
    read = read_contract(broken(lambda d: d["tools"][0]["takes"].update(x=lines)), world.runtime.tools)
    assert list(read.tools[LEND.name].takes["x"].each) == ["member"]
    with pytest.raises(TamperedPack, match="does not say where it stands"):
        read_contract(
            broken(lambda d: d["tools"][0]["takes"].update(x={**lines, "each": {"y": lines}})), world.runtime.tools
        )


def test_deep_templates_are_refused(world: World) -> None:
    deep: dict[str, Any] = {"is": 1}
    for _ in range(60):
        deep = {"fields": {"a": deep}}
    with pytest.raises(TamperedPack):
        read_contract(broken(lambda d: d["tools"][0].update(gives=deep)), world.runtime.tools)


# values


@given(
    st.integers(0, 10**9) | st.integers(16**11, 10**14),
    st.sampled_from(["text", "integer", "uuid"]),
    st.sampled_from(["ORD-#####", "LINE2-##"]),
)
def test_ids_come_back(number: int, form: str, key: str) -> None:
    prefix, digits = key.split("-")
    inside = f"{prefix}-{number:0{len(digits)}d}"
    codec = {"as": "id", "key": key, "form": form}
    assert read_value(codec, write_value(codec, inside)) == inside


@given(st.integers(0, 10**6))
def test_a_uuid_of_another_table_is_unknown(number: int) -> None:
    one, other = ({"as": "id", "key": k, "form": "uuid"} for k in ("ORD-#####", "ORDX-#####"))
    assert read_value(other, write_value(one, f"ORD-{number:05d}")) == "ORDX-none"


VALUES: list[tuple[dict[str, Any], Any, Any]] = [
    ({"as": "cents"}, 1250, 12.5),
    ({"as": "number_text", "places": 2}, "12.50", 12.5),
    ({"as": "seconds"}, 1736931600, "2025-01-15T09:00:00Z"),
    ({"as": "moment"}, "2025-01-15T09:00:00Z", "2025-01-15T09:00:00Z"),
    ({"as": "words", "words": {"In Progress": "in_progress"}}, "In Progress", "in_progress"),
    ({"as": "words", "words": {"2": "two"}, "plain": False}, 2, "two"),
    ({"as": "list"}, ["a", "b"], "a, b"),
    ({"as": "json"}, {"a": [1, None]}, '{"a": [1, null]}'),
    ({"as": "boolean"}, True, True),
]


@pytest.mark.parametrize(("codec", "outside", "inside"), VALUES)
def test_values_both_ways(codec: dict[str, Any], outside: Any, inside: Any) -> None:
    assert read_value(codec, outside) == inside
    assert write_value(codec, inside) == outside
    assert write_value(codec, None) is None


@pytest.mark.parametrize(
    ("codec", "last", "too_long"),
    [
        ({"as": "number_text"}, "1".rjust(39, "0"), "1".rjust(40, "0")),
        ({"as": "cursor"}, "page-from-0000001", "page-from-00000001"),
    ],
)
def test_texts_of_numbers_are_read_up_to_a_length(codec: dict[str, Any], last: str, too_long: str) -> None:
    assert read_value(codec, last) == 1
    with pytest.raises(InvalidValue):
        read_value(codec, too_long)


@pytest.mark.parametrize("cursor", [None, 3, "", "3", "page-from-", "page-from-x", "page-from-²", "page-from--1"])
def test_a_cursor_is_one_that_a_page_gave(cursor: Any) -> None:
    assert read_value({"as": "cursor"}, write_value({"as": "cursor"}, 30)) == 30
    with pytest.raises(InvalidValue, match="earlier page"):
        read_value({"as": "cursor"}, cursor)


plain = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
anything = st.recursive(plain, lambda v: st.lists(v) | st.dictionaries(st.text(), v))
codecs = st.sampled_from([codec for codec, _, _ in VALUES] + [MEMBER, COPY, LOAN, TEXT, DATE, NUMBER, INTEGER])
names = st.sampled_from(["borrower", "copy-id", "days", "X-Trace", "z"])


@given(codecs, anything)
def test_whatever_is_sent_is_taken_or_refused(codec: dict[str, Any], value: Any) -> None:
    with suppress(InvalidValue):
        read_value(codec, value)


@given(st.dictionaries(names, anything))
def test_any_arguments_become_a_call_or_a_reason(arguments: dict[str, Any]) -> None:
    call, problem = call_inside(LEND, arguments)
    assert call.tool == "lend"
    assert problem or set(call.arguments) <= set(LEND.takes)


def test_a_moment_with_an_offset_is_in_utc() -> None:
    assert read_value({"as": "moment"}, "2025-01-15T10:00:00+01:00") == "2025-01-15T09:00:00Z"


def test_the_file_of_a_contract_has_a_name() -> None:
    assert CONTRACT == "contract.json"
    assert replace(TOOLS, tools={}) == Contract({})
