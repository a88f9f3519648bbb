"""What an answer tells of a row that the goal made: bound to that row, and not to whichever has the last id."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from worldwright.blueprint.checked import Goal
from worldwright.blueprint.expr import nodes as n


def find_pick(node: n.Node) -> n.Aggregate | None:
    """Find where an expression picks the first or last row of several: `last((s for s in c.shipments), by=s.id)`."""
    for part in n.walk(node):
        if (
            isinstance(part, n.Aggregate)
            and part.kind in ("first", "last")
            and part.type.kind == "ref"
            and part.value == n.Var(part.value.type, part.var)
            and not part.rows.items
        ):
            return part
    return None


def bind_pick(goal: Goal, tells: str) -> tuple[Goal, n.Node, str] | None:
    """Bind the row that a part of the answer picks to a name of its own. Returns the goal with one more given, what is told in
    terms of it, and the name; None where nothing is picked."""
    node = goal.tells[tells]
    pick = find_pick(node)
    if pick is None:
        return None
    name = f"the_{pick.rows.entity}"
    while name in goal.given or name in goal.states:
        name += "_"
    given: Mapping[str, Any] = {**goal.given, name: pick.type}
    return replace(goal, given=given), _put(node, pick, n.Var(pick.type, name)), name


def _put(value: Any, old: n.Node, new: n.Node) -> Any:
    """Put one expression for another wherever it stands."""
    if value == old:
        return new
    if isinstance(value, tuple):
        return tuple(_put(item, old, new) for item in value)
    if isinstance(value, n.Rows):
        return replace(value, base=_put(value.base, old, new)) if value.base is not None else value
    if not isinstance(value, n.Node):
        return value
    return replace(value, **{f.name: _put(getattr(value, f.name), old, new) for f in fields(value) if f.name != "type"})
