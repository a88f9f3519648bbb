"""Numbers that are given out again: a record that was retired and one in use have the same number, by which people speak of them.

Where people use no number yet, each record of the kind gets a file number. The retired record is about somebody else.
"""

from __future__ import annotations

from worldwright.blueprint.checked import Checked
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.model import Blueprint, FieldSpec
from worldwright.core.names import to_words
from worldwright.variants.drafting.goal_calls import name_entity, pick_free_name
from worldwright.variants.drafting.restyle import field_for
from worldwright.variants.drafting.twins import draft_retired, find_named_kinds, is_aggregated, make_twins
from worldwright.variants.layer import Draft, Layer


def _lay(checked: Checked) -> Draft | None:
    """Lay it on the kind that requests speak of most by name, and over which nothing is counted."""
    kinds = [cell for cell in find_named_kinds(checked) if not is_aggregated(checked, cell[0])]
    found = next((cell for cell in kinds if _is_number(checked, *cell)), None) or next(iter(kinds), None)
    if found is None:
        return None
    entity, number = found
    bp = checked.blueprint
    if not _is_number(checked, entity, number):
        number = field_for(checked, entity, "file_number", "our_file_number")
        bp = _add_number(checked, bp, entity, number)
    name = pick_free_name(bp.policies, "numbers_given_again", "retired_numbers")
    field = field_for(checked, entity, "retired_on", "record_retired_on")
    fields = {field: FieldSpec(type="date?", draw="none", says="When the record was retired. None: it is in use.")}
    another = f"any(o for o in {entity} if o.{field} is none and o.{number} is not none).{number}"
    changes = {number: another, field: "today - between(100, 900)"}
    mess = make_twins(bp, entity, f"{entity}_numbers_given_again", set=changes)
    says = (
        f"When a {name_entity(checked, entity)} record is retired (`{field}`), its {to_words(number)} is given out again. Whoever "
        "names a number means the record that is in use. Nothing is done with a retired one, and nothing is booked on it."
    )
    return draft_retired(checked, bp, mess, fields, name, says)


def _is_number(checked: Checked, entity: str, column: str) -> bool:
    """Return whether a text is drawn with digits: a serial, a plate, a licence."""
    draw = checked.draws.get((entity, column))
    return draw is not None and any(isinstance(p, n.Draw) and p.name == "digits" for p in n.walk(draw))


def _add_number(checked: Checked, bp: Blueprint, entity: str, number: str) -> Blueprint:
    """Give each record a file number; people speak of it by that, and searches find it by that."""
    spec, what = bp.entities[entity], name_entity(checked, entity)
    field = FieldSpec(type="text?", draw='f"{letters(2)}-{digits(5)}"', sort="content", says="Its number in our files.")
    called = (f"{what} {{{number}}}", f"the {what} with the {to_words(number)} {{{number}}}", *spec.called[:1])
    fields = {**spec.fields, number: field}
    entities = {**bp.entities, entity: spec.model_copy(update={"fields": fields, "called": called})}
    operations = {
        name: op.model_copy(update={"filters": (*op.filters, number), "shows": (*op.shows, number) if op.shows else ()})
        if op.search == entity
        else op
        for name, op in bp.operations.items()
    }
    mess = tuple(
        m.model_copy(update={"set": {**m.set, number: "none"}}) if m.layer == "duplicate" and m.in_ == entity else m
        for m in bp.mess
    )  # what was entered twice has no second number
    return bp.model_copy(update={"entities": entities, "operations": operations, "mess": mess})


LAYER = Layer(
    "world",
    "numbers by which people speak of records were given out again when others were retired; only one of the two is in use",
    "numbers given out again",
    _lay,
)
