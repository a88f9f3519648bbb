"""Expressions: constants as JSON values, and CHECK conditions that speak of single columns as parts of their shapes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from sqlglot import exp

from worldwright.anchor.evidence import Shape
from worldwright.anchor.readers.sql.parse import expression
from worldwright.anchor.readers.sql.records import Check

UNKNOWN = object()
"""A value that only the database would know: a function, a sequence, a query."""
MAX_DIGITS = 15
"""Digits that a number keeps as a float."""
MAX_BYTES = 1_000
"""Hexadecimal digits that are kept; pictures and files are left out."""
MAX_DEPTH = 40
_INTEGER = re.compile(r"[+-]?\d{1,40}$")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?$")


def constant(text: str, dialect: str) -> Any:
    """The value of an expression, or UNKNOWN."""
    tree = expression(text.strip(), dialect)
    return value_of(tree) if tree is not None else UNKNOWN


def number(text: str) -> Any:
    """A number; as text where a float would not keep all of its digits, UNKNOWN where it is none."""
    text = text.strip()
    if _INTEGER.match(text):
        return int(text)
    if not _NUMBER.match(text):
        return UNKNOWN
    digits = re.sub(r"[eE].*|\D", "", text).lstrip("0")
    value = float(text)
    return value if len(digits) <= MAX_DIGITS and abs(value) != float("inf") else text


def hexadecimal(digits: str) -> str | None:
    return f"0x{digits}" if len(digits) <= MAX_BYTES else None


def bits(digits: str) -> Any:
    return int(digits, 2) if re.fullmatch("[01]{1,64}", digits) else UNKNOWN


def value_of(node: Any, depth: int = 0) -> Any:
    """The value of a syntax tree, or UNKNOWN."""
    if depth > MAX_DEPTH:
        return UNKNOWN
    match node:
        case exp.Literal(is_string=False):
            return number(node.name)
        case exp.Literal() | exp.National() | exp.RawString() | exp.Heredoc() | exp.ByteString():
            return node.name
        case exp.Boolean():
            return bool(node.this)
        case exp.Null():
            return None
        case exp.Paren() | exp.Cast() | exp.TryCast() | exp.Collate():
            return value_of(node.this, depth + 1)
        case exp.Introducer() | exp.Convert():
            return value_of(node.expression, depth + 1)
        case exp.HexString():
            return hexadecimal(node.name)
        case exp.BitString():
            return bits(node.name)
        case exp.Column(this=exp.Identifier(quoted=True)) if not node.args.get("table"):
            return node.name  # a quoted name where only a value can stand: SQLite takes it for a string
        case exp.Neg():
            value = value_of(node.this, depth + 1)
            return number(f"-{value}") if isinstance(value, str) or _is_number(value) else UNKNOWN
        case exp.Array():
            values = [value_of(part, depth + 1) for part in node.expressions]
            return UNKNOWN if UNKNOWN in values else values
    return _text_of(node, depth + 1)


def _text_of(node: Any, depth: int) -> Any:
    """The text that a function makes of constants, or UNKNOWN."""
    parts: Sequence[Any] = ()
    match node:
        case exp.Concat() | exp.DPipe() | exp.Add():
            parts = node.expressions or (node.this, node.expression)
        case exp.Chr():
            codes = [value_of(part, depth) for part in node.expressions]
            return "".join(map(chr, codes)) if all(isinstance(c, int) and 0 < c < 0xD800 for c in codes) else UNKNOWN
        case exp.Replace():  # SQLite writes line ends of its dumps as `replace('a\nb','\n',char(10))`
            parts = (node.this, node.expression, node.args.get("replacement"))
    texts = [value_of(part, depth) for part in parts]
    if not texts or not all(isinstance(text, str) for text in texts):
        return UNKNOWN
    return texts[0].replace(*texts[1:]) if isinstance(node, exp.Replace) else "".join(texts)


# Conditions: those that speak of the values of one column become part of its shape, the others stay text.


VALUE = "value"
"""How the condition of a domain calls what it is about."""


class Fact(NamedTuple):
    """One thing that a condition says about one column."""

    column: str
    what: str
    """enum, minimum, maximum, shortest, longest, pattern, json or full"""
    value: Any = None
    beyond: int = 0
    """1 where it has to be more than that, -1 where it has to be less."""


def facts_of(check: Check) -> tuple[list[Fact], bool]:
    """Return what a condition says about single columns, and whether that is all it says."""
    tree = expression(check.text, check.dialect)
    found = [_condition(part) for part in _sides(tree, exp.And)] if tree is not None else [[]]
    return [fact for facts in found for fact in facts if fact.column], all(found)


def _sides(node: exp.Expr, joint: type[exp.Connector]) -> list[exp.Expr]:
    """The parts of `a AND b AND c`, whatever parentheses stand around them."""
    node = node.unnest()
    return [part for side in node.flatten() for part in _sides(side, joint)] if isinstance(node, joint) else [node]


_BOUNDS = {
    "gte": [("minimum", 0)],
    "gt": [("minimum", 1)],
    "lte": [("maximum", 0)],
    "lt": [("maximum", -1)],
    "eq": [("minimum", 0), ("maximum", 0)],
}
_TURNED = {"gte": "lte", "lte": "gte", "gt": "lt", "lt": "gt"}
_OF_LENGTH = {"minimum": "shortest", "maximum": "longest"}


def _condition(node: exp.Expr) -> list[Fact]:
    """What one condition says; nothing where it is of another kind."""
    node = node.unnest()
    column = _column(node.this)
    match node:
        case exp.And():
            found = [_condition(side) for side in _sides(node, exp.And)]
            return [fact for facts in found for fact in facts] if all(found) else []
        case exp.Or():
            return _or([side for side in _sides(node, exp.Or) if not _is_null(side)])
        case exp.In() | exp.EQ(expression=exp.Any()):
            words = _words(node if isinstance(node, exp.In) else node.expression)
            return [Fact(column, "enum", tuple(dict.fromkeys(words)))] if column and words else []
        case exp.EQ() | exp.GTE() | exp.LTE() | exp.GT() | exp.LT():
            return _compare(node)
        case exp.NEQ() if column and value_of(node.expression) == "":
            return [Fact(column, "shortest", 1)]
        case exp.Between() if column:
            low, high = value_of(node.args["low"]), value_of(node.args["high"])
            both = _is_number(low) and _is_number(high)
            return [Fact(column, "minimum", low), Fact(column, "maximum", high)] if both else []
        case exp.Is(expression=exp.Null()) if column and node.args.get("negate"):
            return [Fact(column, "full")]
        case exp.Not() if _is_null(node.this) and (column := _column(node.this.unnest().this)):
            return [Fact(column, "full")]
        case exp.RegexpLike() if column and isinstance(pattern := value_of(node.expression), str):
            return [Fact(column, "pattern", pattern)]
        case exp.Anonymous() if node.name.casefold() == "json_valid" and node.expressions:
            return [Fact(_column(node.expressions[0]), "json")]  # how MariaDB writes a JSON column
    return []


def _column(node: Any) -> str:
    """The column that an expression is about, whatever case or type it is brought to."""
    while isinstance(node, (exp.Paren, exp.Cast, exp.Upper, exp.Lower, exp.Trim)):
        node = node.this
    return node.name if isinstance(node, exp.Column) else ""


def _words(node: Any) -> list[Any]:
    """The constants of a list; empty where one is no constant."""
    while isinstance(node, (exp.Paren, exp.Cast, exp.Any)):
        node = node.this
    listed = node.expressions if isinstance(node, (exp.Array, exp.Tuple, exp.In)) else ()
    values = [value_of(part) for part in listed]
    return values if all(isinstance(value, (str, int, float)) for value in values) else []


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _compare(node: exp.Expr) -> list[Fact]:
    """`a >= 1`, `1 <= a`, `length(a) > 3`, `a = 'x'`."""
    left, right, how = node.this, node.expression, node.key
    if not isinstance(left, exp.Length) and not _column(left):
        left, right, how = right, left, _TURNED.get(how, how)
    length, value = isinstance(left, exp.Length), value_of(right)
    column = _column(left.this if length else left)
    if how == "eq" and not length:
        return [Fact(column, "enum", (value,))] if column and isinstance(value, (str, int, float)) else []
    found = _BOUNDS[how] if column and _is_number(value) else []
    return [Fact(column, _OF_LENGTH[what] if length else what, value, beyond) for what, beyond in found]


def _or(sides: list[exp.Expr]) -> list[Fact]:
    """`x IS NULL OR ...` adds nothing; several words for one column are an enum."""
    found = [_condition(side) for side in sides]
    if len(found) == 1:
        return found[0]
    facts = [fact for side in found for fact in side]
    alike = {(fact.column.casefold(), fact.what) for fact in facts}
    if len(alike) != 1 or len(facts) != len(found) or facts[0].what != "enum":
        return []
    return [Fact(facts[0].column, "enum", tuple(dict.fromkeys(word for fact in facts for word in fact.value)))]


def _is_null(node: exp.Expr) -> bool:
    node = node.unnest()
    return isinstance(node, exp.Is) and isinstance(node.expression, exp.Null) and not node.args.get("negate")


def with_fact(shape: Shape, fact: Fact) -> tuple[Shape, bool]:
    """A shape with what a condition says; False where the shape cannot say all of it.

    `> 0` is `>= 1` of whole numbers, and `>= 0.01` where there are two places. A number with bounds is no boolean."""
    what, value, exact = fact.what, fact.value, True
    if what == "enum":
        words = tuple(word for word in value if not shape.enum or word in shape.enum)
        return replace(shape, enum=words or shape.enum), True
    if what == "pattern":
        return (replace(shape, pattern=value), True) if not shape.pattern else (shape, False)
    if what == "json":
        return Shape("any", "json", default=shape.default), True
    if what == "full":
        return shape, True
    if what in _OF_LENGTH:
        shape = replace(shape, kind="integer") if shape.kind == "boolean" else shape
        exact = not fact.beyond or shape.places is not None or (shape.kind == "integer" and value == int(value))
        value = float(round(value + fact.beyond * 10.0 ** -(shape.places or 0), 10)) if exact else float(value)
    else:
        value += fact.beyond
    there, tighter = getattr(shape, what), max if what in ("minimum", "shortest") else min
    return replace(shape, **{what: value if there is None else tighter(there, value)}), exact
