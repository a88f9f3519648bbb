"""Parameters of functions that answer requests or tools."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from worldwright.anchor.evidence import Field, Parameter, Shape
from worldwright.anchor.readers.repo.annotations import PLAIN
from worldwright.anchor.readers.repo.families import RECORDS, family
from worldwright.anchor.readers.repo.models import constrained, default, description
from worldwright.anchor.readers.repo.names import Repo, Scope, clean
from worldwright.anchor.readers.repo.records import annotation, record_shape
from worldwright.anchor.readers.repo.source import Function, argument, docstring, keyword, last, own_nodes, path_of
from worldwright.english.words import wordmap, wordset

MAX_PARAMETERS = 100
_PLACES: Mapping[str, str] = wordmap("Path=path Query=query Header=header Cookie=cookie Body=body Form=body File=body")
_INJECTED = frozenset({"Depends", "Security", "Inject", "Provide"})
_SERVICES = frozenset({
    "Request", "Response", "WebSocket", "BackgroundTasks", "HTTPConnection", "SecurityScopes", "Session", "AsyncSession",
    "Context", "HttpRequest", "ServerSession", "RequestContext", "Connection", "AsyncClient", "Client", "Engine",
})  # fmt: skip
"""Types of what the framework hands in."""
_ARGUMENT_LINE = re.compile(
    r"[ \t]*(?::param[ \t]+)?[-*]?[ \t]*`?\*{0,2}(\w+)`?\*{0,2}[ \t]*(?:\([^)\n]{0,80}\))?[ \t]*(?::|--|–)[ \t]*(\S.*)"
)


@dataclass(frozen=True, slots=True)
class Inputs:
    """What a function takes."""

    parameters: tuple[Parameter, ...] = ()
    body: Shape | None = None
    scopes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Given:
    """One argument of a function."""

    name: str
    type: ast.expr | None
    default: ast.expr | None
    node: ast.arg


def given(function: Function) -> Iterator[_Given]:
    """The arguments in order, without `self`."""
    a = function.node.args
    plain = [*a.posonlyargs, *a.args]
    defaults: list[ast.expr | None] = [*[None] * (len(plain) - len(a.defaults)), *a.defaults]
    for i, (arg, value) in enumerate(
        [*zip(plain, defaults, strict=True), *zip(a.kwonlyargs, a.kw_defaults, strict=True)]
    ):
        if i == 0 and arg.arg in ("self", "cls") and function.cls is not None:
            continue
        if i < MAX_PARAMETERS:
            yield _Given(arg.arg, arg.annotation, value, arg)


def inputs(repo: Repo, function: Function, in_path: Sequence[str], depth: int = 0) -> Inputs:
    """Return what a function of FastAPI takes: from the path, the query, headers and the body; what its dependencies take too."""
    scope = Scope(function.module, function.cls)
    told = told_arguments(function)
    found: list[Parameter] = []
    bodies: list[Parameter] = []
    scopes: list[str] = []
    for one in given(function):
        calls, shape, says = _typed(repo, scope, one)
        injected = next((c for c in calls if last(path_of(c)) in _INJECTED), None)
        if injected is not None:
            scopes.extend(roles_of(repo, scope, injected))
            needed = repo.find_function(scope.module, path_of(argument(injected, 0, "dependency")))
            if needed is not None and needed is not function and depth < 3:
                there = inputs(repo, needed, in_path, depth + 1)
                found.extend(p for p in there.parameters if p.place != "body")
                scopes.extend(there.scopes)
            continue
        if last(path_of(one.type)) in _SERVICES or one.name in ("request", "req"):
            continue
        marker = next((c for c in calls if last(path_of(c)) in _PLACES), None)
        place = _PLACES[last(path_of(marker))] if marker is not None else "path" if one.name in in_path else ""
        if not place:
            place = "body" if _is_record(repo, scope, one.type) or shape.format == "byte" else "query"
        parameter = _parameter(repo, scope, one, marker, place, shape, says or told.get(one.name, ""))
        (bodies if place == "body" else found).append(parameter)
    more, body = _body(repo, scope, bodies)
    each = {(p.place, p.name): p for p in reversed(found)}
    return Inputs((*reversed(each.values()), *more), body, tuple(dict.fromkeys(scopes)))


def _typed(repo: Repo, scope: Scope, one: _Given) -> tuple[list[ast.Call], Shape, str]:
    """The calls beside the type and in the default, the shape, and what is said."""
    found = annotation(repo, scope, one.type)
    calls = list(found.calls)
    shape, says = found.shape, found.says
    if isinstance(one.default, ast.Call):
        calls.append(one.default)
        if last(path_of(one.default)) in _PLACES or last(path_of(one.default)) == "Field":
            shape = constrained(repo, scope, shape, one.default)
            says = description(repo, scope, one.default) or says
    return calls, shape, says


def _is_record(repo: Repo, scope: Scope, type_: ast.expr | None) -> bool:
    """Tell whether a type is a record, or a list of records: then it is the body of a request."""
    for node in ast.walk(type_) if type_ is not None else ():
        if isinstance(node, ast.Name | ast.Attribute):
            cls = repo.find_class(scope, path_of(node))
            if cls is not None and family(repo, cls) in RECORDS:
                return True
            if path_of(node) in ("dict", "Dict", "typing.Dict"):
                return True
    return False


def _parameter(
    repo: Repo, scope: Scope, one: _Given, marker: ast.Call | None, place: str, shape: Shape, says: str
) -> Parameter:
    value = one.default
    if marker is not None and value is marker:
        value = argument(marker, 0, "default")
        if keyword(marker, "default_factory") is not None:
            value = ast.Constant(None)
    if isinstance(value, ast.Constant) and value.value is ...:
        value = None
    required = place == "path" or value is None
    name = one.name
    alias = repo.text(scope, keyword(marker, "alias")) if marker is not None else ""
    if alias or (place == "header" and marker is not None):
        name = alias or name.replace("_", "-")
    shape = replace(shape, default=default(repo, scope, value))
    return Parameter(name, place, shape, required, says or shape.says, scope.module.source(one.node))


def _body(repo: Repo, scope: Scope, bodies: Sequence[Parameter]) -> tuple[list[Parameter], Shape | None]:
    """The body of a request: the fields of the one record that it is, or every part under its own name."""
    if not bodies:
        return [], None
    if len(bodies) == 1 and bodies[0].shape.kind in ("object", "array") and bodies[0].shape.format != "byte":
        whole = bodies[0].shape
        fields = [
            Parameter(f.name, "body", f.shape, f.required and bodies[0].required, f.says, f.source)
            for f in whole.fields.values()
        ]
        return fields, whole
    parts = {p.name: Field(p.name, p.shape, p.required, says=p.says, source=p.source) for p in bodies}
    return list(bodies), Shape("object", fields=parts)


def roles_of(repo: Repo, scope: Scope, call: ast.Call) -> list[str]:
    """Scopes and roles that a dependency or a decorator asks for: `Security(user, scopes=["orders:write"])`."""
    scopes = repo.value(scope, keyword(call, "scopes"))
    found = [s for s in scopes if isinstance(s, str)] if isinstance(scopes, tuple) else []
    inner = argument(call, 0, "dependency")
    if isinstance(inner, ast.Call):
        found += texts_in(repo, scope, inner)
    return found


def texts_in(repo: Repo, scope: Scope, call: ast.Call) -> list[str]:
    """The texts among the arguments of a call, in lists too."""
    out: list[str] = []
    for node in [*call.args[:10], *(k.value for k in call.keywords[:10])]:
        value = repo.value(scope, node)
        out += [v for v in (value if isinstance(value, tuple) else (value,)) if isinstance(v, str)]
    return out


def tool_inputs(repo: Repo, function: Function) -> Inputs:
    """Return what a tool takes: every argument that is no service of the server."""
    scope = Scope(function.module, function.cls)
    told = told_arguments(function)
    found: list[Parameter] = []
    for one in given(function):
        calls, shape, says = _typed(repo, scope, one)
        if last(path_of(one.type)) in _SERVICES or _head(one.type) in _SERVICES or one.name == "ctx":
            continue
        if any(last(path_of(c)) in _INJECTED for c in calls):
            continue
        marker = one.default if isinstance(one.default, ast.Call) and last(path_of(one.default)) == "Field" else None
        found.append(_parameter(repo, scope, one, marker, "argument", shape, says or told.get(one.name, "")))
    return Inputs(tuple(found))


def _head(node: ast.expr | None) -> str:
    return last(path_of(node.value)) if isinstance(node, ast.Subscript) else ""


def told_arguments(function: Function) -> dict[str, str]:
    """Return what a docstring says about arguments, in the styles of Google, Sphinx and plain lists."""
    names = {one.name for one in given(function)}
    found: dict[str, str] = {}
    for line in docstring(function.node).splitlines()[:200]:
        match = _ARGUMENT_LINE.fullmatch(line[:400])
        if match and match[1] in names:
            found.setdefault(match[1], clean(match[2]).strip())
    return found


def answer_of(repo: Repo, function: Function, model: ast.expr | None) -> Shape | None:
    """Return what a function answers: the response model, or else its annotation."""
    scope = Scope(function.module, function.cls)
    node = model if model is not None else function.node.returns
    if node is None or (isinstance(node, ast.Constant) and node.value is None):
        return None
    if last(path_of(node)) in _ANSWERS:
        return None
    shape = annotation(repo, scope, node).shape
    return None if shape.kind == "any" and not shape.name else shape


_ANSWERS = wordset("Response JSONResponse HttpResponse RedirectResponse StreamingResponse None Any")


# What a function takes out of a request by hand: `request.args.get("page")`, `request.json["amount"]`.


_QUERY = wordset("request.args request.query_params request.GET self.request.query_params request.values")
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
    """Tell whether an expression is the query or the body of the request."""
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
