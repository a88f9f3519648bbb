"""Schema drift: facts that moved to another system, which has them under other names and in codes or units of its own.

Records of the first system no longer show them. Rules still go by them. The handbook says where they went and how to translate.
"""

from __future__ import annotations

from worldwright.blueprint.checked import Checked
from worldwright.blueprint.model import Blueprint, FieldSpec, ShownSpec
from worldwright.blueprint.schema import Column
from worldwright.core.names import to_words
from worldwright.core.rng import Stream
from worldwright.english.nouns import plural
from worldwright.variants.drafting.column_weights import find_dependent_goals
from worldwright.variants.drafting.goal_calls import name_entity
from worldwright.variants.drafting.registers import (
    Fact,
    add_register,
    change_field,
    draft_on_facts,
    find_facts,
    find_naming_columns,
    hide_column,
    name_for,
    type_of,
)
from worldwright.variants.drafting.restyle import add_note, note_for
from worldwright.variants.layer import Draft, Layer

KINDS = ("enum", "money", "int", "decimal")
UNIT = 1000
"""How many of the register's units make one."""


def _lay(checked: Checked) -> Draft | None:
    """Lay it on the facts that goals have most to do with."""
    return draft_on_facts(checked, find_facts(checked, KINDS, states=True), _move_fact)


def _move_fact(checked: Checked, bp: Blueprint, fact: Fact) -> Draft:
    """Move one fact more to the other system."""
    cell, column, search = fact
    entity, name = cell
    there = name_for(checked, entity, name, "code" if column.type.kind == "enum" else "units")
    written = type_of(bp, cell, column)
    codes = _codes(checked, cell, column)
    if codes:
        field = FieldSpec(type=written, computed=name, shown=ShownSpec(codes=codes))
    else:
        field = FieldSpec(type=written, computed=f"{name} * {UNIT}")
    bp = hide_column(change_field(bp, cell, hidden=True), checked, cell)
    bp, tool = add_register(checked, bp, cell, search, there, field)
    note = note_for(checked, f"{name}_of_{entity}")
    named = [g.name for g in checked.goals.values() if entity in {kind.entity for kind in g.given.values()}]
    goals = tuple(
        f"goal:{goal}"
        for goal in dict.fromkeys(
            [*find_dependent_goals(checked, cell), *(named if cell in find_naming_columns(checked) else ())]
        )
    )
    return Draft(add_note(bp, note, _write_note(checked, cell, there, tool, codes)), (*goals, f"operation:{tool}"))


def _codes(checked: Checked, cell: tuple[str, str], column: Column) -> dict[str, str]:
    """A code for each word: letters and figures that do not give it away."""
    stream = Stream("layer", "schema_drift", checked.blueprint.blueprint, *cell)
    letter = stream.pick("KQVXZ")
    numbers = stream.shuffled(range(10, 10 + 7 * len(column.type.values), 7))
    return {word: f"{letter}{number}" for word, number in zip(column.type.values, numbers, strict=True)}


def _write_note(checked: Checked, cell: tuple[str, str], there: str, tool: str, codes: dict[str, str]) -> str:
    entity, name = cell
    what = plural(name_entity(checked, entity))
    where = f"The {to_words(name)} of {what} is kept in the register only (`{tool}`, under {to_words(there)})"
    if codes:
        listed = ", ".join(f"{code} is {to_words(word)}" for word, code in codes.items())
        return f"{where}, in codes of its own: {listed}. Rules, requests, calls and answers use the words."
    return f"{where}, in thousandths: {UNIT} there is 1. Rules, requests, calls and answers mean the figure: divide by {UNIT}."


LAYER = Layer(
    "world",
    "facts that rules go by are kept in another system, under another name and in codes or units of its own",
    "facts in another system's codes",
    _lay,
)
