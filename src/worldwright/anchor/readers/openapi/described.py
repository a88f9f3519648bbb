"""Endpoints that something else than an OpenAPI document describes: laid out as one, and read like one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from worldwright.anchor.claims.kinds import is_function
from worldwright.anchor.evidence import Field, Operation, Shape, Source
from worldwright.anchor.intake.uploads import Upload
from worldwright.anchor.names import fresh, identifier
from worldwright.anchor.names import parts as words_of
from worldwright.anchor.readers.openapi import read
from worldwright.anchor.readers.openapi.names import made_name, placeholders
from worldwright.anchor.readers.openapi.shapes import schema_of_values

_SMALL = frozenset({"a", "an", "the", "of", "for"})


@dataclass(slots=True)
class Endpoint:
    """A method on a path, with what is known of it."""

    method: str
    path: str
    at: str
    title: str = ""
    says: list[str] = field(default_factory=list)
    fields: dict[str, list[Field]] = field(default_factory=dict)
    """By place: path, query, header, body or answer."""
    examples: dict[str, Any] = field(default_factory=dict)
    """Of the body and of the answer."""
    statuses: dict[str, str] = field(default_factory=dict)


def describe_endpoints(found: Sequence[Endpoint], file: str) -> tuple[Operation, ...]:
    """The endpoints as operations; of one that is named twice, the fuller description."""
    best: dict[tuple[str, str], Endpoint] = {}
    for one in found:
        old = best.get((one.method, one.path))
        if old is None or _told(one) > _told(old):
            best[one.method, one.path] = one
    if not best:
        return ()
    paths: dict[str, Any] = {}
    taken: dict[str, None] = {}
    places: dict[str, Endpoint] = {}
    for one in best.values():
        title = [w for w in words_of(one.title) if w not in _SMALL]
        made = (
            identifier(title, "call") if is_function(one.title) and len(title) <= 6 else made_name(one.method, one.path)
        )
        name = fresh(made, taken)
        taken[name], places[name] = None, one
        paths.setdefault(one.path, {})[one.method.lower()] = {"operationId": name, **_described(one)}
    whole = {"openapi": "3.0.3", "info": {"title": "", "version": ""}, "paths": paths}
    return tuple(
        _placed(operation, places[operation.name], file)
        for operation in read([Upload(file, json.dumps(whole).encode())]).operations
        if operation.name in places
    )


def _told(one: Endpoint) -> int:
    return sum(map(len, one.fields.values())) + 2 * len(one.examples) + len(one.statuses) + bool(one.says)


def _placed(operation: Operation, one: Endpoint, file: str) -> Operation:
    """An operation with places in the document."""
    own = Source(file, one.at)
    places = {f.name: f.source for fields in one.fields.values() for f in fields}
    parameters = tuple(replace(p, source=places.get(p.name) or own) for p in operation.parameters)
    return replace(operation, parameters=parameters, source=own)


def _described(one: Endpoint) -> dict[str, Any]:
    known = {f.name: f for f in one.fields.get("path", ())}
    listed = [known.get(name) or Field(name, Shape("string")) for name in placeholders(one.path)]
    parameters = [
        {
            "name": f.name,
            "in": place,
            "required": place == "path" or f.required,
            "description": f.says,
            "schema": _schema(f),
        }
        for place, fields in (("path", listed), *((p, one.fields.get(p, [])) for p in ("query", "header")))
        for f in fields
    ]
    out: dict[str, Any] = {"summary": one.title, "description": " ".join(one.says[:4]), "parameters": parameters}
    body, answer = (_whole(one.fields.get(k, []), one.examples.get(k)) for k in ("body", "answer"))
    if body:
        out["requestBody"] = {"required": True, "content": {"application/json": {"schema": body}}}
    good = next((s for s in one.statuses if s.startswith("2")), "201" if one.method == "POST" else "200")
    content = {"content": {"application/json": {"schema": answer}}} if answer else {}
    out["responses"] = {good: {"description": one.statuses.get(good, "") or "ok", **content}}
    out["responses"] |= {s: {"description": text} for s, text in one.statuses.items() if s != good}
    return out


def _schema(one: Field) -> dict[str, Any]:
    shape = one.shape
    facts = {"format": shape.format, "enum": list(shape.enum), "description": one.says}
    kind = {"type": shape.kind} if shape.kind != "any" else {}
    items: dict[str, Any] = {"items": {}} if shape.kind == "array" else {}
    return {**kind, **items, **{k: v for k, v in facts.items() if v}}


def _whole(fields: Sequence[Field], example: Any) -> dict[str, Any]:
    """The schema of an object with these fields, and with what an example has beside them; nothing where there is neither."""
    seen = schema_of_values([example])
    if not fields:
        return seen
    inner = seen.get("properties", {}) if seen.get("type") == "object" else {}
    named = {f.name: {**inner.get(f.name, {}), **_schema(f)} for f in fields}
    return {"type": "object", "properties": {**inner, **named}, "required": [f.name for f in fields if f.required]}
