"""From the text of an expression to typed nodes.

Python's own parser reads the text; this module admits the total subset, resolves names and gives every node a type.
"""

from __future__ import annotations

import ast
from dataclasses import replace

from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.expr.aggregates import aggregate, list_of, parse_source
from worldwright.blueprint.expr.arithmetic import arithmetic, coerce, common_type, comparison, parse_number, round_to
from worldwright.blueprint.expr.failure import ExprError
from worldwright.blueprint.expr.library import AGGREGATES, DRAWS, FUNCTIONS, SPECIAL
from worldwright.blueprint.expr.scope import Language, Parsed, Scope, Signature
from worldwright.blueprint.expr.syntax import quote, syntax
from worldwright.blueprint.expr.text_draws import text_draw
from worldwright.blueprint.schema import Entity
from worldwright.blueprint.types import BOOL, DATE, INT, MONEY, NONE, TEXT, TIME, Type, ref
from worldwright.core import days
from worldwright.core.names import suggest

MAX_DEPTH = 40
MAX_PARTS = 2000
_NUMBERS = ("int", "decimal", "money", "foreign", "number")
FORMATS: dict[str, tuple[str, ...]] = {
    "money": _NUMBERS, "percent": _NUMBERS, "int": ("int", "number"), "days": ("int", "number"), "day": ("date", "time"),
}  # fmt: skip
"""How a value may be written inside a text, and the types that each way takes."""


def parse(text: str, language: Language, scope: Scope, expect: Type | None = None, bare: bool = False) -> n.Node:
    """The typed node of an expression; with `expect`, coerced to that type. `bare` admits unquoted enum words."""
    key = (text, expect, bare, *scope.key)
    found = language.memo.find(key, language)
    if found is not None:
        return found
    typer = _Typer(language, bare)
    node = _type(typer, syntax(text), scope, expect)
    language.memo.parsed[key] = Parsed(
        node, frozenset(typer.entities), tuple(typer.terms.items()), tuple(typer.policies.items())
    )
    return node


def _type(typer: _Typer, tree: ast.expr, scope: Scope, expect: Type | None) -> n.Node:
    if expect is not None and expect.kind == "list":
        return list_of(typer, tree, expect, scope, 0)
    node = typer.node(tree, scope, expect, 0)
    if node.type.kind == "ratio":
        raise ExprError("a division has to be rounded", "write round(a / b, places)")
    return coerce(node, expect) if expect is not None else node


class _Typer:
    """One walk over Python's tree. A method per kind of syntax, found by name."""

    def __init__(self, language: Language, bare: bool) -> None:
        self.language = language
        self.schema = language.schema
        self.bare = bare
        self.parts = 0
        self.entities: set[str] = set()
        self.terms: dict[str, Signature | None] = {}
        self.policies: dict[str, Signature] = {}

    def entity(self, name: str) -> Entity:
        """Look up an entity, and note that the expression depends on it."""
        self.entities.add(name)
        return self.schema.entities[name]

    def node(self, e: ast.expr, s: Scope, expect: Type | None, depth: int) -> n.Node:
        self.parts += 1
        if self.parts > MAX_PARTS:
            raise ExprError(f"an expression of more than {MAX_PARTS} parts", "name parts of it as terms")
        if depth > MAX_DEPTH:
            raise ExprError("expression nested too deeply", f"at most {MAX_DEPTH} levels; name parts of it as terms")
        method = getattr(self, f"on_{type(e).__name__}", None)
        if method is None:
            raise ExprError(f"{type(e).__name__} is not part of the language: {quote(e)!r}")
        result: n.Node = method(e, s, expect, depth + 1)
        return result

    def truth(self, e: ast.expr, s: Scope, depth: int) -> n.Node:
        node = self.node(e, s, None, depth)
        if node.type.kind != "bool":
            raise ExprError(f"a condition is needed, `{quote(e)}` is {node.type}", "compare it with something")
        return node

    # names and literals

    def on_Constant(self, e: ast.Constant, s: Scope, expect: Type | None, depth: int) -> n.Node:
        match e.value:
            case bool():
                return n.Const(BOOL, e.value)
            case None:
                return n.Const(NONE, None)
            case int() | float():
                return parse_number(e.value)
            case str():
                return n.Const(TEXT, e.value)
        raise ExprError(f"{e.value!r} is not a literal of the language")

    def on_Name(self, e: ast.Name, s: Scope, expect: Type | None, depth: int) -> n.Node:
        name = e.id
        word = self.bare and expect is not None and expect.kind == "enum" and name in expect.values
        if name in s.names and not (word and s.names[name].kind not in ("text", "enum")):
            return n.Var(s.names[name], name)
        if name in s.consts:
            return s.consts[name]
        if s.self_entity:
            entity = self.entity(s.self_entity)
            if name == "id" or name in entity.columns:
                return self.field(n.Var(ref(s.self_entity), "self"), name)
        match name:
            case "true" | "false":
                return n.Const(BOOL, name == "true")
            case "none":
                return n.Const(NONE, None)
            case "now":
                return n.Var(TIME, "now")
            case "today":
                return n.Var(DATE, "today")
            case "actor" if self.schema.actor:
                return n.Var(ref(self.schema.actor), "actor")
            case "self" if s.self_entity and not s.draws:  # a row that is being drawn is not whole yet
                return n.Var(ref(s.self_entity), "self")
        if self.bare and expect is not None and expect.kind == "enum":
            if name in expect.values:
                return n.Const(expect, name)
            raise ExprError(f"`{name}` is not one of {', '.join(expect.values)}", suggest(name, expect.values))
        known = [*s.names, *s.consts, "now", "today", "actor"]
        if s.self_entity:
            known += self.schema.entities[s.self_entity].columns
        raise ExprError(f"nothing is called `{name}` here", suggest(name, known))

    def on_JoinedStr(self, e: ast.JoinedStr, s: Scope, expect: Type | None, depth: int) -> n.Node:
        parts: list[str | tuple[n.Node, str]] = []
        for piece in e.values:
            if isinstance(piece, ast.Constant):
                parts.append(str(piece.value))
                continue
            assert isinstance(piece, ast.FormattedValue)
            spec = _format(piece)
            value = self.node(piece.value, s, None, depth)
            if value.type.kind in ("list", "row", "ratio"):
                raise ExprError(f"{value.type} cannot be written into a text")
            if spec and value.type.kind not in FORMATS[spec]:
                raise ExprError(f"format `{spec}` does not fit {value.type}", f"it takes {', '.join(FORMATS[spec])}")
            parts.append((value, spec))
        return n.Format(TEXT, tuple(parts))

    def on_Attribute(self, e: ast.Attribute, s: Scope, expect: Type | None, depth: int) -> n.Node:
        return self.field(self.node(e.value, s, None, depth), e.attr)

    def field(self, base: n.Node, name: str) -> n.Node:
        if base.type.kind == "row":
            parts = dict(base.type.fields)
            if name not in parts:
                raise ExprError(f"one of these has no `{name}`", suggest(name, parts))
            return n.Field(parts[name], base, name)
        if base.type.kind != "ref":
            raise ExprError(f"`.{name}` needs a row, not {base.type}")
        entity = self.entity(base.type.entity)
        if name == "id":
            return n.Field(TEXT, base, "id")
        column = entity.columns.get(name)
        if column is None:
            if name in entity.ways:
                raise ExprError(
                    f"`{entity.name}.{name}` is many rows", "use it in sum, count, exists, all, first, each"
                )
            raise ExprError(f"`{entity.name}` has no field `{name}`", suggest(name, [*entity.columns, *entity.ways]))
        return n.Field(column.type, base, name)

    # logic

    def on_BoolOp(self, e: ast.BoolOp, s: Scope, expect: Type | None, depth: int) -> n.Node:
        items = tuple(self.truth(v, s, depth) for v in e.values)
        return n.And(BOOL, items) if isinstance(e.op, ast.And) else n.Or(BOOL, items)

    def on_UnaryOp(self, e: ast.UnaryOp, s: Scope, expect: Type | None, depth: int) -> n.Node:
        if isinstance(e.op, ast.Not):
            return n.Not(BOOL, self.truth(e.operand, s, depth))
        if isinstance(e.op, ast.USub):
            item = self.node(e.operand, s, expect, depth)
            if isinstance(item, n.Const) and item.type.kind == "number" and isinstance(item.value, int):
                return replace(item, value=-item.value)
            return arithmetic("-", n.Const(Type("number"), 0), item)
        raise ExprError(f"`{quote(e)}` is not part of the language")

    def on_Compare(self, e: ast.Compare, s: Scope, expect: Type | None, depth: int) -> n.Node:
        out: list[n.Node] = []
        left = e.left
        for op, right in zip(e.ops, e.comparators, strict=True):
            out.append(self.compare(left, op, right, s, depth))
            left = right
        return out[0] if len(out) == 1 else n.And(BOOL, tuple(out))

    def compare(self, left: ast.expr, op: ast.cmpop, right: ast.expr, s: Scope, depth: int) -> n.Node:
        if isinstance(op, (ast.In, ast.NotIn)):
            found = self.membership(left, right, s, depth)
            return n.Not(BOOL, found) if isinstance(op, ast.NotIn) else found
        a, b = self.node(left, s, None, depth), self.node(right, s, None, depth)
        symbol = _COMPARE.get(type(op))
        if symbol is None:
            raise ExprError(f"`{type(op).__name__}` is not part of the language")
        if symbol in ("is", "is not") and b.type.kind != "none":
            raise ExprError("`is` compares with none only", "use ==")
        return comparison({"is": "==", "is not": "!="}.get(symbol, symbol), a, b)

    def membership(self, left: ast.expr, right: ast.expr, s: Scope, depth: int) -> n.Node:
        item = self.node(left, s, None, depth)
        if isinstance(right, (ast.Tuple, ast.List)):
            if not right.elts or len(right.elts) > 50:
                raise ExprError("`in` takes 1 to 50 values")
            values = [comparison("==", item, self.node(v, s, item.type, depth)) for v in right.elts]
            constants = [c.right for c in values if isinstance(c, n.Compare) and c.left == item]
            if len(constants) == len(values) and all(isinstance(c, n.Const) and c.value is not None for c in constants):
                return n.InValues(BOOL, item, tuple(c for c in constants if isinstance(c, n.Const)))
            self.parts += len(values) * sum(1 for _ in n.walk(item))
            return values[0] if len(values) == 1 else n.Or(BOOL, tuple(values))
        text = self.node(right, s, None, depth)
        if text.type.kind != "text" or item.type.kind != "text":
            raise ExprError("`in` takes a tuple of values, or text in text")
        return n.InText(BOOL, item, text)

    def on_IfExp(self, e: ast.IfExp, s: Scope, expect: Type | None, depth: int) -> n.Node:
        test = self.truth(e.test, s, depth)
        then, other = self.node(e.body, s, expect, depth), self.node(e.orelse, s, expect, depth)
        kind = expect if expect is not None else common_type(then, other)
        return n.If(kind, test, coerce(then, kind), coerce(other, kind))

    def on_BinOp(self, e: ast.BinOp, s: Scope, expect: Type | None, depth: int) -> n.Node:
        symbol = _ARITHMETIC.get(type(e.op))
        if symbol is None:
            raise ExprError(f"`{quote(e)}` is not part of the language", "arithmetic is + - * and rounded /")
        side = expect if expect is not None and symbol in "+-" and (s.draws or self.bare) and expect.numeric else None
        return arithmetic(symbol, self.node(e.left, s, side, depth), self.node(e.right, s, side, depth))

    # calls

    def on_Call(self, e: ast.Call, s: Scope, expect: Type | None, depth: int) -> n.Node:
        if not isinstance(e.func, ast.Name):
            raise ExprError(f"`{quote(e.func)}` cannot be called", "only named functions and terms can")
        name = e.func.id
        if name in AGGREGATES and e.args and isinstance(e.args[0], ast.GeneratorExp):
            return aggregate(self, name, e, s, depth)
        if name in DRAWS and s.draws:
            return self.draw(name, e, s, expect, depth)
        if name == "obeys":
            return self.parse_obeys(e, s, depth)
        term = self.terms[name] = self.language.term(name)
        if term is not None:
            return self.term(name, term, e, s, depth)
        if e.keywords:
            raise ExprError(f"`{name}` takes no named arguments")
        if name in FUNCTIONS and name not in SPECIAL:
            f = FUNCTIONS[name]
            args = tuple(self.node(a, s, None, depth) for a in e.args)
            if len(args) != len(f.takes):
                raise ExprError(f"`{name}` takes {len(f.takes)} arguments ({', '.join(f.takes)}), not {len(args)}")
            return n.Call(f.gives, name, tuple(_argument(name, a, k) for a, k in zip(args, f.takes, strict=True)))
        if name in SPECIAL:
            return self.parse_special(name, e, s, depth)
        if name in DRAWS:
            raise ExprError(f"`{name}` is random", "only `~`, history and mess may draw")
        raise ExprError(
            f"no function or term is called `{name}`", suggest(name, [*FUNCTIONS, *SPECIAL, *self.language.term_names])
        )

    def parse_special(self, name: str, e: ast.Call, s: Scope, depth: int) -> n.Node:
        wanted = _SPECIAL_ARGS.get(name)
        if wanted is None:
            raise ExprError(f"`{name}` needs rows: {name}(x for x in rows)")
        if len(e.args) != wanted:
            raise ExprError(f"`{name}` takes {wanted} arguments, not {len(e.args)}")
        if name == "date":
            return _date_literal(e.args[0])
        args = [self.node(a, s, None, depth) for a in e.args]
        mode = self.schema.rounding
        match name:
            case "abs":
                if not args[0].type.numeric:
                    raise ExprError(f"abs takes a number, not {args[0].type}")
                return n.Call(args[0].type, "abs", (args[0],))
            case "money":
                return _to_money(args[0])
            case "min" | "max" | "coalesce":
                kind = common_type(args[0], args[1])
                return n.Either(kind, name, coerce(args[0], kind), coerce(args[1], kind))
            case "round" | "round_up" | "round_down":
                return round_to(args[0], _places(e.args[1]), {"round_up": "up", "round_down": "down"}.get(name, mode))
            case "percent_of":
                return round_to(arithmetic("*", args[0], args[1]), 2, mode)
            case "prorate":
                part, whole = args[1], args[2]
                if part.type.monetary and part.type.kind == whole.type.kind:
                    part, whole = (replace(x, type=Type("decimal", x.type.places)) for x in (part, whole))
                return round_to(arithmetic("/", arithmetic("*", args[0], part), whole), 2, mode)
            case "convert":
                return _exchange(round_to(arithmetic("*", args[0], args[1]), 2, mode), args[0], "money", "foreign")
            case _:
                return _exchange(round_to(arithmetic("/", args[0], args[1]), 2, mode), args[0], "foreign", "money")

    def term(self, name: str, sig: Signature, e: ast.Call, s: Scope, depth: int) -> n.Node:
        names = list(sig.takes)
        given = dict(zip(names, e.args, strict=False))
        if len(e.args) > len(names):
            raise ExprError(f"`{name}` takes {len(names)} arguments ({', '.join(names)}), not {len(e.args)}")
        given.update({k.arg or "": k.value for k in e.keywords})
        return n.TermCall(sig.gives, name, self.bind_arguments(name, sig, given, s, depth, by_name=False))

    def parse_obeys(self, e: ast.Call, s: Scope, depth: int) -> n.Node:
        if len(e.args) != 1 or not isinstance(e.args[0], ast.Name):
            raise ExprError("obeys takes the name of a policy: obeys(approval_limit)")
        name = e.args[0].id
        sig = self.language.policy(name)
        if sig is None:
            raise ExprError(f"no policy is called `{name}`", suggest(name, self.language.policy_names))
        self.policies[name] = sig
        given = {k.arg or "": k.value for k in e.keywords}
        return n.Obeys(BOOL, name, self.bind_arguments(name, sig, given, s, depth, by_name=True))

    def bind_arguments(
        self, name: str, sig: Signature, given: dict[str, ast.expr], s: Scope, depth: int, by_name: bool
    ) -> tuple[n.Node, ...]:
        """Bind the arguments of a term or policy, in order; a policy takes what is left out from the scope, by name."""
        for extra in given:
            if extra not in sig.takes:
                raise ExprError(f"`{name}` is not about `{extra}`", suggest(extra, sig.takes))
        out = []
        for wanted, kind in sig.takes.items():
            if wanted not in given and not by_name:
                raise ExprError(f"`{name}` needs `{wanted}`")
            if wanted not in given and wanted not in s.names:
                raise ExprError(f"`{name}` is about `{wanted}`, which is not in scope", f"say {wanted}=...")
            source = given.get(wanted, ast.Name(wanted))
            out.append(coerce(self.node(source, s, kind, depth), kind))
        return tuple(out)

    def draw(self, name: str, e: ast.Call, s: Scope, expect: Type | None, depth: int) -> n.Node:
        if name in ("text_of", "text_like"):
            return text_draw(name, e)
        if name in ("chance", "digits", "letters", "lognormal", "normal", "between", "skewed"):
            wanted = 1 if name in ("chance", "digits", "letters") else 2
            if len(e.args) != wanted:
                raise ExprError(f"`{name}` takes {wanted} arguments, not {len(e.args)}")
        args = [self.node(a, s, expect, depth) for a in e.args]
        if name == "chance":
            return n.Draw(BOOL, name, (coerce(args[0], Type("decimal", 6)),))
        if name in ("digits", "letters"):
            return n.Draw(TEXT, name, (coerce(args[0], INT),))
        if name in ("lognormal", "normal"):
            kind = expect if expect is not None and expect.numeric else args[0].type
            return n.Draw(kind, name, (coerce(args[0], kind), _spread(name, args[1], kind)))
        if not args:
            raise ExprError(f"`{name}` needs values to choose from")
        kind = expect if expect is not None else args[0].type
        for a in args if expect is None else ():
            kind = common_type(n.Var(kind, "_"), a)
        if kind.kind == "number":
            kind = INT.with_places(kind.places)
        if name in ("between", "skewed") and kind.kind not in ("int", "decimal", "money", "foreign", "date", "time"):
            raise ExprError(f"`{name}` draws numbers, money, dates and times, not {kind}")
        return n.Draw(kind, name, tuple(coerce(a, kind) for a in args))


def _format(piece: ast.FormattedValue) -> str:
    """The format after the colon; conversions and formats that are themselves filled in are not part of the language."""
    if piece.conversion != -1:
        raise ExprError(
            "conversions such as !r and = are not a format of the language", f"formats: {', '.join(FORMATS)}"
        )
    values = piece.format_spec.values if isinstance(piece.format_spec, ast.JoinedStr) else []
    if any(not isinstance(v, ast.Constant) for v in values):
        raise ExprError("a format cannot be filled in", f"formats: {', '.join(FORMATS)}")
    spec = "".join(str(v.value) for v in values if isinstance(v, ast.Constant))
    if spec and spec not in FORMATS:
        raise ExprError(f"unknown format `{spec}`", suggest(spec, FORMATS))
    return spec


_COMPARE: dict[type[ast.cmpop], str] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Is: "is", ast.IsNot: "is not",
}  # fmt: skip
_ARITHMETIC: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
_SPECIAL_ARGS = {
    "abs": 1, "min": 2, "max": 2, "round": 2, "round_up": 2, "round_down": 2, "coalesce": 2, "percent_of": 2, "prorate": 3,
    "convert": 2, "convert_back": 2, "date": 1, "money": 1,
}  # fmt: skip


def parse_rows(text: str, language: Language, scope: Scope) -> n.Rows:
    """Parse `purchase_order`, `po.lines` or a list input, as the source of `find` and `each`."""
    return parse_source(_Typer(language, False), syntax(text), scope, 0)


def _argument(name: str, node: n.Node, kind: str) -> n.Node:
    if kind == "date" and node.type.kind == "time":
        raise ExprError(f"`{name}` needs a day, not a moment", "use day(...)")
    if kind == "time" and node.type.kind == "date":
        return node if name == "day" else coerce(node, TIME)
    return coerce(node, {"text": TEXT, "int": INT, "date": DATE, "time": TIME}[kind])


def _to_money(node: n.Node) -> n.Node:
    """Convert a plain number to an amount of book money: `money(0.30) * days`."""
    if node.type.kind not in ("number", "int", "decimal"):
        raise ExprError(f"money takes a number, not {node.type}")
    return coerce(replace(node, type=Type("number", node.type.places)), MONEY)


def _date_literal(e: ast.expr) -> n.Const:
    if not isinstance(e, ast.Constant) or days.parse_day(e.value) is None:
        raise ExprError("date takes a day as text: date('2025-01-31')")
    return n.Const(DATE, str(e.value))


def _places(e: ast.expr) -> int:
    if not isinstance(e, ast.Constant) or not isinstance(e.value, int) or not 0 <= e.value <= 6:
        raise ExprError("the places to round to are a number from 0 to 6")
    return int(e.value)


def _exchange(node: n.Node, amount: n.Node, source: str, target: str) -> n.Node:
    if amount.type.kind != source:
        wanted = "book money" if source == "money" else "money in another currency"
        raise ExprError(f"this conversion needs {wanted}, not {amount.type}")
    return replace(node, type=Type(target, 2))


def _spread(name: str, node: n.Node, kind: Type) -> n.Node:
    return coerce(node, Type("decimal", 6)) if name == "lognormal" else coerce(node, kind)
