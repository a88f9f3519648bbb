"""Fields that follow from other records: totals and counts of lines, names of what is referred to.

An invoice whose lines have quantities and prices is worth what these come to; `comments_count` counts the comments; `customer_name`
beside a customer is the name that the customer has. It is kept so only where nobody says the value: a contract that takes one has
its reasons, and so have records that came with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from worldwright.anchor.evidence import Field, Resource
from worldwright.anchor.model.agreement import name_of_owner
from worldwright.anchor.model.operations import BlueprintOperation
from worldwright.anchor.model.reasons import Reason
from worldwright.anchor.model.records import Attribute, Child, Entity
from worldwright.anchor.names import parts
from worldwright.english.nouns import singular

TOTALS = frozenset({"total", "subtotal"})
QUANTITIES = frozenset({"quantity", "qty", "units", "pieces"})
PRICES = frozenset({"price", "rate"})
AMOUNTS = frozenset({"amount", "total", "subtotal"})
LINES = frozenset({"line", "item", "detail", "position", "entry", "row", "charge", "product"})
"""Last words of what a total is made of: `invoice_line`, `order_details`."""
PARTIAL = frozenset({"tax", "discount", "shipping", "fee", "net", "paid", "due", "count", "number", "lines", "items"})
"""Words of totals that are of something else."""
_WAY = re.compile(r"\bas (\w+)")


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


# before operations are made up


def columns_from_lines(resource: Resource, resources: Sequence[Resource]) -> frozenset[str]:
    """Columns of a table that nobody has to fill: totals of lines in another table."""
    lines = [t for t in resources if t is not resource and _is_line(parts(t.name)) and _refers(t.fields, resource)]
    if not any(_priced([(f.name, f.shape.kind) for f in t.fields]) for t in lines):
        return frozenset()
    return frozenset(f.name for f in resource.fields if _is_total(parts(f.name)) and f.shape.kind == "number")


def _refers(fields: Iterable[Field], resource: Resource) -> bool:
    return any(f.refers_to == resource.name for f in fields)


def _priced(columns: Iterable[tuple[str, str]]) -> bool:
    names = [parts(name) for name, kind in columns if kind in ("integer", "number")]
    return any(PRICES & set(n) for n in names) and any(QUANTITIES & set(n) for n in names)


# in the Blueprint


def find_totals(
    entities: Sequence[Entity], made: Sequence[BlueprintOperation], specs: Mapping[str, Any]
) -> Iterator[Total]:
    """Every value that nobody says and other records come to."""
    said = {(m.entity.name, t.attribute.name) for m in made for t in m.takes if t.attribute is not None}
    by_name = {e.name: e for e in entities}
    for entity in entities:
        seeded = {name for row in specs[entity.name].get("seeds", ()) for name in row}
        unique = {name for group in specs[entity.name].get("unique", ()) for name in group}
        own = [a for a in entity.attributes if (entity.name, a.name) not in said and a.name not in unique]
        for total in [a for a in own if a.kind == "money" and _is_total(parts(a.last))][:1]:
            yield from list(_from_lines(entity, total, entities, specs))[:1]
        for a in own:
            if a.kind == "int" and a.name not in seeded:
                yield from list(_counted(entity, a, entities, specs))[:1]
            if a.name not in seeded and (named := name_of_owner(a, entity, by_name)):
                kind = specs[entity.name]["fields"][a.name]["type"]
                spec = {"type": kind if kind.endswith("?") else f"{kind}?", "computed": named}
                yield Total(
                    entity.name, a.name, spec, "", f"`{'.'.join(a.path)}` is what `{named.partition('.')[0]}` is called"
                )


def _counted(entity: Entity, a: Attribute, entities: Sequence[Entity], specs: Mapping[str, Any]) -> Iterator[Total]:
    """How many rows hang under a record, where a number is named so."""
    words = parts(a.last)
    named = words[:-1] if words[-1:] == ("count",) else words[1:] if words[:1] in (("num",), ("number",)) else ()
    what = tuple(w for w in named if w != "of")
    lines: list[Entity | Child] = [*entity.children, *(r for r in entities if r is not entity)]
    for line in lines if what else ():
        way = _way(specs[line.name]["fields"], entity.name)
        if way and singular(what[-1]) == line.noun[-1]:
            why = f"`{'.'.join(a.path)}` says how many there are, and nobody says it"
            yield Total(entity.name, a.name, {"type": "int", "kept": f"count(x for x in {way})"}, line.name, why)


def _from_lines(
    entity: Entity, total: Attribute, entities: Sequence[Entity], specs: Mapping[str, Any]
) -> Iterator[Total]:
    lines: list[Entity | Child] = [*entity.children, *(r for r in entities if r is not entity)]
    for line in lines:
        if not _is_line(line.noun):
            continue
        worth = _worth(line.attributes)
        way = _way(specs[line.name]["fields"], entity.name)
        if worth and way:
            lines_of = line.name.replace("_", " ")
            why = f"a {lines_of} has a quantity and a price, or an amount, and nobody says the `{total.name}`"
            kept = {"type": "money", "kept": f"sum({worth} for l in {way})"}
            yield Total(entity.name, total.name, kept, line.name, why)


def _way(fields: Mapping[str, Any], entity: str) -> str:
    """Return what the rows are called from the record that they belong to."""
    for spec in fields.values():
        text = str(spec.get("type", "") if isinstance(spec, Mapping) else spec)
        found = _WAY.search(text)
        if found is not None and text.split()[0].rstrip("?") == entity:
            return found[1]
    return ""


def _worth(attributes: Sequence[Attribute]) -> str:
    """Return what one line comes to, in its own fields; empty where it does not say."""
    money = [a for a in attributes if a.kind == "money"]
    price = next((a for a in money if PRICES & set(parts(a.last))), None)
    often = [a for a in attributes if a.kind in ("int", "decimal") and QUANTITIES & set(parts(a.last))]
    if price is not None and often:
        return f"round(coalesce(l.{often[0].name}, 0) * coalesce(l.{price.name}, 0), 2)"
    amount = next((a for a in money if AMOUNTS & set(parts(a.last))), None)
    return f"coalesce(l.{amount.name}, 0)" if amount is not None else ""


def _is_total(words: Sequence[str]) -> bool:
    return bool(TOTALS & set(words)) and not PARTIAL & set(words)


def _is_line(noun: Sequence[str]) -> bool:
    return bool(noun) and noun[-1].removesuffix("s") in LINES


def apply_totals(found: Iterable[Total], specs: dict[str, Any], sources: Mapping[str, str]) -> tuple[Reason, ...]:
    """Puts what follows into the entities, and says why."""
    out = []
    for total in found:
        spec = specs[total.entity]
        own = spec["fields"][total.field]
        spec["fields"][total.field] = {**total.spec, **{k: own[k] for k in ("says",) if k in own}}
        spec["seeds"] = [{k: v for k, v in row.items() if k != total.field} for row in spec.get("seeds", ())]
        if not spec["seeds"]:
            del spec["seeds"]
        source = sources.get(total.lines or total.entity, "")
        comes = "its lines" if total.lines else "what it refers to"
        out.append(Reason(f"{total.field} of {total.entity} follows from {comes}", total.why, source))
    return tuple(out)
