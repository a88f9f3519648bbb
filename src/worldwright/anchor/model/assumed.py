"""What a record of some kind usually has, where the evidence declares nothing of it. Assumptions, labelled as such.

Many servers say what their tools take and not what they answer. A list of channels of which only the id is known is no world;
that a channel has a name and a day on which it was made is safe to assume, and nothing in the contract speaks against it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from worldwright.anchor.evidence import Shape
from worldwright.anchor.model.attributes import codec_of, flavour_of, kind_of, state_like, word_table
from worldwright.anchor.model.intents import Noun
from worldwright.anchor.model.records import Attribute, Entity
from worldwright.anchor.model.synthesise import DESCRIBED
from worldwright.anchor.schema.shapes import is_untyped

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
    """Whether records of it are shown, and no answer is declared."""
    shown = [d.operation for d in entity.intents if d.kind in ("list", "get")]
    return bool(shown) and all(
        DESCRIBED in a.tags or (a.answer is None and a.output_schema is None) or is_untyped(a.output_schema)
        for a in shown
    )


def _attributes(entity: Entity) -> Iterator[Attribute]:
    noun: Noun = entity.noun
    taken = {a.name for a in entity.attributes} | {a.path[-1] for a in entity.attributes}
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
