"""Figures of a sentence and parameters of a policy: which belongs to which, and what a sentence says of its limit.

Purchase requests over 3,000 EUR must have two quotes     amount: 5000, of which `request.total < amount` speaks
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from worldwright.anchor.base.words import meanings
from worldwright.anchor.evidence import Quantity, Rule

Figure = int | float

PLACEHOLDER = re.compile(r"\{(\w+)(?::(\w+))?\}")
FURTHEST = 200
"""A figure more than so many times the catalogue's is about something else."""
MAX_FIGURE = 10**12
_CLAUSE = re.compile(r"[.;:,]\s")
POINTS = "points"
"""The unit of a share that is written as a whole number: `{share:int} per cent`."""
_PER_CENT = re.compile(r"\s?(?:%|percent|per cent)")
_NOUN = re.compile(r"\s+([A-Za-z][\w-]*)")
_MODAL = re.compile(
    r"\b(must|shall|should|may|can|cannot|will|needs?|requires?|has to|have to|is|are|needed|required)\b", re.I
)
_ONLY = re.compile(r"\bonly\b", re.I)
_FACTORS: Mapping[tuple[str, str], Decimal] = {
    ("days", "days"): Decimal(1), ("weeks", "days"): Decimal(7), ("years", "days"): Decimal(365),
    ("hours", "days"): Decimal(1) / 24, ("percent", "percent"): Decimal("0.01"), ("money", "money"): Decimal(1),
    ("percent", POINTS): Decimal(1),
}  # fmt: skip
"""From a unit of a sentence to one of a parameter."""
_PLACES: Mapping[str, int] = {"money": 2, "percent": 4}


@dataclass(frozen=True, slots=True)
class Slot:
    """A parameter that the text of a policy names."""

    name: str
    form: str
    """How it is written: money, days, percent or int."""
    unit: str
    """money, days, percent, or the meaning of the noun that follows."""
    values: Mapping[str, Figure]
    """By variant."""
    clause: frozenset[str]
    """The words around it."""
    own: frozenset[str]
    """Words of its name that stand around it: what tells it from other parameters."""

    @property
    def default(self) -> Figure:
        return self.values["default"]


def slots(spec: Mapping[str, Any]) -> tuple[Slot, ...]:
    """The parameters of a policy that take a figure, in the order in which its text names them."""
    says, parameters = str(spec.get("says", "")), spec.get("parameters") or {}
    return tuple(_slots(says, parameters))


def _slots(says: str, parameters: Mapping[str, Any]) -> Iterator[Slot]:
    for found in PLACEHOLDER.finditer(says):
        name, form = found[1], found[2] or ""
        values = parameters.get(name)
        if not isinstance(values, Mapping) or "default" not in values or not all(map(_number, values.values())):
            continue
        after = _NOUN.match(says, found.end())
        named = meanings(after[1]) if after else ()
        unit = form if form in ("money", "days", "percent") else named[0] if form == "int" and named else ""
        unit = POINTS if form == "int" and _PER_CENT.match(says, found.end()) else unit
        clause = frozenset(meanings(PLACEHOLDER.sub(" ", _around(says, found.start()))))
        if unit:
            yield Slot(name, form, unit, dict(values), clause, clause & set(meanings(name)))


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _around(text: str, at: int) -> str:
    """The clause of a text in which something stands."""
    start = max((m.end() for m in _CLAUSE.finditer(text, 0, at)), default=0)
    end = _CLAUSE.search(text, at)
    return text[start : end.start() if end else len(text)]


def figure(quantity: Quantity, slot: Slot) -> Figure | None:
    """The figure of a sentence as the parameter takes it; None where it does not."""
    if not math.isfinite(quantity.value) or abs(quantity.value) > MAX_FIGURE:
        return None
    factor = _FACTORS.get((quantity.unit, slot.unit))
    if factor is None:
        if (quantity.unit, slot.unit) in _FACTORS or meanings(quantity.unit)[-1:] != (slot.unit,):
            return None
        factor = Decimal(1)
    exact = Decimal(str(quantity.value)) * factor
    value = round(exact, _PLACES.get(slot.unit, 0))
    if value != round(exact, 8) or value < 0:
        return None
    if slot.default and not slot.default / FURTHEST <= value <= slot.default * FURTHEST:
        return None
    return plain(value)


def plain(value: Decimal) -> Figure:
    return int(value) if value == value.to_integral_value() else float(value)


def placed(rule: Rule, spec: Mapping[str, Any]) -> dict[str, Quantity]:
    """By parameter of a policy, the figure of the sentence that is meant for it."""
    said = set(meanings(rule.says)) | set(meanings(rule.heading))
    open_slots = [s for s in slots(spec) if not s.own or s.own & said]
    out: dict[str, Quantity] = {}
    for unit in dict.fromkeys(s.unit for s in open_slots):
        named = [s for s in open_slots if s.unit == unit]
        quantities = [q for q in _distinct(rule.quantities) if figure(q, named[0]) is not None]
        if len(quantities) == 1:
            out[max(named, key=lambda s: len(s.own & said)).name] = quantities[0]
        elif quantities and len(quantities) == len(named):
            out |= {s.name: q for s, q in zip(named, quantities, strict=True)}
    return out


def _distinct(quantities: Sequence[Quantity]) -> list[Quantity]:
    """Each figure once: `an 18-hour cap: at most 18 hours` is one, and the telling comparison counts."""
    out: dict[tuple[float, str], Quantity] = {}
    for q in quantities:
        if (q.value, q.unit) not in out or out[q.value, q.unit].compares == "exactly":
            out[q.value, q.unit] = q
    return list(out.values())


# what is forbidden


def forbids(rule: Rule, quantity: Quantity) -> str:
    """Whether a sentence forbids what is above its figure (`high`) or below (`low`); empty where that cannot be told."""
    at, modal = rule.says.find(quantity.text), _MODAL.search(rule.says)
    first = modal is not None and 0 <= at < modal.start()
    low = {"high": "low", "low": "high", "": ""}
    if first:  # the figure says what the sentence is about
        about = {"over": "high", "at_least": "high", "under": "low", "at_most": "low", "within": "low"}
        side, only = about.get(quantity.compares, ""), _ONLY.search(rule.says)
        free = only.start() < at if only is not None else rule.demands == "may"
        return low[side] if free else side
    limit = {"at_most": "high", "within": "high", "under": "high", "at_least": "low", "over": "low"}
    side = limit.get(quantity.compares, "")
    return low[side] if rule.demands == "must_not" else "" if quantity.compares == "over" else side


@dataclass(frozen=True, slots=True)
class Comparison:
    """Where a rule compares something with a parameter."""

    forbids: str
    """high or low, as for a sentence."""
    field: str
    """The last name of what is compared with the bare parameter: `total` of `request.total`; empty for anything else."""


_TURNED: Mapping[type[ast.cmpop], type[ast.cmpop]] = {
    ast.LtE: ast.GtE, ast.GtE: ast.LtE, ast.Lt: ast.Gt, ast.Gt: ast.Lt,
}  # fmt: skip


def comparison(text: str, parameter: str) -> Comparison | None:
    """The one comparison of a rule that a parameter has a part in; None where it is not as plain as that."""
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    found = [n for n in ast.walk(tree) if isinstance(n, ast.Compare) and _names(n, parameter)]
    if len(found) != 1 or len(found[0].ops) != 1 or type(found[0].ops[0]) not in _TURNED:
        return None
    if any(_names(n, parameter) for n in ast.walk(tree) if isinstance(n, ast.comprehension)):
        return None
    first, last, kind = found[0].left, found[0].comparators[0], type(found[0].ops[0])
    here, other = (last, first) if _names(last, parameter) else (first, last)
    sign = _sign(here, parameter)
    if _names(other, parameter) or not sign:
        return None
    for turns in (here is first, sign < 0):
        kind = _TURNED[kind] if turns else kind
    field = _last_name(other) if isinstance(here, ast.Name) else ""
    return Comparison("high" if kind in (ast.LtE, ast.Lt) else "low", field)


def _names(node: ast.AST, name: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(node))


def _sign(node: ast.expr, name: str) -> int:
    """1 where an expression grows with a name, -1 where it falls, 0 where that cannot be told. Factors count as positive."""
    match node:
        case ast.Name():
            return 1
        case ast.BinOp(left, ast.Add() | ast.Mult(), right) if not (_names(left, name) and _names(right, name)):
            return _sign(left if _names(left, name) else right, name)
        case ast.BinOp(left, ast.Sub(), right) if not (_names(left, name) and _names(right, name)):
            return _sign(left, name) if _names(left, name) else -_sign(right, name)
        case ast.Call(ast.Name(), args, []) if sum(_names(a, name) for a in args) == 1:
            return _sign(next(a for a in args if _names(a, name)), name)
        case ast.IfExp(_, body, orelse) if _names(body, name) != _names(orelse, name):
            return _sign(body if _names(body, name) else orelse, name)
    return 0


def _last_name(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
