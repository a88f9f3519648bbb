"""What the parameters of a list do: narrow it by a value, by bounds or by a text, and put it in order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from worldwright.anchor.evidence import Parameter
from worldwright.anchor.model.attributes import kind_of
from worldwright.anchor.model.described import read_description
from worldwright.anchor.model.grouping import stem_of_id
from worldwright.anchor.model.items import SCALARS, phrases
from worldwright.anchor.model.records import Attribute, Entity, OperationIntent
from worldwright.anchor.names import noun, parts
from worldwright.english.words import wordset

EQUAL = frozenset({"ref", "words", "state", "bool", "text"})
BOUNDED = frozenset({"date", "time", "int", "decimal", "money"})
MAX_FILTERS = 16
LEAST = wordset("after since from min minimum gt gte start begin starting newer greater")
MOST = wordset("before until to max maximum lt lte end ending older less")
"""Words of parameters that are the least, and the most, that a value may be."""
SEARCHED = phrases("q query search keyword keywords term search_term search_text search_query")
NAMES = ("name", "title", "subject", "label", "summary", "description", "email", "text")
"""Words of texts that are looked through, the likeliest first."""
SORTS = phrases("sort sort_by order_by ordering sort_order sort_field orderby order")
FILLERS = wordset("filter at on by date time value of id the is")
"""Words that say nothing of which value is meant."""


@dataclass(frozen=True, slots=True)
class Filter:
    """One parameter of a list as an input of a search."""

    parameter: Parameter
    inputs: tuple[str, ...]
    """Of the search; two where a value has to be the same."""
    attribute: Attribute | None = None
    refers_to: str = ""
    codec: Mapping[str, Any] = field(default_factory=dict)
    """Of an order: the words of it."""


def read_filters(intent: OperationIntent, entity: Entity, used: Sequence[str]) -> Iterator[Filter]:
    """Every parameter that narrows or orders a list, none of those that are `used` already."""
    taken = set(used)
    named = {parameter for _, parameter in intent.under}
    for p in intent.operation.parameters:
        if p.name in named or p.place in ("path", "header", "cookie") or p.shape.kind not in (*SCALARS, "any"):
            continue
        found = _sort(p, entity) if parts(p.name) in SORTS else _filter(p, entity)
        if found is not None and not taken & set(found.inputs) and len(taken) < MAX_FILTERS:
            taken |= set(found.inputs)
            yield found


def _filter(p: Parameter, entity: Entity) -> Filter | None:
    words = parts(p.name)
    name = "_".join(w for w in words if w != "filter")
    own = next((a for a in entity.attributes if a.path == (p.name,) or a.name == name), None)
    if own is not None and own.kind in EQUAL:
        unknown = own.kind == "text" and p.required  # nobody could know what to say there
        return None if unknown or not _fits(p, own) else Filter(p, (own.name,), own, own.refers_to)
    low, high = bool(LEAST & set(words)), bool(MOST & set(words))
    if own is None and low != high:
        own = _bounded(words, entity)
    if own is not None and own.kind in BOUNDED and _fits(p, own):
        both = (f"{own.name}_from", f"{own.name}_to")
        return Filter(p, both[:1] if low and not high else both[1:] if high and not low else both, own)
    if words in SEARCHED and p.shape.kind == "string":
        searched = [a for word in NAMES for a in entity.attributes if a.kind == "text" and word in parts(a.last)]
        first = min(searched, key=lambda a: (len(a.path), a.flavour == "sentence"), default=None)
        return Filter(p, (first.name,), first) if first is not None else None
    stem = stem_of_id(p) or noun(p.name)
    refers = [a for a in entity.attributes if a.kind == "ref"]
    refers = [a for a in refers if a.refers_to == "_".join(stem) or noun(a.path[0]) == stem]
    if len(refers) == 1 and p.shape.kind != "boolean":
        return Filter(p, (refers[0].name,), refers[0], refers[0].refers_to)
    return None


def _bounded(words: Sequence[str], entity: Entity) -> Attribute | None:
    """The value that bounds are of: the one they name, or else the day on which something was made."""
    wanted = {w for w in words if w not in LEAST | MOST | FILLERS}
    bounded = [a for a in entity.attributes if a.kind in BOUNDED]
    if wanted:
        named = [a for a in bounded if wanted <= set(parts(a.last)) | {w.removesuffix("d") for w in parts(a.last)}]
        return min(named, key=lambda a: (len(a.path), len(a.name)), default=None)
    dated = [a for a in bounded if a.kind in ("date", "time") and len(a.path) == 1]
    return min(dated, key=lambda a: "created" not in parts(a.last), default=None)


def _fits(p: Parameter, a: Attribute) -> bool:
    """Tell whether a parameter is written as values of an attribute are."""
    if a.kind in ("words", "state"):
        return not p.shape.enum or all(str(w) in a.words for w in p.shape.enum if isinstance(w, str))
    if a.kind in ("int", "decimal", "money"):
        return p.shape.kind in ("integer", "number")
    if a.kind in ("date", "time"):
        return p.shape.kind == "string" or kind_of(a.path, p.shape) == a.kind
    return a.kind != "bool" or p.shape.kind == "boolean"


def _sort(p: Parameter, entity: Entity) -> Filter | None:
    """An order that is one of some words: `created_at`, `-name`, `name_desc`; `asc` and `desc` go by the day."""
    words = [w for w in read_description(p.says, p.shape)[0].enum if isinstance(w, str)]
    table = {w: order for w in words if (order := _order(w, entity))}
    if not table:
        return None
    first = next(iter(table.values()))
    return Filter(p, ("sort",), codec={"as": "words", "words": {w: table.get(w, first) for w in words}})


def _order(word: str, entity: Entity) -> str:
    said = parts(word)
    down = word.startswith("-") or bool({"desc", "descending"} & set(said))
    name = "_".join(w for w in said if w not in ("asc", "desc", "ascending", "descending"))
    named = (a for a in entity.attributes if a.name == name and a.kind not in ("json", "list"))
    found = next(named, None) if name else _bounded((), entity)
    return "" if found is None else f"{found.name}_desc" if down else found.name
