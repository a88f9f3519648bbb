"""What a function takes out of a request by hand: `request.args.get("page")`, `request.json["amount"]`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import replace

from worldwright.anchor.evidence import Parameter, Shape
from worldwright.anchor.readers.repo.annotations import PLAIN
from worldwright.anchor.readers.repo.constraints import default
from worldwright.anchor.readers.repo.families import RECORDS, family
from worldwright.anchor.readers.repo.names import Repo, Scope
from worldwright.anchor.readers.repo.records import record_shape
from worldwright.anchor.readers.repo.source import Function, argument, keyword, last, own_nodes, path_of

_QUERY = frozenset(
    {"request.args", "request.query_params", "request.GET", "self.request.query_params", "request.values"}
)
_BODY = frozenset({
    "request.json", "request.get_json", "request.data", "request.POST", "request.form", "self.request.data", "request.body",
    "request.validated_data",
})  # fmt: skip
_READERS = frozenset({"loads", "get_json", "load", "dict", "force_text"})
_PARSERS = frozenset({"model_validate", "parse_obj", "from_dict"})


def used_parameters(repo: Repo, function: Function) -> list[Parameter]:
    """Parameters that a function reads from the query and the body, each once; required where it would fail without."""
    scope = Scope(function.module, function.cls)
    holders: dict[str, str] = {}
    found: dict[tuple[str, str], Parameter] = {}
    for node in own_nodes(function.node):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            place = _place(node.value, holders)
            if place:
                holders[node.targets[0].id] = place
        for parameter in _read(repo, scope, node, holders):
            key = (parameter.place, parameter.name)
            known = found.get(key)
            found[key] = parameter if known is None else replace(known, required=known.required or parameter.required)
    return list(found.values())[:100]


def used_record(repo: Repo, function: Function) -> Shape | None:
    """The record that a function makes of the body: `OrderCreate(**request.json)` or `OrderCreate.model_validate(...)`."""
    scope = Scope(function.module, function.cls)
    for node in own_nodes(function.node):
        if not isinstance(node, ast.Call):
            continue
        path = path_of(node.func)
        owner = (
            path.rpartition(".")[0]
            if last(path) in _PARSERS
            else path
            if any(k.arg is None for k in node.keywords)
            else ""
        )
        cls = repo.find_class(scope, owner) if owner else None
        if cls is not None and family(repo, cls) in RECORDS:
            return record_shape(repo, cls)
    return None


def _place(node: ast.expr, holders: Mapping[str, str]) -> str:
    """Whether an expression is the query or the body of the request."""
    for _ in range(6):
        path = path_of(node)
        if path in _QUERY:
            return "query"
        if path in _BODY:
            return "body"
        if path in holders:
            return holders[path]
        match node:
            case ast.BoolOp(values=[first, *_]) | ast.Await(value=first):
                node = first
            case ast.Call(func=ast.Attribute() | ast.Name() as func, args=[first, *_]) if (
                last(path_of(func)) in _READERS
            ):
                node = first
            case _:
                return ""
    return ""


def _read(repo: Repo, scope: Scope, node: ast.AST, holders: Mapping[str, str]) -> Iterator[Parameter]:
    match node:
        case ast.Subscript(value=value, slice=ast.Constant(value=str() as name), ctx=ast.Load()):
            place = _place(value, holders)
            if place:
                yield Parameter(name, place, Shape("any"), True, source=scope.module.source(node))
        case ast.Call(
            func=ast.Attribute(value=value, attr="get" | "getlist"), args=[ast.Constant(value=str() as name), *_]
        ):
            place = _place(value, holders)
            if place:
                kind = keyword(node, "type")
                shape = PLAIN.get(path_of(kind), Shape("any")) if kind is not None else Shape("any")
                given = default(repo, scope, argument(node, 1, "default"))
                yield Parameter(name, place, replace(shape, default=given), False, source=scope.module.source(node))
