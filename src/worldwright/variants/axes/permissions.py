"""Permissions: one operation taken from a role, or given to one. The texts of the roles say so.

Taken only where somebody else may still do it, where the past was not made by that role doing it, and where requests can be put to
another role. Given only to a role that is asked for something and already changes things in the same system.
"""

from __future__ import annotations

from collections.abc import Iterator

from worldwright.blueprint.checked import Checked
from worldwright.blueprint.model import Blueprint, GoalSpec, OperationSpec
from worldwright.core.errors import UsageError
from worldwright.core.names import to_words
from worldwright.variants.axis import Axis, Setting

TAKE, GIVE = "take", "give"
ANYONE = "anyone"
MAX_OFFERS = 4
"""Settings of each of the two: single operations say little about a world, and there are many of them."""


def _list_settings(checked: Checked) -> tuple[Setting, ...]:
    bp = checked.blueprint
    taken = [f"{TAKE}:{op}:{role}" for op, role in _spread(_find_takable(bp))]
    given = [f"{GIVE}:{op}:{role}" for op, role in _spread(_find_givable(bp))]
    return tuple(Setting(value, _phrase(bp, value)) for value in (*taken, *given))


def _spread(found: Iterator[tuple[str, str]]) -> list[tuple[str, str]]:
    """A few of them, from all over the Blueprint, each of another operation."""
    first = dict(reversed(list(found)))
    every = list(reversed(first.items()))
    return every[:: max(1, -(-len(every) // MAX_OFFERS))][:MAX_OFFERS]


def _find_operations(bp: Blueprint) -> dict[str, OperationSpec]:
    """Find operations that change something, that not everybody may do, and that somebody asks for."""
    asked = {step.do for goal in bp.goals.values() for step in goal.how}
    return {
        name: op
        for name, op in bp.operations.items()
        if name in asked and not (op.search or op.get) and ANYONE not in op.by and bp.roles
    }


def _find_takable(bp: Blueprint) -> Iterator[tuple[str, str]]:
    for name, op in _find_operations(bp).items():
        for role in op.by if len(op.by) > 1 else ():
            if not _is_in_history(bp, name, role) and all(
                _is_dispensable(bp, g, name, role) for g in bp.goals.values()
            ):
                yield name, role


def _is_in_history(bp: Blueprint, operation: str, role: str) -> bool:
    """Return whether the past was made by that role doing it, or by somebody whose role only the past knows."""
    steps = [s for flow in bp.history.flows.values() for s in flow.steps if s.do == operation]
    first = bp.operations[operation].by[0]
    return any((s.by or first) == role or (s.by and s.by not in bp.roles) for s in steps)


def _is_dispensable(bp: Blueprint, goal: GoalSpec, operation: str, role: str) -> bool:
    if goal.files is not None and goal.files.do == operation and goal.files.by in (role, ""):
        return False
    if all(step.do != operation for step in goal.how):
        return True
    if goal.actor is not None:
        return False
    return bool(set(goal.by or _find_able_roles(bp, goal)) - {role})


def _find_able_roles(bp: Blueprint, goal: GoalSpec) -> tuple[str, ...]:
    limits = [bp.operations[step.do].by for step in goal.how if ANYONE not in bp.operations[step.do].by]
    return tuple(role for role in bp.roles if all(role in limit for limit in limits))


def _find_givable(bp: Blueprint) -> Iterator[tuple[str, str]]:
    acting = {
        (role, op.in_)
        for op in bp.operations.values()
        for role in op.by
        if role != ANYONE and not (op.search or op.get)
    }
    asked = {role for goal in bp.goals.values() for role in (goal.by or _find_able_roles(bp, goal))[:1]}
    for name, op in _find_operations(bp).items():
        for role in bp.roles:
            if role not in op.by and role in asked and (role, op.in_) in acting:
                yield name, role


def _vary(bp: Blueprint, value: str) -> Blueprint:
    verb, operation, role = _parts(bp, value)
    op = bp.operations[operation]
    by = (*op.by, role) if verb == GIVE else tuple(r for r in op.by if r != role)
    if not by or by == op.by or (role in op.by and verb == GIVE):
        raise UsageError(f"`permissions`: {value[:80]!r} changes nothing, or leaves nobody who may do it")
    says = (
        f"{bp.roles[role].rstrip('.')}. {'May here also' if verb == GIVE else 'May not here'}: {to_words(operation)}."
    )
    goals = {name: _remove_role(goal, operation, role) if verb == TAKE else goal for name, goal in bp.goals.items()}
    return bp.model_copy(
        update={
            "operations": {**bp.operations, operation: op.model_copy(update={"by": by})},
            "roles": {**bp.roles, role: says},
            "goals": goals,
        }
    )


def _remove_role(goal: GoalSpec, operation: str, role: str) -> GoalSpec:
    """Ask for the goal only those who can still reach it."""
    if role not in goal.by or all(step.do != operation for step in goal.how):
        return goal
    return goal.model_copy(update={"by": tuple(r for r in goal.by if r != role)})


def _parts(bp: Blueprint, value: str) -> tuple[str, str, str]:
    verb, _, rest = value.partition(":")
    operation, _, role = rest.partition(":")
    if verb not in (TAKE, GIVE) or operation not in bp.operations or role not in bp.roles:
        raise UsageError(
            f"`permissions` cannot be {value[:80]!r}; for instance take:OPERATION:ROLE or give:OPERATION:ROLE"
        )
    return verb, operation, role


def _phrase(bp: Blueprint, value: str) -> str:
    verb, operation, role = _parts(bp, value)
    return f"{to_words(role)} {'may' if verb == GIVE else 'may not'} {to_words(operation)}"


AXIS = Axis(
    "permissions", "rules", 30, "one operation taken from a role or given to one", _list_settings, _vary, phrase=_phrase
)
