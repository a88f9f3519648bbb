"""The facts of a request: what is wanted, of which rows, with which values, by whom. Nothing of what a key accepts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    told: tuple[Mapping[str, str], ...] = ()
    """By goal, the parts of an answer in which it tells what it tells."""
    beyond: tuple[GoalUse, ...] = ()
    """The goals of a part that a rule is said to forbid, where the rest can be done."""
    place: int = -1
    """Which of the things asked for that part is, from 0 on; -1 where there is none."""
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
    goals = tuple(_read_use(compiled, use) for use in uses)
    beyond = tuple(_read_use(compiled, use) for use in expects.get("request", ())) if outcome == "partly" else ()
    place = int(expects.get("place", len(goals))) if beyond else -1
    told = _name_told([*goals[:place], *beyond, *goals[place:]] if beyond else goals)
    if refuses:
        untold = [part for part in parts if part in _list_tells(compiled, expects)]
    else:
        untold = [part for names in told[place : place + len(beyond)] for part in names.values()] if beyond else []
    own = tuple(c for c in key.calls if c.tool in compiled.tools and compiled.tools[c.tool].mutates)
    return Request(
        task.id,
        task.role,
        task.actor,
        goals,
        outcome,
        parts,
        forbidden if refuses else own,
        forbidden,
        tuple(untold),
        tuple(told[:place] + told[place + len(beyond) :] if beyond else told),
        beyond,
        place,
        _read_over(compiled, expects["over"]) if "over" in expects else None,
    )


def _list_tells(compiled: CompiledWorld, expects: Mapping[str, Any]) -> tuple[str, ...]:
    asked = compiled.blueprint.goals.get(str(expects.get("asked", "")))
    return () if asked is None else tuple(asked.tells)


def _name_told(uses: Sequence[GoalUse]) -> list[dict[str, str]]:
    """Name the parts in which goals tell what they tell: the first to tell it by its name, others by their number as well."""
    out: list[dict[str, str]] = []
    for number, use in enumerate(uses, 1):
        before = {name for names in out for name in names}
        out.append({name: f"{name}_{number}" if name in before else name for name in use.goal.tells})
    return out


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
