"""Layers with a second system: a register that has a fact which the records of the first have otherwise, or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from worldwright.blueprint import checked as c
from worldwright.blueprint.checked import Checked
from worldwright.blueprint.effects import columns_read
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.fieldspec import split_field
from worldwright.blueprint.model import Blueprint, FieldSpec, OperationSpec
from worldwright.blueprint.schema import Column
from worldwright.variants.drafting.column_weights import (
    Cell,
    count_goals,
    expand_field,
    find_dependent_goals,
    is_filtered,
    rank_columns,
    weigh_columns,
)
from worldwright.variants.drafting.goal_calls import (
    add_entries,
    add_fields,
    find_searches,
    first_that_checks,
    name_entity,
    pick_free_name,
)
from worldwright.variants.drafting.restyle import field_for
from worldwright.variants.layer import Draft

SYSTEM = "register"
SAYS = "the register, which keeps some facts about records of the other systems"


Fact = tuple[Cell, Column, c.Operation]
"""A column, and the search that finds its records."""
Add = Callable[[Checked, Blueprint, Fact], Draft]
MAX_FACTS, MAX_FACTS_TRIED = 3, 10
"""Facts that a layer takes, and how many are tried."""


def find_facts(checked: Checked, kinds: tuple[str, ...], states: bool = False) -> Iterator[Fact]:
    """Facts that goals cannot do without, each with the search that finds its records. What requests name things by comes first,
    then what is told, then what no search finds records by."""
    named = find_naming_columns(checked)
    told = {cell for goal in checked.goals.values() for cell in columns_read(checked, goal.tells.values())}
    found = []
    for cell, column in rank_columns(weigh_columns(checked), checked, kinds):
        search = next(iter(find_searches(checked, cell[0])), None)
        role = cell == (checked.schema.actor, checked.schema.role_field)
        needed = cell in named or bool(find_dependent_goals(checked, cell))
        if (states or not column.state) and not role and search is not None and needed:
            found.append((cell not in named, cell not in told, is_filtered(checked, cell), cell, column, search))
    for _, _, _, cell, column, search in sorted(found, key=lambda one: one[:3]):
        yield cell, column, search


def type_of(bp: Blueprint, cell: Cell, column: Column) -> str:
    """The type of a field as it is written; of a state, the words that it may be."""
    if column.type.kind == "enum":
        return f"one of {', '.join(column.type.values)}"
    return split_field(bp.entities[cell[0]].fields[cell[1]])[0]


def draft_on_facts(checked: Checked, found: Iterable[Fact], add: Add, most: int = MAX_FACTS) -> Draft | None:
    """The layer on a few facts of different kinds of record: those that come first and with which the Blueprint checks."""
    known = tuple(islice(found, MAX_FACTS_TRIED))
    return _lay_all_at_once(checked, known, add, most) or _lay_one_by_one(checked, known, add, most)


def _lay_all_at_once(checked: Checked, found: Iterable[Fact], add: Add, most: int) -> Draft | None:
    """Lay the first of each kind of record together, where that checks: mostly it does, and checking is what takes time."""
    first: dict[str, Fact] = {}
    for fact in found:
        first.setdefault(fact[0][0], fact)
    laid = Draft(checked.blueprint, ())
    for fact in islice(first.values(), most):
        more = add(checked, laid.blueprint, fact)
        laid = Draft(more.blueprint, (*laid.parts, *more.parts))
    return first_that_checks(checked, [Draft(laid.blueprint, tuple(dict.fromkeys(laid.parts)))]) if first else None


def _lay_one_by_one(checked: Checked, found: Iterable[Fact], add: Add, most: int) -> Draft | None:
    laid: Draft | None = None
    used: set[str] = set()
    for fact in found:
        if len(used) >= most:
            break
        if fact[0][0] in used:
            continue
        bp = checked.blueprint if laid is None else laid.blueprint
        draft = first_that_checks(checked, [add(checked, bp, fact)])
        if draft is not None:
            used.add(fact[0][0])
            laid = Draft(draft.blueprint, (*(laid.parts if laid is not None else ()), *draft.parts))
    return None if laid is None else Draft(laid.blueprint, tuple(dict.fromkeys(laid.parts)))


def find_naming_columns(checked: Checked) -> set[Cell]:
    """Find the columns that things which goals are about are called by."""
    return {
        cell
        for name in count_goals(checked)
        for way in checked.called.get(name, ())
        for cell in columns_read(checked, [way])
    }


def add_register(
    checked: Checked, bp: Blueprint, cell: Cell, search: c.Operation, name: str, field: FieldSpec
) -> tuple[Blueprint, str]:
    """The Blueprint with a register that shows the hidden field `name` of an entity, and the tool that searches it."""
    entity, column = cell
    own = bp.operations[search.name]
    assert isinstance(search.read, c.Search)
    columns = checked.schema.entities[entity].columns
    by = [f for f in own.filters if f != column and columns[f].source == "given" and not columns[f].state]
    tool = pick_free_name(
        [*bp.operations, *bp.terms, *bp.entities], f"look_up_{entity}_register", f"search_{entity}_register"
    )
    system = SYSTEM if SYSTEM in bp.systems else pick_free_name(bp.systems, SYSTEM)
    what = name_entity(checked, entity)
    op = OperationSpec(
        in_=system,
        says=f"Search the register by {what}.",
        by=own.by,
        search=entity,
        filters=tuple(by),
        needs=tuple(needed for needed in own.needs if needed in by),
        shows=tuple(dict.fromkeys([*[f for f in by if not columns[f].hidden], name])),
    )
    bp = add_fields(bp, entity, {name: field.model_copy(update={"hidden": True})})
    return add_entries(bp, systems={system: bp.systems.get(system, SAYS)}, operations={tool: op}), tool


def change_field(bp: Blueprint, cell: Cell, **update: object) -> Blueprint:
    """The Blueprint with one field described otherwise."""
    entity, column = cell
    field = expand_field(bp.entities[entity].fields[column])
    return add_fields(bp, entity, {column: field.model_copy(update=update)})


def hide_column(bp: Blueprint, checked: Checked, cell: Cell) -> Blueprint:
    """Remove a column from what searches of the first system list."""
    operations = {}
    for name, op in bp.operations.items():
        found = checked.operations.get(name)
        gone = _paths(found, checked.blueprint.operations[name].shows, cell) if found is not None else set()
        left = tuple(path for path in op.shows if path not in gone)
        operations[name] = op.model_copy(update={"shows": left}) if gone and left else op
    return bp.model_copy(update={"operations": operations})


def _paths(op: c.Operation, written_shows: tuple[str, ...], cell: Cell) -> set[str]:
    """The paths under which a search lists a column."""
    read = op.read
    if not isinstance(read, c.Search):
        return set()
    return {
        path
        for path, (_, node) in zip(written_shows, read.shows, strict=True)
        if isinstance(node, n.Field) and (node.base.type.entity, node.name) == cell
    }


def name_for(checked: Checked, entity: str, column: str, ending: str) -> str:
    return field_for(checked, entity, f"{column}_{ending}", f"{column}_{ending}_there")
