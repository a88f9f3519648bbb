"""Delegated roles: somebody acts for somebody else, in a period and up to an amount.

Delegations are rows, some in force, some over, some not begun. An operation may be done in somebody's name, and then leaves a trace
of it; the handbook says when that counts. Tools let it through, so whoever does not look up the delegation acts without one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from worldwright.blueprint import checked as c
from worldwright.blueprint.checked import Checked
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.model import (
    Blueprint,
    CaseSpec,
    EntitySpec,
    GoalSpec,
    InputSpec,
    OperationSpec,
    PolicySpec,
    StatementSpec,
)
from worldwright.core.days import add_days
from worldwright.core.names import to_words
from worldwright.english.nouns import plural
from worldwright.variants.drafting.bookings import SUMS
from worldwright.variants.drafting.goal_calls import (
    GoalCall,
    add_entries,
    end_sentence,
    find_goal_calls,
    first_that_checks,
    insert_before_writes,
    is_shown,
    name_entity,
    pick_free_name,
    shuffle,
    write_path,
)
from worldwright.variants.drafting.typical_sizes import estimate_size
from worldwright.variants.layer import Draft, Layer

NAME = "delegated_roles"
MAX_GOALS = 3
"""Goals of one operation that are then asked for in somebody's name."""
TYPICAL_DELEGATIONS = 45
FOR = "for_whom"
"""The input that says in whose name."""
_ASKS = (
    " {boss} has handed this over to you while they are away, so enter it as done in their name.",
    " You are doing this for {boss}, and it has to be on record as done in their name.",
)


@dataclass(frozen=True, slots=True)
class _Place:
    operation: str
    row: str
    """The input that it is about."""
    entity: str
    amount: str
    """What it comes to, as the operation writes it; empty where that is not known."""
    usual: float
    calls: tuple[GoalCall, ...]


@dataclass(frozen=True, slots=True)
class _Names:
    """What the layer calls things here."""

    delegation: str
    trace: str
    held: str
    given: str
    policy: str


def _lay(checked: Checked) -> Draft | None:
    actor = checked.schema.entities.get(checked.schema.actor)
    if actor is None or "name" not in actor.columns:
        return None
    return first_that_checks(checked, (_drafted(checked, place) for place in _places(checked)))


# where


def _places(checked: Checked) -> list[_Place]:
    """Operations that only some roles may do, with most goals first; those with an amount before others."""
    found = {place.operation: place for place in _scan_places(checked)}
    order = shuffle(checked, NAME, sorted(found))
    return sorted((found[op] for op in order), key=lambda p: (not p.amount, -len(p.calls)))


def _scan_places(checked: Checked) -> Iterator[_Place]:
    for name, calls in find_goal_calls(checked).items():
        op = checked.operations[name]
        able = [
            i for i in op.inputs if i.type.kind == "ref" and not i.optional and i.type.entity != checked.schema.actor
        ]
        if not op.roles or op.input(FOR) is not None:
            continue
        for i in able:
            fit = tuple(call for call in calls if _is_single_call(checked, call, i.name))
            if fit:
                amount, usual = _find_amount(checked, op, i)
                yield _Place(name, i.name, i.type.entity, amount, usual, fit[:MAX_GOALS])
                break


def _is_single_call(checked: Checked, call: GoalCall, row: str) -> bool:
    """Return whether a goal is this one call, about a row that it is given."""
    goal = checked.goals[call.goal]
    node = call.args.get(row)
    return (
        len(goal.how) == 1 and goal.actor is None and not goal.mends and "boss" not in goal.given
        and node is not None and write_path(node) in goal.given
    )  # fmt: skip


def _find_amount(checked: Checked, op: c.Operation, row: c.Input) -> tuple[str, float]:
    """Find what the operation comes to: a column of the record whose size can be told."""
    columns = checked.schema.entities[row.type.entity].stored
    for column in sorted(columns, key=lambda col: not any(word in col.name for word in SUMS)):
        if (
            column.type.kind == "money"
            and not column.optional
            and is_shown(checked, row.type.entity, column.name, op.roles)
        ):
            usual = estimate_size(n.Field(column.type, n.Var(row.type, row.name), column.name), checked)
            if usual is not None and usual >= 1:
                return f"{row.name}.{column.name}", usual
    return "", 0.0


# the layer


def _drafted(checked: Checked, place: _Place) -> Draft:
    bp = checked.blueprint
    ways = (*checked.schema.entities[checked.schema.actor].ways, *bp.entities[checked.schema.actor].fields)
    names = _Names(
        pick_free_name(bp.entities, "delegation", "power_of_attorney"), pick_free_name(bp.entities, "stand_in", "acted_for"),
        pick_free_name(ways, "held_delegations"), pick_free_name(ways, "given_delegations"),
        pick_free_name(bp.policies, "acting_for_others"),
    )  # fmt: skip
    find = pick_free_name(bp.operations, f"find_{plural(names.delegation)}")
    goals = {call.goal: _goal(bp, call, place, names) for call in place.calls}
    bp = add_entries(
        bp,
        entities={names.delegation: _delegation(checked, place, names), names.trace: _trace(checked, place)},
        policies={names.policy: _policy(checked, place, names)},
        operations={
            find: _search(checked, place, names),
            place.operation: _act_for(checked, bp.operations[place.operation], place, names),
        },
        goals=goals,
    )
    return Draft(bp, (f"policy:{names.policy}", f"operation:{find}", *(f"goal:{name}" for name in goals)))


def _delegation(checked: Checked, place: _Place, names: _Names) -> EntitySpec:
    actor, role = checked.schema.actor, checked.schema.role_field
    able = ", ".join(f"'{r}'" for r in _find_roles(checked, place))
    fields: dict[str, Any] = {
        "principal": f"{actor} as {names.given} ~ any(e for e in {actor} if e.{role} in ({able},))",
        "deputy": f"{actor} as {names.held} ~ any(e for e in {actor} if e.{role} in ({able},) and e.id != principal.id)",
        "from_on": "date ~ between(today - 40, today + 6)",
        "until_on": "date ~ from_on + between(4, 45)",
    }
    if place.amount:
        sizes = ", ".join(str(max(1, _round(place.usual * times))) for times in (0.3, 0.8, 1.5, 3, 10))
        fields["up_to"] = f"money ~ pick({sizes})"
    return EntitySpec(
        in_=checked.blueprint.entities[actor].in_,
        says="Somebody may act for somebody else, from one day to another.",
        key=pick_free_name((e.key for e in checked.blueprint.entities.values()), "DEL-####", "POA-####"),
        rows=TYPICAL_DELEGATIONS,
        fields=fields,
    )


def _round(value: float) -> int:
    step = int("1" + "0" * max(0, len(str(int(value))) - 2))
    return round(value / step) * step


def _find_roles(checked: Checked, place: _Place) -> tuple[str, ...]:
    """Find who can be asked for all of it."""
    able = [set(checked.goals[call.goal].roles) for call in place.calls]
    common = set(checked.operations[place.operation].roles).intersection(*able)
    return tuple(role for role in checked.operations[place.operation].roles if role in common) or tuple(sorted(able[0]))


def _trace(checked: Checked, place: _Place) -> EntitySpec:
    bp, actor = checked.blueprint, checked.schema.actor
    return EntitySpec(
        in_=bp.entities[place.entity].in_,
        says="Something that was done in somebody else's name.",
        key=pick_free_name((e.key for e in bp.entities.values()), "ACT-#####", "STI-#####"),
        fields={"concerns": place.entity, "principal": actor, "deputy": actor, "done_on": "date"},
    )


def _policy(checked: Checked, place: _Place, names: _Names) -> PolicySpec:
    today = checked.schema.now[:10]
    covers = " and amount <= d.up_to" if place.amount else ""
    about = {"principal": checked.schema.actor, **({"amount": "money"} if place.amount else {})}

    def case(first: int, last: int, amount: int = 100, deputy: str = "actor") -> dict[str, Any]:
        row: dict[str, Any] = {
            "deputy": deputy, "principal": "boss", "from_on": add_days(today, first), "until_on": add_days(today, last),
        }  # fmt: skip
        given: dict[str, Any] = {"principal": "boss", "today": today}
        if place.amount:
            row["up_to"], given["amount"] = 100, amount
        return {**given, names.delegation: [row]}

    cases = [
        CaseSpec(allowed=case(-5, 0)),
        CaseSpec(forbidden=case(-5, -1)),
        CaseSpec(forbidden=case(1, 9)),
        CaseSpec(forbidden=case(-5, 5, deputy="somebody")),
        CaseSpec(allowed=case(-5, -3), variant="lenient"),
        CaseSpec(forbidden=case(-1, 5), variant="strict"),
        CaseSpec(allowed={"principal": "none", **({"amount": 100} if place.amount else {})}),
    ]
    if place.amount:
        cases.append(CaseSpec(forbidden=case(-5, 5, amount=101)))
    column = to_words(place.amount.rpartition(".")[2])
    limit = (
        f" The `{column}` of the {name_entity(checked, place.entity)} must not be above its `up to`."
        if place.amount
        else ""
    )
    return PolicySpec(
        about=about,
        rule=(
            f"principal is none or exists(d for d in {names.delegation} if d.deputy == actor and d.principal == principal "
            f"and d.from_on + lead <= today and today <= d.until_on + grace{covers})"
        ),
        parameters={"lead": {"default": 0, "strict": 3}, "grace": {"default": 0, "lenient": 5}},
        says=(
            f"Nobody does `{to_words(place.operation)}` in somebody else's name without {_a(names.delegation)} from that person to "
            f"themselves. It counts from {{lead:days}} after its first day to {{grace:days}} after its last.{limit} Where it does "
            "not count, the matter waits for the person themselves."
        ),
        enforced="agent",
        cases=tuple(cases),
    )


def _a(name: str) -> str:
    return f"a {to_words(name)}"


def _act_for(checked: Checked, op: OperationSpec, place: _Place, names: _Names) -> OperationSpec:
    """Let the operation be done in somebody's name, where one is given."""
    bound = {"principal": FOR, **({"amount": place.amount} if place.amount else {})}
    traced = StatementSpec(
        when=f"{FOR} is not none",
        do=(
            StatementSpec(
                add=names.trace,
                with_={"concerns": place.row, "principal": FOR, "deputy": "actor", "done_on": "today"},
            ),
        ),
    )
    new = insert_before_writes(op, StatementSpec(obey={names.policy: bound}))
    taken = InputSpec(type=f"{checked.schema.actor}?", says="In whose name it is done, where it is not your own.")
    return new.model_copy(update={"takes": {**op.takes, FOR: taken}, "does": (*new.does, traced)})


def _search(checked: Checked, place: _Place, names: _Names) -> OperationSpec:
    more = ("up_to",) if place.amount else ()
    return OperationSpec(
        in_=checked.blueprint.entities[checked.schema.actor].in_,
        says="Search who may act for whom, and when.",
        by=("anyone",),
        search=names.delegation,
        filters=("principal", "deputy", "from_on", "until_on"),
        sort=("from_on",),
        shows=("principal", "principal.name", "deputy", "deputy.name", "from_on", "until_on", *more),
    )


def _goal(bp: Blueprint, call: GoalCall, place: _Place, names: _Names) -> GoalSpec:
    """The same goal, in the name of somebody who once gave the one who is asked a delegation."""
    assert bp.actor is not None
    spec = bp.goals[call.goal]
    about = write_path(call.args[place.row])
    step = spec.how[0]
    done = f"s.concerns == {about} and s.principal == boss and s.deputy == actor and s.done_on == today"
    asks = tuple(f"{end_sentence(ask)}{_ASKS[k % len(_ASKS)]}" for k, ask in enumerate(spec.asks))
    return spec.model_copy(
        update={
            "given": {**spec.given, "boss": f"{bp.actor.entity} where exists(d for d in {names.given})"},
            "actor": f"first((d for d in boss.{names.given}), by=d.from_on).deputy",
            "wants": f"({spec.wants}) and exists(s for s in {names.trace} if {done})",
            "how": (step.model_copy(update={"with_": {**step.with_, FOR: "boss"}}),),
            "asks": asks,
            "then": (),
            "each": (),
            "files": None,
        }
    )


LAYER = Layer(
    "rules",
    "some things may be done in somebody else's name, within a delegation that is in force and covers the amount",
    "people who act for others",
    _lay,
)
