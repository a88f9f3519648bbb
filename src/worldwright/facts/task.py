"""The tasks of a pack as plain records: the screen shows them and `--json` prints them, so the two agree."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from worldwright.core.errors import UsageError
from worldwright.core.names import suggest
from worldwright.engine.tasks import FAMILIES, name_task
from worldwright.engine.world import World
from worldwright.facts.opened import OpenedPack
from worldwright.facts.rows import read_row
from worldwright.kinds.database.compile.tasks.knobs import FEATURES
from worldwright.world.tasks import Task

_QUOTED = re.compile(r"^>\s?")
FAMILIES_SAY: Mapping[str, str] = MappingProxyType(
    {
        "walk": "one thing to do, or several, one after the other",
        "program": "something for every row of a kind, or worked out over them",
        "policy": "at the edge of a rule: sometimes the right thing is to refuse",
        "repair": "a process broke half-way and has to be put right",
    }
)
"""What kind of work the tasks of a family are."""


@dataclass(frozen=True, slots=True)
class TaskFacts:
    id: str
    family: str
    role: str
    actor: str
    persona: str
    form: str
    asks: str
    """What it is about in one line: the instruction without greeting and small talk."""
    instruction: str
    features: Mapping[str, Any]


def task_of(world: World, ref: str) -> Task:
    """The task that a person named, by id or by number."""
    name = name_task(ref)
    if name not in world.book.ids:
        if not world.book.ids:
            raise UsageError("this pack has no tasks: its Blueprint has no goals, or it was built with --no-tasks")
        raise UsageError(f"this pack has no task `{ref[:60]}`; {_hint(name, world.book.ids)}")
    return world.book.task(name)


def _hint(name: str, ids: Sequence[str]) -> str:
    """Task ids are all alike, so the nearest one tells nothing: the range does, unless it is the word that is wrong."""
    return f"they are {ids[0]} to {ids[-1]}" if name.startswith("task") else suggest(name, ids)


def task_facts(opened: OpenedPack) -> tuple[TaskFacts, ...]:
    return tuple(facts_of(opened, task) for task in opened.world.tasks)


def facts_of(opened: OpenedPack, task: Task) -> TaskFacts:
    persona = opened.checked.blueprint.personas.get(task.persona)
    asides = persona.aside if persona is not None else ()
    return TaskFacts(
        task.id, task.family, task.role, task.actor, task.persona, task.form, gist(task.instruction, asides),
        task.instruction, task.features,
    )  # fmt: skip


def choose_examples(tasks: Sequence[TaskFacts], number: int = 3) -> list[TaskFacts]:
    """Choose one task of each family, as many as wanted; then the next ones of the families that have more."""
    rest, chosen = list(tasks), list[TaskFacts]()
    while rest and len(chosen) < number:
        seen: set[str] = set()
        for task in sorted(rest, key=lambda t: FAMILIES.index(t.family)):
            if task.family not in seen and len(chosen) < number:
                seen.add(task.family)
                chosen.append(task)
                rest.remove(task)
    return chosen


def gist(instruction: str, asides: Sequence[str] = ()) -> str:
    """The line that asks: the longest one, without sentences that this person only adds."""
    lines = [_QUOTED.sub("", line).strip() for line in instruction.splitlines()]
    text = max(lines, key=len, default="")
    for aside in asides:
        text = text.removeprefix(aside).removeprefix(".").strip() or text
    return text


def count_families(tasks: Sequence[TaskFacts | Task]) -> dict[str, int]:
    """Count how many there are of each family, in the families' own order."""
    count = Counter(t.family for t in tasks)
    return {name: count[name] for name in FAMILIES if count[name]}


def join_counts(count: Mapping[str, int]) -> str:
    """Write `35 walk, 11 policy`."""
    return ", ".join(f"{n} {name}" for name, n in count.items())


def person_of(opened: OpenedPack, task: Task) -> str:
    """The name of whoever is asked, where people have names."""
    schema = opened.checked.schema
    if not schema.actor or not task.actor:
        return ""
    record = read_row(opened.world, schema.actor, task.actor)
    columns = schema.entities[schema.actor].columns.values()
    name = next((c.name for c in columns if c.flavour == "person"), "")
    return "" if record is None else str(record.get(name) or "")


def list_features(features: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """List (name, value, meaning) of every measure that is not nothing; the ones known by name first."""
    names = [*(n for n in FEATURES if n in features), *(n for n in features if n not in FEATURES)]
    return [(n, str(features[n]), FEATURES.get(n, "")) for n in names if features[n] not in (0, "", "none", None)]
