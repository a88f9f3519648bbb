"""The past of a derived world: records come in over the weeks, and things happen to them, by its own operations."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from worldwright.anchor.model.agreement import draw_id, name_of_owner
from worldwright.anchor.model.blueprint import state_transitions
from worldwright.anchor.model.dates import ENDED, past_date, role_of
from worldwright.anchor.model.draws import draw_text
from worldwright.anchor.model.items import paging
from worldwright.anchor.model.lifecycles import target
from worldwright.anchor.model.numbers import draw_flag, draw_number
from worldwright.anchor.model.operations import BlueprintOperation
from worldwright.anchor.model.records import Attribute, Entity
from worldwright.anchor.model.seeds import Draws

DAYS = 60
FEW, MANY = 1, 5
"""New records a week: of things whose list cannot be paged, and of others."""
WHO = "operator"
"""The role of whoever does it: everything is open to anyone."""
SPARED = frozenset({"json", "list"})
"""Kinds of values that are only given where they must be."""


def build_history(
    made: Sequence[BlueprintOperation],
    specs: Mapping[str, Any],
    learned: Draws = MappingProxyType({}),
    whole: Collection[str] = (),
) -> dict[str, Any]:
    """Flows for everything that can be made; what happens to it afterwards follows. Values are drawn as they were `learned`.

    Things of which the `whole` records came with the evidence have their past in these."""
    flows: dict[str, Any] = {}
    entities = {m.entity.name: m.entity for m in made}
    for one in made:
        if one.intent.kind != "create" or one.logs or one.entity.name in whole:
            continue
        steps = [_first(one, entities, specs, learned), *_later(one, made)]
        lists = [m.intent.operation for m in made if m.entity.name == one.entity.name and m.gives == "rows"]
        often = MANY if all(paging(operation).how for operation in lists) else FEW
        flows[f"new_{one.entity.name}"] = {"per_week": often, "steps": steps}
    return {"spans": f"{DAYS} days", "flows": flows} if flows else {}


def _first(
    one: BlueprintOperation, entities: Mapping[str, Entity], specs: Mapping[str, Any], learned: Draws
) -> dict[str, Any]:
    values = {}
    for taken in (t for t in one.takes if t.name in one.spec["takes"]):
        child, a, optional = taken.child, taken.attribute, taken.name not in one.needed
        if child is not None:
            parts = [b for b in child.attributes if b.given and b.kind not in SPARED]
            drawn = ", ".join(f"{b.name}={draw_id(b, child.name, entities, specs) or draw_input(b)}" for b in parts)
            values[taken.name] = f"many(between(1, 3), {drawn})" if drawn else "many(0)"
        elif a is None or a.kind == "ref":
            drawn = f"favourite(x for x in {taken.entity})"
            values[taken.name] = f"{drawn} if chance(0.8) else none" if optional else drawn
        elif not optional or not _is_left_out(a, one.entity, entities):
            known = draw_id(a, one.entity.name, entities, specs) or learned.get((one.entity.name, a.name))
            values[taken.name] = known or draw_input(a)
    return {"do": one.name, "by": WHO, "with": values, "as": "row"}


def _is_left_out(a: Attribute, entity: Entity, entities: Mapping[str, Entity]) -> bool:
    """Tell whether who makes a record leaves a value out that need not be said: when it is over, what others are called."""
    over = a.kind in ("date", "time") and role_of(a) == ENDED
    return a.kind in SPARED or over or bool(name_of_owner(a, entity, entities))


def _later(one: BlueprintOperation, made: Sequence[BlueprintOperation]) -> list[dict[str, Any]]:
    """Moves of the new record, each some days later and not always."""
    entity, state = one.entity, one.entity.state
    out = []
    for move in (m for m in made if m.intent.kind == "move" and m.entity.name == entity.name and m.row):
        named = {move.row: "row", **{owner: f"row.{owner}" for owner in move.owners}}
        if any(name not in named for name in move.needed):
            continue
        step = {"do": move.name, "by": WHO, "after": "skewed(1, 12)", "chance": "45%", "with": named}
        goal = target(move.intent.verb, state.words.values()) if state is not None else ""
        if goal and state is not None:
            sources = [s for s, to in state_transitions(entity).items() if goal in to]
            out.append({**step, "if": f"row.{state.name} in ({', '.join(repr(s) for s in sources)},)"})
        elif move.fields:
            out.append({**step, "chance": "25%"})
    return out[:3]


def draw_input(a: Attribute, dated: Callable[[Attribute], str] = past_date) -> str:
    """A value for an input, as an expression with a draw in it. `dated` says how a date is drawn."""
    if a.kind == "ref":
        return f"favourite(x for x in {a.refers_to})"
    if a.kind in ("words", "state"):
        listed = [repr(w) for w in a.words.values()]
        return f"pick({', '.join(listed)})" if len(listed) > 1 else listed[0]
    if a.kind in ("date", "time"):
        return dated(a)
    if a.kind in ("int", "decimal", "money"):
        return draw_number(a)
    return draw_flag(a) if a.kind == "bool" else draw_text(a)
