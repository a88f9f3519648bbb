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
        if len(resource.fields) >= 2 and all(f.refers_to for f in resource.fields):
            continue
        for operation in _of(resource, what, columns_from_lines(resource, resources)):
            name = fresh(operation.name, taken)
            taken[name] = None
            out.append(replace(operation, name=name))
    return tuple(out)


def _of(resource: Resource, what: str, follows: Collection[str]) -> Iterator[Operation]:
    """`follows` are columns that nobody fills."""
    key = next((f for f in resource.fields if (f.name,) == resource.key), None)
    if len(resource.key) != 1:
        key = next((f for f in resource.fields if parts(f.name) == ("id",)), None)
    by = Parameter(f"{what}_id", "argument", key.shape if key is not None else Shape("string"), True)
    own = [f for f in resource.fields if f is not key and _says_something(f.shape) and not f.read_only]
    states = next((f for f in own if f.shape.enum and parts(f.name)[-1:] and parts(f.name)[-1] in STATES), None)
    record = Shape("object", name=resource.name, fields={"id": Field("id", by.shape, True), **{f.name: f for f in own}})
    listed = Shape("object", fields={plural(what): Field(plural(what), Shape("array", items=record), True)})
    filters = [f for f in own if f.refers_to or f.shape.enum or f.shape.kind == "boolean"][:MAX_FILTERS]
    filters += [f for f in own if f.shape.kind == "string" and not f.shape.enum and not f.shape.format][:2]
    given = [f for f in own if f is not states and f.name not in follows]
    needed = [Parameter(f.name, "argument", f.shape, f.required and f.shape.default is None) for f in given]
    one, tags = article(to_words(what)), (DESCRIBED,) if resource.origin == "document" else ()

    def action(name: str, says: str, parameters: Sequence[Parameter], answer: Shape = record) -> Operation:
        return Operation(
            name, f"{says}.", parameters=tuple(parameters), answer=answer, input_schema=_schema(parameters),
            read_only=True if name.startswith(("list_", "get_")) else None, tags=tags, source=resource.source,
        )  # fmt: skip

    yield action(f"list_{plural(what)}", f"List {plural(to_words(what))}", [*map(_optional, filters), *PAGE], listed)
    yield action(f"get_{what}", f"Get {one}", [by])
    yield action(f"create_{what}", f"Create {one}", needed)
    if given:
        yield action(f"update_{what}", f"Change {one}", [by, *map(_optional, given)])
    for verb in dict.fromkeys(_verbs(states.shape.enum if states is not None else ())):
        yield action(f"{verb}_{what}", f"{verb.capitalize()} {one}", [by])


def _says_something(shape: Shape, depth: int = 0) -> bool:
    """Tell whether it is a plain value, or an object with some in it."""
    if shape.kind == "object" and depth < MAX_OBJECT_DEPTH:
        return any(_says_something(f.shape, depth + 1) for f in shape.fields.values())
    return shape.kind in PLAIN


def _optional(f: Field) -> Parameter:
    return Parameter(f.name, "argument", f.shape, False, f.says, f.source)


def _verbs(words: Sequence[Any]) -> Iterator[str]:
    """A verb for each state that something is moved to: the first that leads there, best one that is written like it."""
    for state in ("_".join(parts(str(word))) for word in words):
        leading = [v for v, leads in OF_VERBS.items() if leads[0] == state]
        leading = leading or [v for v, leads in OF_VERBS.items() if state in leads]
        if leading and state not in BEGINNINGS:
            yield next((v for v in leading if v[:4] == state[:4]), leading[0])


def _schema(parameters: Sequence[Parameter]) -> dict[str, Any]:
    """The arguments as JSON Schema."""
    return {
        "type": "object",
        "properties": {p.name: _make_plain_schema(p.shape, p.says) for p in parameters},
        "required": [p.name for p in parameters if p.required],
        "additionalProperties": False,
    }


def _make_plain_schema(shape: Shape, says: str, depth: int = 0) -> dict[str, Any]:
    inside = {n: f for n, f in shape.fields.items() if _says_something(f.shape, depth + 1)}
    facts = {
        "type": shape.kind, "properties": {n: _make_plain_schema(f.shape, f.says, depth + 1) for n, f in inside.items()} or None,
        "enum": list(shape.enum) or None, "format": shape.format or None, "maxLength": shape.longest, "description": says or None,
        "minimum": shape.minimum, "maximum": shape.maximum,
    }  # fmt: skip
    return {k: v for k, v in facts.items() if v is not None}


# What a record of some kind usually has, where the evidence declares nothing of it. Assumptions, labelled as such.
#
# Many servers say what their tools take and not what they answer. A list of channels of which only the id is known is no world;
# that a channel has a name and a day on which it was made is safe to assume, and nothing in the contract speaks against it.


ENOUGH = 3
"""Attributes from which on nothing is assumed."""
SHAPES: Mapping[str, Shape] = {
    "text": Shape("string"),
    "number": Shape("number"),
    "flag": Shape("boolean"),
    "email": Shape("string", format="email"),
    "day": Shape("string", format="date"),
    "moment": Shape("string", format="date-time"),
    "count": Shape("integer", minimum=0, maximum=500),
    "size": Shape("integer", minimum=1, maximum=9000),
}
USUAL: Mapping[str, str] = {
    "user person member contact customer employee client agent candidate patient guest owner author profile lead":
        "name:text email:email created_at:moment active:flag",
    "issue ticket task request case story bug todo item pull merge":
        "title:text status:open|in_progress|closed priority:low|normal|high created_at:moment",
    "order invoice payment bill charge refund quote deal expense transaction subscription":
        "amount:number status:open|paid|cancelled created_at:moment",
    "message comment reply note post review email mail thread answer":
        "text:text created_at:moment likes:count",
    "file document attachment image photo page report directory folder content":
        "name:text size:size kind:text|image|table modified_at:moment",
    "channel repository project group team board list workspace branch database segment campaign":
        "name:text members:count created_at:moment archived:flag",
    "event meeting appointment booking reservation call session":
        "title:text starts_on:day attendees:count status:planned|held|cancelled",
    "product sku variant article part device vehicle":
        "name:text price:number stock:count created_at:moment",
}  # fmt: skip
"""By the last words of nouns, what one has: the shape of each value, or the words that it is one of."""
ANYTHING = "name:text quantity:count created_at:moment"


def complete_entity(entity: Entity) -> tuple[Entity, tuple[str, ...]]:
    """The resource with what can be assumed of it where no answer is declared that shows one, and the names of what was."""
    shown = [d.operation for d in entity.intents if d.kind in ("list", "get")]
    typed = (a for a in shown if not (a.answer is None if a.output_schema is None else is_untyped(a.output_schema)))
    declared = any(DESCRIBED not in a.tags for a in typed)
    if not shown or declared or len(entity.attributes) >= ENOUGH:
        return entity, ()
    added = tuple(_attributes(entity))
    return replace(entity, attributes=(*entity.attributes, *added)), tuple(a.name for a in added)


def _attributes(entity: Entity) -> Iterator[Attribute]:
    taken = {name for a in entity.attributes for name in (a.name, a.last)}
    made = any(d.kind == "create" for d in entity.intents)
    usual = next((fields for words, fields in USUAL.items() if {*entity.noun[-1:]} & {*words.split()}), ANYTHING)
    for name, said in (one.split(":") for one in usual.split()):
        shape = SHAPES.get(said) or Shape("string", enum=tuple(said.split("|")))
        kind = kind_of((name,), shape)
        kind = "state" if state_like((name,), kind) else kind
        if name not in taken and not (kind == "state" and entity.state is not None):
            table = word_table(shape) if kind in ("words", "state") else {}
            flavour = flavour_of((name,), shape, entity.noun) if kind == "text" else ""
            yield Attribute(name, (name,), shape, kind, codec_of(kind, shape, table), made, flavour, table)
