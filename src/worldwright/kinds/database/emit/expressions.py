"""Expressions as readable Python source.

The text means what the closures mean. Where a value may be none, comparisons and arithmetic go through small helpers that say
so; everywhere else they are plain Python.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from worldwright.blueprint import checked as c
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.expr.library import FUNCTIONS

# how tightly an operator binds, as in Python
TERNARY, OR, AND, NOT, COMPARE, PLUS, TIMES, ATOM = range(8)

BENCH = "ww"
"""What a tool's file calls the workbench it imports. No name of a Blueprint may be this one."""

_NULL_COMPARE = {"<": "less", "<=": "at_most", ">": "more", ">=": "at_least"}
_NULL_ARITH = {"+": "plus", "-": "minus", "*": "times"}
_NULL_EITHER = {"min": "smaller", "max": "larger", "coalesce": "coalesce"}
_SAFE_CALLS = frozenset(
    {"abs", "lower", "len", "startswith", "day", "days_between", "year", "month", "weekday", "month_start", "month_end"}
)


@dataclass(slots=True)
class Writer:
    """Writes expressions, and notes which helpers, terms and policies they use."""

    blueprint: c.Checked
    terms: dict[str, tuple[bool, ...]] = field(default_factory=dict)
    """The terms that are used, and for each subject whether somewhere it may be none."""
    policies: dict[str, tuple[bool, ...]] = field(default_factory=dict)

    def text(self, node: n.Node, maybe: Mapping[str, bool], above: int = TERNARY) -> str:
        """The source of an expression; in parentheses where what is around it binds tighter."""
        text, binds = getattr(self, f"_on_{type(node).__name__}")(node, maybe)
        return f"({text})" if binds < above else text

    def use(self, helper: str) -> str:
        """A helper of the workbench, as the file names it."""
        return f"{BENCH}.{helper}"

    # names and fields

    def _on_Const(self, node: n.Const, maybe: Mapping[str, bool]) -> tuple[str, int]:
        return literal(node), ATOM

    def _on_Var(self, node: n.Var, maybe: Mapping[str, bool]) -> tuple[str, int]:
        return (f"desk.{node.name}" if node.name in ("now", "today", "actor") else node.name), ATOM

    def _on_Field(self, node: n.Field, maybe: Mapping[str, bool]) -> tuple[str, int]:
        base = self.text(node.base, maybe, ATOM)
        if self.maybe(node.base, maybe):
            return f'{self.use("attr")}({base}, "{node.name}")', ATOM
        return f"{base}.{node.name}", ATOM

    # logic

    def _on_Not(self, node: n.Not, maybe: Mapping[str, bool]) -> tuple[str, int]:
        if isinstance(node.item, n.IsNone):
            return f"{self.text(node.item.item, maybe, PLUS)} is not None", COMPARE
        if isinstance(node.item, n.InValues):
            return self._membership(node.item, maybe, "not in"), COMPARE
        return f"not {self.text(node.item, maybe, NOT)}", NOT

    def _on_And(self, node: n.And, maybe: Mapping[str, bool]) -> tuple[str, int]:
        return " and ".join(self._condition(i, maybe, AND + 1) for i in node.items), AND

    def _condition(self, node: n.Node, maybe: Mapping[str, bool], above: int) -> str:
        """A part of `and` or `or`, which is true or false even where it may be none."""
        return f"bool({self.text(node, maybe)})" if self.maybe(node, maybe) else self.text(node, maybe, above)

    def _on_Or(self, node: n.Or, maybe: Mapping[str, bool]) -> tuple[str, int]:
        return " or ".join(self._condition(i, maybe, OR + 1) for i in node.items), OR

    def _on_InValues(self, node: n.InValues, maybe: Mapping[str, bool]) -> tuple[str, int]:
        return self._membership(node, maybe, "in"), COMPARE

    def _membership(self, node: n.InValues, maybe: Mapping[str, bool], word: str) -> str:
        values = ", ".join(literal(v) for v in node.values) + ("," if len(node.values) == 1 else "")
        return f"{self.text(node.item, maybe, PLUS)} {word} ({values})"

    def _on_Compare(self, node: n.Compare, maybe: Mapping[str, bool]) -> tuple[str, int]:
        if node.op in _NULL_COMPARE and (self.maybe(node.left, maybe) or self.maybe(node.right, maybe)):
            name = self.use(_NULL_COMPARE[node.op])
            return f"{name}({self.text(node.left, maybe)}, {self.text(node.right, maybe)})", ATOM
        if isinstance(node.right, n.Const) and node.right.type.kind == "bool" and node.op in ("==", "!="):
            if self.maybe(node.left, maybe):
                word = "is" if node.op == "==" else "is not"
                return f"{self.text(node.left, maybe, PLUS)} {word} {bool(node.right.value)}", COMPARE
            wanted = bool(node.right.value) == (node.op == "==")
            item = self.text(node.left, maybe, NOT)
            return (f"bool({item})", ATOM) if wanted else (f"not {item}", NOT)
        left, right = self.text(node.left, maybe, PLUS), self.text(node.right, maybe, PLUS)
        return f"{left} {node.op} {right}", COMPARE

    def _on_IsNone(self, node: n.IsNone, maybe: Mapping[str, bool]) -> tuple[str, int]:
        return f"{self.text(node.item, maybe, PLUS)} is None", COMPARE

    def _on_InText(self, node: n.InText, maybe: Mapping[str, bool]) -> tuple[str, int]:
        if self.maybe(node.needle, maybe) or self.maybe(node.text, maybe):
            return f"{self.use('contains')}({self.text(node.text, maybe)}, {self.text(node.needle, maybe)})", ATOM
        return f"{self.text(node.needle, maybe, PLUS)} in {self.text(node.text, maybe, PLUS)}", COMPARE

    def _on_If(self, node: n.If, maybe: Mapping[str, bool]) -> tuple[str, int]:
        then, test, other = (self.text(x, maybe, TERNARY + 1) for x in (node.then, node.test, node.other))
        return f"{then} if {test} else {other}", TERNARY

    def _on_Either(self, node: n.Either, maybe: Mapping[str, bool]) -> tuple[str, int]:
        null = self.maybe(node.left, maybe) or self.maybe(node.right, maybe)
        name = node.op if node.op != "coalesce" and not null else self.use(_NULL_EITHER[node.op])
        return f"{name}({self.text(node.left, maybe)}, {self.text(node.right, maybe)})", ATOM

    # numbers and text

    def _on_Arith(self, node: n.Arith, maybe: Mapping[str, bool]) -> tuple[str, int]:
        if self.maybe(node.left, maybe) or self.maybe(node.right, maybe):
            name = self.use(_NULL_ARITH[node.op])
            return f"{name}({self.text(node.left, maybe)}, {self.text(node.right, maybe)})", ATOM
        if isinstance(node.left, n.Const) and node.left.value == 0 and node.op == "-":
            return f"-{self.text(node.right, maybe, ATOM)}", TIMES
        level = TIMES if node.op == "*" else PLUS
        return f"{self.text(node.left, maybe, level)} {node.op} {self.text(node.right, maybe, level + 1)}", level

    def _on_Scale(self, node: n.Scale, maybe: Mapping[str, bool]) -> tuple[str, int]:
        factor = 10**node.up
        if self.maybe(node.item, maybe):
            return f"{self.use('times')}({self.text(node.item, maybe)}, {factor})", ATOM
        return f"{self.text(node.item, maybe, TIMES)} * {factor}", TIMES

    def _on_Divide(self, node: n.Divide, maybe: Mapping[str, bool]) -> tuple[str, int]:
        name = self.use("divide")
        return f'{name}({self.text(node.left, maybe)}, {self.text(node.right, maybe)}, "{node.mode}")', ATOM

    def _on_Call(self, node: n.Call, maybe: Mapping[str, bool]) -> tuple[str, int]:
        name = self.use(f"{node.name}_of" if node.name in ("len", "abs") else node.name)
        args = [self.text(a, maybe) for a in node.args]
        if FUNCTIONS[node.name].holidays:
            args.append("desk.holidays")
        return f"{name}({', '.join(args)})", ATOM

    def _on_Format(self, node: n.Format, maybe: Mapping[str, bool]) -> tuple[str, int]:
        return self.template(node, maybe), ATOM

    def template(self, node: n.Format, maybe: Mapping[str, bool]) -> str:
        """An f-string where that is safe to write, else `.format`; a plain string where nothing is filled in."""
        pieces = [p if isinstance(p, str) else self._shown(p[0], p[1], maybe) for p in node.parts]
        filled = [p for p, part in zip(pieces, node.parts, strict=True) if not isinstance(part, str)]
        texts = [p for p in node.parts if isinstance(p, str)]
        if not filled:
            return quoted("".join(texts))
        simple = not any(c in piece for piece in filled for c in "\"'\\{}") and not any("\\" in t for t in texts)
        if simple:
            body = "".join(
                quoted(part)[1:-1].replace("{", "{{").replace("}", "}}") if isinstance(part, str) else f"{{{piece}}}"
                for piece, part in zip(pieces, node.parts, strict=True)
            )
            return f'f"{body}"'
        frame = "".join(p.replace("{", "{{").replace("}", "}}") if isinstance(p, str) else "{}" for p in node.parts)
        return f"{quoted(frame)}.format({', '.join(filled)})"

    def _shown(self, node: n.Node, spec: str, maybe: Mapping[str, bool]) -> str:
        text, kind = self.text(node, maybe), node.type
        if kind.kind == "ref":
            if self.maybe(node, maybe):
                return f'{self.use("shown")}({self.use("attr")}({text}, "id"), 0, "text", "")'
            return f"{self.text(node, maybe, ATOM)}.id"
        if not spec and kind.kind in ("text", "enum", "date", "time", "int") and not self.maybe(node, maybe):
            return text
        return f'{self.use("shown")}({text}, {kind.places}, "{kind.kind}", "{spec}")'

    # rows

    def _on_TermCall(self, node: n.TermCall, maybe: Mapping[str, bool]) -> tuple[str, int]:
        self._note(self.terms, node.name, node.args, maybe)
        return f"term_{node.name}({', '.join(['desk', *(self.text(a, maybe) for a in node.args)])})", ATOM

    def _on_Obeys(self, node: n.Obeys, maybe: Mapping[str, bool]) -> tuple[str, int]:
        self._note(self.policies, node.policy, node.args, maybe)
        return f"policy_{node.policy}({', '.join(['desk', *(self.text(a, maybe) for a in node.args)])})", ATOM

    def _note(
        self, used: dict[str, tuple[bool, ...]], name: str, args: tuple[n.Node, ...], maybe: Mapping[str, bool]
    ) -> None:
        flags = tuple(self.maybe(a, maybe) for a in args)
        used[name] = tuple(a or b for a, b in zip(flags, used.get(name, flags), strict=True))

    def rows(self, rows: n.Rows, maybe: Mapping[str, bool]) -> str:
        if rows.items:
            return rows.items
        if rows.base is None:
            return f'desk.all("{rows.entity}")'
        base = self.text(rows.base, maybe, ATOM)
        if self.maybe(rows.base, maybe):
            return f'{self.use("attr")}({base}, "{rows.way}", ())'
        return f"{base}.{rows.way}"

    def _on_Aggregate(self, node: n.Aggregate, maybe: Mapping[str, bool]) -> tuple[str, int]:
        inner = {**maybe, node.var: False}
        source = self.rows(node.rows, maybe)
        where = f" if {self.text(node.where, inner, TERNARY + 1)}" if node.where is not None else ""
        loop = f"for {node.var} in {source}{where}"
        value = self.text(node.value, inner)
        null = self.maybe(node.value, inner)
        match node.kind:
            case "first" | "last":
                return self._extreme(node, source, inner), ATOM
            case "exists":
                return f"{self.use('exists')}({node.var} {loop})", ATOM
            case "all":
                return f"all({value} {loop})", ATOM
            case "count":
                return f"{self.use('count')}({value} {loop})", ATOM
            case "sum":
                return f"{self.use('total') if null else 'sum'}({value} {loop})", ATOM
        return f"{self.use('least' if node.kind == 'min' else 'greatest')}({value} {loop})", ATOM

    def _extreme(self, node: n.Aggregate, source: str, inner: Mapping[str, bool]) -> str:
        parts = [source]
        if node.where is not None:
            parts.append(f"where=lambda {node.var}: {self.text(node.where, inner)}")
        if node.by is not None:
            parts.append(f"by=lambda {node.var}: {self.text(node.by, inner)}")
        if not (isinstance(node.value, n.Var) and node.value.name == node.var):
            parts.append(f"give=lambda {node.var}: {self.text(node.value, inner)}")
        return f"{self.use(node.kind)}({', '.join(parts)})"

    # whether something may be none

    def maybe(self, node: n.Node, names: Mapping[str, bool]) -> bool:
        match node:
            case n.Const():
                return node.value is None
            case n.Var():
                return names.get(node.name, False)
            case n.Field():
                return self._field_maybe(node, names)
            case n.Arith():
                return self.maybe(node.left, names) or self.maybe(node.right, names)
            case n.Scale():
                return self.maybe(node.item, names)
            case n.If():
                return self.maybe(node.then, names) or self.maybe(node.other, names)
            case n.Either():
                sides = (self.maybe(node.left, names), self.maybe(node.right, names))
                return all(sides) if node.op == "coalesce" else any(sides)
            case n.Call():
                return node.name not in _SAFE_CALLS or any(self.maybe(a, names) for a in node.args)
            case n.TermCall():
                term = self.blueprint.terms[node.name]
                given = {k: self.maybe(a, names) for k, a in zip(term.takes, node.args, strict=True)}
                return self.maybe(term.body, given)
            case n.Aggregate():
                return node.kind in ("first", "last", "min", "max")
            case n.Divide():
                return not (isinstance(node.right, n.Const) and node.right.value) or self.maybe(node.left, names)
        return False

    def _field_maybe(self, node: n.Field, names: Mapping[str, bool]) -> bool:
        if node.base.type.kind == "row":
            return names.get(f"{node.base.name}.{node.name}", True) if isinstance(node.base, n.Var) else True
        if self.maybe(node.base, names):
            return True
        if node.name == "id":
            return False
        entity = node.base.type.entity
        column = self.blueprint.schema.entities[entity].columns[node.name]
        if not column.stored:
            return self.maybe(self.blueprint.computed[entity, node.name], {"self": False})
        return column.optional


def literal(node: n.Const) -> str:
    """A constant: money as `5000_00`, so that the cents can be seen."""
    value, places = node.value, node.type.places
    if isinstance(value, bool) or value is None:
        return str(bool(value)) if value is not None else "None"
    if isinstance(value, int):
        if not places or abs(value) < 10**places:
            return str(value)
        whole, rest = divmod(abs(value), 10**places)
        return f"{'-' if value < 0 else ''}{whole}_{rest:0{places}d}"
    return quoted(value)


def quoted(text: str) -> str:
    """A string literal in double quotes."""
    body = repr(text)[1:-1]
    if repr(text)[0] == "'":
        body = body.replace("\\'", "'").replace('"', '\\"')
    return f'"{body}"'
