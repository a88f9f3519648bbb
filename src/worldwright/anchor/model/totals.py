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

from worldwright.anchor.evidence import Resource
from worldwright.anchor.model.agreement import name_of_owner
from worldwright.anchor.model.operations import BlueprintOperation
from worldwright.anchor.model.reasons import Reason
from worldwright.anchor.model.records import Attribute, Child, Entity
from worldwright.anchor.names import parts
from worldwright.english.nouns import singular
from worldwright.english.words import wordset

TOTALS, AMOUNTS = wordset("total subtotal"), wordset("amount total subtotal")
QUANTITIES, PRICES = wordset("quantity qty units pieces"), wordset("price rate")
LINES = wordset("line item detail position entry row charge product")
"""Last words of what a total is made of: `invoice_line`, `order_details`."""
PARTIAL = wordset("tax discount shipping fee net paid due count number lines items")
"""Words of totals that are of something else."""


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
        lines = [(line, way) for line in others if (way := _way(specs[line.name]["fields"], entity.name))]
        seeded = {name for row in specs[entity.name].get("seeds", ()) for name in row}
        unique = {name for group in specs[entity.name].get("unique", ()) for name in group}
        own = [a for a in entity.attributes if (entity.name, a.name) not in said and a.name not in unique]
        for total in [a for a in own if a.kind == "money" and _is_total(a.last)][:1]:
            yield from list(_from_lines(entity, total, lines))[:1]
        for a in own:
            if a.name in seeded:
                continue
            if a.kind == "int":
                yield from list(_counted(entity, a, lines))[:1]
            if named := name_of_owner(a, entity, by_name):
                kind = specs[entity.name]["fields"][a.name]["type"]
                spec = {"type": kind if kind.endswith("?") else f"{kind}?", "computed": named}
                why = f"`{'.'.join(a.path)}` is what `{named.partition('.')[0]}` is called"
                yield Total(entity.name, a.name, spec, "", why)


def _counted(entity: Entity, a: Attribute, lines: Iterable[tuple[Entity | Child, str]]) -> Iterator[Total]:
    """How many rows hang under a record, where a number is named so."""
    words = parts(a.last)
    named = words[:-1] if words[-1:] == ("count",) else words[1:] if words[:1] in (("num",), ("number",)) else ()
    what = singular(named[-1]) if named and named != ("of",) else ""
    for line, way in lines:
        if what == line.noun[-1]:
            why = f"`{'.'.join(a.path)}` says how many there are, and nobody says it"
            yield Total(entity.name, a.name, {"type": "int", "kept": f"count(x for x in {way})"}, line.name, why)


def _from_lines(entity: Entity, total: Attribute, lines: Iterable[tuple[Entity | Child, str]]) -> Iterator[Total]:
    """What the lines of a record come to."""
    for line, way in lines:
        worth = _worth(line.attributes) if _is_line(line.noun) else ""
        if worth:
            lines_of = line.name.replace("_", " ")
            why = f"a {lines_of} has a quantity and a price, or an amount, and nobody says the `{total.name}`"
            kept = {"type": "money", "kept": f"sum({worth} for l in {way})"}
            yield Total(entity.name, total.name, kept, line.name, why)


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
