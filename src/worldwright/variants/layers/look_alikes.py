"""Look-alikes: others of the same kind whose names are easily taken for the one that is meant, and namesakes from elsewhere.

Requests name the right one in full, or tell it from its namesake by something else that they say.
"""

from __future__ import annotations

from worldwright.blueprint.checked import Checked
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.schema import Column
from worldwright.core.names import to_words
from worldwright.english.nouns import plural
from worldwright.variants.drafting.goal_calls import name_entity
from worldwright.variants.drafting.restyle import add_note, note_for
from worldwright.variants.drafting.twins import add_twins, find_named_kinds, make_twins
from worldwright.variants.layer import Draft, Layer

MAX_KINDS = 2
"""Kinds that look-alikes are put among, at most."""


def _lay(checked: Checked) -> Draft | None:
    """Among the kinds that requests speak of most by name."""
    bp, labels, found = checked.blueprint, [], []
    for entity, column in find_named_kinds(checked)[:MAX_KINDS]:
        if checked.schema.entities[entity].columns[column].flavour not in ("person", "company", ""):
            continue
        mess = make_twins(
            bp,
            entity,
            f"{entity}_look_alikes",
            alike=(column,),
            set={c.name: f"any(o for o in {entity}).{c.name}" for c in _list_differing_columns(checked, entity, column)},
            vary=tuple(c.name for c in _given_columns(checked, entity) if c.flavour in ("email", "phone") and c.name != column),
        )  # fmt: skip
        labels.append(mess.label)
        bp = add_twins(bp, mess, {})
        found.append(f"{plural(name_entity(checked, entity))} by {to_words(column)}")
    if not labels:
        return None
    text = (
        f"Several of our {' and '.join(found)} look alike, a letter apart, and some are namesakes. They have nothing to do with "
        "each other. Compare the whole name letter by letter, and whatever else is said, before anything is done."
    )
    return Draft(
        add_note(bp, note_for(checked, "names_that_look_alike"), text), tuple(f"mess:{label}" for label in labels)
    )


def _given_columns(checked: Checked, entity: str) -> list[Column]:
    return [c for c in checked.schema.entities[entity].columns.values() if c.source == "given" and not c.state]


def _list_differing_columns(checked: Checked, entity: str, name: str) -> list[Column]:
    """List what somebody else has otherwise: of the columns by which rows are called, those that hold plain text or a word."""
    called = {
        part[0].name
        for way in checked.called.get(entity, ())
        for part in way.parts
        if not isinstance(part, str) and isinstance(part[0], n.Field)
    }
    unique = {column for group in checked.schema.entities[entity].unique for column in group}
    return [
        c
        for c in _given_columns(checked, entity)
        if c.name in called and c.name != name and c.name not in unique and c.type.kind in ("text", "enum")
        and c.flavour not in ("email", "phone")
    ]  # fmt: skip


LAYER = Layer(
    "world",
    "beside what requests name there are others whose names differ by a letter, and namesakes",
    "names that look alike",
    _lay,
)
