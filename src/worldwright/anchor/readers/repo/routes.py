"""Routes that decorators declare: FastAPI, Flask and what is written like them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from worldwright.anchor.evidence import Field, Operation, Parameter, Shape
from worldwright.anchor.names import parts
from worldwright.anchor.readers.repo.names import Repo, Scope
from worldwright.anchor.readers.repo.operations import Call, operation
from worldwright.anchor.readers.repo.paths import plain_path
from worldwright.anchor.readers.repo.prefixes import ROUTERS, Mounted, Router, find_router, routers
from worldwright.anchor.readers.repo.refusals import status_of
from worldwright.anchor.readers.repo.request_use import used_parameters, used_record
from worldwright.anchor.readers.repo.signatures import Inputs, answer_of, inputs, roles_of
from worldwright.anchor.readers.repo.source import Function, argument, keyword, path_of

_METHODS = frozenset({"get", "post", "put", "patch", "delete", "head", "options"})
_ROUTES = frozenset({"route", "api_route", "api_operation"})
_CALLS = frozenset({"add_api_route", "add_url_rule", "add_resource"})
_FLASK = frozenset({"Flask", "Blueprint", "Quart", "APIBlueprint"})
_BY_HAND = frozenset({"route", "add_url_rule", "add_resource"})
_UNKNOWN = Mounted("", (), "")


def routes(repo: Repo) -> Iterator[Operation]:
    """Every route, in order of the files."""
    known = routers(repo)
    yield from _registered(repo, known)
    for function in repo.functions:
        for decorator in function.node.decorator_list:
            if isinstance(decorator, ast.Call) and isinstance(decorator.func, ast.Attribute):
                yield from _declared(repo, known, function, decorator, decorator.func)


def _registered(repo: Repo, known: Mapping[Router, Mounted]) -> Iterator[Operation]:
    """Routes that calls declare: `add_api_route`, `add_url_rule`, and `add_resource` for the methods of a class."""
    for module in repo.modules:
        for node in ast.walk(module.tree) if module.mentions(_CALLS) else ():
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _CALLS):
                continue
            texts = [a for a in node.args[:5] if isinstance(a, ast.Constant) and isinstance(a.value, str)]
            view = keyword(node, "view_func", "endpoint") or next((a for a in node.args[:5] if a not in texts), None)
            path = path_of(view).removesuffix(".as_view")
            cls = repo.find_class(Scope(module), path)
            methods = repo.methods.get(cls, []) if cls is not None else []
            if not methods and (found := repo.find_function(module, path)) is not None:
                methods = [found]
            for function in methods:
                if function.cls is None or function.name in _METHODS:
                    yield from _declared(repo, known, function, node, node.func)


def _declared(
    repo: Repo, known: Mapping[Router, Mounted], function: Function, call: ast.Call, func: ast.Attribute
) -> Iterator[Operation]:
    scope = Scope(function.module, function.cls)
    word = function.name if func.attr in _CALLS and function.cls is not None else func.attr.lower()
    first = argument(call, 1 if func.attr == "add_resource" else 0, "path", "rule")
    written = repo.text(scope, first)
    if word not in _METHODS | _ROUTES | _CALLS or first is None or not (written.startswith("/") or written == ""):
        return
    router = find_router(repo, function.module, path_of(func.value))
    mounted = known.get(router, _UNKNOWN) if router is not None else _UNKNOWN
    if not written and (mounted.maker not in ROUTERS or not isinstance(first, ast.Constant)):
        return
    methods = repo.value(scope, keyword(call, "methods"))
    named = [m.upper() for m in methods if isinstance(m, str)] if isinstance(methods, tuple) else []
    for method in [word.upper()] if word in _METHODS else named or ["GET"]:
        if method in ("HEAD", "OPTIONS"):
            continue
        path, shapes = plain_path(mounted.prefix + written)
        flask = mounted.maker in _FLASK or (func.attr in _BY_HAND and mounted.maker != "APIRouter")
        taken = _by_hand(repo, function, shapes, method) if flask else _typed(repo, function, shapes)
        yield _action(repo, function, call, method, path, taken, mounted.tags)


def _action(
    repo: Repo, function: Function, call: ast.Call, method: str, path: str, taken: Inputs, tags: tuple[str, ...]
) -> Operation:
    scope = Scope(function.module, function.cls)
    own = repo.value(scope, keyword(call, "tags"))
    own_tags = tuple(t for t in own if isinstance(t, str)) if isinstance(own, tuple) else ()
    scopes = list(taken.scopes)
    needed = keyword(call, "dependencies")
    for node in needed.elts if isinstance(needed, ast.List | ast.Tuple) else ():
        scopes += roles_of(repo, scope, node) if isinstance(node, ast.Call) else []
    model = keyword(call, "response_model")
    return operation(
        repo,
        Call(
            _name(function),
            method,
            path,
            taken.parameters,
            taken.body,
            answer_of(repo, function, model),
            status_of(repo, scope, keyword(call, "status_code")) or "200",
            tuple(dict.fromkeys((*tags, *own_tags))),
            tuple(scopes),
            repo.text(scope, keyword(call, "description")),
            repo.text(scope, keyword(call, "summary")),
            repo.value(scope, keyword(call, "deprecated")) is True,
            _responses(repo, scope, keyword(call, "responses")),
        ),
        function,
    )


def _name(function: Function) -> str:
    """The name of the function; a method of a view is only called `get`, so that the class comes before it."""
    if function.cls is None or function.name not in _METHODS:
        return function.name
    return "_".join([*parts(function.cls.name), function.name])


def _responses(repo: Repo, scope: Scope, node: ast.expr | None) -> dict[str, str]:
    found: dict[str, str] = {}
    for key, value in zip(node.keys, node.values, strict=True) if isinstance(node, ast.Dict) else ():
        status = status_of(repo, scope, key)
        if status >= "400" and isinstance(value, ast.Dict):
            texts = {k.value: v for k, v in zip(value.keys, value.values, strict=True) if isinstance(k, ast.Constant)}
            found[status] = repo.text(scope, texts.get("description"))
    return found


def _typed(repo: Repo, function: Function, shapes: Mapping[str, Shape]) -> Inputs:
    """What a function of FastAPI takes; parts of the path that it does not name are parameters all the same."""
    found = inputs(repo, function, tuple(shapes))
    names = {p.name for p in found.parameters if p.place == "path"}
    source = function.module.source(function.node)
    more = tuple(Parameter(n, "path", s, True, source=source) for n, s in shapes.items() if n not in names)
    return Inputs((*more, *found.parameters), found.body, found.scopes)


def _by_hand(repo: Repo, function: Function, shapes: Mapping[str, Shape], method: str) -> Inputs:
    """What a function of Flask takes: parts of the path, and what it reads from the request itself."""
    source = function.module.source(function.node)
    found = [Parameter(name, "path", shape, True, source=source) for name, shape in shapes.items()]
    used = used_parameters(repo, function)
    found += [p for p in used if p.place == "query"]
    if method in ("GET", "DELETE"):
        return Inputs(tuple(found))
    record = used_record(repo, function)
    if record is not None:
        fields = record.fields.values()
        found += [Parameter(f.name, "body", f.shape, f.required, f.says, f.source) for f in fields]
        return Inputs(tuple(found), record)
    sent = [p for p in used if p.place == "body"]
    whole = Shape("object", fields={p.name: Field(p.name, p.shape, p.required, source=p.source) for p in sent})
    return Inputs((*found, *sent), whole if sent else None)
