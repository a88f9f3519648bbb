"""The facts of a request: what is wanted, of which rows, with which values, by whom. Nothing of what a key accepts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from worldwright.blueprint.checked import Goal
from worldwright.blueprint.types import Type
from worldwright.core.fixed import parse_fixed
from worldwright.kinds.database.compiled_world import CompiledWorld
from worldwright.world.records import Call
from worldwright.world.tasks import Key, Task


@dataclass(frozen=True, slots=True)
class GoalUse:
    """A goal with its names filled in."""

    goal: Goal
    ids: Mapping[str, str]
    """By name, the id of a row that was there before."""
    made: Mapping[str, str]
    """By name, the label of a row that the episode makes; the same label is the same row in every goal."""
    said: Mapping[str, Any]
    """In storage form."""


@dataclass(frozen=True, slots=True)
class Fact:
    """What a request says of the rows that it means."""

    field: str
    op: str
    """==, >= or <="""
    value: Any
    """In storage form."""


@dataclass(frozen=True, slots=True)
class Over:
    """Every row of a table of which something is so: all are dealt with, or counted."""

    table: str
    goal: Goal | None
    """What is asked for each of them; None where they are only counted."""
    where: tuple[Fact, ...]
    total: str
    """The field that is added up; empty for none."""


@dataclass(frozen=True, slots=True)
class Request:
    """What somebody asks for, and one way to go about it."""

    task: str
    role: str
    actor: str
    goals: tuple[GoalUse, ...]
    outcome: str
    """done; refused where a rule forbids it; partly where one forbids a part of it."""
    parts: tuple[str, ...]
    """What an answer may have, as the task's own schema lists it."""
    calls: tuple[Call, ...]
    """The writes of the witness; those that a rule is said to forbid where it is refused."""
    forbidden: tuple[Call, ...] = ()
    """The writes that a rule is said to forbid."""
    untold: tuple[str, ...] = ()
    """Parts that an answer would have if the forbidden part had been done."""
    beyond: tuple[GoalUse, ...] = ()
    """The goals of a part that a rule is said to forbid, where the rest can be done."""
    over: Over | None = None
    """Where it is about every row of a kind: which; its goals follow from that."""

    @property
    def refuses(self) -> bool:
        return self.outcome == "refused"


def read_request(compiled: CompiledWorld, task: Task, key: Key) -> Request:
    """Read the request's facts out of a task and the part of its key that holds them."""
    expects = key.expects
    outcome = str(expects.get("outcome", "done"))
    refuses = outcome == "refused"
    uses = expects.get("request", ()) if refuses else expects.get("goals", ())
    forbidden = tuple(Call(str(c["tool"]), c["arguments"]) for c in expects.get("forbidden", ()))
    parts = tuple(task.answer_schema.get("properties", {}))
    asked = compiled.blueprint.goals.get(str(expects.get("asked", "")))
    tells = () if asked is None else tuple(asked.tells)
    own = tuple(c for c in key.calls if c.tool in compiled.tools and compiled.tools[c.tool].mutates)
    return Request(
        task.id,
        task.role,
        task.actor,
        tuple(_read_use(compiled, use) for use in uses),
        outcome,
        parts,
        forbidden if refuses else own,
        forbidden,
        tuple(part for part in parts if part in tells or part.rpartition("_")[0] in tells),
        tuple(_read_use(compiled, use) for use in expects.get("request", ())) if outcome == "partly" else (),
        _read_over(compiled, expects["over"]) if "over" in expects else None,
    )


def _read_over(compiled: CompiledWorld, over: Mapping[str, Any]) -> Over:
    columns = compiled.blueprint.schema.entities[over["table"]].columns
    facts = (
        Fact(str(one["field"]), str(one["op"]), _store(one["value"], columns[one["field"]].type))
        for one in over["where"]
    )
    return Over(over["table"], compiled.blueprint.goals.get(over["goal"]), tuple(facts), over["total"])


def _read_use(compiled: CompiledWorld, use: Mapping[str, Any]) -> GoalUse:
    goal = compiled.blueprint.goals[use["goal"]]
    rows = use["rows"]
    return GoalUse(
        goal,
        {name: str(at["id"]) for name, at in rows.items() if "id" in at},
        {name: str(at["row"]) for name, at in rows.items() if "id" not in at},
        {name: _store(value, goal.states[name]) for name, value in use["said"].items()},
    )


def _store(value: Any, kind: Type) -> Any:
    """Bring a value as people write it into storage form."""
    if kind.kind == "bool":
        return int(value)
    return parse_fixed(value, kind.places) if kind.numeric and value is not None else value
