"""The types of numbers: what may be added, compared and rounded, with places worked out statically."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.expr.failure import ExprError
from worldwright.blueprint.types import BOOL, DATE, INT, Type
from worldwright.core import days
from worldwright.core.fixed import INT64, MAX_SCALED
from worldwright.core.names import suggest

MAX_PLACES = 12


def parse_number(value: int | float) -> n.Const:
    """Make a number literal with as many places as it is written with."""
    if isinstance(value, int) and abs(value) > MAX_SCALED:
        raise ExprError("a number out of range", "at most 15 digits")
    number = Decimal(str(value)) if isinstance(value, float) else Decimal(value)
    exponent = number.normalize().as_tuple().exponent
    places = max(0, -exponent) if isinstance(exponent, int) else 0
    if places > 6 or not number.is_finite() or abs(number) > MAX_SCALED:
        raise ExprError(f"{value} is out of range", "at most six places and 15 digits")
    return n.Const(Type("number", places), int(number.scaleb(places)))


def rescale(node: n.Node, kind: Type) -> n.Node:
    """The same number as `kind`, which has at least as many places."""
    up = kind.places - node.type.places
    if isinstance(node, n.Const) and isinstance(node.value, int):
        return replace(node, type=kind, value=node.value * 10**up)
    return n.Scale(kind, node, up) if up else replace(node, type=kind)


def coerce(node: n.Node, kind: Type) -> n.Node:
    """The node as a value of `kind`, or an error that says what is wrong."""
    have = node.type
    if have == kind or kind.kind == "none":
        return node
    if have.kind == "none":
        return n.Const(kind, None)
    if have.kind == "ratio":
        raise ExprError("a division has to be rounded", "write round(a / b, places)")
    if have.numeric and kind.numeric:
        return _coerce_number(node, kind)
    if kind.kind == "enum" and have.kind in ("text", "enum"):
        return _coerce_word(node, kind)
    if kind.kind == "text" and have.kind == "enum":
        return node
    if kind.kind in ("date", "time") and isinstance(node, n.Const) and have.kind == "text":
        good = days.parse_day(node.value) if kind.kind == "date" else days.parse_moment(node.value)
        if good is None:
            raise ExprError(f"{node.value!r} is not a {kind}")
        return n.Const(kind, node.value)
    if have.kind == kind.kind == "ref" and have.entity == kind.entity:
        return node
    if have.kind == kind.kind and kind.kind in ("bool", "text", "date", "time"):
        return node
    raise ExprError(f"{_describe_type(kind)} is needed, not {have}", _kind_hint(have, kind))


def _coerce_number(node: n.Node, kind: Type) -> n.Node:
    have = node.type
    plain = "number" in (have.kind, kind.kind)
    if not plain and (have.monetary != kind.monetary or (have.monetary and have.kind != kind.kind)):
        raise ExprError(f"{_describe_type(kind)} is needed, not {have}", _kind_hint(have, kind))
    if have.places > kind.places:
        raise ExprError(
            f"{_describe_type(kind)} is needed, this has {have.places} places", f"write round(..., {kind.places})"
        )
    return rescale(node, kind)


def _coerce_word(node: n.Node, kind: Type) -> n.Node:
    if isinstance(node, n.Const):
        if node.value not in kind.values:
            raise ExprError(
                f"'{node.value}' is not one of {', '.join(kind.values)}", suggest(str(node.value), kind.values)
            )
        return replace(node, type=kind)
    if node.type.kind == "enum" and not set(node.type.values) & set(kind.values):
        raise ExprError(f"{node.type} and {kind} have no word in common")
    return node


def _describe_type(kind: Type) -> str:
    return f"a row of {kind.entity}" if kind.kind == "ref" else str(kind)


def _kind_hint(have: Type, kind: Type) -> str:
    if {have.kind, kind.kind} == {"money", "foreign"}:
        return "use convert(amount, rate) or convert_back(amount, rate)"
    if (have.kind, kind.kind) == ("time", "date"):
        return "use day(...)"
    if have.kind == "ref" and kind.kind == "text":
        return "use .id"
    return ""


def common_type(a: n.Node, b: n.Node) -> Type:
    """The type that holds both, for branches and comparisons."""
    x, y = a.type, b.type
    if x == y or y.kind == "none":
        return x
    if x.kind == "none":
        return y
    if x.numeric and y.numeric:
        places = max(x.places, y.places)
        if x.kind == "number":
            return y.with_places(places)
        if y.kind == "number" or (not x.monetary and not y.monetary):
            return x.with_places(places)
        if x.kind == y.kind:
            return x.with_places(places)
        raise ExprError(f"{x} and {y} do not mix", _kind_hint(x, y))
    if x.kind == "enum" or y.kind == "enum":
        _coerce_word(a, y) if y.kind == "enum" else _coerce_word(b, x)
        return x if x.kind == "enum" else y
    if x.kind in ("date", "time") and isinstance(b, n.Const):
        return x
    if y.kind in ("date", "time") and isinstance(a, n.Const):
        return y
    if x.kind == y.kind == "ref" and x.entity == y.entity:
        return x
    if x.kind == y.kind:
        return x
    raise ExprError(f"{_describe_type(x)} and {_describe_type(y)} do not mix", _kind_hint(x, y) or _kind_hint(y, x))


def comparison(op: str, a: n.Node, b: n.Node) -> n.Node:
    """A comparison of two values of one type; with none, whether the other is none."""
    if "none" in (a.type.kind, b.type.kind):
        if op not in ("==", "!="):
            raise ExprError("none has no order", "use is none")
        item = a if b.type.kind == "none" else b
        check: n.Node = n.Const(BOOL, item.value is None) if isinstance(item, n.Const) else n.IsNone(BOOL, item)
        return n.Not(BOOL, check) if op == "!=" else check
    kind = common_type(a, b)
    if kind.kind in ("row", "list", "ratio"):
        raise ExprError(f"{kind} cannot be compared", "round a division first" if kind.kind == "ratio" else "")
    if op not in ("==", "!=") and (kind.kind in ("ref", "bool", "enum")):
        raise ExprError(f"{_describe_type(kind)} has no order", "use == or !=")
    if kind.kind == "enum" and a.type.kind == b.type.kind == "enum":
        return n.Compare(BOOL, op, a, b)
    return n.Compare(BOOL, op, coerce(a, kind), coerce(b, kind))


def arithmetic(op: str, a: n.Node, b: n.Node) -> n.Node:
    x, y = a.type, b.type
    if "ratio" in (x.kind, y.kind):
        return _keep_ratio(op, a, b)
    if x.kind == "date" and op in "+-" and y.kind in ("int", "number") and not y.places:
        moved = b if op == "+" else arithmetic("-", n.Const(INT, 0), coerce(b, INT))
        return n.Call(DATE, "add_days", (a, coerce(moved, INT)))
    if x.kind == y.kind == "date" and op == "-":
        return n.Call(INT, "days_between", (b, a))
    if not (x.numeric and y.numeric):
        raise ExprError(f"`{op}` does not work on {x} and {y}", _arithmetic_hint(x, y))
    if op in "+-":
        kind = common_type(a, b)
        left, right = coerce(a, kind), coerce(b, kind)
        return _fold(n.Arith(kind, op, left, right))
    if x.monetary and y.monetary and op == "*":
        raise ExprError("money times money has no meaning")
    if op == "/":
        return n.Divide(Type("ratio"), a, b, "")
    places = x.places + y.places
    if places > MAX_PLACES:
        raise ExprError(f"the product has {places} places", "round a part first")
    base = x if x.monetary else y if y.monetary else x if y.kind == "number" else y
    return _fold(n.Arith(base.with_places(places), op, a, b))


def _keep_ratio(op: str, a: n.Node, b: n.Node) -> n.Node:
    """Keep (p / q) * x and x * (p / q) one division."""
    if op == "*" and isinstance(a, n.Divide) and a.type.kind == "ratio" and b.type.kind != "ratio":
        return replace(a, left=arithmetic("*", a.left, b))
    if op == "*" and isinstance(b, n.Divide) and b.type.kind == "ratio" and a.type.kind != "ratio":
        return replace(b, left=arithmetic("*", a, b.left))
    raise ExprError("a division has to be rounded before it is used", "write round(a / b, places)")


def _fold(node: n.Arith) -> n.Node:
    """Fold arithmetic on two literals to a literal."""
    if isinstance(node.left, n.Const) and isinstance(node.right, n.Const) and not (node.left.label or node.right.label):
        a, b = node.left.value, node.right.value
        if isinstance(a, int) and isinstance(b, int):
            value = a + b if node.op == "+" else a - b if node.op == "-" else a * b
            if abs(value) > INT64:
                raise ExprError("a constant out of range", "whole numbers have 64 bits")
            return n.Const(node.type, value)
    return node


def round_to(node: n.Node, places: int, mode: str) -> n.Node:
    """Round a number to `places` places."""
    if isinstance(node, n.Divide) and node.type.kind == "ratio":
        return _round_ratio(node, places, mode)
    if not node.type.numeric:
        raise ExprError(f"only numbers can be rounded, not {node.type}")
    kind = (INT if node.type.kind == "number" else node.type).with_places(places)
    if node.type.places <= places:
        return rescale(node, kind)
    ten = n.Const(INT, 10 ** (node.type.places - places))
    return n.Divide(kind, node, ten, mode)


def _round_ratio(node: n.Divide, places: int, mode: str) -> n.Node:
    x, y = node.left.type, node.right.type
    if y.monetary and not x.monetary:
        raise ExprError(f"{x} / {y} has no meaning")
    base = x if x.monetary and not y.monetary else INT
    up = places - x.places + y.places
    left = n.Scale(x, node.left, up) if up > 0 else node.left
    right = n.Scale(y, node.right, -up) if up < 0 else node.right
    return n.Divide(base.with_places(places), left, right, mode)


def _arithmetic_hint(x: Type, y: Type) -> str:
    if "text" in (x.kind, y.kind):
        return "join text with an f-string"
    if x.kind == "time":
        return "use add_hours(t, n) and hours_between(a, b)"
    return ""
