"""The past of a derived world: records come in over the weeks, and things happen to them, by its own operations."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from worldwright.anchor.model.agreement import draw_id, name_of_owner
from worldwright.anchor.model.blueprint import is_singleton, key_formats, state_transitions
from worldwright.anchor.model.dates import ENDED, past_date, role_of
from worldwright.anchor.model.draws import draw_text
from worldwright.anchor.model.items import paging
from worldwright.anchor.model.learned import Draws
from worldwright.anchor.model.lifecycles import target
from worldwright.anchor.model.numbers import draw_flag, draw_number
from worldwright.anchor.model.operations import BlueprintOperation
from worldwright.anchor.model.records import Attribute, Entity

DAYS = 60
FEW, MANY = 1, 5
"""New records a week: of things whose list cannot be paged, and of others."""
SPARED = frozenset({"json", "list"})
"""Kinds of values that are only given where they must be."""


def build_history(
    made: Sequence[BlueprintOperation], learned: Draws = MappingProxyType({}), whole: Collection[str] = ()
) -> dict[str, Any]:
    """Flows for everything that can be made; what happens to it afterwards follows. Values are drawn as they were `learned`.

    Things of which the `whole` records came with the evidence have their past in these."""
    flows: dict[str, Any] = {}
    entities = {m.entity.name: m.entity for m in made}
    keys = {name: key for name, key in key_formats(entities.values()).items() if not is_singleton(entities[name])}
    for one in made:
        if one.intent.kind != "create" or one.logs or one.entity.name in whole:
            continue
        steps = [_first(one, entities, keys, learned), *_later(one, made)]
        flows[f"new_{one.entity.name}"] = {"per_week": MANY if _paged(one, made) else FEW, "steps": steps}
    return {"spans": f"{DAYS} days", "flows": flows} if flows else {}


def _paged(one: BlueprintOperation, made: Sequence[BlueprintOperation]) -> bool:
    lists = [m for m in made if m.entity.name == one.entity.name and m.gives == "rows"]
    return all(paging(m.intent.operation).how for m in lists)


def _first(
    one: BlueprintOperation, entities: Mapping[str, Entity], keys: Mapping[str, str], learned: Draws
) -> dict[str, Any]:
    attributes = {t.name: t.attribute for t in one.takes if t.attribute is not None}
    children = {t.name: t.child for t in one.takes if t.child is not None}
    values = {}
    for name, kind in one.spec.get("takes", {}).items():
        optional = _kind(kind).endswith("?")
        attribute = attributes.get(name)
        child = children.get(name)
        if child is not None:
            parts = [a for a in child.attributes if a.given and a.kind not in SPARED]
            drawn = ", ".join(f"{a.name}={draw_id(a, child.name, entities, keys) or draw_input(a)}" for a in parts)
            values[name] = f"many(between(1, 3), {drawn})" if drawn else "many(0)"
        elif attribute is None or attribute.kind == "ref":
            entity = _kind(kind).rstrip("?")
            drawn = f"favourite(x for x in {entity})"
            values[name] = f"{drawn} if chance(0.8) else none" if optional else drawn
        elif not optional or not _is_left_out(attribute, one.entity, entities):
            spread = learned.get((one.entity.name, attribute.name))
            values[name] = draw_id(attribute, one.entity.name, entities, keys) or spread or draw_input(attribute)
    return {"do": one.name, "by": _who(one), "with": values, "as": "row"}


def _is_left_out(a: Attribute, entity: Entity, entities: Mapping[str, Entity]) -> bool:
    """Tell whether who makes a record leaves a value out that need not be said: when it is over, what others are called."""
    over = a.kind in ("date", "time") and role_of(a) == ENDED
    return a.kind in SPARED or over or bool(name_of_owner(a, entity, entities))


def _later(one: BlueprintOperation, made: Sequence[BlueprintOperation]) -> list[dict[str, Any]]:
    """Moves of the new record, each some days later and not always."""
    entity = one.entity
    out = []
    for move in made:
        row = move.row
        named = {row: "row", **{owner: f"row.{owner}" for owner in move.owners}}
        needs = [n for n, k in move.spec.get("takes", {}).items() if n not in named and not _kind(k).endswith("?")]
        if move.intent.kind != "move" or move.entity.name != entity.name or not row or needs:
            continue
        step = {"do": move.name, "by": _who(move), "after": "skewed(1, 12)", "chance": "45%", "with": named}
        state = entity.state
        goal = target(move.intent.verb, state.words.values()) if state is not None else ""
        if goal and state is not None:
            sources = [s for s, to in state_transitions(entity).items() if goal in to]
            step["if"] = f"row.{state.name} in ({', '.join(repr(s) for s in sources)},)"
            out.append(step)
        elif move.fields:
            out.append({**step, "chance": "25%"})
    return out[:3]


def _who(one: BlueprintOperation) -> str:
    return "operator" if one.spec["by"] == "anyone" else str(one.spec["by"][0])


def _kind(kind: Any) -> str:
    return str(kind.get("type", "list?")) if isinstance(kind, Mapping) else str(kind)


def draw_input(a: Attribute) -> str:
    """A value for an input, as an expression with a draw in it."""
    if a.kind == "ref":
        return f"favourite(x for x in {a.refers_to})"
    if a.kind in ("words", "state"):
        listed = [repr(w) for w in a.words.values()]
        return f"pick({', '.join(listed)})" if len(listed) > 1 else listed[0]
    if a.kind in ("date", "time"):
        return past_date(a)
    if a.kind in ("int", "decimal", "money"):
        return draw_number(a)
    return draw_flag(a) if a.kind == "bool" else draw_text(a)
