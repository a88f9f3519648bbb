"""Aggregates over rows, and lists drawn for history."""

from __future__ import annotations

import ast
from dataclasses import replace

from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.expr.arithmetic import coerce
from worldwright.blueprint.expr.failure import ExprError
from worldwright.blueprint.expr.library import is_variable_name
from worldwright.blueprint.expr.scope import Scope, Typer
from worldwright.blueprint.types import BOOL, INT, Type, ref
from worldwright.core.names import suggest

MAX_AGGREGATES = 3


def aggregate(typer: Typer, name: str, e: ast.Call, s: Scope, depth: int) -> n.Node:
    gen = e.args[0]
    assert isinstance(gen, ast.GeneratorExp)
    if name in ("any", "favourite") and not s.draws:
        raise ExprError(f"`{name}` is random", "only `~`, history and mess may draw; use exists(...)")
    if len(e.args) != 1:
        raise ExprError(f"`{name}` takes one `x for v in rows if condition`")
    var, rows, where, inner = parse_loop(typer, name, gen, s, depth)
    value = typer.node(gen.elt, inner, None, depth)
    by = _order(typer, name, e, inner, depth)
    return n.Aggregate(_aggregate_type(name, value), name, var, rows, where, value, by)


def parse_loop(
    typer: Typer, name: str, gen: ast.GeneratorExp, s: Scope, depth: int
) -> tuple[str, n.Rows, n.Node | None, Scope]:
    """Parse `x for v in rows if condition`: the variable, the rows, the condition, and the scope of x."""
    comp = gen.generators[0]
    if len(gen.generators) != 1 or not isinstance(comp.target, ast.Name):
        raise ExprError(f"`{name}` takes one `x for v in rows if condition`")
    if s.depth >= MAX_AGGREGATES:
        raise ExprError(f"aggregates nested more than {MAX_AGGREGATES} deep", "name the inner part as a term")
    var = comp.target.id
    if comp.is_async or not is_variable_name(var):
        raise ExprError(f"`{var}` cannot be a loop variable", "lower case letters, digits and _")
    if var in s.names:
        raise ExprError(f"`{var}` already means something here", "choose another loop variable")
    rows = parse_source(typer, comp.iter, s, depth)
    kind = rows.element if rows.element is not None else ref(rows.entity)
    inner = replace(s.bind(var, kind), depth=s.depth + 1)
    conditions = tuple(typer.truth(c, inner, depth) for c in comp.ifs)
    where = None if not conditions else conditions[0] if len(conditions) == 1 else n.And(BOOL, conditions)
    return var, rows, where, inner


def _order(typer: Typer, name: str, e: ast.Call, inner: Scope, depth: int) -> n.Node | None:
    keys = {k.arg: k.value for k in e.keywords}
    by = keys.pop("by", None)
    if keys or (by is not None and name not in ("first", "last")):
        raise ExprError(f"`{name}` takes no named arguments" if keys else "only first and last take `by`")
    if by is None:
        return None
    node = typer.node(by, inner, None, depth)
    if node.type.kind not in ("int", "decimal", "money", "foreign", "date", "time", "text", "bool"):
        raise ExprError(f"rows cannot be ordered by {node.type}")
    return node


def parse_source(typer: Typer, e: ast.expr, s: Scope, depth: int) -> n.Rows:
    """Parse where an aggregate or a loop takes its rows from."""
    if isinstance(e, ast.Name):
        kind = s.names.get(e.id)
        if kind is not None and kind.kind == "list":
            element = kind.fields[0][1] if kind.fields[0][0] == "" else Type("row", fields=kind.fields)
            return n.Rows(element.entity, items=e.id, element=element)
        if s.self_entity and e.id in typer.entity(s.self_entity).ways:
            return _way(typer, n.Var(ref(s.self_entity), "self"), e.id)
        if e.id in typer.schema.entities:
            return n.Rows(typer.entity(e.id).name)
        known = [*typer.schema.entities, *(k for k, v in s.names.items() if v.kind == "list")]
        raise ExprError(f"`{e.id}` is not an entity, a way back or a list", suggest(e.id, known))
    if isinstance(e, ast.Attribute):
        return _way(typer, typer.node(e.value, s, None, depth), e.attr)
    raise ExprError("this is not many rows")


def _way(typer: Typer, base: n.Node, name: str) -> n.Rows:
    if base.type.kind != "ref":
        raise ExprError(f"`.{name}` needs a row, not {base.type}")
    entity = typer.entity(base.type.entity)
    way = entity.ways.get(name)
    if way is None:
        raise ExprError(f"`{entity.name}` has no way back `{name}`", suggest(name, entity.ways))
    return n.Rows(way.entity, base, way.column, name)


def _aggregate_type(name: str, value: n.Node) -> Type:
    kind = value.type
    match name:
        case "count":
            return INT
        case "exists":
            return BOOL
        case "all":
            if kind.kind != "bool":
                raise ExprError(f"`all` needs a condition before `for`, not {kind}")
            return BOOL
        case "sum":
            if not kind.numeric:
                raise ExprError(f"`sum` needs numbers, not {kind}")
            return INT if kind.kind == "number" and not kind.places else kind
        case "min" | "max":
            if not (kind.numeric or kind.kind in ("date", "time", "text")):
                raise ExprError(f"`{name}` needs numbers or dates, not {kind}")
            return kind
        case "any" | "favourite" if kind.kind != "ref":
            raise ExprError(f"`{name}` draws rows, not {kind}")
    return kind


def list_of(typer: Typer, e: ast.expr, kind: Type, s: Scope, depth: int) -> n.Node:
    """A list input in history: `many(COUNT, part=DRAW, ...)`, or `listed((v for v in ROWS if C), part=EXPR, ...)`."""
    if not isinstance(e, ast.Call) or not isinstance(e.func, ast.Name) or e.func.id not in ("many", "listed"):
        raise ExprError("a list is many(count, part=...) or listed((v for v in rows), part=...)")
    name = e.func.id
    plain = kind.fields[0][0] == ""
    if len(e.args) != (2 if plain and name == "many" else 1) or (plain and e.keywords):
        raise ExprError(f"`{name}` takes {'the value' if plain else 'the parts by name'}")
    count = var = where = rows = None
    inner = s
    values: dict[str, ast.expr] = {k.arg or "": k.value for k in e.keywords}
    if name == "many":
        count = coerce(typer.node(e.args[0], s, INT, depth), INT)
        if plain:
            values[""] = e.args[1]
    else:
        gen = e.args[0]
        if not isinstance(gen, ast.GeneratorExp):
            raise ExprError("listed takes rows in parentheses: listed((l for l in po.lines), line=l)")
        var, rows, where, inner = parse_loop(typer, name, gen, s, depth)
        if plain:
            values[""] = gen.elt
    parts = []
    for part, wanted in kind.fields:
        if part in values:
            parts.append((part, coerce(typer.node(values.pop(part), inner, wanted, depth), wanted)))
    if values:
        raise ExprError(f"the list has no part `{next(iter(values))}`", suggest(next(iter(values)), dict(kind.fields)))
    return n.ListOf(kind, count, var or "", rows, where, tuple(parts))
