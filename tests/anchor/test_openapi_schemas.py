"""The reader for OpenAPI: answers as schemas that need nothing else, objects as things, examples as rows."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from tests.anchor.openapi_documents import (
    accepts,
    answer,
    api,
    body,
    of,
    only,
    operation,
    output,
    resource,
    shop,
)

from worldwright.anchor.evidence import Source

# Answers and schemas


def test_an_answer_is_a_schema_that_needs_nothing_else() -> None:
    found = operation(shop(), "listOrders").output_schema
    assert found is not None
    Draft202012Validator.check_schema(found)
    good = {
        "id": 1,
        "status": None,
        "lines": [{"text": "x", "price": 2}],
        "parent": {"id": 2, "status": "paid", "lines": []},
    }
    assert accepts(found, [good])
    assert not accepts(found, [{**good, "id": "1"}])
    assert not accepts(found, [{**good, "parent": {"id": "2", "status": "paid", "lines": []}}])
    assert not accepts(found, [{k: v for k, v in good.items() if k != "lines"}])
    assert "readOnly" in json.dumps(found)
    assert "[[bad" not in json.dumps(found)


@pytest.mark.parametrize(
    ("schema", "translated"),
    [
        ({"type": "string", "nullable": True}, {"type": ["string", "null"]}),
        ({"type": "string", "enum": ["a"], "nullable": True}, {"type": ["string", "null"], "enum": ["a", None]}),
        ({"type": "integer", "maximum": 9, "exclusiveMaximum": True}, {"type": "integer", "exclusiveMaximum": 9}),
        ({"type": "integer", "maximum": 9, "exclusiveMaximum": False}, {"type": "integer", "maximum": 9}),
        ({"type": "integer", "exclusiveMaximum": 9}, {"type": "integer", "exclusiveMaximum": 9}),
        ({"type": "file"}, {"type": "string", "format": "binary"}),
        ({"type": "string", "x-y": 1, "xml": {}, "discriminator": {"propertyName": "a"}}, {"type": "string"}),
        (
            {"type": "string", "pattern": r"^\p{L}+$", "minLength": 3, "maxLength": -1},
            {"type": "string", "minLength": 3},
        ),
        ({"type": "string", "pattern": "/^a$/"}, {"type": "string", "pattern": "^a$"}),
        ({"type": "object", "required": True, "properties": []}, {"type": "object"}),
        ({"type": "string", "enum": [1, True]}, {"type": "string", "enum": ["1", "true"]}),
        ({"type": "array", "items": [{"type": "string"}]}, {"type": "array", "prefixItems": [{"type": "string"}]}),
        ({"type": "whatever", "example": 5}, {"examples": [5]}),
        ({"type": "array", "items": {"$ref": "#/components/schemas/None"}}, {"type": "array", "items": {}}),
    ],
)
def test_keywords_are_translated(schema: Any, translated: Any) -> None:
    assert output(schema) == translated


def test_null_beside_a_reference() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"allOf": [{"$ref": "#/components/schemas/A"}, {"nullable": True}]}},
    }
    found = output(schema, A={"oneOf": [{"type": "integer"}, {"type": "boolean"}]})
    assert accepts(found, {"a": None})
    assert accepts(found, {"a": 3})
    assert not accepts(found, {"a": "text"})


def test_an_object_that_is_closed_can_be_extended() -> None:
    base = {"type": "object", "additionalProperties": False, "required": ["a"], "properties": {"a": {"type": "string"}}}
    found = output(
        {"allOf": [{"$ref": "#/components/schemas/Base"}, {"properties": {"b": {"type": "integer"}}}]}, Base=base
    )
    assert accepts(found, {"a": "x", "b": 1})
    assert not accepts(found, {"b": 1})


def test_an_object_that_requires_what_it_does_not_know_is_open() -> None:
    base = {"type": "object", "additionalProperties": False, "properties": {"a": {"type": "string"}}}
    found = output({"allOf": [{"$ref": "#/components/schemas/Base"}, {"required": ["a", "b"]}]}, Base=base)
    assert accepts(found, {"a": "x", "b": 1})
    assert not accepts(found, {"a": "x"})


def test_read_only_properties_of_a_base_are_not_required_of_what_is_sent() -> None:
    base = {"type": "object", "properties": {"id": {"type": "integer", "readOnly": True}, "a": {"type": "string"}}}
    part = {"allOf": [{"$ref": "#/components/schemas/Base"}], "required": ["id", "a"]}
    found = only(of(body({"type": "object", "properties": {"part": part}}, Base=base)))
    assert found.input_schema["properties"]["part"]["required"] == ["a"]
    assert list(found.input_schema["properties"]["part"]["properties"]) == ["a"]


def test_write_only_properties_are_not_required_of_an_answer() -> None:
    schema = {"type": "object", "required": ["a", "b"], "properties": {"a": {"writeOnly": True}, "b": {}}}
    assert output(schema)["required"] == ["b"]


def test_what_stands_beside_a_reference_counts_since_3_1() -> None:
    document = answer({"$ref": "#/components/schemas/A", "description": "Mine", "maxLength": 3}, A={"type": "string"})
    assert only(of(document)).output_schema == {"type": "string", "description": "Mine"}
    document["openapi"] = "3.1.0"
    assert only(of(document)).output_schema == {"type": "string", "description": "Mine", "maxLength": 3}


def test_large_and_cyclic_schemas_stand_once_under_defs() -> None:
    node = {"type": "object", "properties": {f"p{i}": {"$ref": f"#/components/schemas/N{i}"} for i in range(12)}}
    found = output({"$ref": "#/components/schemas/N0"}, **{f"N{i}": node for i in range(12)})
    assert len(json.dumps(found)) < 10_000
    assert accepts(found, {"p1": {"p2": {"p11": {}}}})
    assert not accepts(found, {"p1": {"p2": {"p11": 3}}})


def test_names_of_any_language_can_be_referred_to() -> None:
    found = output(
        {"$ref": "#/components/schemas/注文 %1"},
        **{"注文 %1": {"properties": {"次": {"$ref": "#/components/schemas/注文 %1"}}}},
    )
    assert accepts(found, {"次": {"次": {}}})
    assert not accepts(found, {"次": {"次": 1}})


def test_deep_nesting_is_kept_and_stays_checkable() -> None:
    schema: Any = {"type": "string"}
    for _ in range(40):
        schema = {"type": "object", "properties": {"a": schema}}
    value: Any = "x"
    for _ in range(40):
        value = {"a": value}
    found = output(schema)
    assert accepts(found, value)
    assert not accepts(found, json.loads(json.dumps(value).replace('"x"', "1")))


def test_the_first_success_with_json_is_the_answer() -> None:
    schema = {"application/json": {"schema": {"type": "integer"}}}
    responses = {
        "default": {"description": "Error"},
        "202": {"description": "later"},
        "2XX": {"content": schema},
        "500": {},
    }
    found = only(of(api({"responses": responses})))
    assert (found.status, found.output_schema) == ("2XX", {"type": "integer"})
    assert found.errors == {"default": "Error", "500": ""}
    lonely = only(of(api({"responses": {"default": {"description": "successful operation", "content": schema}}})))
    assert (lonely.status, lonely.output_schema, lonely.errors) == ("default", {"type": "integer"}, {})


def test_an_answer_that_only_an_example_tells_has_a_shape() -> None:
    content = {"application/json": {"example": {"id": 4, "tags": [{"name": "x"}]}}}
    found = only(of(api({"responses": {"200": {"content": content}}})))
    assert found.output_schema is None
    assert found.answer is not None
    assert found.answer.fields["id"].shape.kind == "integer"
    assert found.answer.fields["tags"].shape.items is not None
    assert list(found.answer.fields["tags"].shape.items.fields) == ["name"]


# Things and rows


def test_objects_with_names_are_things() -> None:
    evidence = shop()
    assert [t.name for t in evidence.resources] == ["Order", "Line", "Customer"]
    order = resource(evidence, "Order")
    assert order.origin == "schema"
    assert order.says == "What a customer has bought."
    assert order.source == Source("shop.yaml", "/components/schemas/Order")
    facts = {f.name: (f.required, f.read_only, f.refers_to) for f in order.fields}
    assert facts == {
        "id": (True, True, ""),
        "status": (True, False, ""),
        "lines": (True, False, "Line"),
        "customer_id": (False, False, "Customer"),
        "parent": (False, False, "Order"),
        "secret": (False, False, ""),
        "buyer": (False, False, "Customer"),
    }
    assert order.fields[1].shape.enum == ("new", "paid")
    assert order.fields[1].source == Source("shop.yaml", "/components/schemas/Order/properties/status")


@pytest.mark.parametrize(
    ("name", "kind", "refers_to"),
    [
        ("purchaseOrderId", "string", "PurchaseOrder"),
        ("purchase_order_ids", "array", "PurchaseOrder"),
        ("purchase_order_id", "integer", "PurchaseOrder"),
        ("purchase_order_id", "boolean", ""),
        ("order_id", "string", ""),
        ("line_id", "string", ""),
        ("purchase_order", "string", ""),
    ],
)
def test_a_property_named_like_an_object_refers_to_it(name: str, kind: str, refers_to: str) -> None:
    line = {"type": "object", "properties": {name: {"type": kind, "items": {"type": "string"}}}}
    evidence = of(answer({}, PurchaseOrder={"type": "object", "properties": {"id": {}}}, Line=line))
    assert [f.refers_to for f in resource(evidence, "Line").fields] == [refers_to]


def test_objects_put_together_are_things_too() -> None:
    base = {"type": "object", "properties": {"a": {"type": "string"}}}
    both = {
        "allOf": [{"$ref": "#/components/schemas/Base"}, {"required": ["b"], "properties": {"b": {"type": "string"}}}]
    }
    either = {"oneOf": [{"$ref": "#/components/schemas/Base"}, {"$ref": "#/components/schemas/Both"}]}
    evidence = of(
        answer({}, Base=base, Both=both, Either=either, Many={"type": "array", "items": base}, Free={"type": "object"})
    )
    names = {t.name: [(f.name, f.required) for f in t.fields] for t in evidence.resources}
    assert names == {
        "Base": [("a", False)],
        "Both": [("a", False), ("b", True)],
        "Either": [("a", False), ("b", False)],
        "Free": [],
    }


def test_examples_of_named_objects_are_rows() -> None:
    [rows] = shop().rows
    assert (rows.resource, rows.columns) == ("Order", ("id", "status", "customer_id"))
    assert rows.rows == ((1, "new", "c1"), (2, "paid", "c2"))
    assert rows.total == 2
    assert rows.source == Source("shop.yaml", "/paths/~1orders/get/responses/200/content/application~1json/example")


def test_examples_by_reference_as_text_and_inside_of_others_are_rows() -> None:
    document = answer(
        {"type": "object", "properties": {"data": {"type": "array", "items": {"$ref": "#/components/schemas/A"}}}},
        A={"type": "object", "properties": {"n": {"type": "integer"}}},
    )
    content = document["paths"]["/a"]["post"]["responses"]["200"]["content"]["application/json"]
    content["examples"] = {"one": {"$ref": "#/components/examples/E"}, "two": {"value": '{"data": [{"n": 2}]}'}}
    document["components"]["examples"] = {"E": {"value": {"data": [{"n": 1}, {"n": 1}]}}}
    assert [(r.resource, r.rows) for r in of(document).rows] == [("A", ((1,), (2,)))]
