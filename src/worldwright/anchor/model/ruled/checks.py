"""Conditions of a database that hold between two columns of one record: `end_date > start_date`.

What a condition says about a single column is part of that column's shape, and the inputs keep to it already. A condition holds
wherever a value is missing, as in SQL.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sqlglot import exp

from worldwright.anchor.evidence import Resource, Rule
from worldwright.anchor.model.records import Attribute, Entity
from worldwright.anchor.model.ruled.amounts import TYPES
from worldwright.anchor.model.ruled.operations import Act
from worldwright.anchor.model.ruled.records import Draft
from worldwright.anchor.names import parts
from worldwright.anchor.readers.sql.parse import dialects, expression
from worldwright.core.names import to_words
from worldwright.english.nouns import article

DEEPEST = 20
_SIGNS: Mapping[type[exp.Expr], str] = {exp.GT: ">", exp.GTE: ">=", exp.LT: "<", exp.LTE: "<="}
_OF_TIMES = {">": "after", ">=": "not before", "<": "before", "<=": "not after"}
_OF_NUMBERS = {">": "more than", ">=": "not less than", "<": "less than", "<=": "not more than"}
_EXAMPLES: Mapping[str, tuple[Any, Any]] = {
    "date": ("2025-06-02", "2025-06-03"),
    "time": ("2025-06-02T09:00:00Z", "2025-06-03T09:00:00Z"),
    "int": (1, 2),
    "decimal": (1, 2),
    "money": (1, 2),
}
"""A lower and a higher value."""


def checked(resource: Resource, entity: Entity, acts: tuple[Act, ...]) -> Iterator[tuple[Rule, Draft | str]]:
    """The conditions on a thing that hold between two of its columns, each with the policy made of it or why there is none."""
    for check in resource.checks:
        sides = list(_compared(check))
        if len(sides) != 1:
            continue
        rule = Rule(check, "must", about=(resource.name,), source=resource.source)
        left, sign, right = sides[0]
        first, second = _attribute(entity, left), _attribute(entity, right)
        if (
            first is None
            or second is None
            or first.kind != second.kind
            or first.kind not in _EXAMPLES
            or first is second
        ):
            yield rule, f"`{entity.name}` has no two values of this kind"
        else:
            yield rule, _draft(entity, first, sign, second, acts)


def _compared(check: str) -> Iterator[tuple[str, str, str]]:
    """Two columns and the sign between them, for every such part of a condition."""
    first = "tsql" if "[" in check else "mysql" if "`" in check else "postgres"
    for dialect in dialects(first, check):
        tree = expression(check, dialect)
        found = list(_parts(tree, 0)) if tree is not None else []
        if found:
            yield from found
            return


def _parts(node: exp.Expr, depth: int) -> Iterator[tuple[str, str, str]]:
    if depth > DEEPEST:
        return
    if isinstance(node, exp.Paren):
        yield from _parts(node.this, depth + 1)
    elif isinstance(node, exp.And):
        yield from _parts(node.this, depth + 1)
        yield from _parts(node.expression, depth + 1)
    elif isinstance(node, exp.Or):
        sides = [side for side in (node.this, node.expression) if not _is_null(side)]
        if len(sides) == 1:
            yield from _parts(sides[0], depth + 1)
    elif type(node) in _SIGNS and isinstance(node.this, exp.Column) and isinstance(node.expression, exp.Column):
        yield node.this.name, _SIGNS[type(node)], node.expression.name


def _is_null(node: exp.Expr) -> bool:
    while isinstance(node, exp.Paren):
        node = node.this
    if isinstance(node, exp.Or):
        return _is_null(node.this) and _is_null(node.expression)
    return isinstance(node, exp.Is) and isinstance(node.expression, exp.Null)


def _attribute(entity: Entity, column: str) -> Attribute | None:
    return next((a for a in entity.attributes if len(a.path) == 1 and parts(a.path[0]) == parts(column)), None)


def _draft(entity: Entity, first: Attribute, sign: str, second: Attribute, acts: tuple[Act, ...]) -> Draft | str:
    setting = [a for a in acts if a.takes(first) or a.takes(second)]
    bound = tuple(
        (a.name, {"x": a.value(first), "y": a.value(second)})
        for a in setting
        if a.kind in ("create", "update") and a.value(first) and a.value(second)
    )
    if not bound:
        return "no operation sets both values"
    low, high = _EXAMPLES[first.kind]
    good, bad = ((high, low), (low, high)) if sign[0] == ">" else ((low, high), (high, low))
    spec = {
        "about": {"x": TYPES[first.kind], "y": TYPES[first.kind]},
        "rule": f"x is none or y is none or x {sign} y",
        "cases": [{"allowed": {"x": good[0], "y": good[1]}}, {"forbidden": {"x": bad[0], "y": bad[1]}}],
    }
    timed = _OF_TIMES if first.kind in ("date", "time") else _OF_NUMBERS
    must = (
        f"must not be {timed[sign].removeprefix('not ')}"
        if timed[sign].startswith("not ")
        else f"must be {timed[sign]}"
    )
    says = f"The {to_words(first.name)} of {article(' '.join(entity.noun))} {must} its {to_words(second.name)}."
    about = ("check", entity.name, *sorted((first.name, second.name)))
    return Draft(entity, f"{entity.name}_{first.name}_{second.name}", spec, says, bound, about, tool=True)
