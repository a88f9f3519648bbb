"""What people would ask of a derived business. Each goal says what is wanted of the records, never which call to make.

A change of one record that is named is the least of it: most goals need something to be found out first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from worldwright.anchor.model.goals.changes import changes, moves, new_records, removals
from worldwright.anchor.model.goals.phrases import Goal
from worldwright.anchor.model.goals.questions import lookups, questions
from worldwright.anchor.model.operations import BlueprintOperation
from worldwright.anchor.model.records import Entity
from worldwright.anchor.names import fresh

__all__ = ["build_goals"]

FEW = 8
"""Goals that change something, below which more is asked about."""
MAX_GOALS = 72
"""Goals of one world. Those of the things that most is done with come first."""
AT_ONCE = 4
"""Goals of one thing before the next has its turn."""


def build_goals(
    entities: Sequence[Entity], made: Sequence[BlueprintOperation], shown: Mapping[str, frozenset[str]]
) -> dict[str, Goal]:
    """Goals for everything that can be asked for, by name. `shown` is by operation which fields its answer has."""
    entities = [_as_shown(r, made, shown) for r in entities]
    resources = {r.name: r for r in entities}
    made = [replace(one, entity=resources[one.entity.name]) for one in made]
    rank = {r.name: k for k, r in enumerate(sorted(entities, key=lambda r: -len(r.intents)))}
    makers = {"move": moves, "create": new_records, "update": changes, "delete": removals}
    doing = [one for one in made if one.intent.kind in makers and not one.logs]
    found = [(one.entity.name, pair) for one in doing for pair in makers[one.intent.kind](one, resources)]
    breadth = 1 if len(found) >= FEW else 4
    found += [(r.name, pair) for r in entities for pair in questions(r, resources, made, breadth)]
    found += [(r.name, pair) for r in entities for pair in lookups(r, made, shown)]
    turn: Counter[str] = Counter()
    ordered = []
    for thing, pair in found:
        ordered.append((turn[thing] // AT_ONCE, rank[thing], pair))
        turn[thing] += 1
    out: dict[str, Goal] = {}
    for _, _, (name, goal) in sorted(ordered, key=lambda one: one[:2])[:MAX_GOALS]:
        short = name[:52].rstrip("_")
        out[fresh(f"ask_{short}" if short.startswith("sqlite") else short, out)] = goal
    return out


def _as_shown(entity: Entity, made: Sequence[BlueprintOperation], shown: Mapping[str, frozenset[str]]) -> Entity:
    """A thing with what some answer shows of it, and its state: nobody asks about anything else."""
    reads = [one for one in made if one.entity.name == entity.name and one.intent.kind in ("list", "get")]
    seen = {name for one in reads for name in shown[one.name]}
    parents = tuple(p for p in entity.parents if all(a.refers_to != p for a in entity.attributes))
    kept = tuple(a for a in entity.attributes if a.name in seen or a.kind == "state")
    return replace(entity, attributes=kept, parents=parents)
