"""Partial refunds: what used to be settled at one go may be settled in parts.

A record with an amount keeps what was settled so far. A new operation settles a part and leaves the state alone; the old one takes
what is left, and only then the state changes. Whoever goes by the state, or by the whole amount, is wrong. Some of the past was
settled in parts, and some of it is still open.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from worldwright.blueprint import checked as c
from worldwright.blueprint.checked import Checked
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.model import (
    Blueprint,
    FieldSpec,
    FlowSpec,
    GoalSpec,
    InputSpec,
    MessSpec,
    OperationSpec,
    PolicySpec,
    StatementSpec,
    StepSpec,
)
from worldwright.core.names import to_words
from worldwright.variants.drafting.bookings import SUMS
from worldwright.variants.drafting.goal_calls import (
    GoalCall,
    add_entries,
    add_fields,
    end_sentence,
    find_goal_calls,
    first_that_checks,
    is_shown,
    name_entity,
    pick_free_name,
    shuffle,
    write_path,
)
from worldwright.variants.drafting.parts import MIN_PART, book_part, parts_entity, share_policy
from worldwright.variants.drafting.refunds import draft_refunds
from worldwright.variants.layer import Draft, Layer

NAME = "partial_refunds"
STOPPED_SHARE = 0.12
_PATH = re.compile(r"[a-z_][\w.]*\Z")
_WRITES = ("set", "add", "remove", "when", "each", "run")


@dataclass(frozen=True, slots=True)
class _Place:
    """An operation that settles an amount by moving a record on."""

    operation: str
    row: str
    entity: str
    amount: str
    calls: tuple[GoalCall, ...]


@dataclass(frozen=True, slots=True)
class _Names:
    part: str
    parts: str
    settled: str
    operation: str
    policy: str


def _lay(checked: Checked) -> Draft | None:
    """Lay it on an operation that pays a whole amount out; where there is none, with a rebate paid in parts from the start."""
    settled = first_that_checks(checked, (_drafted(checked, place) for place in _find_places(checked)))
    return settled or first_that_checks(checked, draft_refunds(checked, NAME))


# where


def _find_places(checked: Checked) -> list[_Place]:
    """Find places: what holds a sum by its name first, then what happened in the past, then what most goals ask for."""
    found = {place.operation: place for place in _scan_places(checked)}
    order = shuffle(checked, NAME, sorted(found))
    lived = {s.operation for flow in checked.flows.values() for s in flow.steps}
    return sorted(
        (found[op] for op in order),
        key=lambda p: (not any(word in p.amount for word in SUMS), p.operation not in lived, -len(p.calls)),
    )


def _scan_places(checked: Checked) -> Iterator[_Place]:
    for name, calls in find_goal_calls(checked).items():
        op = checked.operations[name]
        rows = {i.name for i in op.inputs if i.type.kind == "ref" and not i.optional}
        for s in op.body:
            row = write_path(s.row) if isinstance(s, c.Set) else None
            if isinstance(s, c.Set) and row in rows:
                yield from _amounts(checked, op, row, s, calls)


def _amounts(
    checked: Checked, op: c.Operation, row: str | None, s: c.Set, calls: tuple[GoalCall, ...]
) -> Iterator[_Place]:
    entity, values = checked.schema.entities[s.row.type.entity], dict(s.values)
    fit = tuple(call for call in calls if row in call.args and _is_only_step(checked, call))
    if row is None or not fit or not entity.state_field or not isinstance(values.get(entity.state_field), n.Const):
        return
    for column in sorted(entity.stored, key=lambda col: any(word in col.name for word in SUMS)):
        money = column.type.kind == "money" and not column.optional and column.name not in values
        paid = any(f"{row}.{column.name}" in one.with_.values() for one in checked.blueprint.operations[op.name].does)
        if money and paid and is_shown(checked, entity.name, column.name, op.roles):
            yield _Place(op.name, row, entity.name, column.name, fit)


def _is_only_step(checked: Checked, call: GoalCall) -> bool:
    goal = checked.goals[call.goal]
    return len(goal.how) == 1 and not goal.mends


# the layer


def _drafted(checked: Checked, place: _Place) -> Draft:
    bp = checked.blueprint
    own = (*checked.schema.entities[place.entity].ways, *bp.entities[place.entity].fields)
    names = _Names(
        pick_free_name(bp.entities, f"{place.entity}_part"[:40]), pick_free_name(own, "parts", "settled_parts"),
        pick_free_name(own, "settled_so_far", "settled_in_parts"), pick_free_name(bp.operations, f"{place.operation}_in_part"[:50]),
        pick_free_name(bp.policies, f"parts_of_{place.entity}"[:50]),
    )  # fmt: skip
    kept = FieldSpec(
        type=f"money = sum(p.amount for p in {names.parts})", says=f"Of the {to_words(place.amount)}, settled so far."
    )
    says = f"A part of what was settled of the {to_words(place.amount)}."
    part = parts_entity(bp, place.entity, names.parts, says, "PRT-#####", "SET-#####")
    bp = add_entries(
        add_fields(bp, place.entity, {names.settled: kept}),
        entities={names.part: part},
        policies={names.policy: _policy(checked, place, names)},
        operations={
            place.operation: _rest(bp.operations[place.operation], place, names),
            names.operation: _make_part_operation(checked, place, names),
        },
    )
    bp, labels = _add_history(bp, place, names)
    goals = _goals(checked, place, names)
    bp = bp.model_copy(update={"goals": {**goals, **bp.goals}})
    parts = (f"policy:{names.policy}", f"operation:{names.operation}", *(f"goal:{name}" for name in goals))
    return Draft(bp, (*parts, *(f"mess:{label}" for label in labels)))


def _write_rest(place: _Place, names: _Names, row: str) -> str:
    return f"({row}.{place.amount} - {row}.{names.settled})"


def _policy(checked: Checked, place: _Place, names: _Names) -> PolicySpec:
    what, op = name_entity(checked, place.entity), to_words(place.operation)
    says = (
        f"`{op}` may be done in parts, with `{to_words(names.operation)}`. One part is at most {{share:percent}} of what is left "
        f"of the `{to_words(place.amount)}` of the {what} then. The {what} stays as it is until `{op}` takes what is left, and "
        "only what is left counts then."
    )
    return share_policy(place.entity, "whole", place.amount, names.settled, says)


def _rest(op: OperationSpec, place: _Place, names: _Names) -> OperationSpec:
    """The old operation: what goes out is what is left, and the last part is kept with the others."""
    left = _write_rest(place, names, place.row)
    does = tuple(_replace_amount(s, f"{place.row}.{place.amount}", left) for s in op.does)
    last = StatementSpec(when=f"{left} > 0", do=(book_part(names.part, place.row, left),))
    says = f"{op.says.rstrip('.')}. Of what was settled in parts before, only what is left goes out."
    return op.model_copy(update={"does": (*does, last), "says": says})


def _replace_amount(s: StatementSpec, whole: str, left: str) -> StatementSpec:
    """Let a statement add what is left where it added the whole amount."""
    inner = {
        "do": tuple(_replace_amount(one, whole, left) for one in s.do),
        "otherwise": tuple(_replace_amount(one, whole, left) for one in s.otherwise),
    }
    if s.add is not None or s.run is not None:
        return s.model_copy(update={"with_": {k: left if v == whole else v for k, v in s.with_.items()}})
    return s.model_copy(update=inner) if s.do or s.otherwise else s


def _make_part_operation(checked: Checked, place: _Place, names: _Names) -> OperationSpec:
    """Make the new operation: under the conditions of the old one, as far as they are about the record."""
    bp = checked.blueprint
    op = bp.operations[place.operation]
    others = {name for name in op.takes if name != place.row}
    kept: list[StatementSpec] = []
    for s in op.does:
        if any(getattr(s, verb) is not None for verb in _WRITES):
            break
        if s.obey is None and not _mentions(s, others):
            kept.append(s)
        elif s.obey is None:
            others |= set(s.let or {})
    left = _write_rest(place, names, place.row)
    why = f"A part is less than what is left. `{place.operation}` takes the rest."
    refuse = StatementSpec(require=f"amount < {left}", else_="NOTHING_LEFT", says=why)
    obeyed = StatementSpec(obey={names.policy: {"whole": place.row, "amount": "amount"}})
    return OperationSpec(
        in_=op.in_,
        says=f"{op.says.rstrip('.')}, for a part of the {to_words(place.amount)} only.",
        by=op.by,
        takes={place.row: op.takes[place.row], "amount": InputSpec(type="money", min=0.01, says="The part.")},
        does=(*kept, refuse, obeyed, book_part(names.part, place.row, "amount")),
        gives=place.row,
    )


def _mentions(s: StatementSpec, names: set[str]) -> bool:
    text = " ".join([s.require or "", s.find or "", s.where or "", s.by or "", s.says, *(s.let or {}).values()])
    return any(re.search(rf"\b{re.escape(name)}\b", text) for name in names)


# the past


def _add_history(bp: Blueprint, place: _Place, names: _Names) -> tuple[Blueprint, tuple[str, ...]]:
    """Add to flows in which it was done: sometimes a part went out before, and some of them stopped there."""
    flows: dict[str, FlowSpec] = {}
    mess: list[MessSpec] = []
    for name, flow in bp.history.flows.items():
        steps = [one for step in flow.steps for one in (*_add_part_before(step, place, names), step)]
        flows[name] = flow.model_copy(update={"steps": tuple(steps)})
        if len(steps) > len(flow.steps) and flow.steps[0].do != place.operation:
            label = pick_free_name((m.label for m in (*bp.mess, *mess)), f"partly_{name}"[:50])
            mess.append(MessSpec(layer="half_done", label=label, flow=name, after=names.operation, share=STOPPED_SHARE))
    history = bp.history.model_copy(update={"flows": flows})
    return bp.model_copy(update={"history": history, "mess": (*bp.mess, *mess)}), tuple(m.label for m in mess)


def _add_part_before(step: StepSpec, place: _Place, names: _Names) -> tuple[StepSpec, ...]:
    row = step.with_.get(place.row, "")
    if step.do != place.operation or not _PATH.match(row):
        return ()
    test = f"chance(0.4) and {row}.{place.amount} >= {MIN_PART}" + (
        f" and ({step.if_})" if step.if_ is not None else ""
    )
    amount = f"round({row}.{place.amount} * pick(0.25, 0.4, 0.5), 2)"
    return (
        StepSpec(do=names.operation, by=step.by, with_={place.row: row, "amount": amount}, after=step.after, if_=test),
    )


# what is asked


def _goals(checked: Checked, place: _Place, names: _Names) -> dict[str, GoalSpec]:
    out: dict[str, GoalSpec] = {}
    taken = checked.blueprint.goals
    for call in place.calls[:2]:
        spec, variable = taken[call.goal], write_path(call.args[place.row]) or ""
        if variable not in spec.given:
            continue
        out[pick_free_name(taken, f"{call.goal}_the_rest"[:55])] = _make_rest_goal(spec, variable, place, names)
        if not any(name.endswith("_a_part") for name in out) and set(spec.given) == {variable}:
            out[pick_free_name(taken, f"{call.goal}_a_part"[:55])] = _make_part_goal(spec, variable, place, names)
    return out


def _add_condition(given: Mapping[str, str], variable: str, more: str) -> dict[str, str]:
    text = given[variable]
    return {**given, variable: f"{text} and {more}" if " where " in text else f"{text} where {more}"}


def _make_part_goal(spec: GoalSpec, row: str, place: _Place, names: _Names) -> GoalSpec:
    op = to_words(place.operation)
    return GoalSpec(
        by=spec.by,
        actor=spec.actor,
        given=_add_condition(spec.given, row, f"{place.amount} - {names.settled} >= {MIN_PART}"),
        states={"part": f"money ~ round({_write_rest(place, names, row)} * pick(0.25, 0.4, 0.6, 0.8), 2)"},
        wants=f"exists(p for p in {row}.{names.parts} if p.amount == part and p.made_on == today)",
        how=({"do": names.operation, "with": {place.row: row, "amount": "part"}},),  # type: ignore[arg-type]
        tells={"still_open": f"{row}.{place.amount} - {row}.{names.settled}"},
        asks=(
            f"{op}, but not all of it: {{part:money}} of {{{row}}} for now. How much is still open then?",
            f"please {op} {{part:money}} out of {{{row}}} and leave the rest open. What remains?",
        ),
    )  # fmt: skip


def _make_rest_goal(spec: GoalSpec, row: str, place: _Place, names: _Names) -> GoalSpec:
    last = f"last((p for p in {row}.{names.parts}), by=p.made_at).amount"
    asks = tuple(
        f"{end_sentence(ask)} Part of it was settled before, so tell me what the rest came to." for ask in spec.asks
    )
    return spec.model_copy(
        update={
            "given": _add_condition(spec.given, row, f"{names.settled} > 0 and {place.amount} > {names.settled}"),
            "wants": f"({spec.wants}) and {row}.{names.settled} == {row}.{place.amount}",
            "tells": {**spec.tells, "rest": last},
            "asks": asks,
            "then": (),
            "each": (),
            "files": None,
        }
    )


LAYER = Layer(
    "rules",
    "an amount that used to be settled at one go may be settled in parts; the state changes only with the last of them",
    "amounts settled in parts",
    _lay,
)
