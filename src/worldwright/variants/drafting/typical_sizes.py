"""About how large a value is that a Blueprint draws: enough to set a limit that some things keep and others do not."""

from __future__ import annotations

from worldwright.blueprint import checked as c
from worldwright.blueprint.check.safety import walk_statements
from worldwright.blueprint.checked import Checked
from worldwright.blueprint.expr import nodes as n
from worldwright.core.days import days_between


def estimate_size(node: n.Node, checked: Checked, deep: int = 0) -> float | None:
    """About how large a drawn value is: of a day, how many days from today. Nothing where it hangs on too much."""
    match node:
        case n.Const():
            return _constant(node, checked)
        case n.Var():
            return 0.0 if node.name == "today" else None
        case n.Scale():
            return estimate_size(node.item, checked, deep)
        case n.If():
            sides = (estimate_size(node.then, checked, deep), estimate_size(node.other, checked, deep))
            return next((side for side in sides if side is not None), None)
        case n.Either():
            return estimate_size(node.left, checked, deep) or estimate_size(node.right, checked, deep)
        case n.Arith():
            return _arithmetic(
                node.op, estimate_size(node.left, checked, deep), estimate_size(node.right, checked, deep)
            )
        case n.Divide():
            found = _arithmetic("/", estimate_size(node.left, checked, deep), estimate_size(node.right, checked, deep))
            moved = node.left.type.places - node.right.type.places - node.type.places
            return None if found is None else found * 10.0**moved
        case n.Draw():
            return _estimate_draw(node.name, [estimate_size(arg, checked, deep) for arg in node.args])
        case n.Call():
            return _estimate_call(node.name, [estimate_size(arg, checked, deep) for arg in node.args])
        case n.Field() if node.base.type.kind == "ref" and deep < MAX_DEPTH:
            at = (node.base.type.entity, node.name)
            drawn = checked.draws.get(at) or checked.kept.get(at) or checked.computed.get(at)
            return (
                estimate_size(drawn, checked, deep + 1)
                if drawn is not None
                else _estimate_from_past(checked, at, deep + 1)
            )
        case n.Aggregate() if node.kind == "sum":
            one = estimate_size(node.value, checked, deep)
            return None if one is None else TYPICAL_LINES * one
    return None


MAX_DEPTH = 4
TYPICAL_LINES = 2
"""How many parts things have that are made of parts."""


def _estimate_from_past(checked: Checked, at: tuple[str, str], deep: int) -> float | None:
    """Estimate a column of rows that operations add by what the past handed to them."""
    entity, column = at
    for op in checked.operations.values():
        for made in walk_statements(op.body):
            node = dict(made.values).get(column) if isinstance(made, c.Add) and made.entity == entity else None
            found = _estimate_argument(checked, op, node, deep) if node is not None else None
            if found is not None:
                return found
    return None


def _estimate_argument(checked: Checked, op: c.Operation, node: n.Node, deep: int) -> float | None:
    name = node.name if isinstance(node, (n.Var, n.Field)) else ""
    for flow in checked.flows.values():
        for step in flow.steps:
            given = dict(step.args) if step.operation == op.name else {}
            if isinstance(node, n.Var) and name in given:
                return estimate_size(given[name], checked, deep)
            lists = [arg for arg in given.values() if isinstance(arg, n.ListOf)] if isinstance(node, n.Field) else []
            for part in (dict(listed.parts).get(name) for listed in lists):
                if part is not None:
                    return estimate_size(part, checked, deep)
    return None if isinstance(node, n.Var) else estimate_size(node, checked, deep)


def _constant(node: n.Const, checked: Checked) -> float | None:
    if isinstance(node.value, str):
        return days_between(checked.schema.now[:10], node.value) if node.type.kind == "date" else None
    return None if node.value is None or isinstance(node.value, bool) else node.value / 10**node.type.places


def _arithmetic(op: str, left: float | None, right: float | None) -> float | None:
    if left is None or right is None:
        return None
    match op:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
    return left / right if right else None


def _estimate_draw(name: str, args: list[float | None]) -> float | None:
    known = [a for a in args if a is not None]
    if not known:
        return None
    match name:
        case "between" | "skewed" if len(known) > 1:
            return known[0] + (known[1] - known[0]) * (0.5 if name == "between" else 0.3)
        case "pick":
            return sorted(known)[len(known) // 2]
        case "lognormal" | "normal":
            return known[0]
    return None


def _estimate_call(name: str, args: list[float | None]) -> float | None:
    first = args[0] if args else None
    second = args[1] if len(args) > 1 else None
    if first is None:
        return None
    match name:
        case "add_days":
            return first + (second or 0)
        case "add_business_days":
            return first + 1.4 * (second or 0)
        case "percent_of":
            return first * (second or 1)
        case "round" | "round_up" | "round_down" | "money" | "abs" | "convert" | "convert_back" | "prorate":
            return first
        case "add_months":
            return first + 30 * (second or 0)
    return None
