"""Expressions as closures: nodes in, plain Python functions out, no text and no `exec`.

A closure takes a unit of work (rows, and what time it is) and a frame (the names in scope). Rows in frames are `Row`
objects; references inside rows, and the result of a closure for a reference, are ids.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol, TypeAlias

from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.expr.library import FUNCTIONS, divide
from worldwright.blueprint.schema import Schema
from worldwright.core import fixed

Frame: TypeAlias = dict[str, Any]
Run: TypeAlias = Callable[[Any, Frame], Any]
"""A closure of a `UnitOfWork` and a frame."""


STRICT = (n.Not, n.And, n.Or, n.Compare, n.IsNone, n.InValues, n.InText, n.Obeys)
"""Conditions that are true or false, never none."""


class UnitOfWork(Protocol):
    """What an expression reads from. A row has an `id`, and `values` by position (0 is the id)."""

    now: str
    today: str
    actor: Any

    def row(self, entity: str, key: str) -> Any: ...
    def rows(self, entity: str) -> Iterable[Any]: ...
    def children(self, entity: str, column: str, key: str) -> Iterable[Any]: ...
    def draw(self, node: n.Draw, args: Sequence[Any]) -> Any: ...
    def choose(self, kind: str, rows: Sequence[Any]) -> Any: ...


class Evaluator:
    """Turns nodes into closures, and keeps the bodies of computed fields, terms and policies it meets."""

    def __init__(
        self,
        schema: Schema,
        computed: Callable[[str, str], n.Node],
        term: Callable[[str], tuple[Sequence[str], n.Node]],
        policy: Callable[[str], tuple[Sequence[str], n.Node]],
        query: Callable[[Evaluator, n.Aggregate], Run | None] = lambda e, a: None,
    ) -> None:
        self.schema = schema
        self._computed = computed
        self._term = term
        self._policy = policy
        self._query = query
        self._bodies: dict[tuple[str, ...], Run] = {}
        self.positions = {
            e.name: {"id": 0, **{c.name: i + 1 for i, c in enumerate(e.stored)}} for e in schema.entities.values()
        }

    def value(self, node: n.Node) -> Run:
        """The storage form of the expression; for a reference, its id."""
        method: Callable[[Any], Run] = getattr(self, f"_on_{type(node).__name__}")
        return method(node)

    def truth(self, node: n.Node) -> Run:
        """A strict bool: none counts as false."""
        run = self.value(node)
        return run if isinstance(node, STRICT) else lambda d, f: bool(run(d, f))

    def row(self, node: n.Node) -> Run:
        """The row itself, or none."""
        if isinstance(node, n.Var):
            return self._name(node.name)
        key, entity = self.value(node), node.type.entity

        def load(d: Any, f: Frame) -> Any:
            k = key(d, f)
            return None if k is None else d.row(entity, k)

        return load

    def bind(self, node: n.Node) -> Run:
        """Return what a frame holds for this expression: the row for a reference, else the value."""
        return self.row(node) if node.type.kind == "ref" else self.value(node)

    # names and fields

    def _name(self, name: str) -> Run:
        if name in ("now", "today", "actor"):
            return lambda d, f: getattr(d, name)
        return lambda d, f: f[name]

    def _on_Const(self, node: n.Const) -> Run:
        value = node.value
        return lambda d, f: value

    def _on_Var(self, node: n.Var) -> Run:
        get = self._name(node.name)
        if node.type.kind != "ref":
            return get

        def key(d: Any, f: Frame) -> Any:
            row = get(d, f)
            return None if row is None else row.id

        return key

    def _on_Field(self, node: n.Field) -> Run:
        name = node.name
        if node.base.type.kind == "row":
            element = self.value(node.base)
            if node.type.kind == "ref":
                return lambda d, f: None if (r := (element(d, f) or {}).get(name)) is None else r.id
            return lambda d, f: (element(d, f) or {}).get(name)
        entity = node.base.type.entity
        base = self.row(node.base)
        position = self.positions[entity].get(name)
        if position is None:
            return self._computed_field(entity, name, base)
        if isinstance(node.base, n.Var) and node.base.name not in ("now", "today", "actor"):
            variable = node.base.name

            def direct(d: Any, f: Frame) -> Any:
                row = f[variable]
                return None if row is None else row.values[position]

            return direct

        def hop(d: Any, f: Frame) -> Any:
            row = base(d, f)
            return None if row is None else row.values[position]

        return hop

    def _computed_field(self, entity: str, name: str, base: Run) -> Run:
        body = self._body(("computed", entity, name), lambda: self._computed(entity, name))

        def compute(d: Any, f: Frame) -> Any:
            row = base(d, f)
            if row is None:
                return None
            given = getattr(row, "given", None)
            if given is not None and name in given:
                return given[name]
            return body()(d, {"self": row})

        return compute

    def _body(self, key: tuple[str, ...], node: Callable[[], n.Node]) -> Callable[[], Run]:
        """The compiled body of a named expression, made on first use so that order does not matter."""

        def get() -> Run:
            run = self._bodies.get(key)
            if run is None:
                run = self._bodies[key] = self.value(node())
            return run

        return get

    def _on_TermCall(self, node: n.TermCall) -> Run:
        names, _ = self._term(node.name)
        body = self._body(("term", node.name), lambda: self._term(node.name)[1])
        return self._call_named(names, node.args, body)

    def _on_Obeys(self, node: n.Obeys) -> Run:
        names, _ = self._policy(node.policy)
        body = self._body(("policy", node.policy), lambda: self._policy(node.policy)[1])
        run = self._call_named(names, node.args, body)
        return lambda d, f: bool(run(d, f))

    def _call_named(self, names: Sequence[str], args: Sequence[n.Node], body: Callable[[], Run]) -> Run:
        pairs = tuple(zip(names, (self.bind(a) for a in args), strict=True))
        return lambda d, f: body()(d, {name: run(d, f) for name, run in pairs})

    # logic

    def _on_Not(self, node: n.Not) -> Run:
        item = self.truth(node.item)
        return lambda d, f: not item(d, f)

    def _on_And(self, node: n.And) -> Run:
        items = tuple(self.truth(i) for i in node.items)
        if len(items) == 2:
            a, b = items
            return lambda d, f: a(d, f) and b(d, f)
        return lambda d, f: all(i(d, f) for i in items)

    def _on_Or(self, node: n.Or) -> Run:
        items = tuple(self.truth(i) for i in node.items)
        if len(items) == 2:
            a, b = items
            return lambda d, f: a(d, f) or b(d, f)
        return lambda d, f: any(i(d, f) for i in items)

    def _on_Compare(self, node: n.Compare) -> Run:
        left, right, op = self.value(node.left), self.value(node.right), node.op
        if op == "==" or op == "!=":
            same = op == "=="
            if isinstance(node.right, n.Const):
                constant = node.right.value
                return (lambda d, f: left(d, f) == constant) if same else (lambda d, f: left(d, f) != constant)
            return (lambda d, f: left(d, f) == right(d, f)) if same else (lambda d, f: left(d, f) != right(d, f))
        test = _ORDER[op]

        def ordered(d: Any, f: Frame) -> bool:
            a, b = left(d, f), right(d, f)
            return a is not None and b is not None and bool(test(a, b))

        return ordered

    def _on_IsNone(self, node: n.IsNone) -> Run:
        item = self.value(node.item)
        return lambda d, f: item(d, f) is None

    def _on_InValues(self, node: n.InValues) -> Run:
        item, values = self.value(node.item), tuple(v.value for v in node.values)
        return lambda d, f: item(d, f) in values

    def _on_InText(self, node: n.InText) -> Run:
        needle, text = self.value(node.needle), self.value(node.text)

        def contained(d: Any, f: Frame) -> bool:
            a, b = needle(d, f), text(d, f)
            return a is not None and b is not None and a in b

        return contained

    def _on_If(self, node: n.If) -> Run:
        test, then, other = self.truth(node.test), self.value(node.then), self.value(node.other)
        return lambda d, f: then(d, f) if test(d, f) else other(d, f)

    def _on_Either(self, node: n.Either) -> Run:
        left, right = self.value(node.left), self.value(node.right)
        if node.op == "coalesce":
            return lambda d, f: right(d, f) if (a := left(d, f)) is None else a
        best = min if node.op == "min" else max

        def choose(d: Any, f: Frame) -> Any:
            a, b = left(d, f), right(d, f)
            return None if a is None or b is None else best(a, b)

        return choose

    # numbers and text

    def _on_Arith(self, node: n.Arith) -> Run:
        left, right, work = self.value(node.left), self.value(node.right), _ARITH[node.op]

        def compute(d: Any, f: Frame) -> Any:
            a, b = left(d, f), right(d, f)
            return None if a is None or b is None else work(a, b)

        return compute

    def _on_Scale(self, node: n.Scale) -> Run:
        item, factor = self.value(node.item), 10**node.up
        return lambda d, f: None if (x := item(d, f)) is None else x * factor

    def _on_Divide(self, node: n.Divide) -> Run:
        left, right, mode = self.value(node.left), self.value(node.right), node.mode
        return lambda d, f: divide(left(d, f), right(d, f), mode)

    def _on_Call(self, node: n.Call) -> Run:
        function = FUNCTIONS[node.name]
        work, args = function.run, tuple(self.value(a) for a in node.args)
        if function.holidays:
            holidays = self.schema.holidays
            return lambda d, f: work(*(a(d, f) for a in args), holidays)
        if len(args) == 1:
            one = args[0]
            return lambda d, f: work(one(d, f))
        return lambda d, f: work(*(a(d, f) for a in args))

    def _on_Format(self, node: n.Format) -> Run:
        parts = [p if isinstance(p, str) else (self.value(p[0]), p[0].type, p[1]) for p in node.parts]

        def text(d: Any, f: Frame) -> str:
            return "".join(
                p if isinstance(p, str) else format_value(p[0](d, f), p[1].places, p[1].kind, p[2]) for p in parts
            )

        return text

    # rows

    def _on_Draw(self, node: n.Draw) -> Run:
        args = tuple(self.value(a) for a in node.args)
        if node.name == "pick":
            return lambda d, f: args[d.draw(node, (len(args),))](d, f)
        return lambda d, f: d.draw(node, tuple(a(d, f) for a in args))

    def _on_ListOf(self, node: n.ListOf) -> Run:
        parts = [(name, self.bind(value)) for name, value in node.parts]
        plain = parts[0][1] if parts and parts[0][0] == "" else None

        def element(d: Any, f: Frame) -> Any:
            return plain(d, f) if plain is not None else {name: run(d, f) for name, run in parts}

        if node.rows is None:
            assert node.count is not None
            count = self.value(node.count)
            return lambda d, f: [element(d, f) for _ in range(count(d, f) or 0)]
        source, var = self.source(node.rows), node.var
        where = self.truth(node.where) if node.where is not None else None

        def listed(d: Any, f: Frame) -> list[Any]:
            inner = dict(f)
            out = []
            for row in source(d, f):
                inner[var] = row
                if where is None or where(d, inner):
                    out.append(element(d, inner))
            return out

        return listed

    def _on_Aggregate(self, node: n.Aggregate) -> Run:
        return self._query(self, node) or self.loop(node)

    def loop(self, node: n.Aggregate) -> Run:
        """An aggregate by walking its rows in Python; what SQL does, in other words."""
        source = self.source(node.rows)
        where = self.truth(node.where) if node.where is not None else None
        value = self.value(node.value)
        key = self.value(node.by) if node.by is not None else None
        var, kind = node.var, node.kind
        rowwise = isinstance(node.value, n.Var) and node.value.name == node.var

        def matching(d: Any, f: Frame) -> Iterable[Any]:
            inner = dict(f)
            for row in source(d, f):
                inner[var] = row
                if where is None or where(d, inner):
                    yield inner

        if kind in ("any", "favourite"):
            return lambda d, f: d.choose(kind, [value(d, i) for i in matching(d, f)])
        if kind in ("first", "last"):

            def ordered(d: Any, f: Frame) -> Any:
                found = [
                    (None if key is None else key(d, i), getattr(i[var], "id", ""), value(d, i)) for i in matching(d, f)
                ]
                best = _extreme(found, kind)
                return None if best is None else best[2]

            return ordered
        fold = _FOLDS[kind]
        if kind == "exists":
            return lambda d, f: fold(True for _ in matching(d, f))
        if kind == "count" and rowwise:
            return lambda d, f: sum(1 for _ in matching(d, f))
        return lambda d, f: fold(value(d, i) for i in matching(d, f))

    def source(self, rows: n.Rows) -> Run:
        if rows.items:
            name = rows.items
            return lambda d, f: f[name]
        if rows.base is None:
            entity = rows.entity
            return lambda d, f: d.rows(entity)
        base, entity, column = self.value(rows.base), rows.entity, rows.column

        def children(d: Any, f: Frame) -> Iterable[Any]:
            key = base(d, f)
            return () if key is None else d.children(entity, column, key)

        return children


_ORDER: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
_ARITH: dict[str, Callable[[Any, Any], Any]] = {"+": operator.add, "-": operator.sub, "*": operator.mul}


def _drop_none(values: Iterable[Any]) -> list[Any]:
    return [v for v in values if v is not None]


_FOLDS: dict[str, Callable[[Iterable[Any]], Any]] = {
    "sum": lambda values: sum(_drop_none(values)),
    "count": lambda values: len(_drop_none(values)),
    "min": lambda values: min(_drop_none(values), default=None),
    "max": lambda values: max(_drop_none(values), default=None),
    "exists": lambda values: any(values),
    "all": lambda values: all(bool(v) for v in values),
}


def _extreme(found: list[tuple[Any, str, Any]], kind: str) -> tuple[Any, str, Any] | None:
    """The row with the smallest (largest) key; ties go to the smallest id; rows without a key come last."""
    keyed = [x for x in found if x[0] is not None]
    if not keyed:
        return min(found, key=lambda x: x[1], default=None)
    best = (min if kind == "first" else max)(x[0] for x in keyed)
    return min((x for x in keyed if x[0] == best), key=lambda x: x[1])


def format_value(value: Any, places: int, kind: str, spec: str) -> str:
    """Format a value as people write it."""
    if value is None:
        return "none"
    match spec or kind:
        case "money" | "foreign":
            return fixed.to_text(value, places)
        case "percent":
            return f"{fixed.to_plain_text(value * 100, places)}%"
        case "day":
            return str(value)[:10]
        case "bool":
            return "yes" if value else "no"
        case "decimal" | "number":
            return fixed.to_plain_text(value, places)
        case "days":
            return f"{value} day" + ("" if value == 1 else "s")
        case _:
            return str(value)
