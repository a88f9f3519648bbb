"""Claims that a schema makes by its form: conditions, words of a list, bounds, what is unique, required or referred to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from worldwright.anchor.evidence import Claim, Field, Operation, Resource, Shape, Source

_STATES = re.compile(r"(?:.*[_ ])?(?:status|state|stage|phase)\Z", re.IGNORECASE)
_READS = re.compile(r"(?:\A|[_.\-/])(?:get|list|search|find|read|fetch|query|count|describe|retrieve)(?:[_.\-/A-Z]|\Z)")
_FORM = "the form of the schema says it"
MOST_WORDS = 60
"""Words of a list that are written out."""


def structure_claims(resource: Resource) -> Iterator[Claim]:
    """Yield what the form of a thing states.

    Of a table that was uploaded as SQL, what is required and what refers to what are left out: the draft is made of just that.
    """
    if resource.origin == "schema":
        yield from _of_schema(resource)
        return
    whole = resource.origin == "document"
    if not whole and resource.origin != "table":
        return
    own = resource.source or Source("")
    for check in resource.checks:
        yield _claim(f"{resource.name}: {check}", "must", own, resource)
    for group in resource.unique:
        one = next((f for f in resource.fields if f.name == group[0]), None)
        at = one.source if one is not None and len(group) == 1 and one.source else own
        yield _claim(f"{resource.name}: {', '.join(group)} unique", "unique", at, resource)
    for field in resource.fields:
        yield from _of_field(resource, field, whole)
    needed = [
        f.name for f in resource.fields if f.required and not f.key and not f.read_only and f.shape.default is None
    ]
    if whole and needed:
        yield _claim(f"{resource.name}: {', '.join(needed)} required", "required", own, resource)


def _of_schema(resource: Resource) -> Iterator[Claim]:
    """What the schema of an API states of values that somebody gives and does not say in words: choices, bounds and defaults."""
    for field in resource.fields:
        at, name, shape = field.source or resource.source or Source(""), f"{resource.name}.{field.name}", field.shape
        words = [w for w in shape.enum if isinstance(w, str) and len(w) > 1]
        said = field.says or shape.says
        if field.read_only:
            continue
        if len(words) > 1 and sum(w in said for w in words) < 2:
            kind = "state" if _STATES.match(field.name) else "values"
            yield _claim(f"{name} is one of {', '.join(words[:MOST_WORDS])}", kind, at, resource)
        bounds = (
            _bounds(replace(shape, pattern=""), True, False) if shape.kind in ("integer", "number", "array") else ""
        )
        if bounds:
            yield _claim(f"{name} is {bounds}", "bound", at, resource)
        if isinstance(shape.default, (str, int, float)) and shape.default != "" and "default" not in said.lower():
            yield _claim(f"{name} is {shape.default} by default", "default", at, resource)


def _of_field(resource: Resource, field: Field, whole: bool) -> Iterator[Claim]:
    at = field.source or resource.source or Source("")
    name, shape = f"{resource.name}.{field.name}", field.shape
    if shape.enum:
        words = ", ".join(map(str, shape.enum[:MOST_WORDS]))
        yield _claim(f"{name} is one of {words}", "state" if _STATES.match(field.name) else "values", at, resource)
    signless = any(f.key and f.shape.minimum == 0 for f in resource.fields)
    bounds = _bounds(shape, whole, signless)
    if bounds:
        yield _claim(f"{name} is {bounds}", "bound", at, resource)
    if not whole:
        return
    if field.refers_to:
        yield _claim(f"{name} refers to {field.refers_to}", "refers", at, resource)
    if field.unique and (field.name,) not in resource.unique:
        yield _claim(f"{name} is unique", "unique", at, resource)
    if shape.default not in (None, "") and not field.key:
        yield _claim(f"{name} is {shape.default} by default", "default", at, resource)


def operation_claims(operation: Operation) -> Iterator[Claim]:
    """Yield what the form of an operation that changes something states: what it needs, and the words that a value can be."""
    if operation.read_only or operation.method in ("GET", "HEAD") or _is_read(operation.name):
        return
    own, changing = operation.source or Source(""), operation.parameters
    for p in changing:
        words = [w for w in p.shape.enum if isinstance(w, str) and len(w) > 1]
        said = sum(w in p.says for w in words) > 1
        if len(words) > 1 and p.place in ("argument", "body") and not said:
            kind = "state" if _STATES.match(p.name) else "values"
            says = f"{operation.name}: {p.name} is one of {', '.join(words[:MOST_WORDS])}"
            yield Claim(says, kind, p.source or own, operation.name, "business", _FORM)
    needed = [p.name for p in changing if p.required and p.place in ("argument", "body")]
    if len(needed) > 1:
        yield Claim(f"{operation.name} needs {', '.join(needed)}", "required", own, operation.name, "business", _FORM)


def _is_read(name: str) -> bool:
    return bool(_READS.search(name))


def _bounds(shape: Shape, whole: bool, signless: bool) -> str:
    if (
        signless
        and shape.kind == "integer"
        and shape.minimum == 0
        and (shape.maximum or 0) in (0, 255, 65535, 4294967295)
    ):
        return ""  # only the type of the column
    parts = [
        f"at least {shape.minimum:g}" if shape.minimum is not None else "",
        f"at most {shape.maximum:g}" if shape.maximum is not None else "",
        f"at least {shape.shortest} long" if whole and shape.shortest else "",
        f"like {shape.pattern}" if whole and shape.pattern else "",
    ]
    return " and ".join(p for p in parts if p)


def _claim(says: str, kind: str, source: Source, resource: Resource) -> Claim:
    return Claim(says, kind, source, resource.name, "business", _FORM)
