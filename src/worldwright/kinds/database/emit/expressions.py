"""Expressions as readable Python source.

The text means what the closures mean. Where a value may be none, comparisons and arithmetic go through small helpers that say
so; everywhere else they are plain Python.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from worldwright.blueprint import checked as c
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.expr.library import FUNCTIONS
from worldwright.kinds.database.emit import source as s

RUNTIME = "ww"
"""What a tool's file calls the runtime it imports. No name of a Blueprint may be this one."""
CTX = "ctx"
"""What a tool's function calls the context it is handed. No name of a Blueprint may be this one either."""

_NULL_COMPARE = {"<": "less", "<=": "at_most", ">": "more", ">=": "at_least"}
_NULL_ARITH = {"+": "plus", "-": "minus", "*": "times"}
_NULL_EITHER = {"min": "smaller", "max": "larger", "coalesce": "coalesce"}
_AGGREGATES = {"exists": "exists", "count": "count", "min": "least", "max": "greatest"}
_NULL_AGGREGATES = {"sum": "total"}
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
    loops: list[str] = field(default_factory=list)
    """The names that change from round to round of the loops around what is being written."""

    def code(self, node: n.Node, maybe: Mapping[str, bool], above: int = s.TERNARY) -> s.Code:
        """The source of an expression; in parentheses where what is around it binds tighter."""
        found: s.Code = getattr(self, f"_on_{type(node).__name__}")(node, maybe)
        return s.parenthesise(found, above)

    def use(self, helper: str, *args: s.Code) -> s.Code:
        """A call of a helper of the tool runtime, as the file names it."""
        return s.call(f"{RUNTIME}.{helper}", *args)

    # names and fields

    def _on_Const(self, node: n.Const, maybe: Mapping[str, bool]) -> s.Code:
        return s.text(node.value) if isinstance(node.value, str) else s.Code(literal(node))

    def _on_Var(self, node: n.Var, maybe: Mapping[str, bool]) -> s.Code:
        return s.Code(f"{CTX}.{node.name}" if node.name in ("now", "today", "actor") else node.name)

    def _on_Field(self, node: n.Field, maybe: Mapping[str, bool]) -> s.Code:
        if self.may_be_none(node.base, maybe):
            return self.use("attr", self.code(node.base, maybe), s.text(node.name))
        return s.field(self.code(node.base, maybe, s.ATOM), node.name)

    # logic

    def _on_Not(self, node: n.Not, maybe: Mapping[str, bool]) -> s.Code:
        if isinstance(node.item, n.Not) and not self.may_be_none(node.item.item, maybe):
            return self.code(node.item.item, maybe)
        return s.negate(self.code(node.item, maybe))

    def _on_And(self, node: n.And, maybe: Mapping[str, bool]) -> s.Code:
        return s.join_and(self._conditions(node.items, True, maybe))

    def _on_Or(self, node: n.Or, maybe: Mapping[str, bool]) -> s.Code:
        return s.join_or(self._conditions(node.items, False, maybe))

    def _conditions(self, items: tuple[n.Node, ...], so: bool, maybe: Mapping[str, bool]) -> list[s.Code]:
        """The parts of `and` or `or`: each is true or false even where it may be none, and knows what those before it say."""
        found: list[s.Code] = []
        for item in items:
            bare = self.code(item, maybe)
            found.append(s.truth(bare) if self.may_be_none(item, maybe) else bare)
            maybe = {**maybe, **find_not_none(item, so)}
        return found

    def _on_InValues(self, node: n.InValues, maybe: Mapping[str, bool]) -> s.Code:
        values = s.row([self.code(v, maybe) for v in node.values])
        return s.chain(s.COMPARE, self.code(node.item, maybe, s.PLUS), ("in", values))

    def _on_Compare(self, node: n.Compare, maybe: Mapping[str, bool]) -> s.Code:
        if node.op in _NULL_COMPARE and (self.may_be_none(node.left, maybe) or self.may_be_none(node.right, maybe)):
            return self._use_helper(_NULL_COMPARE[node.op], node.left, node.right, maybe)
        if isinstance(node.right, n.Const) and node.right.type.kind == "bool" and node.op in ("==", "!="):
            return self._compare_bool(node.left, node.op, bool(node.right.value), maybe)
        left, right = self.code(node.left, maybe, s.PLUS), self.code(node.right, maybe, s.PLUS)
        return s.chain(s.COMPARE, left, (node.op, right))

    def _compare_bool(self, item: n.Node, op: str, value: bool, maybe: Mapping[str, bool]) -> s.Code:
        """Write something compared with true or false."""
        if self.may_be_none(item, maybe):
            word = "is" if op == "==" else "is not"
            return s.chain(s.COMPARE, self.code(item, maybe, s.PLUS), (word, s.Code(str(value))))
        found = self.code(item, maybe)
        return s.truth(found) if value == (op == "==") else s.negate(found)

    def _use_helper(self, helper: str, left: n.Node, right: n.Node, maybe: Mapping[str, bool]) -> s.Code:
        return self.use(helper, self.code(left, maybe), self.code(right, maybe))

    def _on_IsNone(self, node: n.IsNone, maybe: Mapping[str, bool]) -> s.Code:
        return s.chain(s.COMPARE, self.code(node.item, maybe, s.PLUS), ("is", s.Code("None")))

    def _on_InText(self, node: n.InText, maybe: Mapping[str, bool]) -> s.Code:
        if self.may_be_none(node.needle, maybe) or self.may_be_none(node.text, maybe):
            return self._use_helper("contains", node.text, node.needle, maybe)
        needle, text = self.code(node.needle, maybe, s.PLUS), self.code(node.text, maybe, s.PLUS)
        return s.chain(s.COMPARE, needle, ("in", text))

    def _on_If(self, node: n.If, maybe: Mapping[str, bool]) -> s.Code:
        test = self.code(node.test, maybe, s.TERNARY + 1)
        then = self.code(node.then, {**maybe, **find_not_none(node.test, True)}, s.TERNARY + 1)
        other = self.code(node.other, {**maybe, **find_not_none(node.test, False)}, s.TERNARY + 1)
        if then.text == other.text:
            return then
        return s.choose(then, test, other)

    def _on_Either(self, node: n.Either, maybe: Mapping[str, bool]) -> s.Code:
        if node.op == "coalesce" or self.may_be_none(node.left, maybe) or self.may_be_none(node.right, maybe):
            return self._use_helper(_NULL_EITHER[node.op], node.left, node.right, maybe)
        return s.call(node.op, self.code(node.left, maybe), self.code(node.right, maybe))

    # numbers and text

    def _on_Arith(self, node: n.Arith, maybe: Mapping[str, bool]) -> s.Code:
        if self.may_be_none(node.left, maybe) or self.may_be_none(node.right, maybe):
            return self._use_helper(_NULL_ARITH[node.op], node.left, node.right, maybe)
        if isinstance(node.left, n.Const) and node.left.value == 0 and node.op == "-":
            return s.negative(self.code(node.right, maybe, s.ATOM))
        level = s.TIMES if node.op == "*" else s.PLUS
        return s.chain(level, self.code(node.left, maybe, level), (node.op, self.code(node.right, maybe, level + 1)))

    def _on_Scale(self, node: n.Scale, maybe: Mapping[str, bool]) -> s.Code:
        factor = s.Code(str(10**node.up))
        if self.may_be_none(node.item, maybe):
            return self.use("times", self.code(node.item, maybe), factor)
        return s.chain(s.TIMES, self.code(node.item, maybe, s.TIMES), ("*", factor))

    def _on_Divide(self, node: n.Divide, maybe: Mapping[str, bool]) -> s.Code:
        return self.use("divide", self.code(node.left, maybe), self.code(node.right, maybe), s.text(node.mode))

    def _on_Call(self, node: n.Call, maybe: Mapping[str, bool]) -> s.Code:
        name = f"{node.name}_of" if node.name in ("len", "abs") else node.name
        args = [self.code(a, maybe) for a in node.args]
        return self.use(name, *args, *([s.Code(f"{CTX}.holidays")] if FUNCTIONS[node.name].holidays else []))

    def _on_Format(self, node: n.Format, maybe: Mapping[str, bool]) -> s.Code:
        """An f-string where that is safe to write, else `.format`; a plain string where nothing is filled in."""
        pieces = [p if isinstance(p, str) else self._format_part(p[0], p[1], maybe) for p in node.parts]
        filled = [p for p in pieces if not isinstance(p, str)]
        texts = [p for p in pieces if isinstance(p, str)]
        if not any(c in piece.text for piece in filled for c in "\"'\\{}") and not any("\\" in t for t in texts):
            return s.text(*(p if isinstance(p, str) else s.Code(p.text) for p in pieces))
        frame = "".join(p.replace("{", "{{").replace("}", "}}") if isinstance(p, str) else "{}" for p in pieces)
        return s.call(s.field(s.text(frame), "format"), *filled)

    def _format_part(self, node: n.Node, spec: str, maybe: Mapping[str, bool]) -> s.Code:
        kind, found = node.type, self.code(node, maybe)
        if kind.kind == "ref":
            if self.may_be_none(node, maybe):
                found = self.use("attr", found, s.text("id"))
                return self.use("shown", found, s.Code("0"), s.text("text"), s.text(""))
            return s.field(s.parenthesise(found, s.ATOM), "id")
        if not spec and kind.kind in ("text", "enum", "date", "time", "int") and not self.may_be_none(node, maybe):
            return found
        return self.use("shown", found, s.Code(str(kind.places)), s.text(kind.kind), s.text(spec))

    # rows

    def _on_TermCall(self, node: n.TermCall, maybe: Mapping[str, bool]) -> s.Code:
        self._note(self.terms, node.name, node.args, maybe)
        return s.call(f"term_{node.name}", s.Code(CTX), *(self.code(a, maybe) for a in node.args))

    def _on_Obeys(self, node: n.Obeys, maybe: Mapping[str, bool]) -> s.Code:
        self._note(self.policies, node.policy, node.args, maybe)
        return s.call(f"policy_{node.policy}", s.Code(CTX), *(self.code(a, maybe) for a in node.args))

    def _note(
        self, used: dict[str, tuple[bool, ...]], name: str, args: tuple[n.Node, ...], maybe: Mapping[str, bool]
    ) -> None:
        flags = tuple(self.may_be_none(a, maybe) for a in args)
        used[name] = tuple(a or b for a, b in zip(flags, used.get(name, flags), strict=True))

    def rows(self, rows: n.Rows, maybe: Mapping[str, bool]) -> s.Code:
        if rows.items:
            return s.Code(rows.items)
        if rows.base is None:
            return s.call(f"{CTX}.all", s.text(rows.entity))
        if self.may_be_none(rows.base, maybe):
            return self.use("attr", self.code(rows.base, maybe), s.text(rows.way), s.Code("()"))
        return s.field(self.code(rows.base, maybe, s.ATOM), rows.way)

    def _on_Aggregate(self, node: n.Aggregate, maybe: Mapping[str, bool]) -> s.Code:
        inner = {**maybe, node.var: False}
        source = self.rows(node.rows, maybe)
        if node.kind in ("first", "last"):
            return self._extreme(node, source, inner)
        with self.in_loop(node.var):
            where = self.code(node.where, inner, s.TERNARY + 1) if node.where is not None else None
            known = {**inner, **find_not_none(node.where, True)} if node.where is not None else inner
            value = s.Code(node.var) if node.kind == "exists" else self.code(node.value, known)
        helper = _AGGREGATES.get(node.kind, "")
        if not helper and self.may_be_none(node.value, known):
            helper = _NULL_AGGREGATES.get(node.kind, "")
        return s.call(f"{RUNTIME}.{helper}" if helper else node.kind, s.loop(value, node.var, source, where))

    def _extreme(self, node: n.Aggregate, source: s.Code, inner: Mapping[str, bool]) -> s.Code:
        given = not (isinstance(node.value, n.Var) and node.value.name == node.var)
        parts = {"where": node.where, "by": node.by, "give": node.value if given else None}
        return self.use(node.kind, source, *self.functions(node.var, parts, inner))

    def functions(self, var: str, parts: Mapping[str, n.Node | None], maybe: Mapping[str, bool]) -> list[s.Code]:
        """Named arguments, each a function of a row; what is not there is left out."""
        found: list[s.Code] = []
        for name, part in parts.items():
            if part is not None:
                held = [x for x in dict.fromkeys(self.loops) if x != var and x in n.free_names(part)]
                found.append(s.keyword(name, s.function(var, self.code(part, maybe), held)))
                maybe = (
                    {**maybe, **find_not_none(part, True)} if name == "where" else maybe
                )  # the others see only such rows
        return found

    @contextmanager
    def in_loop(self, *names: str) -> Iterator[None]:
        """Write inside of a loop that changes these names."""
        before = len(self.loops)
        self.loops += names
        yield
        del self.loops[before:]

    # whether something may be none

    def may_be_none(self, node: n.Node, names: Mapping[str, bool]) -> bool:
        match node:
            case n.Const():
                return node.value is None
            case n.Var():
                return names.get(node.name, False)
            case n.Field():
                return self._field_maybe(node, names)
            case n.Arith():
                return self.may_be_none(node.left, names) or self.may_be_none(node.right, names)
            case n.Scale():
                return self.may_be_none(node.item, names)
            case n.If():
                then, other = ({**names, **find_not_none(node.test, so)} for so in (True, False))
                return self.may_be_none(node.then, then) or self.may_be_none(node.other, other)
            case n.Either():
                sides = (self.may_be_none(node.left, names), self.may_be_none(node.right, names))
                return all(sides) if node.op == "coalesce" else any(sides)
            case n.Call():
                return node.name not in _SAFE_CALLS or any(self.may_be_none(a, names) for a in node.args)
            case n.TermCall():
                term = self.blueprint.terms[node.name]
                given = {k: self.may_be_none(a, names) for k, a in zip(term.takes, node.args, strict=True)}
                return self.may_be_none(term.body, given)
            case n.Aggregate():
                return node.kind in ("first", "last", "min", "max")
            case n.Divide():
                return not (isinstance(node.right, n.Const) and node.right.value) or self.may_be_none(node.left, names)
        return False

    def _field_maybe(self, node: n.Field, names: Mapping[str, bool]) -> bool:
        if not names.get(path(node), True):
            return False
        if node.base.type.kind == "row":
            return True
        if self.may_be_none(node.base, names):
            return True
        if node.name == "id":
            return False
        entity = node.base.type.entity
        column = self.blueprint.schema.entities[entity].columns[node.name]
        if not column.stored:
            return self.may_be_none(self.blueprint.computed[entity, node.name], {"self": False})
        return column.optional


def path(node: n.Node) -> str:
    """A name, or the fields that lead from one; nothing for any other expression."""
    match node:
        case n.Var(name=name):
            return name
        case n.Field(base=base, name=name):
            return f"{way}.{name}" if (way := path(base)) else ""
    return ""


def find_not_none(test: n.Node, so: bool) -> dict[str, bool]:
    """Map the paths that cannot be none where a test comes out so: for each, that it may not be."""
    match test:
        case n.Not(item=item):
            return find_not_none(item, not so)
        case n.IsNone(item=n.Var() | n.Field() as item) if not so:
            return {
                path(item): False,
                **(find_not_none(n.IsNone(test.type, item.base), so) if isinstance(item, n.Field) else {}),
            }
        case n.And(items=items) if so:
            return {name: False for item in items for name in find_not_none(item, so)}
        case n.Or(items=items) if not so:
            return {name: False for item in items for name in find_not_none(item, so)}
    return {}


def literal(node: n.Const) -> str:
    """A constant: money as `5000_00`, so that the cents can be seen."""
    value, places = node.value, node.type.places
    if value is None:
        return "None"
    if isinstance(value, bool) or node.type.kind == "bool":
        return str(bool(value))
    if isinstance(value, int):
        if not places or abs(value) < 10**places:
            return str(value)
        whole, rest = divmod(abs(value), 10**places)
        return f"{'-' if value < 0 else ''}{whole}_{rest:0{places}d}"
    return s.quote_text(value)
