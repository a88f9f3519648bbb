"""Lists of objects inside of a record: each is a table of its own, whose rows hang under the record.

    {"id": 7, "line_items": [{"sku": "A1", "quantity": 2}]}

is an order with lines. A list whose objects are things with operations of their own stays what it is: a view of those.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from worldwright.anchor.evidence import Field, Shape
from worldwright.anchor.model.attributes import codec_of, flavour_of, kind_of, word_table
from worldwright.anchor.model.intents import Noun
from worldwright.anchor.model.items import SCALARS, iter_leaves
from worldwright.anchor.model.records import Attribute, Child, Path
from worldwright.anchor.names import fresh, identifier, parts
from worldwright.english.nouns import singular

MAX_CHILD_LISTS, MAX_CHILD_VALUES = 3, 10
"""Lists of one record, and values of one element."""
MIN_CHILD_VALUES = 2
"""Values below which a list of objects is not worth a table."""


def child_of(
    path: Path,
    part: Field,
    what: Noun,
    names: Mapping[Noun, str],
    taken: Collection[str],
    used: Collection[str],
    said: Field | None,
) -> Child | None:
    """The table that a list is; None for what is no list of objects, or one of things that there are already.

    `said` is the list as somebody gives it who makes a record; None where nobody does."""
    items = part.shape.items
    if part.shape.kind != "array" or items is None or items.kind != "object" or not items.fields:
        return None
    last = parts(path[-1])
    own: Noun = (*last[:-1], singular(last[-1])) if last else ()
    if not own or own in names or (*what, *own) in names or not all(w.isascii() for w in own):
        return None
    found = [(p, f) for p, f in iter_leaves(items) if f.shape.kind in SCALARS and len(p) <= 2][:MAX_CHILD_VALUES]
    if len(found) < MIN_CHILD_VALUES:
        return None
    owner = names[what]
    inside: dict[str, None] = {owner: None}
    attributes: list[Attribute] = []
    for at, field in found:
        attribute = _attribute(at, field, _told(said, at), own, {*inside, *RESERVED})
        inside[attribute.name] = None
        attributes.append(attribute)
    name = fresh(identifier((*what, *own), "part"), {*names.values(), *used})
    way = fresh(identifier([w for step in path for w in parts(step)], "parts"), {*taken, *RESERVED})
    return Child(name, path, own, tuple(attributes), way, owner, said is not None, part.source)


RESERVED = frozenset({"id", "sort", "limit", "offset", "row", "x", "p", "l", "r"})


def _told(said: Field | None, path: Path) -> Field | None:
    """A value of an element as it is given; None where it is not."""
    fields = said.shape.items.fields if said is not None and said.shape.items is not None else {}
    return dict(iter_leaves(Shape("object", fields=fields))).get(path)


def _attribute(path: Path, field: Field, told: Field | None, what: Noun, taken: Collection[str]) -> Attribute:
    kind = kind_of(path, field.shape)
    words = word_table(field.shape) if kind == "words" else {}
    name = fresh(identifier([w for step in path for w in parts(step)], "field"), taken)
    return Attribute(
        name, path, field.shape, kind, codec_of(kind, field.shape, words), told is None or not told.required or len(path) > 1,
        flavour_of(path, field.shape, what) if kind == "text" else "", words, given=told is not None,
        says=field.says or field.shape.says,
    )  # fmt: skip


def list_input(child: Child, types: Mapping[str, Any]) -> dict[str, Any]:
    """A list as an input of the operation that makes the record."""
    return {"list": dict(types), "min": 0, "max": 20}
