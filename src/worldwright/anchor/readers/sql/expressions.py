"""Expressions: constants as JSON values, and CHECK conditions that speak of single columns as parts of their shapes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from sqlglot import exp

from worldwright.anchor.evidence import Shape
from worldwright.anchor.readers.dates import moment
from worldwright.anchor.readers.sql.parse import dialects, expression
from worldwright.anchor.readers.sql.records import Check

UNKNOWN = object()
"""A value that only the database would know: a function, a sequence, a query."""
MAX_DIGITS = 15
"""Digits that a number keeps as a float."""
MAX_BYTES = 1_000
"""Hexadecimal digits that are kept; pictures and files are left out."""
MAX_DEPTH = 40
MAX_WORDS = 2_000
"""Words of one list."""
DAY_FIRST_STYLES = frozenset({"3", "4", "5", "6", "103", "104", "105", "106", "113", "130", "131"})
"""Of T-SQL's CONVERT."""
_INTEGER = re.compile(r"[+-]?\d{1,40}$")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?$")


def constant(text: str, dialect: str) -> Any:
    """The value of an expression, or UNKNOWN."""
    for name in dialects(dialect, text)[:2]:
        tree = expression(text.strip(), name)
        if tree is not None:
            return value_of(tree)
    return UNKNOWN


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


def value_of(node: Any, depth: int = 0) -> Any:
    """The value of a syntax tree, or UNKNOWN."""
    if depth > MAX_DEPTH:
        return UNKNOWN
    match node:
        case exp.Literal():
            return node.name if node.is_string else number(node.name)
        case exp.Boolean():
            return bool(node.this)
        case exp.Null():
            return None
        case exp.National() | exp.RawString() | exp.Heredoc() | exp.ByteString():
            return node.name
        case exp.Paren() | exp.Cast() | exp.TryCast() | exp.Collate():
            return value_of(node.this, depth + 1)
        case exp.Introducer():
            return value_of(node.expression, depth + 1)
        case exp.HexString():
            return f"0x{node.name}" if len(node.name) <= MAX_BYTES else None
        case exp.BitString():
            return int(node.name, 2) if re.fullmatch("[01]{1,64}", node.name) else UNKNOWN
        case exp.Column(this=exp.Identifier(quoted=True)) if not node.args.get("table"):
            return node.name  # a quoted name where only a value can stand: SQLite takes it for a string
        case exp.Neg():
            value = value_of(node.this, depth + 1)
            return (
                -value
                if _is_number(value)
                else f"-{value}"
                if isinstance(value, str) and _NUMBER.match(value)
                else UNKNOWN
            )
        case exp.Array():
            values = [value_of(part, depth + 1) for part in node.expressions]
            return UNKNOWN if UNKNOWN in values else values
    return _text_of(node, depth + 1)


def _text_of(node: Any, depth: int) -> Any:
    """The text that a function makes of constants, or UNKNOWN."""
    values: list[Any]
    match node:
        case exp.Concat() | exp.DPipe() | exp.Add():
            values = [value_of(part, depth) for part in node.expressions or (node.this, node.expression)]
            return "".join(values) if all(isinstance(value, str) for value in values) else UNKNOWN
        case exp.Chr():
            values = [value_of(part, depth) for part in node.expressions]
            return "".join(map(chr, values)) if all(isinstance(v, int) and 0 < v < 0xD800 for v in values) else UNKNOWN
        case exp.Replace():  # SQLite writes line ends of its dumps as `replace('a\nb','\n',char(10))`
            values = [value_of(part, depth) for part in (node.this, node.expression, node.args.get("replacement"))]
            return values[0].replace(*values[1:]) if all(isinstance(value, str) for value in values) else UNKNOWN
        case exp.Convert():  # T-SQL: `CONVERT(datetime, '31/05/2011', 103)`
            value, style = value_of(node.expression, depth), node.args.get("style")
            found = moment(value, style.name in DAY_FIRST_STYLES) if isinstance(value, str) and style else None
            return str(found or value) if isinstance(value, str) else value
        case (
            exp.StrToDate() | exp.StrToTime() | exp.DateStrToDate() | exp.TsOrDsToDate() | exp.Timestamp() | exp.Date()
        ):
            value, form = value_of(node.this, depth), node.args.get("format")
            return dated(value, form.name if isinstance(form, exp.Expr) else "") if isinstance(value, str) else UNKNOWN
    return UNKNOWN


def dated(text: str, form: str) -> str:
    """A date with its format: `TO_DATE('17-06-2003', 'DD-MM-YYYY')`; the text where it is none."""
    said = form.lower()
    return str(moment(text, "d" in said and said.find("d") < said.find("m") if said else None) or text)


_QUICK = re.compile(
    r"TO_(?:DATE|TIMESTAMP)\s*+\(\s*+'(?P<date>[^']*+)'\s*+,\s*+'(?P<form>[^']*+)'\s*+\)"
    r"|CAST\s*+\(\s*+(?:N?'(?P<cast>[^']*+)'|(?P<number>[+-]?[\d.]++))\s++AS\s++[^()']++(?:\([^()']*+\)\s*+)?\)"
    r"|(?:DATE|TIMESTAMP)\s*+'(?P<said>[^']*+)'|'(?P<typed>[^']*+)'::[^()']++(?:\([^()']*+\))?",
    re.IGNORECASE,
)


def quick(text: str) -> Any:
    """Return what exports write around a constant, without a parser; UNKNOWN for everything else."""
    found = _QUICK.fullmatch(text)
    if found is None:
        return UNKNOWN
    if found["date"] is not None:
        return dated(found["date"], found["form"])
    if found["number"] is not None:
        return number(found["number"])
    return next(value for value in (found["cast"], found["said"], found["typed"]) if value is not None)


_ESCAPES = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "b": "\b",
    "f": "\f",
    "v": "\v",
    "0": "\x00",
    "Z": "\x1a",
    "%": r"\%",
    "_": r"\_",
}
_ESCAPE = re.compile(r"\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{4})|([0-7]{3})|(.))", re.DOTALL)
_PLAIN_ESCAPE = re.compile(r"\\(.)", re.DOTALL)


def string(inside: str, escapes: bool, rich: bool = False) -> str:
    """The text between quotes, with its doubled quotes and its escapes resolved; `rich` for PostgreSQL's `E''`."""
    inside = inside.replace("''", "'")
    if not escapes or "\\" not in inside:
        return inside
    return _ESCAPE.sub(_rich, inside) if rich else _PLAIN_ESCAPE.sub(lambda m: _ESCAPES.get(m[1], m[1]), inside)


def _rich(found: re.Match[str]) -> str:
    if found[4]:
        return _ESCAPES.get(found[4], found[4])
    code = int(found[1] or found[2] or found[3], 8 if found[3] else 16)
    return chr(code) if not 0xD800 <= code < 0xE000 else "\ufffd"


# Conditions: those that speak of the values of one column become part of its shape, the others stay text.


VALUE = "value"
"""How the condition of a domain calls what it is about."""


class Fact(NamedTuple):
    """One thing that a condition says about one column."""

    column: str
    what: str
    """enum, minimum, maximum, above, below, shortest, longest, pattern, json or full"""
    value: Any = None


def facts_of(check: Check) -> tuple[list[Fact], bool]:
    """Return what a condition says about single columns, and whether that is all it says."""
    for dialect in dialects(check.dialect, check.text)[:3]:
        tree = expression(check.text, dialect)
        if tree is not None:
            found = [_condition(part) for part in _sides(tree, exp.And)]
            return [fact for facts in found for fact in facts if fact.column], all(found)
    return [], False


def _sides(node: exp.Expr, joint: type[exp.Connector]) -> list[exp.Expr]:
    """The parts of `a AND b AND c`, whatever parentheses stand around them."""
    node = node.unnest()
    return [part for side in node.flatten() for part in _sides(side, joint)] if isinstance(node, joint) else [node]


_COMPARES: Mapping[type[exp.Expr], tuple[str, str]] = {
    exp.GTE: ("minimum", "maximum"), exp.LTE: ("maximum", "minimum"), exp.GT: ("above", "below"), exp.LT: ("below", "above"),
    exp.EQ: ("enum", "enum"),
}  # fmt: skip
"""What a column is compared for, and what it is where it stands on the right."""
_LENGTHS: Mapping[str, tuple[tuple[str, int], ...]] = {
    "minimum": (("shortest", 0),), "above": (("shortest", 1),), "maximum": (("longest", 0),), "below": (("longest", -1),),
    "enum": (("shortest", 0), ("longest", 0)),
}  # fmt: skip


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
            bounds = [value_of(node.args[side]) for side in ("low", "high")]
            pairs = zip(("minimum", "maximum"), bounds, strict=True)
            return [Fact(column, what, float(bound)) for what, bound in pairs] if all(map(_is_number, bounds)) else []
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
    listed = node.expressions[:MAX_WORDS] if isinstance(node, (exp.Array, exp.Tuple, exp.In)) else ()
    values = [value_of(part) for part in listed]
    return values if all(isinstance(value, (str, int, float)) for value in values) else []


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _compare(node: exp.Expr) -> list[Fact]:
    """`a >= 1`, `1 <= a`, `length(a) > 3`, `a = 'x'`."""
    what, turned = _COMPARES[type(node)]
    value = value_of(node.expression)
    if isinstance(node.this, exp.Length) and isinstance(value, int):
        column = _column(node.this.this)
        return [Fact(column, side, value + more) for side, more in _LENGTHS[what]] if column else []
    for left, right, is_a in ((node.this, value, what), (node.expression, value_of(node.this), turned)):
        column = _column(left)
        if column and is_a == "enum" and isinstance(right, (str, int, float)):
            return [Fact(column, is_a, (right,))]
        if column and is_a != "enum" and _is_number(right):
            return [Fact(column, is_a, float(right))]
    return []


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
    """`> 0` is `>= 1` of whole numbers, and `>= 0.01` where there are two places. A number with bounds is no boolean."""
    shape = replace(shape, kind="integer") if shape.kind == "boolean" else shape
    value, exact = fact.value, True
    if fact.what in ("above", "below"):
        exact = (shape.kind == "integer" and value.is_integer()) or shape.places is not None
        step = 10.0 ** -(shape.places or 0) if fact.what == "above" else -(10.0 ** -(shape.places or 0))
        value = round(value + step, 10) if exact else value
    if fact.what in ("minimum", "above"):
        return replace(shape, minimum=value if shape.minimum is None else max(value, shape.minimum)), exact
    return replace(shape, maximum=value if shape.maximum is None else min(value, shape.maximum)), exact
