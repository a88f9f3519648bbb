"""Shapes as JSON Schema."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from worldwright.anchor.evidence import Parameter, Shape

_FORMATS = frozenset({"date", "date-time", "time", "duration", "uuid", "email", "uri"})
_WORDS: Mapping[str, tuple[str, str]] = {
    "string": ("minLength", "maxLength"),
    "array": ("minItems", "maxItems"),
}


def schema_of(shape: Shape) -> dict[str, Any]:
    """A shape as a schema of its own; what was cut is an object that may hold anything."""
    schema: dict[str, Any] = {}
    if shape.kind != "any":
        schema["type"] = [shape.kind, "null"] if shape.nullable else shape.kind
    if shape.says:
        schema["description"] = shape.says
    if shape.format in _FORMATS:
        schema["format"] = shape.format
    if shape.enum:
        schema["enum"] = [*shape.enum, None] if shape.nullable else list(shape.enum)
    if shape.default is not None:
        schema["default"] = shape.default
    _limits(shape, schema)
    if shape.fields:
        schema["properties"] = {name: _described(schema_of(f.shape), f.says) for name, f in shape.fields.items()}
        schema["required"] = [name for name, f in shape.fields.items() if f.required]
    if shape.kind == "array":
        schema["items"] = schema_of(shape.items) if shape.items is not None else {}
    return schema


def _limits(shape: Shape, schema: dict[str, Any]) -> None:
    for name, value in (("minimum", shape.minimum), ("maximum", shape.maximum)):
        if value is not None and shape.kind in ("integer", "number"):
            schema[name] = int(value) if float(value).is_integer() else value
    shortest, longest = _WORDS.get(shape.kind, ("", ""))
    if shape.shortest is not None and shortest:
        schema[shortest] = shape.shortest
    if shape.longest is not None and longest:
        schema[longest] = shape.longest
    if shape.pattern and shape.kind == "string":
        schema["pattern"] = shape.pattern
    if shape.examples:
        schema["examples"] = list(shape.examples)


def _described(schema: dict[str, Any], says: str) -> dict[str, Any]:
    return {**schema, "description": says} if says else schema


def input_schema(parameters: Iterable[Parameter]) -> dict[str, Any]:
    """All parameters of an action as one object; of two with the same name, the first."""
    properties: dict[str, Any] = {}
    required: list[str] = []
    for p in parameters:
        if p.name in properties:
            continue
        properties[p.name] = _described(schema_of(p.shape), p.says)
        if p.required:
            required.append(p.name)
    return {"type": "object", "properties": properties, "required": required}
