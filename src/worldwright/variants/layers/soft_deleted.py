"""Soft deletion: records that were deleted still lie there, with the day on which they were. Searches give them like any other.

A deleted record says the same as the one that counts. Tools let it be used; only the handbook forbids it.
"""

from __future__ import annotations

from worldwright.blueprint.checked import Checked
from worldwright.blueprint.model import FieldSpec
from worldwright.english.nouns import plural
from worldwright.variants.drafting.goal_calls import name_entity, pick_free_name
from worldwright.variants.drafting.restyle import field_for
from worldwright.variants.drafting.twins import draft_retired, find_named_kinds, is_aggregated, make_twins
from worldwright.variants.layer import Draft, Layer


def _lay(checked: Checked) -> Draft | None:
    """Lay it on the kind that requests speak of most by name, and over which nothing is counted."""
    entity = next((name for name, _ in find_named_kinds(checked) if not is_aggregated(checked, name)), "")
    if not entity:
        return None
    bp, what = checked.blueprint, name_entity(checked, entity)
    name = pick_free_name(bp.policies, "deleted_records", "records_deleted_before")
    field = field_for(checked, entity, "deleted_on", "row_deleted_on")
    fields = {field: FieldSpec(type="date?", draw="none", says="When the record was deleted. None: it is in use.")}
    mess = make_twins(bp, entity, f"deleted_{entity}_rows", set={field: "today - between(20, 400)"})
    says = (
        f"Deleting a {what} only sets `{field}`; the record stays and searches still give it. Nothing is done with a deleted "
        f"{what}, nothing is booked on one, and {plural(what)} that are deleted are counted nowhere. Where two records say the "
        "same, the one that is not deleted is meant."
    )
    return draft_retired(checked, bp, mess, fields, name, says)


LAYER = Layer(
    "world",
    "deleted records of one kind still lie there and are found like others; nothing may be done with them",
    "deleted records that still lie there",
    _lay,
)
