"""Layers that write values otherwise than they are meant: a field of the row says in which way, and the handbook how to read it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from worldwright.blueprint.checked import Checked
from worldwright.blueprint.model import Blueprint, FieldSpec, MessSpec, ShownSpec
from worldwright.core.names import to_words
from worldwright.english.nouns import plural
from worldwright.variants.drafting.column_weights import expand_field, is_messed, rank_columns, weigh_columns
from worldwright.variants.drafting.goal_calls import add_entries, add_fields, name_entity, pick_free_name
from worldwright.variants.layer import Draft

RESTYLED_SHARE = 0.8
"""Rows that are written otherwise."""
MAX_ENTITIES = 3
"""Kinds of record that a layer writes otherwise, at most."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A field that says in which way others of the same row are written."""

    entity: str
    columns: tuple[str, ...]
    name: str
    says: str
    ways: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Style:
    """How a layer writes values otherwise: what it calls the mess and the mark, and what the mark says."""

    label: str
    """With `{entity}` for the kind of record."""
    names: tuple[str, ...]
    """For the mark: the first that is free."""
    says: str
    ways: Mapping[str, str]
    note: str
    """What the handbook calls its note about it."""
    text: str
    """The note, with `{columns}` for what is written otherwise and `{marks}` for the fields that tell."""


def restyle(checked: Checked, bp: Blueprint, columns: Mapping[str, tuple[str, ...]], style: Style) -> Draft:
    """Write these columns otherwise: the Blueprint with the marks that tell, the mess that sets them, and the note about it."""
    labels, fields = [], []
    for entity, names in columns.items():
        labels.append(label_for(bp, style.label.format(entity=entity)))
        fields.append(field_for(checked, entity, *style.names))
        bp = mark_entity(bp, Mark(entity, names, fields[-1], style.says, style.ways), labels[-1])
    marks = " or ".join(f"`{field}`" for field in sorted(set(fields)))
    text = style.text.format(columns=list_columns(checked, columns), marks=marks)
    return Draft(add_note(bp, note_for(checked, style.note), text), tuple(f"mess:{label}" for label in labels))


def mark_entity(bp: Blueprint, mark: Mark, label: str) -> Blueprint:
    """The Blueprint with a marked entity; the mess layer `label` marks rows."""
    shown = ShownSpec(by=mark.name, ways=dict(mark.ways))
    own = bp.entities[mark.entity].fields
    fields = {name: expand_field(own[name]).model_copy(update={"shown": shown}) for name in mark.columns}
    fields[mark.name] = FieldSpec(type=f"one of {', '.join(mark.ways)}?", draw="none", says=mark.says)
    listed = ", ".join(f"'{word}'" for word in mark.ways)
    mess = MessSpec(
        layer="stale", label=label, in_=mark.entity, share=RESTYLED_SHARE, set={mark.name: f"pick({listed})"}
    )
    marked = add_fields(bp, mark.entity, fields).model_copy(update={"mess": (*bp.mess, mess)})
    return show_marker(marked, mark)


def find_columns(checked: Checked, kind: str) -> dict[str, tuple[str, ...]]:
    """The columns of a type that no mess is in yet, for the few kinds of record whose columns tasks have most to do with."""
    weights = weigh_columns(checked)
    of: dict[str, list[str]] = {}
    for (entity, name), column in rank_columns(weights, checked, [kind]):
        if not column.currency and not is_messed(checked, (entity, name)):
            of.setdefault(entity, []).append(name)
    first = sorted(of, key=lambda name: (-sum(weights[name, column] for column in of[name]), name))
    return {name: tuple(of[name]) for name in first[:MAX_ENTITIES]}


def list_columns(checked: Checked, columns: Mapping[str, tuple[str, ...]]) -> str:
    """List columns in words: `opened on of bookings, and due on and paid on of bills`."""
    parts = [
        f"{' and '.join(to_words(c) for c in names)} of {plural(name_entity(checked, entity))}"
        for entity, names in columns.items()
    ]
    return ", and ".join(parts)


def show_marker(bp: Blueprint, mark: Mark) -> Blueprint:
    """Searches that list what they show list the mark as well, wherever they list what it speaks of."""
    operations = {}
    for name, op in bp.operations.items():
        shows: list[str] = []
        for path in op.shows:
            shows.append(path)
            base, _, column = path.rpartition(".")
            mine = op.search == mark.entity if not base else False
            beside = f"{base}.{mark.name}" if base else mark.name
            if column in mark.columns and (mine or _leads_to(bp, op.search, base, mark.entity)) and beside not in shows:
                shows.append(beside)
        operations[name] = op.model_copy(update={"shows": tuple(dict.fromkeys(shows))}) if shows else op
    return bp.model_copy(update={"operations": operations})


def _leads_to(bp: Blueprint, entity: str | None, path: str, target: str) -> bool:
    """Return whether a path of references from an entity ends at another."""
    here = entity
    for part in path.split(".") if path else ():
        field = bp.entities[here].fields.get(part) if here in bp.entities else None
        if field is None:
            return False
        kind = expand_field(field).type.split("~")[0].split("=")[0].strip()
        here = kind.partition(" as ")[0].rstrip("?").strip()
    return bool(path) and here == target


def add_note(bp: Blueprint, name: str, text: str) -> Blueprint:
    """Add to the handbook something more about reading the records."""
    return add_entries(bp, notes={name: text})


def label_for(bp: Blueprint, wanted: str) -> str:
    return pick_free_name([m.label for m in bp.mess], wanted)


def note_for(checked: Checked, wanted: str) -> str:
    return pick_free_name([*checked.blueprint.notes, *checked.policies], wanted)


def field_for(checked: Checked, entity: str, *wanted: str) -> str:
    """A name for a new field that nothing else has: neither a field nor a way back."""
    found = checked.schema.entities[entity]
    return pick_free_name([*found.columns, *found.ways, "id"], *wanted)
