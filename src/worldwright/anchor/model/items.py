"""The record inside of an answer or a body: envelopes taken off, nested objects laid flat.

    {"data": [{"id": 1, "owner": {"name": "Ann"}}], "meta": {...}}

is a list of records under `data`; each has `id` and `owner.name`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from worldwright.anchor.evidence import Field, Shape
from worldwright.anchor.model.intents import Noun
from worldwright.anchor.model.records import Path
from worldwright.anchor.names import noun as noun_of
from worldwright.anchor.names import parts

WRAPPERS = frozenset(
    {
        "data",
        "items",
        "results",
        "result",
        "records",
        "entries",
        "list",
        "value",
        "values",
        "content",
        "rows",
        "elements",
        "response",
    }
)
"""Names of properties that only hold what was asked for."""
PAGING = frozenset(
    {
        "meta", "links", "total", "count", "page", "pages", "next", "previous", "prev", "cursor", "limit", "offset", "has", "size",
        "per", "paging", "pagination", "metadata", "object", "type", "url", "errors", "error", "success", "status", "message",
        "warnings", "search", "criteria", "first", "last", "self", "order", "token",
    }
)  # fmt: skip
"""First words of properties beside a list that are about the list."""
MAX_FLATTENED_DEPTH = 3
"""Levels of objects that are laid flat."""
SCALARS = frozenset({"string", "integer", "number", "boolean"})


@dataclass(frozen=True, slots=True)
class Item:
    """A record, or a list of records, and where it stands."""

    path: Path
    shape: Shape
    many: bool


def find_item(shape: Shape | None, what: Noun) -> Item | None:
    """The record in a shape; None where there is nothing like one."""
    if shape is None:
        return None
    if shape.kind == "array" and shape.items is not None:
        return Item((), shape.items, True) if shape.items.kind in ("object", "any") else None
    if shape.kind != "object":
        return None
    found = _inside(shape, what)
    if found is not None:
        return found
    return Item((), shape, False) if shape.fields or shape.open else None


def _inside(shape: Shape, what: Noun) -> Item | None:
    """What an envelope holds: the one list of objects, or the object under a name that says so."""
    lists = [
        f for f in shape.fields.values() if f.shape.kind == "array" and f.shape.items and f.shape.items.kind == "object"
    ]
    named = [f for f in lists if _names(f.name, what)]
    others = [f for f in shape.fields.values() if f not in lists]
    if named or (len(lists) == 1 and all(parts(f.name)[:1] and parts(f.name)[0] in PAGING for f in others)):
        chosen = (named or lists)[0]
        assert chosen.shape.items is not None
        return Item((chosen.name,), chosen.shape.items, True)
    objects = [f for f in shape.fields.values() if f.shape.kind == "object" and f.shape.fields and _names(f.name, what)]
    if objects and all(
        f in objects or (parts(f.name)[:1] and parts(f.name)[0] in PAGING) for f in shape.fields.values()
    ):
        inner = find_item(objects[0].shape, what)
        if inner is not None:
            return Item((objects[0].name, *inner.path), inner.shape, inner.many)
    return None


def _names(name: str, what: Noun) -> bool:
    words = noun_of(name)
    return bool(words) and (words[-1] in WRAPPERS or "_".join(parts(name)) in WRAPPERS or words in (what, what[-1:]))


def iter_leaves(shape: Shape, before: Path = ()) -> Iterator[tuple[Path, Field]]:
    """The values in a record, each with its path; lists and free objects as one value."""
    for name, part in shape.fields.items():
        inner = part.shape
        if inner.kind == "object" and inner.fields and not inner.cut and len(before) + 1 < MAX_FLATTENED_DEPTH:
            yield from iter_leaves(inner, (*before, name))
        else:
            yield (*before, name), part
