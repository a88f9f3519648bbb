"""Operations for evidence that has none: a schema, a data export or a model says what is kept, not what is done.

Each thing gets what a service over it would have: a list with filters, one record, a new one, a change; and a verb for every state
that it can be moved to. They come as actions like those of a contract, so that all that follows is the same.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from worldwright.anchor.evidence import Field, Operation, Parameter, Resource, Shape
from worldwright.anchor.model.agreement import columns_from_lines
from worldwright.anchor.model.attributes import STATES, codec_of, kind_of, state_like, word_table
from worldwright.anchor.model.intents import Noun
from worldwright.anchor.model.lifecycles import BEGINNINGS, OF_VERBS
from worldwright.anchor.model.meanings import meaning_of as flavour_of
from worldwright.anchor.model.records import Attribute, Entity
from worldwright.anchor.names import fresh, identifier, noun, parts
from worldwright.anchor.schema.shapes import is_untyped
from worldwright.core.names import to_words
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
    """Tell whether a table holds nothing but references."""
    return len(resource.fields) >= 2 and all(f.refers_to for f in resource.fields)


def _of(resource: Resource, what: str, follows: Collection[str]) -> Iterator[Operation]:
    """`follows` are columns that nobody fills."""
    said, key = to_words(what), _key(resource)
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
    """Tell whether it is a plain value, or an object with some in it."""
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
        "properties": {p.name: _make_plain_schema(p.shape, p.says) for p in parameters},
        "required": [p.name for p in parameters if p.required],
        "additionalProperties": False,
    }


def _make_plain_schema(shape: Shape, says: str, depth: int = 0) -> dict[str, Any]:
    out: dict[str, Any] = {"type": shape.kind} if shape.kind in PLAIN else {}
    if shape.kind == "object":
        inside = {n: f for n, f in shape.fields.items() if _says_something(f.shape, depth + 1)}
        out = {
            "type": "object",
            "properties": {n: _make_plain_schema(f.shape, f.says, depth + 1) for n, f in inside.items()},
        }
    facts = {
        "enum": list(shape.enum) or None, "format": shape.format or None, "maxLength": shape.longest, "description": says or None,
        "minimum": shape.minimum, "maximum": shape.maximum,
    }  # fmt: skip
    return out | {k: v for k, v in facts.items() if v is not None}


# What a record of some kind usually has, where the evidence declares nothing of it. Assumptions, labelled as such.
#
# Many servers say what their tools take and not what they answer. A list of channels of which only the id is known is no world;
# that a channel has a name and a day on which it was made is safe to assume, and nothing in the contract speaks against it.


ENOUGH = 3
"""Attributes from which on nothing is assumed."""
TEXT, NUMBER, DAY, MOMENT = (
    Shape("string"),
    Shape("number"),
    Shape("string", format="date"),
    Shape("string", format="date-time"),
)
COUNT = Shape("integer", minimum=0, maximum=500)


def _words(*values: str) -> Shape:
    return Shape("string", enum=values)


_PERSON: Mapping[str, Shape] = {
    "name": TEXT,
    "email": Shape("string", format="email"),
    "created_at": MOMENT,
    "active": Shape("boolean"),
}
_WORK: Mapping[str, Shape] = {
    "title": TEXT,
    "status": _words("open", "in_progress", "closed"),
    "priority": _words("low", "normal", "high"),
    "created_at": MOMENT,
}
_MONEY: Mapping[str, Shape] = {"amount": NUMBER, "status": _words("open", "paid", "cancelled"), "created_at": MOMENT}
_TEXTS: Mapping[str, Shape] = {"text": TEXT, "created_at": MOMENT, "likes": COUNT}
_FILES: Mapping[str, Shape] = {
    "name": TEXT,
    "size": Shape("integer", minimum=1, maximum=9000),
    "kind": _words("text", "image", "table"),
    "modified_at": MOMENT,
}
_PLACES: Mapping[str, Shape] = {"name": TEXT, "members": COUNT, "created_at": MOMENT, "archived": Shape("boolean")}
_EVENTS: Mapping[str, Shape] = {
    "title": TEXT,
    "starts_on": DAY,
    "attendees": COUNT,
    "status": _words("planned", "held", "cancelled"),
}
_GOODS: Mapping[str, Shape] = {"name": TEXT, "price": NUMBER, "stock": COUNT, "created_at": MOMENT}
_ANY: Mapping[str, Shape] = {"name": TEXT, "quantity": COUNT, "created_at": MOMENT}
KINDS: Mapping[str, Mapping[str, Shape]] = {
    word: fields
    for words, fields in (
        (
            "user person member contact customer employee client agent candidate patient guest owner author profile lead",
            _PERSON,
        ),
        ("issue ticket task request case story bug todo item pull merge", _WORK),
        ("order invoice payment bill charge refund quote deal expense transaction subscription", _MONEY),
        ("message comment reply note post review email mail thread answer", _TEXTS),
        ("file document attachment image photo page report directory folder content", _FILES),
        ("channel repository project group team board list workspace branch database segment campaign", _PLACES),
        ("event meeting appointment booking reservation call session", _EVENTS),
        ("product sku variant article part device vehicle", _GOODS),
    )
    for word in words.split()
}
"""By the last word of a noun, what one has."""


def complete_entity(entity: Entity) -> tuple[Entity, tuple[str, ...]]:
    """The resource with what can be assumed of it, and the names of what was."""
    if not _undeclared(entity) or len(entity.attributes) >= ENOUGH:
        return entity, ()
    added = tuple(_attributes(entity))
    return replace(entity, attributes=(*entity.attributes, *added)), tuple(a.name for a in added)


def _undeclared(entity: Entity) -> bool:
    """Tell whether records of it are shown, and no answer is declared."""
    shown = [d.operation for d in entity.intents if d.kind in ("list", "get")]
    return bool(shown) and all(
        DESCRIBED in a.tags or (a.answer is None and a.output_schema is None) or is_untyped(a.output_schema)
        for a in shown
    )


def _attributes(entity: Entity) -> Iterator[Attribute]:
    noun: Noun = entity.noun
    taken = {a.name for a in entity.attributes} | {a.last for a in entity.attributes}
    stated = entity.state is not None
    made = any(d.kind == "create" for d in entity.intents)
    for name, shape in KINDS.get(noun[-1] if noun else "", _ANY).items():
        if name in taken:
            continue
        path = (name,)
        kind = kind_of(path, shape)
        if state_like(path, kind):
            if stated:
                continue
            kind = "state"
        table = word_table(shape) if kind in ("words", "state") else {}
        flavour = flavour_of(path, shape, noun) if kind == "text" else ""
        yield Attribute(name, path, shape, kind, codec_of(kind, shape, table), made, flavour, table)
