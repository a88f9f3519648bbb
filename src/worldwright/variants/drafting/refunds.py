"""A rebate that is paid in parts, on whatever has an amount and is asked about: what went out so far, and what is left."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from worldwright.blueprint import checked as c
from worldwright.blueprint.checked import Checked
from worldwright.blueprint.model import (
    FieldSpec,
    FlowSpec,
    GoalSpec,
    HowSpec,
    InputSpec,
    OperationSpec,
    PolicySpec,
    StatementSpec,
    StepSpec,
)
from worldwright.core.names import to_words
from worldwright.english.nouns import article
from worldwright.variants.drafting.bookings import SUMS
from worldwright.variants.drafting.goal_calls import (
    add_entries,
    add_fields,
    find_goal_calls,
    name_entity,
    pick_free_name,
    shuffle,
)
from worldwright.variants.drafting.parts import MIN_PART, book_part, parts_entity, share_policy
from worldwright.variants.layer import Draft

WEEKLY = 3.0
PART = "Something that was paid as a rebate, all of it or a part."


@dataclass(frozen=True, slots=True)
class _Refund:
    """What there can be a rebate on, and what the layer calls things there."""

    entity: str
    amount: str
    roles: tuple[str, ...]
    look: str
    """The operation that shows one, and its input."""
    taken: str
    part: str
    parts: str
    given: str
    closed: str
    some: str
    rest: str
    policy: str

    @property
    def left(self) -> str:
        return f"(it.{self.amount} - it.{self.given})"


def draft_refunds(checked: Checked, layer: str) -> Iterator[Draft]:
    """Drafts, the likeliest first: what the business makes in its course, then what most requests are about."""
    about: dict[str, int] = {}
    for goal in checked.goals.values():
        for kind in goal.given.values():
            about[kind.entity] = about.get(kind.entity, 0) + 1
    order = shuffle(checked, layer, sorted(about))
    for entity in sorted(order, key=lambda name: (checked.schema.entities[name].rows > 0, -about[name])):
        found = _find_refund(checked, entity)
        if found is not None:
            yield _drafted(checked, found)


def _find_refund(checked: Checked, entity: str) -> _Refund | None:
    bp, resolved = checked.blueprint, checked.schema.entities[entity]
    roles = _find_roles(checked, entity)
    sums = [
        col.name
        for col in resolved.stored
        if col.type.kind == "money" and not col.optional and any(s in col.name for s in SUMS)
    ]
    looks = (op for op in checked.operations.values() if isinstance(op.read, c.Get) and op.read.entity == entity)
    look = next((op for op in looks if not op.roles or set(roles) <= set(op.roles)), None)
    if not sums or not bp.entities[entity].called or entity == checked.schema.actor:
        return None
    own = (*resolved.ways, *resolved.columns)
    short = f"rebate_{entity}"[:40]
    shows, taken = (
        (look.name, look.inputs[0].name) if look else (pick_free_name(bp.operations, f"look_up_{entity}"[:50]), entity)
    )
    return _Refund(
        entity, sums[0], roles, shows, taken, pick_free_name(bp.entities, f"{entity}_rebate"[:40]),
        pick_free_name(own, "rebate_parts"), pick_free_name(own, "rebate_paid"), pick_free_name(own, "rebate_closed"),
        pick_free_name(bp.operations, f"{short}_in_part"),
        pick_free_name(bp.operations, f"{short}_rest"), pick_free_name(bp.policies, f"{short}_parts"),
    )  # fmt: skip


def _find_roles(checked: Checked, entity: str) -> tuple[str, ...]:
    """Find who works on such things: the roles of the operation that most goals lead to."""
    best: tuple[int, tuple[str, ...]] = (0, ())
    for name, calls in find_goal_calls(checked).items():
        op = checked.operations[name]
        if (
            op.roles
            and any(i.type.kind == "ref" and i.type.entity == entity for i in op.inputs)
            and len(calls) > best[0]
        ):
            best = (len(calls), op.roles)
    return best[1] or tuple(checked.blueprint.roles)


def _drafted(checked: Checked, it: _Refund) -> Draft:
    bp = checked.blueprint
    fields = {
        it.given: FieldSpec(
            type=f"money = sum(p.amount for p in {it.parts})", says="What was paid of the rebate so far."
        ),
        it.closed: FieldSpec(type="bool ~ false", says="Whether all of the rebate was paid."),
    }
    goals = {
        pick_free_name(bp.goals, f"{it.some}_now"[:55]): _make_partial_goal(it),
        pick_free_name(bp.goals, f"{it.rest}_now"[:55]): _rest(it),
    }
    flow = pick_free_name(bp.history.flows, f"rebates_on_{it.entity}"[:50])
    flows = {**bp.history.flows, flow: _make_flow(checked, it)}
    history = bp.history.model_copy(update={"flows": flows})
    bp = add_entries(
        add_fields(bp, it.entity, fields).model_copy(update={"goals": {**goals, **bp.goals}, "history": history}),
        entities={it.part: parts_entity(bp, it.entity, it.parts, PART, "GVB-#####", "REF-#####")},
        policies={it.policy: _policy(checked, it)},
        operations=_operations(checked, it),
    )
    parts = (f"policy:{it.policy}", f"operation:{it.some}", f"operation:{it.rest}", *(f"goal:{name}" for name in goals))
    return Draft(bp, parts)


def _policy(checked: Checked, it: _Refund) -> PolicySpec:
    says = (
        f"A rebate on {article(name_entity(checked, it.entity))} comes to its `{to_words(it.amount)}`, and may be paid in parts. "
        f"One part is at most {{share:percent}} of what has not been paid until then. "
        f"The rebate is closed only by `{to_words(it.rest)}`, which pays all that is left and nothing else."
    )
    return share_policy(it.entity, "it", it.amount, it.given, says)


def _operations(checked: Checked, it: _Refund) -> dict[str, OperationSpec]:
    what, system = name_entity(checked, it.entity), checked.blueprint.entities[it.entity].in_
    by = it.roles or ("anyone",)
    done = StatementSpec(
        require=f"not it.{it.closed}", else_="ALREADY_PAID", says="All of the rebate was paid already."
    )
    less = StatementSpec(require=f"amount < {it.left}", else_="NOTHING_LEFT", says="A part is less than what is left.")
    some = StatementSpec(require=f"{it.left} > 0", else_="NOTHING_LEFT", says="Nothing is left to pay.")

    obeyed = StatementSpec(obey={it.policy: {"it": "it", "amount": "amount"}})
    closed = StatementSpec(set={f"it.{it.closed}": "true"})
    seen = OperationSpec(in_=system, says=f"One {what} with everything about it.", by=by, get=it.entity)
    return {
        **({} if it.look in checked.operations else {it.look: seen}),
        it.some: OperationSpec(
            in_=system,
            says=f"Pay a part of the rebate on {article(what)}.",
            by=by,
            takes={"it": it.entity, "amount": InputSpec(type="money", min=0.01, says="The part.")},
            does=(done, less, obeyed, book_part(it.part, "it", "amount")),
            gives="it",
        ),
        it.rest: OperationSpec(
            in_=system,
            says=f"Pay what is left of the rebate on {article(what)}, and close it.",
            by=by,
            takes={"it": it.entity},
            does=(done, some, book_part(it.part, "it", it.left), closed),
            gives="it",
        ),
    }


def _make_flow(checked: Checked, it: _Refund) -> FlowSpec:
    """Make a flow in which some rebates were paid in parts, and of those some to the end."""
    look = checked.operations[it.look].roles if it.look in checked.operations else ()
    by = it.roles[0] if it.roles else ""
    test = f"r.{it.amount} >= {MIN_PART} and r.{it.given} == 0 and not r.{it.closed}"
    first = look[0] if look else by
    return FlowSpec(
        per_week=WEEKLY,
        steps=(
            StepSpec(do=it.look, by=first, with_={it.taken: f"any(r for r in {it.entity} if {test})"}, as_="it"),
            StepSpec(
                do=it.some, by=by, with_={"it": "it", "amount": f"round(it.{it.amount} * pick(0.2, 0.35, 0.5), 2)"}
            ),
            StepSpec(do=it.rest, by=by, after="skewed(10, 60)", chance=0.5, with_={"it": "it"}),
        ),
    )


def _make_partial_goal(it: _Refund) -> GoalSpec:
    return GoalSpec(
        by=it.roles,
        given={"it": f"{it.entity} where not {it.closed} and {it.amount} - {it.given} >= {MIN_PART}"},
        states={"part": f"money ~ round({it.left} * pick(0.25, 0.4, 0.6, 0.8), 2)"},
        wants=f"exists(p for p in it.{it.parts} if p.amount == part and p.made_on == today)",
        how=(HowSpec(do=it.some, with_={"it": "it", "amount": "part"}),),
        tells={"still_open": f"it.{it.amount} - it.{it.given}"},
        asks=(
            "we have agreed on a first {part:money} of the rebate on {it}. Please pay that; how much could still be paid after it?",
            "somebody promised {part:money} as part of the rebate on {it}. Let it go out and tell me what is left of the rebate",
            "the rebate on {it}: {part:money} of it goes out today and no more. What remains of it?",
        ),
    )


def _rest(it: _Refund) -> GoalSpec:
    return GoalSpec(
        by=it.roles,
        given={"it": f"{it.entity} where not {it.closed} and {it.given} > 0 and {it.amount} > {it.given}"},
        wants=f"it.{it.closed} and it.{it.given} == it.{it.amount}",
        how=(HowSpec(do=it.rest, with_={"it": "it"}),),
        tells={"went_out": f"last((p for p in it.{it.parts}), by=p.made_at).amount"},
        asks=(
            "see to it that the rebate on {it} is paid to the end, so that we can close it. How much goes out now?",
            "whatever has not been paid of the rebate on {it} is to go out as well. Tell me the amount that this comes to",
            "please finish the rebate on {it} and give me the sum that leaves today",
        ),
    )
