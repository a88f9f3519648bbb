"""Tools as Python functions: what a signature and a docstring say of a JSON Schema."""

from __future__ import annotations

import inspect
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldwright.adapters.names import assign_names
from worldwright.adapters.signatures import make_hint, make_method, sign_tool
from worldwright.engine.world import World
from worldwright.world.records import ToolSpec


def tool(parts: dict[str, Any], *required: str, **more: Any) -> ToolSpec:
    schema = {"type": "object", "properties": parts, "required": list(required), **more}
    return ToolSpec("lend", "Lend a copy.", schema, {}, mutates=True, system="desk")


# signatures


def test_a_signature_has_the_names_and_the_needs_of_the_schema(library_world: World) -> None:
    for one in library_world.tools:
        parameters = dict(sign_tool(one).signature.parameters)
        assert parameters.pop("self").kind is inspect.Parameter.POSITIONAL_ONLY
        assert list(parameters) == list(one.input_schema["properties"])
        needed = {name for name, p in parameters.items() if p.default is inspect.Parameter.empty}
        assert needed == set(one.input_schema["required"])


def test_a_parameter_that_may_be_left_out_shows_its_default() -> None:
    found = sign_tool(tool({"days": {"type": "integer", "default": 21}, "note": {"type": "string"}})).signature
    assert (found.parameters["days"].default, found.parameters["note"].default) == (21, None)


@pytest.mark.parametrize(
    ("schema", "hint"),
    [
        ({"type": "string"}, str),
        ({"type": "integer"}, int),
        ({"type": "number"}, float),
        ({"type": "boolean"}, bool),
        ({"type": "object"}, dict),
        ({"type": "array"}, list),
        ({"type": "array", "items": {"type": "integer"}}, list[int]),
        ({"type": ["string", "null"]}, str | None),
        ({"type": "string", "enum": ["out", "lost"]}, Literal["out", "lost"]),
        ({"enum": ["done", None]}, Literal["done", None]),
        ({"const": 3}, Literal[3]),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, int | None),
        ({}, Any),
    ],
)
def test_hints_that_say_all_there_is(schema: dict[str, Any], hint: Any) -> None:
    assert make_hint(schema) == (hint, {})


@pytest.mark.parametrize(
    ("schema", "hint"),
    [
        ({"type": "string", "pattern": "^MEM-", "examples": ["MEM-1"]}, str),
        ({"type": "array", "items": {"type": "object", "required": ["line"]}, "minItems": 1}, list[dict]),  # type: ignore[type-arg]
        ({"type": "object", "properties": {"line": {"type": "string"}}}, dict),
        ({"anyOf": [{"type": "integer", "minimum": 1}, {"type": "string"}]}, int | str),
        ({"enum": [["a"], ["b"]]}, Any),
        ({"$ref": "#/$defs/Money"}, Any),
    ],
)
def test_what_a_hint_cannot_say_is_left_for_the_description(schema: dict[str, Any], hint: Any) -> None:
    assert make_hint(schema) == (hint, {key: value for key, value in schema.items() if key != "type"})


# docstrings


def test_a_docstring_says_what_hints_cannot() -> None:
    parts = {
        "member": {"type": "string", "pattern": "^MEM-[0-9]{4,}$", "description": "Id of a\n  member."},
        "lines": {"type": "array", "items": {"type": "object", "required": ["copy"]}, "minItems": 1},
    }
    says = sign_tool(tool(parts, "member", **{"$defs": {"Money": {"type": "number"}}})).doc
    assert says == (
        'Lend a copy. ($defs {"Money":{"type":"number"}})\n\n'
        "Args:\n"
        '    member: Id of a member. (pattern "^MEM-[0-9]{4,}$")\n'
        '    lines: lines (items {"type":"object","required":["copy"]}, minItems 1)'
    )


def test_a_tool_without_parameters_has_no_list_of_them() -> None:
    assert sign_tool(tool({})).doc == "Lend a copy."


# names


@given(st.lists(st.text(max_size=6) | st.sampled_from(["class", "self", "a-b", "a b", "a_b", "1", "²"]), unique=True))
def test_other_names_are_identifiers_and_lead_back(names: list[str]) -> None:
    shown = assign_names(names, {"self"}, "parameter")
    assert list(shown.values()) == names
    for name, real in shown.items():
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY)  # raises for what is none
        assert not name.startswith("_")
        assert name != "self"
        if real.isidentifier() and not real.startswith("_") and name != real:
            assert real in (name.rstrip("_").removesuffix("_parameter"), "self")


def test_arguments_go_on_under_their_real_names() -> None:
    parts = {name: {"type": "string"} for name in ("from", "self", "x-id", "numReturns", "to")}
    seen: list[dict[str, Any]] = []

    def call(_: Any, arguments: dict[str, Any]) -> str:
        seen.append(arguments)
        return "done"

    lend = make_method(tool(parts), call)
    shown = {real: name for name, real in sign_tool(tool(parts)).renamed.items()}
    assert shown.keys() == {"from", "self", "x-id", "numReturns"}
    sent = {shown.get(name, name): name for name in parts}
    assert lend(None, **sent, surplus=1) == "done"
    assert seen == [{**{name: name for name in parts}, "surplus": 1}]
    for name in shown:
        assert f"(The parameter `{name}` of this tool.)" in str(lend.__doc__)
