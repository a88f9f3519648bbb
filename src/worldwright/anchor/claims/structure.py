"""Claims that a schema makes by its form: conditions, words of a list, bounds, what is unique, required or referred to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from worldwright.anchor.evidence import Claim, Field, Operation, Resource, Shape, Source

_STATES = re.compile(r"(?:.*[_ ])?(?:status|state|stage|phase)\Z", re.IGNORECASE)
_READS = re.compile(r"(?:\A|[_.\-/])(?:get|list|search|find|read|fetch|query|count|describe|retrieve)(?:[_.\-/A-Z]|\Z)")
_FORM = ("business", "the form of the schema says it")
_UNSIGNED = (0, 255, 65535, 4294967295)
MOST_WORDS = 60
"""Words of a list that are written out."""

Stated = tuple[str, str, Source | None]
"""What is said after the name of a thing, its kind and its place, where it has one of its own."""


def structure_claims(resource: Resource) -> Iterator[Claim]:
    """Yield what the form of a thing states.

    Of a table that was uploaded as SQL, what is required and what refers to what are left out: the draft is made of just that.
    """
    own = resource.source or Source("")
    find = {"schema": _of_schema, "document": _of_table, "table": _of_table}.get(resource.origin)
    for says, kind, source in find(resource) if find else ():
        yield Claim(f"{resource.name}{says}", kind, source or own, resource.name, *_FORM)


def _of_schema(resource: Resource) -> Iterator[Stated]:
    """What the schema of an API states of values that somebody gives and does not say in words: choices, bounds and defaults."""
    for field in (f for f in resource.fields if not f.read_only):
        shape, said = field.shape, field.says or field.shape.says
        words = _unsaid_words(shape, said)
        if words:
            yield _one_of(f".{field.name}", field, words)
        bounds = _bounds(shape, shape.shortest) if shape.kind in ("integer", "number", "array") else ""
        if bounds:
            yield f".{field.name} is {bounds}", "bound", field.source
        if isinstance(shape.default, (str, int, float)) and shape.default != "" and "default" not in said.lower():
            yield f".{field.name} is {shape.default} by default", "default", field.source


def _of_table(resource: Resource) -> Iterator[Stated]:
    """What a table states: all of it where a document shows it, only its constraints where it was uploaded."""
    whole = resource.origin == "document"
    yield from ((f": {check}", "must", None) for check in resource.checks)
    for group in resource.unique:
        places = [f.source for f in resource.fields if group == (f.name,)]
        yield f": {', '.join(group)} unique", "unique", next(iter(places), None)
    signless = any(f.key and f.shape.minimum == 0 for f in resource.fields)
    for field in resource.fields:
        name, shape, at = f".{field.name}", field.shape, field.source
        if shape.enum:
            yield _one_of(name, field, shape.enum)
        typed = signless and shape.kind == "integer" and shape.minimum == 0 and (shape.maximum or 0) in _UNSIGNED
        bounds = _bounds(shape, shape.shortest, shape.pattern) if whole else _bounds(shape)
        if bounds and not typed:
            yield f"{name} is {bounds}", "bound", at
        if whole and field.refers_to:
            yield f"{name} refers to {field.refers_to}", "refers", at
        if whole and field.unique and (field.name,) not in resource.unique:
            yield f"{name} is unique", "unique", at
        if whole and shape.default not in (None, "") and not field.key:
            yield f"{name} is {shape.default} by default", "default", at
    given = (f for f in resource.fields if not f.key and not f.read_only and f.shape.default is None)
    needed = [f.name for f in given if f.required]
    if whole and needed:
        yield f": {', '.join(needed)} required", "required", None


def operation_claims(operation: Operation) -> Iterator[Claim]:
    """Yield what the form of an operation that changes something states: what it needs, and the words that a value can be."""
    if operation.read_only or operation.method in ("GET", "HEAD") or _READS.search(operation.name):
        return
    own, given = operation.source or Source(""), [p for p in operation.parameters if p.place in ("argument", "body")]
    for p in given:
        words = _unsaid_words(p.shape, p.says)
        if words:
            kind = "state" if _STATES.match(p.name) else "values"
            says = f"{operation.name}: {p.name} is one of {', '.join(words[:MOST_WORDS])}"
            yield Claim(says, kind, p.source or own, operation.name, *_FORM)
    needed = [p.name for p in given if p.required]
    if len(needed) > 1:
        yield Claim(f"{operation.name} needs {', '.join(needed)}", "required", own, operation.name, *_FORM)


def _unsaid_words(shape: Shape, said: str) -> list[str]:
    """The words that a value can be, where there are several and its description does not name them."""
    words = [w for w in shape.enum if isinstance(w, str) and len(w) > 1]
    return words if len(words) > 1 and sum(w in said for w in words) < 2 else []


def _one_of(name: str, field: Field, words: Sequence[object]) -> Stated:
    kind = "state" if _STATES.match(field.name) else "values"
    return f"{name} is one of {', '.join(map(str, words[:MOST_WORDS]))}", kind, field.source


def _bounds(shape: Shape, shortest: int | None = None, pattern: str = "") -> str:
    parts = [f"at {word} {n:g}" for word, n in (("least", shape.minimum), ("most", shape.maximum)) if n is not None]
    parts += [f"at least {shortest} long"] if shortest else []
    return " and ".join([*parts, f"like {pattern}"] if pattern else parts)
