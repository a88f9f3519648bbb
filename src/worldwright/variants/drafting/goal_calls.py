"""What layers of rules share: who asks for which operation, where a statement goes, what agents can see, and which draft checks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from worldwright.blueprint import checked as c
from worldwright.blueprint.checked import Checked
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.load import check_again
from worldwright.blueprint.model import Blueprint, FieldSpec, OperationSpec, StatementSpec
from worldwright.core.errors import BlueprintError
from worldwright.core.names import to_words
from worldwright.core.rng import Stream
from worldwright.variants.layer import Draft

MAX_DRAFTS = 6
"""Drafts that are put through the checker before a layer gives up."""
_QUIET = ("let", "find", "require")
"""Statements that change nothing and forbid nothing by a rule."""


@dataclass(frozen=True, slots=True)
class GoalCall:
    """A call that a goal leads to."""

    goal: str
    step: int
    args: Mapping[str, n.Node]
    """What the goal gives for each input."""


def find_goal_calls(checked: Checked) -> dict[str, tuple[GoalCall, ...]]:
    """Map each operation that writes to the goals that lead to it."""
    out: dict[str, list[GoalCall]] = {}
    for goal in checked.goals.values():
        for k, step in enumerate(goal.how):
            if checked.operations[step.operation].body:
                out.setdefault(step.operation, []).append(GoalCall(goal.name, k, dict(step.args)))
    return {name: tuple(found) for name, found in out.items()}


def find_past_operations(checked: Checked) -> frozenset[str]:
    """The operations that made the past: a rule on one of them changes it."""
    return frozenset(step.operation for flow in checked.flows.values() for step in flow.steps)


def first_that_checks(checked: Checked, drafts: Iterable[Draft], tries: int = MAX_DRAFTS) -> Draft | None:
    """The first of a few drafts that is a Blueprint: what a layer cannot see beforehand, the checker does."""
    for k, draft in enumerate(drafts):
        if k >= tries:
            return None
        try:
            return replace(draft, checked=check_again(draft.blueprint, draft.blueprint.blueprint, checked))
        except BlueprintError:
            continue
    return None


def first_with_several(
    checked: Checked, places: list[Any], most: int, draft: Callable[[Checked, list[Any]], Draft]
) -> Draft | None:
    """The first draft that checks: at as many of the first places as may be, then at each of the others alone."""
    several = [places[:k] for k in range(min(most, len(places)), 0, -1)]
    return first_that_checks(checked, (draft(checked, at) for at in (*several, *([place] for place in places[1:]))))


def shuffle(checked: Checked, layer: str, names: Iterable[str]) -> list[str]:
    """Names in an order that belongs to the layer and the Blueprint."""
    return Stream("layer", layer, checked.blueprint.blueprint).shuffled(list(names))


# names


def pick_free_name(taken: Iterable[str], *wanted: str) -> str:
    """The first of the names that is not taken, else the last with a number."""
    there = set(taken)
    for name in wanted:
        if name not in there:
            return name
    return next(f"{wanted[-1]}_{k}" for k in range(2, 100) if f"{wanted[-1]}_{k}" not in there)


def name_entity(checked: Checked, entity: str) -> str:
    """Name one row of an entity for people."""
    return checked.blueprint.entities[entity].noun or to_words(entity)


def write_path(node: n.Node) -> str | None:
    """A name or a path of dots as text; nothing for anything else."""
    if isinstance(node, n.Var):
        return node.name
    if isinstance(node, n.Field):
        base = write_path(node.base)
        return None if base is None else f"{base}.{node.name}"
    return None


def path_in_goal(asked_for: GoalCall, path: str) -> str | None:
    """A path of an operation's inputs, as the goal would write it: `exposure.claim` is `e.claim`."""
    root, dot, rest = path.partition(".")
    node = asked_for.args.get(root)
    base = write_path(node) if node is not None else None
    return None if base is None else base + dot + rest


# statements


def insert_before_writes(op: OperationSpec, *statements: StatementSpec) -> OperationSpec:
    """The operation with these before the first statement that does more than look and require."""
    does = op.does
    at = next((k for k, s in enumerate(does) if all(getattr(s, verb) is None for verb in _QUIET)), len(does))
    return op.model_copy(update={"does": (*does[:at], *statements, *does[at:])})


# changes of a Blueprint


def add_entries(bp: Blueprint, **sections: Mapping[str, Any]) -> Blueprint:
    """The Blueprint with more entries in some sections, or with others under the same names."""
    return bp.model_copy(update={name: {**getattr(bp, name), **entries} for name, entries in sections.items()})


def add_fields(bp: Blueprint, entity: str, fields: Mapping[str, FieldSpec]) -> Blueprint:
    """The Blueprint with more fields of an entity, or with others under the same names."""
    spec = bp.entities[entity]
    return add_entries(bp, entities={entity: spec.model_copy(update={"fields": {**spec.fields, **fields}})})


# what agents can see


def is_shown(checked: Checked, entity: str, column: str, roles: Iterable[str] = ()) -> bool:
    """Return whether each of the roles has a tool that shows this column of a row."""
    seeing = [op for op in checked.operations.values() if _shows_column(op.read, entity, column)]
    return any(not op.roles for op in seeing) or (
        bool(seeing) and all(any(role in op.roles for op in seeing) for role in roles)
    )


def _shows_column(read: c.Search | c.Get | None, entity: str, column: str) -> bool:
    if read is None or read.entity != entity:
        return False
    return isinstance(read, c.Get) or not read.shows or any(name == column for name, _ in read.shows)


def find_searches(checked: Checked, entity: str) -> Iterator[c.Operation]:
    for op in checked.operations.values():
        if isinstance(op.read, c.Search) and op.read.entity == entity:
            yield op


def end_sentence(ask: str) -> str:
    """A request as a whole sentence, so that another may follow."""
    return ask if ask.endswith((".", "?", "!")) else f"{ask}."


# services


def find_busiest(checked: Checked, layer: str, needed: Counter[str]) -> str:
    """The system that most goals need; empty where none is needed."""
    most = max(needed.values(), default=0)
    best = [system for system in checked.blueprint.systems if needed[system] == most and most]
    return Stream("layer", layer, checked.blueprint.blueprint).pick(best) if best else ""


def pick_service_name(checked: Checked, name: str) -> str:
    """A name that no service has yet."""
    taken = checked.blueprint.service
    return next(one for one in (name, *(f"{name}_{k}" for k in range(2, len(taken) + 3))) if one not in taken)
