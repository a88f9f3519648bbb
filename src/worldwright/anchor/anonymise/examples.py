"""Values that descriptions show: the examples of shapes and of schemas, each with the path that it stands at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from worldwright.anchor.anonymise.texts import leaves
from worldwright.anchor.evidence import Operation, Resource, Shape

Shown = Iterator[tuple[str, Any]]
MAX_DEPTH = 20
EXAMPLES = ("example", "default", "const")


def resource_examples(resource: Resource, *, words: bool) -> Shown:
    """What the shapes of a thing show, which need not be among its rows; with the words it may be, where these come from rows."""
    for field in resource.fields:
        yield from _of_shape(field.shape, field.name, words=words)


def operation_examples(operation: Operation) -> Shown:
    """What an operation shows of its arguments and of its answer."""
    for parameter in operation.parameters:
        yield from _of_shape(parameter.shape, parameter.name, words=False)
    for shape in (operation.body, operation.answer):
        if shape is not None:
            yield from _of_shape(shape, "", words=False)
    for schema in (operation.input_schema, operation.output_schema):
        yield from _of_schema(schema)


def _of_shape(shape: Shape, name: str, *, words: bool) -> Shown:
    waiting = [(name, shape, 0)]
    while waiting:
        path, here, depth = waiting.pop()
        for value in (*(here.enum if words else ()), *here.examples, here.default):
            yield from leaves(value, path)
        if depth < MAX_DEPTH:
            waiting += [(f"{path}.{n}" if path else n, f.shape, depth + 1) for n, f in here.fields.items()]
            waiting += [(f"{path}[]", here.items, depth + 1)] if here.items else []


def _of_schema(schema: Mapping[str, Any] | None) -> Shown:
    waiting: list[tuple[str, Any, int]] = [("", schema, 0)]
    while waiting:
        path, here, depth = waiting.pop()
        if isinstance(here, list) and depth < MAX_DEPTH:
            waiting += [(path, part, depth + 1) for part in here]
        if not isinstance(here, Mapping) or depth >= MAX_DEPTH:
            continue
        examples = here.get("examples")
        for value in (*(here.get(k) for k in EXAMPLES), *(examples if isinstance(examples, list) else ())):
            yield from leaves(value, path)
        for key, part in here.items():
            if key in ("properties", "$defs") and isinstance(part, Mapping):
                waiting += [(name if not path else f"{path}.{name}", inner, depth + 1) for name, inner in part.items()]
            elif key not in (*EXAMPLES, "examples", "enum", "required"):
                waiting.append((path, part, depth + 1))
