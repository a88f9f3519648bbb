"""CHECK conditions: those that speak of the values of one column become part of its shape, the others stay text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from sqlglot import exp

from worldwright.anchor.evidence import Shape
from worldwright.anchor.readers.sql.parse import dialects, expression
from worldwright.anchor.readers.sql.records import Check
from worldwright.anchor.readers.sql.values import value_of

MAX_WORDS = 2_000
VALUE = "value"
"""How the condition of a domain calls what it is about."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that a condition says about one column."""

    column: str
    what: str
    """enum, minimum, maximum, above, below, shortest, longest, pattern, json or full"""
    value: Any = None


def facts_of(check: Check) -> tuple[tuple[Fact, ...], bool]:
    """Return what a condition says about single columns, and whether that is all it says."""
    for dialect in dialects(check.dialect, check.text)[:3]:
        tree = expression(check.text, dialect)
        if tree is not None:
            found, whole = _conjunction(tree, 0)
            return tuple(found), whole
    return (), False


def _conjunction(node: exp.Expr, depth: int) -> tuple[list[Fact], bool]:
    if isinstance(node, exp.Paren) and depth < 40:
        return _conjunction(node.this, depth + 1)
    if isinstance(node, exp.And) and depth < 40:
        left, left_whole = _conjunction(node.this, depth + 1)
        right, right_whole = _conjunction(node.expression, depth + 1)
        return left + right, left_whole and right_whole
    found = _condition(node, depth)
    return (found, True) if found else ([], False)


def _condition(node: exp.Expr, depth: int) -> list[Fact]:
    if isinstance(node, exp.Paren) and depth < 40:
        return _condition(node.this, depth + 1)
    if isinstance(node, exp.And):
        found, whole = _conjunction(node, depth + 1)
        return found if whole else []
    read = _CONDITIONS.get(type(node))
    turned = bool(node.args.get("negate")) and not isinstance(node, exp.Is)
    return read(node, depth + 1) if read and depth < 40 and not turned else []


def column_of(node: exp.Expr | None) -> str:
    """The column that an expression is about, whatever case or type it is brought to."""
    for _ in range(10):
        if isinstance(node, (exp.Paren, exp.Cast, exp.Upper, exp.Lower, exp.Trim)):
            node = node.this
    return node.name if isinstance(node, exp.Column) else ""


def _words(node: exp.Expr | None) -> list[Any]:
    """The constants of a list; empty where one is no constant."""
    while isinstance(node, (exp.Paren, exp.Cast, exp.Any)):
        node = node.this
    parts: Iterable[exp.Expr] = node.expressions if isinstance(node, (exp.Array, exp.Tuple, exp.In)) else ()
    values = [value_of(part) for part in parts][:MAX_WORDS]
    return values if all(isinstance(value, (str, int, float)) for value in values) else []


def _in(node: exp.Expr, depth: int) -> list[Fact]:
    column, words = column_of(node.this), _words(node)
    return [Fact(column, "enum", tuple(dict.fromkeys(words)))] if column and words else []


def _equal(node: exp.Expr, depth: int) -> list[Fact]:
    if isinstance(node.expression, exp.Any):
        column, words = column_of(node.this), _words(node.expression)
        return [Fact(column, "enum", tuple(dict.fromkeys(words)))] if column and words else []
    length = _length(node)
    if length:
        return [Fact(length[0], "shortest", length[1]), Fact(length[0], "longest", length[1])]
    column, value = column_of(node.this), value_of(node.expression)
    return [Fact(column, "enum", (value,))] if column and isinstance(value, (str, int, float)) else []


def _length(node: exp.Expr) -> tuple[str, int] | None:
    """`length(code) ... 3`"""
    if not isinstance(node.this, exp.Length):
        return None
    column, value = column_of(node.this.this), value_of(node.expression)
    return (column, value) if column and isinstance(value, int) and not isinstance(value, bool) else None


_COMPARES: Mapping[type[exp.Expr], tuple[str, str]] = {
    exp.GTE: ("minimum", "maximum"),
    exp.LTE: ("maximum", "minimum"),
    exp.GT: ("above", "below"),
    exp.LT: ("below", "above"),
}
_LENGTHS = {"minimum": ("shortest", 0), "above": ("shortest", 1), "maximum": ("longest", 0), "below": ("longest", -1)}


def _compare(node: exp.Expr, depth: int) -> list[Fact]:
    what, turned = _COMPARES[type(node)]
    length = _length(node)
    if length:
        side, more = _LENGTHS[what]
        return [Fact(length[0], side, length[1] + more)]
    for left, right, is_a in ((node.this, node.expression, what), (node.expression, node.this, turned)):
        column, value = column_of(left), value_of(right)
        if column and isinstance(value, (int, float)) and not isinstance(value, bool):
            return [Fact(column, is_a, float(value))]
    return []


def _between(node: exp.Expr, depth: int) -> list[Fact]:
    column, low, high = column_of(node.this), value_of(node.args["low"]), value_of(node.args["high"])
    numbers = all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in (low, high))
    return [Fact(column, "minimum", float(low)), Fact(column, "maximum", float(high))] if column and numbers else []


def _unequal(node: exp.Expr, depth: int) -> list[Fact]:
    column, value = column_of(node.this), value_of(node.expression)
    return [Fact(column, "shortest", 1)] if column and value == "" else []


def _or(node: exp.Expr, depth: int) -> list[Fact]:
    """`x IS NULL OR ...` adds nothing; several words for one column are an enum."""
    sides = [side for side in _sides(node, depth) if not _is_null(side)]
    found = [_condition(side, depth) for side in sides]
    if len(found) == 1:
        return found[0]
    facts = [fact for side in found for fact in side]
    columns = {fact.column.casefold() for fact in facts}
    if len(columns) == 1 and all(len(side) == 1 for side in found) and all(fact.what == "enum" for fact in facts):
        return [Fact(facts[0].column, "enum", tuple(dict.fromkeys(word for fact in facts for word in fact.value)))]
    return []


def _sides(node: exp.Expr, depth: int) -> list[exp.Expr]:
    if isinstance(node, exp.Paren) and isinstance(node.this, exp.Or):
        node = node.this
    if not isinstance(node, exp.Or) or depth > 200:
        return [node]
    return _sides(node.this, depth + 1) + _sides(node.expression, depth + 1)


def _is_null(node: exp.Expr) -> bool:
    while isinstance(node, exp.Paren):
        node = node.this
    return isinstance(node, exp.Is) and isinstance(node.expression, exp.Null) and not node.args.get("negate")


def _is(node: exp.Expr, depth: int) -> list[Fact]:
    """`x IS NOT NULL`"""
    column = column_of(node.this) if isinstance(node.expression, exp.Null) and node.args.get("negate") else ""
    return [Fact(column, "full")] if column else []


def _not(node: exp.Expr, depth: int) -> list[Fact]:
    """`NOT x IS NULL`, which is how some dialects say it too."""
    column = column_of(node.this.this) if _is_null(node.this) and isinstance(node.this, exp.Is) else ""
    return [Fact(column, "full")] if column else []


def _like_pattern(node: exp.Expr, depth: int) -> list[Fact]:
    column, value = column_of(node.this), value_of(node.expression)
    return [Fact(column, "pattern", value)] if column and isinstance(value, str) else []


def _function(node: exp.Expr, depth: int) -> list[Fact]:
    """MariaDB writes a JSON column as text with `json_valid(column)`."""
    column = column_of(next(iter(node.expressions), None))
    return [Fact(column, "json")] if column and node.name.casefold() == "json_valid" else []


_CONDITIONS: Mapping[type[exp.Expr], Callable[[exp.Expr, int], list[Fact]]] = {
    exp.In: _in,
    exp.EQ: _equal,
    exp.NEQ: _unequal,
    exp.Between: _between,
    exp.Or: _or,
    exp.Not: _not,
    exp.Is: _is,
    exp.RegexpLike: _like_pattern,
    exp.Anonymous: _function,
    **dict.fromkeys(_COMPARES, _compare),
}


def with_fact(shape: Shape, fact: Fact) -> tuple[Shape, bool]:
    """A shape with what a condition says; False where the shape cannot say all of it."""
    match fact.what:
        case "enum":
            words = tuple(word for word in fact.value if not shape.enum or word in shape.enum)
            return replace(shape, enum=words or shape.enum), True
        case "minimum" | "maximum" | "above" | "below":
            return _bounded(shape, fact)
        case "shortest":
            return replace(shape, shortest=max(fact.value, shape.shortest or 0)), True
        case "longest":
            return replace(shape, longest=min(fact.value, shape.longest or fact.value)), True
        case "pattern":
            return (replace(shape, pattern=fact.value), True) if not shape.pattern else (shape, False)
        case "json":
            return Shape("any", "json", default=shape.default), True
    return shape, True


def _bounded(shape: Shape, fact: Fact) -> tuple[Shape, bool]:
    """`> 0` is `>= 1` of whole numbers, and `>= 0.01` where there are two places."""
    value, exact = fact.value, True
    if fact.what in ("above", "below"):
        sign = 1 if fact.what == "above" else -1
        exact = (shape.kind == "integer" and value.is_integer()) or shape.places is not None
        value = round(value + sign * 10.0 ** -(shape.places or 0), 10) if exact else value
    if fact.what in ("minimum", "above"):
        return replace(shape, minimum=value if shape.minimum is None else max(value, shape.minimum)), exact
    return replace(shape, maximum=value if shape.maximum is None else min(value, shape.maximum)), exact
