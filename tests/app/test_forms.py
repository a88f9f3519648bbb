"""Forms: what a browser sends of a form is the call that was meant, and what cannot be read goes to the tool as it was written."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from tests.app.test_screens import screens
from tests.domains import CHOSEN

from worldwright import catalogue
from worldwright.app.forms.controls import fill_controls, find_control_name, write_form
from worldwright.app.forms.names import BLANK, is_own, read_name, write_name
from worldwright.app.forms.reading import read_form, read_moment, read_number
from worldwright.app.screens.fields import make_answer_fields, make_fields
from worldwright.core.rng import Stream
from worldwright.engine.walk import Walker
from worldwright.kinds.database.toolspec import tool_specs

Schema = dict[str, Any]


def one(schema: Schema, required: bool = True) -> Schema:
    """A tool that takes one value."""
    return {"type": "object", "properties": {"x": schema}, "required": ["x"] if required else []}


def sent_by_browser(form: dict[str, list[str]]) -> dict[str, list[str]]:
    """What a browser makes of it: a line break is CR LF."""
    return {name: [value.replace("\n", "\r\n") for value in values] for name, values in form.items()}


@pytest.mark.parametrize("domain", CHOSEN)
@given(seed=st.integers(0, 2**32))
def test_arguments_survive_their_form(domain: str, seed: int) -> None:
    """Whatever a tool takes can be written into its form, and the form reads as the same arguments."""
    checked = catalogue.load(domain)
    tools = tuple(tool_specs(checked).values())
    name, arguments = Walker(tools, Stream("forms", seed), checked.schema.now).call()
    spec = next(tool for tool in tools if tool.name == name)
    form = screens(domain, next(iter(spec.roles or checked.blueprint.roles))).forms[name]
    given_ = {key: value for key, value in arguments.items() if value is not None}
    assume(Draft202012Validator(spec.input_schema).is_valid(given_))
    read = read_form(form.fields, sent_by_browser(write_form(form.fields, given_)))
    assert read == given_


def test_a_form_that_nothing_was_written_into_sends_nothing_but_defaults() -> None:
    for domain, role in (("enterprise_procurement", "buyer"), ("hotel_booking", "reservations")):
        for form in screens(domain, role).forms.values():
            fresh = fill_controls(form.fields, {}, {}, {})
            sent = {c.name: [c.value] for c in fresh if not c.parts}
            read = read_form(form.fields, sent)
            may_be_empty = {
                f.name for f in form.fields if f.kind in ("list", "area", "text") and f.required and not f.low
            }
            assert set(read) - may_be_empty <= {f.name for f in form.fields if f.default}, form.tool


@pytest.mark.parametrize(
    ("schema", "text", "value"),
    [
        ({"type": "integer"}, "12", 12), ({"type": "integer"}, " 1,250 ", 1250), ({"type": "integer"}, "12x", "12x"),
        ({"type": "integer"}, "9" * 30, 1e30), ({"type": "number"}, "12.50", 12.5), ({"type": "number"}, ".5", 0.5),
        ({"type": "number"}, "12,5", "12,5"), ({"type": "number"}, "1e400", "1e400"), ({"type": "number"}, "NaN", "NaN"),
        ({"type": "number"}, "٣", "٣"), ({"type": "boolean"}, "false", False), ({"type": "boolean"}, "perhaps", "perhaps"),
        ({"enum": ["a", "b"]}, "b", "b"), ({"enum": ["a", 3]}, "3", 3), ({"enum": ["a"]}, "z", "z"),
        ({"type": "string", "format": "date"}, "2025-02-30", "2025-02-30"),
        ({"type": "string", "format": "date-time"}, "2025-02-03T10:20", "2025-02-03T10:20:00Z"),
        ({"type": "string", "format": "date-time"}, "2025-02-03T10:20:07", "2025-02-03T10:20:07Z"),
        ({"type": "string", "format": "date-time"}, "tomorrow", "tomorrow"),
        ({"type": "string", "minLength": 3}, "  x ", "  x "), ({"type": "string"}, "a\r\nb", "a\nb"),
        ({"type": "string"}, "", ""),
        ({"type": ["string", "null"]}, "", None), ({"type": "object"}, '{"a": [1]}', {"a": [1]}), ({"type": "object"}, "{", "{"),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "7", 7),
        ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, "7", 7),
        ({"const": "fixed"}, "other", "fixed"),
    ],
)  # fmt: skip
def test_a_value_is_read_as_its_schema_says(schema: Schema, text: str, value: Any) -> None:
    assert read_form(make_fields(one(schema)), {"x": [text]}) == {"x": value}


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "integer"},
        {"type": "string", "minLength": 2},
        {"enum": ["a"]},
        {"type": "array", "items": {"type": "string"}},
    ],
)
def test_an_optional_value_can_be_left_empty(schema: Schema) -> None:
    assert read_form(make_fields(one(schema, required=False)), {"x": [""]}) == {}
    assert read_form(make_fields(one(schema, required=False)), {}) == {}


def test_an_empty_text_can_be_told_from_none() -> None:
    fields = make_fields(one({"type": "string"}, required=False))
    assert fields[0].blank
    assert read_form(fields, {"x": [""]}) == {}
    assert read_form(fields, {"x": [""], f"{BLANK}x": ["1"]}) == {"x": ""}
    assert write_form(fields, {"x": ""}) == {"x": [""], f"{BLANK}x": ["1"]}
    by_default = make_fields(one({"type": "string", "default": "usual"}, required=False))
    assert read_form(by_default, {"x": [""]}) == {"x": ""}
    assert not make_fields(one({"type": "string", "minLength": 1}, required=False))[0].blank


def test_an_empty_list_can_be_told_from_none() -> None:
    """Where nothing had to be left out, an answer says so; where nobody asked, it says nothing."""
    schema = {"type": "array", "items": {"type": "string"}}
    fields = make_fields(one(schema, required=False))
    assert read_form(fields, {"x.0": [""]}) == {}
    assert read_form(fields, {"x.0": [""], f"{BLANK}x": ["1"]}) == {"x": []}
    assert read_form(fields, {"x.0": ["a"], f"{BLANK}x": ["1"]}) == {"x": ["a"]}
    assert write_form(fields, {"x": []}) == {f"{BLANK}x": ["1"]}
    assert read_form(fields, write_form(fields, {"x": []})) == {"x": []}
    assert not make_fields(one({**schema, "minItems": 1}, required=False))[0].blank


def test_rows_of_lists_are_read_in_order_and_empty_ones_left_out() -> None:
    line = {
        "type": "object",
        "properties": {"item": {"type": "string"}, "n": {"type": "integer"}},
        "required": ["item"],
    }
    fields = make_fields(one({"type": "array", "items": line}))
    sent = {
        "x.10.item": ["third"],
        "x.2.item": ["first"],
        "x.3.item": [""],
        "x.3.n": [""],
        "x.9.n": ["4"],
        "x.z.item": ["never"],
    }
    assert read_form(fields, sent) == {"x": [{"item": "first"}, {"n": 4}, {"item": "third"}]}
    assert read_form(fields, {}) == {"x": []}


def test_nested_objects_and_odd_names() -> None:
    schema = one(
        {"type": "object", "properties": {"a.b": {"type": "integer"}, "~c": {"type": "string"}}, "required": ["a.b"]}
    )
    fields = make_fields(schema)
    form = write_form(fields, {"x": {"a.b": 1, "~c": "d"}})
    assert form == {"x.a~1b": ["1"], "x.~0c": ["d"]}
    assert read_form(fields, form) == {"x": {"a.b": 1, "~c": "d"}}
    assert not any(map(is_own, form))


def test_a_reference_in_a_schema_is_followed_and_a_circle_is_not() -> None:
    node = {"$defs": {"n": {"type": "object", "properties": {"next": {"$ref": "#/$defs/n"}, "v": {"type": "integer"}}}}}
    fields = make_fields({**node, "type": "object", "properties": {"x": {"$ref": "#/$defs/n"}}})
    depth, field = 0, fields[0]
    while field.kind == "group":
        depth, field = depth + 1, field.parts[0]
    assert 1 < depth < 12
    assert field.kind == "json"


def test_an_answer_is_written_on_lines() -> None:
    fields = make_answer_fields(
        {
            "properties": {
                "note": {"type": ["string", "null"], "description": "what it is"},
                "ids": {"type": "array", "items": {"type": "string"}},
            },
            "required": [],
        }
    )
    assert [(f.kind, f.help, f.blank) for f in fields] == [("text", "What it is", False), ("list", "", True)]


@given(st.lists(st.text(), min_size=1, max_size=4))
def test_names_of_fields_are_paths(path: list[str]) -> None:
    assert read_name(write_name(path)) == tuple(path)


@given(st.text(max_size=50))
def test_whatever_is_written_into_a_number_or_a_moment_is_read_without_an_error(text: str) -> None:
    found = read_number(text)
    assert isinstance(found, (int, float)) or found == text
    assert isinstance(read_moment(text), str)


def test_an_error_is_shown_at_the_field_that_it_is_about() -> None:
    form = screens("enterprise_procurement", "buyer").forms["place_order"]
    sent = {"request": ["REQ-1"], "prices.0.line": ["RQL-1"], "prices.1.line": ["RQL-2"], "prices.1.unit_price": ["x"]}
    controls = fill_controls(form.fields, sent, {}, {}, fresh=False)
    assert find_control_name(controls, "request", "") == "request"
    assert find_control_name(controls, "prices[1].unit_price", "") == "prices.1.unit_price"
    assert find_control_name(controls, "line", "There is no line 'RQL-2'.") == "prices.1.line"
    assert find_control_name(controls, "line", "There is none.") == "prices.0.line"
    assert find_control_name(controls, "nothing", "") == ""
