"""What the schemas of tools describe with a name, and what they describe lists of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from worldwright.anchor.evidence import Operation, Resource, Shape, Source

NO_NAMES = frozenset(
    {"result", "results", "data", "items", "item", "value", "values", "content", "response", "output", "list", "records", "rows"}
)  # fmt: skip
"""What wraps something and says nothing about what it is."""


def resources(operations: Sequence[Operation]) -> tuple[Resource, ...]:
    """What the schemas describe with a name, and what they describe lists of."""
    found: dict[str, Resource] = {}
    for operation in operations:
        for parameter in operation.parameters:
            _collect(parameter.shape, parameter.name, parameter.source, found)
        if operation.answer is not None:
            answer, name = _unwrapped(operation.answer)
            _collect(answer, name, operation.source, found)
    return tuple(found.values())


def _unwrapped(shape: Shape) -> tuple[Shape, str]:
    """An answer without the field that only holds it."""
    if shape.kind == "object" and len(shape.fields) == 1:
        (only,) = shape.fields.values()
        if only.shape.kind in ("object", "array") or only.name in NO_NAMES:
            return only.shape, only.name
    return shape, ""


def _collect(shape: Shape, name: str, source: Source | None, found: dict[str, Resource]) -> None:
    if shape.kind == "array" and shape.items is not None:
        inner = shape.items
        called = inner.name or ("" if name.lower() in NO_NAMES else name)
        _collect(replace(inner, name=called) if inner.kind == "object" else inner, name, source, found)
    elif shape.kind == "object":
        if shape.name and shape.fields:
            resource = Resource(
                shape.name, tuple(shape.fields.values()), says=shape.says, origin="schema", source=source
            )
            found[shape.name] = _together(found[shape.name], resource) if shape.name in found else resource
        for inner_field in shape.fields.values():
            _collect(inner_field.shape, inner_field.name, source, found)


def _together(first: Resource, second: Resource) -> Resource:
    """Two descriptions of one thing: all fields, and required what both require."""
    names = {f.name: f for f in second.fields}
    known = {f.name for f in first.fields}
    kept = [replace(f, required=f.required and f.name in names and names[f.name].required) for f in first.fields]
    more = [replace(f, required=False) for f in second.fields if f.name not in known]
    return replace(first, fields=(*kept, *more), says=first.says or second.says)
