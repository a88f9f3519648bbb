"""Expressions as SQL, where a query is meant.

Only what depends on the rows being looked at becomes SQL text; every other part is evaluated in Python and bound as a
parameter, so no value of a caller is ever part of the text. What SQL cannot say falls back to a loop in Python with the same
meaning; a property test holds the two together.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from itertools import count
from typing import Any

from worldwright.blueprint.checked import Checked
from worldwright.blueprint.definitions import find_definition
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.expr.evaluate import Evaluator, Frame, Run
from worldwright.blueprint.expr.library import FUNCTIONS, divide
from worldwright.blueprint.schema import Schema
from worldwright.blueprint.types import BOOL
from worldwright.kinds.database.tables import quote_name


class NotSql(Exception):
    """This expression has no SQL form."""


def register_functions(conn: sqlite3.Connection, schema: Schema) -> None:
    """Make the library's functions callable from SQL: one implementation, so no disagreement."""
    conn.create_function("ww_divide", 3, divide, deterministic=True)
    for name, function in FUNCTIONS.items():
        run: Callable[..., Any] = function.run
        if function.holidays:
            run = _bind_holidays(function.run, schema.holidays)
        conn.create_function(f"ww_{name}", len(function.takes), run, deterministic=True)


def _bind_holidays(run: Callable[..., Any], holidays: frozenset[str]) -> Callable[..., Any]:
    return lambda *args: run(*args, holidays)


class SqlCompiler:
    """Builds the text of one query; parameters are collected in the order of their marks."""

    def __init__(self, evaluator: Evaluator, definitions: Checked) -> None:
        self.evaluator = evaluator
        self.definitions = definitions
        self.parameters: list[Run] = []
        self._fresh = count()

    def expr(self, node: n.Node, env: Mapping[str, str]) -> str:
        """SQL for a value. `env` maps row variables to table aliases."""
        if not n.free_names(node) & env.keys():
            if node.type.kind in ("row", "list"):
                raise NotSql
            self.parameters.append(self.evaluator.value(node))
            return "?"
        method = getattr(self, f"_on_{type(node).__name__}", None)
        if method is None:
            raise NotSql(type(node).__name__)
        text: str = method(node, env)
        return text

    def truth(self, node: n.Node, env: Mapping[str, str]) -> str:
        """SQL that is 0 or 1, never NULL."""
        text = self.expr(node, env)
        if isinstance(node, (n.Compare, n.And, n.Or, n.Not, n.IsNone, n.InValues, n.InText)) and text != "?":
            return text
        return f"COALESCE({text}, 0)"

    def _on_Var(self, node: n.Var, env: Mapping[str, str]) -> str:
        if node.type.kind != "ref":
            raise NotSql
        return f"{env[node.name]}.id"

    def _on_Field(self, node: n.Field, env: Mapping[str, str]) -> str:
        if node.base.type.kind != "ref":
            raise NotSql
        entity = node.base.type.entity
        written_out = self.resolve(node)
        if written_out is not None:
            if isinstance(node.base, n.Var):
                return self.expr(written_out, env)
            there = self.expr(node.base, env)
            return f"(CASE WHEN {there} IS NOT NULL THEN {self.expr(written_out, env)} END)"
        if isinstance(node.base, n.Var):
            return f"{env[node.base.name]}.{quote_name(node.name)}"
        alias = f"t{next(self._fresh)}"
        key = self.expr(node.base, env)
        return f"(SELECT {alias}.{quote_name(node.name)} FROM {quote_name(entity)} {alias} WHERE {alias}.id = {key})"

    def _on_TermCall(self, node: n.TermCall, env: Mapping[str, str]) -> str:
        return self.expr(self._body(node), env)

    def _on_Obeys(self, node: n.Obeys, env: Mapping[str, str]) -> str:
        return self.truth(self._body(node), env)

    def _body(self, node: n.Node) -> n.Node:
        body = self.resolve(node)
        if body is None:
            raise NotSql
        return body

    def resolve(self, node: n.Node) -> n.Node | None:
        """Return the body behind a name, with what it is given there; None where the node is no name of anything."""
        found = find_definition(self.definitions, node)
        return None if found is None else n.substitute(self.rename_variables(found.body), found.names)

    def rename_variables(self, node: n.Node) -> n.Node:
        """Make loop variables of an expression unique, so that substitution captures nothing."""
        if isinstance(node, n.Aggregate):
            new = f"{node.var}__{next(self._fresh)}"
            var = n.Var(_row_type(node), new)
            parts: dict[str, Any] = {
                f.name: n.substitute(part, {node.var: var})
                for f in fields(node)
                if isinstance(part := getattr(node, f.name), n.Node) and f.name in ("where", "value", "by")
            }
            node = replace(node, var=new, **parts)
        changes = {f.name: self._rename_part(getattr(node, f.name)) for f in fields(node) if f.name != "type"}
        return replace(node, **changes)

    def _rename_part(self, value: Any) -> Any:
        if isinstance(value, n.Node):
            return self.rename_variables(value)
        if isinstance(value, n.Rows):
            return replace(value, base=self.rename_variables(value.base)) if value.base is not None else value
        if isinstance(value, tuple):
            return tuple(self._rename_part(v) for v in value)
        return value

    def _on_Not(self, node: n.Not, env: Mapping[str, str]) -> str:
        return f"(NOT {self.truth(node.item, env)})"

    def _on_And(self, node: n.And, env: Mapping[str, str]) -> str:
        return "(" + " AND ".join(self.truth(i, env) for i in node.items) + ")"

    def _on_Or(self, node: n.Or, env: Mapping[str, str]) -> str:
        return "(" + " OR ".join(self.truth(i, env) for i in node.items) + ")"

    def _on_Compare(self, node: n.Compare, env: Mapping[str, str]) -> str:
        left = self.expr(node.left, env)
        right = self.expr(node.right, env)
        if node.op in ("==", "!="):
            return f"({left} {'IS' if node.op == '==' else 'IS NOT'} {right})"
        return f"COALESCE({left} {node.op} {right}, 0)"

    def _on_IsNone(self, node: n.IsNone, env: Mapping[str, str]) -> str:
        return f"({self.expr(node.item, env)} IS NULL)"

    def _on_InValues(self, node: n.InValues, env: Mapping[str, str]) -> str:
        item = self.expr(node.item, env)
        return f"COALESCE({item} IN ({', '.join([self.expr(v, env) for v in node.values])}), 0)"

    def _on_InText(self, node: n.InText, env: Mapping[str, str]) -> str:
        text = self.expr(node.text, env)
        return f"COALESCE(instr({text}, {self.expr(node.needle, env)}) > 0, 0)"

    def _on_Arith(self, node: n.Arith, env: Mapping[str, str]) -> str:
        left = self.expr(node.left, env)
        return f"({left} {node.op} {self.expr(node.right, env)})"

    def _on_Scale(self, node: n.Scale, env: Mapping[str, str]) -> str:
        return f"({self.expr(node.item, env)} * {10**node.up})"

    def _on_Divide(self, node: n.Divide, env: Mapping[str, str]) -> str:
        left = self.expr(node.left, env)
        return f"ww_divide({left}, {self.expr(node.right, env)}, '{node.mode}')"

    def _on_If(self, node: n.If, env: Mapping[str, str]) -> str:
        test = self.truth(node.test, env)
        then = self.expr(node.then, env)
        return f"(CASE WHEN {test} THEN {then} ELSE {self.expr(node.other, env)} END)"

    def _on_Either(self, node: n.Either, env: Mapping[str, str]) -> str:
        left = self.expr(node.left, env)
        return f"{node.op.upper()}({left}, {self.expr(node.right, env)})"

    def _on_Call(self, node: n.Call, env: Mapping[str, str]) -> str:
        return f"ww_{node.name}({', '.join([self.expr(a, env) for a in node.args])})"

    def _on_Aggregate(self, node: n.Aggregate, env: Mapping[str, str]) -> str:
        return f"({self.select(node, env)})"

    def select(self, node: n.Aggregate, env: Mapping[str, str]) -> str:
        """The query of an aggregate. Parts are compiled in the order in which they stand in the text."""
        if node.rows.items:
            raise NotSql
        alias = f"t{next(self._fresh)}"
        inner = {**env, node.var: alias}
        value = node.value
        match node.kind:
            case "count":
                rowwise = isinstance(value, n.Var) and value.name == node.var
                head = "COUNT(*)" if rowwise else f"COUNT({self._write_value(node, inner, alias)})"
            case "sum":
                head = f"COALESCE(SUM({self._write_value(node, inner, alias)}), 0)"
            case "min" | "max":
                head = f"{node.kind.upper()}({self._write_value(node, inner, alias)})"
            case "exists" | "all":
                head = "1"
            case _:
                head = self.expr(value, inner)
        broken = n.Not(BOOL, value) if node.kind == "all" else None
        text = f"SELECT {head} FROM {self.source(node, alias, env, inner, broken)}"
        match node.kind:
            case "exists":
                return f"SELECT EXISTS({text})"
            case "all":
                return f"SELECT NOT EXISTS({text})"
            case "first" | "last":
                return text + self._order(node, alias, inner)
        return text

    def _write_value(self, node: n.Aggregate, inner: Mapping[str, str], alias: str) -> str:
        """Write the value of an aggregate. One of outer rows only would be aggregated by the outer query; tie it down."""
        text = self.expr(node.value, inner)
        return text if node.var in n.free_names(node.value) else f"CASE WHEN length({alias}.id) THEN {text} END"

    def source(
        self,
        node: n.Aggregate,
        alias: str,
        env: Mapping[str, str],
        inner: Mapping[str, str],
        extra: n.Node | None = None,
    ) -> str:
        """FROM and WHERE of an aggregate, with one more condition where it is given."""
        out = f"{quote_name(node.rows.entity)} {alias}"
        conditions = []
        if node.rows.base is not None:
            conditions.append(f"{alias}.{quote_name(node.rows.column)} = {self.expr(node.rows.base, env)}")
        conditions += [self.truth(c, inner) for c in (node.where, extra) if c is not None]
        return f"{out} WHERE {' AND '.join(conditions)}" if conditions else out

    def _order(self, node: n.Aggregate, alias: str, inner: Mapping[str, str]) -> str:
        if node.by is None:
            return f" ORDER BY {alias}.id LIMIT 1"
        if n.free_names(node.by) & (inner.keys() - {node.var}):
            raise NotSql("an order that depends on outer rows")
        key = self.expr(node.by, inner)
        again = self.expr(node.by, inner)
        direction = " DESC" if node.kind == "last" else ""
        return f" ORDER BY {key} IS NULL, {again}{direction}, {alias}.id LIMIT 1"


def _row_type(node: n.Aggregate) -> Any:
    for part in (node.value, node.where, node.by):
        if part is not None:
            for inner in n.walk(part):
                if isinstance(inner, n.Var) and inner.name == node.var:
                    return inner.type
    return node.type


def query(evaluator: Evaluator, definitions: Checked, node: n.Aggregate) -> Run | None:
    """An aggregate as one prepared query, or None where SQL cannot say it."""
    if node.kind in ("any", "favourite"):
        return _make_draw(evaluator, definitions, node)
    compiler = SqlCompiler(evaluator, definitions)
    try:
        text = compiler.select(node, {})
    except NotSql:
        return None
    parameters = tuple(compiler.parameters)
    truth = node.type.kind == "bool"

    def run(d: Any, f: Frame) -> Any:
        rows = d.fetch(text, [p(d, f) for p in parameters])
        value = rows[0][0] if rows else None
        if type(value) is float:  # SQLite's way to say that a whole number did not fit
            raise OverflowError
        return bool(value) if truth and value is not None else value

    return run


def _make_draw(evaluator: Evaluator, definitions: Checked, node: n.Aggregate) -> Run | None:
    """Draw one of the rows that a draw chooses from: how many there are, then the chosen one in order of id."""
    if node.where is None and node.rows.base is None and isinstance(node.value, n.Var) and node.value.name == node.var:
        whole, draw = node.rows.entity, node.kind
        return lambda d, f: d.choose(draw, d.list_ids(whole))
    first, rest = SqlCompiler(evaluator, definitions), SqlCompiler(evaluator, definitions)
    try:
        head = first.expr(node.value, {node.var: "t"})
        source = rest.source(node, "t", {}, {node.var: "t"})
    except NotSql:
        return None
    count_all = f"SELECT COUNT(*) FROM {source}"
    take_one = f"SELECT {head} FROM {source} ORDER BY t.id LIMIT 1 OFFSET ?"
    before, parameters, kind = tuple(first.parameters), tuple(rest.parameters), node.kind

    def run(d: Any, f: Frame) -> Any:
        values = [p(d, f) for p in parameters]
        at = d.choose(kind, range(d.fetch(count_all, values)[0][0]))
        return None if at is None else d.fetch(take_one, [*(p(d, f) for p in before), *values, at])[0][0]

    return run
