"""Layers that put a second row beside one that requests speak of, so that its name alone finds two."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from worldwright.blueprint.checked import Checked, Goal
from worldwright.blueprint.effects import effects, expand_nodes
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.model import Blueprint, CaseSpec, FieldSpec, MessSpec, PolicySpec, StatementSpec
from worldwright.variants.drafting.column_weights import Cell, count_goals, is_filtered
from worldwright.variants.drafting.goal_calls import add_entries, insert_before_writes
from worldwright.variants.drafting.restyle import label_for
from worldwright.variants.layer import Draft

MIN_ROWS = 10
"""Base rows of a kind that is large enough to have twins in it."""
TWIN_SHARE = 0.5
"""Rows that get a twin."""


def find_named_kinds(checked: Checked) -> list[Cell]:
    """Find (entity, text column) of the kinds that requests call and searches find by that text, those of most goals first."""
    often = _count_mentions(checked)
    out = []
    for name, entity in checked.schema.entities.items():
        column = find_naming_column(checked, name)
        if column and entity.rows >= MIN_ROWS and often[name] and _can_be_copied(checked, name, column):
            out.append((-often[name], name, column))
    return [(name, column) for _, name, column in sorted(out)]


def _count_mentions(checked: Checked) -> Counter[str]:
    """Count by entity how often goals are about it, or take a row of it."""
    out = count_goals(checked)
    for goal in checked.goals.values():
        for step in goal.how:
            op = checked.operations[step.operation]
            out.update({i.type.entity for i in op.inputs if i.type.kind == "ref"})
        for ask in goal.asks:
            out.update({part[0].type.entity for part in ask.parts if not isinstance(part, str)} - {""})
    return out


def find_naming_column(checked: Checked, entity: str) -> str:
    """The text of its own that a row is first called by, where a search finds it by that."""
    for way in checked.called.get(entity, ()):
        for part in way.parts:
            if isinstance(part, str) or not isinstance(part[0], n.Field) or not isinstance(part[0].base, n.Var):
                continue
            column = checked.schema.entities[entity].columns.get(part[0].name)
            own = column is not None and column.type.kind == "text" and column.source == "given"
            if own and is_filtered(checked, (entity, part[0].name)):
                return part[0].name
    return ""


def _can_be_copied(checked: Checked, name: str, column: str) -> bool:
    """Return whether a row can be copied: nobody acts as one, none is a log, and its name need not be its own."""
    entity = checked.schema.entities[name]
    columns = entity.columns
    own = all(column not in group and columns[group[-1]].type.kind == "text" for group in entity.unique)
    return own and name != checked.schema.actor and not entity.log


def is_aggregated(checked: Checked, entity: str) -> bool:
    """Return whether anything is worked out over rows of an entity: one more of them would change it."""
    nodes = [
        *checked.kept.values(), *checked.computed.values(), *(p.binding for p in checked.policies.values()),
        *(i.holds for i in checked.always.values()),
        *(node for g in checked.goals.values() for node in (*g.tells.values(), *_list_wanted_of_others(checked, g, entity))),
    ]  # fmt: skip
    return any(isinstance(p, n.Aggregate) and p.rows.entity == entity for p in expand_nodes(checked, nodes))


def _list_wanted_of_others(checked: Checked, goal: Goal, entity: str) -> Iterator[n.Node]:
    """List what a goal wants, but for the finding of a row that it makes itself: `exists(v for v in vendor if v.name == trade)`.

    Twins are copies of rows that were there before, and no task is made of a goal that rows of before reach."""
    made = {w.entity for step in goal.how for w in effects(checked, step.operation).writes if w.verb == "add"}
    for wanted in goal.wants.items if isinstance(goal.wants, n.And) else (goal.wants,):
        if entity in made and isinstance(wanted, n.Aggregate) and wanted.kind == "exists":
            yield from (part for part in (wanted.where, wanted.value) if part is not None)
        else:
            yield wanted


def add_twins(bp: Blueprint, mess: MessSpec, fields: Mapping[str, FieldSpec], live: str | None = None) -> Blueprint:
    """The Blueprint with fields that tell twins apart, and the mess layer that makes them."""
    entity = str(mess.in_)
    spec = bp.entities[entity]
    tests = [test for test in (spec.live, live) if test is not None]
    joined = " and ".join(f"({test})" for test in tests) if len(tests) > 1 else next(iter(tests), None)
    changed = spec.model_copy(update={"fields": {**spec.fields, **fields}, "live": joined})
    operations = {
        name: op.model_copy(update={"shows": tuple(dict.fromkeys([*op.shows, *fields]))})
        if op.search == entity and op.shows
        else op
        for name, op in bp.operations.items()
    }
    entities = {**bp.entities, entity: changed}
    return bp.model_copy(update={"entities": entities, "operations": operations, "mess": (*bp.mess, mess)})


def make_twins(bp: Blueprint, entity: str, label: str, **changes: Any) -> MessSpec:
    """The mess layer that puts a twin beside rows, with these changes to it."""
    label = label_for(bp, label)
    return MessSpec(layer="duplicate", label=label, in_=entity, share=TWIN_SHARE, onto="unused", **changes)


def obey_policy(checked: Checked, bp: Blueprint, name: str, policy: PolicySpec) -> Blueprint:
    """Let every operation that takes such a row and writes obey the policy."""
    operations = {}
    subject, entity = next(iter(policy.about.items()))
    for op in checked.operations.values():
        inputs = [i.name for i in op.inputs if i.type.kind == "ref" and i.type.entity == entity]
        obeys = [StatementSpec(obey={name: {subject: taken}}) for taken in inputs]
        if op.body and obeys:
            operations[op.name] = insert_before_writes(bp.operations[op.name], *obeys)
    return add_entries(bp, operations=operations, policies={name: policy})


def draft_retired(
    checked: Checked, bp: Blueprint, mess: MessSpec, fields: Mapping[str, FieldSpec], name: str, says: str
) -> Draft:
    """Forbid whatever would be done with a twin: it has a day in a field of its own, in which other rows have none."""
    (mark,) = fields
    policy = PolicySpec(
        about={"kept": str(mess.in_)},
        rule=f"kept.{mark} is none",
        says=says,
        enforced="agent",
        cases=(CaseSpec(allowed={f"kept.{mark}": None}), CaseSpec(forbidden={f"kept.{mark}": bp.now[:10]})),
    )
    twinned = add_twins(bp, mess, fields, f"{mark} is none")
    return Draft(obey_policy(checked, twinned, name, policy), (f"mess:{mess.label}",))
