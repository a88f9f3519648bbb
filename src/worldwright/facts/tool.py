"""Tools in words: signatures, arguments and an example call, from the JSON Schema that an agent sees."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from worldwright.world.records import ToolSpec

Schema = Mapping[str, Any]


def format_signature(spec: ToolSpec) -> list[str]:
    """Format arguments: `request`, a list `prices[]`, optional `expected_on?`, two ends of a range `total_from/to?`."""
    required, properties = spec.input_schema.get("required", ()), spec.input_schema.get("properties", {})
    out = []
    for name, part in properties.items():
        base, _, end = name.rpartition("_")
        if end == "to" and f"{base}_from" in properties:
            continue
        both = "/to" if end == "from" and f"{base}_to" in properties else ""
        out.append(name + both + ("[]" if part.get("type") == "array" else "") + ("" if name in required else "?"))
    return out


def describe_type(schema: Schema) -> str:
    """Say what an argument takes, in words."""
    kind = schema.get("type", "")
    if "enum" in schema:
        return "one of " + ", ".join(map(str, schema["enum"]))
    if kind == "array":
        items = schema.get("items", {})
        inner = describe_type(items) if items.get("type") != "object" else "{" + ", ".join(_parts(items)) + "}"
        return f"list of {inner}, {_bounds(schema.get('minItems'), schema.get('maxItems'))}".removesuffix(", ")
    if schema.get("examples"):
        return f"id such as {schema['examples'][0]}"
    if kind == "string":
        if "format" in schema:
            return "date" if schema["format"] == "date" else "time"
        low, high = schema.get("minLength") or None, schema.get("maxLength")
        return f"text {_bounds(low, None if high == 10_000 else high)}".strip()
    name = {"integer": "whole number", "number": "number", "boolean": "true or false"}.get(str(kind), str(kind))
    return f"{name} {_bounds(schema.get('minimum'), schema.get('maximum'))}".strip()


def _parts(items: Schema) -> list[str]:
    required = items.get("required", ())
    return [name + ("" if name in required else "?") for name in items.get("properties", {})]


def _bounds(low: Any, high: Any) -> str:
    if low is None:
        return "" if high is None else f"<= {high}"
    return f">= {low}" if high is None else f"{low}..{high}"


def list_arguments(schema: Schema) -> list[tuple[str, str, str, str]]:
    """List (name, type, needed, says) for every argument; parts of a list's elements indented below it."""
    out = []
    required = schema.get("required", ())
    for name, part in schema.get("properties", {}).items():
        needed = "required" if name in required else f"default {part['default']}" if "default" in part else "optional"
        out.append((name, describe_type(part), needed, str(part.get("description", ""))))
        items = part.get("items", {})
        if items.get("type") == "object":
            out += [(f"  .{n}", t, need, says) for n, t, need, says in list_arguments(items)]
    return out


def example_call(spec: ToolSpec) -> str:
    """A call with a value of the right type for everything that is required."""
    return f"{spec.name} {json.dumps(_example(spec.input_schema))}"


def _example(schema: Schema) -> Any:
    kind = schema.get("type")
    if kind == "object":
        return {n: _example(p) for n, p in schema.get("properties", {}).items() if n in schema.get("required", ())}
    if kind == "array":
        return [_example(schema.get("items", {}))] * max(1, schema.get("minItems") or 0)
    if "enum" in schema:
        return schema["enum"][0]
    if schema.get("examples"):
        return schema["examples"][0]
    if kind in ("integer", "number"):
        return schema.get("minimum", 1)
    if kind == "boolean":
        return True
    return {"date": "2025-01-31", "date-time": "2025-01-31T09:00:00Z"}.get(str(schema.get("format")), "text")
