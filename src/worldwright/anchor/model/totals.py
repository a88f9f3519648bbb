"""Totals that follow from lines: an invoice whose lines have quantities and prices is worth what these come to.

It is kept so only where nobody says the total: a contract that takes one has its reasons.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from worldwright.anchor.evidence import Field, Resource
from worldwright.anchor.model.operations import BlueprintOperation
from worldwright.anchor.model.reasons import Reason
from worldwright.anchor.model.records import Attribute, Child, Entity
from worldwright.anchor.names import parts

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
    kept: str
    lines: str
    """The entity that it is worked out from."""


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
    """Every total that nobody says and lines come to."""
    said = {(m.entity.name, t.attribute.name) for m in made for t in m.takes if t.attribute is not None}
    for entity in entities:
        wanted = [a for a in entity.attributes if a.kind == "money" and _is_total(parts(a.path[-1]))]
        for total in wanted[:1]:
            if (entity.name, total.name) not in said:
                yield from list(_from_lines(entity, total, entities, specs))[:1]


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
            yield Total(entity.name, total.name, f"sum({worth} for l in {way})", line.name)


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
    price = next((a for a in money if PRICES & set(parts(a.path[-1]))), None)
    often = [a for a in attributes if a.kind in ("int", "decimal") and QUANTITIES & set(parts(a.path[-1]))]
    if price is not None and often:
        return f"round(coalesce(l.{often[0].name}, 0) * coalesce(l.{price.name}, 0), 2)"
    amount = next((a for a in money if AMOUNTS & set(parts(a.path[-1]))), None)
    return f"coalesce(l.{amount.name}, 0)" if amount is not None else ""


def _is_total(words: Sequence[str]) -> bool:
    return bool(TOTALS & set(words)) and not PARTIAL & set(words)


def _is_line(noun: Sequence[str]) -> bool:
    return bool(noun) and noun[-1].removesuffix("s") in LINES


def apply_totals(found: Iterable[Total], specs: dict[str, Any], sources: Mapping[str, str]) -> tuple[Reason, ...]:
    """Puts totals into the entities, and says why they are there."""
    out = []
    for total in found:
        spec = specs[total.entity]
        own = spec["fields"][total.field]
        spec["fields"][total.field] = {
            "type": "money",
            "kept": total.kept,
            **{k: own[k] for k in ("says",) if k in own},
        }
        spec["seeds"] = [{k: v for k, v in row.items() if k != total.field} for row in spec.get("seeds", ())]
        if not spec["seeds"]:
            del spec["seeds"]
        lines = total.lines.replace("_", " ")
        why = f"a {lines} has a quantity and a price, or an amount, and nobody says the `{total.field}`"
        out.append(Reason(f"{total.field} of {total.entity} follows from its lines", why, sources.get(total.lines, "")))
    return tuple(out)
