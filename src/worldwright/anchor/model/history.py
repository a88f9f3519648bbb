"""The past of a derived world: records come in over the weeks, and things happen to them, by its own operations."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from worldwright.anchor.model.attributes import born
from worldwright.anchor.model.entity_specs import bounds, said_text, state_transitions
from worldwright.anchor.model.items import paging
from worldwright.anchor.model.learned import Draws
from worldwright.anchor.model.lifecycles import target
from worldwright.anchor.model.operations import BlueprintOperation
from worldwright.anchor.model.records import Attribute

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
    for one in made:
        if one.intent.kind != "create" or one.logs or one.entity.name in whole:
            continue
        steps = [_first(one, learned), *_later(one, made)]
        flows[f"new_{one.entity.name}"] = {"per_week": MANY if _paged(one, made) else FEW, "steps": steps}
    return {"spans": f"{DAYS} days", "flows": flows} if flows else {}


def _paged(one: BlueprintOperation, made: Sequence[BlueprintOperation]) -> bool:
    lists = [m for m in made if m.entity.name == one.entity.name and m.gives == "rows"]
    return all(paging(m.intent.operation).how for m in lists)


def _first(one: BlueprintOperation, learned: Draws) -> dict[str, Any]:
    attributes = {t.name: t.attribute for t in one.takes if t.attribute is not None}
    children = {t.name: t.child for t in one.takes if t.child is not None}
    values = {}
    for name, kind in one.spec.get("takes", {}).items():
        optional = _kind(kind).endswith("?")
        attribute = attributes.get(name)
        child = children.get(name)
        if child is not None:
            drawn = ", ".join(f"{a.name}={draw_input(a)}" for a in child.attributes if a.given and a.kind not in SPARED)
            values[name] = f"many(between(1, 3), {drawn})" if drawn else "many(0)"
        elif attribute is None or attribute.kind == "ref":
            entity = _kind(kind).rstrip("?")
            drawn = f"favourite(x for x in {entity})"
            values[name] = f"{drawn} if chance(0.8) else none" if optional else drawn
        elif not optional or attribute.kind not in SPARED:
            values[name] = learned.get((one.entity.name, attribute.name)) or draw_input(attribute)
    return {"do": one.name, "by": _who(one), "with": values, "as": "row"}


def _later(one: BlueprintOperation, made: Sequence[BlueprintOperation]) -> list[dict[str, Any]]:
    """Moves of the new record, each some days later and not always."""
    entity = one.entity
    out = []
    for move in made:
        row = move.row
        needs = [n for n, k in move.spec.get("takes", {}).items() if n != row and not _kind(k).endswith("?")]
        if move.intent.kind != "move" or move.entity.name != entity.name or not row or needs:
            continue
        step = {"do": move.name, "by": _who(move), "after": "skewed(1, 12)", "chance": "45%", "with": {row: "row"}}
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
    low, high = bounds(a)
    if a.kind == "date" and born(a):
        return "today - between(7500, 24000)"
    table = {
        "int": f"between({low}, {high})",
        "decimal": f"between({low}, {high})",
        "money": "lognormal(120, 0.9)",
        "bool": "chance(0.4)",
        "date": "today + between(1, 30)",
        "time": "now",
        "json": "'{}'" if a.shape.kind == "object" else "'[]'",
        "list": "'7'" if a.shape.items is not None and a.shape.items.kind == "integer" else "'standard'",
    }
    if a.kind in ("words", "state"):
        return (
            f"pick({', '.join(repr(w) for w in a.words.values())})"
            if len(a.words) > 1
            else repr(next(iter(a.words.values())))
        )
    return table.get(a.kind) or said_text(a, before=True)
