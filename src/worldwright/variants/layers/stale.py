"""Stale copies: the records that everybody looks at have some facts as they were; the register has them as they are.

Nothing on the record says that it lags. The handbook says which of the two counts, and rules go by that one.
"""

from __future__ import annotations

from worldwright.blueprint.checked import Checked
from worldwright.blueprint.model import Blueprint, FieldSpec, MessSpec, ShownSpec
from worldwright.blueprint.schema import Column
from worldwright.core.names import to_words
from worldwright.english.nouns import plural
from worldwright.variants.drafting.goal_calls import add_fields, name_entity
from worldwright.variants.drafting.registers import (
    Fact,
    add_register,
    change_field,
    draft_on_facts,
    find_facts,
    name_for,
    type_of,
)
from worldwright.variants.drafting.restyle import add_note, field_for, label_for, note_for
from worldwright.variants.layer import Draft, Layer

STALE_SHARE = 0.6
"""Records that lag."""
KINDS = ("money", "date", "enum", "int", "decimal", "bool")
OLDER = {
    "money": "{f} + between(20, 90) if chance(0.5) else {f} + between(150, 400)",
    "int": "{f} + between(1, 3)",
    "decimal": "{f} + 1",
    "date": "{f} - between(20, 200)",
    "bool": "not {f}",
}
"""By kind, what a fact was before."""


def _lay(checked: Checked) -> Draft | None:
    """Lay it on the facts that goals have most to do with."""
    return draft_on_facts(checked, find_facts(checked, KINDS), _add_stale_fact)


def _add_stale_fact(checked: Checked, bp: Blueprint, fact: Fact) -> Draft:
    """Add one fact more that lags."""
    cell, kind, search = fact
    entity, column = cell
    before, now = name_for(checked, entity, column, "before"), name_for(checked, entity, column, "now")
    mark = field_for(checked, entity, "copy_state", "state_of_copy")
    label = label_for(bp, f"stale_{entity}_{column}")
    written = type_of(bp, cell, kind)
    bp = change_field(bp, cell, shown=ShownSpec(by=mark, ways={"behind": f"= {before}"}))
    bp, tool = add_register(checked, bp, cell, search, now, FieldSpec(type=written, computed=column))
    fields = {
        before: FieldSpec(type=f"{written}?", draw="none", hidden=True, sort="content"),
        mark: FieldSpec(type="one of behind?", draw="none", hidden=True),
    }
    older = {before: _write_older(kind, column), mark: "'behind'"}
    mess = MessSpec(layer="stale", label=label, in_=entity, share=STALE_SHARE, set=older)
    bp = add_fields(bp, entity, fields).model_copy(update={"mess": (*bp.mess, mess)})
    name = note_for(checked, f"{column}_of_{entity}_in_the_register")
    return Draft(add_note(bp, name, _write_note(checked, entity, column, now, tool)), (f"mess:{label}",))


def _write_older(kind: Column, column: str) -> str:
    if kind.type.kind != "enum":
        return OLDER[kind.type.kind].format(f=column)
    values = kind.type.values
    turns = [f"'{values[(k + 1) % len(values)]}' if {column} == '{value}' else" for k, value in enumerate(values[:-1])]
    return " ".join([*turns, f"'{values[0]}'"])


def _write_note(checked: Checked, entity: str, column: str, now: str, tool: str) -> str:
    what = plural(name_entity(checked, entity))
    return (
        f"What records of {what} show as {to_words(column)} is a copy that is often behind, and nothing on them says so. The "
        f"register has it as it is (`{tool}`, under {to_words(now)}). That is the one that counts, for rules, for requests "
        "and for answers."
    )


LAYER = Layer(
    "world",
    "records show some facts as they were; a register has them as they are, and only that counts",
    "copies that lag behind",
    _lay,
)
