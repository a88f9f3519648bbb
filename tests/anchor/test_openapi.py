"""The reader for OpenAPI: operations under their exact names, arguments exactly as required, references only inside of uploads."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from tests.anchor.openapi_documents import (
    SHOP,
    accepts,
    answer,
    api,
    body,
    levels,
    of,
    only,
    operation,
    resource,
    shop,
)

from worldwright.anchor.evidence import Source
from worldwright.anchor.intake.uploads import Upload
from worldwright.anchor.readers.openapi import read

# Operations


def test_operations_have_the_names_that_stand_there() -> None:
    evidence = shop()
    names = [(a.name, a.method, a.path) for a in evidence.operations]
    assert names == [
        ("listOrders", "GET", "/orders"),
        ("import", "POST", "/orders"),
        ("delete_orders_by_order_id_lines_by_line", "DELETE", "/orders/{orderId}/lines/{line}"),
    ]
    assert evidence.title == "Shop"
    assert evidence.says == "The orders of the shop and what is in them"
    assert levels(evidence) == {"info", "warning"}


def test_an_operation_says_what_it_does_and_where_it_stands() -> None:
    found = operation(shop(), "listOrders")
    assert found.title == "List orders"
    assert found.says == "List orders\n\nAll orders, newest first."
    assert found.tags == ("orders",)
    assert found.source == Source("shop.yaml", "/paths/~1orders/get")
    assert found.status == "200"
    assert found.errors == {"404": "no such order", "default": "anything else"}


def test_scopes_are_those_of_the_operation_or_of_the_whole() -> None:
    assert operation(shop(), "listOrders").scopes == ("orders.read",)
    assert operation(shop(), "import").scopes == ("key", "orders.write", "orders.read")


def test_names_given_twice_are_told_apart() -> None:
    twice = {"get": {"operationId": "x"}, "post": {"operationId": "x"}}
    evidence = of({"openapi": "3.1.0", "paths": {"/a/{id}": twice, "/b": {"get": {"operationId": "post_a_by_id"}}}})
    assert [a.name for a in evidence.operations] == ["x", "post_a_by_id_2", "post_a_by_id"]
    assert any("`x`" in n.says and n.level == "warning" for n in evidence.notes)


def test_webhooks_and_callbacks_are_skipped_with_a_reason() -> None:
    assert [(s.what, s.source.at) for s in shop().skipped if "calls" in s.why] == [
        ("callback done of POST /orders", "/paths/~1orders/post/callbacks/done"),
        ("webhook orderPaid", "/webhooks/orderPaid"),
    ]


# Arguments


def test_parameters_are_exact() -> None:
    found = operation(shop(), "listOrders")
    assert [(p.name, p.place, p.required) for p in found.parameters] == [
        ("tenant", "query", True),
        ("page", "query", False),
        ("limit", "query", False),
        ("X-Trace", "header", False),
    ]
    assert found.input_schema["required"] == ["tenant"]
    assert found.input_schema["properties"] == {
        "tenant": {"type": "string", "description": "Whose orders"},
        "page": {"type": "integer", "exclusiveMinimum": 1},
        "limit": {"type": "integer", "default": 20},
        "X-Trace": {"type": "string"},
    }
    assert found.parameters[2].source == Source("shop.yaml", "/components/parameters/Limit")
    assert found.parameters[2].shape.default == 20


def test_headers_of_the_connection_and_keys_are_left_out() -> None:
    names = ["Accept", "content-type", "X-Shop-Key", "Api-Key", "Idempotency-Key"]
    found = [{"name": n, "in": "header", "schema": {"type": "string"}} for n in names]
    schemes = {"securitySchemes": {"k": {"type": "apiKey", "in": "header", "name": "x-shop-key"}}}
    evidence = of(api({"parameters": found}, components=schemes))
    assert [p.name for p in only(evidence).parameters] == ["Idempotency-Key"]
    assert len(evidence.skipped) == 4


def test_what_the_path_names_is_required_though_undeclared() -> None:
    evidence = shop()
    found = operation(evidence, "delete_orders_by_order_id_lines_by_line")
    assert [(p.name, p.required, p.shape.kind) for p in found.parameters] == [
        ("orderId", True, "integer"),
        ("line", True, "string"),
    ]
    assert found.status == "204"
    assert found.output_schema is None
    assert any("`line`" in n.says and n.level == "warning" for n in evidence.notes)


def test_the_properties_of_a_body_are_arguments_without_read_only_ones() -> None:
    found = operation(shop(), "import")
    assert [(p.name, p.place, p.required) for p in found.parameters if p.place == "body"] == [
        ("status", "body", True),
        ("lines", "body", True),
        ("customer_id", "body", False),
        ("parent", "body", False),
        ("secret", "body", False),
        ("buyer", "body", False),
    ]
    assert found.input_schema["required"] == ["tenant", "status", "lines"]
    assert found.body is not None
    assert found.body.name == "Order"
    assert found.body.fields["id"].read_only


def test_a_body_that_may_be_missing_requires_nothing() -> None:
    found = only(of(body({"type": "object", "required": ["a"], "properties": {"a": {}}}, required=False)))
    assert "required" not in found.input_schema
    assert [p.required for p in found.parameters] == [False]


def test_required_on_the_property_itself_counts() -> None:
    found = only(of(body({"type": "object", "properties": {"a": {"type": "string", "required": True}, "b": {}}})))
    assert found.input_schema["required"] == ["a"]
    Draft202012Validator.check_schema(found.input_schema)


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        ({"type": "array", "items": {"type": "string"}}, "not one object"),
        (
            {"oneOf": [{"type": "object", "properties": {"a": {}}}, {"type": "object", "properties": {"b": {}}}]},
            "not one object",
        ),
        ({"type": "object", "additionalProperties": True}, "names no properties"),
        ({"type": "object", "properties": {"id": {}}}, "name of a parameter"),
    ],
)
def test_a_body_that_cannot_be_spread_is_one_argument(schema: Any, why: str) -> None:
    document = body(schema)
    document["paths"]["/a"]["post"]["parameters"] = [{"name": "id", "in": "query", "schema": {"type": "string"}}]
    evidence = of(document)
    assert [(p.name, p.required) for p in only(evidence).parameters] == [("id", False), ("body", True)]
    assert only(evidence).input_schema["required"] == ["body"]
    assert any(why in n.says for n in evidence.notes)


def test_all_parts_of_a_body_are_arguments() -> None:
    schema = {
        "allOf": [{"$ref": "#/components/schemas/Base"}, {"required": ["b"], "properties": {"b": {"type": "integer"}}}]
    }
    base = {"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}, "c": {"type": "string"}}}
    found = only(of(body(schema, Base=base)))
    assert [(p.name, p.required, p.shape.kind) for p in found.parameters] == [
        ("a", True, "string"),
        ("c", False, "string"),
        ("b", True, "integer"),
    ]


def test_json_is_preferred_then_forms_then_text() -> None:
    def names(*media: str) -> list[str]:
        content = {m: {"schema": {"type": "object", "properties": {m: {}}}} for m in media}
        return [p.name for p in only(of(api({"requestBody": {"content": content}}))).parameters]

    assert names("text/plain", "multipart/form-data", "application/vnd.x+json") == ["application/vnd.x+json"]
    assert names("application/octet-stream", "multipart/form-data", "application/x-www-form-urlencoded") == [
        "application/x-www-form-urlencoded"
    ]
    [raw] = only(of(api({"requestBody": {"content": {"application/pdf": {"schema": {"type": "object"}}}}}))).parameters
    assert (raw.name, raw.shape.kind) == ("body", "string")


def test_the_parameters_of_2_0() -> None:
    form = [
        {"name": "id", "in": "path", "type": "integer", "required": True},
        {"name": "file", "in": "formData", "type": "file", "required": True, "description": "The scan"},
        {"name": "note", "in": "formData", "type": "string", "maxLength": 10},
        {"name": "sort", "in": "query", "type": "array", "items": {"type": "string"}, "collectionFormat": "csv"},
    ]
    whole = [{"name": "order", "in": "body", "required": True, "schema": {"$ref": "#/definitions/Order"}}]
    order = {
        "type": "object",
        "required": ["text"],
        "properties": {"text": {"type": "string"}, "n": {"type": "integer"}},
    }
    given = {
        "200": {
            "description": "ok",
            "schema": {"$ref": "#/definitions/Order"},
            "examples": {"application/json": {"text": "t"}},
        }
    }
    paths = {"/a/{id}": {"put": {"parameters": form}}, "/b": {"post": {"parameters": whole, "responses": given}}}
    evidence = of({"swagger": "2.0", "paths": paths, "definitions": {"Order": order}})
    put, post = evidence.operations
    assert [(p.name, p.place, p.required) for p in put.parameters] == [
        ("id", "path", True),
        ("sort", "query", False),
        ("file", "body", True),
        ("note", "body", False),
    ]
    assert put.input_schema["properties"]["file"] == {"type": "string", "format": "binary", "description": "The scan"}
    assert put.parameters[2].source == Source("api.json", "/paths/~1a~1{id}/put/parameters/1")
    assert put.input_schema["properties"]["sort"] == {"type": "array", "items": {"type": "string"}}
    assert post.input_schema["required"] == ["text"]
    assert post.answer is not None
    assert post.answer.examples == ({"text": "t"},)
    assert [(r.resource, r.columns, r.rows) for r in evidence.rows] == [("Order", ("text",), (("t",),))]
    for found in (put, post):
        Draft202012Validator.check_schema(found.input_schema)


# References and files


def test_documents_split_over_files() -> None:
    root = {
        "openapi": "3.0.0",
        "paths": {"/orders/{id}": {"$ref": "paths/order.yaml"}},
        "components": {"schemas": {"Order": {"$ref": "./schemas/order.yaml"}}},
    }
    files = {
        "docs/api.json": json.dumps(root),
        "docs/paths/order.yaml": "get:\n  operationId: getOrder\n  parameters: [{$ref: '../parts.yaml#/id'}]\n"
        "  responses: {200: {content: {application/json: {schema: {$ref: '../schemas/order.yaml'}}}}}\n",
        "docs/parts.yaml": "id: {name: id, in: path, required: true, schema: {type: integer}}\n",
        "docs/schemas/order.yaml": "type: object\nproperties:\n  lines: {type: array, items: {$ref: 'more.json#/Line'}}\n"
        "  parent: {$ref: '../api.json#/components/schemas/Order'}\n",
        "docs/schemas/more.json": '{"Line": {"type": "object", "properties": {"n": {"type": "integer"}, "of": {"$ref": "#/Item"}}},'
        ' "Item": {"type": "object", "properties": {"made": {"$ref": "#/Maker"}}}, "Maker": {"type": "object"}}',
        "docs/README.md": "# Not a description: of an API",
    }
    evidence = read([Upload(name, text.encode()) for name, text in files.items()])
    found = only(evidence)
    assert found.name == "getOrder"
    assert found.source == Source("docs/paths/order.yaml", "/get")
    assert [(p.name, p.shape.kind) for p in found.parameters] == [("id", "integer")]
    assert found.output_schema is not None
    assert accepts(found.output_schema, {"lines": [{"n": 1}], "parent": {"lines": []}})
    assert not accepts(found.output_schema, {"parent": {"lines": [{"n": "1"}]}})
    assert [(t.name, str(t.source)) for t in evidence.resources] == [
        ("Order", "docs/schemas/order.yaml"),
        ("Line", "docs/schemas/more.json#/Line"),
        ("Item", "docs/schemas/more.json#/Item"),
        ("Maker", "docs/schemas/more.json#/Maker"),
    ]
    assert resource(evidence, "Order").fields[0].refers_to == "Line"
    assert evidence.notes == ()
    assert [s.what for s in evidence.skipped] == ["docs/README.md"]


@pytest.mark.parametrize(
    "reference",
    [
        "../secret.yaml",
        "/etc/passwd",
        "https://example.com/a.yaml#/A",
        "//host/a",
        "file:///a.yaml",
        "a/../../secret.yaml",
        "lost.yaml#/A",
    ],
)
def test_references_never_lead_out_of_the_uploads(reference: str) -> None:
    evidence = of(answer({"type": "array", "items": {"$ref": reference}}), **{"secret.yaml": "type: integer"})
    assert only(evidence).output_schema == {"type": "array", "items": {}}
    [note] = [n for n in evidence.notes if n.level == "warning"]
    assert reference in note.says


def test_operations_in_files_that_are_not_there_are_known_by_path() -> None:
    evidence = of({"openapi": "3.0.0", "paths": {"/v2/keys/{id}": {"get": {"$ref": "keys/get.yml"}}}})
    assert (only(evidence).name, only(evidence).method) == ("get_v2_keys_by_id", "GET")
    assert [p.name for p in only(evidence).parameters] == ["id"]
    assert [n.level for n in evidence.notes] == ["warning", "info"]


def test_a_reference_to_the_wrong_section_is_understood() -> None:
    evidence = of(answer({"$ref": "#/definitions/A"}, A={"type": "integer"}))
    assert only(evidence).output_schema == {"type": "integer"}
    assert "warning" in levels(evidence)


def test_several_descriptions_are_read_together() -> None:
    one, two = (
        answer({}, A={"type": "object", "properties": {"x": {}}}),
        answer({}, A={"type": "object", "properties": {"x": {}}}),
    )
    evidence = of(one, **{"two.json": json.dumps(two)})
    assert [a.name for a in evidence.operations] == ["do", "post_a"]
    assert [t.name for t in evidence.resources] == ["A"]


# What is no OpenAPI, or hardly


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello",
        "[1, 2]",
        '{"tools": []}',
        "a: 1",
        "swaggerVersion: '1.2'\napis: []",
        "\x00\x01",
        "{",
        "a: [",
        "openapi: {}",
    ],
)
def test_what_is_no_openapi_gives_one_error(text: str) -> None:
    evidence = shop(text, "file.txt")
    [note] = evidence.notes
    assert note.level == "error"
    assert note.source.file == "file.txt"
    assert evidence.operations == ()


def test_nothing_at_all_gives_one_error() -> None:
    assert [n.level for n in read([]).notes] == ["error"]


def test_an_unreadable_file_is_named_with_its_line() -> None:
    evidence = read([Upload("bad.yaml", b"openapi: 3.0.0\npaths: [\n"), Upload("good.yaml", SHOP.encode())])
    [note] = [n for n in evidence.notes if n.level == "error"]
    assert note.source.file == "bad.yaml"
    assert note.source.at
    assert len(evidence.operations) == 3


def test_notes_of_one_kind_are_kept_short() -> None:
    evidence = of({"openapi": "3.0.0", "paths": {f"/a{i}": {"get": {}} for i in range(200)}})
    assert len(evidence.notes) == 26
    assert "175 more" in evidence.notes[-1].says
