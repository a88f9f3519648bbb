"""Duplicates: records of one kind that were entered twice. The one that was confirmed last counts, be it the older or the newer.

Both have the same name. Tools let either be used; only the handbook says which.
"""

from __future__ import annotations

from worldwright.blueprint.checked import Checked
from worldwright.blueprint.model import CaseSpec, FieldSpec, PolicySpec
from worldwright.core.names import to_words
from worldwright.variants.drafting.goal_calls import name_entity, pick_free_name
from worldwright.variants.drafting.restyle import field_for
from worldwright.variants.drafting.twins import add_twins, find_named_kinds, is_aggregated, make_twins, obey_policy
from worldwright.variants.layer import Draft, Layer


def _lay(checked: Checked) -> Draft | None:
    """Lay it on the kind that requests speak of most by name, and over which nothing is counted."""
    kinds = [
        cell for cell in find_named_kinds(checked) if not is_aggregated(checked, cell[0]) and _names_one(checked, *cell)
    ]
    found = next(iter(kinds), None)
    if found is None:
        return None
    entity, column = found
    bp, what = checked.blueprint, name_entity(checked, entity)
    name = pick_free_name(bp.policies, "records_entered_twice", "second_records")
    field = field_for(checked, entity, "confirmed_on", "record_confirmed_on")
    draw = "today - between(60, 400)"
    fields = {field: FieldSpec(type="date?", draw=draw, says="When somebody last made sure that the record is right.")}
    newer = f"today - between(2, 40) if chance(0.6) else {field} - between(20, 300)"
    vary = [
        c.name
        for c in checked.schema.entities[entity].columns.values()
        if c.flavour in ("phone", "street") and c.source == "given" and c.name != column
    ]
    mess = make_twins(bp, entity, f"{entity}_entered_twice", vary=tuple(vary), set={field: newer})
    live = f"not exists(other for other in {entity} if other.{column} == {column} and other.{field} > {field})"
    policy = PolicySpec(
        about={"kept": entity},
        rule=f"not exists(other for other in {entity} if other.{column} == kept.{column} and other.{field} > kept.{field})",
        says=(
            f"Some were entered twice. Of two {what} records with the same {to_words(column)}, the one that was confirmed last "
            f"(`{field}`) counts, whichever number it has. Nothing is done with the other one, and nothing is booked on it."
        ),
        enforced="agent",
        cases=_cases(entity, column, field, bp.now),
    )
    out = obey_policy(checked, add_twins(bp, mess, fields, live), name, policy)
    return Draft(out, (f"mess:{mess.label}",))


def _names_one(checked: Checked, entity: str, column: str) -> bool:
    """Return whether two with the same name are the same: so with people and companies, not with what many have in common."""
    return checked.schema.entities[entity].columns[column].flavour in ("person", "company", "email")


def _cases(entity: str, column: str, field: str, now: str) -> tuple[CaseSpec, ...]:
    year = now[:4]
    kept = {f"kept.{column}": "North", f"kept.{field}": f"{year}-01-20"}
    other = {column: "North", field: f"{year}-01-10"}
    return (
        CaseSpec(allowed={**kept, entity: [other]}),
        CaseSpec(allowed={**kept, entity: [{column: "South", field: f"{year}-02-10"}]}),
        CaseSpec(forbidden={**kept, entity: [{**other, field: f"{year}-02-10"}]}),
    )


LAYER = Layer(
    "world",
    "records of one kind were entered twice under the same name; the one that was confirmed last counts",
    "records entered twice",
    _lay,
)
