"""Where the inputs of an operation stand among the parameters of an action: by name, by type, and by the words of enums."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from worldwright.anchor.base.words import match_words, meanings
from worldwright.anchor.evidence import Operation, Shape
from worldwright.anchor.model.items import LIMITS, OFFSETS, PAGES, id_form, iter_leaves
from worldwright.anchor.model.records import Path
from worldwright.anchor.names import parts
from worldwright.blueprint.checked import Checked, Input
from worldwright.blueprint.types import Type
from worldwright.engine.contract import Take
from worldwright.english.words import wordset

MIN_LIKENESS = 0.5
"""From this likeness on a parameter is an input."""
SAME_HEAD = 0.65
"""The likeness of names of which only the last word is the same."""
IDS = frozenset({"id", "ids", "uuid", "gid", "key", "number", "no", "code", "ref", "reference", "identifier"})
"""Last words of parameters that name a record."""
_FROM = frozenset({"min", "minimum", "from", "after", "since", "gte", "start", "above", "over", "least"})
_TO = frozenset({"max", "maximum", "to", "before", "until", "lte", "end", "below", "under", "by", "most"})
_ALIASES = """
    quantity qty count units; note comment remark remarks notes message text reason justification explanation memo;
    body text content message reply answer; price cost rate; needed_by due_date required_by need_by_date
    delivery_date needed_on; name title label; description item details; reference transaction_id
    transaction_reference payment_reference reference_number; amount total value sum; valid_until expires_on
    expiry_date valid_to expiration_date; bank_account iban account_number; tax_number tax_id vat_number vat_id;
    payment_days payment_terms payment_terms_days; email mail email_address; dated_on invoice_date date; expected_on
    delivery_date expected_delivery expected_date; lines items line_items positions entries; reason cause why;
    verdict decision outcome
"""
"""Names that are used for one another."""
_SAME: tuple[frozenset[str], ...] = tuple(frozenset(group.split()) for group in _ALIASES.split(";"))
_HARMLESS = frozenset({"string", "boolean", "any", "object"})
_ASIDE = wordset(
    "order_by sort sort_by sort_order order_type order_direction direction fields include expand format embed locale "
    "lang language dry_run idempotency_key"
)
"""Parameters that are about the answer or the call, not about the business."""
_TENANTS = wordset(
    "tenant hotel shop store company organization organisation workspace site merchant property branch location "
    "subsidiary chain client"
)
"""Whose ids say which business is meant: here there is only one."""
STEERING = ("limit", "offset", "sort")
"""Inputs of a search that say nothing of the rows."""
SEARCH = frozenset({"query", "q", "search", "keyword", "keywords", "term", "text"})


@dataclass(frozen=True, slots=True)
class EvidenceInput:
    """A value that an action takes."""

    at: Path
    shape: Shape
    required: bool

    @property
    def words(self) -> tuple[str, ...]:
        return parts(self.at[-1])

    @property
    def path_words(self) -> tuple[str, ...]:
        """With those of what it stands in."""
        return tuple(word for name in self.at if name != "body" for word in parts(name))


@dataclass(frozen=True, slots=True)
class InputMapping:
    """Where the inputs of one operation stand."""

    takes: Mapping[str, Take]
    missing: tuple[str, ...]
    """Inputs that the operation needs and the action does not give."""
    idle: tuple[str, ...]
    """Parameters that have no place."""
    wrong: tuple[str, ...] = ()
    """Of those, the ones that cannot be ignored."""
    share: float = field(default=0.0)
    """How many of the parameters have a place."""


def list_inputs(operation: Operation) -> tuple[EvidenceInput, ...]:
    """Everything that an action takes; objects laid flat, lists whole."""
    out: list[EvidenceInput] = []
    for p in operation.parameters:
        if p.place in ("header", "cookie") or "_".join(parts(p.name)) in _ASIDE:
            continue
        inner = list(iter_leaves(p.shape)) if p.shape.kind == "object" and p.shape.fields else []
        out += [EvidenceInput((p.name, *at), part.shape, p.required and part.required) for at, part in inner]
        out += [] if inner else [EvidenceInput((p.name,), p.shape, p.required)]
    body = operation.body
    if body is not None and body.kind == "object" and not any(p.place == "body" for p in operation.parameters):
        out += [EvidenceInput(("body", *at), part.shape, part.required) for at, part in iter_leaves(body)]
    return tuple(out)


def map_inputs(
    inputs: Sequence[Input], values: Sequence[EvidenceInput], checked: Checked, subject: str, fixed: Mapping[str, Any]
) -> InputMapping:
    """Each input with the parameter that is most like it, every parameter once."""
    searches = any(i.name == "limit" for i in inputs)
    steering = _paging(values) if searches else {}
    used = {take.at for take in steering.values()}
    free = [v for v in values if v.at not in used]
    wanted = [i for i in inputs if i.name not in fixed and not (searches and i.name in STEERING)]
    takes = {**_assigned(wanted, free, checked, subject), **steering}
    if searches:
        takes |= _searched(wanted, free, takes)
    missing = tuple(i.name for i in wanted if i.name not in takes and not i.optional and i.default is None)
    done = {take.at for take in takes.values()}
    idle = [v for v in free if v.at not in done]
    wrong = [v for v in idle if v.required and not _of_the_house(v, checked) and (searches or not _harmless(v))]
    return InputMapping(
        dict(sorted(takes.items())), missing, tuple(".".join(v.at) for v in idle), tuple(".".join(v.at) for v in wrong),
        1 - len(idle) / len(values) if values else 1.0,
    )  # fmt: skip


def _of_the_house(value: EvidenceInput, checked: Checked) -> bool:
    """Tell whether a value only says which business is meant."""
    words = value.words
    return bool(words) and words[0] in _TENANTS and words[0] not in checked.blueprint.entities and len(words) < 3


def _harmless(value: EvidenceInput) -> bool:
    """Tell whether a call may bring a value along that has no place; a record, a number or a day would be said in vain."""
    names_one = value.words[-1:] in (("id",), ("uuid",))
    return value.shape.kind in _HARMLESS and not names_one and "date" not in value.shape.format


def _assigned(
    wanted: Sequence[Input], free: Sequence[EvidenceInput], checked: Checked, subject: str
) -> dict[str, Take]:
    ranked: list[tuple[float, int, int, Take]] = []
    for a, i in enumerate(wanted):
        for b, value in enumerate(free):
            likeness = _likeness(i, value, checked, subject)
            take = take_input(i, value, checked) if likeness >= MIN_LIKENESS else None
            if take is not None:
                ranked.append((likeness, a, b, take))
    out: dict[str, Take] = {}
    taken: set[int] = set()
    for _, a, b, take in sorted(ranked, key=lambda r: (-r[0], r[1], r[2])):
        if wanted[a].name not in out and b not in taken:
            out[wanted[a].name] = take
            taken.add(b)
    return out


# names


def _likeness(i: Input, value: EvidenceInput, checked: Checked, subject: str) -> float:
    words = value.words
    if not words:
        return 0.0
    if i.type.kind == "ref":
        return _as_reference(i, words, checked, subject)
    if i.name in ("_".join(words), "_".join(value.path_words)):
        return 1.0
    *base, end = parts(i.name)
    bound = {"from": _FROM, "to": _TO}.get(end) if base else None
    if bound:  # `total_from` is a lower bound of the total
        rest = [w for w in words if w not in bound]
        return 0.8 if len(rest) < len(words) and _words_alike(rest, base) >= 0.6 else 0.0
    alike = _words_alike(words, parts(i.name))
    return alike if alike != SAME_HEAD or not _contradicts(parts(i.name), value) else 0.0


def _contradicts(wanted: Sequence[str], value: EvidenceInput) -> bool:
    """Tell whether each of two names that end alike says something that the other does not: a `unit_amount_value` is not the
    `value` of a `discount`, a `country_code` no `postal_code`."""
    one, other = set(meanings(" ".join(wanted))), set(meanings(" ".join(value.path_words)))
    return bool(one - other) and bool(other - one)


def _as_reference(i: Input, words: tuple[str, ...], checked: Checked, subject: str) -> float:
    entity = checked.blueprint.entities[i.type.entity]
    rest = words[:-1] if len(words) > 1 and words[-1] in IDS else words
    if words in (("id",), ("uuid",), ("gid",), ("key",)):
        return 0.9 if i.type.entity == subject else 0.0
    said = meanings(" ".join(rest))
    names = [m for m in (meanings(i.name), meanings(i.type.entity), meanings(entity.noun)) if m]
    if said in names or "_".join(rest) == i.name:
        return 1.0 if said == names[0] or "_".join(rest) == i.name else 0.9
    return 0.7 if said and any(said[-1] == m[-1] and 1 in (len(said), len(m)) for m in names) else 0.0


def _words_alike(said: Sequence[str], wanted: Sequence[str]) -> float:
    one, other = meanings(" ".join(said)), meanings(" ".join(wanted))
    if one and one == other:
        return 0.95
    if any("_".join(said) in group and "_".join(wanted) in group for group in _SAME):
        return 0.8
    return SAME_HEAD if one and other and one[-1] == other[-1] else 0.0


# values


_READ: Mapping[str, Mapping[str, str]] = {
    "text": {"string": "text", "any": "text"},
    "int": {"integer": "integer", "number": "integer", "any": "integer"},
    "money": {"number": "number", "integer": "number", "any": "number"},
    "bool": {"boolean": "boolean", "any": "boolean"},
    "date": {"string": "date", "any": "date"},
    "time": {"integer": "seconds", "string": "moment"},
}
"""By what an input is and the kind of a shape, how a value is read."""


def take_input(
    i: Input, value: EvidenceInput, checked: Checked, inside: Mapping[str, str] = MappingProxyType({})
) -> Take | None:
    """How a parameter is read as an input; None where it cannot be. `inside` says where parts of an element of a list stand."""
    if i.parts:
        return _list(i, value, checked, inside)
    codec = codec_in(i.type, value.shape, value.words, checked)
    return None if codec is None else Take(value.at, codec)


def _list(i: Input, value: EvidenceInput, checked: Checked, said: Mapping[str, str]) -> Take | None:
    """A list of objects, each part of an element with its place in it: where it is said, else by name."""
    items = value.shape.items
    if value.shape.kind != "array" or items is None or not items.fields or i.parts[0].name == "":
        return None
    inside = [EvidenceInput(at, part.shape, part.required) for at, part in iter_leaves(items)]
    places = {".".join(one.at): one for one in inside}
    told = {p.name: take_input(p, places[said[p.name]], checked) for p in i.parts if said.get(p.name) in places}
    each = {name: take for name, take in told.items() if take is not None}
    if len(each) < len(said):
        return None
    free = [one for one in inside if ".".join(one.at) not in said.values()]
    each |= _assigned([p for p in i.parts if p.name not in each], free, checked, i.parts[0].type.entity)
    needed = [p.name for p in i.parts if not p.optional and p.default is None and p.name not in each]
    return None if needed or not each else Take(value.at, {}, each)


def codec_in(kind: Type, shape: Shape, words: Sequence[str], checked: Checked) -> dict[str, Any] | None:
    """Return how a parameter of this shape is read as such an input; None where it cannot be."""
    of, what = shape.kind, "money" if kind.kind in ("decimal", "foreign") else kind.kind
    if what == "ref":
        key = checked.blueprint.entities[kind.entity].key
        return (
            {"as": "id", "key": key, "form": id_form(shape)} if of in ("string", "integer", "number", "any") else None
        )
    if what == "enum":
        return _enum(kind, shape) if of in ("string", "any") else None
    if what == "money" and of == "integer" and {"cents", "minor"} & set(words):
        return {"as": "cents"}
    if what == "money" and of == "string":
        plain = shape.format in ("", "decimal", "currency", "money") and not shape.enum
        return {"as": "number_text"} if plain else None
    dated = what not in ("date", "time") or shape.format in ("", "date", "date-time", "datetime")
    worded = of in ("string", "any") and (shape.enum or not dated)
    found = _READ.get(what, {}).get(of)
    return {"as": found} if found and not worded else None


def _enum(kind: Type, shape: Shape) -> dict[str, Any] | None:
    """The words of the contract with those of the Blueprint that mean the same."""
    if not shape.enum:
        return {"as": "words", "words": {v: v for v in kind.values}}
    table = match_words(shape.enum, kind.values)
    return {"as": "words", "words": table} if table else None


# searches


def _paging(values: Sequence[EvidenceInput]) -> dict[str, Take]:
    out: dict[str, Take] = {}
    for value in values:
        for name, known, turned in (("limit", LIMITS, ""), ("offset", OFFSETS, ""), ("offset", PAGES, "page")):
            if value.words in known and value.shape.kind in ("integer", "number"):
                out.setdefault(name, Take(value.at, {"as": "integer"}, turned=turned))
    return out


def _searched(wanted: Sequence[Input], free: Sequence[EvidenceInput], takes: Mapping[str, Take]) -> dict[str, Take]:
    """A free search text, for the first text that rows can be found by."""
    texts = [i for i in wanted if i.type.kind == "text" and i.name not in takes]
    done = {take.at for take in takes.values()}
    asked = [v for v in free if v.at not in done and SEARCH & set(v.words) and v.shape.kind in ("string", "any")]
    return {texts[0].name: Take(asked[0].at, {"as": "text"})} if texts and asked else {}
