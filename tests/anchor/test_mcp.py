"""Tools of MCP servers: saved lists in every wrapping, odd schemas, settings files, and live servers."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from tests.anchor import mcp_servers as servers
from tests.effort import examples

from worldwright.anchor.evidence import Evidence, Operation, Source
from worldwright.anchor.intake.mcp_session import list_server_tools
from worldwright.anchor.intake.uploads import Upload
from worldwright.anchor.readers.mcp import read
from worldwright.anchor.schema.repair import repair_schema
from worldwright.core.errors import UsageError
from worldwright.formats.json_text import documents

ANCHORS = Path(__file__).parents[2].parent / "shared" / "anchors" / "mcp"
REFUND = {
    "name": "refund_order",
    "title": "Refund",
    "description": "Refunds an order.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "order_id": {"type": "string", "description": "Which order."},
            "lines": {"type": "array", "items": {"type": "object", "properties": {"sku": {"type": "string"}}}},
            "Reason/Why": {"$ref": "#/$defs/Reason"},
        },
        "required": ["order_id", "Reason/Why"],
        "$defs": {"Reason": {"type": "object", "title": "Reason", "properties": {"code": {"type": "integer"}}}},
    },
    "outputSchema": {"type": "object", "title": "Refund", "properties": {"id": {"type": "string"}, "paid": {"type": "boolean"}}},
    "annotations": {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": False},
}  # fmt: skip
GOOD = json.dumps({"tools": [REFUND, {"name": "list_orders", "inputSchema": {"type": "object"}}]}, indent=1)


def of(document: Any, name: str = "tools.json") -> Evidence:
    data = document if isinstance(document, bytes) else document.encode() if isinstance(document, str) else None
    return read([Upload(name, data if data is not None else json.dumps(document).encode())])


def only(document: Any) -> Operation:
    (operation,) = of(document).operations
    return operation


def levels(evidence: Evidence) -> set[str]:
    return {n.level for n in evidence.notes}


def test_everything_a_tool_says_is_kept() -> None:
    found = of({"tools": [REFUND]})
    (refund,) = found.operations
    assert (refund.name, refund.title, refund.says) == ("refund_order", "Refund", "Refunds an order.")
    assert refund.input_schema == REFUND["inputSchema"]
    assert refund.output_schema == REFUND["outputSchema"]
    assert refund.read_only is False
    assert [(p.name, p.place, p.required) for p in refund.parameters] == [
        ("order_id", "argument", True),
        ("lines", "argument", False),
        ("Reason/Why", "argument", True),
    ]
    assert refund.parameters[0].says == "Which order."
    assert refund.parameters[2].source == Source("tools.json", "/tools/0/inputSchema/properties/Reason~1Why")
    assert refund.source == Source("tools.json", "/tools/0")
    assert refund.answer is not None
    assert list(refund.answer.fields) == ["id", "paid"]
    assert {t.name: [f.name for f in t.fields] for t in found.resources} == {
        "lines": ["sku"],
        "Reason": ["code"],
        "Refund": ["id", "paid"],
    }
    assert {t.origin for t in found.resources} == {"schema"}
    assert not found.notes


WRAPPINGS: dict[str, Any] = {
    "a result": {"tools": [REFUND]},
    "a message": {"jsonrpc": "2.0", "id": 1, "result": {"tools": [REFUND]}},
    "a list": [REFUND],
    "one tool": REFUND,
    "a batch of messages": [{"jsonrpc": "2.0", "id": 1, "result": {"tools": [REFUND]}}],
    "by name": {"tools": {"refund_order": {k: v for k, v in REFUND.items() if k != "name"}}},
    "by server": {"shop": {"tools": [REFUND]}},
    "JSON Lines": json.dumps({"method": "tools/list"}) + "\n" + json.dumps({"result": {"tools": [REFUND]}}) + "\n",
    "with a mark": b"\xef\xbb\xbf" + json.dumps([REFUND]).encode(),
    "in UTF-16": json.dumps([REFUND]).encode("utf-16"),
    "two documents": json.dumps({"note": "ours"}, indent=1) + "\n" + json.dumps({"tools": [REFUND]}, indent=1),
}
SAYS = {"name": "refund_order", "description": "Refunds."}
DIALECTS: dict[str, Any] = {
    "functions": {"type": "function", "function": {**SAYS, "parameters": REFUND["inputSchema"]}},
    "flat functions": {"type": "function", **SAYS, "parameters": REFUND["inputSchema"]},
    "snake case": {**SAYS, "input_schema": REFUND["inputSchema"]},
    "specifications": {"toolSpec": {**SAYS, "inputSchema": {"json": REFUND["inputSchema"]}}},
}


@pytest.mark.parametrize("wrapping", WRAPPINGS)
def test_wrappings(wrapping: str) -> None:
    refund = only(WRAPPINGS[wrapping])
    assert refund.name == "refund_order"
    assert refund.input_schema == REFUND["inputSchema"]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("wrapped", [True, False])
def test_dialects(dialect: str, wrapped: bool) -> None:
    tool = DIALECTS[dialect]
    refund = only({"tools": [tool]} if wrapped else [tool])
    assert (refund.name, refund.says, refund.input_schema) == ("refund_order", "Refunds.", REFUND["inputSchema"])
    assert [p.name for p in refund.parameters if p.required] == ["order_id", "Reason/Why"]


def test_pages_come_together_and_a_missing_one_is_told() -> None:
    pages = [{"tools": [{"name": n, "inputSchema": {}}], "nextCursor": n} for n in "abc"]
    assert [a.name for a in of(pages).operations] == ["a", "b", "c"]
    assert any("nextCursor" in n.says for n in of(pages).notes)
    del pages[-1]["nextCursor"]
    assert not any("nextCursor" in n.says for n in of(pages).notes)


def test_the_first_of_two_tools_with_one_name_counts() -> None:
    found = of({"tools": [{"name": "x", "description": says, "inputSchema": {}} for says in ("first", "second")]})
    assert [a.says for a in found.operations] == ["first"]
    (note,) = [n for n in found.notes if "again" in n.says]
    assert (note.level, note.source.at) == ("warning", "/tools/1")


@pytest.mark.parametrize("schema", [None, {}, {"$schema": "http://json-schema.org/draft-07/schema#"}, [], "none", 3])
def test_a_tool_without_a_schema_takes_no_arguments(schema: Any) -> None:
    found = of({"tools": [{"name": "x", "inputSchema": schema}]})
    assert found.operations[0].input_schema == {"type": "object", "properties": {}}
    assert any("x" in n.says and "arguments" in n.says for n in found.notes)


def test_a_tool_that_takes_nothing_on_purpose_is_no_reason_for_a_note() -> None:
    found = of(
        {"tools": [{"name": "x", "inputSchema": {"type": "object", "properties": {}, "additionalProperties": False}}]}
    )
    assert found.operations[0].input_schema == {"type": "object", "properties": {}, "additionalProperties": False}
    assert not found.notes


def test_tags_come_from_meta_from_namespaces_and_from_a_word_that_all_share() -> None:
    told = {"name": "x", "inputSchema": {}, "_meta": {"_fastmcp": {"tags": ["billing"]}}, "category": "money"}
    assert only({"tools": [told]}).tags == ("money", "billing")
    both = of({"tools": [{"name": f"slack_{n}", "inputSchema": {}} for n in ("post", "list")]})
    assert [a.tags for a in both.operations] == [("slack",), ("slack",)]
    apart = of({"tools": [{"name": n, "inputSchema": {}} for n in ("github__list", "jira.list")]})
    assert [a.tags for a in apart.operations] == [("github",), ("jira",)]
    several = of({"servers": [{"name": "shop", "tools": [REFUND]}, {"name": "crm", "tools": [{"name": "find"}]}]})
    assert [a.tags for a in several.operations] == [("shop",), ("crm",)]


def test_two_descriptions_of_one_thing_come_together() -> None:
    def tool(name: str, *fields: str) -> Any:
        item = {"type": "object", "properties": {f: {"type": "string"} for f in fields}, "required": list(fields)}
        return {
            "name": name,
            "inputSchema": {"type": "object", "properties": {"lineItems": {"type": "array", "items": item}}},
        }

    (resource,) = of([tool("create", "sku", "price"), tool("update", "sku", "note")]).resources
    assert [(f.name, f.required) for f in resource.fields] == [("sku", True), ("price", False), ("note", False)]


def test_an_answer_that_only_wraps_a_text_is_no_thing() -> None:
    wrapped = {"type": "object", "title": "getOutput", "properties": {"result": {"type": "string"}}}
    assert not of({"tools": [{"name": "get", "inputSchema": {}, "outputSchema": wrapped}]}).resources
    order = {"type": "object", "title": "Order", "properties": {"id": {"type": "string"}}}
    listed = {"type": "object", "title": "listOutput", "properties": {"result": {"type": "array", "items": order}}}
    assert [t.name for t in of([{"name": "list", "inputSchema": {}, "outputSchema": listed}]).resources] == ["Order"]


def test_settings_name_servers_and_start_none() -> None:
    config = {
        "mcpServers": {
            "shop": {"command": "/usr/bin/npx", "args": ["-y", "shop", "--key", "s3cret"], "env": {"KEY": "s3cret"}},
            "crm": {"url": "https://user:s3cret@crm.example/mcp?token=s3cret"},
        }
    }
    found = of(config, "claude_desktop_config.json")
    (note,) = found.notes
    assert not found.operations
    assert "asked" in note.says
    assert "shop (npx)" in note.says
    assert "crm (crm.example)" in note.says
    assert "s3cret" not in repr(found)
    assert note.level != "error"


def test_what_the_server_says_of_itself_is_the_title() -> None:
    lines = [
        {"id": 0, "result": {"serverInfo": {"name": "shop", "title": "The shop"}, "instructions": "Be kind."}},
        {"id": 1, "result": {"tools": [REFUND]}},
    ]
    found = of("\n".join(map(json.dumps, lines)))
    assert (found.title, found.says) == ("The shop", "Be kind.")
    assert found.operations[0].source == Source("tools.json", "2-2")


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ("", "not JSON"),
        ("{", "not JSON"),
        ("openapi: 3.0.0", "not JSON"),
        ({"openapi": "3.0.0", "paths": {"/x": {"get": {"parameters": [{"name": "a", "in": "query", "schema": {}}]}}}}, "no tools"),
        ({"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "Method not found"}}, "Method not found"),
        ([{"name": "Pen", "price": 3, "description": "Blue"}], "no tools"),
        ("[" * 100_000, "not JSON"),
    ],
)  # fmt: skip
def test_what_holds_no_tools_is_an_error_that_says_so(document: Any, expected: str) -> None:
    found = of(document)
    assert not found.operations
    assert any(n.level == "error" and expected in n.says for n in found.notes), found.notes


ODD_SCHEMAS: list[tuple[Any, Any]] = [
    ({"properties": {"a": {"type": "str"}}}, {"a": {}}),
    ({"properties": {"a": {"type": "STRING"}}}, {"a": {"type": "string"}}),
    ({"properties": {"a": {"type": "any"}}}, {"a": {}}),
    ({"properties": {"a": {"type": ["string", None]}}}, {"a": {"type": ["string", "null"]}}),
    ({"properties": []}, {}),
    ({"properties": {"a": None, "b": {"type": "string"}}}, {"a": {}, "b": {"type": "string"}}),
    ({"properties": {"a": {"type": "string", "pattern": "^\\p{L}+$"}}}, {"a": {"type": "string"}}),
    ({"properties": {"a": {"type": "string", "description": None}}}, {"a": {"type": "string"}}),
    ({"properties": {"a": {"type": "string", "minLength": "3"}}}, {"a": {"type": "string"}}),
    ({"properties": {"a": {"type": "string", "maxLength": -1}}}, {"a": {"type": "string"}}),
    ({"properties": {"a": {"minimum": 1, "exclusiveMinimum": True}}}, {"a": {"exclusiveMinimum": 1}}),
    ({"properties": {"a": {"minimum": 10**400}}}, {"a": {}}),
    ({"properties": {"a": {"items": [{"type": "string"}]}}}, {"a": {"prefixItems": [{"type": "string"}]}}),
    ({"properties": {"a": {"enum": {"x": 1, "y": 2}}}}, {"a": {}}),
    ({"properties": {"a": {"$ref": "https://example.com/order.json"}}}, {"a": {}}),
    ({"properties": {"a": {"$ref": "#/$defs/Nowhere"}}}, {"a": {}}),
    ({"properties": {"a": {"$ref": "#/properties/b"}, "b": {"$ref": "#/properties/a"}}}, None),
    ({"properties": {"a": {"$ref": "#"}}}, {"a": {"$ref": "#"}}),
    ({"properties": {"a": {"anyOf": []}}}, {"a": {}}),
    ({"properties": {"a": {"anyOf": [{"enum": [{}]}, {"enum": [[], 1]}]}}}, None),
    ({"properties": {"a": {"oneOf": {"type": "string"}}}}, {"a": {}}),
]


@pytest.mark.parametrize(("schema", "properties"), ODD_SCHEMAS)
def test_odd_schemas_are_put_right(schema: Any, properties: Any) -> None:
    operation = only({"tools": [{"name": "x", "inputSchema": {"type": "object", **schema}}]})
    Draft202012Validator.check_schema(operation.input_schema)
    list(Draft202012Validator(operation.input_schema).iter_errors({"a": "x", "b": 1}))
    assert properties is None or operation.input_schema["properties"] == properties


def test_a_change_is_told_and_required_stays_required() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "str", "required": True}, "b": {}}, "required": ["b", "b"]}
    found = of({"tools": [{"name": "x", "inputSchema": schema}]})
    assert {p.name: p.required for p in found.operations[0].parameters} == {"a": True, "b": True}
    assert found.operations[0].input_schema["required"] == ["b", "a"]
    (note,) = found.notes
    assert (note.level, note.source.at) == ("warning", "/tools/0")
    assert "/properties/a/type" in note.says


def test_arguments_that_are_no_object_are_told() -> None:
    found = of({"tools": [{"name": "x", "inputSchema": {"type": "string"}}]})
    assert found.operations[0].input_schema == {"type": "object", "properties": {}}
    assert levels(found) == {"warning"}


def test_half_a_surrogate_and_infinite_numbers_do_no_harm() -> None:
    found = of('{"tools": [{"name": "x", "description": "a\\ud800b \\\\ud800 \\ud83d\\ude00", "inputSchema": '
               '{"properties": {"a": {"maximum": Infinity, "default": NaN, "minimum": 1e999}}}}]}')  # fmt: skip
    assert found.operations[0].says == "a\ufffdb \\ud800 \U0001f600"
    assert json.dumps(found.operations[0].input_schema, allow_nan=False)
    found.operations[0].says.encode()


@pytest.mark.parametrize(
    "schema",
    [
        {"$defs": {f"d{i}": {"type": "object", "properties": {f"p{k}": {"$ref": f"#/$defs/d{i + 1}"} for k in range(12)}}
                   for i in range(12)} | {"d12": {"type": "object"}}, "$ref": "#/$defs/d0"},
        {"$defs": {f"d{i}": {"$ref": f"#/$defs/d{i + 1}"} for i in range(20_000)}, "properties": {"a": {"$ref": "#/$defs/d0"}}},
        {"properties": {"a": {"pattern": "(" * 90_000}, "b": {"pattern": "a{99999999999999999999}"}, "c": {"pattern": "[[a]"}}},
        {"properties": {f"p{i}": {"type": "string"} for i in range(20_000)}, "required": [f"p{i}" for i in range(20_000)]},
        {"$defs": {f"d{i}": {"oneOf": [{"$ref": f"#/$defs/d{i + 1}"}] * 2} for i in range(60)},
         "properties": {"a": {"$ref": "#/$defs/d0"}}},
        {"$defs": {"d": {"anyOf": [{"$ref": "#/$defs/d"}, {"type": "string"}]}}, "properties": {"a": {"$ref": "#/$defs/d"}}},
        {"allOf": [{"required": [f"p{i}" for i in range(4_000)]}, {"required": [f"q{i}" for i in range(4_000)]}]},
    ],
)  # fmt: skip
@pytest.mark.timeout(60)
@pytest.mark.untraced
def test_no_schema_takes_forever(schema: Any) -> None:
    found = of({"tools": [{"name": "x", "inputSchema": schema}]})
    assert len(found.operations) == 1
    Draft202012Validator(found.operations[0].input_schema).is_valid({"a": 1})


def test_a_schema_nested_hundreds_of_levels_deep_is_cut() -> None:
    deep = '{"items":' * 300 + "{}" + "}" * 300
    found = of('{"tools": [{"name": "x", "inputSchema": {"properties": {"a": ' + deep + "}}}]}")
    Draft202012Validator.check_schema(found.operations[0].input_schema)
    json.dumps(found.operations[0].input_schema)
    assert any("deep" in n.says for n in found.notes)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(
            ["type", "properties", "items", "required", "$ref", "$defs", "anyOf", "allOf", "enum", "pattern", "title", "$id",
             "minLength", "exclusiveMinimum", "$anchor", "dependencies", "patternProperties", "additionalProperties", "a"]
        ),
        inner,
        max_size=4,
    ),
    max_leaves=25,
)  # fmt: skip


@settings(max_examples=examples(200), deadline=None)
@given(JSON)
@example({"patternProperties": {"(": {}}, "dependencies": {"a": ["b", 1], "c": 3}, "$anchor": "#", "$ref": 3})
def test_every_copy_is_a_schema(schema: Any) -> None:
    Draft202012Validator.check_schema(repair_schema(schema)[0])
    operation = only({"tools": [{"name": "x", "inputSchema": schema, "outputSchema": schema}]})
    Draft202012Validator.check_schema(operation.input_schema)
    Draft202012Validator.check_schema(operation.output_schema or {})
    assert operation.input_schema["type"] == "object"


@settings(max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_any_bytes_are_survived_and_read_the_same_twice(data: st.DataObject) -> None:
    good = GOOD.encode()
    kind = data.draw(st.sampled_from(["bytes", "text", "cut", "hole", "swap"]))
    if kind == "bytes":
        given_bytes = data.draw(st.binary(max_size=200))
    elif kind == "text":
        given_bytes = data.draw(st.text(max_size=200)).encode("utf-8", "surrogatepass")
    else:
        a, b = sorted(data.draw(st.tuples(*[st.integers(0, len(good))] * 2)))
        given_bytes = {"cut": good[:a], "hole": good[:a] + good[b:], "swap": good[b:] + good[a:b] + good[:a]}[kind]
    first = read([Upload("t.json", given_bytes)])
    assert first == read([Upload("t.json", given_bytes)])
    assert first.operations or first.notes or first.skipped


def test_documents_one_per_line_survive_a_bad_line() -> None:
    parts, wrong = documents('{"a": 1}\n{"a": \n{"a": 3}\n')
    assert [(p.value, p.at) for p in parts] == [({"a": 1}, "1-1"), ({"a": 3}, "3-3")]
    assert [w.at for w in wrong] == ["2-2"]


REAL = {
    "casys__mcp-erpnext": 125, "freshdesk-mcp": 194, "hubspot__mcp-server": 21, "modelcontextprotocol__server-filesystem": 14,
    "modelcontextprotocol__server-gitlab": 9, "modelcontextprotocol__server-slack": 8, "notionhq__notion-mcp-server": 24,
    "pypi__mailchimp-mcp": 227, "roychri__mcp-server-asana": 41, "xeroapi__xero-mcp-server": 51,
}  # fmt: skip


@pytest.mark.parametrize("name", REAL)
def test_real_servers(name: str) -> None:
    path = ANCHORS / f"{name}.tools.json"
    if not path.is_file():
        pytest.skip(f"the collection of real artifacts is not beside the repository ({path.name})")
    found = read([Upload(path.name, path.read_bytes())])
    raw = {t["name"]: t for t in json.loads(path.read_text(encoding="utf-8"))["tools"]}
    assert "error" not in levels(found)
    assert [a.name for a in found.operations] == list(raw)
    assert len(found.operations) == REAL[name]
    for operation in found.operations[::4]:
        Draft202012Validator.check_schema(operation.input_schema)
    for operation in found.operations:
        schema = raw[operation.name]["inputSchema"]
        assert [p.name for p in operation.parameters] == list(schema.get("properties", {}))
        assert {p.name for p in operation.parameters if p.required} == set(schema.get("required", ()))
        if set(schema) - {"$schema"}:
            assert operation.input_schema == schema
        assert operation.read_only == raw[operation.name].get("annotations", {}).get("readOnlyHint")


PROGRAM = [sys.executable, servers.__file__]
SILENT = [sys.executable, "-c", "import sys; sys.stdin.read()"]
DYING = [sys.executable, "-c", "import sys; sys.exit('no key was given: set SHOP_KEY')"]


def test_a_live_server_over_a_process() -> None:
    answer = list_server_tools(PROGRAM)
    found = read([Upload("live.json", answer)])
    assert [a.name for a in found.operations] == ["alpha", "beta", "gamma"]
    assert found.operations[2].input_schema["x-order"] == 2
    assert (found.title, found.says) == ("A paged server", "Ask page by page.")
    assert not found.notes


def test_a_live_server_over_http() -> None:
    with servers.serving(servers.paged().streamable_http_app()) as address:
        assert [t["name"] for t in json.loads(list_server_tools(url=address + "/mcp"))["tools"]] == [
            "alpha",
            "beta",
            "gamma",
        ]
        with pytest.raises(UsageError, match=r"404.*check the path"):
            list_server_tools(url=address + "/other")


def test_a_live_server_over_events() -> None:
    with servers.serving(servers.small().sse_app()) as address:
        (tool,) = json.loads(list_server_tools(url=address + "/sse"))["tools"]
    assert tool["name"] == "refund"
    assert tool["inputSchema"]["required"] == ["order_id"]


@pytest.mark.timeout(60)
@pytest.mark.untraced
def test_a_server_that_never_answers_is_left_in_time() -> None:
    with pytest.raises(UsageError, match=r"did not answer within 0\.7 seconds"):
        list_server_tools(SILENT, timeout=0.7)
    with (
        servers.serving(servers.never) as address,
        pytest.raises(UsageError, match=r"127\.0\.0\.1.*did not answer within 0.3 seconds"),
    ):
        list_server_tools(url=address + "/mcp?token=s3cret", timeout=0.3)


def test_a_server_that_dies_is_heard() -> None:
    with pytest.raises(UsageError, match=r"(?s)ended before it answered.*set SHOP_KEY"):
        list_server_tools(DYING)


def test_wrong_questions_are_answered() -> None:
    wrong_ones: list[dict[str, Any]] = [
        {},
        {"command": ["x"], "url": "http://x"},
        {"command": []},
        {"command": "npx"},
        {"url": "ftp:x"},
    ]
    for wrong in wrong_ones:
        with pytest.raises(UsageError, match=r"give|address"):
            list_server_tools(**wrong)
    with pytest.raises(UsageError, match="no such program"):
        list_server_tools(["no-such-program-anywhere"])
    with pytest.raises(UsageError, match="cannot be reached"):
        list_server_tools(url="http://127.0.0.1:9/mcp")
