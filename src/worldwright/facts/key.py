"""The key of a task in words: which end states are accepted, what is wanted of them, which rules are in play."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from worldwright.blueprint.schema import Schema
from worldwright.blueprint.types import Type
from worldwright.core.errors import TamperedPack
from worldwright.engine.world import World
from worldwright.facts.opened import OpenedPack
from worldwright.facts.rows import read_row
from worldwright.facts.values import format_value
from worldwright.kinds.database.records import to_json
from worldwright.kinds.database.runtime import Runtime
from worldwright.kinds.database.verify.patterns import AnyValue, During, Is, Of, Pattern, read_accepted
from worldwright.world.tasks import Key, Task

MARKS = {"added": "+", "changed": "~", "removed": "-"}

_MISSHAPEN = (TypeError, ValueError, AttributeError, LookupError)
"""What data of another shape than a key's runs into, where no check has a name for it."""


@dataclass(frozen=True, slots=True)
class RowFacts:
    """One row of an accepted end state."""

    mark: str
    row: str
    """`a new approval`, `requisition REQ-00166`"""
    demanded: tuple[str, ...]
    """Columns whose value is fixed, each with it."""
    open: tuple[str, ...]
    """Columns that may hold anything which keeps goal and rules."""


@dataclass(frozen=True, slots=True)
class WantedFacts:
    goal: str
    wants: str
    about: Mapping[str, str]
    """What the goal's names stand for: rows and things said."""
    mentions: tuple[str, ...]
    """Texts that must state facts."""


@dataclass(frozen=True, slots=True)
class RuleFacts:
    name: str
    says: str
    enforced: str
    """tool or handbook"""


def check_task(world: World, ref: str) -> None:
    """Refuse by name a task that is for nobody, and a key that no verifier can be made from."""
    _check_person(world, world.book.task(ref))
    expects = world.key(ref).expects
    try:
        world.runtime.judge(expects)
    except TamperedPack as e:
        raise TamperedPack(f"keys/{ref}.json: {e}") from None
    except _MISSHAPEN as e:
        raise TamperedPack(f"keys/{ref}.json expects something that cannot be read: {e}") from None


def _check_person(world: World, task: Task) -> None:
    if task.role not in (world.roles or ("",)):
        raise TamperedPack(f"tasks/{task.id}.json is for a role {task.role!r}, which this world does not have")
    if isinstance(world.runtime, Runtime) and world.runtime.compiled.blueprint.schema.actor:
        schema = world.runtime.compiled.blueprint.schema
        person = read_row(world, schema.actor, task.actor)
        if person is None or person[schema.role_field] != task.role:
            raise TamperedPack(f"tasks/{task.id}.json is for {task.actor!r}, who is no {task.role} here")


def accepted_facts(opened: OpenedPack, key: Key) -> tuple[tuple[RowFacts, ...], ...]:
    schema = opened.checked.schema
    accepted = read_accepted(key.expects.get("accepts", ()), schema)
    return tuple(tuple(_row(schema, pattern) for pattern in patterns) for patterns in accepted)


def _row(schema: Schema, pattern: Pattern) -> RowFacts:
    columns = schema.entities[pattern.table].columns
    demanded, free = [], []
    for name, cell in pattern.cells.items():
        match cell:
            case Is(value=value):
                demanded.append(f"{name}: {_value(value, columns[name].type)}")
            case Of(label=label):
                demanded.append(f"{name}: {_spell_label(label)}")
            case During():
                demanded.append(f"{name}: a moment of the episode")
            case AnyValue():
                free.append(name)
    return RowFacts(MARKS[pattern.op], _title(pattern), tuple(demanded), tuple(free))


def _value(value: Any, kind: Type) -> str:
    found = to_json(value, kind)
    return f"{found:,.{kind.places}f}" if isinstance(found, float) else format_value(found)


def _title(pattern: Pattern) -> str:
    if pattern.id:
        return f"{pattern.table} {pattern.id}"
    kind = f"new {pattern.table}" if pattern.op == "added" else f"{pattern.table}, whichever"
    called = f" ({_spell_label(pattern.label)})" if pattern.label else ""
    return f"{'one or more' if pattern.many else 'a'} {kind}{called}"


def _spell_label(label: str) -> str:
    """Write `approval_1` as a person reads it."""
    return label.replace("_", " ")


def wanted_facts(opened: OpenedPack, key: Key) -> tuple[WantedFacts, ...]:
    out = []
    for use in key.expects.get("goals", ()):
        goal = opened.checked.goals[use["goal"]]
        mentions = opened.checked.blueprint.goals[goal.name].mentions
        rows = {
            name: format_value(at.get("id") or f"the new {_spell_label(str(at.get('row')))}")
            for name, at in use.get("rows", {}).items()
        }
        about = {**rows, **{name: format_value(value) for name, value in use.get("said", {}).items()}}
        stated = tuple(f"{text} states {', '.join(facts)}" for text, facts in mentions.items())
        out.append(WantedFacts(goal.name, " ".join(goal.text.split()), about, stated))
    return tuple(out)


def rule_facts(opened: OpenedPack, key: Key) -> tuple[RuleFacts, ...]:
    """The rules that the task is about: those its verifier names, and the one that it is refused by."""
    answer = dict(key.expects.get("answer", {})).get("rule", {}).get("is")
    names = dict.fromkeys([*map(str, key.expects.get("rules", ())), *([answer] if isinstance(answer, str) else [])])
    policies = opened.checked.policies
    return tuple(
        RuleFacts(name, policies[name].says, "handbook" if policies[name].enforced == "agent" else "tool")
        for name in names
        if name in policies
    )
