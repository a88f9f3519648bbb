"""Operations for evidence that has none: a schema, a data export or a model says what is kept, not what is done.

Each thing gets what a service over it would have: a list with filters, one record, a new one, a change; and a verb for every state
that it can be moved to. They come as actions like those of a contract, so that all that follows is the same.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

from worldwright.anchor.evidence import Field, Operation, Parameter, Resource, Shape
from worldwright.anchor.model.attributes import STATES
from worldwright.anchor.model.lifecycles import BEGINNINGS, OF_VERBS
from worldwright.anchor.model.totals import columns_from_lines
from worldwright.anchor.names import fresh, identifier, noun, parts
from worldwright.core.names import words
from worldwright.english.nouns import article, plural

DESCRIBED = "described"
"""A tag of actions on what a document only describes: it may well have more than is said."""
PLAIN = frozenset({"string", "integer", "number", "boolean"})
MAX_FILTERS = 6
MAX_OBJECT_DEPTH = 3
"""Objects within objects."""
PAGE = (Parameter("limit", "argument", Shape("integer")), Parameter("offset", "argument", Shape("integer")))


def synthesise_operations(resources: Sequence[Resource]) -> tuple[Operation, ...]:
    """Actions over everything that is kept; nothing for tables that only join two others."""
    taken: dict[str, None] = {}
    out: list[Operation] = []
    for resource in resources:
        what = identifier(noun(resource.name), "record")
        if _joins(resource):
            continue
        for operation in _of(resource, what, columns_from_lines(resource, resources)):
            name = fresh(operation.name, taken)
            taken[name] = None
            out.append(replace(operation, name=name))
    return tuple(out)


def _joins(resource: Resource) -> bool:
    """Whether a table holds nothing but references."""
    return len(resource.fields) >= 2 and all(f.refers_to for f in resource.fields)


def _of(resource: Resource, what: str, follows: Collection[str]) -> Iterator[Operation]:
    """`follows` are columns that nobody fills."""
    said, key = words(what), _key(resource)
    by = Parameter(f"{what}_id", "argument", key.shape if key is not None else Shape("string"), True)
    own = [f for f in resource.fields if f is not key and _says_something(f.shape) and not f.read_only]
    record = Shape("object", name=resource.name, fields={"id": Field("id", by.shape, True), **{f.name: f for f in own}})
    listed = Shape("object", fields={plural(what): Field(plural(what), Shape("array", items=record), True)})
    filters = tuple(_optional(f) for f in own if f.refers_to or f.shape.enum or f.shape.kind == "boolean")[:MAX_FILTERS]
    texts = tuple(_optional(f) for f in own if f.shape.kind == "string" and not f.shape.enum and not f.shape.format)[:2]
    yield _action(
        f"list_{plural(what)}", f"List {plural(said)}.", (*filters, *texts, *PAGE), listed, resource, read=True
    )
    yield _action(f"get_{what}", f"Get {article(said)}.", (by,), record, resource, read=True)
    given = [f for f in own if f.name != _state(own) and f.name not in follows]
    needed = tuple(Parameter(f.name, "argument", f.shape, f.required and f.shape.default is None) for f in given)
    yield _action(f"create_{what}", f"Create {article(said)}.", needed, record, resource)
    changed = tuple(_optional(f) for f in given)
    if changed:
        yield _action(f"update_{what}", f"Change {article(said)}.", (by, *changed), record, resource)
    for verb in _verbs(own):
        yield _action(f"{verb}_{what}", f"{verb.capitalize()} {article(said)}.", (by,), record, resource)


def _says_something(shape: Shape, depth: int = 0) -> bool:
    """Whether it is a plain value, or an object with some in it."""
    if shape.kind == "object" and depth < MAX_OBJECT_DEPTH:
        return any(_says_something(f.shape, depth + 1) for f in shape.fields.values())
    return shape.kind in PLAIN


def _key(resource: Resource) -> Field | None:
    if len(resource.key) == 1:
        return next((f for f in resource.fields if f.name == resource.key[0]), None)
    return next((f for f in resource.fields if parts(f.name) == ("id",)), None)


def _optional(f: Field) -> Parameter:
    return Parameter(f.name, "argument", f.shape, False, f.says, f.source)


def _state(own: Sequence[Field]) -> str:
    return next((f.name for f in own if f.shape.enum and parts(f.name)[-1:] and parts(f.name)[-1] in STATES), "")


def _verbs(own: Sequence[Field]) -> Iterator[str]:
    """A verb for each state that something is moved to."""
    field = next((f for f in own if f.name == _state(own)), None)
    used: dict[str, None] = {}
    for word in field.shape.enum if field is not None else ():
        state = "_".join(parts(str(word)))
        leading = [v for v, leads in OF_VERBS.items() if leads[0] == state] or [
            v for v, leads in OF_VERBS.items() if state in leads
        ]
        verb = next((v for v in leading if v[:4] == state[:4]), leading[0] if leading else "")
        if verb and verb not in used and state not in BEGINNINGS:
            used[verb] = None
            yield verb


def _action(
    name: str, says: str, parameters: tuple[Parameter, ...], answer: Shape, resource: Resource, read: bool = False
) -> Operation:
    return Operation(
        name, says, parameters=parameters, answer=answer, input_schema=_schema(parameters), read_only=True if read else None,
        tags=(DESCRIBED,) if resource.origin == "document" else (), source=resource.source,
    )  # fmt: skip


def _schema(parameters: Sequence[Parameter]) -> dict[str, Any]:
    """The arguments as JSON Schema."""
    return {
        "type": "object",
        "properties": {p.name: _plain(p.shape, p.says) for p in parameters},
        "required": [p.name for p in parameters if p.required],
        "additionalProperties": False,
    }


def _plain(shape: Shape, says: str, depth: int = 0) -> dict[str, Any]:
    out: dict[str, Any] = {"type": shape.kind} if shape.kind in PLAIN else {}
    if shape.kind == "object":
        inside = {n: f for n, f in shape.fields.items() if _says_something(f.shape, depth + 1)}
        out = {"type": "object", "properties": {n: _plain(f.shape, f.says, depth + 1) for n, f in inside.items()}}
    facts = {
        "enum": list(shape.enum) or None, "format": shape.format or None, "maxLength": shape.longest, "description": says or None,
        "minimum": shape.minimum, "maximum": shape.maximum,
    }  # fmt: skip
    return out | {k: v for k, v in facts.items() if v is not None}
