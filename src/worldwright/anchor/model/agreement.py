"""Rows that agree with each other: dates in order, names and currencies as in the record that is referred to, totals of lines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from worldwright.anchor.evidence import Resource
from worldwright.anchor.model.dates import MADE, dated_of, draw_dates
from worldwright.anchor.model.draws import draw_text
from worldwright.anchor.model.meaning_cues import IDENTITY
from worldwright.anchor.model.operations import BlueprintOperation
from worldwright.anchor.model.reasons import Reason
from worldwright.anchor.model.records import Attribute, Child, Entity
from worldwright.anchor.names import parts
from worldwright.core.ids import KeyFormat
from worldwright.english.nouns import singular
from worldwright.english.words import wordset

IDS = frozenset({"id", "uuid", "guid", "gid"})
NAMES = ("name", "full_name", "title", "label")
"""Fields that say what a record is called."""
NAMING = frozenset({IDENTITY, "person", "company", "label", "department", "product", ""})
"""Meanings of a text that is called like another thing: it says which one."""
SAFE_ROWS = 18
"""Records that there are of everything, whatever is done to a world later."""
COUNTRIES = ("country", "country_code", "country_code_3", "country_name")
PLACED = ("street", "city", "region", "postcode", "phone", "timezone", "address")
_ID_OF = re.compile(r"\b(?:ID|identifier) of (?:the|a|an|this) (\w+)", re.IGNORECASE)


def make_rows_agree(entities: Sequence[Entity], specs: dict[str, Any]) -> None:
    """Rewrite draws of a Blueprint's entities so that what rows say fits together.

    A draw reads what stands above it, so fields that follow from others move to the end."""
    by_name = {e.name: e for e in entities}
    for entity in entities:
        fields = specs[entity.name]["fields"]
        found = {field: owner for field, owner in _owners(entity, by_name).items() if field in fields}
        owners = dict(sorted(found.items(), key=lambda item: _is_optional(fields[item[0]])))
        _settle(entity.attributes, fields, owners, entity.state is not None, f"{entity.noun[-1]}_name")
        _point(entity.attributes, entity.name, specs, by_name)
        for child in entity.children:
            _settle(child.attributes, specs[child.name]["fields"], {child.owner: entity}, stated=False)
            _point(child.attributes, child.name, specs, by_name)


def _owners(entity: Entity, by_name: Mapping[str, Entity]) -> dict[str, Entity]:
    """By field, the things that records refer to or hang under."""
    refs = {a.name: a.refers_to for a in entity.attributes if a.refers_to}
    found = refs | {p: p for p in entity.parents if p not in refs}
    return {field: by_name[target] for field, target in found.items() if target in by_name}


def _is_optional(spec: Any) -> bool:
    return "?" in str(spec["type"] if isinstance(spec, Mapping) else spec).partition(" as ")[0]


def _settle(
    attributes: Sequence[Attribute], fields: dict[str, Any], owners: Mapping[str, Entity], stated: bool, named: str = ""
) -> None:
    """Put dates in order, what lies in a country after it, and what repeats an owner, or the name, after that."""
    draws = dict(draw_dates([d for d in dated_of(attributes) if d.name in fields], stated, _made(owners, fields)))
    abroad = any(a.flavour in COUNTRIES for a in attributes)
    for a in attributes:
        if a.name not in fields:
            continue
        if abroad and a.flavour in PLACED:
            fields[a.name] = fields.pop(a.name)
        copied = named if a.name == "name" and named in fields else copied_from(a, owners)
        if copied:
            own = fields[a.name].get("draw") or f"text_of({a.flavour or 'label'!r})"
            draws[a.name] = copied if a.optional else f"coalesce({copied}, {own})"
    for name, drawn in draws.items():
        rest = {k: v for k, v in fields.pop(name).items() if k != "draw"}
        fields[name] = rest | ({"draw": drawn} if drawn else {})


def _point(attributes: Sequence[Attribute], own: str, specs: dict[str, Any], by_name: Mapping[str, Entity]) -> None:
    """Draw ids of records that are there, for values that say they are ids and are kept as plain ones."""
    for a in attributes:
        drawn = draw_id(a, own, by_name, specs)
        field = specs[own]["fields"].get(a.name)
        if drawn and isinstance(field, dict):
            kind = f"text{'?' if a.optional else ''}" if a.kind == "text" else field["type"]
            field |= {"type": kind, "draw": f"{drawn} if chance(0.85) else none" if a.optional else drawn}


def draw_id(a: Attribute, own: str, by_name: Mapping[str, Entity], specs: Mapping[str, Any]) -> str:
    """The id of a record that is there, for a plain value that says it is one; empty for any other."""
    target = _find_target(a, own, by_name)
    if target is None:
        return ""
    if a.kind == "text":
        named = "" if a.flavour == IDENTITY or set(parts(a.last)) & IDS else _name_in(target)
        drawn = f"favourite(x for x in {target.name}).{named or 'id'}"
        return drawn if a.optional else f"coalesce({drawn}, {draw_text(a)})"
    key, last = KeyFormat.parse(specs[target.name]["key"]), min(specs[target.name]["rows"], SAFE_ROWS)
    return f"between({key.make(1)}, {key.make(last)})" if key is not None and target.key_form == "integer" else ""


def _find_target(a: Attribute, own: str, by_name: Mapping[str, Entity]) -> Entity | None:
    """The thing of this world that a plain value is the id of."""
    words = parts(a.last)
    words = words if len(words) > 1 or len(a.path) < 2 else (*parts(a.path[-2]), *words)
    told = _ID_OF.search(a.says) if a.kind == "text" else None
    stem: tuple[str, ...] = ()
    if len(words) > 1 and words[-1] in IDS:
        stem = words[:-1]
    elif len(words) > 1 and words[0] in IDS:
        stem = words[1:]
    elif told:
        stem = parts(told[1])
    elif words and a.kind == "text" and (a.flavour in NAMING or "_".join(words) in by_name):
        whole = (*words[:-1], singular(words[-1]))
        stem = whole if len(words) == 1 or "_".join(whole) in by_name else ()
    names = ["_".join(stem[k:]) for k in range(len(stem))] if a.kind in ("text", "int") else []
    return next((by_name[n] for n in names if n in by_name and n != own), None)


def _name_in(entity: Entity) -> str:
    """The field that says what a record is called; empty where it has none."""
    return next((b.name for n in NAMES for b in entity.attributes if b.name == n and b.kind == "text"), "")


def _made(owners: Mapping[str, Entity], fields: Mapping[str, Any]) -> str:
    """When the first of the owners that says so was made, as a moment."""
    for field, owner in owners.items():
        made = next((d for d in dated_of(owner.attributes) if d.role == MADE), None)
        if made is not None and not _is_optional(fields[field]):
            return f"{field}.{made.name}" if made.kind == "time" else f"at({field}.{made.name}, 8)"
    return ""


def copied_from(a: Attribute, owners: Mapping[str, Entity]) -> str:
    """The value of an owner that a text repeats: `customer.name` for `customer_name`, the currency of the order for its lines."""
    if a.kind != "text":
        return ""
    *stem, last = [w for step in a.path for w in parts(step)] or [""]
    for field, owner in owners.items():
        same = next((b.name for b in owner.attributes if b.flavour == "currency" and b.kind == "text"), "")
        if a.flavour == "currency" and same:
            return f"{field}.{same}"
        named = _name_in(owner)
        known = (tuple(w for w in parts(field) if w not in IDS), owner.noun)
        flat = last in ("name", "title") and parts(a.last)[:-1] in known
        if named and stem and (flat or (len(a.path) > 1 and parts(a.last) == (named,) and tuple(stem) in known)):
            return f"{field}.{named}"
    return ""


def follows_from_others(a: Attribute, entity: Entity, entities: Mapping[str, Entity]) -> bool:
    """Tell whether a value is drawn from what other fields or records say, so that rows agree."""
    target = _find_target(a, entity.name, entities)
    if a.kind != "text":
        return target is not None and target.key_form == "integer"
    own = a.name == "name" and any(b.name == f"{entity.noun[-1]}_name" for b in entity.attributes)
    return own or target is not None or bool(copied_from(a, _owners(entity, entities)))


def name_of_owner(a: Attribute, entity: Entity, entities: Mapping[str, Entity]) -> str:
    """What a text only repeats: how a record is called that is referred to. Empty where it says something of its own."""
    refs = {b.name: entities[b.refers_to] for b in entity.attributes if b.refers_to in entities}
    return copied_from(a, refs) if a.flavour != "currency" else ""


# Fields that follow from other records. An invoice whose lines have quantities and prices is worth what these come to;
# `customer_name` beside a customer is the name that the customer has. It is kept so only where nobody says the value: a contract
# that takes one has its reasons, and so have records that came with it.

TOTALS, AMOUNTS = wordset("total subtotal"), wordset("amount total subtotal")
QUANTITIES, PRICES = wordset("quantity qty units pieces"), wordset("price rate")
LINES = wordset("line item detail position entry row charge product")
"""Last words of what a total is made of: `invoice_line`, `order_details`."""
PARTIAL = wordset("tax discount shipping fee net paid due count number lines items")
"""Words of totals that are of something else."""
_COUNT = re.compile(r"(?:.*_)?([a-z]+)_count|num(?:ber)?_(?:.*_)?([a-z]+)")


@dataclass(frozen=True, slots=True)
class Total:
    """A field that is worked out."""

    entity: str
    field: str
    spec: Mapping[str, str]
    """Its type, and the expression under `kept` or `computed`."""
    lines: str
    """The entity that it is worked out from."""
    why: str


def columns_from_lines(resource: Resource, resources: Sequence[Resource]) -> frozenset[str]:
    """Columns of a table that nobody has to fill: totals of lines in another table."""
    for lines in resources:
        refers = any(f.refers_to == resource.name for f in lines.fields)
        names = {w for f in lines.fields if f.shape.kind in ("integer", "number") for w in parts(f.name)}
        if lines is not resource and _is_line(parts(lines.name)) and refers and names & PRICES and names & QUANTITIES:
            return frozenset(f.name for f in resource.fields if _is_total(f.name) and f.shape.kind == "number")
    return frozenset()


def find_totals(
    entities: Sequence[Entity], made: Sequence[BlueprintOperation], specs: Mapping[str, Any]
) -> Iterator[Total]:
    """Every value that nobody says and other records come to."""
    said = {(m.entity.name, t.attribute.name) for m in made for t in m.takes if t.attribute is not None}
    by_name = {e.name: e for e in entities}
    for entity in entities:
        others: list[Entity | Child] = [*entity.children, *(r for r in entities if r is not entity)]
        ways = [(line, way) for line in others if (way := _way(specs[line.name]["fields"], entity.name))]
        lines = [(line, way, _worth(line.attributes)) for line, way in ways if _is_line(line.noun)]
        seeded = {name for row in specs[entity.name].get("seeds", ()) for name in row}
        unique = {name for group in specs[entity.name].get("unique", ()) for name in group}
        own = [a for a in entity.attributes if (entity.name, a.name) not in said and a.name not in unique]
        for total in [a for a in own if a.kind == "money" and _is_total(a.last)][:1]:
            for line, way, worth in [found for found in lines if found[2]][:1]:
                named = line.name.replace("_", " ")
                why = f"a {named} has a quantity and a price, or an amount, and nobody says the `{total.name}`"
                kept = {"type": "money", "kept": f"sum({worth} for l in {way})"}
                yield Total(entity.name, total.name, kept, line.name, why)
        for a in (a for a in own if a.name not in seeded):
            counted = _COUNT.fullmatch("_".join(parts(a.last))) if a.kind == "int" else None
            noun = singular(counted[1] or counted[2]) if counted is not None else ""
            for line, way in [(line, way) for line, way in ways if line.noun[-1] == noun][:1]:
                why = f"`{'.'.join(a.path)}` says how many there are, and nobody says it"
                yield Total(entity.name, a.name, {"type": "int", "kept": f"count(x for x in {way})"}, line.name, why)
            if named := name_of_owner(a, entity, by_name):
                kind = specs[entity.name]["fields"][a.name]["type"]
                spec = {"type": kind if kind.endswith("?") else f"{kind}?", "computed": named}
                why = f"`{'.'.join(a.path)}` is what `{named.partition('.')[0]}` is called"
                yield Total(entity.name, a.name, spec, "", why)


def _way(fields: Mapping[str, Any], entity: str) -> str:
    """Return what the rows are called from the record that they belong to."""
    types = (str(spec.get("type", "") if isinstance(spec, Mapping) else spec) for spec in fields.values())
    found = (re.match(rf"{entity}\??\s.*?\bas (\w+)", text) for text in types)
    return next((match[1] for match in found if match), "")


def _worth(attributes: Sequence[Attribute]) -> str:
    """Return what one line comes to, in its own fields; empty where it does not say."""

    def first(kinds: Sequence[str], words: frozenset[str]) -> str:
        return next((a.name for a in attributes if a.kind in kinds and words & set(parts(a.last))), "")

    price, often, amount = first(["money"], PRICES), first(["int", "decimal"], QUANTITIES), first(["money"], AMOUNTS)
    if price and often:
        return f"round(coalesce(l.{often}, 0) * coalesce(l.{price}, 0), 2)"
    return f"coalesce(l.{amount}, 0)" if amount else ""


def _is_total(name: str) -> bool:
    return bool(TOTALS & set(parts(name))) and not PARTIAL & set(parts(name))


def _is_line(noun: Sequence[str]) -> bool:
    return bool(noun) and noun[-1].removesuffix("s") in LINES


def apply_totals(found: Iterable[Total], specs: dict[str, Any], sources: Mapping[str, str]) -> tuple[Reason, ...]:
    """Puts what follows into the entities, and says why."""
    out = []
    for total in found:
        spec = specs[total.entity]
        own = spec["fields"][total.field]
        spec["fields"][total.field] = {**total.spec, **{k: own[k] for k in ("says",) if k in own}}
        seeds = [{k: v for k, v in row.items() if k != total.field} for row in spec.pop("seeds", ())]
        spec |= {"seeds": seeds} if seeds else {}
        source = sources.get(total.lines or total.entity, "")
        comes = "its lines" if total.lines else "what it refers to"
        out.append(Reason(f"{total.field} of {total.entity} follows from {comes}", total.why, source))
    return tuple(out)
