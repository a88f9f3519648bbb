"""Figures in conditions: what `amount > 5000` says about an amount of money."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from worldwright.anchor.evidence import Quantity
from worldwright.anchor.names import parts
from worldwright.anchor.readers.repo.names import Repo, Scope, number
from worldwright.anchor.readers.repo.source import last, path_of
from worldwright.english.nouns import plural, singular

_COMPARES: Mapping[type[ast.cmpop], tuple[str, str]] = {
    ast.Gt: ("over", "at_most"),
    ast.GtE: ("at_least", "under"),
    ast.Lt: ("under", "at_least"),
    ast.LtE: ("at_most", "over"),
    ast.Eq: ("exactly", ""),
    ast.NotEq: ("", "exactly"),
}
"""What a comparison means where it holds, and where it does not."""
_SWAPPED: Mapping[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Gt: ast.Lt,
    ast.GtE: ast.LtE,
    ast.Lt: ast.Gt,
    ast.LtE: ast.GtE,
    ast.Eq: ast.Eq,
    ast.NotEq: ast.NotEq,
}
_MONEY = frozenset({
    "amount", "price", "total", "cost", "budget", "limit", "balance", "fee", "salary", "subtotal", "payment", "credit", "deposit",
    "value", "spend", "spent", "refund", "premium", "payout", "deductible", "eur", "usd", "gbp", "jpy", "revenue", "charge",
})  # fmt: skip
_TIMES = ("days", "hours", "weeks", "months", "years", "minutes", "seconds")
_PERCENT = frozenset({"percent", "percentage", "pct", "rate"})
_COUNTS = frozenset({"quantity", "qty", "count", "number", "num"})
_DEEPEST = 6


def quantities(repo: Repo, scope: Scope, node: ast.expr, holds: bool, depth: int = 0) -> Iterator[Quantity]:
    """The figures that a condition compares with; `holds` says whether the sentence means the condition or its opposite."""
    if depth > _DEEPEST:
        return
    match node:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield from quantities(repo, scope, operand, not holds, depth + 1)
        case ast.BoolOp(values=values):
            for value in values[:10]:
                yield from quantities(repo, scope, value, holds, depth + 1)
        case ast.Compare(left=left, ops=ops, comparators=comparators):
            sides = [left, *comparators]
            for i, op in enumerate(ops[:4]):
                found = _quantity(repo, scope, sides[i], op, sides[i + 1], holds)
                if found is not None:
                    yield found


def _quantity(repo: Repo, scope: Scope, left: ast.expr, op: ast.cmpop, right: ast.expr, holds: bool) -> Quantity | None:
    kind: type[ast.cmpop] = type(op)
    figure, unit = _figure(repo, scope, right)
    subject = left
    if figure is None:
        figure, unit = _figure(repo, scope, left)
        subject, kind = right, _SWAPPED.get(type(op), type(op))
    if isinstance(subject, ast.BinOp) and isinstance(subject.op, ast.Mod):
        return None  # says something about a remainder, not about an amount
    if figure is None or kind not in _COMPARES or _figure(repo, scope, subject)[0] is not None:
        return None
    compares = _COMPARES[kind][0 if holds else 1]
    if not compares:
        return None
    text = scope.module.text(left, 100) + f" {_SIGNS[type(op)]} " + scope.module.text(right, 100)
    return Quantity(figure, unit or _unit(subject), compares, text)


_SIGNS: Mapping[type[ast.cmpop], str] = {
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}


def _figure(repo: Repo, scope: Scope, node: ast.expr) -> tuple[float | None, str]:
    """A number, or `timedelta(days=14)` with its unit."""
    if isinstance(node, ast.Call) and last(path_of(node)) == "timedelta":
        for given in node.keywords:
            value = number(repo.value(scope, given.value))
            if given.arg in _TIMES and value is not None:
                return value, given.arg
        return None, ""
    return number(repo.value(scope, node)), ""


def _unit(subject: ast.expr) -> str:
    """What a figure counts, by the name that is compared with it."""
    counted = isinstance(subject, ast.Call) and path_of(subject) == "len"
    path = _name(subject)
    own = parts(last(path))
    if not own:
        return ""
    if counted:
        return plural(singular(own[-1]))
    for word in reversed(parts(path)):
        if word in _TIMES or f"{word}s" in _TIMES:
            return word if word in _TIMES else f"{word}s"
        if word in _PERCENT:
            return "percent"
    if any(word in _MONEY for word in own):
        return "money"
    return "units" if own[-1] in _COUNTS else plural(singular(own[-1]))


def _name(subject: ast.expr) -> str:
    """`order.total` of itself, of `abs(order.total)`; `total` of `data["total"]` and of `data.get("total")`."""
    match subject:
        case ast.Call(func=ast.Name(id="len" | "abs" | "int" | "float" | "Decimal" | "sum"), args=[inner, *_]):
            return path_of(inner) or _key(inner)
        case ast.Call(func=ast.Attribute(attr="get"), args=[ast.Constant(value=str() as name), *_]):
            return name
        case ast.Subscript():
            return _key(subject)
    return path_of(subject)


def _key(node: ast.expr) -> str:
    match node:
        case ast.Subscript(slice=ast.Constant(value=str() as name)):
            return name
    return ""
