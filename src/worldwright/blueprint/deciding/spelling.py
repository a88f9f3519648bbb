"""An expression as an author would write it, for people who read what a bound is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.expr.evaluate import format_value


def spell(node: n.Node) -> str:
    """Write a node in the language of Blueprints, parameters as their values."""
    return _SPELLINGS[type(node)](node)


def _const(node: n.Const) -> str:
    if isinstance(node.value, bool):
        return str(node.value).lower()
    if node.type.kind in ("enum", "text", "date", "time") and node.value is not None:
        return f"'{node.value}'"
    kind = "number" if node.type.kind in ("money", "foreign") else node.type.kind
    return format_value(node.value, node.type.places, kind, "")


def _field(node: n.Field) -> str:
    base = spell(node.base)
    return node.name if base == "self" else f"{base}.{node.name}"


def _rows(rows: n.Rows) -> str:
    if rows.items:
        return rows.items
    if rows.base is None:
        return rows.entity
    base = spell(rows.base)
    way = rows.way or rows.entity
    return way if base == "self" else f"{base}.{way}"


def _aggregate(node: n.Aggregate) -> str:
    test = f" if {spell(node.where)}" if node.where is not None else ""
    inner = f"{spell(node.value)} for {node.var} in {_rows(node.rows)}{test}"
    return f"{node.kind}(({inner}), by={spell(node.by)})" if node.by is not None else f"{node.kind}({inner})"


def _call(name: str, args: tuple[n.Node, ...]) -> str:
    return f"{name}({', '.join(map(spell, args))})"


def _inner(node: n.Node) -> str:
    text = spell(node)
    return f"({text})" if isinstance(node, n.And | n.Or | n.If | n.Compare | n.Arith) else text


def _format(node: n.Format) -> str:
    return 'f"' + "".join(p if isinstance(p, str) else "{" + spell(p[0]) + "}" for p in node.parts) + '"'


_SPELLINGS: Mapping[type[n.Node], Callable[[Any], str]] = {
    n.Const: _const,
    n.Var: lambda e: e.name,
    n.Field: _field,
    n.Not: lambda e: f"not {_inner(e.item)}",
    n.And: lambda e: " and ".join(map(_inner, e.items)),
    n.Or: lambda e: " or ".join(map(_inner, e.items)),
    n.Compare: lambda e: f"{spell(e.left)} {e.op} {spell(e.right)}",
    n.IsNone: lambda e: f"{_inner(e.item)} is none",
    n.InValues: lambda e: f"{_inner(e.item)} in ({', '.join(map(spell, e.values))})",
    n.InText: lambda e: f"{_inner(e.needle)} in {_inner(e.text)}",
    n.Arith: lambda e: f"{spell(e.left)} {e.op} {_inner(e.right)}",
    n.Scale: lambda e: spell(e.item),
    n.Divide: lambda e: f"{_inner(e.left)} / {_inner(e.right)}",
    n.If: lambda e: f"{spell(e.then)} if {spell(e.test)} else {spell(e.other)}",
    n.Either: lambda e: _call(e.op, (e.left, e.right)),
    n.Call: lambda e: _call(e.name, e.args),
    n.TermCall: lambda e: _call(e.name, e.args),
    n.Obeys: lambda e: f"obeys({e.policy})",
    n.Format: _format,
    n.Aggregate: _aggregate,
}
