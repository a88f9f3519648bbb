"""Operations that the code offers, put together from what their functions tell."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from worldwright.anchor.evidence import Note, Operation, Parameter, Shape, Source
from worldwright.anchor.names import parts
from worldwright.anchor.readers.repo.names import Repo, Scope
from worldwright.anchor.readers.repo.refusals import refusals
from worldwright.anchor.readers.repo.signatures import texts_in
from worldwright.anchor.readers.repo.source import Function, docstring, last, path_of

MAX_OPERATIONS = 2_000
_ASKING = ("require", "requires", "permission", "role", "has_perm", "scope", "user_passes_test")


@dataclass(frozen=True, slots=True)
class Call:
    """What is known of an operation before its function is looked at."""

    name: str
    method: str = ""
    path: str = ""
    parameters: tuple[Parameter, ...] = ()
    body: Shape | None = None
    answer: Shape | None = None
    status: str = ""
    tags: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()
    says: str = ""
    title: str = ""
    errors: Mapping[str, str] | None = None
    source: Source | None = None


def operation(repo: Repo, call: Call, function: Function | None) -> Operation:
    """An operation with what its function says and refuses."""
    errors = dict(call.errors or {})
    if function is not None:
        for refusal in refusals(repo, function):
            if refusal.status and refusal.status >= "400":
                errors.setdefault(refusal.status, refusal.says)
    says = call.says or (docstring(function.node) if function is not None else "")
    scopes = (*call.scopes, *(asked(repo, function) if function is not None else ()))
    return Operation(
        call.name,
        says,
        call.title,
        call.method,
        call.path,
        call.parameters,
        call.body,
        call.answer,
        call.status,
        errors,
        input_schema(call.parameters),
        schema_of(call.answer) if call.answer is not None else None,
        call.tags,
        tuple(dict.fromkeys(scopes)),
        read_only=True if call.method in ("GET", "HEAD") else None,
        source=call.source or (function.module.source(function.node) if function is not None else None),
    )


def asked(repo: Repo, function: Function) -> list[str]:
    """Roles and permissions that decorators ask for: `@require_role("manager")`."""
    scope = Scope(function.module, function.cls)
    found: list[str] = []
    for decorator in function.node.decorator_list:
        if isinstance(decorator, ast.Call) and last(path_of(decorator)).lower().startswith(_ASKING):
            found += [t for t in texts_in(repo, scope, decorator) if not t.isupper()]
    return found


def named_apart(operations: Sequence[Operation]) -> tuple[list[Operation], list[Note]]:
    """Operations with names of their own: one that would have another's name gets words of its path or file before it."""
    notes: list[Note] = []
    taken: set[str] = set()
    counts: dict[str, int] = {}
    for one in operations:
        counts[one.name] = counts.get(one.name, 0) + 1
    out: list[Operation] = []
    for one in operations:
        name = one.name
        if counts[name] > 1 or name in taken:
            name = _qualified(one, taken)
            if one.source is not None and name != one.name:
                notes.append(
                    Note("info", f"{one.name} is called {name} here: several operations have its name", one.source)
                )
        taken.add(name)
        out.append(replace(one, name=name))
    return out, notes[:100]


def _qualified(one: Operation, taken: set[str]) -> str:
    words = [w for part in one.path.split("/") if part and "{" not in part for w in parts(part)]
    words = [w for w in words if w not in ("api", "v1", "v2", "v", "1", "2") and w not in parts(one.name)]
    options = [f"{words[0]}_{one.name}"] if words else []
    options += ["_".join([*words, one.name])] if words else []
    options += [f"{one.name}_{one.method.lower()}"] if one.method else []
    options += [f"{one.name}_{k}" for k in range(2, MAX_OPERATIONS + 2)]
    return next((o for o in options if o not in taken), one.name)


# Shapes as JSON Schema.


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
