"""Laying out source within a line's width.

Code is written on one line first; where that is too long, Python's own tree says where it can be broken.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

WIDTH = 110

_LOOSE = (ast.BoolOp, ast.IfExp, ast.Lambda, ast.Compare)


def expression(text: str, indent: int, lead: str = "", tail: str = "") -> list[str]:
    """One expression as lines: `lead` before it, `tail` after it."""
    one = f"{' ' * indent}{lead}{text}{tail}"
    if len(one) <= WIDTH:
        return [one]
    return _Broken(text).lines(ast.parse(text, mode="eval").body, indent, lead, tail)


def call(head: str, args: Sequence[str], indent: int, tail: str = "") -> list[str]:
    """`head(args)` on one line where it fits, else an argument a line."""
    pad = " " * indent
    one = f"{pad}{head}({', '.join(args)}){tail}"
    if len(one) <= WIDTH or not args:
        return [one]
    out = [f"{pad}{head}("]
    for a in args:
        name, mark, value = a.partition("=")
        keyword = bool(mark) and name.isidentifier() and not value.startswith("=")
        out += expression(value, indent + 4, f"{name}=", ",") if keyword else expression(a, indent + 4, "", ",")
    return [*out, f"{pad}){tail}"]


def condition(text: str, indent: int, negate: bool = False) -> list[str]:
    """`if ...:` or `if not (...):`."""
    tree = ast.parse(text, mode="eval").body
    if negate and isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.Not) and text.startswith("not "):
        inner = text.removeprefix("not ")
        return condition(inner[1:-1] if _wrapped(inner) else inner, indent)
    if negate and isinstance(tree, ast.Compare) and _flips(tree):
        sides = _Broken(text)
        flipped = f"{sides.part(tree.left)} {_OPPOSITE[type(tree.ops[0])]} {sides.part(tree.comparators[0])}"
        return expression(flipped, indent, "if ", ":")
    if negate and isinstance(tree, _LOOSE):
        one = f"{' ' * indent}if not ({text}):"
        return [one] if len(one) <= WIDTH else _Broken(text).split(tree, indent, "if not (", "):")
    return expression(text, indent, "if not " if negate else "if ", ":")


_OPPOSITE: dict[type[ast.cmpop], str] = {
    ast.Eq: "!=", ast.NotEq: "==", ast.Is: "is not", ast.IsNot: "is", ast.In: "not in", ast.NotIn: "in",
    ast.Lt: ">=", ast.LtE: ">", ast.Gt: "<=", ast.GtE: "<",
}  # fmt: skip
"""Sound for ordering too: where a side may be none the comparison is a helper call, not an operator."""


def _flips(tree: ast.Compare) -> bool:
    """Whether the comparison can be turned round as text: one operator, and sides that need no parentheses."""
    sides = (tree.left, *tree.comparators)
    return len(tree.ops) == 1 and all(
        isinstance(s, (ast.Name, ast.Attribute, ast.Constant, ast.Call, ast.Tuple)) for s in sides
    )


def _wrapped(text: str) -> bool:
    """Whether one pair of parentheses encloses the whole text."""
    depth = 0
    for i, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if depth == 0:
            return i == len(text) - 1 and text.startswith("(")
    return False


_ARITHMETIC: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*"}


class _Broken:
    """Breaks one expression. Pieces of the original text are kept as they were written."""

    def __init__(self, text: str) -> None:
        self.data = text.encode()

    def part(self, node: ast.expr) -> str:
        return self.data[node.col_offset : node.end_col_offset].decode()

    def lines(self, node: ast.expr, indent: int, lead: str, tail: str) -> list[str]:
        pad, text = " " * indent, self.part(node)
        one = f"{pad}{lead}{text}{tail}"
        if len(one) <= WIDTH:
            return [one]
        match node:
            case ast.Call():
                return self.call(node, indent, lead, tail)
            case ast.BoolOp() | ast.IfExp():
                return self.split(node, indent, f"{lead}(", f"){tail}")
            case ast.Lambda():
                return self.lines(node.body, indent, f"{lead}lambda {node.args.args[0].arg}: ", tail)
            case ast.UnaryOp(op=ast.Not()) if isinstance(node.operand, (ast.BoolOp, ast.IfExp)):
                one = f"{pad}{lead}not ({self.part(node.operand)}){tail}"
                return [one] if len(one) <= WIDTH else self.split(node.operand, indent, f"{lead}not (", f"){tail}")
            case ast.UnaryOp(op=ast.Not()):
                return self.lines(node.operand, indent, f"{lead}not ", tail)
            case ast.Compare() if len(node.ops) == 1 and isinstance(node.left, ast.Call):
                middle = self.data[node.left.end_col_offset : node.end_col_offset].decode()
                return self.lines(node.left, indent, lead, middle + tail)
            case ast.BinOp() | ast.Compare():
                return self.split(node, indent, f"{lead}(", f"){tail}")
        return [one]

    def call(self, node: ast.Call, indent: int, lead: str, tail: str) -> list[str]:
        pad = " " * indent
        out = [f"{pad}{lead}{self.part(node.func)}("]
        if len(node.args) == 1 and isinstance(node.args[0], ast.GeneratorExp) and not node.keywords:
            return [*out, *self.generator(node.args[0], indent + 4), f"{pad}){tail}"]
        for a in node.args:
            out += self.lines(a, indent + 4, "", ",")
        for k in node.keywords:
            out += self.lines(k.value, indent + 4, f"{k.arg}=", ",")
        return [*out, f"{pad}){tail}"]

    def generator(self, node: ast.GeneratorExp, indent: int) -> list[str]:
        comp = node.generators[0]
        out = self.lines(node.elt, indent, "", "")
        out += self.lines(comp.iter, indent, f"for {self.part(comp.target)} in ", "")
        for test in comp.ifs:
            loose = isinstance(test, (ast.IfExp, ast.Lambda))
            one = f"{' ' * indent}if ({self.part(test)})" if loose else f"{' ' * indent}if {self.part(test)}"
            if len(one) <= WIDTH:
                out.append(one)
            else:
                out += self.split(test, indent, "if (", ")") if loose else self.operands(test, indent, "if ")
        return out

    def split(self, node: ast.expr, indent: int, opening: str, closing: str) -> list[str]:
        pad = " " * indent
        return [f"{pad}{opening}", *self.operands(node, indent + 4, ""), f"{pad}{closing}"]

    def operands(self, node: ast.expr, indent: int, lead: str) -> list[str]:
        """The operands of `and`, `or` or a conditional expression, one after the other."""
        if isinstance(node, ast.BoolOp):
            word = "and " if isinstance(node.op, ast.And) else "or "
            out: list[str] = []
            for i, value in enumerate(node.values):
                out += self.operand(value, indent, word if i else lead)
            return out
        if isinstance(node, ast.IfExp):
            return [
                *self.operand(node.body, indent, lead),
                *self.operand(node.test, indent, "if "),
                *self.operand(node.orelse, indent, "else "),
            ]
        if isinstance(node, ast.BinOp):
            return [
                *self.side(node.left, indent, lead),
                *self.side(node.right, indent, f"{_ARITHMETIC[type(node.op)]} "),
            ]
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            word = self.data[node.left.end_col_offset : node.comparators[0].col_offset].decode().strip(" ()")
            return [*self.side(node.left, indent, lead), *self.side(node.comparators[0], indent, f"{word} ")]
        return self.lines(node, indent, lead, "")

    def side(self, node: ast.expr, indent: int, lead: str) -> list[str]:
        """One side of an operator, in the parentheses that it had."""
        before, after = self.data[: node.col_offset].rstrip(), self.data[node.end_col_offset or 0 :].lstrip()
        if before.endswith(b"(") and after.startswith(b")"):
            one = f"{' ' * indent}{lead}({self.part(node)})"
            return [one] if len(one) <= WIDTH else self.split(node, indent, f"{lead}(", ")")
        if isinstance(node, ast.BinOp) and len(f"{' ' * indent}{lead}{self.part(node)}") > WIDTH:
            return self.operands(node, indent, lead)
        return self.lines(node, indent, lead, "")

    def operand(self, node: ast.expr, indent: int, lead: str) -> list[str]:
        if not isinstance(node, (ast.BoolOp, ast.IfExp, ast.Lambda)):
            return self.lines(node, indent, lead, "")
        one = f"{' ' * indent}{lead}({self.part(node)})"
        return [one] if len(one) <= WIDTH else self.split(node, indent, f"{lead}(", ")")
